"""One run over all cores, side by side: a daemon alone, its workers, and Locust's cluster.

    python tests/bench/bench_cluster.py [--noops N] [--calls N] [--seconds S] [--workers N]
                                        [--rounds N] [--idle N]

JSON goes to stdout:

noop, call  starts a second, and microseconds of CPU per start in all processes: of one daemon
            (`alone`), of workers, of as many independent daemons at once (`apart`: the loss that
            the machine itself causes if several processes work), and of Locust with a user that
            does nothing and a user that makes the same call (beside_locust_cluster.py); the rounds
            alternate
killed      the report of each after kill -9 of one of its workers in the middle
idle        share of one core that so many idle workers and their daemon use
snapshot    octets of the report that a worker with 2,500 starts a second sends each second, and
            microseconds of CPU to read and to merge it
relay       microseconds of CPU per call of the daemon whose association workers share, and of
            the workers, with the SCP in another process
cancel      duration of CancelTest in seconds, with all workers full of waiting instances
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import msgpack
from measures import cpu_s, spread
from support.daemons import FLOW, LOOPBACK, DaemonProcess, configure, example, launch
from support.ports import free_port
from support.waiting import until

from tsvc.cluster.snapshot import SUMS, Ledger, Merge
from tsvc.engine.load.counters import Counters, InstanceState
from tsvc.engine.load.histogram import Histogram

NOOP: dict[str, Any] = {"operations": [{"type": "eval", "expression": "$v->{a} = 1"}]}
WAIT: dict[str, Any] = {"operations": [{"type": "wait", "arguments": {"seconds": 600}}]}
BACKLOG = 1000
RELAY_SCP = '[scp]\nflows = ["{flow}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}?pc=2"]\n'
RELAY = """
[cluster]
workers = {workers}
[application.LAB]
module = "sigtran"
opc = 1
relay = true
default_scp = {{ dpc = 2, dssn = 146 }}
connections = [{{ name = "link", type = "m3ua", remote_port = {port} }}]
"""
KILLED_CPS = 500


class Cluster:
    """A daemon with workers, and their CPU time."""

    def __init__(self, folder: Path, workers: int) -> None:
        port = free_port()
        folder.mkdir()
        text = LOOPBACK.format(flow=FLOW) + f"[cluster]\nworkers = {workers}\nsingle_max = 1e6\n"
        configure(folder, text, port=port)
        self.daemon: DaemonProcess = launch(folder, port)
        until(lambda: all(row["state"] == "ready" for row in self.rows()))

    def rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.daemon.result("ListWorkers")["workers"]
        return rows

    def cpu_s(self) -> float:
        """Return the CPU seconds of all processes."""
        pids = [self.daemon.process.pid, *(row["pid"] for row in self.rows())]
        return sum(map(cpu_s, pids))

    def measured(self, definition: dict[str, Any], total: int, **more: Any) -> dict[str, float]:
        """Return starts a second and microseconds of CPU of each start."""
        distribution = {"type": "load", "total": total, "backlog": BACKLOG}
        cpu = self.cpu_s()
        result = self.daemon.run({**definition, **more}, distribution=distribution)
        assert result["counts"]["passed"] == total, result["failures"]
        return {
            "per_s": total / result["duration"],
            "cpu_us": (self.cpu_s() - cpu) / total * 1e6,
        }


def apart(clusters: list[Cluster], definition: dict[str, Any], total: int) -> dict[str, float]:
    """Return the sum of daemons that run at once and share nothing but the machine."""
    with ThreadPoolExecutor(len(clusters)) as pool:
        part = total // len(clusters)
        made = list(pool.map(lambda one: one.measured(definition, part), clusters))
    return {
        "per_s": sum(one["per_s"] for one in made),
        "cpu_us": sum(one["cpu_us"] for one in made) / len(made),
    }


def locust(what: str, workers: int, seconds: float, *more: str) -> dict[str, Any]:
    script = str(Path(__file__).with_name("beside_locust_cluster.py"))
    command = [sys.executable, script, what, str(workers), str(seconds), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def side_by_side(
    clusters: dict[str, Cluster], others: list[Cluster], given: argparse.Namespace
) -> dict[str, Any]:
    """Return the figures of both kinds of work."""
    call = {**example("extension_dialing"), "sigtran": "SIGTRAN"}
    found: dict[str, Any] = {}
    for name, definition, total in (("noop", NOOP, given.noops), ("call", call, given.calls)):
        whose = ("alone", "apart", "workers", "locust")
        rounds: dict[str, list[dict[str, Any]]] = {one: [] for one in whose}
        for _ in range(given.rounds):
            rounds["apart"].append(apart(others, definition, total))
            rounds["alone"].append(clusters["alone"].measured(definition, total))
            shared = clusters["workers"].measured(definition, total, workers="all")
            rounds["workers"].append(shared)
            rounds["locust"].append(locust(name, given.workers, given.seconds))
        found[name] = {
            who: {
                figure: spread((one[figure] for one in made), 0 if figure == "per_s" else 1)
                for figure in ("per_s", "cpu_us")
            }
            for who, made in rounds.items()
        }
    return found


def killed(cluster: Cluster, given: argparse.Namespace) -> dict[str, Any]:
    """Return the result of a run that lost a worker in the middle, and Locust's figures."""
    total = int(KILLED_CPS * given.seconds)
    distribution = {"type": "linear", "total": total, "backlog": BACKLOG, "cps": KILLED_CPS}
    run = {"run_id": "killed"}
    params = {**NOOP, **run, "distribution": distribution, "workers": "all"}
    cluster.daemon.result("ExecuteTest", params)
    time.sleep(given.seconds / 2)
    os.kill(cluster.rows()[-1]["pid"], signal.SIGKILL)
    result = cluster.daemon.result("QueryTest", {**run, "wait_s": min(10 * given.seconds, 60)})
    counts = result["counts"]
    return {
        "tsvc": {
            "planned": counts["planned"],
            "told": counts["started"],
            "verdict": result["verdict"],
            "lost": result["lost"],
            "achieved": result["rate"]["achieved"],
        },
        "locust": locust("noop", given.workers, given.seconds, "kill"),
    }


