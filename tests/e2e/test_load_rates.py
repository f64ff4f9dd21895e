"""What a result says of its rate is what the peer's own time stamps say: of any plan, through a
pause and a RateTest, and after a stop of the tester's process.

The peer is an HTTP server in a process of its own, which writes down when each request came.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from support.daemons import DaemonProcess, configure, launch
from support.waiting import until

pytestmark = pytest.mark.e2e

PEER = """
import asyncio, json, sys, time
stamps = []
async def serve(reader, writer):
    try:
        while await reader.readuntil(b"\\r\\n\\r\\n"):
            stamps.append(time.monotonic())
            writer.write(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")
    except asyncio.IncompleteReadError:
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(stamps), flush=True)
        stamps.clear()
asyncio.run(main())
"""
REST = '[application.R]\nmodule = "rest"\nbase_uri = "http://127.0.0.1:{port}"\n'
ASK = [
    {"type": "rest.SendRequest", "arguments": {"path": "/", "method": "GET"}},
    {"type": "rest.ExpectResponse"},
]
WINDOW_S = 0.1  # of `peak`
STOP_S = float(os.environ.get("TSVC_STOP_S", "3"))


class Peer:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self._line())

    def stamps(self) -> list[float]:
        """Return when the requests since the last time came, s, and forget them."""
        assert self.process.stdin is not None
        self.process.stdin.write("?\n")
        self.process.stdin.flush()
        return list(json.loads(self._line()))

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    made = Peer()
    yield made
    made.process.kill()
    made.process.wait()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Iterator[DaemonProcess]:
    folder = tmp_path_factory.mktemp("daemon")
    made = launch(folder, configure(folder, REST.format(port=peer.port)))
    made.until_up(["R"])
    yield made
    made.kill()


def finish(daemon: DaemonProcess, run_id: str) -> dict[str, Any]:
    return dict(daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60}))


def started(daemon: DaemonProcess, run_id: str, count: int) -> None:
    """Wait until so many instances have started."""
    query = {"run_id": run_id}
    until(lambda: daemon.result("QueryTest", query)["counts"]["started"] >= count)


def nothing(daemon: DaemonProcess, run_id: str) -> float:
    return 0.0


def pause(daemon: DaemonProcess, run_id: str) -> float:
    """Pause for a second; returns how long the plan stood still, about, s."""
    started(daemon, run_id, 100)
    daemon.result("PauseTest", {"run_id": run_id, "paused": 1})
    began = time.monotonic()
    time.sleep(1.0)
    daemon.result("PauseTest", {"run_id": run_id, "paused": 0})
    return time.monotonic() - began


def change(daemon: DaemonProcess, run_id: str) -> float:
    started(daemon, run_id, 100)
    daemon.result("RateTest", {"run_id": run_id, "cps": 150})
    return 0.0


def stop(daemon: DaemonProcess, run_id: str) -> float:
    """Stop the tester's process in the middle: its plan goes on without it."""
    started(daemon, run_id, 100)
    daemon.signal(signal.SIGSTOP)
    time.sleep(STOP_S)
    daemon.signal(signal.SIGCONT)
    return 0.0


STAGES = {"stages": [{"target": 60, "seconds": 1}, {"target": 300, "seconds": 5}]}
CASES: dict[str, tuple[dict[str, Any], Callable[[DaemonProcess, str], float]]] = {
    "constant": ({"total": 500, "cps": 250}, nothing),
    "ramp": ({"total": 500, "cps": {"initial": 20, "target": 300, "ramp_s": 2}}, nothing),
    "stages": ({"total": 500, "cps": STAGES}, nothing),
    "a pause": ({"total": 500, "cps": 250}, pause),
    "RateTest": ({"total": 500, "cps": 300}, change),
    # A hundred before it; then those of the stop and as many again until it is caught up.
    "a stop": (
        {"total": 100 + int(400 * STOP_S), "cps": {"target": 200, "catch_up": 2}},
        stop,
    ),
    "a stop, never caught up": (
        {"total": 200 + int(200 * STOP_S), "cps": {"target": 200, "catch_up": 0}},
        stop,
    ),
}


def most_in_a_window(stamps: list[float]) -> int:
    """Return the most that came in any WINDOW_S."""
    most = first = 0
    for position, at in enumerate(stamps):
        while at - stamps[first] >= WINDOW_S:
            first += 1
        most = max(most, position - first + 1)
    return most


@pytest.mark.alone  # the peer, too, has to read in time
@pytest.mark.parametrize("case", CASES)
def test_the_peers_time_stamps_agree(daemon: DaemonProcess, peer: Peer, case: str) -> None:
    distribution, meddle = CASES[case]
    peer.stamps()
    run_id = uuid.uuid4().hex
    given = {"type": "linear", "backlog": 1000, **distribution}
    run = {"run_id": run_id, "operations": ASK, "distribution": given}
    assert daemon.result("ExecuteTest", run) == "ok"
    try:
        paused_s = meddle(daemon, run_id)
        result = finish(daemon, run_id)
    finally:
        with contextlib.suppress(ProcessLookupError):
            daemon.signal(signal.SIGCONT)
    stamps = peer.stamps()
    rate, counts = result["rate"], result["counts"]
    assert counts["started"] == counts["passed"], result["failures"]
    assert counts["started"] == rate["started"] == len(stamps)
    assert rate["planned"] == distribution["total"] == len(stamps) + rate["never_started"]
    assert (rate["never_started"] > 0) is case.endswith("never caught up")
    # The ways of a request to the peer and its reading take what a busy machine lets them.
    seen = (len(stamps) - 1) / (stamps[-1] - stamps[0] - paused_s)
    assert rate["achieved"] == pytest.approx(seen, rel=0.06)
    peak = most_in_a_window(stamps) / WINDOW_S
    assert rate["peak"] == pytest.approx(peak, rel=0.3, abs=40)
    catch_up = 1 if case.endswith("never caught up") else 2
    assert rate["peak"] <= rate["asked_peak"] * catch_up * 1.05 + 2 / WINDOW_S
    if meddle is not stop:
        # Where a busy machine made the last starts late, the tester says by how much.
        span = stamps[-1] - stamps[0] - paused_s
        late_s = rate["lateness_ms"]["max"] / 1000
        assert span == pytest.approx((len(stamps) - 1) / rate["asked"], rel=0.06, abs=late_s + 0.1)
        return
    # The tester says itself that it stood still, and for how long.
    assert rate["limited_by"] == "generator"
    gap = max(later - at for at, later in pairwise(stamps))
    assert gap >= STOP_S
    if case == "a stop":
        assert rate["lateness_ms"]["max"] == pytest.approx(gap * 1000, rel=0.1)
        assert rate["late"] == pytest.approx(STOP_S * 200 * 2, rel=0.15)
    else:
        assert rate["never_started"] == pytest.approx(STOP_S * 200, rel=0.1)


def test_the_peer_counts_windows_rightly() -> None:
    assert most_in_a_window([0.0, 0.05, 0.099, 0.1, 0.3]) == 3
    assert most_in_a_window([]) == 0
