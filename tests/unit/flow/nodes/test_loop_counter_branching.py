"""LoopCounterBranching: rules, and how often each exit is taken."""

import pytest

from tsvc.flow.call import Release

CONFIG = "flow.operations.2.config."
GOOD = {"buffer": "user.counter1", "limit": 3}

RULES = [
    ({"limit": 3}, "buffer", "is required"),
    (
        {**GOOD, "buffer": "counter1"},
        "buffer",
        'must be a buffer name such as "user.input", not the string "counter1"',
    ),
    (
        {**GOOD, "buffer": "system.service_key"},
        "buffer",
        '"system.service_key" can only be read; buffers to write are "user.…"',
    ),
    ({"buffer": "user.n"}, "limit", "is required"),
    ({**GOOD, "limit": 0}, "limit", "must be at least 1, not 0"),
    ({**GOOD, "limit": "3"}, "limit", 'must be an integer, not the string "3"'),
    ({**GOOD, "limits": 3}, "limits", 'unknown member; did you mean "limit"?'),
]


@pytest.mark.parametrize(("config", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, config, member, text):
    problems = flows.problems(flows.document("LoopCounterBranching", config))
    assert problems == [(CONFIG + member, text, "error")]


def test_exactly_two_exits(flows):
    text = "LoopCounterBranching has exactly 2 exits (0 Below Limit, 1 Limit Reached), not 3"
    document = flows.document("LoopCounterBranching", GOOD, [10, 11, 12])
    assert ("flow.operations.2.exits", text, "error") in flows.problems(document)


@pytest.mark.parametrize(
    ("held", "exit_index", "left"),
    [
        (None, 0, "1"),
        ("", 0, "1"),
        ("0", 0, "1"),
        ("2", 0, "3"),
        ("3", 1, "3"),
        ("99999999999999999999", 1, "99999999999999999999"),
        ("12*", 0, "1"),
        ("-5", 0, "1"),
        ("²", 0, "1"),
    ],
)
def test_compares_then_counts(flows, held, exit_index, left):
    buffers = {} if held is None else {"user.counter1": held}
    run = flows.run(flows.document("LoopCounterBranching", GOOD), buffers=buffers)
    assert run.start() == Release(exit_index + 1)
    assert run.call.buffers == {"user.counter1": left}


def test_a_loop_goes_round_limit_times(flows):
    document = flows.document("LoopCounterBranching", GOOD, [None, 11])
    document["operations"]["2"]["exits"] = [2, 11]
    run = flows.run(document)
    assert run.start() == Release(2)
    assert flows.path(run) == [(1, 0), (2, 0), (2, 0), (2, 0), (2, 1), (11, None)]
    assert run.path[1].exit_name == "Below Limit"