def idle(folder: Path, given: argparse.Namespace) -> dict[str, float]:
    """Return the share of a core that idle workers use, and their daemon's share separately."""
    cluster = Cluster(folder, given.idle)
    try:
        time.sleep(2.0)
        pids = [row["pid"] for row in cluster.rows()]
        daemon = cluster.daemon.process.pid
        before, begun = (sum(map(cpu_s, pids)), cpu_s(daemon)), time.monotonic()
        time.sleep(given.seconds)
        passed = time.monotonic() - begun
        return {
            "workers": given.idle,
            "share": round((sum(map(cpu_s, pids)) - before[0]) / passed, 4),
            "daemon_share": round((cpu_s(daemon) - before[1]) / passed, 4),
        }
    finally:
        cluster.daemon.stop()


def snapshot(rounds: int) -> dict[str, Any]:
    """Return the cost for the coordinator of a busy worker's report of one second."""
    counters, waits = Counters(), Histogram()
    histograms = {name: Histogram() for name in ("response", "service", "lateness")}
    operations = {(at, "InitialDP"): waits for at in range(4)}
    ledger = Ledger(counters, lambda: histograms, operations)
    chance = random.Random(1)
    costs, octets = [], 0
    merge = Merge(["w1"])
    for second in range(rounds):
        for start in range(2500):
            took = chance.lognormvariate(-6, 0.7)
            counters.start(second + start / 2500)
            counters.finish(InstanceState.PASSED, second + start / 2500, took)
            waits.add(took / 4)
            for histogram in histograms.values():
                histogram.add(took)
        sums = dict.fromkeys(SUMS, 0)
        told = {"counts": counters.as_dict(2500 * (second + 1)), "sums": sums, "closings": {}}
        sent = msgpack.packb(ledger.take(told, "[]"))
        begun = time.process_time()
        merge.take("w1", msgpack.unpackb(sent))
        costs.append((time.process_time() - begun) * 1e6)
        octets = len(sent)
    return {"octets": octets, "cpu_us": spread(costs)}


