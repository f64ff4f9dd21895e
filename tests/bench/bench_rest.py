"""CPU of one REST operation on the tester's side, against nginx, beside `requests`.

nginx runs in a process of its own, so that this one's CPU is the tester's alone: rendering of the
arguments, encoding, the connection, parsing, JSON, two checks and the bookkeeping of a latency.
Sixteen greenlets send at once. It prints JSON: microseconds of CPU per request, best of rounds.

    python tests/bench/bench_rest.py
"""

# ruff: noqa: E402 - the daemon is monkey-patched, so this is too
from gevent import monkey

monkey.patch_all()

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import gevent
from support.nginx import running_nginx

from tsvc.clock import SYSTEM_CLOCK
from tsvc.expr.environment import Environment
from tsvc.gateways._base import GatewayContext, GatewayState
from tsvc.gateways.rest import RestConfig, RestGateway
from tsvc.operations._base import OperationSettings, Scope, type_of

ROUNDS, REQUESTS, GREENLETS = 5, 4_000, 16
TARGET_US = 150.0
LOCATIONS = """location / { return 200 '{"balance": 1450, "state": "active"}'; }"""
ARGUMENTS = {
    "path": "{'/balance/' . $v->{msisdn}}",
    "method": "POST",
    "content_type": "application/json",
    "content": {"msisdn": "{$v->{msisdn}}", "amount": 1},
}
TESTS = [
    {"kpath": "rest.code", "type": "integer", "value": 200},
    {"kpath": "rest.content_json.balance", "type": "integer", "value": 1450},
]


class _Instance:
    """What the operations need of a Test Instance, and no more."""

    keeps_messages = False
    is_checked = True
    clock = SYSTEM_CLOCK

    def __init__(self, gateway: RestGateway) -> None:
        self.context = SimpleNamespace(gateways={"rest": gateway})
        self.dialogues: list[Any] = []
        self.failed = 0
        self.env = Environment({"msisdn": "6421000001"}, {}, {}, {}, random=float, now=time.time)

    def entry(self, ok: bool, text: str, expected: Any, got: Any, **more: Any) -> None:
        self.failed += not ok

    def trace(self, level: int, text: str, detail: Any = None) -> None:
        pass

    def note_latency(self, name: str, seconds: float) -> None:
        pass


def compiled(*entries: dict[str, Any]) -> list[Callable[[Any], Any]]:
    scope = Scope({}, OperationSettings(), reads_inbound=False)
    steps = []
    for entry in entries:
        type_ = type_of(entry["type"])
        assert type_ is not None
        loaded = type_.load(entry, "operations[0]", scope)
        assert loaded is not None
        steps.append(type_.compile(loaded, "operations[0]", scope))
    assert not scope.problems, scope.problems
    return steps


def cpu_us(work: Callable[[], None]) -> float:
    """Return the microseconds of CPU of one call of `work`, many running at once."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        gevent.joinall(
            [
                gevent.spawn(lambda: [work() for _ in range(REQUESTS // GREENLETS)])
                for _ in range(GREENLETS)
            ],
            raise_error=True,
        )
        best = min(best, time.process_time() - begun)
    return round(best / REQUESTS * 1e6, 1)


def ours(gateway: RestGateway, *entries: dict[str, Any]) -> float:
    steps = compiled(*entries)

    def work() -> None:
        instance = _Instance(gateway)
        for step in steps:
            step(instance)
        assert not instance.failed

    return cpu_us(work)


def of_requests(uri: str) -> float | None:
    """Return the same of `requests`, None where it is not installed."""
    try:
        import requests
    except ImportError:
        return None
    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=GREENLETS))

    def work() -> None:
        answer = session.post(f"{uri}/balance/6421000001", json={"msisdn": "1", "amount": 1})
        assert answer.json()["balance"] == 1450

    return cpu_us(work)


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    with running_nginx(folder, LOCATIONS) as nginx:
        found: dict[str, Any] = {"target_us": TARGET_US}
        for name, uri, more in (
            ("plain", f"http://127.0.0.1:{nginx.http}", {}),
            ("tls", f"https://localhost:{nginx.tls}", {"ssl_ca_file": nginx.ca}),
        ):
            members = {"base_uri": uri, "num_client_connections": GREENLETS, **more}
            gateway = RestGateway(
                "R", RestConfig().load(members), GatewayContext(SYSTEM_CLOCK, lambda: 0.5)
            )
            gateway.start()
            while gateway.status().state is not GatewayState.UP:
                gevent.sleep(0.01)
            in_one = {"type": "rest.Request", "arguments": ARGUMENTS, "tests": TESTS}
            found[f"{name}_request_us"] = ours(gateway, in_one)
            found[f"{name}_send_and_expect_us"] = ours(
                gateway,
                {"type": "rest.SendRequest", "arguments": ARGUMENTS},
                {"type": "rest.ExpectResponse", "tests": TESTS},
            )
            gateway.stop(1.0)
        found["requests_us"] = of_requests(f"http://127.0.0.1:{nginx.http}")
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
