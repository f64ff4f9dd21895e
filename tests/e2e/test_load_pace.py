"""RateTest and PauseTest on a whole daemon: the grid continues from now, and nothing jumps.

A load run has no grid: a pause only keeps its free slots free.
"""

import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import DaemonProcess, configure, launch
from support.waiting import stays, until

pytestmark = pytest.mark.e2e

NOOP = [{"type": "eval", "expression": "$v->{a} = 1"}]
WAIT = [{"type": "wait", "arguments": {"seconds": 600}}]
HALT = [{"type": "halt", "arguments": {"seconds": 600}}]
SHORT = [{"type": "wait", "arguments": {"seconds": 0.02}}]
# The first two instances halt, so that with a backlog of two no other instance starts.
HELD_UP = [
    {"type": "branch", "expression": "$r->{idx} >= 2", "on_true": "end"},
    *HALT,
    {"type": "pass", "label": "end"},
]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    folder = tmp_path_factory.mktemp("daemon")
    daemon = launch(folder, configure(folder))
    yield daemon
    daemon.kill()


def linear(daemon: DaemonProcess, operations: Any = NOOP, **distribution: Any) -> str:
    """Start a linear run and return its run_id."""
    run_id = uuid.uuid4().hex
    given = {"type": "linear", "total": 1_000_000, "backlog": 1000, "cps": 50, **distribution}
    run = {"run_id": run_id, "operations": operations, "distribution": given}
    assert daemon.result("ExecuteTest", run) == "ok"
    return run_id


def load(daemon: DaemonProcess, operations: Any = SHORT, **distribution: Any) -> str:
    """Start a load run and return its run_id."""
    return linear(daemon, operations, type="load", backlog=2, **distribution)


def pause(daemon: DaemonProcess, run_id: str, *, paused: bool = True) -> int:
    return int(daemon.result("PauseTest", {"run_id": run_id, "paused": paused})["paused"])


def paused_in_time(daemon: DaemonProcess, start: Callable[[], str]) -> str:
    """Return the id of a run that was paused before it ended."""

    def paused() -> str:
        run_id = start()
        response = daemon.call("PauseTest", {"run_id": run_id, "paused": True})
        return "" if "error" in response else run_id

    return until(paused)


def resume(daemon: DaemonProcess, run_id: str) -> None:
    """Resume the two halted instances."""
    for instance_id in ("0", "1"):
        daemon.result("ResumeInstance", {"run_id": run_id, "instance_id": instance_id})


def until_counts(daemon: DaemonProcess, run_id: str, **expected: int) -> dict[str, Any]:
    """Return the first result with these counts."""

    def as_expected() -> dict[str, Any] | None:
        result = query(daemon, run_id)
        return result if expected.items() <= result["counts"].items() else None

    return until(as_expected, what=lambda: query(daemon, run_id)["counts"]) or {}


def query(daemon: DaemonProcess, run_id: str, wait_s: float = 0) -> dict[str, Any]:
    return dict(daemon.result("QueryTest", {"run_id": run_id, "wait_s": wait_s}))


def cancel(daemon: DaemonProcess, run_id: str) -> dict[str, Any]:
    return dict(daemon.result("CancelTest", {"run_id": run_id}))


def elapsed(result: dict[str, Any]) -> float:
    """Return the seconds between the start of a run and an answer, by the daemon's own clock."""
    begin, now = result["time_start"], result["time_now"]
    return float(now[0] - begin[0]) + (now[1] - begin[1]) / 1e6


def test_a_new_rate_from_now_on(daemon: DaemonProcess) -> None:
    run_id = linear(daemon)
    until(lambda: query(daemon, run_id)["counts"]["planned"] >= 25)
    before = query(daemon, run_id)
    assert before["rate"]["asked"] == 50
    assert daemon.result("RateTest", {"run_id": run_id, "cps": 1000}) == {
        "run_id": run_id,
        "asked": 1000,
    }
    time.sleep(0.5)
    after = query(daemon, run_id)
    assert after["rate"]["asked_peak"] == 1000
    assert 50 < after["rate"]["asked"] < 1000, "the mean of both"
    planned = after["counts"]["planned"] - before["counts"]["planned"]
    # At most the new rate for the whole time in between; much more than the old rate.
    assert 200 <= planned <= (elapsed(after) - elapsed(before)) * 1000 + 2
    assert (
        daemon.result("RateTest", {"run_id": run_id, "cps": {"target": 0.001}})["asked"] == 0.001
    )
    slow = query(daemon, run_id)["counts"]["planned"]
    stays(lambda: query(daemon, run_id)["counts"]["planned"] <= slow + 1, 0.5)
    # At a higher rate, a start that was planned in a quarter of an hour is made at once.
    daemon.result("RateTest", {"run_id": run_id, "cps": "500"})
    until(lambda: query(daemon, run_id)["counts"]["started"] > slow + 50)
    result = cancel(daemon, run_id)
    counts, rate = result["counts"], result["rate"]
    assert rate["planned"] == rate["started"] + rate["never_started"]
    assert rate["started"] == rate["on_time"] + rate["late"] == counts["started"]


