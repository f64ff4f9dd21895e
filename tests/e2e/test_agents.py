"""Runs over the workers of other daemons, as on other machines: a coordinator and agents."""

import math
import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.archived import until_archived
from support.daemons import example
from support.machines import LATER_LOST, NEVER_LOST, Machines
from support.shared_runs import (
    CPS,
    balanced,
    completed,
    ids_of,
    in_progress,
    kept_open,
    linear,
    undisturbed,
)
from support.waiting import GUARD_S, until
from support.witness import Witness

from tsvc.cluster.curve import new_pair
from tsvc.cluster.errors import MAX_OCTETS

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(find_spec("locust") is None, reason="the extra cluster is not installed"),
]
Params = dict[str, Any]
LEASE_S = 2.0  # of LATER_LOST
PLACES = 3000  # enough slots on a busy machine
ALL = ("w1", "lab1/w1", "lab2/w1")
TELL = {"type": "rest.Request", "arguments": {"path": "{'/' . $r->{idx}}", "method": "GET"}}


@contextmanager
def running(folder: Path, witness: Witness, more: str) -> Iterator[Machines]:
    """Run a coordinator with a worker of its own, and two agents with one worker each."""
    made = Machines(folder, ("lab1", "lab2", "gone"), more=more)
    port = witness.server_address[1]
    try:
        made.start_coordinator(port)
        made.start_agent("lab1", port)
        made.start_agent("lab2", port)
        made.until_ready(*ALL)
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory, witness: Witness) -> Iterator[Machines]:
    """Machines whose workers are never reported as lost because of their silence."""
    with running(tmp_path_factory.mktemp("machines"), witness, NEVER_LOST) as made:
        yield made


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory, witness: Witness) -> Iterator[Machines]:
    """Machines whose silent workers are soon reported as lost."""
    with running(tmp_path_factory.mktemp("hasty"), witness, LATER_LOST) as made:
        yield made


@pytest.fixture
def seen(witness: Witness, machines: Machines) -> Counter[str]:
    """A counter of what instances report from now on; all workers are ready."""
    machines.until_ready(*ALL)
    witness.seen.clear()
    return witness.seen


def start(machines: Machines, run_id: str, total: int, cps: float, **more: Any) -> None:
    params = {"operations": [TELL], "distribution": linear(total, cps, PLACES), "workers": "all"}
    found = machines.coordinator.result("ExecuteTest", {**params, "run_id": run_id, **more})
    assert found == "ok"


def each_once(seen: Counter[str], total: int) -> bool:
    return seen == Counter({f"/{idx}": 1 for idx in range(total)})


def test_no_two_machines_have_a_transaction_id_in_common(machines: Machines) -> None:
    """Each process has its own number in the top 11 bits."""
    machines.until_ready(*ALL)
    daemon = machines.coordinator
    call = {**example("extension_dialing"), "sigtran": "SIGTRAN", "load_details": True}
    result = daemon.run(call, distribution=linear(60, 200), workers="all")
    assert result["verdict"] == "pass", result["failures"]
    numbers: dict[int, set[int]] = {}
    for one in result["slowest"]:
        idx = int(one["instance_id"])
        numbers.setdefault(idx % 256 % 3, set()).update(ids_of(daemon, result["result_id"], idx))
    assert all(len(found) == 1 for found in numbers.values()), numbers
    known = [number for found in numbers.values() for number in found]
    assert len(set(known)) == len(known)
    assert set(known) <= {1, 2, 3}


def test_a_run_over_three_machines(machines: Machines, seen: Counter[str]) -> None:
    start(machines, "three", 600, 300)
    result = completed(machines.coordinator, "three")
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    assert each_once(seen, 600)
    rows = {row["name"]: row for row in result["workers"]}
    assert set(rows) == set(ALL)
    assert all(row["started"] == row["finished"] > 150 for row in rows.values())
    assert rows["w1"]["clock_error_ms"] == 0, "it is the coordinator's clock"
    assert rows["lab1/w1"]["clock_error_ms"] > 0


def test_a_rate_a_pause_and_an_end_reach_all(machines: Machines, seen: Counter[str]) -> None:
    def play(number: int) -> Params:
        machines.until_ready(*ALL)
        seen.clear()
        run = {"run_id": f"changes {number}"}
        # At its first rate it would last for minutes, so it is in progress when it is changed.
        start(machines, run["run_id"], 900, 5)
        in_progress(machines.coordinator, run["run_id"], 3)
        machines.coordinator.result("RateTest", {**run, "cps": 500})
        machines.coordinator.result("PauseTest", {**run, "paused": 1})
        machines.coordinator.result("PauseTest", {**run, "paused": 0})
        return completed(machines.coordinator, run["run_id"])

    result = undisturbed(play)
    balanced(result)
    assert result["counts"]["passed"] == 900
    assert each_once(seen, 900)


