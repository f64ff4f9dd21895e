"""Runs of several processes that are changed, cancelled or refused."""

import json
import time
from collections import Counter

import pytest
from e2e.cluster.shared import ADDRESS, CALL, TELL, WAIT, Params, in_time, needs_locust
from support.daemons import DaemonProcess
from support.shared_runs import balanced, completed, in_progress, linear, ready, undisturbed
from support.waiting import until
from support.witness import Witness

pytestmark = needs_locust


class TestChanges:
    def test_before_it_begins(self, daemon: DaemonProcess) -> None:
        params = {"operations": [WAIT], "distribution": linear(60, 200), "workers": "all"}

        def play(lead_s: float) -> Params | None:
            run = {"run_id": f"early {lead_s}"}
            start_at = time.time() + lead_s
            daemon.result("ExecuteTest", {**params, **run, "start_at": start_at})
            # A late change may find no starts left; it is then refused.
            for method, change in (
                ("PauseTest", {"paused": 1}),
                ("PauseTest", {"paused": 0}),
                ("RateTest", {"cps": {"target": 300, "burst": 9}}),
            ):
                response = daemon.call(method, {**run, **change})
                if time.time() >= start_at:
                    daemon.result("CancelTest", run)
                    return None
                assert "error" not in response, response
            ready(daemon)
            return completed(daemon, run["run_id"])

        result = in_time(play)
        balanced(result)
        assert result["counts"]["passed"] == 60
        assert result["lost"] == []

    def test_rate_pause_and_resume(self, daemon: DaemonProcess, witness: Witness) -> None:
        # At its first rate the run would last for minutes, so there is time to change it.
        params = {"operations": [TELL], "distribution": linear(900, 5), "workers": "all"}

        def play(number: int) -> Params:
            ready(daemon)
            witness.seen.clear()
            run = {"run_id": f"changes {number}"}
            assert daemon.result("ExecuteTest", {**params, **run}) == "ok"
            in_progress(daemon, run["run_id"], 3)
            daemon.result("PauseTest", {**run, "paused": 1})
            until(lambda: daemon.result("QueryTest", run)["rate"]["paused"] == 1)
            daemon.result("RateTest", {**run, "cps": 600})
            daemon.result("PauseTest", {**run, "paused": 0})
            return completed(daemon, run["run_id"])

        result = undisturbed(play)
        balanced(result)
        assert result["counts"]["planned"] == result["counts"]["passed"] == 900
        assert witness.seen == Counter({f"/{idx}": 1 for idx in range(900)})
        assert not [one for one in result["problems"] if one["path"] == "workers"]
        assert result["rate"]["asked_peak"] == 600

    def test_workers_ramp_from_one_rate(self, daemon: DaemonProcess) -> None:
        """Each worker plans its starts by the rate that the coordinator names."""
        run = {"run_id": "ramps"}
        params = {"operations": [{"type": "pass"}], "distribution": linear(900, 200)}
        assert daemon.result("ExecuteTest", {**params, **run, "workers": "all"}) == "ok"
        in_progress(daemon, "ramps", 0)
        stages = [{"target": 600, "seconds": 1, "ramp_s": 0.5}]
        daemon.result("RateTest", {**run, "cps": {"stages": stages}})
        result = completed(daemon, "ramps")
        balanced(result)
        assert result["counts"]["passed"] == 900
        assert not [one for one in result["problems"] if one["path"] == "workers"]
        assert result["rate"]["asked_peak"] == 600
        # 0.5 s at a mean of 400/s, then 600/s: fewer than after a jump to 600/s or a ramp from 0.
        assert 200 < result["rate"]["asked"] < 600

    def test_random_starts_are_each_made_once(
        self, daemon: DaemonProcess, witness: Witness
    ) -> None:
        witness.seen.clear()
        run = {"run_id": "poisson"}
        params = {"operations": [TELL], "distribution": linear(600, 200), "workers": "all"}
        params["distribution"]["cps"] = {"target": 200, "arrivals": "poisson"}
        assert daemon.result("ExecuteTest", {**params, **run}) == "ok"
        in_progress(daemon, "poisson", 20)
        daemon.result("PauseTest", {**run, "paused": 1})
        daemon.result("RateTest", {**run, "cps": {"target": 400, "arrivals": "even"}})
        daemon.result("PauseTest", {**run, "paused": 0})
        daemon.result("RateTest", {**run, "cps": {"target": 300, "arrivals": "poisson"}})
        result = completed(daemon, "poisson")
        balanced(result)
        assert witness.seen == Counter({f"/{idx}": 1 for idx in range(600)})
        assert not [one for one in result["problems"] if one["path"] == "workers"]

    @pytest.mark.parametrize("kind", ["linear", "load"])
    def test_a_warm_up_is_not_measured(self, daemon: DaemonProcess, kind: str) -> None:
        wait = {"type": "wait", "arguments": {"seconds": 0.05}}
        plan = linear(300, 200) if kind == "linear" else {"type": "load", "total": 300}
        distribution = {**plan, "backlog": 12, "warm_up_s": 0.5}
        given = {"operations": [wait], "distribution": distribution}
        result = daemon.run(given, workers="all")
        balanced(result)
        counts, rate, warm_up = result["counts"], result["rate"], result["warm_up"]
        assert counts["passed"] == counts["planned"] == 300
        assert rate["planned"] == rate["started"] == 300 - warm_up["started"]
        assert warm_up["planned"] == warm_up["started"] > 0
        assert rate["started"] == rate["on_time"] + rate["late"]
        assert result["latency"]["service"]["count"] == rate["started"]
        if kind == "linear":
            assert warm_up["planned"] == 100
            assert rate["asked"] == pytest.approx(200, abs=0.01)
        assert not [one for one in result["problems"] if one["path"] == "workers"]

    def test_cancel(self, daemon: DaemonProcess) -> None:
        long = {"type": "wait", "arguments": {"seconds": 600}}
        run = {"run_id": "cancel"}
        params = {"operations": [long], "distribution": linear(10_000, 300), "workers": "all"}
        daemon.result("ExecuteTest", {**params, **run})
        in_progress(daemon, "cancel", 100)
        result = daemon.result("CancelTest", run)
        assert result["completed"] == 1
        assert result["verdict"] == "cancelled"
        balanced({name: result[name] for name in result if name != "cancelled"})
        assert result["counts"]["cancelled"] == result["counts"]["started"] >= 100

    def test_a_halted_instance_goes_on(self, daemon: DaemonProcess) -> None:
        halt = {"type": "halt", "arguments": {"seconds": 600, "comment": "look"}}
        run = {"run_id": "halt"}
        params = {"operations": [halt], "distribution": linear(4, 100), "workers": "all"}
        daemon.result("ExecuteTest", {**params, **run})

        def halted() -> list[Params]:
            found: list[Params] = daemon.result("QueryTest", run)["halted"]
            return found

        until(lambda: len(halted()) == 4, what=halted)
        for one in halted():
            assert one["comment"] == "look"
            daemon.result("ResumeInstance", {**run, "instance_id": one["instance_id"]})
        result = completed(daemon, "halt")
        assert result["counts"]["passed"] == 4


