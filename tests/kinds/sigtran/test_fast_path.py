"""The fast path: whatever an SCP does, a run reports the same with and without it.

An SCP deviates in some calls: at random points of random calls it sends something else, nothing,
too much, too late, or breaks the rules. Calls run one after the other, so that two runs of one
seed have the same calls, the same transaction ids and the same deviations. Results, checks,
octets and counts are equal then; only times differ.
"""

import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kinds.sigtran.unsteady import (
    BUSY,
    CALL,
    LAST,
    RRB,
    SECOND,
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

from tsvc.engine.fast_path import RunFastPath
from tsvc.kinds.sigtran.fast_path.paths import SlimDialogue
from tsvc.operations.fast_path.frame import MOST_BRANCHES
from tsvc.protocols.inap.operation import OPERATIONS

BEHAVIOURS = int(os.environ.get("TSVC_BEHAVIOURS", "400"))
A_RUN = 200  # calls


def played(
    folder: Path,
    recorder: Recorder,
    seed: int,
    track: int,
    calls: int,
    one_in: float = 1e9,
    call: list[dict[str, Any]] | None = None,
    scp: Any = None,
    **params: Any,
) -> tuple[dict[str, Any], Any]:
    """Return what a run of one seed reports, and its SCP: an Unsteady one if none is given."""
    folder.mkdir(exist_ok=True)
    random.seed(seed)
    scp = scp or Unsteady(seed, one_in)
    daemon = ScriptedDaemon(folder, scp=scp, quarantine_s=30)
    try:
        load = {"type": "load", "total": calls, "backlog": 1}
        run_id = daemon.execute(
            *(call or CALL),
            track=track,
            distribution=load,
            seed=seed,
            run_id="r",
            **{"vars": VARS, **params},
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
            # When a silence is noticed differs from run to run.
            one.pop("reason_t", None)
        return told, scp
    finally:
        daemon.stop()


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


class Choosing(ScriptedScp):
    """Follows the chosen reactions, the next ones in each call; no test reads the differences."""

    def __init__(self, chosen: list[tuple[Reaction | None, ...]]) -> None:
        super().__init__()
        self._chosen = chosen
        self._reactions: dict[Any, tuple[Reaction | None, ...]] = {}

    def take(self, indication: Any) -> None:
        dialogue = indication.dialogue
        if dialogue not in self._reactions:
            number = len(self._reactions)
            self._reactions[dialogue] = self._chosen[number % len(self._chosen)]
        self.reactions = self._reactions[dialogue]
        super().take(indication)
        self.received.clear()
        self.pdus.clear()


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


PATIENT = [{**entry, "seconds": 60} if "_from_" in entry["type"] else entry for entry in CALL]


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


# -- what may be on the fast path ----------------------------------------------------------------


def begun(fast_paths: list[RunFastPath], folder: Path, *operations: Any, **params: Any) -> int:
    """Return how many of 30 instances were on the fast path."""
    fast_paths.clear()
    daemon = ScriptedDaemon(folder, *USUAL)
    try:
        load = {"type": "load", "total": 30, "backlog": 1}
        result = daemon.run(*operations, **{"vars": VARS, "distribution": load, **params})
    finally:
        daemon.stop()
    assert result["counts"]["passed"] == 30, result["first_call_summary"]["check_log"]
    return fast_paths[0].begun


def test_who_is_on_the_fast_path(fast_paths: list[RunFastPath], tmp_path: Path) -> None:
    assert begun(fast_paths, tmp_path, *PATIENT) == 29
    assert begun(fast_paths, tmp_path, *PATIENT, trace_messages=0) == 29
    assert begun(fast_paths, tmp_path, *PATIENT, load_details=0) == 29
    assert begun(fast_paths, tmp_path, *PATIENT, track=0) == 0
    assert begun(fast_paths, tmp_path, *PATIENT, turbo=1) == 0
    for other, count in (
        (evaluate("$v->{x} = time"), 0),
        (evaluate("$v->{x} = 'time, $g and rand'; # localtime, $i"), 29),
        (evaluate("$v->{x} = scalar(keys(%$v))"), 0),  # what came is one of them
        (evaluate("1", tests=[{"kpath": "v.x", "type": "exists", "value": 0}]), 0),
        ({"type": "wait", "arguments": {"seconds": 0}}, 0),
    ):
        assert begun(fast_paths, tmp_path, *PATIENT, other) == count
    opening, *rest = PATIENT
    for text, count in (("{$v->{caller} . ''}", 29), ("{$g->{x} // $v->{caller}}", 0)):
        arguments = {**opening["arguments"], "callingPartyNumber_digits": text}
        assert begun(fast_paths, tmp_path, {**opening, "arguments": arguments}, *rest) == count
    random_vars = {"caller": "{6421000000 + int(rand(10))}"}
    assert begun(fast_paths, tmp_path, *PATIENT, vars=random_vars) == 29


def connect_to(text: str, **more: Any) -> list[dict[str, Any]]:
    """Return the call, which expects to be connected to another number."""
    opening, first, connect, *rest = PATIENT
    arguments = {"destinationRoutingAddress_digits": text}
    return [opening, first, {**connect, "arguments": arguments, **more}, *rest]


def both_ways(
    folder: Path,
    recorder: Recorder,
    call: list[dict[str, Any]],
    scp: Callable[[], Any],
    calls: int = 30,
    **params: Any,
) -> dict[str, Any]:
    """Return what a run reports, the same with `track: 0` and with `track: 1`."""
    plain, told = [
        played(folder / str(track), recorder, 1, track, calls, call=call, scp=scp(), **params)[0]
        for track in (0, 1)
    ]
    assert difference(told, plain) is None
    return plain


def steady() -> ScriptedScp:
    """Return an SCP that answers each call as usual."""
    return Choosing([USUAL])


@pytest.mark.parametrize(
    ("to", "given"),
    [
        ("{$v->{far} + 100}", {"far": 4329000}),
        ("{$v->{a} . ($v->{b} - 1)}", {"a": "4329", "b": 101}),
        ("{$v->{far}}", {"far": "{4329000 + 100}"}),
        ("{$v->{far}}", {"far": {"$choice": ["4329100"]}}),
        ("{$v->{far} + 0 * $r->{idx}}", {"far": 4329100}),
        ("{($v->{far}++) + 0}", {"far": 4329100}),
        ("{$v->{far} = 4329100}", {"far": 1}),
        ("{$v->{same} * 1}", {"same": {"$sequence": {"start": 4329100, "step": 0}}}),
        ("{4329100 + 0 * rand(5)}", {}),
        ("{'time' eq $v->{caller} ? 1 : 4329100}", {}),
    ],
)
def test_what_is_expected_may_be_computed(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    tmp_path: Path,
    to: str,
    given: dict[str, Any],
) -> None:
    given = {"caller": VARS["caller"], **given}
    plain = both_ways(tmp_path, recorder, connect_to(to), steady, vars=given)
    assert plain["counts"]["passed"] == 30
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 0)


@pytest.mark.parametrize("to", ["{time * 0 + 4329100}", "{$g->{to} // 4329100}"])
def test_what_is_expected_may_not_read_what_others_change(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path, to: str
) -> None:
    plain = both_ways(tmp_path, recorder, connect_to(to), steady)
    assert plain["counts"]["passed"] == 30
    assert fast_paths[1].begun == 0


class Dialling(ScriptedScp):
    """Connects to 4329 and the caller's last digits; in one call of `one_in` to 4329999."""

    def __init__(self, one_in: int = 10**9, ways: int = 1) -> None:
        """ways: number of natures of address, which are used in turn."""
        super().__init__()
        self._one_in = one_in
        self._ways = ways
        self._reactions: dict[Any, tuple[Reaction | None, ...]] = {}

    def take(self, indication: Any) -> None:
        dialogue = indication.dialogue
        if dialogue not in self._reactions:
            [invoke] = indication.components
            called = OPERATIONS.required("InitialDP").decode_argument(
                invoke.parameter, "camel2", []
            )
            is_wrong = len(self._reactions) % self._one_in == self._one_in - 1
            to = "4329999" if is_wrong else f"4329{called['callingPartyNumber_digits'][7:]}"
            nature = 3 + len(self._reactions) % self._ways
            members = {"destinationRoutingAddress_digits": to}
            connect = operation("Connect", {**members, "destinationRoutingAddress_noa": nature})
            self._reactions[dialogue] = (sends("continue", RRB, connect), None, LAST)
        self.reactions = self._reactions[dialogue]
        super().take(indication)
        self.received.clear()
        self.pdus.clear()


@pytest.mark.parametrize(
    ("to", "given"),
    [
        ("{'4329' . substr($v->{caller}, 7)}", VARS),
        # Some numbers have one digit more: longer octets, and padding where there was a digit.
        (
            "{'4329' . substr($v->{caller}, 7)}",
            {"caller": "{'6421000' . 10 ** ($r->{idx} % 4)}"},
        ),
        ("{$v->{to}}", {**VARS, "to": "{4329001 + $r->{idx}}"}),
    ],
)
def test_what_is_expected_is_another_thing_in_each_instance(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    tmp_path: Path,
    to: str,
    given: dict[str, Any],
) -> None:
    plain = both_ways(tmp_path, recorder, connect_to(to), Dialling, vars=given)
    assert plain["counts"]["passed"] == 30
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 0)


