"""Runs over workers of other daemons, as of other machines: a coordinator and agents."""

import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import pytest
from support.daemons import example
from support.machines import Machines
from support.shared_runs import CPS, balanced, completed, ids_of, in_progress, linear
from support.waiting import until
from support.witness import Witness

from tsvc.cluster.curve import new_pair
from tsvc.cluster.errors import MAX_OCTETS

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(find_spec("locust") is None, reason="the extra cluster is not installed"),
]
Params = dict[str, Any]
LEASE_S, SLACK_S = 2.0, 1.0  # of LATER_LOST; what a start takes to be told on a busy machine
PLACES = 3000  # so that a busy machine lacks none
ALL = ("w1", "lab1/w1", "lab2/w1")
TELL = {"type": "rest.Request", "arguments": {"path": "{'/' . $r->{idx}}", "method": "GET"}}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory, witness: Witness) -> Iterator[Machines]:
    """A coordinator with a worker of its own, and two agents with one each."""
    made = Machines(tmp_path_factory.mktemp("machines"), ("lab1", "lab2", "gone"))
    port = witness.server_address[1]
    try:
        made.start_coordinator(port)
        made.start_agent("lab1", port)
        made.start_agent("lab2", port)
        made.until_ready(*ALL)
        yield made
    finally:
        made.stop()


@pytest.fixture
def seen(witness: Witness, machines: Machines) -> Counter[str]:
    """What instances tell, from now on; all workers are ready."""
    machines.until_ready(*ALL)
    witness.seen.clear()
    witness.when.clear()
    return witness.seen


def start(machines: Machines, run_id: str, total: int, cps: float, **more: Any) -> None:
    params = {"operations": [TELL], "distribution": linear(total, cps, PLACES), "workers": "all"}
    found = machines.coordinator.result("ExecuteTest", {**params, "run_id": run_id, **more})
    assert found == "ok"


def each_once(seen: Counter[str], total: int) -> bool:
    return seen == Counter({f"/{idx}": 1 for idx in range(total)})


def test_no_two_machines_have_a_transaction_id_in_common(machines: Machines) -> None:
    """Each process has a number in the top 11 bits of its own."""
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
    run = {"run_id": "changes"}
    start(machines, "changes", 900, 200)
    in_progress(machines.coordinator, "changes", 30)
    machines.coordinator.result("RateTest", {**run, "cps": 500})
    machines.coordinator.result("PauseTest", {**run, "paused": 1})
    machines.coordinator.result("PauseTest", {**run, "paused": 0})
    result = completed(machines.coordinator, "changes")
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
    """Agents have no folder for data: they read what the coordinator has, and keep it."""
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


def one_lost(machines: Machines, run_id: str, seen: Counter[str], total: int) -> Params:
    """Return the loss of a run that has lost lab2's worker and went on."""
    result = completed(machines.coordinator, run_id)
    balanced(result)
    (lost,) = result["lost"]
    assert lost["worker"] == "lab2/w1"
    assert (result["verdict"], result["degraded"]) == ("fail", 1)
    assert max(seen.values()) == 1, "no start twice"
    counts = result["counts"]
    assert counts["planned"] == total
    # A start is counted before its witness is told: those in progress may not have come to that.
    least = counts["started"] - lost["in_progress"]
    assert least <= len(seen) <= counts["started"] + lost["unknown_starts_max"]
    assert seen[f"/{total - 1}"] == 1, "the end of the plan is somebody's"
    found: Params = lost
    return found


def test_a_killed_worker_is_known_at_once(machines: Machines, seen: Counter[str]) -> None:
    start(machines, "worker", 6 * CPS, CPS)
    in_progress(machines.coordinator, "worker", CPS)
    os.kill(int(str(machines.rows()["lab2/w1"]["pid"])), signal.SIGKILL)
    lost = one_lost(machines, "worker", seen, 6 * CPS)
    assert lost["reason"] == "its process ended with status -9", "its agent saw it die"


def test_an_agent_that_is_killed_is_named_and_comes_back(
    machines: Machines, seen: Counter[str], witness: Witness
) -> None:
    start(machines, "agent", 6 * CPS, CPS)
    in_progress(machines.coordinator, "agent", CPS)
    pid = machines.rows()["lab2/w1"]["pid"]
    machines.agents["lab2"].kill()
    one_lost(machines, "agent", seen, 6 * CPS)
    until(lambda: not os.path.exists(f"/proc/{pid}"), what=lambda: "its worker is left")
    until(lambda: machines.rows()["lab2/w1"]["state"] == "down", what=machines.rows)
    machines.start_agent("lab2", witness.server_address[1])
    machines.until_ready(*ALL)
    seen.clear()
    start(machines, "back", 300, 300)
    result = completed(machines.coordinator, "back")
    assert (result["verdict"], len(result["workers"])) == ("pass", 3)
    assert each_once(seen, 300)


