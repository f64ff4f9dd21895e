"""AttemptTerminate: destinations in their order, and the meaning of 1, 2 and 3 exits."""

import pytest

from tsvc.flow.call import (
    Answered,
    Busy,
    Finished,
    NoAnswer,
    Release,
    RouteSelectFailure,
    Terminate,
)
from tsvc.flow.engine import FlowEnd

CONFIG = "flow.operations.2.config."
ONE = {"destinations": [{"address": "4329100"}]}
TWO = {"destinations": [{"address": "4329100", "timeout_seconds": 5}, {"number": "B99"}]}

RULES = [
    ({}, "destinations", "is required"),
    ({"destinations": []}, "destinations", "must hold at least one destination"),
    ({"destinations": {}}, "destinations", "must be an array of destinations, not an object"),
    ({"destinations": ["1"]}, "destinations.0", 'must be an object, not the string "1"'),
    ({"destinations": [{}]}, "destinations.0.address", "is required"),
    (
        {"destinations": [{"address": "1", "number": "1"}]},
        "destinations.0.number",
        'another spelling of "address", which is given too',
    ),
    ({**ONE, "rules": [{"address": "1"}]}, "rules", None),
    ({"rules": [{"address": ""}]}, "rules.0.address", "must not be empty"),
    (
        {"rules": [{"address": "1*"}]},
        "rules.0.address",
        'must be digits (0-9, A-F), not the string "1*"',
    ),
    (
        {"rules": [{"number": "1"}, {"number": 2}]},
        "rules.1.number",
        "must be a string, not the integer 2",
    ),
    (
        {"rules": [{"number": "1", "timeout_seconds": "9"}]},
        "rules.0.timeout_seconds",
        'must be an integer, not the string "9"',
    ),
    (
        {"destinations": [{"address": "1"}, {"address": "1", "timeout_seconds": -1}]},
        "destinations.1.timeout_seconds",
        "must be at least 0, not -1",
    ),
    (
        {"destinations": [{"address": "1", "timeout_second": 1}]},
        "destinations.0.timeout_second",
        'unknown member; did you mean "timeout_seconds"?',
    ),
    (
        {**ONE, "monitor_disconnect": 1},
        "monitor_disconnect",
        "must be true or false, not the integer 1",
    ),
]


@pytest.mark.parametrize(("config", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, config, member, text):
    text = text or 'another spelling of "destinations", which is given too'
    problems = flows.problems(flows.document("AttemptTerminate", config))
    assert problems == [(CONFIG + member, text, "error")]


@pytest.mark.parametrize("exits", [[], [10, 11, 12, 13]])
def test_one_to_three_exits(flows, exits):
    text = f"AttemptTerminate has 1 or 2 or 3 exits, not {len(exits)}"
    problems = flows.problems(flows.document("AttemptTerminate", ONE, exits))
    assert ("flow.operations.2.exits", text, "error") in problems


def test_destinations_are_tried_in_turn(flows):
    run = flows.run(flows.document("AttemptTerminate", TWO))
    assert flows.walk(run, Busy(), NoAnswer()) == [
        Terminate("4329100", 5),
        Terminate("B99", 15),
        Release(1),
    ]


def test_answer_ends_the_flow(flows):
    run = flows.run(flows.document("AttemptTerminate", TWO))
    assert flows.walk(run, RouteSelectFailure(), Answered())[-1] == Finished()
    assert flows.path(run) == [(1, 0), (2, None)]


@pytest.mark.parametrize(
    ("exit_count", "failure", "cause"),
    [
        (1, Busy(), 1),
        (1, NoAnswer(), 1),
        (1, RouteSelectFailure(), 1),
        (2, Busy(), 1),
        (2, NoAnswer(), 2),
        (2, RouteSelectFailure(), 1),
        (3, Busy(), 1),
        (3, NoAnswer(), 2),
        (3, RouteSelectFailure(), 3),
    ],
)
def test_exit_by_failure(flows, exit_count, failure, cause):
    document = flows.document("AttemptTerminate", ONE, list(range(10, 10 + exit_count)))
    assert flows.walk(flows.run(document), failure)[-1] == Release(cause)


def test_failure_of_the_last_destination_decides(flows):
    run = flows.run(flows.document("AttemptTerminate", TWO, [10, 11]))
    assert flows.walk(run, NoAnswer(), Busy())[-1] == Release(1)


def test_with_no_exit_attached_only_the_last_connect_is_final(flows):
    run = flows.run(flows.document("AttemptTerminate", TWO, [None]))
    assert flows.walk(run, Busy()) == [
        Terminate("4329100", 5),
        Terminate("B99", None, wants_failures=False),
    ]
    assert run.outcome is FlowEnd.CONNECTED


def test_failure_without_an_operation_behind_its_exit_releases(flows):
    run = flows.run(flows.document("AttemptTerminate", ONE, [10, None]))
    assert flows.walk(run, NoAnswer())[-1] == Release(31)


@pytest.mark.parametrize("name", ["address", "number"])
def test_a_destination_that_cap_can_not_say_is_a_warning(flows, name):
    config = {"destinations": [{name: "4" * 32}, {name: "4" * 33}]}
    text = "33 digits to connect to; CAP has 32 at most"
    place = CONFIG + f"destinations.1.{name}"
    document = flows.document("AttemptTerminate", config)
    assert flows.problems(document) == [(place, text, "warning")]


def test_ring_time_is_clamped_with_a_warning_at_its_place(flows):
    config = {"rules": [{"number": "1"}, {"number": "2", "timeout_seconds": 999}]}
    document = flows.document("AttemptTerminate", config)
    assert flows.problems(document) == [
        (
            CONFIG + "rules.1.timeout_seconds",
            "999 s is longer than this site allows; 300 s is used",
            "warning",
        )
    ]
    assert flows.walk(flows.run(document), Busy())[-1] == Terminate("2", 300)


def test_monitor_disconnect_reaches_the_action(flows):
    run = flows.run(flows.document("AttemptTerminate", {**ONE, "monitor_disconnect": True}))
    assert run.start() == Terminate("4329100", 15, monitor_disconnect=True)
