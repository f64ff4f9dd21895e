"""Wait: rules, the pause, and a caller who hangs up during the pause."""

import pytest

from tsvc.flow.call import Pause, PauseOver, Release
from tsvc.flow.engine import FlowEnd

CONFIG = "flow.operations.2.config."

RULES = [
    ({}, "seconds", "is required"),
    ({"seconds": "2"}, "seconds", 'must be a number, not the string "2"'),
    ({"seconds": False}, "seconds", "must be a number, not the boolean false"),
    ({"seconds": -0.1}, "seconds", "must be 0 to 3600, not -0.1"),
    ({"seconds": 3601}, "seconds", "must be 0 to 3600, not 3601"),
    ({"seconds": float("nan")}, "seconds", "must be a number, not the number nan"),
    ({"seconds": 1, "second": 1}, "second", 'unknown member; did you mean "seconds"?'),
]


@pytest.mark.parametrize(("config", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, config, member, text):
    problems = flows.problems(flows.document("Wait", config))
    assert problems == [(CONFIG + member, text, "error")]


def test_exactly_one_exit(flows):
    problems = flows.problems(flows.document("Wait", {"seconds": 1}, [10, 11]))
    text = "Wait has exactly 1 exit (0 Next), not 2"
    assert ("flow.operations.2.exits", text, "error") in problems


@pytest.mark.parametrize("seconds", [0, 2.5, 3600])
def test_goes_on_when_the_time_has_passed(flows, seconds):
    run = flows.run(flows.document("Wait", {"seconds": seconds}))
    assert flows.walk(run, PauseOver()) == [Pause(seconds), Release(1)]
    assert (flows.path(run)[1], run.path[1].exit_name) == ((2, 0), "Next")


def test_hang_up_takes_no_exit(flows):
    run = flows.run(flows.document("Wait", {"seconds": 1}))
    run.start()
    run.stop("abandoned")
    assert run.outcome is FlowEnd.STOPPED
    assert flows.path(run) == [(1, 0), (2, None)]
