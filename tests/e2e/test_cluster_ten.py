"""Runs of ten workers: one grid, whatever happens to one of the workers. For `make test-full`."""

import os
import signal
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.daemons import DaemonProcess, StartDaemon
from support.machines import NEVER_LOST, Machines
from support.networks import Network, require_networks
from support.shared_runs import (
    PATIENT,
    balanced,
    completed,
    in_progress,
    kept_open,
    linear,
    undisturbed,
)
from support.waiting import GUARD_S, until
from support.witness import PATIENT_HTTP, Witness

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("locust") is None, reason="the extra cluster is not installed"),
]
Params = dict[str, Any]

TEN = 10
PLACES = 3000
CLUSTER = """
[cluster]
workers = 10
{patient}
[application.BSS]
module = "rest"
base_uri = "http://127.0.0.1:{port}"
{patient_http}
"""
# Each instance reports its number and its random number.
CHANCE: Params = {
    "vars": {"n": {"$random": {"min": 0, "max": 10**9}}},
    "operations": [
        {
            "type": "rest.Request",
            "arguments": {"path": "{'/' . $r->{idx} . '/' . $v->{n}}", "method": "GET"},
        },
        {"type": "wait", "arguments": {"seconds": "{$r->{idx} % 50 / 1000}"}},
    ],
    "seed": 42,
}


@pytest.fixture(scope="module")
def daemon(start_daemon: StartDaemon, witness: Witness) -> DaemonProcess:
    port = witness.server_address[1]
    made = start_daemon(CLUSTER.format(port=port, patient=PATIENT, patient_http=PATIENT_HTTP))
    until_all(made)
    return made


def until_all(daemon: DaemonProcess) -> list[Params]:
    """Return the rows when all are ready: ten workers start at once on few cores."""

    def rows() -> list[Params]:
        found: list[Params] = daemon.result("ListWorkers")["workers"]
        return found if all(row["state"] == "ready" for row in found) else []

    return until(rows, 10 * GUARD_S, what=lambda: daemon.result("ListWorkers"))


def test_one_worker_and_ten_make_the_same(daemon: DaemonProcess, witness: Witness) -> None:
    """The same instances, with the same variables and verdicts."""
    seen, results = [], []
    for workers in (1, TEN):
        witness.seen.clear()
        params = {**CHANCE, "distribution": linear(2000, 200, PLACES)}
        results.append(daemon.run(params, workers=workers))
        balanced(results[-1])
        seen.append(witness.seen.copy())
    one, ten = results
    assert len(ten["workers"]) == TEN
    assert seen[0] == seen[1]
    assert one["counts"] == ten["counts"]
    assert one["verdict"] == ten["verdict"] == "pass"
    for result in results:
        assert sum(row["started"] for row in result["workers"]) == 2000


@pytest.mark.parametrize("victim", range(TEN))
def test_each_of_ten_is_killed(daemon: DaemonProcess, witness: Witness, victim: int) -> None:
    name = f"w{victim + 1}"
    operations = kept_open(*CHANCE["operations"])
    params = {**CHANCE, "operations": operations, "distribution": linear(1600, 200, PLACES)}

    def play(number: int) -> Params:
        rows = {row["name"]: row for row in until_all(daemon)}
        witness.seen.clear()
        run = {"run_id": f"killed {victim} {number}"}
        daemon.result("ExecuteTest", {**params, **run, "workers": "all"})
        in_progress(daemon, run["run_id"], 300)
        os.kill(rows[name]["pid"], signal.SIGKILL)
        return completed(daemon, run["run_id"])

    result = undisturbed(play, name)
    balanced(result)
    (lost,) = result["lost"]
    assert lost["worker"] == name
    assert (result["verdict"], result["degraded"]) == ("fail", 1)
    ran = Counter(path.split("/")[1] for path in witness.seen.elements())
    assert max(ran.values()) == 1, "no start twice"
    counts = result["counts"]
    assert counts["planned"] == 1600
    # A start is counted before it reaches the witness: starts in progress may be missing there.
    least = counts["started"] - lost["in_progress"]
    assert least <= len(ran) <= counts["started"] + lost["unknown_starts_max"]
    # From the takeover on the rate is that of the plan, until the last start.
    after = int(200 * lost["taken_over_s"]) + 2
    assert [idx for idx in range(after, 1600) if not ran[str(idx)]] == []
    # Its share of the plan until the takeover, without the starts that it had reported.
    (row,) = (one for one in result["workers"] if one["name"] == name)
    assert lost["unknown_starts_max"] <= 20 * lost["taken_over_s"] + 2 - row["started"]


