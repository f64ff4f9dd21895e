"""A run over several worker processes: which instances it has, and what it reports."""

import json
import time
from collections import Counter
from typing import Any

import pytest
from e2e.cluster.shared import (
    CALL,
    CHANCE,
    TELL,
    WAIT,
    Params,
    groups,
    in_time,
    needs_locust,
    scraped,
)
from support.daemons import DaemonProcess
from support.shared_runs import balanced, completed, ids_of, linear
from support.witness import Witness

pytestmark = needs_locust


class TestOneRun:
    def test_workers_make_of_a_seed_what_the_daemon_makes(self, daemon: DaemonProcess) -> None:
        params = {**CHANCE, "distribution": linear(600, 800)}
        alone = daemon.run(params)
        shared = daemon.run(params, workers="all")
        balanced(shared)
        assert "workers" not in alone
        assert [row["name"] for row in shared["workers"]] == ["w1", "w2", "w3"]
        assert sum(row["stripes"] for row in shared["workers"]) == 256
        lost_apart = {**alone["counts"], "lost": 0}
        assert shared["counts"] == lost_apart
        assert shared["verdict"] == alone["verdict"] == "abort"
        assert {one[:4] for one in groups(shared)} == {one[:4] for one in groups(alone)}
        assert shared["first_call_summary"]["vars"] == alone["first_call_summary"]["vars"]
        kept = {(one["cause"], one["state"]) for one in shared["first_fails"]}
        assert kept == {(one["cause"], one["state"]) for one in alone["first_fails"]}
        assert len(shared["slowest"]) == 10
        assert shared["degraded"] == 0
        assert shared["lost"] == []

    def test_each_start_of_the_grid_is_made_once(
        self, daemon: DaemonProcess, witness: Witness
    ) -> None:
        witness.seen.clear()
        result = daemon.run({"operations": [TELL]}, distribution=linear(400, 400), workers="all")
        balanced(result)
        assert result["verdict"] == "pass"
        assert witness.seen == Counter({f"/{idx}": 1 for idx in range(400)})

    def test_a_segment_is_dealt_too(self, daemon: DaemonProcess, witness: Witness) -> None:
        witness.seen.clear()
        segment = {"index": 1, "of": 3}
        params = {"operations": [TELL], "distribution": linear(300, 600), "segment": segment}
        result = daemon.run(params, workers=2)
        balanced(result)
        assert [row["name"] for row in result["workers"]] == ["w1", "w2"]
        assert witness.seen == Counter({f"/{idx}": 1 for idx in range(1, 300, 3)})
        assert result["first_call_summary"]["instance_id"] == "1"

    def test_a_share_of_failures_that_is_allowed(self, daemon: DaemonProcess) -> None:
        often = {"type": "branch", "expression": "$r->{idx} % 4", "on_true": "well"}
        operations = [often, {"type": "fail"}, {"type": "pass", "label": "well"}]
        params = {"operations": operations, "distribution": linear(80, 400), "workers": "all"}
        allowed = daemon.run(params, allow={"failed": "25%"})
        assert (allowed["verdict"], allowed["decided"]) == ("pass", ["failed"])
        assert allowed["counts"]["failed"] == 20
        assert daemon.run(params, allow={"failed": "24%"})["verdict"] == "fail"
        assert daemon.run(params)["verdict"] == "fail"

    def test_a_load_is_bounded_by_all_backlogs_together(self, daemon: DaemonProcess) -> None:
        distribution = {"type": "load", "total": 200, "backlog": 20}
        result = daemon.run({"operations": [WAIT]}, distribution=distribution, workers=3)
        balanced(result)
        assert result["counts"]["passed"] == 200
        assert result["duration"] >= 200 * 0.05 / 20 * 0.9

    def test_a_call_has_its_ladder(self, daemon: DaemonProcess) -> None:
        result = daemon.run(CALL, distribution=linear(60, 200), workers="all", sigtran="SIGTRAN")
        balanced(result)
        assert result["verdict"] == "pass", result["failures"]
        first = result["first_call_summary"]
        assert "InitialDP" in first["ladder"]
        assert first["flow_paths"]
        trace = daemon.result("GetTrace", {"result_id": result["result_id"], "format": "ladder"})
        assert "InitialDP" in trace["content"]

    def test_each_process_has_transaction_ids_of_its_own(self, daemon: DaemonProcess) -> None:
        """The number is in the top 11 bits (daemon: 0), on both sides of the loopback."""

        def numbers(**more: Any) -> list[tuple[int, set[int]]]:
            distribution = {"type": "linear", "total": 60, "backlog": 60, "cps": 200}
            run = {**CALL, "load_details": True, "sigtran": "SIGTRAN", **more}
            result = daemon.run(run, distribution=distribution)
            assert result["verdict"] == "pass", result["failures"]
            kept = [int(one["instance_id"]) for one in result["slowest"]]
            return [(idx, ids_of(daemon, result["result_id"], idx)) for idx in kept]

        shared = numbers(workers="all")
        assert all(found == {idx % 256 % 3 + 1} for idx, found in shared), shared
        alone = numbers()
        assert all(found == {0} for _, found in alone), alone

    def test_metrics_of_each_worker(self, daemon: DaemonProcess, http: int) -> None:
        before = scraped(http)
        daemon.run({"operations": [WAIT]}, distribution=linear(90, 300), workers="all")
        after = scraped(http)
        rows = daemon.result("ListWorkers")["workers"]
        for row in rows:
            place = f'{{worker="{row["name"]}"}}'
            for name, member in (
                ("instances_started_total", "started"),
                ("instances_finished_total", "finished"),
                ("starts_late_total", "late"),
                ("losses_total", "losses"),
                ("processes_total", "starts"),
                ("instances_in_progress", "in_progress"),
                ("cpu_cores", "cpu"),
            ):
                assert after[f"tsvc_worker_{name}{place}"] == row[member], (name, row)
            started = f"tsvc_worker_instances_started_total{place}"
            assert 20 <= after[started] - before[started] <= 40
            state = f'tsvc_worker_state{{worker="{row["name"]}",state="ready"}}'
            assert after[state] == 1
            assert after[f"tsvc_worker_clock_error_seconds{place}"] == 0
        names = [f'tsvc_worker_instances_started_total{{worker="w{n}"}}' for n in (1, 2, 3)]
        all_started = sum(after[name] - before[name] for name in names)
        total = "tsvc_instances_started_total"
        assert all_started == after[total] - before[total] == 90

    def test_the_rate_decides_who_plays(self, daemon: DaemonProcess) -> None:
        params = {"operations": [{"type": "pass"}]}
        assert "workers" in daemon.run(params, distribution=linear(100, 1000))
        assert "workers" not in daemon.run(params, distribution=linear(100, 800))
        assert "workers" not in daemon.run(params, workers="all")

    def test_its_locks_are_given_back(self, daemon: DaemonProcess) -> None:
        params = {"operations": [{"type": "pass"}], "locks": [{"key": "a subscriber"}]}
        for _ in range(2):
            assert daemon.run(params, distribution=linear(4, 100), workers=2)["verdict"] == "pass"

    def test_start_at_is_one_moment_of_all(self, daemon: DaemonProcess) -> None:
        params = {"operations": [WAIT], "distribution": linear(60, 200), "workers": 3}

        def play(lead_s: float) -> Params | None:
            run_id = f"at {lead_s}"
            start_at = time.time() + lead_s
            daemon.result("ExecuteTest", {**params, "run_id": run_id, "start_at": start_at})
            is_prepared = time.time() < start_at - 1  # a start needs half a second until then
            result = completed(daemon, run_id)
            if not is_prepared:
                return None
            seconds, micros = result["time_start"]
            assert seconds + micros / 1e6 == pytest.approx(start_at, abs=0.01)
            return result

        result = in_time(play)
        balanced(result)
        # A worker that began at another moment would not report its starts as late.
        last = max(one["t"] for one in result["buckets"] if one["num_calls_started"])
        assert last <= 60 / 200 + result["rate"]["lateness_ms"]["max"] / 1000

    def test_a_backlog_smaller_than_the_workers(self, daemon: DaemonProcess) -> None:
        result = daemon.run({"operations": [WAIT]}, distribution=linear(20, 400, 2), workers="all")
        balanced(result)
        assert [row["name"] for row in result["workers"]] == ["w1", "w2"]
        assert result["counts"]["passed"] == 20
        assert "2 of 3 play it" in json.dumps(result["problems"])
        assert result["duration"] >= 20 * 0.05 / 2 * 0.9

    def test_values_that_no_link_carries(self, daemon: DaemonProcess) -> None:
        """Numbers beyond 64 bits give the same result as in a daemon without workers."""
        operations = [
            {"type": "eval", "expression": "$v->{id} = 89310410106543789301234"},
            {
                "type": "eval",
                "expression": "$v->{id}",
                "tests": [{"kpath": "result", "type": "integer", "value": 1}],
            },
        ]
        given = {"vars": {"big": 2**70, "small": 1e-300}, "operations": operations}
        alone = daemon.run(given, distribution=linear(6, 100))
        shared = daemon.run(given, distribution=linear(6, 100), workers=2)
        balanced(shared)
        assert [one[:4] for one in groups(shared)] == [one[:4] for one in groups(alone)]
        assert shared["failures"][0]["values"] == alone["failures"][0]["values"]
        assert shared["first_call_summary"]["vars"] == alone["first_call_summary"]["vars"]

    def test_a_start_that_has_passed_is_now(self, daemon: DaemonProcess) -> None:
        params = {"operations": [{"type": "pass"}], "distribution": linear(100, 200)}
        result = daemon.run(params, workers=2, start_at=time.time() - 60)
        balanced(result)
        assert result["counts"]["passed"] == 100
        assert result["duration"] > 0.4, "nothing was overdue"