def relay(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Return the CPU time of a daemon that relays one association, and that of its workers."""
    port, rpc, scp_rpc = free_port(), free_port(), free_port()
    scp = RELAY_SCP.format(flow=FLOW, port=port)
    tester = RELAY.format(port=port, workers=given.workers)
    made = []
    for name, text, own in (("scp", scp, scp_rpc), ("tester", tester, rpc)):
        (folder / name).mkdir(parents=True)
        configure(folder / name, text, port=own)
        made.append(launch(folder / name, own))
    daemon = made[1]
    try:

        def rows() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = daemon.result("ListWorkers")["workers"]
            return found

        def is_ready() -> bool:
            counters = daemon.result("DescribeService")["gateways"][0]["counters"]
            are_there = counters["relay_processes"] == given.workers
            return are_there and all(row["state"] == "ready" for row in rows())

        until(is_ready)
        workers = [row["pid"] for row in rows()]
        distribution = {"type": "load", "total": given.calls, "backlog": BACKLOG}
        costs = []
        for _ in range(given.rounds):
            before = cpu_s(daemon.process.pid), sum(map(cpu_s, workers))
            params = {"distribution": distribution, "workers": "all"}
            result = daemon.run(example("extension_dialing"), **params)
            assert result["verdict"] == "pass", result["failures"]
            after = cpu_s(daemon.process.pid), sum(map(cpu_s, workers))
            costs.append([(b - a) / given.calls * 1e6 for a, b in zip(before, after, strict=True)])
        return {
            "daemon_us": spread((one for one, _ in costs), 1),
            "workers_us": spread((one for _, one in costs), 1),
        }
    finally:
        for one in made:
            one.stop()


def cancel_s(cluster: Cluster) -> float:
    """Return the duration of cancelling a run in which all instances wait."""
    until(lambda: all(row["state"] == "ready" for row in cluster.rows()))
    run = {"run_id": "cancel"}
    distribution = {"type": "load", "total": 10 * BACKLOG, "backlog": BACKLOG}
    params = {**WAIT, **run, "distribution": distribution, "workers": "all"}
    cluster.daemon.result("ExecuteTest", params)

    def is_full() -> bool:
        counts = cluster.daemon.result("QueryTest", run)["counts"]
        return bool(counts["in_progress"] == BACKLOG)

    until(is_full)
    begun = time.monotonic()
    result = cluster.daemon.result("CancelTest", run)
    assert result["counts"]["cancelled"] == BACKLOG
    return round(time.monotonic() - begun, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--noops", type=int, default=200_000)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--workers", type=int, default=max(os.cpu_count() or 1, 2))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clusters: dict[str, Cluster] = {}
        others: list[Cluster] = []
        try:
            clusters["alone"] = Cluster(Path(folder) / "alone", 0)
            clusters["workers"] = Cluster(Path(folder) / "workers", given.workers)
            others.append(clusters["alone"])
            others += [Cluster(Path(folder) / f"apart{n}", 0) for n in range(1, given.workers)]
            found = {
                "workers": given.workers,
                "cores": os.cpu_count(),
                **side_by_side(clusters, others, given),
                "killed": killed(clusters["workers"], given),
                "snapshot": snapshot(60),
                "cancel_s": cancel_s(clusters["workers"]),
            }
        finally:
            for one in {*clusters.values(), *others}:
                one.daemon.stop()
        found["relay"] = relay(Path(folder) / "relay", given)
        found["idle"] = idle(Path(folder) / "idle", given)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