def test_names_of_workers_choose_machines(machines: Machines, seen: Counter[str]) -> None:
    start(machines, "named", 100, 200, workers=["lab2/w1", "lab1/w1"])
    result = completed(machines.coordinator, "named")
    balanced(result)
    assert [row["name"] for row in result["workers"]] == ["lab2/w1", "lab1/w1"]
    assert each_once(seen, 100)


def test_a_csv_file_travels_once(machines: Machines, seen: Counter[str]) -> None:
    """Agents have no data folder: they read the coordinator's file, and keep it."""
    rows = [f"n{number:04}" for number in range(400)]
    (machines.data / "people.csv").write_text("name\n" + "\n".join(rows) + "\n")
    tell = {**TELL, "arguments": {**TELL["arguments"], "path": "{'/' . $v->{name}}"}}
    more = {
        "operations": [tell],
        "vars": {"name": {"$csv": {"file": "people.csv", "column": "name"}}},
    }
    kept = [machines.folder / name / "state" / "csv" for name in ("lab1", "lab2")]
    moments = set()
    for number in range(2):
        seen.clear()
        start(machines, f"csv {number}", 400, 300, **more)
        result = completed(machines.coordinator, f"csv {number}")
        balanced(result)
        assert result["verdict"] == "pass", result["failures"]
        assert seen == Counter(f"/{row}" for row in rows)
        moments.add(tuple(one.stat().st_ino for folder in kept for one in folder.glob("?" * 64)))
    assert len(moments) == 1, "the second run has asked for nothing"
    (inodes,) = moments
    assert len(inodes) == 2, "a file at each machine"
    (machines.data / "people.csv").write_text("name\nanother\n")
    seen.clear()
    start(machines, "csv other", 3, 300, **more)
    assert completed(machines.coordinator, "csv other")["verdict"] == "pass"
    assert seen == Counter({"/another": 3}), "what is in it counts, not its name"


def test_what_an_agent_says_of_its_workers(machines: Machines) -> None:
    agent = machines.agents["lab1"]
    until(lambda: agent.result("ListWorkers")["workers"][0]["state"] == "ready")
    (row,) = agent.result("ListWorkers")["workers"]
    assert (row["name"], row["pid"]) == ("lab1/w1", machines.rows()["lab1/w1"]["pid"])
    params: Params = {"run_id": "own", "operations": [TELL], "distribution": linear(10, 100)}
    refused = agent.call("ExecuteTest", {**params, "workers": "all"})["error"]
    assert refused["data"]["kind"] == "cluster.worker"
    assert f"its workers play the runs of 127.0.0.1:{machines.port}" in refused["message"]
    refused = agent.call("DrainWorker", {"worker": "lab1/w1"})["error"]
    assert "drain them there" in refused["message"]
    result = agent.run({**params, "run_id": "alone"})
    assert (result["verdict"], "workers" in result) == ("pass", False)


def one_lost(
    machines: Machines,
    witness: Witness,
    run_id: str,
    lose: Callable[[int], object],
    heal: Callable[[], object] = lambda: None,
    total: int = 6 * CPS,
) -> Params:
    """Start a run that loses lab2's worker and continues; return the loss.

    `lose` is called while the run is in progress, with the worker's pid; `heal` before the run is
    repeated.
    """
    seen = witness.seen

    def play(number: int) -> Params:
        if number:
            heal()
        machines.until_ready(*ALL)
        seen.clear()
        name = f"{run_id} {number}"
        start(machines, name, total, CPS, operations=kept_open(TELL))
        in_progress(machines.coordinator, name, CPS)
        lose(int(str(machines.rows()["lab2/w1"]["pid"])))
        look = {"run_id": name, "collect": 0}
        until(lambda: machines.coordinator.result("QueryTest", look)["lost"], what=machines.rows)
        return completed(machines.coordinator, name)

    result = undisturbed(play, victim="lab2/w1")
    balanced(result)
    (lost,) = result["lost"]
    assert lost["worker"] == "lab2/w1"
    assert (result["verdict"], result["degraded"]) == ("fail", 1)
    assert max(seen.values()) == 1, "no start twice"
    counts = result["counts"]
    assert counts["planned"] == total
    # A start is counted before it reaches the witness: starts in progress may be missing there.
    least = counts["started"] - lost["in_progress"]
    assert least <= len(seen) <= counts["started"] + lost["unknown_starts_max"]
    after = math.ceil(CPS * lost["taken_over_s"]) + 1
    missing = [idx for idx in range(after, total) if not seen[f"/{idx}"]]
    assert missing == [], "somebody has made the rest of the plan"
    found: Params = lost
    return found


