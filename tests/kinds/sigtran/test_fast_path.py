"""The fast path: whatever an SCP does, a run reports the same with and without it.

An SCP deviates in some calls: at random points of random calls it sends something else, nothing,
too much, too late, or breaks the rules. Calls run one after the other, so that two runs of one
seed have the same calls, the same transaction ids and the same deviations. Results, checks,
octets and counts are equal then; only times differ.
"""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from kinds.sigtran.both_runs import PATIENT, Choosing, played
from kinds.sigtran.unsteady import (
    BUSY,
    CALL,
    RRB,
    SECOND,
    USUAL,
    VARS,
    WAIT_S,
    Reaction,
)
from support.daemons import FLOW, Daemon, configure, example, launch
from support.loads import assert_adds_up
from support.ports import free_port
from support.scripted_scp import (
    ScriptedDaemon,
    ScriptedScp,
    evaluate,
    operation,
    send,
    sends,
)
from support.waiting import until
from support.without_memories import Recorder, difference

from tsvc.engine.fast_path import RunFastPath
from tsvc.kinds.sigtran.fast_path.paths import SlimDialogue
from tsvc.operations.fast_path.frame import MOST_BRANCHES

BEHAVIOURS = int(os.environ.get("TSVC_BEHAVIOURS", "400"))
A_RUN = 200  # calls


