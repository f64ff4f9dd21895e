"""The cost of a Test Instance: time compared with an empty gevent Pool, memory, and a million.

    python tests/bench/bench_instances.py [--instances N] [--waiting N] [--million N]

Each part runs in a separate process. A readable line goes to stderr, JSON to stdout:

noop     microseconds per instance of one `eval`, pool and bookkeeping included, wall time and CPU,
         compared with a greenlet that does nothing in the same kind of Pool, in alternation, and
         with an iteration of Locust (beside_locust.py)
waiting  KiB of resident memory per instance in `wait`, all in progress at once
million  MiB of resident memory after 10,000 instances and after all, octets of the result
"""

import argparse
import gc
import json
import multiprocessing
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import gevent
from gevent.pool import Pool
from measures import expect, resident_kib, spread
from support.daemons import Daemon

BACKLOG = 1000
ROUNDS = 5
NOOP = [{"type": "eval", "expression": "$v->{a} = 1"}]
WAIT = [{"type": "wait", "arguments": {"seconds": 600}}]


def load(total: int, backlog: int) -> dict[str, Any]:
    return {"type": "load", "total": total, "backlog": backlog}


def nothing() -> None:
    return


def pool_of_nothing(count: int) -> None:
    """Fill a Pool with greenlets that do nothing."""
    pool = Pool(BACKLOG)
    for _ in range(count):
        pool.spawn(nothing)
    pool.join()


def microseconds(work: Callable[[], object], count: int) -> tuple[float, float]:
    """Return wall time and CPU of each of the `count` items that work processes."""
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    wall_s, cpu_s = time.perf_counter() - wall, time.process_time() - cpu
    return wall_s / count * 1e6, cpu_s / count * 1e6


def noop(count: int, folder: Path) -> dict[str, Any]:
    service = Daemon(folder)

    def run() -> None:
        result = service.run(*NOOP, distribution=load(count, BACKLOG))
        expect(result["counts"]["passed"] == count, result["counts"])

    ours, pools = [], []
    for _ in range(ROUNDS):
        pools.append(microseconds(lambda: pool_of_nothing(count), count))
        ours.append(microseconds(run, count))
    service.stop()
    (wall, cpu), (pool_wall, pool_cpu) = (
        [spread(each) for each in zip(*rounds, strict=True)] for rounds in (ours, pools)
    )
    return {
        "instances": count,
        "wall_us": wall,
        "cpu_us": cpu,
        "pool_wall_us": pool_wall,
        "pool_cpu_us": pool_cpu,
    }


def of_locust() -> dict[str, Any]:
    """Return the same for Locust's iteration, or the reason why it is missing."""
    script = Path(__file__).with_name("beside_locust.py")
    command = [sys.executable, str(script), "noop", "1", str(ROUNDS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        return {"absent": done.stderr.strip().rpartition("\n")[2]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def waiting(count: int, folder: Path) -> dict[str, Any]:
    service = Daemon(folder, max_backlog=count)
    service.run(*NOOP, distribution=load(1000, 100))
    gc.collect()
    before = resident_kib()
    run_id = service.execute(*WAIT, distribution=load(count, count))
    while service.call("QueryTest", run_id=run_id)["counts"]["in_progress"] < count:
        gevent.sleep(0.1)
    gevent.sleep(1)  # until all have begun to wait
    each = (resident_kib() - before) / count
    begun = time.perf_counter()
    result = service.call("CancelTest", run_id=run_id)
    expect(result["counts"]["cancelled"] == count, result["counts"])
    cancel_s = time.perf_counter() - begun
    service.stop()
    return {"instances": count, "kib_each": round(each, 2), "cancel_s": round(cancel_s, 2)}


def million(count: int, folder: Path) -> dict[str, Any]:
    service = Daemon(folder)
    run_id = service.execute(*NOOP, distribution=load(count, BACKLOG))
    resident: dict[int, float] = {}
    wanted = sorted({min(10_000, count), count // 10, count // 2, count})
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
    marks = [mib for finished, mib in resident.items() if finished >= min(10_000, count)]
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
    """Return the figures of one part, with a separate state folder."""
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
    found["locust"] = of_locust()
    one, wait, many = found["noop"], found["waiting"], found["million"]
    print(
        f"no-op {one['wall_us']['median']} us, CPU {one['cpu_us']['median']} us, empty pool"
        f" {one['pool_cpu_us']['median']} us; waiting {wait['kib_each']} KiB each;"
        f" {many['instances']} in {many['seconds']} s, +{many['growth_mib']} MiB,"
        f" result {many['result_octets']} octets",
        file=sys.stderr,
    )
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
