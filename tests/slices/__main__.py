"""python -m tests.slices (make slices): looks for work that blocks the event loop.

It runs large requests of every method, and every function and operator on the largest values. Then
it mutates the requests with the longest slices for the rest of the time. Exit 1 if a slice is over
20 ms, on a machine as fast as that of the bound (see meter.py).
"""

import argparse
import gc
import logging
import resource
import sys
import tempfile
from pathlib import Path
from random import Random
from time import monotonic

from slices import expressions, members
from slices.meter import BOUND_MS, scale
from slices.search import Bench, Found, bench, search

_MOST_OCTETS = 8 << 30  # of address space: a request that needs more gets an error with its place


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.slices")
    parser.add_argument("--seconds", type=float, default=300.0, help="of searching")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worst", type=int, default=10, help="shown at the end")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_OCTETS, _MOST_OCTETS))
    print(f"the bound here: {BOUND_MS * scale():.1f} ms", flush=True)
    with tempfile.TemporaryDirectory(prefix="tsvc-slices-") as folder, bench(Path(folder)) as made:
        found = search(made, options.seconds, options.seed, _tell)
        found += _members(made, options.seconds / 3, Random(options.seed))
        found += _expressions()
    found.sort(key=lambda one: -one.slice.ms)
    bound_ms = BOUND_MS * scale()
    for one in found[: options.worst]:
        print(f"\n{one.name}: {one.slice}")
    return int(bool(found) and found[0].slice.ms > bound_ms)


def _tell(one: Found) -> None:
    print(f"{one.slice.ms:8.1f} ms  {one.name}", flush=True)


def _members(made: Bench, seconds: float, random: Random) -> list[Found]:
    """Return the longest slices of randomly chosen members of operations, for so many seconds."""
    operations = made.daemon.call("DescribeOperations")["operations"]
    known = [*members.validated(operations), *members.executed(operations)]
    random.shuffle(known)
    ends_at = monotonic() + seconds
    found: list[Found] = []
    for name, make in known:
        if monotonic() > ends_at:
            break
        one = made.play(name, make())
        if one.slice.ms > BOUND_MS:
            found.append(made.again(one))
            _tell(found[-1])
    return found


def _expressions() -> list[Found]:
    """Return the evaluations that took longest."""
    found: list[Found] = []
    for name, play in expressions.every():
        slices = [play()]
        if slices[0] is not None and slices[0].ms > BOUND_MS:
            gc.collect()
            slices += [play(), play(), play()]
        shortest = min(
            (one for one in slices if one is not None), key=lambda s: s.ms, default=None
        )
        if shortest is not None and shortest.ms > BOUND_MS / 2:
            found.append(Found(name, ("", {}), shortest))
    return found


sys.exit(main())
