"""Workers that remain make the starts of one that is killed: at the rate that was asked for."""

import os
import signal
from importlib.util import find_spec

import pytest
from support.daemons import StartDaemon
from support.shared_runs import balanced, completed, in_progress, linear, ready

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(find_spec("locust") is None, reason="the extra cluster is not installed"),
]
CLUSTER = """
[cluster]
workers = 3
single_max = 900
lost_after_s = 2
lease_s = 1
"""
WAIT = {"type": "wait", "arguments": {"seconds": 0.05}}


@pytest.mark.parametrize("victim", [0, 2])
def test_the_rate_is_kept(start_daemon: StartDaemon, victim: int) -> None:
    daemon = start_daemon(CLUSTER)
    rows = ready(daemon)
    params = {"operations": [WAIT], "distribution": linear(1500, 300), "workers": "all"}
    daemon.result("ExecuteTest", {**params, "run_id": "killed"})
    in_progress(daemon, "killed", 300)
    os.kill(rows[victim]["pid"], signal.SIGKILL)
    result = completed(daemon, "killed")
    balanced(result)
    (lost,) = result["lost"]
    assert lost["worker"] == rows[victim]["name"]
    # A second after its last snapshot at most, half of one until it is taken over, and a little.
    assert lost["taken_over_s"] - lost["since_s"] <= 2.0
    per_second = [bucket["num_calls_started"] for bucket in result["buckets"]]
    assert per_second[-2] == pytest.approx(300, abs=30)
