"""The usual way: whatever an SCP does, a run says the same with and without it.

An SCP plays calls of which some deviate: at random points of random calls it says another thing,
nothing, too much, too late, or breaks the rules. One call after the other, so that two runs of one
seed have the same calls, the same transaction ids and the same deviations; results, checks,
octets and counts are equal then, but for times.
"""

import os
import random
import signal
from pathlib import Path
from typing import Any

import pytest
from kinds.sigtran.unsteady import (
    CALL,
    LAST,
    USUAL,
    VARS,
    WAIT_S,
    Reaction,
    Unsteady,
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

from tsvc.engine.usual import Usual, sequences_of
from tsvc.protocols.tcap.passage import Passage

BEHAVIOURS = int(os.environ.get("TSVC_BEHAVIOURS", "400"))
A_RUN = 200  # calls


def played(
    folder: Path,
    recorder: Recorder,
    seed: int,
    track: int,
    calls: int,
    one_in: float,
    call: list[dict[str, Any]] | None = None,
) -> tuple[dict[str, Any], Unsteady]:
    """Return what a run of one seed tells."""
    folder.mkdir(exist_ok=True)
    random.seed(seed)
    scp = Unsteady(seed, one_in)
    daemon = ScriptedDaemon(folder, scp=scp, quarantine_s=30)
    try:
        load = {"type": "load", "total": calls, "backlog": 1}
        run_id = daemon.execute(
            *(call or CALL), vars=VARS, track=track, distribution=load, seed=seed, run_id="r"
        )
        result = daemon.finish(run_id)
        assert_adds_up(result)
        assert daemon.open_dialogues[0] == 0
        told = recorder.told(run_id, result)
        told["late"] = result["counts"]["late_messages"]
        told["problems"] = [one["path"] for one in result["problems"]]
        told["groups"] = [
            {name: one[name] for name in ("state", "op", "cause", "count", "instance_id")}
            for one in result["failures"]
        ]
        for one in told["instances"]:
            # How late an answer was noticed is a matter of time.
            one.pop("reason_t", None)
        return told, scp
    finally:
        daemon.stop()


@pytest.mark.parametrize("seed", range(-(-BEHAVIOURS // A_RUN)))
def test_whatever_an_scp_does_the_result_is_the_same(
    recorder: Recorder, usuals: list[Usual], tmp_path: Path, seed: int
) -> None:
    one_in = (2.5, 8)[seed % 2]
    plain, scp = played(tmp_path / "plain", recorder, seed, 0, A_RUN, one_in)
    assert usuals[0].begun == 0
    told, again = played(tmp_path / "usual", recorder, seed, 1, A_RUN, one_in)
    assert difference(told, plain) is None
    assert scp.deviated == again.deviated > A_RUN / 20
    assert usuals[1].begun > A_RUN / 2
    assert 0 < usuals[1].deviated < usuals[1].begun


def jump(expression: str, on_true: str) -> dict[str, Any]:
    return {"type": "branch", "expression": expression, "on_true": on_true}


def test_calls_that_reckon(recorder: Recorder, usuals: list[Usual], tmp_path: Path) -> None:
    """What stands between may set variables, jump, and be odd in some of them."""
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
    told, again = played(tmp_path / "usual", recorder, 1, 1, A_RUN, 8, call)
    assert difference(told, plain) is None
    assert scp.deviated == again.deviated > A_RUN / 20
    assert A_RUN / 2 < usuals[1].begun < A_RUN * 0.85
    assert 0 < usuals[1].deviated < usuals[1].begun


class Settling(ScriptedScp):
    """Says other octets in its first calls, which nobody checks, and those of all others later."""

    def __init__(self, at_first: int) -> None:
        super().__init__()
        self._left = at_first
        self._reactions: dict[Any, tuple[Reaction | None, ...]] = {}

    def take(self, indication: Any) -> None:
        dialogue = indication.dialogue
        if dialogue not in self._reactions:
            self._left -= 1
            last = sends("end", PRIVATE) if self._left >= 0 else LAST
            self._reactions[dialogue] = (*USUAL[:2], last)
        self.reactions = self._reactions[dialogue]
        super().take(indication)


PRIVATE = operation(
    "ReleaseCall", {"initialCallSegment_cause": 16, "initialCallSegment_location": 1}
)


def test_a_track_that_most_leave_is_learnt_anew(usuals: list[Usual], tmp_path: Path) -> None:
    daemon = ScriptedDaemon(tmp_path, scp=Settling(1))
    try:
        # One after the other: it is the first that is learnt from.
        load = {"type": "load", "total": 1000, "backlog": 1}
        result = daemon.run(*PATIENT, vars=VARS, distribution=load)
    finally:
        daemon.stop()
    assert_adds_up(result)
    assert result["counts"]["passed"] == 1000
    assert 100 < usuals[0].deviated < 150
    assert usuals[0].begun > 900


# -- what ends or steers a run ------------------------------------------------------------------


class Halting(ScriptedScp):
    """Plays so many usual calls; then it says no last word, or no word at all."""

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


PATIENT = [{**entry, "seconds": 60} if "_from_" in entry["type"] else entry for entry in CALL]


@pytest.mark.parametrize("words", [0, 1])
def test_a_cancel_ends_calls_wherever_they_wait(
    usuals: list[Usual], tmp_path: Path, words: int
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
            # Whom nobody has answered has nobody to tell.
            assert daemon.open_dialogues == (0, 0 if words else 20)
            ends.append((result["counts"], result["verdict"], scp.kinds.count("U-ABORT")))
        finally:
            daemon.stop()
    assert ends[0] == ends[1]
    assert (ends[1][0]["passed"], ends[1][0]["cancelled"]) == (40, 20)
    assert ends[1][2] == (20 if words else 0)
    assert usuals[1].deviated == 20


def test_what_waits_is_given_up_in_its_time(usuals: list[Usual], tmp_path: Path) -> None:
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
    assert usuals[0].deviated > 0
    assert min(one["duration"] for one in result["first_aborts"]) >= WAIT_S


def test_a_pause_and_another_rate(usuals: list[Usual], tmp_path: Path) -> None:
    daemon = ScriptedDaemon(tmp_path, *USUAL)
    try:
        # Half a minute of calls, of which a busy machine makes many at once.
        load = {"type": "linear", "total": 3000, "backlog": 50, "cps": 100}
        run_id = daemon.execute(*PATIENT, vars=VARS, distribution=load)
        until(lambda: usuals and usuals[0].begun > 10)
        daemon.call("PauseTest", run_id=run_id, paused=1)
        begun = usuals[0].begun
        daemon.call("RateTest", run_id=run_id, cps=20_000)
        assert usuals[0].begun == begun
        daemon.call("PauseTest", run_id=run_id, paused=0)
        result = daemon.finish(run_id)
    finally:
        daemon.stop()
    assert_adds_up(result)
    assert result["counts"]["passed"] == 3000
    assert usuals[0].deviated == 0


def test_a_lost_link_aborts_the_calls_on_it(usuals: list[Usual], tmp_path: Path) -> None:
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
        until(lambda: usuals[0].begun > 50)
        os.kill(scp.process.pid, signal.SIGSTOP)
        endpoint = tester.gateway_of("sigtran").endpoint

        def waits() -> bool:
            passages = [one for one in endpoint.dialogues.values() if isinstance(one, Passage)]
            return len(passages) == 20 and not any(one.is_due for one in passages)

        until(waits)
        os.kill(scp.process.pid, signal.SIGKILL)
        result = tester.finish("r")
    finally:
        tester.stop()
        scp.kill()
    assert_adds_up(result)
    assert result["counts"]["passed"] + result["counts"]["aborted"] == 3000
    assert all("connection" in one["cause"] for one in result["failures"])
    assert usuals[0].deviated >= 20


# -- what may go the usual way --------------------------------------------------------------------


def begun(usuals: list[Usual], folder: Path, *operations: Any, **params: Any) -> int:
    """Return how many instances of a run of 30 went the usual way."""
    usuals.clear()
    daemon = ScriptedDaemon(folder, *USUAL)
    try:
        load = {"type": "load", "total": 30, "backlog": 1}
        result = daemon.run(*operations, **{"vars": VARS, "distribution": load, **params})
    finally:
        daemon.stop()
    assert result["counts"]["passed"] == 30, result["first_call_summary"]["check_log"]
    return usuals[0].begun


def test_who_goes_the_usual_way(usuals: list[Usual], tmp_path: Path) -> None:
    assert begun(usuals, tmp_path, *PATIENT) == 29
    assert begun(usuals, tmp_path, *PATIENT, trace_messages=0) == 29
    assert begun(usuals, tmp_path, *PATIENT, load_details=0) == 29
    assert begun(usuals, tmp_path, *PATIENT, track=0) == 0
    assert begun(usuals, tmp_path, *PATIENT, turbo=1) == 0
    for other, count in (
        (evaluate("$v->{x} = time"), 0),
        (evaluate("$v->{x} = scalar(keys(%$v))"), 0),  # what came is one of them
        (evaluate("1", tests=[{"kpath": "v.x", "type": "exists", "value": 0}]), 0),
        ({"type": "wait", "arguments": {"seconds": 0}}, 0),
    ):
        assert begun(usuals, tmp_path, *PATIENT, other) == count
    opening, *rest = PATIENT
    for text, count in (("{$v->{caller} . ''}", 29), ("{$g->{x} // $v->{caller}}", 0)):
        arguments = {**opening["arguments"], "callingPartyNumber_digits": text}
        assert begun(usuals, tmp_path, {**opening, "arguments": arguments}, *rest) == count
    random_vars = {"caller": "{6421000000 + int(rand(10))}"}
    assert begun(usuals, tmp_path, *PATIENT, vars=random_vars) == 29


def connect_to(text: str, **more: Any) -> list[dict[str, Any]]:
    """Return the call with another number that it expects to be connected to."""
    opening, first, connect, *rest = PATIENT
    arguments = {"destinationRoutingAddress_digits": text}
    return [opening, first, {**connect, "arguments": arguments, **more}, *rest]


@pytest.mark.parametrize(
    ("to", "given", "count"),
    [
        ("{$v->{far} + 100}", {"far": 4329000}, 29),
        ("{$v->{a} . ($v->{b} - 1)}", {"a": "4329", "b": 101}, 29),
        ("{$v->{far}}", {"far": "{4329000 + 100}"}, 0),
        ("{$v->{far}}", {"far": {"$choice": ["4329100"]}}, 0),
        ("{$v->{far} + 0 * $r->{idx}}", {"far": 4329100}, 0),
        ("{($v->{far}++) + 0}", {"far": 4329100}, 0),
        ("{$v->{far} = 4329100}", {"far": 1}, 0),
        ("{$v->{same} * 1}", {"same": {"$sequence": {"start": 4329100, "step": 0}}}, 0),
    ],
)
def test_what_is_expected_may_be_reckoned_of_constants(
    usuals: list[Usual], tmp_path: Path, to: str, given: dict[str, Any], count: int
) -> None:
    given = {"caller": VARS["caller"], **given}
    assert begun(usuals, tmp_path, *connect_to(to), vars=given) == count


def test_nothing_else_may_set_what_is_reckoned_with(usuals: list[Usual], tmp_path: Path) -> None:
    to = connect_to("{$v->{far}}")
    given = {"caller": VARS["caller"], "far": 4329100}
    assert begun(usuals, tmp_path, *to, vars=given) == 29
    assert begun(usuals, tmp_path, *to, evaluate("$v->{a} = 1"), vars=given) == 29
    assert begun(usuals, tmp_path, *to, evaluate("$v->{far} .= ''"), vars=given) == 0
    opening = {**to[0]["arguments"], "callingPartyNumber_digits": "{($v->{far} = 4329100) + 0}"}
    assert begun(usuals, tmp_path, {**to[0], "arguments": opening}, *to[1:], vars=given) == 0


def test_tests_are_judged_once_but_for_the_clock(usuals: list[Usual], tmp_path: Path) -> None:
    number = {"kpath": "destinationRoutingAddress_digits", "type": "len", "value": 7}
    for test, count in ((number, 29), ({**number, "value": "{3 + $v->{far}}"}, 29)):
        calls = connect_to("4329100", tests=[test])
        given = {"caller": VARS["caller"], "far": 4}
        assert begun(usuals, tmp_path, *calls, vars=given) == count
    moment = {"kpath": "destinationRoutingAddress_digits", "type": "timestamp", "min": 0}
    calls = connect_to("4329100", tests=[moment])
    assert begun(usuals, tmp_path, *calls) == 0


def test_a_longer_argument_goes_the_ordinary_way(usuals: list[Usual], tmp_path: Path) -> None:
    growing = {"caller": {"$sequence": {"start": 9, "step": 9}}}  # 9 to 270: one digit to three
    assert 0 < begun(usuals, tmp_path, *PATIENT, vars=growing) < 29


def test_sequences_of() -> None:
    sequence = {"$sequence": {"start": 7, "step": 2, "width": 3}}
    found = sequences_of({"a": sequence, "b": "text", "c": 1})
    assert [found["a"](idx) for idx in (0, 1, 500)] == ["007", "009", "1007"]
    assert sequences_of({"a": sequence, "b": "{1 + 1}"}) == {}
    assert sequences_of({"a": sequence, "b": {"$random": {"max": 5}}}) == {}
    assert sequences_of({"a": {"$sequence": {"start": 7}}}) == {}