def squeeze(pid: int, is_over: threading.Event) -> None:
    """Allow a process only a tenth of the processor time."""
    with suppress(ProcessLookupError):
        while not is_over.is_set():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.18)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.02)


def test_a_worker_that_has_a_tenth_of_the_time(daemon: DaemonProcess, witness: Witness) -> None:
    """Its row shows which worker was late, and nothing is lost."""
    rows = until_all(daemon)
    is_over = threading.Event()
    thread = threading.Thread(target=squeeze, args=(rows[3]["pid"], is_over))
    params = {**CHANCE, "distribution": linear(2000, 200, PLACES)}
    thread.start()
    try:
        result = daemon.run(params, workers=TEN)
    finally:
        is_over.set()
        thread.join()
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    found = {row["name"]: row for row in result["workers"]}
    slow = found.pop(rows[3]["name"])
    assert slow["limited_by"] == "generator"
    assert slow["late"] > slow["started"] / 2
    print(
        "lateness p99, ms", slow["lateness_p99_ms"], "others", sorted(map(p99_ms, found.values()))
    )


def p99_ms(row: Params) -> float:
    return float(row["lateness_p99_ms"])


class Ten(Machines):
    """A coordinator here without workers, ten agents in networks of their own."""

    def __init__(self, folder: Path, networks: list[Network]) -> None:
        self.names = tuple(f"lab{number}" for number in range(TEN))
        super().__init__(folder, self.names, host="0.0.0.0", more=NEVER_LOST)
        self.networks = networks

    def start(self, witness: int) -> None:
        self.start_coordinator(witness, workers=0)
        for name, network in zip(self.names, self.networks, strict=True):
            self.start_agent(
                name,
                witness,
                coordinator=f"{network.near}:{self.port}",
                prefix=tuple(network.prefix),
                witness_host=network.near,
            )
            self.until_ready(f"{name}/w1")


def test_ten_machines_far_away(tmp_path: Path) -> None:
    """20 ms in each direction, 1 % loss of packets: the grid of one daemon, each start once.

    The reports of instances take the same way, so that the witness sees them with the delay.
    """
    require_networks()
    with ExitStack() as stack:
        networks = []
        for number in range(TEN):
            networks.append(Network(number, is_rough=True))
            stack.callback(networks[-1].remove)
        witness = stack.enter_context(Witness(host="0.0.0.0"))
        threading.Thread(target=witness.serve_forever, daemon=True).start()
        stack.callback(witness.shutdown)
        for network in networks:
            network.trouble(0.02, 0.01)
        machines = Ten(tmp_path, networks)
        stack.callback(machines.stop)
        machines.start(witness.server_address[1])
        params = {**CHANCE, "run_id": "far", "distribution": linear(2000, 200, PLACES)}
        machines.coordinator.result("ExecuteTest", {**params, "workers": "all"})
        result = completed(machines.coordinator, "far")
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    assert len(result["workers"]) == TEN
    ran = Counter(path.split("/")[1] for path in witness.seen.elements())
    assert ran == Counter({str(idx): 1 for idx in range(2000)})
    # All clocks are the same here, so the error of each worker's estimate can be seen.
    print("lateness", result["rate"]["lateness_ms"])
    first = {int(path.split("/")[1]): at for path, at in islice(witness.when.items(), 2000)}
    begun = min(at - idx / 200 for idx, at in first.items())
    off = sorted(at - begun - idx / 200 for idx, at in first.items())
    print(
        "seen at the witness, ms after the first's grid",
        [round(off[int(share * 1999)] * 1000, 1) for share in (0.5, 0.9, 0.99)],
    )
