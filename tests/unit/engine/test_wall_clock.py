"""The wall clock is set while a run is in progress."""

import pytest
from support.daemons import Daemon

from tsvc.clock import SYSTEM_CLOCK

STEP = {"type": "wait", "arguments": {"seconds": 0.05}}
LOAD = {"type": "load", "total": 3, "backlog": 1}


def seconds(moment):
    return moment[0] + moment[1] / 1e6


@pytest.fixture
def tsvc(tmp_path):
    service = Daemon(tmp_path)
    yield service
    service.stop()


@pytest.mark.parametrize("stepped", [-3600.0, -1.5, 2.5, 86400.0])
def test_times_keep_their_order_and_the_step_is_told(tsvc, monkeypatch, stepped):
    wall = SYSTEM_CLOCK.wall
    run_id = tsvc.execute(STEP, distribution=LOAD)
    monkeypatch.setattr(SYSTEM_CLOCK, "wall", lambda: wall() + stepped, raising=False)
    looked = tsvc.call("QueryTest", run_id=run_id, wait_s=0)
    result = tsvc.finish(run_id)
    began, ended = seconds(result["time_start"]), seconds(result["time_finish"])
    assert seconds(looked["time_now"]) >= began
    assert ended - began == pytest.approx(result["duration"], abs=0.01)
    first = result["first_call_summary"]
    assert began <= seconds(first["time_start"]) <= seconds(first["time_finish"]) <= ended
    assert seconds(result["time_now"]) >= ended
    (told,) = [one for one in result["problems"] if one["path"] == "time_finish"]
    assert told["severity"] == "warning"
    assert f"{stepped:+.1f} s" in told["text"]


@pytest.mark.parametrize("drift", [0.0, 0.5, -0.5])
def test_a_drift_is_no_step(tsvc, monkeypatch, drift):
    wall = SYSTEM_CLOCK.wall
    run_id = tsvc.execute(STEP)
    monkeypatch.setattr(SYSTEM_CLOCK, "wall", lambda: wall() + drift, raising=False)
    assert tsvc.finish(run_id)["problems"] == []
