"""How long a good client waits beside the worst requests: `cd tests; python -m slices.beside`.

A separate process sends the requests with the longest slices to a daemon, one after the other
without a pause; a client sends QueryTest on a new connection each time. Needs a quiet machine.
"""

import argparse
import json
import multiprocessing
import struct
import sys
import tempfile
import time
from pathlib import Path

from support.daemons import DaemonProcess, configure, launch, read_response

from slices.requests import body, candidates

TARGET_MS = 40.0  # p99
WORST = (
    "ValidateTest, wrong generators",
    "ValidateTest, generators",
    "ValidateTest, wrong expressions",
    "ValidateTest, expressions that read what is not there",
    "ValidateTest, 20,000 expressions",
)
HALT = {"run_id": "held", "operations": [{"type": "halt", "arguments": {"seconds": 600}}]}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m slices.beside")
    parser.add_argument("--asked", type=int, default=1000, help="QueryTests beside each request")
    asked = parser.parse_args().asked
    bodies = {name: body(*candidate) for name, candidate in candidates() if name in WORST}
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="tsvc-beside-") as folder:
        daemon = launch(Path(folder), configure(Path(folder)))
        try:
            daemon.result("ExecuteTest", HALT)
            found["nothing"] = measured(daemon, asked)
            for name, octets in bodies.items():
                found[name] = beside(daemon, octets, asked)
        finally:
            daemon.kill()
    for name, one in found.items():
        print(f"{name}: " + ", ".join(f"{key} {value:.1f}" for key, value in one.items()))
    return int(any(one["p99_ms"] > TARGET_MS for one in found.values()))


def beside(daemon: DaemonProcess, octets: bytes, asked: int) -> dict[str, float]:
    """Measure while another process sends a request again and again."""
    sender = multiprocessing.get_context("spawn").Process(
        target=send_on, args=(daemon.port, octets), daemon=True
    )
    sender.start()
    time.sleep(2)  # the sender has to import its modules
    try:
        return measured(daemon, asked)
    finally:
        sender.kill()
        sender.join()


def send_on(port: int, octets: bytes) -> None:
    daemon = DaemonProcess(None, port, Path())  # type: ignore[arg-type]  # it only asks
    while True:
        with daemon.connect() as sock:
            sock.sendall(struct.pack("!I", len(octets)) + octets)
            read_response(sock)


def measured(daemon: DaemonProcess, asked: int) -> dict[str, float]:
    request = {"jsonrpc": "2.0", "method": "QueryTest", "params": {"run_id": "held"}, "id": 1}
    octets = json.dumps(request).encode()
    times = []
    for _ in range(asked):
        began = time.perf_counter()
        daemon.request(octets)
        times.append(1000 * (time.perf_counter() - began))
        time.sleep(0.005)
    times.sort()
    return {
        "p50_ms": times[asked // 2],
        "p99_ms": times[int(asked * 0.99) - 1],
        "max_ms": times[-1],
    }


if __name__ == "__main__":
    sys.exit(main())
