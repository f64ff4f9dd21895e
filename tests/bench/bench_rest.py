"""CPU of one REST request on the tester's side, against nginx, beside requests and Locust.

nginx runs in a separate process, so that the CPU of this process is only the tester's: a Test Run
of a service without an interface. Sixteen instances at once use sixteen connections, each of them
for another subscriber, with two checks of the answer. Rounds alternate between a normal run, the
same run with `track: 0`, and Locust's FastHttpUser in a separate process (beside_locust.py);
`requests` sends the same requests in this process from sixteen greenlets. It prints JSON:
microseconds of CPU per request, all rounds.

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
from support.daemons import Daemon
from support.nginx import running_nginx

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


VARS = {"msisdn": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}}
IN_ONE = ({"type": "rest.Request", "arguments": ARGUMENTS, "tests": TESTS},)
IN_TWO = (
    {"type": "rest.SendRequest", "arguments": ARGUMENTS},
    {"type": "rest.ExpectResponse", "tests": TESTS},
)


def cpu_us(work: Callable[[], None], size: tuple[int, int]) -> dict[str, float]:
    """Return the microseconds of CPU of one call of `work`, with many calls at once."""
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


def ours(daemon: Daemon, count: int, *entries: dict[str, Any], **params: Any) -> float:
    """Return the microseconds of CPU of one instance of a run."""
    load = {"type": "load", "total": count, "backlog": GREENLETS}
    begun = time.process_time()
    result = daemon.run(*entries, vars=VARS, distribution=load, **params)
    cpu = time.process_time() - begun
    expect(result["counts"]["passed"] == count, result["counts"])
    return cpu / count * 1e6


def of_requests(uri: str, size: tuple[int, int]) -> dict[str, Any]:
    """Return the same for `requests`, or the reason why it is missing."""
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
    """Return the same for FastHttpUser, or the reason why it is missing."""
    script = Path(__file__).with_name("beside_locust.py")
    command = [sys.executable, str(script), "rest", "1", str(rounds), uri]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        return {"absent": done.stderr.strip().rpartition("\n")[2]}
    found: dict[str, Any] = json.loads(done.stdout)["cpu_us"]
    return found


def beside_locust(daemon: Daemon, uri: str, count: int, rounds: int) -> dict[str, Any]:
    """Return our figures, also with `track: 0` and over TLS, and FastHttpUser's, alternating."""
    ways: dict[str, tuple[tuple[dict[str, Any], ...], dict[str, Any]]] = {
        "plain_request_us": (IN_ONE, {}),
        "plain_send_and_expect_us": (IN_TWO, {}),
        "plain_request_ordinary_us": (IN_ONE, {"track": 0}),
        "plain_send_and_expect_ordinary_us": (IN_TWO, {"track": 0}),
        "tls_send_and_expect_us": (IN_TWO, {"rest": "TLS"}),
        "tls_send_and_expect_ordinary_us": (IN_TWO, {"rest": "TLS", "track": 0}),
    }
    costs: dict[str, list[float]] = {name: [] for name in ways}
    theirs: list[dict[str, Any]] = []
    for number in range(rounds + 1):
        for name, (entries, params) in ways.items():
            cost = ours(daemon, count, *entries, **{"rest": "PLAIN", **params})
            if number:  # the first round warms up
                costs[name].append(cost)
        if number:
            theirs.append(of_locust(uri, 1))
    absent = [one for one in theirs if "absent" in one]
    locust = absent[0] if absent else spread(one["median"] for one in theirs)
    return {**{name: spread(each) for name, each in costs.items()}, "locust_us": locust}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=4_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as state,
        running_nginx(Path(folder), LOCATIONS) as nginx,
    ):
        uri = f"http://127.0.0.1:{nginx.http}"
        size = {"num_client_connections": GREENLETS}
        over_tls = {"base_uri": f"https://localhost:{nginx.tls}", "ssl_ca_file": nginx.ca}
        daemon = Daemon(
            Path(state),
            {"PLAIN": ("rest", {"base_uri": uri, **size}), "TLS": ("rest", {**over_tls, **size})},
        )
        daemon.until_up()
        found = beside_locust(daemon, uri, given.requests, given.rounds)
        daemon.stop()
        found["requests_us"] = of_requests(uri, (given.requests // 4, given.rounds))
        print(json.dumps(found), file=sys.stderr)
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
