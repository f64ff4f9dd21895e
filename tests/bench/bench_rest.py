"""CPU of one REST operation on the tester's side, against nginx, beside requests and Locust.

nginx runs in a process of its own, so that this one's CPU is the tester's alone: rendering of the
arguments, encoding, the connection, parsing, JSON, two checks and the bookkeeping of a latency.
Sixteen greenlets send at once; `requests` the same way in this process, Locust's FastHttpUser in
one of its own (beside_locust.py). It prints JSON: microseconds of CPU per request, all rounds.

    python tests/bench/bench_rest.py [--requests N] [--rounds N]
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import gevent
from measures import expect, spread
from support.nginx import running_nginx

from tsvc.clock import SYSTEM_CLOCK
from tsvc.config.tables import Config
from tsvc.expr.environment import Environment
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.rest.config import RestConfig
from tsvc.kinds.rest.gateway import RestGateway
from tsvc.operations.operation import RunContext, Scope, type_of

GREENLETS = 16
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
        self.context = RunContext({}, {"rest": gateway})
        self.dialogues: list[Any] = []
        self.failed = 0
        self.env = Environment({"msisdn": "6421000001"}, {}, {}, {}, random=float, now=time.time)

    def entry(self, ok: bool, text: str, expected: Any, got: Any, **more: Any) -> None:
        self.failed += not ok

    def trace(self, level: int, text: str, detail: Any = None) -> None:
        pass

    def note_latency(self, name: str, seconds: float) -> None:
        pass


IN_TWO = (
    {"type": "rest.SendRequest", "arguments": ARGUMENTS},
    {"type": "rest.ExpectResponse", "tests": TESTS},
)


def compiled(*entries: dict[str, Any]) -> list[Callable[[Any], Any]]:
    scope = Scope({}, Config(), reads_inbound=False)
    steps = []
    for entry in entries:
        type_ = type_of(entry["type"])
        assert type_ is not None
        loaded = type_.load(entry, "operations[0]", scope)
        assert loaded is not None
        steps.append(type_.compile(loaded, "operations[0]", scope))
    assert not scope.problems, scope.problems
    return steps


def cpu_us(work: Callable[[], None], size: tuple[int, int]) -> dict[str, float]:
    """Return the microseconds of CPU of one call of `work`, many running at once."""
    count, rounds = size
    each = count // GREENLETS
    costs = []
    for _ in range(rounds):
        begun = time.process_time()
        gevent.joinall(
            [gevent.spawn(lambda: [work() for _ in range(each)]) for _ in range(GREENLETS)],
            raise_error=True,
        )
        costs.append((time.process_time() - begun) / (each * GREENLETS) * 1e6)
    return spread(costs)


def ours(
    gateway: RestGateway, size: tuple[int, int], *entries: dict[str, Any]
) -> dict[str, float]:
    steps = compiled(*entries)

    def work() -> None:
        instance = _Instance(gateway)
        for step in steps:
            step(instance)
        expect(not instance.failed, "an answer that fails")

    return cpu_us(work, size)


def of_requests(uri: str, size: tuple[int, int]) -> dict[str, Any]:
    """Return the same of `requests`, or why there is nothing."""
    try:
        import requests
    except ImportError as error:
        return {"absent": str(error)}
    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=GREENLETS))

    def work() -> None:
        answer = session.post(f"{uri}/balance/6421000001", json={"msisdn": "1", "amount": 1})
        balance = answer.json()["balance"]
        expect(balance == 1450, balance)

    return cpu_us(work, size)


def of_locust(uri: str, rounds: int) -> dict[str, Any]:
    """Return the same of FastHttpUser, or why there is nothing."""
    script = Path(__file__).with_name("beside_locust.py")
    command = [sys.executable, str(script), "rest", "1", str(rounds), uri]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        return {"absent": done.stderr.strip().rpartition("\n")[2]}
    found: dict[str, Any] = json.loads(done.stdout)["cpu_us"]
    return found


def gateway_to(uri: str, **more: Any) -> RestGateway:
    """Return a gateway that is up."""
    members = {"base_uri": uri, "num_client_connections": GREENLETS, **more}
    config = RestConfig.load(members)
    gateway = RestGateway("R", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
    gateway.start()
    while gateway.status().state is not GatewayState.UP:
        gevent.sleep(0.01)
    return gateway


def beside_locust(gateway: RestGateway, uri: str, size: tuple[int, int]) -> dict[str, Any]:
    """Return ours and FastHttpUser's, rounds in turns."""
    count, rounds = size
    found: dict[str, list[dict[str, Any]]] = {"plain_send_and_expect_us": [], "locust_us": []}
    for _ in range(rounds):
        found["plain_send_and_expect_us"].append(ours(gateway, (count, 1), *IN_TWO))
        found["locust_us"].append(of_locust(uri, 1))
    if absent := [one for one in found["locust_us"] if "absent" in one]:
        found["locust_us"] = []
    told: dict[str, Any] = {
        name: spread(one["median"] for one in each) for name, each in found.items() if each
    }
    return {"locust_us": absent[0], **told} if absent else told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=4_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    size = (given.requests, given.rounds)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_nginx(Path(folder), LOCATIONS) as nginx,
    ):
        found: dict[str, Any] = {}
        plain = f"http://127.0.0.1:{nginx.http}"
        for name, uri, more in (
            ("plain", plain, {}),
            ("tls", f"https://localhost:{nginx.tls}", {"ssl_ca_file": nginx.ca}),
        ):
            gateway = gateway_to(uri, **more)
            in_one = {"type": "rest.Request", "arguments": ARGUMENTS, "tests": TESTS}
            found[f"{name}_request_us"] = ours(gateway, size, in_one)
            if name == "plain":
                found |= beside_locust(gateway, plain, size)
            else:
                found[f"{name}_send_and_expect_us"] = ours(gateway, size, *IN_TWO)
            gateway.stop(1.0)
        found["requests_us"] = of_requests(plain, (given.requests // 4, given.rounds))
        print(json.dumps(found), file=sys.stderr)
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
