"""What a Test Instance costs: time beside an empty gevent Pool, memory, and a million of them.

    python tests/bench/bench_instances.py [--instances N] [--waiting N] [--million N]

Each part runs in a process of its own. A line for people goes to stderr, JSON to stdout:

noop     microseconds of wall time per instance of one `eval`, pool and bookkeeping included,
         beside those of a greenlet that does nothing in the same kind of Pool; best of rounds
waiting  KiB of resident memory per instance in `wait`, all in progress at once
million  MiB of resident memory after 10,000 instances and after all, octets of the result
"""

import argparse
import gc
import json
import multiprocessing
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import gevent
from gevent.pool import Pool
from support.in_process import InProcess

BACKLOG = 1000
ROUNDS = 5
NOOP = [{"type": "eval", "expression": "$v->{a} = 1"}]
WAIT = [{"type": "wait", "arguments": {"seconds": 600}}]


def resident_kib() -> float:
    """Return the resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


def load(total: int, backlog: int) -> dict[str, Any]:
    return {"type": "load", "total": total, "backlog": backlog}


def nothing() -> None:
    return


def pool_of_nothing(count: int) -> float:
    """Return the seconds that a Pool takes for greenlets that do nothing."""
    pool = Pool(BACKLOG)
    begun = time.perf_counter()
    for _ in range(count):
        pool.spawn(nothing)
    pool.join()
    return time.perf_counter() - begun


def noop(count: int, folder: Path) -> dict[str, Any]:
    service = InProcess(folder)
    ours, pools = [], []
    for _ in range(ROUNDS):
        gc.collect()
        pools.append(pool_of_nothing(count) / count * 1e6)
        gc.collect()
        result = service.run(NOOP, distribution=load(count, BACKLOG))
        assert result["counts"]["passed"] == count
        ours.append(result["duration"] / count * 1e6)
    service.stop()
    return {
        "instances": count,
        "us": round(min(ours), 2),
        "us_worst_round": round(max(ours), 2),
        "empty_pool_us": round(min(pools), 2),
        "ratio": round(min(ours) / min(pools), 1),
    }


def waiting(count: int, folder: Path) -> dict[str, Any]:
    service = InProcess(folder, max_backlog=count)
    service.run(NOOP, distribution=load(1000, 100))
    gc.collect()
    before = resident_kib()
    run_id = service.execute(WAIT, distribution=load(count, count))
    while service.call("QueryTest", run_id=run_id)["counts"]["in_progress"] < count:
        gevent.sleep(0.1)
    gevent.sleep(1)  # all of them have begun to wait
    each = (resident_kib() - before) / count
    begun = time.perf_counter()
    result = service.call("CancelTest", run_id=run_id)
    assert result["counts"]["cancelled"] == count
    cancel_s = time.perf_counter() - begun
    service.stop()
    return {"instances": count, "kib_each": round(each, 2), "cancel_s": round(cancel_s, 2)}


def million(count: int, folder: Path) -> dict[str, Any]:
    service = InProcess(folder)
    run_id = service.execute(NOOP, distribution=load(count, BACKLOG))
    resident: dict[int, float] = {}
    wanted = [10_000, count // 10, count // 2, count]
    begun = time.perf_counter()
    while True:
        counts = service.call("QueryTest", run_id=run_id, wait_s=0.1)
        finished = counts["counts"]["finished"]
        while wanted and finished >= wanted[0]:
            resident[wanted.pop(0)] = round(resident_kib() / 1024, 1)
        if counts["completed"]:
            break
    seconds = time.perf_counter() - begun
    octets = len(json.dumps(counts))
    service.stop()
    marks = list(resident.values())
    return {
        "instances": count,
        "seconds": round(seconds, 1),
        "resident_mib": resident,
        "growth_mib": round(marks[-1] - marks[0], 1),
        "result_octets": octets,
    }


PARTS: dict[str, Callable[[int, Path], dict[str, Any]]] = {
    "noop": noop,
    "waiting": waiting,
    "million": million,
}


def measure(name: str, count: int) -> dict[str, Any]:
    """Return what one part found, in a state folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return PARTS[name](count, Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=100_000)
    parser.add_argument("--waiting", type=int, default=50_000)
    parser.add_argument("--million", type=int, default=1_000_000)
    given = parser.parse_args()
    sizes = {"noop": given.instances, "waiting": given.waiting, "million": given.million}
    found: dict[str, Any] = {"python": platform.python_version(), "gevent": gevent.__version__}
    for name, count in sizes.items():
        with multiprocessing.get_context("spawn").Pool(1) as process:
            found[name] = process.apply(measure, (name, count))
    one, wait, many = found["noop"], found["waiting"], found["million"]
    print(
        f"no-op {one['us']} us, {one['ratio']} empty pools; waiting {wait['kib_each']} KiB each;"
        f" {many['instances']} in {many['seconds']} s, +{many['growth_mib']} MiB,"
        f" result {many['result_octets']} octets",
        file=sys.stderr,
    )
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
