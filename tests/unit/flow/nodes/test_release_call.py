"""ReleaseCall: the cause, and that nothing follows."""

import pytest

from tsvc.flow.call import Release
from tsvc.flow.engine import FlowEnd

CONFIG = "flow.operations.2.config"


@pytest.mark.parametrize(
    ("config", "cause"), [({"cause": 17}, 17), ({"cause": 127}, 127), ({}, None)]
)
def test_release(flows, config, cause):
    run = flows.run(flows.document("ReleaseCall", config))
    assert run.start() == Release(cause)
    assert run.outcome is FlowEnd.RELEASED
    assert flows.path(run) == [(1, 0), (2, None)]


@pytest.mark.parametrize(
    ("config", "member", "text"),
    [
        ({"cause": 0}, ".cause", "must be 1 to 127, not 0"),
        ({"cause": 128}, ".cause", "must be 1 to 127, not 128"),
        ({"cause": "busy"}, ".cause", 'must be an integer, not the string "busy"'),
        ({"reason": "busy"}, ".reason", "unknown member"),
        (None, "", "must be an object, not null"),
    ],
)
def test_rules(flows, config, member, text):
    problems = flows.problems(flows.document("ReleaseCall", config))
    assert problems == [(CONFIG + member, text, "error")]


def test_no_exits(flows):
    problems = flows.problems(flows.document("ReleaseCall", {}, [10]))
    assert problems == [("flow.operations.2.exits", "ReleaseCall has no exits, not 1", "error")]
