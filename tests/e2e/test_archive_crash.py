"""kill -9 in the middle of a load: no finished result is lost, and the others have a known state.

TSVC_KILLS=30 repeats it thirty times (make test-full).
"""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.archived import until_archived
from support.daemons import DaemonProcess, configure, launch, read_response
from support.waiting import until

pytestmark = pytest.mark.e2e

KILLS = int(os.environ.get("TSVC_KILLS", "3"))
CPS = 200
WAIT = [{"type": "wait", "arguments": {"seconds": 0.02}}]
LOAD = {"type": "linear", "total": 1_000_000, "backlog": 1000, "cps": CPS}


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, int]:
    return tmp_path, configure(tmp_path, '[log]\nlevel = "warning"\n')


@pytest.fixture
def start(place: tuple[Path, int]) -> Iterator[Any]:
    daemons: list[DaemonProcess] = []

    def start_again() -> DaemonProcess:
        daemons.append(launch(*place))
        return daemons[-1]

    yield start_again
    for daemon in daemons:
        if daemon.process.poll() is None:
            daemon.kill()


def query(daemon: DaemonProcess, run_id: str) -> dict[str, Any]:
    return dict(daemon.result("QueryTest", {"run_id": run_id}))


def assert_adds_up(counts: dict[str, int]) -> None:
    ended = counts["passed"] + counts["failed"] + counts["aborted"] + counts["cancelled"]
    assert counts["finished"] == ended
    assert counts["started"] == counts["finished"] + counts["in_progress"]


def test_killed_at_random_moments(start: Any) -> None:
    chance = random.Random()
    earlier: dict[str, dict[str, Any]] = {}
    lost: dict[int, dict[str, Any]] = {}
    daemon = start()
    for round_ in range(KILLS):
        finished = daemon.run({"operations": [{"type": "pass"}]}, run_id=f"finished {round_}")
        earlier[f"finished {round_}"] = finished
        run = {"run_id": "load", "operations": WAIT, "distribution": LOAD}
        assert daemon.result("ExecuteTest", run) == "ok"
        time.sleep(chance.uniform(0.1, 3.0))
        asked_at = time.monotonic()
        known = query(daemon, "load")["counts"]
        # Not only between two requests: one request is being read, another is being written.
        with daemon.connect() as half:
            half.sendall(b"\0\0")
            daemon.kill()
        elapsed = time.monotonic() - asked_at

        daemon = start()
        found = query(daemon, "load")
        assert (found["state"], found["completed"], found["verdict"]) == ("lost", 1, "abort")
        assert_adds_up(found["counts"])
        assert found["counts"]["started"] <= known["planned"] + CPS * elapsed + 1
        lost[found["result_id"]] = found
        for run_id, result in earlier.items():
            again = query(daemon, run_id)
            assert {**again, "time_now": 0} == {**result, "time_now": 0}
        for result_id, result in lost.items():
            again = daemon.result("GetResult", {"result_id": result_id})
            assert {**again, "time_now": 0} == {**result, "time_now": 0}
        assert daemon.result("QueryAllTests")["tests"] == [], "every run_id is free"
    states = [row["state"] for row in daemon.result("ListResults", {"limit": 1000})["results"]]
    assert states == ["lost", "completed"] * KILLS
    assert daemon.stop() == 0


def test_counts_of_a_lost_run_are_those_of_its_last_snapshot(start: Any) -> None:
    daemon = start()
    run = {"run_id": "load", "operations": WAIT, "distribution": LOAD}
    assert daemon.result("ExecuteTest", run) == "ok"
    for _ in range(3):  # snapshots follow one another during the run
        known = query(daemon, "load")["counts"]["started"] + 1
        until_archived(daemon.folder, "load", known)
    asked_at = time.monotonic()
    last = query(daemon, "load")["counts"]
    daemon.kill()
    elapsed = time.monotonic() - asked_at
    found = query(start(), "load")["counts"]["started"]
    assert known <= found <= last["planned"] + CPS * elapsed + 1


def test_a_result_is_kept_before_anybody_can_see_it(start: Any) -> None:
    """Once QueryTest reports "completed", a crash loses nothing."""
    daemon = start()
    run = {"run_id": "a", "operations": WAIT}
    assert daemon.result("ExecuteTest", run) == "ok"
    result = daemon.result("QueryTest", {"run_id": "a", "wait_s": 60})
    daemon.kill()
    assert result["completed"] == 1
    again = query(start(), "a")
    assert {**again, "time_now": 0} == {**result, "time_now": 0}


def test_collected_and_aged_out(place: tuple[Path, int], start: Any) -> None:
    daemon = start()
    first = daemon.run({"operations": WAIT}, run_id="a")
    second = daemon.run({"operations": [{"type": "fail"}]}, run_id="a")
    assert query(daemon, "a")["result_id"] == second["result_id"], "the latest of that run_id"
    for method in ("CancelTest", "RateTest", "PauseTest"):
        more = {"RateTest": {"cps": 1}, "PauseTest": {"paused": 1}}.get(method, {})
        assert daemon.call(method, {"run_id": "a", **more})["error"]["code"] == 2004
    assert daemon.stop() == 0

    folder, port = place
    configure(folder, "[results]\nkeep_runs = 1\n", port=port)
    daemon = start()
    until(lambda: len(daemon.result("ListResults")["results"]) == 1)  # within seconds of a start
    assert query(daemon, "a")["result_id"] == second["result_id"]
    gone = daemon.call("GetResult", {"result_id": first["result_id"]})
    assert gone["error"]["code"] == 2004
    daemon.run({"operations": WAIT}, run_id="b")
    assert daemon.call("QueryTest", {"run_id": "never seen"})["error"]["code"] == 2004


def test_a_second_daemon_keeps_off(place: tuple[Path, int], start: Any) -> None:
    """Two daemons on one folder would report each other's runs as lost."""
    daemon = start()
    assert daemon.result("ExecuteTest", {"run_id": "a", "operations": WAIT}) == "ok"
    folder, _ = place
    with pytest.raises(AssertionError, match="in use by process"):
        launch(folder, configure(folder))
    with daemon.connect() as sock:
        sock.sendall(b"\0\0\0\1{")
        assert read_response(sock)["error"]["code"] == 1000
    assert daemon.result("QueryTest", {"run_id": "a", "wait_s": 60})["state"] == "completed"
