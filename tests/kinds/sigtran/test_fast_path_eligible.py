"""Which calls may be on the fast path, and with which expected values."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kinds.sigtran.both_runs import PATIENT, Choosing, played
from kinds.sigtran.unsteady import (
    LAST,
    RRB,
    USUAL,
    VARS,
    Reaction,
)
from support.scripted_scp import (
    ScriptedDaemon,
    ScriptedScp,
    evaluate,
    operation,
    send,
    sends,
)
from support.without_memories import Recorder, difference

from tsvc.engine.fast_path import RunFastPath
from tsvc.protocols.inap.operation import OPERATIONS


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
