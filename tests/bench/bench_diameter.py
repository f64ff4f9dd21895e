"""CPU of one Credit-Control-Request and its answer on the tester's side, as an instance of a run.

The fake OCS runs in a separate process, so that the CPU of this process is only the tester's: a
Test Run of a service without an interface, 64 instances at once, each of them for another
subscriber and with a check of Result-Code. Rounds alternate between a normal run, the same run
with `track: 0`, and python-diameter, if it is installed, which sends such requests to the same
server (beside_diameter.py). It prints JSON: microseconds of CPU per call, all rounds.

    python tests/bench/bench_diameter.py [--calls N] [--rounds N]
"""

# ruff: noqa: E402 - the daemon is monkey-patched, so this is too
from gevent import monkey

monkey.patch_all()

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from measures import expect, spread
from support.daemons import Daemon

BACKLOG = 64
HOST = "tester.example.net"
SERVER = (
    "from gevent import monkey; monkey.patch_all()\n"
    "import gevent\n"
    "from tsvc.kinds.diameter.fake import OcsFake\n"
    "ocs = OcsFake('127.0.0.1', 0, default_balance=10**12)\n"
    "ocs.start(); print(ocs.address[1], flush=True); gevent.wait()\n"
)


def _avp(name: str, value: Any) -> dict[str, Any]:
    return {"name": name, "value": value}


ENTRY = {
    "type": "diameter.Request",
    "arguments": {
        "name": "Credit-Control-Request",
        "avps": [
            _avp("Session-Id_auto", 1),
            _avp("Service-Context-Id", "32251@3gpp.org"),
            _avp("CC-Request-Type", 1),
            _avp("CC-Request-Number", "{$v->{number}}"),
            _avp(
                "Subscription-Id",
                [
                    _avp("Subscription-Id-Type", 0),
                    _avp("Subscription-Id-Data", "{$v->{msisdn}}"),
                ],
            ),
            _avp("Multiple-Services-Indicator", 1),
            _avp(
                "Multiple-Services-Credit-Control",
                [_avp("Requested-Service-Unit", []), _avp("Rating-Group", 10)],
            ),
            _avp(
                "Service-Information",
                [
                    _avp(
                        "PS-Information",
                        [
                            _avp("3GPP-Charging-Id", "abcd"),
                            _avp("PDP-Address", "10.0.0.1"),
                            _avp("SGSN-Address", "10.0.0.2"),
                            _avp("3GPP-IMSI-MCC-MNC", "53001"),
                            _avp("Called-Station-Id", "internet"),
                        ],
                    )
                ],
            ),
        ],
        "answer": {"result_code": 2001},
    },
}


VARS = {"msisdn": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}, "number": 0}


@contextmanager
def server() -> Iterator[int]:
    """Run the fake OCS in a separate process; yield its port."""
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def both(port: int, calls: int, rounds: int) -> dict[str, Any]:
    """Return microseconds of CPU per call of runs and of python-diameter, in alternation."""
    others: list[dict[str, Any]] = []
    costs: dict[int, list[float]] = {1: [], 0: []}
    rates: dict[int, list[float]] = {1: [], 0: []}
    with tempfile.TemporaryDirectory() as folder:
        members = {"remote_host": "127.0.0.1", "remote_port": port, "origin_host": HOST}
        daemon = Daemon(Path(folder), {"DIA": ("diameter", members)})
        daemon.until_up()
        for number in range(rounds + 1):
            for track in costs:
                cost, rate = _run(daemon, calls, track)
                if number:  # the first round warms up
                    costs[track].append(cost)
                    rates[track].append(rate)
            if number:
                others.append(theirs(port, calls // 6))
        daemon.stop()
    found: dict[str, Any] = {
        name: {"cpu_us": spread(costs[track]), "per_s": spread(rates[track], 0)}
        for name, track in (("tsvc", 1), ("ordinary", 0))
    }
    absent = [one for one in others if "absent" in one]
    found["python_diameter"] = absent[0] if absent else _joined(others)
    return found


def _run(daemon: Daemon, calls: int, track: int) -> tuple[float, float]:
    """Return microseconds of CPU per call of a run, and calls a second."""
    load = {"type": "load", "total": calls, "backlog": BACKLOG}
    cpu, wall = time.process_time(), time.perf_counter()
    result = daemon.run(ENTRY, vars=VARS, track=track, distribution=load)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    expect(result["counts"]["passed"] == calls, result["counts"])
    return cpu / calls * 1e6, calls / wall


def _joined(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: spread(one[name]["median"] for one in rounds) for name in rounds[0]}


def theirs(port: int, calls: int) -> dict[str, Any]:
    """Return a round of python-diameter, or the reason why it is missing."""
    script = Path(__file__).with_name("beside_diameter.py")
    command = [sys.executable, str(script), str(port), "1", str(calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        return {"absent": done.stderr.strip().rpartition("\n")[2]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=12_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with server() as port:
        found = both(port, given.calls, given.rounds)
    print(json.dumps(found), file=sys.stderr)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
