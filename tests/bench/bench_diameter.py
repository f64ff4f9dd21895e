"""CPU of one Credit-Control-Request and its answer on the tester's side, as an operation.

The fake OCS runs in a process of its own, so that this one's CPU is the tester's alone: rendering,
encoding, the writer, the reader, decoding, a check of Result-Code, and the bookkeeping of a
latency. 64 greenlets send at once. In turns with it python-diameter sends the same to the same
server, where it is installed (beside_diameter.py). It prints JSON: microseconds of CPU per call,
all rounds.

    python tests/bench/bench_diameter.py [--calls N] [--rounds N]
"""

# ruff: noqa: E402 - the daemon is monkey-patched, so this is too
from gevent import monkey

monkey.patch_all()

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gevent
from measures import expect, spread

from tsvc.clock import SYSTEM_CLOCK
from tsvc.config.tables import Config
from tsvc.expr.environment import Environment
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.diameter.gateway import DiameterConfig, DiameterGateway
from tsvc.kinds.diameter.operations import DiameterRequest
from tsvc.operations.operation import RunContext, Scope

GREENLETS = 64
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


class _Instance:
    """What the operation needs of a Test Instance, and no more."""

    keeps_messages = False
    is_checked = True
    clock = SYSTEM_CLOCK

    def __init__(self, gateway: DiameterGateway) -> None:
        self.context = RunContext({}, {"diameter": gateway})
        self.dialogues: list[Any] = []
        self.failed = 0
        self.env = Environment(
            {"msisdn": "6421000001", "number": 0}, {}, {}, {}, random=float, now=time.time
        )

    def entry(self, ok: bool, text: str, expected: Any, got: Any, **more: Any) -> None:
        self.failed += not ok

    def trace(self, level: int, text: str, detail: Any = None) -> None:
        pass

    def note_latency(self, name: str, seconds: float) -> None:
        pass


@contextmanager
def server() -> Iterator[int]:
    """Run the fake OCS in a process of its own; yield its port."""
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def both(port: int, calls: int, rounds: int) -> dict[str, Any]:
    """Return microseconds of CPU per call of diameter.Request and of python-diameter, in turns."""
    config = DiameterConfig.load({"remote_port": port})
    gateway = DiameterGateway("DIA", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
    gateway.start()
    while gateway.status().state is not GatewayState.UP:
        gevent.sleep(0.01)
    scope = Scope({}, Config())
    type_ = DiameterRequest()
    entry = type_.load(ENTRY, "operations[0]", scope)
    assert entry is not None
    execute = type_.compile(entry, "operations[0]", scope)
    assert not scope.problems, scope.problems

    def work() -> None:
        for _ in range(calls // GREENLETS):
            instance = _Instance(gateway)
            execute(instance)  # type: ignore[arg-type] - a stand-in
            expect(not instance.failed, "an answer that fails")

    costs, rates, others = [], [], []
    for number in range(rounds + 1):
        cpu, wall = time.process_time(), time.perf_counter()
        gevent.joinall([gevent.spawn(work) for _ in range(GREENLETS)], raise_error=True)
        done = calls // GREENLETS * GREENLETS
        if number:  # the first one warms up
            costs.append((time.process_time() - cpu) / done * 1e6)
            rates.append(done / (time.perf_counter() - wall))
            others.append(theirs(port, calls // 6))
    gateway.kill()
    found: dict[str, Any] = {"tsvc": {"cpu_us": spread(costs), "per_s": spread(rates, 0)}}
    absent = [one for one in others if "absent" in one]
    found["python_diameter"] = absent[0] if absent else _joined(others)
    return found


def _joined(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: spread(one[name]["median"] for one in rounds) for name in rounds[0]}


def theirs(port: int, calls: int) -> dict[str, Any]:
    """Return a round of python-diameter, or why there is nothing."""
    script = Path(__file__).with_name("beside_diameter.py")
    command = [sys.executable, str(script), str(port), "1", str(calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        return {"absent": done.stderr.strip().rpartition("\n")[2]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=6_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with server() as port:
        found = both(port, given.calls, given.rounds)
    print(json.dumps(found), file=sys.stderr)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