def test_stages_from_now_on(daemon: DaemonProcess) -> None:
    run_id = linear(daemon, total=400, cps=10)
    time.sleep(0.2)
    stages = [{"target": 0, "seconds": 0.3}, {"target": 1000, "seconds": 1}]
    asked = daemon.result("RateTest", {"run_id": run_id, "cps": {"stages": stages}})
    assert asked["asked"] == 1000
    result = query(daemon, run_id, 60)
    assert result["counts"]["passed"] == 400
    assert result["duration"] >= 0.2 + 0.3 + 0.39


def test_a_pause_moves_the_rest_and_makes_nothing_late(daemon: DaemonProcess) -> None:
    run_id = linear(daemon, cps=200)
    until(lambda: query(daemon, run_id)["counts"]["started"] >= 40)
    assert daemon.result("PauseTest", {"run_id": run_id, "paused": True}) == {
        "run_id": run_id,
        "paused": 1,
    }
    paused = query(daemon, run_id)
    assert paused["rate"]["paused"] == 1
    time.sleep(0.7)
    assert daemon.result("PauseTest", {"run_id": run_id, "paused": 1})["paused"] == 1, "twice"
    still = query(daemon, run_id)
    assert still["counts"]["planned"] == paused["counts"]["planned"]
    assert still["counts"]["started"] <= paused["counts"]["started"] + 1
    resumed_at = time.monotonic()
    assert daemon.result("PauseTest", {"run_id": run_id, "paused": False})["paused"] == 0
    resumed = query(daemon, run_id)
    # A grid that had not moved would have planned the starts of the pause by now.
    planned = resumed["counts"]["planned"] - paused["counts"]["planned"]
    assert planned <= 200 * (time.monotonic() - resumed_at) + 1
    assert resumed["rate"]["paused"] == 0
    more = paused["counts"]["started"] + 40
    until(lambda: query(daemon, run_id)["counts"]["started"] >= more)
    cancel(daemon, run_id)


def test_overdue_starts_do_not_grow_older_in_a_pause(daemon: DaemonProcess) -> None:
    run_id = linear(daemon, WAIT, total=3, backlog=2, cps=1000)
    until_counts(daemon, run_id, planned=3, started=2)
    daemon.result("PauseTest", {"run_id": run_id, "paused": True})
    counts = query(daemon, run_id)["counts"]
    assert (counts["planned"], counts["started"]) == (3, 2)
    result = cancel(daemon, run_id)
    assert result["rate"]["never_started"] == 1


def test_the_rate_may_change_in_a_pause(daemon: DaemonProcess) -> None:
    run_id = linear(daemon, total=50, cps=0.05)
    daemon.result("PauseTest", {"run_id": run_id, "paused": True})
    daemon.result("RateTest", {"run_id": run_id, "cps": 1000})
    stays(lambda: query(daemon, run_id)["counts"]["started"] <= 1, 0.3)
    daemon.result("PauseTest", {"run_id": run_id, "paused": False})
    assert query(daemon, run_id, 60)["counts"]["passed"] == 50


def test_a_paused_run_can_be_cancelled_and_runs_out_of_time(daemon: DaemonProcess) -> None:
    run_id = linear(daemon)
    daemon.result("PauseTest", {"run_id": run_id, "paused": True})
    assert cancel(daemon, run_id)["state"] == "completed"
    run_id = paused_in_time(daemon, lambda: linear(daemon, max_seconds=0.5))
    result = query(daemon, run_id, 60)
    assert result["completed"] == 1
    assert result["rate"]["planned"] == result["rate"]["started"] + result["rate"]["never_started"]


def test_a_paused_load_keeps_its_places_free_and_goes_on(daemon: DaemonProcess) -> None:
    run_id = load(daemon)
    until(lambda: query(daemon, run_id)["counts"]["passed"] >= 4)
    assert pause(daemon, run_id) == 1
    paused = until_counts(daemon, run_id, in_progress=0)
    assert paused["rate"]["paused"] == pause(daemon, run_id) == 1, "twice"
    # The time of fifty starts.
    stays(lambda: query(daemon, run_id)["counts"] == paused["counts"], 0.5)
    still = query(daemon, run_id)
    assert (still["state"], still["counts"]) == ("running", paused["counts"])
    assert still["rate"]["planned"] == still["rate"]["started"]
    assert pause(daemon, run_id, paused=False) == 0
    until_counts(daemon, run_id, in_progress=2)
    result = cancel(daemon, run_id)
    assert result["counts"]["started"] > paused["counts"]["started"]
    assert (result["rate"]["paused"], result["leaks"]) == (0, [])


