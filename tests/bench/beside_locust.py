"""The cost of the same work in Locust, used as a library, in a separate process.

    python tests/bench/beside_locust.py noop SECONDS ROUNDS
    python tests/bench/beside_locust.py rest SECONDS ROUNDS URI

noop  iterations of 100 users whose task does nothing but report a request to Locust's statistics
rest  POSTs of 16 FastHttpUsers, the answer's JSON read; Locust's statistics are on

It prints JSON: microseconds of CPU (user and system) of this process for each, per round. Users
are created before the clock starts; Locust has no instances; an iteration is most similar to one.
"""

import sys

import locust.stats  # it patches, so it comes before all other imports
from locust import FastHttpUser, User, constant, task
from locust.env import Environment

# isort: split
import json
import time

import gevent
from measures import expect, spread

locust.stats.CONSOLE_STATS_INTERVAL_SEC = 10**6


class Nothing(User):
    """A user whose iteration is only bookkeeping."""

    wait_time = constant(0)

    @task
    def nothing(self) -> None:
        self.environment.events.request.fire(
            request_type="noop",
            name="noop",
            response_time=0.0,
            response_length=0,
            response=None,
            context={},
            exception=None,
        )


class Caller(FastHttpUser):
    """A user that asks for a balance."""

    wait_time = constant(0)

    @task
    def ask(self) -> None:
        with self.client.post(
            "/balance/6421000001", json={"msisdn": "1", "amount": 1}, catch_response=True
        ) as answer:
            if answer.status_code != 200 or answer.json()["balance"] != 1450:
                answer.failure("wrong")


def measure(user: type[User], users: int, seconds: float, rounds: int) -> dict[str, object]:
    """Return microseconds of CPU per iteration and iterations a second."""
    environment = Environment(user_classes=[user])
    runner = environment.create_local_runner()
    runner.start(users, spawn_rate=users)
    deadline = time.monotonic() + 60
    while runner.user_count < users:
        expect(time.monotonic() < deadline, "users that do not come")
        gevent.sleep(0.1)
    gevent.sleep(0.5)
    total = environment.stats.total
    costs, rates = [], []
    for _ in range(rounds):
        done, cpu, wall = total.num_requests, time.process_time(), time.perf_counter()
        gevent.sleep(seconds)
        count = total.num_requests - done
        costs.append((time.process_time() - cpu) / count * 1e6)
        rates.append(count / (time.perf_counter() - wall))
    expect(total.num_failures == 0, f"{total.num_failures} failures")
    runner.quit()
    return {"cpu_us": spread(costs), "per_s": spread(rates, 0)}


def main() -> None:
    what, seconds, rounds, *more = sys.argv[1:]
    if what == "rest":
        Caller.host = more[0]
    users = {"noop": (Nothing, 100), "rest": (Caller, 16)}
    print(json.dumps(measure(*users[what], float(seconds), int(rounds))))


if __name__ == "__main__":
    main()
