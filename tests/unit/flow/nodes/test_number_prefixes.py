"""CallingParty and DialledNumber: rules, and the longest prefix of one of the two numbers."""

import pytest

from tsvc.flow.call import Release

# Type of the operation -> the number that it reads, the number that it ignores.
NUMBERS = {"CallingParty": ("calling", "called"), "DialledNumber": ("called", "calling")}
CONFIG = "flow.operations.2.config."
GOOD = {
    "rules": [
        {"prefix": "02", "exit_idx": 1},
        {"prefix": "0210", "exit_idx": 2},
        {"prefix": "02109", "exit_idx": 0},
        {"prefix": "B", "exit_idx": 2},
    ]
}


def rule(**members):
    one = {"prefix": "02", "exit_idx": 1, **members}
    return {"rules": [{key: value for key, value in one.items() if value is not None}]}


RULES = [
    ({}, "rules", "is required"),
    ({"rules": {}}, "rules", "must be an array of rules, not an object"),
    ({"rules": []}, "rules", "must hold at least one rule"),
    ({"rules": ["02"]}, "rules.0", 'must be an object, not the string "02"'),
    (rule(prefix=None), "rules.0.prefix", "is required"),
    (rule(prefix=""), "rules.0.prefix", "must not be empty"),
    (rule(prefix="+64"), "rules.0.prefix", 'must be digits (0-9, A-F), not the string "+64"'),
    (rule(exit_idx=None), "rules.0.exit_idx", "is required"),
    (
        rule(exit_idx=-1),
        "rules.0.exit_idx",
        "there is no exit -1; the operation has 3, counted from 0",
    ),
    (
        rule(exit_idx=3),
        "rules.0.exit_idx",
        "there is no exit 3; the operation has 3, counted from 0",
    ),
    (
        rule(exit_idx=True),
        "rules.0.exit_idx",
        "must be the index of an exit, not the boolean true",
    ),
    (rule(prefixes="0"), "rules.0.prefixes", 'unknown member; did you mean "prefix"?'),
    (
        {"rules": [{"prefix": "02", "exit_idx": 1}, {"prefix": "02", "exit_idx": 2}]},
        "rules.1.prefix",
        '"02" is in rules.0 already',
    ),
    ({**GOOD, "rule": 1}, "rule", 'unknown member; did you mean "rules"?'),
]


@pytest.fixture(params=NUMBERS)
def type_(request):
    return request.param


@pytest.mark.parametrize(("config", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, type_, config, member, text):
    problems = flows.problems(flows.document(type_, config))
    assert problems == [(CONFIG + member, text, "error")]


def test_at_least_one_exit(flows, type_):
    problems = flows.problems(flows.document(type_, rule(exit_idx=0), []))
    assert problems[0] == (
        "flow.operations.2.exits",
        f"{type_} has at least 1 exit, not 0",
        "error",
    )


@pytest.mark.parametrize(
    ("number", "exit_index"),
    [
        ("0211234", 1),
        ("0210", 2),
        ("02101", 2),
        ("021091", 0),
        ("021", 1),
        ("02", 1),
        ("B99", 2),
        ("0", 0),
        ("102", 0),
        ("", 0),
    ],
)
def test_longest_prefix_decides(flows, type_, number, exit_index):
    looked_at, _ = NUMBERS[type_]
    run = flows.run(flows.document(type_, GOOD), **{looked_at: number})
    assert run.start() == Release(exit_index + 1)
    assert run.path[1].exit_name == ("Default", "Exit 1", "Exit 2")[exit_index]


def test_other_number_has_no_say(flows, type_):
    looked_at, other = NUMBERS[type_]
    numbers = {other: "021", looked_at: "9"}
    assert flows.run(flows.document(type_, GOOD), **numbers).start() == Release(1)
