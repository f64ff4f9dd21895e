"""The cost of twenty viewers of one fast run: alternating rounds with and without viewers."""

import statistics
import subprocess
import sys
import time
from typing import Any

from bench.measures import cpu_s
from bench.table import Line
from gui.browsers import Browser, daemon_options, gui
from gui.journeys import STATIC
from support.daemons import DaemonProcess

from gui import bars_browser

VIEWERS = 20
CPS = 5000
ROUNDS = 4
ROUND_S = 20.0
SETTLE_S = 3.0

# Reads and discards the octets of all its sockets.
READER = """
import selectors, socket, sys
host, port, cookie, count = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
chosen = selectors.DefaultSelector()
for _ in range(count):
    one = socket.create_connection((host, port))
    lines = "GET /api/feed HTTP/1.1", f"Host: {host}:{port}", f"Cookie: {cookie}", "", ""
    one.sendall("\\r\\n".join(lines).encode())
    head = b""
    while b'"viewer"' not in head or b"\\n\\n" not in head.split(b'"viewer"')[1]:
        head += one.recv(4096)
    print(head.split(b'"viewer"')[1].split(b'"')[1].decode(), flush=True)
    chosen.register(one, selectors.EVENT_READ)
while True:
    for key, _ in chosen.select():
        if not key.fileobj.recv(1 << 20):
            sys.exit()
"""


def viewers() -> list[Line]:
    """Return the CPU time and lateness that viewers add, and the CPU time of the GUI's server."""
    with (
        bars_browser.stage() as (daemon, folder, port),
        gui(folder / "gui", STATIC, *daemon_options({"local": port})) as made,
    ):
        browser = made.enter()
        rounds = [
            _round(daemon, browser, made.process.pid, number, number % 2 == 1)
            for number in range(2 * ROUNDS)
        ]
    return _lines(rounds)


def _lines(rounds: list[dict[str, Any]]) -> list[Line]:
    for one in rounds:
        print("  " + ", ".join(f"{name} {value:.4g}" for name, value in one.items()))
    without, with_ = rounds[::2], rounds[1::2]

    def middle(some: list[dict[str, Any]], name: str) -> float:
        return statistics.median(one[name] for one in some)

    cpu = middle(with_, "daemon") - middle(without, "daemon")
    late = middle(with_, "late_p99_ms") - middle(without, "late_p99_ms")
    own, rate = middle(with_, "gui"), middle(rounds, "rate")
    work = f"{VIEWERS} viewers of {rate:.0f}/s of {CPS}/s"
    return [
        bars_browser.line(f"{work}: daemon's CPU more", "1", cpu, "points", cpu <= 1),
        bars_browser.line(f"{work}: lateness p99 more", "0.2", late, "ms", late <= 0.2),
        bars_browser.line(f"{work}: CPU of the GUI's server", "5", own, "%", own <= 5),
    ]


def _round(
    daemon: DaemonProcess, browser: Browser, server: int, number: int, is_watched: bool
) -> dict[str, Any]:
    run = f"round {number}"
    pace = {"type": "linear", "total": 10**8, "backlog": 10_000, "cps": CPS}
    params = {"run_id": run, "operations": [{"type": "pass"}], "distribution": pace}
    assert daemon.result("ExecuteTest", params) == "ok"
    reader = _look(browser, run) if is_watched else None
    try:
        time.sleep(SETTLE_S)
        before = (cpu_s(daemon.process.pid), cpu_s(server), time.monotonic())
        time.sleep(ROUND_S)
        after = (cpu_s(daemon.process.pid), cpu_s(server), time.monotonic())
    finally:
        if reader is not None:
            reader.kill()
            reader.wait()
    result = daemon.result("CancelTest", {"run_id": run})
    took = after[2] - before[2]
    return {
        "viewers": VIEWERS * is_watched,
        "daemon": (after[0] - before[0]) / took * 100,
        "gui": (after[1] - before[1]) / took * 100,
        "late_p99_ms": result["rate"]["lateness_ms"]["p99"],
        "rate": result["rate"]["achieved"],
    }


def _look(browser: Browser, run: str) -> "subprocess.Popen[str]":
    """Open viewers of a run, all read by one small process."""
    host, port = browser.host.split(":")
    command = [sys.executable, "-c", READER, host, port, browser.cookie, str(VIEWERS)]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    for _ in range(VIEWERS):
        viewer = reader.stdout.readline().strip()
        topics = [{"daemon": "local", "run": run}]
        found = browser.post("/api/feed", {"viewer": viewer, "topics": topics})
        assert found.status == 200, found
    return reader