def test_a_load_that_was_paused_makes_all_its_starts(daemon: DaemonProcess) -> None:
    run_id = load(daemon, HELD_UP, total=20)
    until_counts(daemon, run_id, halted=2)
    assert pause(daemon, run_id) == 1
    resume(daemon, run_id)
    paused = until_counts(daemon, run_id, in_progress=0)
    assert paused["counts"]["started"] == 2
    assert pause(daemon, run_id, paused=False) == 0
    result = query(daemon, run_id, 60)
    assert (result["counts"]["passed"], result["verdict"]) == (20, "pass")


def test_a_paused_load_can_be_cancelled_and_runs_out_of_time(daemon: DaemonProcess) -> None:
    run_id = load(daemon)
    pause(daemon, run_id)
    assert cancel(daemon, run_id)["state"] == "completed"
    run_id = paused_in_time(daemon, lambda: load(daemon, max_seconds=0.5))
    result = query(daemon, run_id, 60)
    assert (result["completed"], result["verdict"], result["rate"]["never_started"]) == (
        1,
        "pass",
        0,
    )


def test_a_full_backlog_can_be_paused(daemon: DaemonProcess) -> None:
    run_id = load(daemon, HALT, total=4)
    until_counts(daemon, run_id, halted=2)
    assert pause(daemon, run_id) == 1
    resume(daemon, run_id)
    counts = until_counts(daemon, run_id, in_progress=0)["counts"]
    # Longer than the interval at which a full pool checks again.
    stays(lambda: query(daemon, run_id)["counts"] == counts, 0.5)
    assert pause(daemon, run_id, paused=False) == 0
    until_counts(daemon, run_id, halted=2)
    cancel(daemon, run_id)


def test_a_daemon_that_drains_ends_a_paused_load(tmp_path: Path) -> None:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "drain.toml").write_text("[service]\ndrain_s = 0.5\n")
    daemon = launch(tmp_path, configure(tmp_path))
    try:
        pause(daemon, load(daemon))
        assert daemon.stop() == 0
    finally:
        daemon.kill()


METHODS = [("RateTest", {"cps": 10}), ("PauseTest", {"paused": True})]


@pytest.mark.parametrize(("method", "more"), METHODS)
def test_refusals(daemon: DaemonProcess, method: str, more: dict[str, Any]) -> None:
    def kind_of(run_id: str) -> tuple[int, str]:
        error = daemon.call(method, {"run_id": run_id, **more})["error"]
        return error["code"], error["data"]["kind"]

    assert kind_of("never seen") == (2004, "run_id.unknown")
    assert daemon.call(method, more)["error"]["code"] == 2000
    single = {"type": "single"}
    has_no_rate = [single, {"type": "load", "total": 1, "backlog": 1}]
    for distribution in has_no_rate if method == "RateTest" else [single]:
        run = {"run_id": "busy", "operations": WAIT, "distribution": distribution}
        assert daemon.result("ExecuteTest", run) == "ok"
        assert kind_of("busy") == (1000, "run.not_linear")
        cancel(daemon, "busy")
    for type_ in ("linear",) if method == "RateTest" else ("linear", "load"):
        last = linear(daemon, WAIT, total=1, type=type_)
        # Its one start is made at once.
        until(lambda run_id=last: kind_of(run_id) == (1000, "run.not_starting"))  # type: ignore[misc]
        cancel(daemon, last)
    done = linear(daemon, total=1)
    until(lambda: query_all(daemon)[done] == "completed")
    assert kind_of(done) == (1000, "run.completed")
    query(daemon, done)
    assert kind_of(done) == (2004, "run_id.unknown"), "collected"


def test_a_single_run_says_why_it_has_no_pause(daemon: DaemonProcess) -> None:
    assert daemon.result("ExecuteTest", {"run_id": "one", "operations": WAIT}) == "ok"
    error = daemon.call("PauseTest", {"run_id": "one", "paused": True})["error"]
    cancel(daemon, "one")
    text = 'run "one" is of type single: it has one start, and nothing to pause'
    assert error["message"].endswith(text)


def query_all(daemon: DaemonProcess) -> dict[str, str]:
    return {test["run_id"]: test["state"] for test in daemon.result("QueryAllTests")["tests"]}


@pytest.mark.parametrize(
    ("method", "wrong", "place"),
    [
        ("RateTest", {}, "params.cps"),
        ("RateTest", {"cps": 0}, "params.cps.target"),
        ("RateTest", {"cps": {"stages": []}}, "params.cps.stages"),
        ("RateTest", {"cps": "fast"}, "params.cps"),
        ("PauseTest", {}, "params.paused"),
        ("PauseTest", {"paused": "maybe"}, "params.paused"),
        ("PauseTest", {"paused": 1, "pause": 1}, "params.pause"),
    ],
)
def test_wrong_parameters(daemon: DaemonProcess, method: str, wrong: Any, place: str) -> None:
    error = daemon.call(method, {"run_id": "a", **wrong})["error"]
    assert error["code"] == 1000
    assert place in error["data"]["fields"]
