"""Agents with other clocks or slow messages: the starts are still on one grid."""

import os
import shutil
import signal
import statistics
from collections import Counter
from importlib.util import find_spec
from typing import Any

import pytest
from support.daemons import require_peer
from support.machines import NEVER_LOST, Machines
from support.relay import Relay
from support.shared_runs import PATIENT, balanced, completed, in_progress, linear, undisturbed
from support.waiting import until
from support.witness import Witness

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(find_spec("locust") is None, reason="the extra cluster is not installed"),
]
TELL = {"type": "rest.Request", "arguments": {"path": "{'/' . $r->{idx}}", "method": "GET"}}
Params = dict[str, Any]
DELAY_S = 0.05
APART_S = 5.0


def clock(seconds: float) -> tuple[str, ...]:
    """Return the command that starts a program with its own monotonic clock."""
    require_peer(shutil.which("unshare"), "apt-get install util-linux")
    if os.geteuid() != 0 or not os.path.exists("/proc/self/ns/time"):
        pytest.skip("a clock of its own needs root, and a kernel with namespaces of time")
    moved = ("--monotonic", f"{seconds:.0f}", "--boottime", f"{seconds:.0f}")
    return ("unshare", "--time", *moved, "--fork", "--kill-child", "--")


def run(machines: Machines, run_id: str, total: int, cps: float) -> None:
    params = {"operations": [TELL], "distribution": linear(total, cps, 3000), "workers": "all"}
    machines.coordinator.result("ExecuteTest", {**params, "run_id": run_id})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("apart_s", [APART_S, -APART_S], ids=["ahead", "behind"])
def test_a_clock_that_is_off(tmp_path, witness: Witness, apart_s: float) -> None:
    machines = Machines(tmp_path, ("lab",), more=NEVER_LOST)
    port = witness.server_address[1]

    def play(number: int) -> Params:
        run_id = f"off {number}"
        machines.until_ready("w1", "lab/w1")
        witness.seen.clear()
        witness.when.clear()
        # At its first rate it would last for a minute, so it is in progress when it is changed.
        run(machines, run_id, 400, 5)
        in_progress(machines.coordinator, run_id, 4)
        machines.coordinator.result("RateTest", {"run_id": run_id, "cps": 200})
        return completed(machines.coordinator, run_id)

    try:
        machines.start_coordinator(port)
        machines.start_agent("lab", port, prefix=clock(apart_s))
        result = undisturbed(play)
    finally:
        machines.stop()
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    assert witness.seen == Counter({f"/{idx}": 1 for idx in range(400)})
    # Each worker makes every second start: two starts follow each other as on one clock.
    gaps = [witness.when[f"/{idx + 1}"] - witness.when[f"/{idx}"] for idx in range(0, 400, 2)]
    assert abs(statistics.median(gaps)) < APART_S / 2
    row = next(row for row in result["workers"] if row["name"] == "lab/w1")
    assert 0 < row["clock_error_ms"] < 1000 * APART_S / 2


@pytest.mark.slow
def test_messages_that_take_long(tmp_path, witness: Witness) -> None:
    """The clock error is half a round trip: the run is refused until the configuration allows that
    error. Later messages must arrive in time then."""
    machines = Machines(tmp_path, ("lab",), more=PATIENT + "max_clock_error_ms = 20\n")
    relay = Relay(machines.port, DELAY_S)
    port = witness.server_address[1]
    witness.seen.clear()
    try:
        machines.start_coordinator(port)
        machines.start_agent("lab", port, coordinator=f"127.0.0.1:{relay.port}")
        machines.until_ready("w1", "lab/w1")
        assert float(str(machines.rows()["lab/w1"]["clock_error_ms"])) >= 1000 * DELAY_S
        params = {"operations": [TELL], "distribution": linear(400, 100), "run_id": "long"}
        refused = machines.coordinator.call("ExecuteTest", {**params, "workers": "all"})["error"]
        assert (refused["code"], refused["data"]["kind"]) == (2003, "cluster.clock")
        assert refused["data"]["worker"] == "lab/w1"
        assert "more than max_clock_error_ms (20)" in refused["message"]
        result = machines.coordinator.run({**params, "run_id": "near"}, workers=["w1"])
        assert result["verdict"] == "pass"
        machines.more = PATIENT + "max_clock_error_ms = 60000\n"
        machines.write()
        machines.coordinator.signal(signal.SIGHUP)
        until(lambda: "configuration reloaded" in machines.coordinator.log)
        machines.until_ready("w1", "lab/w1")

        def play(number: int) -> Params:
            run_id = f"far {number}"
            machines.until_ready("w1", "lab/w1")
            witness.seen.clear()
            run(machines, run_id, 600, 5)
            in_progress(machines.coordinator, run_id, 4)
            for change in ({"cps": 10}, {"cps": 200}):
                machines.coordinator.result("RateTest", {"run_id": run_id, **change})
            return completed(machines.coordinator, run_id)

        result = undisturbed(play)
        seen = witness.seen.copy()
        late = heard_too_late(machines, relay)
    finally:
        machines.stop()
        relay.stop()
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    assert seen == Counter({f"/{idx}": 1 for idx in range(600)})
    assert "after its moment" not in str(result["problems"]), "it heard of each rate in time"
    assert result["lost"] == []
    (lost,) = late["lost"]
    assert lost["worker"] == "lab/w1"
    assert lost["reason"] == "it heard of a change after its moment"
    assert late["degraded"] == 1


def heard_too_late(machines: Machines, relay: Relay) -> Params:
    """Return the result of a run in which messages become slower than a change allows."""
    run_id = {"run_id": "late"}
    machines.until_ready("w1", "lab/w1")
    run(machines, "late", 100_000, 200)
    in_progress(machines.coordinator, "late", 200)
    # A change is announced four round trips ahead, of less than a second each
    relay.delay_s = 6.0
    machines.coordinator.result("RateTest", {**run_id, "cps": 20})
    until(lambda: bool(machines.coordinator.result("QueryTest", run_id)["lost"]))
    found: Params = machines.coordinator.result("CancelTest", run_id)
    return found


def test_a_clock_that_gets_worse_is_named(tmp_path, witness: Witness) -> None:
    """The clock becomes worse during a run; the quick messages from before are forgotten first."""
    soon = "lost_after_s = 60\nlease_s = 0.4\nmax_clock_error_ms = 25\n"
    machines = Machines(tmp_path, ("lab",), more=soon)
    relay = Relay(machines.port, 0.0)
    port = witness.server_address[1]
    witness.seen.clear()
    run_id = {"run_id": "worse"}
    try:
        machines.start_coordinator(port)
        machines.start_agent("lab", port, coordinator=f"127.0.0.1:{relay.port}")
        machines.until_ready("w1", "lab/w1")
        params = {"operations": [TELL], "distribution": linear(100_000, 100, 3000), **run_id}
        # It is refused as long as a busy machine makes the clock error too large.
        execute = {**params, "workers": "all"}
        until(lambda: "error" not in machines.coordinator.call("ExecuteTest", execute))
        in_progress(machines.coordinator, "worse", 50)
        relay.delay_s = DELAY_S

        def named() -> bool:
            problems = machines.coordinator.result("QueryTest", run_id)["problems"]
            return any("worker lab/w1: its clock may be" in one["text"] for one in problems)

        until(named, what=machines.rows)
        result = machines.coordinator.result("CancelTest", run_id)
    finally:
        machines.stop()
        relay.stop()
    row = next(row for row in result["workers"] if row["name"] == "lab/w1")
    assert row["clock_error_ms"] > 25
    assert max(witness.seen.values()) == 1
