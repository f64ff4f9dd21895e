"""Worker processes that are killed, stand still or are drained during a run."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from e2e.cluster.shared import ROOT, TELL, WAIT, Params, needs_locust
from support.daemons import FLOW, HANG_GUARD_S, DaemonProcess, StartDaemon
from support.shared_runs import (
    CPS,
    PATIENT,
    balanced,
    completed,
    in_progress,
    kept_open,
    linear,
    ready,
    undisturbed,
)
from support.waiting import until
from support.witness import Witness

from tsvc.cli.embedded import clean_environment

pytestmark = needs_locust


class TestLoss:
    @pytest.mark.parametrize("victim", [0, 2])
    def test_a_killed_worker_is_named_and_others_make_its_starts(
        self, daemon: DaemonProcess, witness: Witness, victim: int
    ) -> None:
        params = {"operations": kept_open(TELL, WAIT), "distribution": linear(1500, 300)}
        name = f"w{victim + 1}"

        def play(number: int) -> Params:
            rows = {row["name"]: row for row in ready(daemon)}
            witness.seen.clear()
            run = {"run_id": f"killed {victim} {number}"}
            daemon.result("ExecuteTest", {**params, **run, "workers": "all"})
            in_progress(daemon, run["run_id"], 300)
            os.kill(rows[name]["pid"], signal.SIGKILL)
            return completed(daemon, run["run_id"])

        result = undisturbed(play, victim=name)
        balanced(result)
        (lost,) = result["lost"]
        assert lost["worker"] == name
        assert lost["reason"] == "its process ended with status -9"
        assert result["degraded"] == 1
        assert result["verdict"] == "fail"
        assert result["rate"]["limited_by"] == "generator", (
            "starts that a dead worker did not make"
        )
        counts = result["counts"]
        assert counts["planned"] == 1500
        assert counts["lost"] == lost["in_progress"]
        # Its share until the others took over its stripes, without its reported starts.
        (row,) = (one for one in result["workers"] if one["name"] == name)
        share = 100 * lost["taken_over_s"] + 1 - row["started"]
        assert lost["unknown_starts_max"] <= share
        assert max(witness.seen.values()) == 1, "no start twice"
        ran = len(witness.seen)
        # A start is counted before it reaches the witness, which may lack those in progress.
        least = counts["started"] - lost["in_progress"]
        assert least <= ran <= counts["started"] + lost["unknown_starts_max"]
        # Its share until the takeover may be missing, and nothing after that. The loss as a rate
        # is measured by bench/bench_cluster.py.
        missing = [idx for idx in range(1500) if not witness.seen[f"/{idx}"]]
        assert max(missing, default=0) <= 300 * lost["taken_over_s"]
        assert {idx % 256 % 3 for idx in missing} <= {victim}
        assert len(missing) <= share + lost["in_progress"]
        until(
            lambda: all(row["state"] == "ready" for row in daemon.result("ListWorkers")["workers"])
        )

    @pytest.mark.parametrize("on_lost", ["takeover", "shrink"])
    def test_a_loss_in_the_warm_up_is_no_part_of_the_rest(
        self, daemon: DaemonProcess, on_lost: str
    ) -> None:
        rows = ready(daemon)
        run = {"run_id": f"cold {on_lost}"}
        distribution = {**linear(900, 100), "warm_up_s": 6.0}
        params = {"operations": [WAIT], "distribution": distribution, "workers": "all"}
        daemon.result("ExecuteTest", {**params, **run, "on_lost": on_lost})
        in_progress(daemon, run["run_id"], 10)
        os.kill(rows[1]["pid"], signal.SIGKILL)
        result = completed(daemon, run["run_id"])
        balanced(result)
        (lost,) = result["lost"]
        rate, warm_up = result["rate"], result["warm_up"]
        assert warm_up["planned"] == 600
        assert warm_up["started"] < 600
        assert rate["planned"] == 300
        assert result["counts"]["started"] == rate["started"] + warm_up["started"]
        if on_lost == "takeover":
            # On a very busy machine the takeover may come after the warm-up.
            assert rate["never_started"] == 0 or lost["taken_over_s"] > 6.0
        else:
            assert 0 < rate["never_started"] == 300 - rate["started"]
        assert rate["started"] == rate["on_time"] + rate["late"]

    def test_a_run_that_allows_a_loss_may_pass(self, daemon: DaemonProcess) -> None:
        rows = ready(daemon)
        run = {"run_id": "allowed"}
        params = {"operations": kept_open(WAIT), "distribution": linear(500, 250)}
        more = {"workers": "all", "allow_lost": 1, "on_lost": "shrink"}
        daemon.result("ExecuteTest", {**params, **run, **more})
        in_progress(daemon, "allowed", 100)
        os.kill(rows[1]["pid"], signal.SIGKILL)
        result = completed(daemon, "allowed")
        balanced(result)
        assert (result["verdict"], result["degraded"]) == ("pass", 1)
        started = {row["name"]: row["started"] for row in result["workers"]}
        shares = Counter(f"w{idx % 256 % 3 + 1}" for idx in range(500))
        others = ("w1", "w3")
        assert [started[name] for name in others] == [shares[name] for name in others], (
            "nobody makes its starts"
        )

    def test_a_loss_may_end_the_run(self, daemon: DaemonProcess) -> None:
        rows = ready(daemon)
        run = {"run_id": "ended"}
        params = {"operations": [WAIT], "distribution": linear(50_000, 250), "workers": "all"}
        daemon.result("ExecuteTest", {**params, **run, "on_lost": "cancel"})
        in_progress(daemon, "ended", 100)
        os.kill(rows[1]["pid"], signal.SIGKILL)
        result = completed(daemon, "ended")
        balanced(result)
        assert result["verdict"] == "cancelled"

    def test_a_worker_that_stood_still_starts_nothing_twice(
        self, hasty: DaemonProcess, witness: Witness
    ) -> None:
        params = {"operations": kept_open(TELL), "distribution": linear(8 * CPS, CPS)}

        def play(number: int) -> Params:
            pid = ready(hasty)[0]["pid"]
            witness.seen.clear()
            run = {"run_id": f"still {number}"}

            def result() -> Params:
                found: Params = hasty.result("QueryTest", {**run, "collect": 0})
                return found

            hasty.result("ExecuteTest", {**params, **run, "workers": "all"})
            until(lambda: result()["counts"]["started"] >= CPS or result()["completed"])
            os.kill(pid, signal.SIGSTOP)
            until(lambda: "w1" in [one["worker"] for one in result()["lost"]])
            with suppress(ProcessLookupError):  # a worker that is silent for so long is ended
                os.kill(pid, signal.SIGCONT)
            return completed(hasty, run["run_id"])

        result = undisturbed(play, victim="w1")
        balanced(result)
        assert [one["worker"] for one in result["lost"]] == ["w1"]
        assert max(witness.seen.values()) == 1

    def test_a_reload_of_what_workers_have_is_a_loss(self, start_daemon: StartDaemon) -> None:
        daemon = start_daemon(f"[cluster]\nworkers = 2\n{PATIENT}")
        before = [row["pid"] for row in ready(daemon)]
        run = {"run_id": "reload"}
        params = {"operations": [WAIT], "distribution": linear(100_000, 200), "workers": "all"}
        daemon.result("ExecuteTest", {**params, **run})
        in_progress(daemon, "reload", 50)
        text = (daemon.folder / "tsvc.toml").read_text()
        (daemon.folder / "tsvc.toml").write_text(text + "[engine]\nmax_steps = 4321\n")
        daemon.signal(signal.SIGHUP)
        result = completed(daemon, "reload")
        balanced(result)
        assert len(result["lost"]) == 2
        assert (result["verdict"], result["degraded"]) == ("fail", 1)
        assert {row["pid"] for row in ready(daemon)}.isdisjoint(before)

    def test_half_a_second_of_standing_still_loses_nothing(
        self, daemon: DaemonProcess, witness: Witness
    ) -> None:
        rows = ready(daemon)
        witness.seen.clear()
        run = {"run_id": "stop"}
        params = {"operations": [TELL], "distribution": linear(100_000, 200, 3000)}
        daemon.result("ExecuteTest", {**params, **run, "workers": "all"})
        in_progress(daemon, "stop", 50)
        os.kill(rows[0]["pid"], signal.SIGSTOP)
        time.sleep(0.5)
        os.kill(rows[0]["pid"], signal.SIGCONT)
        # All starts that were planned up to here, and those of one more second, are made.
        target = daemon.result("QueryTest", run)["counts"]["planned"] + 200
        until(lambda: all(witness.seen[f"/{idx}"] for idx in range(target)), what=witness.seen)
        result = daemon.result("CancelTest", run)
        assert result["lost"] == []
        assert max(witness.seen.values()) == 1
        rows = {row["name"]: row for row in result["workers"]}
        assert rows["w1"]["late"] > 10
        assert rows["w1"]["limited_by"] == "generator", "it alone was late, and all by itself"


def test_a_daemon_that_is_killed_leaves_no_worker(start_daemon: StartDaemon) -> None:
    daemon = start_daemon(f"[cluster]\nworkers = 2\n{PATIENT}")
    pids = [row["pid"] for row in ready(daemon)]
    params = {"operations": [WAIT], "distribution": linear(50_000, 100), "workers": "all"}
    daemon.result("ExecuteTest", {**params, "run_id": "orphan"})
    in_progress(daemon, "orphan", 30)
    daemon.kill()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), what="no worker")


@pytest.mark.slow
def test_the_demo() -> None:
    example, flow = ROOT / "etc/examples/extension_dialing.json", FLOW
    found = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.demo_cluster", str(example), "--flow", str(flow)],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=5 * HANG_GUARD_S,
        cwd=ROOT,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "its process ended with status -9" in found.stdout
    assert "w3" in found.stdout


def test_a_drained_worker_plays_no_new_run(start_daemon: StartDaemon) -> None:
    daemon = start_daemon(f"[cluster]\nworkers = 2\n{PATIENT}")
    ready(daemon)
    assert daemon.result("DrainWorker", {"worker": "w1"})["worker"] == "w1"
    result = daemon.run({"operations": [WAIT]}, distribution=linear(20, 100), workers="all")
    assert [row["name"] for row in result["workers"]] == ["w2"]
    response = daemon.call("DrainWorker", {"worker": "w8"})
    assert response["error"]["data"]["kind"] == "worker.unknown"
    assert daemon.stop() == 0
