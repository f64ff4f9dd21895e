"""The cost of expressions, and the effect of hostile expressions on another run.

    python tests/bench/bench_expressions.py [--seconds N]

It prints JSON: microseconds per evaluation (median of several rounds, with the spread), and the
rate and lateness of a load on a separate daemon. The load runs alone, and then at the same time as
hostile definitions, which run one after another.
"""

import argparse
import gc
import json
import os
import platform
import statistics
import subprocess
import threading
import time
from typing import Any

from tsvc.cli.embedded import PrivateDaemon
from tsvc.client import Client
from tsvc.expr import compile_template
from tsvc.expr.environment import Environment

ROUNDS = 9
TYPICAL_LIMIT_US = 2.0
EXPRESSIONS = {
    "typical": "{'1800' . $v->{suffix}}",
    "counter": "{$v->{n} += 1}",
    "choice": "{$v->{n} > 3 ? 'a' : 'b'}",
    "substr": "{substr($v->{caller}, 2, 3)}",
    "pattern": "{$v->{caller} =~ /^64(\\d+)$/ ? $1 : ''}",
    "sprintf": "{sprintf('%08d', $v->{n})}",
    "constant": "1800432900",
}
HOSTILE = {
    "endless loop": [{"type": "branch", "label": "a", "expression": "1", "on_true": "a"}],
    "growing text": [
        {"type": "eval", "expression": "$v->{x} = 'x' x 1000"},
        {"type": "eval", "label": "a", "expression": "$v->{x} .= $v->{x}"},
        {"type": "branch", "expression": "1", "on_true": "a"},
    ],
    "pattern": [
        {"type": "eval", "label": "a", "expression": "('a' x 3000000) =~ /^(a+)+$/ ? 1 : 0"},
        {"type": "branch", "expression": "($v->{n} += 1) < 20", "on_true": "a"},
    ],
    "lists": [
        {"type": "eval", "expression": "join ',', map { join ',', (1) x 100000 } (1) x 100000"}
    ],
}


def spread(values: list[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(values), 3),
        "min": round(min(values), 3),
        "max": round(max(values), 3),
    }


def cost(text: str, count: int = 20000) -> dict[str, float]:
    """Return microseconds per evaluation of a string of a definition."""
    template = compile_template(text, "bench", problems := [])
    assert not problems
    vars_: dict[str, Any] = {"suffix": "432900", "caller": "6421000001", "n": 1}
    env = Environment(vars_, {}, {}, {}, random=lambda: 0.5, now=lambda: 0.0)
    render = template.render
    found: list[float] = []
    gc.disable()
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for _ in range(count):
            render(env)
        found.append((time.perf_counter() - began) / count * 1e6)
    gc.enable()
    return spread(found)


def load(client: Client, seconds: int) -> dict[str, Any]:
    """Run a load of 200 instances a second and return the figures of its rate."""
    definition = {
        "operations": [{"type": "eval", "expression": "$g->{n} += 1"}],
        "distribution": {
            "type": "linear",
            "total": 200 * seconds,
            "backlog": 200,
            "cps": 200,
        },
    }
    raw = client.execute(definition, wait=True).raw
    rate = raw["rate"]
    kept = ("achieved_cps", "late", "never_started", "lateness_ms", "limited_by")
    return {
        "planned": raw["counts"]["planned"],
        "passed": raw["counts"]["passed"],
        **{name: rate[name] for name in kept if name in rate},
    }


def neighbour(seconds: int) -> dict[str, Any]:
    with PrivateDaemon() as daemon:
        client = daemon.client()
        alone = load(client, seconds)
        ended: dict[str, int] = dict.fromkeys(HOSTILE, 0)
        is_over = threading.Event()

        def disturb() -> None:
            while not is_over.is_set():
                for name, operations in HOSTILE.items():
                    client.execute({"operations": operations}, wait=True)
                    ended[name] += 1

        thread = threading.Thread(target=disturb)
        thread.start()
        try:
            beside = load(client, seconds)
        finally:
            is_over.set()
            thread.join()
    return {"alone": alone, "beside_hostile_runs": beside, "hostile_runs": ended}


def commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="length of each load")
    seconds = parser.parse_args().seconds
    costs = {name: {"text": text, "us": cost(text)} for name, text in EXPRESSIONS.items()}
    result = {
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "commit": commit(),
        "rounds": ROUNDS,
        "costs": costs,
        "is_typical_below_limit": costs["typical"]["us"]["median"] < TYPICAL_LIMIT_US,
        "neighbour": neighbour(seconds),
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
