"""Failed checks become changes of the definition, after which it passes."""

import copy
import json
from typing import Any

import pytest
from support.daemons import FLOW, Daemon, example

from tsvc.record.accept import accept


@pytest.fixture(scope="module")
def tsvc(tmp_path_factory):
    made = Daemon(tmp_path_factory.mktemp("flow"), flows=(FLOW,))
    yield made
    made.stop()


def play(tsvc, definition):
    definition = {name: one for name, one in definition.items() if name != "name"}
    return tsvc.run(*definition.pop("operations"), **definition)


def checks_of(result):
    return result["first_call_summary"]["check_log"]


def with_edits(definition, found):
    changed = copy.deepcopy(definition)
    for edit in found.edits:
        value: Any = changed
        for step in edit.steps[:-1]:
            value = value[step]
        assert value.get(edit.steps[-1]) == edit.was
        value[edit.steps[-1]] = edit.now
    return changed


def at(*steps):
    """Return a function that sets a value in an operation; "-" deletes the value."""

    def change(definition, value):
        target = definition["operations"][steps[0]]
        for step in steps[1:-1]:
            target = target[step]
        if value == "-":
            del target[steps[-1]]
        else:
            target[steps[-1]] = value

    return change


EVENTS = (6, "arguments", "bcsmEvents")
MORE = [
    {"eventTypeBCSM": "oAnswer", "monitorMode": "notifyAndContinue"},
    {"eventTypeBCSM": "oDisconnect", "monitorMode": "interrupted"},
]


@pytest.mark.parametrize(
    ("change", "value"),
    [
        (at(7, "arguments", "destinationRoutingAddress_digits"), "99"),
        (at(7, "arguments", "destinationRoutingAddress_digits"), "{'9' . '9'}"),
        (at(7, "arguments", "destinationRoutingAddress_digits"), None),
        (at(1, "arguments", "bcsmEvents", 0, "monitorMode"), "interrupted"),
        (at(1, "arguments", "bcsmEvents", 0, "monitorMode"), 0),
        (at(1, "arguments", "bcsmEvents", 0, "eventTypeBCSM"), "oAnswer"),
        (at(*EVENTS, 4), "-"),
        (at(*EVENTS, 0), "-"),
        (at(*EVENTS), MORE),
        (at(3, "arguments", "informationToSend"), {"tone": {"toneID": 5}}),
        (at(3, "last_component"), 1),
        (at(6, "tcap_ac"), "camel1"),
        (at(7, "tests"), [{"kpath": "destinationRoutingAddress_digits", "value": "1"}]),
        (at(7, "tests"), [{"kpath": "nothing", "type": "exists"}]),
    ],
)
def test_what_came_is_expected_from_now_on(tsvc, change, value):
    definition = example("extension_dialing")
    assert play(tsvc, definition)["verdict"] == "pass"
    change(definition, value)
    result = play(tsvc, definition)
    assert result["verdict"] == "fail"
    found = accept(definition["operations"], checks_of(result))
    assert found.left == []
    assert found.edits
    changed = with_edits(definition, found)
    again = play(tsvc, changed)
    assert again["verdict"] == "pass", again["first_call_summary"]["reason"]
    touched = {edit.steps[1] for edit in found.edits}
    rest = [n for n in range(len(definition["operations"])) if n not in touched]
    assert [changed["operations"][n] for n in rest] == [definition["operations"][n] for n in rest]


def test_what_came_is_what_the_file_said_before(tsvc):
    """The result does not merely pass: every value of the sample about the events is restored."""
    definition = example("extension_dialing")
    expected = json.loads(json.dumps(definition))
    definition["operations"][6]["arguments"]["bcsmEvents"].pop()
    definition["operations"][7]["arguments"]["destinationRoutingAddress_digits"] = "1"
    found = accept(definition["operations"], checks_of(play(tsvc, definition)))
    assert with_edits(definition, found) == expected


def check(text, expected=None, got=None, op=0, **more):
    return {"op": op, "level": "fail", "text": text, "expected": expected, "got": got, **more}


def accepted(entry, *checks):
    found = accept([entry], checks)
    return {edit.steps[2:]: edit.now for edit in found.edits}, found.left


def test_a_negation_and_a_range_are_left_alone():
    entry = {"arguments": {"!a": 1}, "tests": [{"kpath": "b", "type": "range", "min": 1}]}
    edits, left = accepted(
        entry, check("a must be something else", 1, 1), check("b (range) differs", ">= 1", 0)
    )
    assert edits == {}
    assert left[0] == "operations[0] a must be something else: it names no value of the definition"
    assert left[1].endswith("a test of type range allows more than one value")


