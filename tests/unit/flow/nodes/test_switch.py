"""Switch: rules, and that a call takes the exit that is set."""

import pytest

from tsvc.flow.call import Release
from tsvc.flow.engine import FlowEnd

CONFIG = "flow.operations.2.config."

RULES = [
    ({}, "exit_idx", "is required"),
    ({"exit_idx": None}, "exit_idx", "must not be null"),
    ({"exit_idx": 3}, "exit_idx", "there is no exit 3; the operation has 3, counted from 0"),
    ({"exit_idx": -1}, "exit_idx", "there is no exit -1; the operation has 3, counted from 0"),
    ({"exit_idx": 1.0}, "exit_idx", "must be the index of an exit, not the number 1.0"),
    ({"exit_idx": 1, "exit": 1}, "exit", 'unknown member; did you mean "exit_idx"?'),
]


@pytest.mark.parametrize(("config", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, config, member, text):
    problems = flows.problems(flows.document("Switch", config))
    assert problems == [(CONFIG + member, text, "error")]


def test_at_least_one_exit(flows):
    assert flows.problems(flows.document("Switch", {"exit_idx": 0}, [])) == [
        ("flow.operations.2.exits", "Switch has at least 1 exit, not 0", "error"),
        (
            CONFIG + "exit_idx",
            "there is no exit 0; the operation has 0, counted from 0",
            "error",
        ),
    ]


def test_without_readable_exits_no_index_is_too_high(flows):
    document = flows.document("Switch", {"exit_idx": 7})
    document["operations"]["2"]["exits"] = None
    text = "must be an array of operation ids and nulls, not null"
    errors = [one for one in flows.problems(document) if one[2] == "error"]
    assert errors == [("flow.operations.2.exits", text, "error")]


@pytest.mark.parametrize("exit_index", [0, 1, 2])
def test_takes_the_exit_it_is_set_to(flows, exit_index):
    run = flows.run(flows.document("Switch", {"exit_idx": exit_index}))
    assert run.start() == Release(exit_index + 1)
    assert run.path[1].exit_name == f"Exit {exit_index}"


def test_an_exit_without_an_operation_releases(flows):
    run = flows.run(flows.document("Switch", {"exit_idx": 1}, [10, None]))
    assert run.start() == Release(31)
    assert run.outcome is FlowEnd.END_OF_FLOW