def test_what_differs_in_what_came_is_read_in_ordinary_instances(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    """A value read from a message is that of the recording only if all octets are the same."""
    opening, first, connect, _, *rest = connect_to("{'4329' . substr($v->{caller}, 7)}")
    seen = "$i->{Connect}{destinationRoutingAddress_digits}"
    leg = {"receivingSideID_hex": f"{{'0' . (1 + {seen} % 2)}}"}
    answer = send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer", "legID": leg})
    call = [opening, first, connect, answer, *rest]
    plain = both_ways(tmp_path, recorder, call, Dialling)
    assert plain["counts"]["passed"] == 30
    assert fast_paths[1].begun == 0


def test_tests_of_what_differs_are_run_in_ordinary_instances(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    seven = {"kpath": "destinationRoutingAddress_digits", "type": "len", "value": 7}
    call = connect_to("{'4329' . substr($v->{caller}, 7)}", tests=[seven])
    given = {"caller": "{'6421000' . 10 ** (2 + $r->{idx} % 2)}"}
    plain = both_ways(tmp_path, recorder, call, Dialling, vars=given)
    assert (plain["counts"]["passed"], plain["counts"]["failed"]) == (15, 15)
    assert fast_paths[1].begun == 0


def test_another_thing_than_is_expected_of_this_instance(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    to = connect_to("{'4329' . substr($v->{caller}, 7)}")
    plain = both_ways(tmp_path, recorder, to, lambda: Dialling(5))
    assert (plain["counts"]["passed"], plain["counts"]["failed"]) == (24, 6)
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 6)


def test_a_branch_expects_another_thing_in_each_instance(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    to = connect_to("{'4329' . substr($v->{caller}, 7)}")
    plain = both_ways(tmp_path, recorder, to, lambda: Dialling(10, ways=3))
    assert (plain["counts"]["passed"], plain["counts"]["failed"]) == (27, 3)
    # Two instances that make a branch, and the three that fail.
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 5)
    assert fast_paths[1].result()["branches"] == 2


SOMETIMES = "{$r->{idx} % 4 == 3 ? 'oAnswer' : 'oDisconnect'}"


@pytest.mark.parametrize(
    ("at", "arguments", "passed"),
    [
        (5, {"initialCallSegment_cause": "{15 + ($v->{caller} > 0)}"}, 30),
        (5, {"initialCallSegment_cause": "{'16'}", "!initialCallSegment_location": "{5}"}, 30),
        (5, {"!initialCallSegment_cause": "{$r->{idx} + 17}"}, 30),
        (
            1,
            {"bcsmEvents": "{[map { {'eventTypeBCSM_name' => $_} } qw(oDisconnect oAnswer)]}"},
            30,
        ),
        (1, {"bcsmEvents": [{"eventTypeBCSM_name": one} for one in (SOMETIMES, "oAnswer")]}, 23),
        (1, {"bcsmEvents": [{"eventTypeBCSM_name": "{'oAns' . 'wer'}"}]}, 0),
        (2, {"destinationRoutingAddress_digits": "{'43' . '.*'}"}, 0),
        (2, {"destinationRoutingAddress_digits": "{undef}"}, 0),
    ],
)
def test_forms_of_what_is_expected(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    tmp_path: Path,
    at: int,
    arguments: dict[str, Any],
    passed: int,
) -> None:
    """An instance that will not get what it expects is ordinary from the start."""
    call = [{**one, "arguments": arguments} if n == at else one for n, one in enumerate(PATIENT)]
    plain = both_ways(tmp_path, recorder, call, steady)
    assert (plain["counts"]["passed"], plain["counts"]["failed"]) == (passed, 30 - passed)
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (max(passed - 1, 0), 0)


def test_what_is_set_on_the_way_may_be_expected(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    opening, first, *rest = connect_to("{$v->{far}}")
    given = {"caller": VARS["caller"], "far": 4329100}
    sets = {**opening["arguments"], "callingPartyNumber_digits": "{($v->{far} = 4329100) + 0}"}
    for number, call in enumerate(
        (
            [opening, first, *rest],
            [opening, first, *rest, evaluate("$v->{a} = 1")],
            [opening, first, evaluate("$v->{far} .= ''"), *rest],
            [opening, evaluate("$v->{far} = 4329000 + 100"), first, *rest],
            [{**opening, "arguments": sets}, first, *rest],
        )
    ):
        fast_paths.clear()
        folder = tmp_path / str(number)
        folder.mkdir()
        plain = both_ways(folder, recorder, call, steady, vars=given)
        assert plain["counts"]["passed"] == 30
        assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 0)


def test_tests_are_judged_once_but_for_the_clock(
    fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    number = {"kpath": "destinationRoutingAddress_digits", "type": "len", "value": 7}
    for test, count in (
        (number, 29),
        ({**number, "value": "{3 + $v->{far}}"}, 29),
        ({**number, "value": "{7 + 0 * $r->{idx}}"}, 0),
    ):
        calls = connect_to("4329100", tests=[test])
        given = {"caller": VARS["caller"], "far": 4}
        assert begun(fast_paths, tmp_path, *calls, vars=given) == count
    moment = {"kpath": "destinationRoutingAddress_digits", "type": "timestamp", "min": 0}
    calls = connect_to("4329100", tests=[moment])
    assert begun(fast_paths, tmp_path, *calls) == 0


def test_arguments_of_any_length(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    growing = {"caller": {"$sequence": {"start": 9, "step": 9}}}  # 9 to 270: one digit to three
    plain = both_ways(tmp_path, recorder, PATIENT, steady, vars=growing)
    assert plain["counts"]["passed"] == 30
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 0)
