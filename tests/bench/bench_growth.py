"""The cost of a call among many other calls, and in long runs compared with short runs.

    python tests/bench/bench_growth.py [--most-open N] [--most-noops N] [--most-calls N]

The call is that of calls.py, over the loopback, in a separate daemon; figures are microseconds
of CPU (user and system) of the daemon per call or instance:

beside  calls one after another, 20 at a time at most, while other calls are held open by a wait in
        the middle of their conversation: the cost of one call among N
burst   N calls started at once, all of them open for a while, then finished: no call is in the
        processor's caches any more when it continues; the CPU of the idle daemon is not counted
noops   runs of N no-op instances
calls   runs of N calls

A readable line goes to stderr, JSON to stdout.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from calls import CALL, FLOW
from measures import cpu_s, expect, spread
from support.daemons import DaemonProcess, configure, launch

NOOP = [{"type": "eval", "expression": "$v->{a} = 1"}]
ANSWERED = 4  # operations of the call before its conversation continues
PROBE = 4_000
AT_ONCE = 20
RUN_BACKLOG = 200
FEWEST = 20_000  # small runs are repeated until they have as many instances
GUARD_S = 600

Points = dict[int, dict[str, Any]]


def held(seconds: float) -> list[dict[str, Any]]:
    """Return the call with a conversation of that length."""
    wait = {"type": "wait", "arguments": {"seconds": seconds}}
    return [*CALL[:ANSWERED], wait, *CALL[ANSWERED:]]


def begin(daemon: DaemonProcess, run_id: str, operations: Any, total: int, backlog: int) -> None:
    distribution = {"type": "load", "total": total, "backlog": backlog}
    run = {"run_id": run_id, "operations": operations, "distribution": distribution}
    begun = daemon.result("ExecuteTest", {**run, "ssp_ac": "camel2"})
    expect(begun == "ok", begun)


def finish(daemon: DaemonProcess, run_id: str, total: int) -> None:
    deadline = time.monotonic() + GUARD_S
    while True:
        result = daemon.result("QueryTest", {"run_id": run_id, "wait_s": 30})
        if result["completed"]:
            break
        expect(time.monotonic() < deadline, result["counts"])
    expect(result["counts"]["passed"] == total, result["counts"])


def play(daemon: DaemonProcess, operations: Any, total: int, backlog: int) -> float:
    """Run to the end; return CPU microseconds for each instance."""
    before = cpu_s(daemon.process.pid)
    begin(daemon, "run", operations, total, backlog)
    finish(daemon, "run", total)
    return (cpu_s(daemon.process.pid) - before) / total * 1e6


def settle(daemon: DaemonProcess) -> None:
    """Return when the daemon is almost idle, so that all waiting instances wait."""
    deadline = time.monotonic() + GUARD_S
    while time.monotonic() < deadline:
        before = cpu_s(daemon.process.pid)
        time.sleep(0.5)
        if cpu_s(daemon.process.pid) - before < 0.05:
            return
    raise AssertionError("never quiet")


def beside(daemon: DaemonProcess, sizes: list[int], rounds: int) -> Points:
    """Return the cost of a call among so many open calls."""
    points: Points = {}
    for size in sizes:
        others = size - min(size, AT_ONCE)
        if others:
            begin(daemon, "others", held(600), others, others)
            settle(daemon)
            counts = daemon.result("QueryTest", {"run_id": "others"})["counts"]
            expect(counts["in_progress"] == others, counts)
        costs = [play(daemon, CALL, PROBE, min(size, AT_ONCE)) for _ in range(rounds)]
        points[size] = spread(costs, 1)
        if others:
            daemon.result("CancelTest", {"run_id": "others"})
            settle(daemon)
    return points


def idle_share(daemon: DaemonProcess, seconds: float = 4.0) -> float:
    """Return the share of a processor that the idle daemon uses. Blocks."""
    before = cpu_s(daemon.process.pid)
    time.sleep(seconds)
    return (cpu_s(daemon.process.pid) - before) / seconds


def burst(daemon: DaemonProcess, sizes: list[int]) -> Points:
    """Return the cost of a call when so many calls are opened, kept open, and finished."""
    idle = idle_share(daemon)
    points: Points = {}
    for size in sizes:
        # Long enough to start all calls, even on a machine a third as fast.
        seconds = max(size * 0.001, 0.2)
        costs = []
        for _ in range(min(max(1, FEWEST // size), 5)):
            cost = play(daemon, held(seconds), size, size)
            costs.append(cost - idle * seconds / size * 1e6)
        points[size] = spread(costs, 1)
    return points


def lengths(daemon: DaemonProcess, operations: Any, sizes: list[int]) -> Points:
    """Return the cost of an instance in runs of these lengths."""
    points: Points = {}
    for size in sizes:
        times = min(max(1, FEWEST // size), 7)
        costs = [play(daemon, operations, size, RUN_BACKLOG) for _ in range(times)]
        points[size] = spread(costs, 1)
    return points


def sizes_to(most: int, *sizes: int) -> list[int]:
    return [size for size in sizes if size <= most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most-open", type=int, default=50_000)
    parser.add_argument("--most-noops", type=int, default=1_000_000)
    parser.add_argument("--most-calls", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    opens = sizes_to(given.most_open, 1, 10, 100, 1_000, 10_000, 50_000)
    runs = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
    found: dict[str, Points] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        flow = folder / "flow.json"
        flow.write_text(json.dumps(FLOW))
        text = f'[scp]\nflows = ["{flow}"]\n[application.LOOP]\nmodule = "sigtran"\n'
        daemon = launch(folder, configure(folder, text))
        try:
            play(daemon, CALL, PROBE, RUN_BACKLOG)
            found["beside"] = beside(daemon, opens, given.rounds)
            found["noops"] = lengths(daemon, NOOP, sizes_to(given.most_noops, *runs))
            found["calls"] = lengths(daemon, CALL, sizes_to(given.most_calls, *runs))
            found["burst"] = burst(daemon, [one for one in opens if one >= AT_ONCE])
        finally:
            daemon.kill()
    for series, points in found.items():
        line = ", ".join(f"{size}: {point['median']}" for size, point in points.items())
        print(f"{series:>7}: {line} us", file=sys.stderr)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