def test_what_is_not_found_once_is_left_alone():
    entry = {"arguments": {"x": {"a": 1}, "y": {"a": 1}, "z": 2}}
    edits, left = accepted(
        entry, check("a differs", 1, 2), check("q differs", 1, 2), check("z differs", 3, 4)
    )
    assert edits == {}
    assert [text.rpartition(": ")[2] for text in left] == [
        "it may be at several places",
        "its place was not found",
        "its place was not found",
    ]


AVPS = {
    "arguments": {
        "avps": [{"name": "CC-Request-Number", "value": 1}],  # a sent value
        "answer": {
            "result_code": 2001,
            "avps": [
                {"name": "CC-Request-Number", "value": 1},
                {"name": "Service", "value": [{"name": "CC-Time", "value": 60}]},
                {"name": "Service", "value": [{"name": "CC-Time", "value": 60, "mandatory": 1}]},
            ],
        },
    }
}
SERVICE = ("arguments", "answer", "avps", 2, "value", 0)


@pytest.mark.parametrize(
    ("text", "expected", "got", "steps"),
    [
        ("result_code differs", 2001, 5030, ("arguments", "answer", "result_code")),
        ("CC-Request-Number differs", 1, 2, ("arguments", "answer", "avps", 0, "value")),
        ("Service[1].CC-Time differs", 60, 9, (*SERVICE, "value")),
        ("Service[1].CC-Time.mandatory differs", 1, 0, (*SERVICE, "mandatory")),
        ("Service[1].CC-Time is absent", 60, None, (*SERVICE, "value")),
    ],
)
def test_avps_are_found_by_name(text, expected, got, steps):
    assert accepted(AVPS, check(text, expected, got)) == ({steps: got}, [])


@pytest.mark.parametrize(
    ("text", "expected", "got"),
    [
        ("Service[2].CC-Time differs", 60, 9),
        ("Service differs", 60, 9),
        ("CC-Request-Number differs", 1, [{"name": "x"}]),
        ("CC-Request-Number (exists) differs", True, False),
    ],
)
def test_avps_that_are_left_alone(text, expected, got):
    edits, left = accepted(AVPS, check(text, expected, got))
    assert (edits, len(left)) == ({}, 1)


def test_other_values_each_time_are_left_alone():
    """In a loop, an operation compares the same value several times."""
    entry = {"arguments": {"a": 1}}
    edits, left = accepted(
        entry, check("a differs", 1, 2), check("a differs", 1, 2), check("a differs", 1, 3)
    )
    assert edits == {("arguments", "a"): 2}
    assert left == ["operations[0] a differs: something else came each time"]


def test_a_text_that_looks_like_an_expression_stays_a_text():
    assert accepted({"arguments": {"a": "x"}}, check("a differs", "x", "{1 + 1}")) == (
        {("arguments", "a"): "\\{1 + 1}"},
        [],
    )


def test_what_a_result_has_not_whole_is_left_alone():
    edits, left = accepted({"arguments": {"a": "x"}}, check("a differs", "x", "y" * 10 + "…"))
    assert (edits, len(left)) == ({}, 1)


def test_reasons_without_values_are_left_alone():
    text = "malformed argument: serviceKey: not an integer"
    edits, left = accepted({"arguments": {}}, {"op": 0, "level": "fail", "text": text})
    assert (edits, left) == ({}, [f"operations[0] {text}: it compares nothing"])


def test_the_last_elements_that_did_not_come_are_left_out():
    entry = {"arguments": {"l": [{"a": 1}, {"a": 2, "b": {"c": 3}}]}}
    gone = [check("l[1].a is absent", 2), check("l[1].b.c is absent", 3)]
    assert accepted(entry, *gone) == ({("arguments", "l"): [{"a": 1}]}, [])
    assert accepted(entry, check("l[0].a is absent", 1)) == (
        {("arguments", "l", 0, "a"): None},
        [],
    )
    all_gone = [check("l[0].a is absent", 1), *gone]
    assert accepted(entry, *all_gone) == ({("arguments", "l"): None}, [])


@pytest.mark.parametrize(("was", "now"), [({}, 0), ({"value": 0}, 1), ({"value": 1}, 0)])
def test_truth_is_turned_round(was, now):
    entry = {"tests": [{"kpath": "a.b", "type": "defined", **was}]}
    found = accepted(entry, check("a.b (defined) differs", "defined", None))
    assert found == ({("tests", 0, "value"): now}, [])
