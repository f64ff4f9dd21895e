"""Triggers: which flow serves a call, and the problems of trigger entries."""

from dataclasses import dataclass

import pytest

from tsvc.flow.triggers import Trigger, TriggerKind, TriggerTable, choose, read_triggers, takes


@dataclass(frozen=True)
class Named:
    name: str
    triggers: tuple[Trigger, ...]


def flow(name, **trigger):
    return Named(name, tuple(Trigger(TriggerKind(kind), value) for kind, value in trigger.items()))


FLOWS = [
    flow("default", default=True),
    flow("calling", calling_prefix="021"),
    flow("calling long", calling_prefix="0215"),
    flow("called", called_prefix="0800"),
    flow("called long", called_prefix="08001"),
    flow("key", service_key=45),
    flow("second key", service_key=45),
    flow("none"),
]


@pytest.mark.parametrize(
    ("service_key", "called", "calling", "name"),
    [
        (45, "08001", "0215", "key"),
        (46, "08001", "0215", "called long"),
        (46, "08002", "0215", "called"),
        (46, "0800", "", "called"),
        (46, "080", "0215", "calling long"),
        (None, "", "0216", "calling"),
        (None, "", "", "default"),
        (True, "", "", "default"),
    ],
)
def test_precedence(flows, service_key, called, calling, name):
    call = flows.call(service_key, called, calling)
    assert choose(FLOWS, call).name == name
    assert TriggerTable(FLOWS).choose(call).name == name


def test_without_a_default_nobody_takes_the_call(flows):
    assert choose(FLOWS[1:], flows.call(46, "1", "1")) is None
    assert choose([], flows.call()) is None


def test_a_runs_own_flow_without_triggers_takes_every_call(flows):
    assert takes(FLOWS[-1], flows.call())
    assert takes(FLOWS[5], flows.call(45))
    assert not takes(FLOWS[5], flows.call(46))


def test_read():
    entries = [
        {"service_key": 0},
        {"called_prefix": "0800"},
        {"calling_prefix": "B*"},
        {"default": True},
        {"default": False},
    ]
    triggers, problems = read_triggers(entries, "flow.triggers")
    assert problems == []
    assert triggers == (
        Trigger(TriggerKind.SERVICE_KEY, 0),
        Trigger(TriggerKind.CALLED_PREFIX, "0800"),
        Trigger(TriggerKind.CALLING_PREFIX, "B*"),
        Trigger(TriggerKind.DEFAULT, True),
    )


KINDS = "service_key, called_prefix, calling_prefix, ussd_prefix, default"


@pytest.mark.parametrize(
    ("entry", "path", "text"),
    [
        (45, "t.0", "must be an object, not the integer 45"),
        ({}, "t.0", f"must have exactly one of {KINDS}, not none"),
        (
            {"service_key": 1, "default": True},
            "t.0",
            f"must have exactly one of {KINDS}, not service_key and default",
        ),
        (
            {"service_key": "45"},
            "t.0.service_key",
            'must be an integer from 0 to 2147483647, not the string "45"',
        ),
        (
            {"service_key": True},
            "t.0.service_key",
            "must be an integer from 0 to 2147483647, not the boolean true",
        ),
        (
            {"service_key": -1},
            "t.0.service_key",
            "must be an integer from 0 to 2147483647, not the integer -1",
        ),
        (
            {"called_prefix": ""},
            "t.0.called_prefix",
            'must be digits (0-9, A-F, *, #), not the string ""',
        ),
        (
            {"calling_prefix": 21},
            "t.0.calling_prefix",
            "must be digits (0-9, A-F, *, #), not the integer 21",
        ),
        ({"default": 1}, "t.0.default", "must be true or false, not the integer 1"),
        (
            {"service_key": 1, "calledprefix": "1"},
            "t.0.calledprefix",
            'unknown member; did you mean "called_prefix"?',
        ),
    ],
)
def test_problems(entry, path, text):
    triggers, problems = read_triggers([entry], "t")
    assert triggers == ()
    assert [(problem.path, problem.text) for problem in problems] == [(path, text)]


def test_triggers_are_an_array():
    _, (problem,) = read_triggers({"service_key": 1}, "t")
    assert (problem.path, problem.text) == ("t", "must be an array of triggers, not an object")