def test_a_killed_worker_is_known_at_once(machines: Machines, witness: Witness) -> None:
    lost = one_lost(machines, witness, "worker", lambda pid: os.kill(pid, signal.SIGKILL))
    assert lost["reason"] == "its process ended with status -9", "its agent saw it die"


def plays_a_run_of_three(machines: Machines, seen: Counter[str], run_id: str) -> None:
    """Assert that all workers are ready again, and that a run loses nothing."""

    def play(number: int) -> Params:
        machines.until_ready(*ALL)
        seen.clear()
        start(machines, f"{run_id} {number}", 300, 300)
        return completed(machines.coordinator, f"{run_id} {number}")

    result = undisturbed(play)
    assert (result["verdict"], len(result["workers"])) == ("pass", 3)
    assert each_once(seen, 300)


def test_an_agent_that_is_killed_is_named_and_comes_back(
    hasty: Machines, witness: Witness
) -> None:
    pids: list[int] = []

    def kill_agent(pid: int) -> None:
        pids.append(pid)
        hasty.agents["lab2"].kill()

    def start_agent() -> None:
        hasty.start_agent("lab2", witness.server_address[1])

    one_lost(hasty, witness, "agent", kill_agent, start_agent)
    pid = pids[-1]
    until(lambda: not os.path.exists(f"/proc/{pid}"), what=lambda: "its worker is left")
    until(lambda: hasty.rows()["lab2/w1"]["state"] == "down", what=hasty.rows)
    start_agent()
    plays_a_run_of_three(hasty, witness.seen, "back")