@pytest.mark.parametrize("seed", range(-(-BEHAVIOURS // A_RUN)))
def test_whatever_an_scp_does_the_result_is_the_same(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path, seed: int
) -> None:
    one_in = (2.5, 8)[seed % 2]
    plain, scp = played(tmp_path / "plain", recorder, seed, 0, A_RUN, one_in)
    assert fast_paths[0].begun == 0
    told, again = played(tmp_path / "fast", recorder, seed, 1, A_RUN, one_in)
    assert difference(told, plain) is None
    assert scp.deviated == again.deviated > A_RUN / 20
    assert fast_paths[1].begun > A_RUN / 2
    assert 0 < fast_paths[1].fell_back < fast_paths[1].begun


def jump(expression: str, on_true: str) -> dict[str, Any]:
    return {"type": "branch", "expression": expression, "on_true": on_true}


def test_calls_that_are_precomputed(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    """Operations between messages may set variables, jump, and fail in some calls."""
    opening, first, *rest = CALL
    arguments = {**opening["arguments"], "callingPartyNumber_digits": "{$v->{made}}"}
    call = [
        evaluate("$v->{made} = $v->{caller} + int(rand(5))", label="again"),
        jump("$v->{made} % 2", "again"),
        {**opening, "arguments": arguments},
        jump("$r->{idx} % 10 != 3", "on"),
        evaluate("1 / ($r->{idx} % 20 - 3)"),
        {"type": "fail", "arguments": {"text": "{$v->{made}}"}},
        {**first, "label": "on"},
        {"type": "log", "arguments": {"text": "{$v->{made}}"}},
        jump("$r->{idx} % 10 != 5", "then"),
        send("EventReportBCSM", {"eventTypeBCSM_name": "oNoAnswer"}),
        {**rest[0], "label": "then"},
        *rest[1:],
    ]
    plain, scp = played(tmp_path / "plain", recorder, 1, 0, A_RUN, 8, call)
    told, again = played(tmp_path / "fast", recorder, 1, 1, A_RUN, 8, call)
    assert difference(told, plain) is None
    assert scp.deviated == again.deviated > A_RUN / 20
    assert A_RUN / 2 < fast_paths[1].begun < A_RUN * 0.85
    assert 0 < fast_paths[1].fell_back < fast_paths[1].begun


def ending(location: int) -> Reaction:
    """Return the last message of a call, with a member that no definition here reads."""
    members = {"initialCallSegment_cause": 16, "initialCallSegment_location": location}
    return sends("end", operation("ReleaseCall", members))


def choosing(
    folder: Path, recorder: Recorder, chosen: list[tuple[Reaction | None, ...]], calls: int
) -> dict[str, Any]:
    """Return what a run of such calls reports, the same with `track: 0` and with `track: 1`."""
    plain, told = [
        played(folder / str(track), recorder, 1, track, calls, scp=Choosing(chosen))[0]
        for track in (0, 1)
    ]
    assert difference(told, plain) is None
    return plain


def test_each_way_in_which_an_scp_answers_becomes_a_branch(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    """For each different answer, only the first instance that gets it falls back."""
    chosen = [(*USUAL[:2], ending(location)) for location in (0, 1, 2, 0, 0, 2)]
    plain = choosing(tmp_path, recorder, chosen, 60)
    assert plain["counts"]["passed"] == 60
    branching = fast_paths[1]
    assert (branching.begun, branching.fell_back) == (59, 2)
    assert branching.result()["branches"] == 2
    assert [one["count"] for one in branching.result()["guards"]] == [2]


TO = {"destinationRoutingAddress_digits": "4329100", "destinationRoutingAddress_noa": 3}
RESTING = sends("continue", RRB, operation("Connect", TO))


def test_a_branch_in_the_middle_has_branches_of_its_own(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    chosen = [
        (second, None, ending(location)) for second in (SECOND, RESTING) for location in (0, 1)
    ]
    plain = choosing(tmp_path, recorder, chosen, 40)
    assert plain["counts"]["passed"] == 40
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (39, 3)
    assert fast_paths[1].result()["branches"] == 3


def test_more_answers_than_branches(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    """The branch that was used least is dropped."""
    chosen = [
        (second, None, ending(location)) for second in (SECOND, RESTING) for location in range(12)
    ]
    plain = choosing(tmp_path, recorder, chosen, 3 * len(chosen))
    assert plain["counts"]["passed"] == 3 * len(chosen)
    assert 0 < fast_paths[1].result()["branches"] <= MOST_BRANCHES
    assert fast_paths[1].begun == 3 * len(chosen) - 1
    assert len(chosen) - 1 < fast_paths[1].fell_back < fast_paths[1].begun


def test_a_call_that_fails_becomes_no_branch(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    chosen = [USUAL, USUAL, (*USUAL[:2], sends("end", BUSY)), USUAL]
    plain = choosing(tmp_path, recorder, chosen, 40)
    assert (plain["counts"]["passed"], plain["counts"]["failed"]) == (30, 10)
    assert fast_paths[1].fell_back == 10
    assert fast_paths[1].result()["branches"] == 0


# -- what ends or steers a run ------------------------------------------------------------------


class Halting(ScriptedScp):
    """Answers `usual` calls; then it does not send the last message, or no message at all."""

    def __init__(self, usual: int, words: int) -> None:
        super().__init__()
        self.left = usual
        self.words = words
        self._reactions: dict[Any, tuple[Reaction | None, ...]] = {}

    def take(self, indication: Any) -> None:
        dialogue = indication.dialogue
        if dialogue not in self._reactions:
            self.left -= 1
            self._reactions[dialogue] = USUAL if self.left >= 0 else USUAL[: self.words]
        self.reactions = self._reactions[dialogue]
        super().take(indication)


@pytest.mark.parametrize("words", [0, 1])
def test_a_cancel_ends_calls_wherever_they_wait(
    fast_paths: list[RunFastPath], tmp_path: Path, words: int
) -> None:
    ends = []
    for track in (0, 1):
        folder = tmp_path / str(track)
        folder.mkdir()
        scp = Halting(40, words)
        daemon = ScriptedDaemon(folder, scp=scp)
        try:
            load = {"type": "load", "total": 1000, "backlog": 20}
            run_id = daemon.execute(*PATIENT, vars=VARS, track=track, distribution=load)

            def counts(run_id: str = run_id, daemon: ScriptedDaemon = daemon) -> Any:
                return daemon.call("QueryTest", run_id=run_id, collect=0)["counts"]

            until(lambda: counts()["started"] == 60, what=counts)
            assert daemon.open_dialogues == (20, 20)
            daemon.call("CancelTest", run_id=run_id)
            result = daemon.finish(run_id)
            assert_adds_up(result)
            # A dialogue that the SCP has not answered knows no transaction id for an abort.
            assert daemon.open_dialogues == (0, 0 if words else 20)
            ends.append((result["counts"], result["verdict"], scp.kinds.count("U-ABORT")))
        finally:
            daemon.stop()
    assert ends[0] == ends[1]
    assert (ends[1][0]["passed"], ends[1][0]["cancelled"]) == (40, 20)
    assert ends[1][2] == (20 if words else 0)
    assert fast_paths[1].fell_back == 20


def test_what_waits_is_given_up_in_its_time(fast_paths: list[RunFastPath], tmp_path: Path) -> None:
    daemon = ScriptedDaemon(tmp_path, scp=Halting(40, 1))
    try:
        load = {"type": "load", "total": 60, "backlog": 20}
        result = daemon.run(*CALL, vars=VARS, distribution=load)
    finally:
        daemon.stop()
    assert result["counts"]["aborted"] == 20
    assert [one["cause"] for one in result["failures"]] == [
        "expected ReleaseCall, nothing came within … s"
    ]
    assert fast_paths[0].fell_back > 0
    assert min(one["duration"] for one in result["first_aborts"]) >= WAIT_S


def test_a_pause_and_another_rate(fast_paths: list[RunFastPath], tmp_path: Path) -> None:
    daemon = ScriptedDaemon(tmp_path, *USUAL)
    try:
        # Half a minute of calls, of which a busy machine makes many at once.
        load = {"type": "linear", "total": 3000, "backlog": 50, "cps": 100}
        run_id = daemon.execute(*PATIENT, vars=VARS, distribution=load)
        until(lambda: fast_paths and fast_paths[0].begun > 10)
        daemon.call("PauseTest", run_id=run_id, paused=1)
        begun = fast_paths[0].begun
        daemon.call("RateTest", run_id=run_id, cps=20_000)
        assert fast_paths[0].begun == begun
        daemon.call("PauseTest", run_id=run_id, paused=0)
        result = daemon.finish(run_id)
    finally:
        daemon.stop()
    assert_adds_up(result)
    assert result["counts"]["passed"] == 3000
    assert fast_paths[0].fell_back == 0


def test_a_lost_link_aborts_the_calls_on_it(fast_paths: list[RunFastPath], tmp_path: Path) -> None:
    port = free_port()
    scp_folder = tmp_path / "scp"
    scp_folder.mkdir()
    table = f'[scp]\nflows = ["{FLOW}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n'
    scp = launch(scp_folder, configure(scp_folder, table))
    link = {"name": "scp", "type": "m3ua", "remote_port": port}
    members = {"default_scp": {"dpc": 2, "dssn": 146}, "connections": [link]}
    tester = Daemon(tmp_path, {"LAB": ("sigtran", members)})
    try:
        tester.until_up()
        definition = example("extension_dialing")
        load = {"type": "load", "total": 3000, "backlog": 20}
        tester.call("ExecuteTest", run_id="r", **definition, distribution=load)
        until(lambda: fast_paths[0].begun > 50)
        os.kill(scp.process.pid, signal.SIGSTOP)
        endpoint = tester.gateway_of("sigtran").endpoint

        def waits() -> bool:
            replayed = [
                one for one in endpoint.dialogues.values() if isinstance(one, SlimDialogue)
            ]
            return len(replayed) == 20 and all(one.instance.awaits for one in replayed)

        until(waits)
        os.kill(scp.process.pid, signal.SIGKILL)
        result = tester.finish("r")
    finally:
        tester.stop()
        scp.kill()
    assert_adds_up(result)
    assert result["counts"]["passed"] + result["counts"]["aborted"] == 3000
    assert all("connection" in one["cause"] for one in result["failures"])
    assert fast_paths[0].fell_back >= 20
