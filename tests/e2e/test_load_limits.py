"""limited_by: the component that keeps a linear run from its rate is reported."""

import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import FLOW, DaemonProcess, configure, launch
from support.loads import assert_adds_up, play_linear, prompted
from support.waiting import GUARD_S, until

pytestmark = pytest.mark.e2e

NOOP = [{"type": "eval", "expression": "$v->{a} = 1"}]
HALT = [{"type": "halt", "arguments": {"seconds": 600}}]
# The first ten instances halt, the others end at once.
TEN_HALT = [
    {"type": "branch", "expression": "$r->{idx} >= 10", "on_true": "end"},
    *HALT,
    {"type": "pass", "label": "end"},
]
SILENT_SCP = prompted(600)
BUSY = [
    {"type": "eval", "label": "again", "expression": "$v->{n} += 1"},
    {"type": "branch", "expression": "$v->{n} < 40000", "on_true": "again"},
]
LOOPBACK = f'[scp]\nflows = ["{FLOW}"]\n[application.LAB]\nmodule = "sigtran"\n'
TICKS_S = 0.05  # the resolution of the system's processor times

MakeDaemon = Callable[[str], DaemonProcess]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeDaemon]:
    """Start daemons with members of [engine]; all are killed at the end."""
    started: list[DaemonProcess] = []

    def start_daemon(engine: str) -> DaemonProcess:
        folder = tmp_path_factory.mktemp("daemon")
        started.append(launch(folder, configure(folder, f"[engine]\n{engine}\n" + LOOPBACK)))
        return started[-1]

    yield start_daemon
    for one in started:
        one.kill()


@pytest.fixture(scope="module")
def daemon(start: MakeDaemon) -> DaemonProcess:
    """A start is late after the usual 5 ms."""
    return start("late_ms = 5")


@pytest.fixture(scope="module")
def patient(start: MakeDaemon) -> DaemonProcess:
    """A start is late only after a minute, so that a busy machine causes no finding."""
    return start("late_ms = 60000")


def begin(daemon: DaemonProcess, operations: Any, backlog: int) -> dict[str, Any]:
    """Start 200 instances at 200 a second; return the run's params once all are planned."""
    run = {"run_id": uuid.uuid4().hex}
    distribution = {"type": "linear", "total": 200, "backlog": backlog, "cps": 200}
    params = {**run, "operations": operations, "distribution": distribution, "ssp_ac": "camel2"}
    assert daemon.result("ExecuteTest", params) == "ok"

    def has_filled_up() -> bool:
        counts = daemon.result("QueryTest", run)["counts"]
        return bool((counts["planned"], counts["started"]) == (200, backlog))

    until(has_filled_up, what=lambda: daemon.result("QueryTest", run)["counts"])
    return run


def test_nothing_limits(patient: DaemonProcess) -> None:
    result = play_linear(patient, NOOP, total=100, backlog=100, cps=50)
    assert result["rate"]["limited_by"] is None
    assert result["rate"]["planned"] == 100
    assert 0 < result["generator"]["cpu"] < 1
    assert result["generator"]["loop_lag_ms"] >= 0, "sampled once a second"


def test_backlog(daemon: DaemonProcess) -> None:
    def play() -> str:
        run = begin(daemon, TEN_HALT, 10)
        for one in daemon.result("QueryTest", run)["halted"]:
            daemon.result("ResumeInstance", {**run, "instance_id": one["instance_id"]})
        result = daemon.result("QueryTest", {**run, "wait_s": 60})
        assert_adds_up(result)
        rate = result["rate"]
        assert rate["planned"] == 200
        assert rate["late"] >= 190, "all but the first ten"
        return str(rate["limited_by"])

    # On a busy machine one of the first ten may be late: then the tester itself is the cause.
    assert "backlog" in (play() for _ in range(10))


def test_backlog_that_never_frees_up(patient: DaemonProcess) -> None:
    result = patient.result("CancelTest", begin(patient, HALT, 10))
    assert_adds_up(result)
    rate = result["rate"]
    assert (rate["started"], rate["late"], rate["never_started"]) == (10, 0, 190)
    assert rate["limited_by"] == "backlog", "no start was late because none was made"


def test_system_under_test(patient: DaemonProcess) -> None:
    result = patient.result("CancelTest", begin(patient, SILENT_SCP, 20))
    assert_adds_up(result)
    assert result["rate"]["limited_by"] == "sut"
    assert result["rate"]["never_started"] == 180


def test_the_tester_itself(daemon: DaemonProcess) -> None:
    """A busy loop: starts are late although there is a free slot."""
    loop = {"type": "load", "total": 10_000, "backlog": 8}
    busy = {"run_id": "busy", "operations": BUSY, "distribution": loop}
    assert daemon.result("ExecuteTest", busy) == "ok"
    before_s, began = cpu_s(daemon), time.monotonic()
    run = {"run_id": "limited", "operations": NOOP, "ssp_ac": "camel2"}
    distribution = {"type": "linear", "total": 500, "backlog": 500, "cps": 250}
    assert daemon.result("ExecuteTest", {**run, "distribution": distribution}) == "ok"
    begun_s, least_s = cpu_s(daemon), 0.0

    def result() -> dict[str, Any] | None:
        nonlocal least_s
        used_s = cpu_s(daemon) - begun_s
        found: dict[str, Any] = daemon.result("QueryTest", {"run_id": "limited"})
        if not found["completed"]:  # so all of that time was used while the run was in progress
            least_s = used_s
        return found if found["completed"] else None

    found = until(result, 4 * GUARD_S)
    most_s, took_s = cpu_s(daemon) - before_s, time.monotonic() - began
    daemon.result("CancelTest", {"run_id": "busy"})
    assert found is not None
    assert_adds_up(found)
    assert found["rate"]["limited_by"] == "generator"
    assert found["rate"]["late"] > 5
    # Its share of the processor is the system's count, however much time other processes use.
    assert found["generator"]["cpu"] * took_s >= least_s - TICKS_S
    assert found["generator"]["cpu"] * found["duration"] <= most_s + TICKS_S


def cpu_s(daemon: DaemonProcess) -> float:
    """Return the processor time that a daemon has used."""
    fields = Path(f"/proc/{daemon.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