def test_a_worker_that_stood_still_starts_nothing_twice(
    machines: Machines, seen: Counter[str]
) -> None:
    """Its agent's lease_s is longer than the coordinator's: what counts is the coordinator's."""
    start(machines, "still", 8 * CPS, CPS)
    in_progress(machines.coordinator, "still", CPS)
    pid = int(str(machines.rows()["lab2/w1"]["pid"]))
    os.kill(pid, signal.SIGSTOP)
    run = {"run_id": "still"}
    until(lambda: bool(machines.coordinator.result("QueryTest", run)["lost"]), what="lost")
    with suppress(ProcessLookupError):  # its agent is told to end it
        os.kill(pid, signal.SIGCONT)
    one_lost(machines, "still", seen, 8 * CPS)


def test_a_removed_key_is_a_loss_and_its_return_heals(
    machines: Machines, seen: Counter[str]
) -> None:
    start(machines, "removed", 6 * CPS, CPS)
    in_progress(machines.coordinator, "removed", CPS)
    allowed, machines.allowed = machines.allowed, ("lab1",)
    try:
        machines.write()
        machines.coordinator.signal(signal.SIGHUP)
        lost = one_lost(machines, "removed", seen, 6 * CPS)
        assert lost["reason"] == "its key is no longer allowed"
        machines.agents["lab2"].wait_for("this key is not allowed there")
        assert machines.rows()["lab2/w1"]["state"] == "down"
    finally:
        machines.allowed = allowed
        machines.write()
        machines.coordinator.signal(signal.SIGHUP)
    machines.until_ready(*ALL)


def hostile(machines: Machines) -> list[socket.socket]:
    """Connect and say what is no link."""
    address = ("127.0.0.1", machines.port)
    made = []
    for octets in (
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        os.urandom(100_000),
        b"\xff\0\0\0\0\0\0\0\1\x7f\3\1" + b"NULL".ljust(20, b"\0") + bytes(32),
        # A frame of 10 MB that is announced, and comes.
        b"\xff\0\0\0\0\0\0\0\1\x7f\3\1"
        + b"CURVE".ljust(20, b"\0")
        + bytes(32)
        + b"\2"
        + (10_000_000).to_bytes(8, "big")
        + bytes(10_000_000),
        bytes(MAX_OCTETS + 1),
    ):
        made.append(socket.create_connection(address, timeout=20))
        with suppress(OSError):  # it hangs up before all of it has come
            made[-1].sendall(octets)
    return made


def test_strangers_disturb_nobody(
    machines: Machines, seen: Counter[str], witness: Witness
) -> None:
    port = witness.server_address[1]
    start(machines, "strangers", 900, 200)
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


def test_a_coordinator_that_is_killed(
    machines: Machines, seen: Counter[str], witness: Witness
) -> None:
    """Nobody starts anything after the lease, the archive has the run as lost; who comes after it
    finds the agents again."""
    start(machines, "orphan", 60_000, CPS)
    in_progress(machines.coordinator, "orphan", CPS)
    pids = [row["pid"] for row in machines.rows().values()]
    known = machines.coordinator.result("QueryTest", {"run_id": "orphan"})["counts"]
    asked_at = time.monotonic()
    machines.coordinator.kill()
    killed_at = time.monotonic()
    machines.start_coordinator(witness.server_address[1])
    machines.until_ready(*ALL)
    until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), what=lambda: pids)
    assert max(seen.values()) == 1
    assert max(witness.when.values()) < killed_at + LEASE_S + SLACK_S
    # What workers told up to the last second is in the archive; the rest nobody knows.
    found = machines.coordinator.result("QueryTest", {"run_id": "orphan"})
    assert (found["state"], found["completed"], found["verdict"]) == ("lost", 1, "abort")
    counts, told_s = found["counts"], 2 * (1.0 + SLACK_S)
    assert known["started"] - CPS * told_s <= counts["started"]
    assert counts["started"] <= known["started"] + CPS * (killed_at - asked_at + told_s)
    over = counts["passed"] + counts["failed"] + counts["aborted"] + counts["cancelled"]
    assert counts["started"] == over + counts["in_progress"] + counts["lost"]
    listed = machines.coordinator.result("ListResults", {"run_id": "orphan"})["results"]
    assert [row["state"] for row in listed] == ["lost"]
    seen.clear()
    start(machines, "after", 300, 300)
    result = completed(machines.coordinator, "after")
    assert (result["verdict"], len(result["workers"])) == ("pass", 3)
    assert each_once(seen, 300)


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
