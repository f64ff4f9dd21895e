"""CPU of one Credit-Control-Request and its answer on the tester's side, as an operation.

The fake OCS runs in a process of its own, so that this one's CPU is the tester's alone: rendering,
encoding, the writer, the reader, decoding, a check of Result-Code, and the bookkeeping of a
latency. 64 greenlets send at once. It prints JSON: microseconds of CPU per call, best of rounds.

    python tests/bench/bench_diameter.py
"""

# ruff: noqa: E402 - the daemon is monkey-patched, so this is too
from gevent import monkey

monkey.patch_all()

import json
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any

import gevent

from tsvc.clock import SYSTEM_CLOCK
from tsvc.expr.environment import Environment
from tsvc.gateways._base import GatewayContext, GatewayState
from tsvc.gateways.diameter import DiameterConfig, DiameterGateway
from tsvc.operations._base import OperationSettings, Scope
from tsvc.operations._diameter_request import DiameterRequest

ROUNDS, CALLS, GREENLETS = 5, 6_000, 64
TARGET_US = 60.0
SERVER = (
    "from gevent import monkey; monkey.patch_all()\n"
    "import gevent\n"
    "from tsvc.fakes.ocs import OcsFake\n"
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
        self.context = SimpleNamespace(gateways={"diameter": gateway})
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


def measure() -> dict[str, Any]:
    """Return the JSON of one run."""
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        config = DiameterConfig().load({"remote_port": port})
        gateway = DiameterGateway("DIA", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
        gateway.start()
        while gateway.status().state is not GatewayState.UP:
            gevent.sleep(0.01)
        scope = Scope({}, OperationSettings())
        type_ = DiameterRequest()
        entry = type_.load(ENTRY, "operations[0]", scope)
        assert entry is not None
        execute = type_.compile(entry, "operations[0]", scope)
        assert not scope.problems, scope.problems

        def work() -> None:
            for _ in range(CALLS // GREENLETS):
                instance = _Instance(gateway)
                execute(instance)  # type: ignore[arg-type] - a stand-in
                assert not instance.failed

        rounds = []
        for _ in range(ROUNDS):
            cpu, wall = time.process_time(), time.perf_counter()
            gevent.joinall([gevent.spawn(work) for _ in range(GREENLETS)], raise_error=True)
            done = CALLS // GREENLETS * GREENLETS
            rounds.append(
                (
                    (time.process_time() - cpu) / done * 1e6,
                    done / (time.perf_counter() - wall),
                )
            )
        gateway.kill()
    finally:
        server.kill()
        server.wait()
    cpu_us = sorted(cpu for cpu, _ in rounds)
    return {
        "cpu_us_per_call": round(cpu_us[0], 1),
        "cpu_us_median": round(cpu_us[len(cpu_us) // 2], 1),
        "calls_per_s": round(max(rate for _, rate in rounds)),
        "target_us": TARGET_US,
        "is_met": cpu_us[0] <= TARGET_US,
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
