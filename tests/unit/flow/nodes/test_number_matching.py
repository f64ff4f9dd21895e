"""NumberMatching: rules, the three exits, and the buffers that can be matched."""

import pytest

from tsvc.flow.call import Release

CONFIG = "flow.operations.2.config."
GOOD = {"match_rules": ["1??", "20[0-4]"], "source_buffer": "user.input"}

RULES = [
    ({"match_rules": ...}, "match_rules", "is required"),
    ({"match_rules": "1??"}, "match_rules", 'must be an array of patterns, not the string "1??"'),
    ({"match_rules": []}, "match_rules", "must hold at least one pattern"),
    ({"match_rules": [1]}, "match_rules.0", "must be a pattern string, not the integer 1"),
    (
        {"match_rules": ["1", "2[^0-9A-F*#]"]},
        "match_rules.1",
        "column 2: the class leaves no character to match",
    ),
    ({"source_buffer": ...}, "source_buffer", "is required"),
    (
        {"source_buffer": "user."},
        "source_buffer",
        'must be a buffer name such as "user.input", not the string "user."',
    ),
    (
        {"source_buffer": "system.dialed_number"},
        "source_buffer",
        'no buffer is named "system.dialed_number"; did you mean "system.dialled_number"?',
    ),
    (
        {"source_buffer": "user." + "x" * 60},
        "source_buffer",
        "a buffer name has at most 64 characters",
    ),
    ({"buffer": "user.input"}, "buffer", 'unknown member; did you mean "source_buffer"?'),
]


def matching(flows, **changes):
    config = {key: value for key, value in {**GOOD, **changes}.items() if value is not ...}
    return flows.document("NumberMatching", config)


@pytest.mark.parametrize(("changes", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, changes, member, text):
    assert flows.problems(matching(flows, **changes)) == [(CONFIG + member, text, "error")]


def test_exactly_three_exits(flows):
    text = "NumberMatching has exactly 3 exits (0 Found, 1 Not Found, 2 Empty), not 2"
    problems = flows.problems(flows.document("NumberMatching", GOOD, [10, 11]))
    assert problems == [("flow.operations.2.exits", text, "error")]


@pytest.mark.parametrize(
    ("buffers", "exit_index", "name"),
    [
        ({"user.input": "123"}, 0, "Found"),
        ({"user.input": "204"}, 0, "Found"),
        ({"user.input": "205"}, 1, "Not Found"),
        ({"user.input": "1234"}, 1, "Not Found"),  # the whole number is matched
        ({"user.input": "not a number"}, 1, "Not Found"),
        ({"user.input": ""}, 2, "Empty"),
        ({"user.other": "123"}, 2, "Empty"),
    ],
)
def test_exit_by_what_the_buffer_holds(flows, buffers, exit_index, name):
    run = flows.run(matching(flows), buffers=buffers)
    assert run.start() == Release(exit_index + 1)
    assert run.path[1].exit_name == name


@pytest.mark.parametrize(
    ("buffer", "pattern"),
    [
        ("system.network_calling_party", "021"),
        ("system.dialled_number", "08001"),
        ("system.service_key", "45"),
    ],
)
def test_system_buffers_hold_what_the_network_said(flows, buffer, pattern):
    document = matching(flows, source_buffer=buffer, match_rules=[pattern])
    assert flows.run(document).start() == Release(1)


def test_unknown_numbers_are_empty(flows):
    for buffer in ("network_calling_party", "dialled_number", "service_key"):
        document = matching(flows, source_buffer=f"system.{buffer}")
        assert flows.run(document, service_key=None, called="", calling="").start() == Release(3)


def test_patterns_follow_the_syntax_of_the_flow(flows):
    document = flows.document("NumberMatching", {**GOOD, "match_rules": ["1+"]})
    document["pattern_syntax"] = "regex"
    assert flows.run(document, buffers={"user.input": "1111"}).start() == Release(1)