class TestRefusals:
    @pytest.mark.parametrize(
        ("params", "kind", "text"),
        [
            ({"workers": 9}, "cluster.worker", "9 workers are wanted, 3 are ready"),
            ({"workers": ["w1", "w7"]}, "definition.invalid", 'no worker "w7"'),
            ({"workers": 0}, "definition.invalid", "must be at least 1"),
            ({"workers": {}}, "definition.invalid", 'must be "all", a number'),
            (
                {"workers": 2, "operations": [{"type": "eval", "expression": "$g->{n}++"}]},
                "cluster.globals",
                "2 workers share none",
            ),
            (
                {
                    "workers": 2,
                    "sigtran": "LINK",
                    "scp": ADDRESS,
                    "operations": CALL["operations"],
                },
                "cluster.gateway",
                "'LINK' can't be played by workers",
            ),
        ],
    )
    def test_what_workers_cannot_do(
        self, daemon: DaemonProcess, params: Params, kind: str, text: str
    ) -> None:
        whole = {"run_id": "refused", "operations": [WAIT], "distribution": linear(10, 10)}
        response = daemon.call("ExecuteTest", {**whole, **params})
        assert text in json.dumps(response["error"]).replace('\\"', '"')
        assert response["error"]["data"]["kind"] == kind
        assert daemon.result("DescribeService")["runs"]["in_progress"] == 0

    def test_globals_of_each_worker(self, daemon: DaemonProcess) -> None:
        count = {"type": "eval", "expression": "$g->{n}++"}
        result = daemon.run(
            {"operations": [count]},
            distribution=linear(50, 500),
            workers=3,
            globals="per_worker",
        )
        assert result["counts"]["passed"] == 50