def test_a_worker_that_stood_still_starts_nothing_twice(hasty: Machines, witness: Witness) -> None:
    """The agent's own lease_s is longer; the coordinator's lease_s applies."""

    def stop_until_lost(pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        until(lambda: hasty.rows()["lab2/w1"]["losses"] > losses, what=hasty.rows)
        with suppress(ProcessLookupError):  # its agent receives the order to end it
            os.kill(pid, signal.SIGCONT)

    losses = hasty.rows()["lab2/w1"]["losses"]
    one_lost(hasty, witness, "still", stop_until_lost, total=8 * CPS)


def test_a_removed_key_is_a_loss_and_its_return_heals(hasty: Machines, witness: Witness) -> None:
    allowed = hasty.allowed

    def allow(*names: str) -> None:
        hasty.allowed = names
        hasty.write()
        hasty.coordinator.signal(signal.SIGHUP)

    try:
        lost = one_lost(
            hasty, witness, "removed", lambda pid: allow("lab1"), lambda: allow(*allowed)
        )
        assert lost["reason"] == "its key is no longer allowed"
        hasty.agents["lab2"].wait_for("this key is not allowed there")
        assert hasty.rows()["lab2/w1"]["state"] == "down"
    finally:
        allow(*allowed)
    hasty.until_ready(*ALL)


def hostile(machines: Machines) -> list[socket.socket]:
    """Connect and send octets that are not the protocol of the link."""
    address = ("127.0.0.1", machines.port)
    made = []
    for octets in (
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        os.urandom(100_000),
        b"\xff\0\0\0\0\0\0\0\1\x7f\3\1" + b"NULL".ljust(20, b"\0") + bytes(32),
        # A frame of 10 MB: it is announced, and it comes.
        b"\xff\0\0\0\0\0\0\0\1\x7f\3\1"
        + b"CURVE".ljust(20, b"\0")
        + bytes(32)
        + b"\2"
        + (10_000_000).to_bytes(8, "big")
        + bytes(10_000_000),
        bytes(MAX_OCTETS + 1),
    ):
        made.append(socket.create_connection(address, timeout=GUARD_S))
        with suppress(OSError):  # the other side closes before all octets have arrived
            made[-1].sendall(octets)
    return made


def test_strangers_disturb_nobody(
    machines: Machines, seen: Counter[str], witness: Witness
) -> None:
    port = witness.server_address[1]
    start(machines, "strangers", 900, 200, operations=kept_open(TELL))
    in_progress(machines.coordinator, "strangers", 50)
    connections = hostile(machines)
    wrong = machines.start_agent("lab3", port, pair=new_pair())
    wrong.wait_for("this key is not allowed there")
    other = machines.start_agent("lab4", port, pair=machines.pairs["gone"], key=new_pair()[0])
    other.wait_for("no coordinator within")
    result = completed(machines.coordinator, "strangers")
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    assert each_once(seen, 900)
    assert set(machines.rows()) == set(ALL)
    for one in connections:
        one.close()
    for one in (wrong, other):
        assert one.result("ListWorkers")["workers"][0]["state"] == "starting"
        one.kill()


def test_two_machines_of_one_name(machines: Machines, witness: Witness) -> None:
    port = witness.server_address[1]
    folder = machines.folder / "double"
    double = Machines(folder, ())
    double.public, double.port = machines.public, machines.port
    try:
        agent = double.start_agent("lab1", port, pair=machines.pairs["gone"])
        agent.wait_for("there is a worker 'lab1/' already")
        assert machines.rows()["lab1/w1"]["state"] == "ready"
    finally:
        double.stop()


def test_a_coordinator_that_is_killed(hasty: Machines, witness: Witness) -> None:
    """After the lease nothing is started, and the archive has the run as lost; the next
    coordinator finds the agents again."""
    seen = witness.seen
    hasty.until_ready(*ALL)
    seen.clear()
    start(hasty, "orphan", 60_000, CPS)
    in_progress(hasty.coordinator, "orphan", CPS)
    pids = [row["pid"] for row in hasty.rows().values()]
    asked_at = time.monotonic()
    known = hasty.coordinator.result("QueryTest", {"run_id": "orphan"})
    # What workers have reported is soon in the archive; the rest is lost with the coordinator.
    until_archived(hasty.coordinator.folder, "orphan", known["counts"]["started"])
    hasty.coordinator.kill()
    killed_s = elapsed(known) + time.monotonic() - asked_at  # since the run's beginning, at most
    for name in ("lab1", "lab2"):  # twice as long as the lease
        hasty.agents[name].wait_for("the coordinator has answered nothing for 4 s")
    hasty.start_coordinator(witness.server_address[1])
    hasty.until_ready(*ALL)
    until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), what=lambda: pids)
    assert max(seen.values()) == 1
    # No start is made before its planned time: starts planned for later were not made.
    last = max(int(path.removeprefix("/")) for path in seen)
    assert last <= CPS * (killed_s + LEASE_S) + 1
    found = hasty.coordinator.result("QueryTest", {"run_id": "orphan"})
    assert (found["state"], found["completed"], found["verdict"]) == ("lost", 1, "abort")
    counts = found["counts"]
    assert known["counts"]["started"] <= counts["started"] <= CPS * killed_s + 1
    over = counts["passed"] + counts["failed"] + counts["aborted"] + counts["cancelled"]
    assert counts["started"] == over + counts["in_progress"] + counts["lost"]
    listed = hasty.coordinator.result("ListResults", {"run_id": "orphan"})["results"]
    assert [row["state"] for row in listed] == ["lost"]
    plays_a_run_of_three(hasty, seen, "after")


def elapsed(result: Params) -> float:
    """Return the seconds between the start of a run and an answer, by the daemon's own clock."""
    begin, now = result["time_start"], result["time_now"]
    return float(now[0] - begin[0]) + (now[1] - begin[1]) / 1e6


def test_drained(machines: Machines, seen: Counter[str]) -> None:
    machines.coordinator.result("DrainWorker", {"worker": "lab2/w1"})
    assert machines.rows()["lab2/w1"]["state"] == "drained"
    start(machines, "drained", 200, 200)
    result = completed(machines.coordinator, "drained")
    assert [row["name"] for row in result["workers"]] == ["w1", "lab1/w1"]
    assert each_once(seen, 200)
    machines.coordinator.result("DrainWorker", {"worker": "lab1"})
    states = {name: row["state"] for name, row in machines.rows().items()}
    assert states == {"w1": "ready", "lab1/w1": "drained", "lab2/w1": "drained"}
    refused = machines.coordinator.call("DrainWorker", {"worker": "lab9"})["error"]
    assert refused["data"]["kind"] == "worker.unknown"
