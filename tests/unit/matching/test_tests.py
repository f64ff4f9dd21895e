"""`tests[]`: every type, every attribute as an expression, problems with their paths."""

from dataclasses import dataclass, field

import pytest

from tsvc.errors import ExpressionFailed, Problem
from tsvc.expr import Environment, Value
from tsvc.matching import compile_tests

NOW = 1_700_000_000.0


UNDEFINED = "the expected value is undefined: $v->{nobody}"


@dataclass
class Log:
    """A check that keeps its entries."""

    entries: list[tuple[bool, str, object, object, bool]] = field(default_factory=list)

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        self.entries.append((ok, text, expected, got, abort))


def environment() -> Environment:
    v: dict[str, Value] = {"n": 5, "path": "n", "pattern": "^a", "bad": "(", "list": ["x", "y"]}
    return Environment(v, {}, {}, {}, random=lambda: 0.5, now=lambda: NOW)


TREE: dict[str, Value] = {
    "s": "abc",
    "n": 5,
    "ns": "5",
    "f": 5.0005,
    "zero": 0,
    "null": None,
    "t": True,
    "no": False,
    "false": "false",
    "list": ["x", "y"],
    "numbers": [1, 2],
    "object": {"a": 1},
    "empty": [],
    "at": 1_700_000_001,
    "at_text": "1700000001",
    "at_digits": "20231114221321",
    "at_iso": "2023-11-14T22:13:21Z",
    "at_zone": "2023-11-15T11:13:21+13:00",
    "at_blank": "2023-11-14 22:13:21",
    "at_bad": "20231399000000",
    "lines": "abc\n",
}


def run(*tests: dict) -> list[tuple[bool, str, object, object, bool]]:
    problems: list[Problem] = []
    compiled = compile_tests(list(tests), "operations[0].tests", problems)
    assert problems == []
    log = Log()
    compiled.run(TREE, environment(), log)
    assert len(log.entries) == len(tests)
    return log.entries


@pytest.mark.parametrize(
    ("test", "ok"),
    [
        ({"kpath": "s", "value": "abc"}, True),
        ({"kpath": "s", "type": "string", "value": "abd"}, False),
        ({"kpath": "n", "value": "5"}, True),
        ({"kpath": "n", "value": 5}, True),
        ({"kpath": "ns", "value": "05"}, False),
        ({"kpath": "s", "value": None}, False),
        ({"kpath": "missing", "value": None}, True),
        ({"kpath": "null", "value": None}, True),
        ({"kpath": "missing", "value": "x"}, False),
        ({"kpath": "missing", "value": ""}, False),
        ({"kpath": "list", "value": "x"}, False),
        ({"kpath": "object", "value": {"a": 1}}, False),
        ({"kpath": "t", "value": "1"}, True),
        ({"kpath": "ns", "type": "integer", "value": 5}, True),
        ({"kpath": "n", "type": "integer", "value": "05"}, True),
        ({"kpath": "n", "type": "integer", "value": 6}, False),
        ({"kpath": "n", "type": "integer", "value": 5.4}, False),
        ({"kpath": "n", "type": "integer", "value": "5.0"}, True),
        ({"kpath": "s", "type": "integer", "value": 0}, False),
        ({"kpath": "missing", "type": "integer", "value": 0}, False),
        ({"kpath": "missing", "type": "integer", "value": None}, True),
        ({"kpath": "n", "type": "integer", "value": None}, False),
        ({"kpath": "f", "type": "number", "value": 5.0005}, True),
        ({"kpath": "f", "type": "number", "value": 5}, False),
        ({"kpath": "f", "type": "number", "value": 5, "tolerance": 0.001}, True),
        ({"kpath": "s", "type": "number", "value": 5}, False),
        ({"kpath": "s", "type": "regex", "pattern": "^a.c$"}, True),
        ({"kpath": "s", "type": "regex", "pattern": "x"}, False),
        ({"kpath": "n", "type": "regex", "pattern": "^\\d$"}, True),
        ({"kpath": "lines", "type": "regex", "pattern": "c$"}, True),
        ({"kpath": "missing", "type": "regex", "pattern": ""}, False),
        ({"kpath": "s", "type": "exists"}, True),
        ({"kpath": "s", "type": "exists", "value": 0}, False),
        ({"kpath": "null", "type": "exists", "value": 1}, True),
        ({"kpath": "missing", "type": "exists"}, False),
        ({"kpath": "missing", "type": "exists", "value": 0}, True),
        ({"kpath": "missing", "type": "exists", "value": "0"}, True),
        ({"kpath": "missing", "type": "exists", "value": False}, True),
        ({"kpath": "s", "type": "defined"}, True),
        ({"kpath": "null", "type": "defined"}, False),
        ({"kpath": "null", "type": "defined", "value": 0}, True),
        ({"kpath": "t", "type": "boolean"}, True),
        ({"kpath": "no", "type": "boolean", "value": False}, True),
        ({"kpath": "zero", "type": "boolean", "value": 0}, True),
        ({"kpath": "false", "type": "boolean", "value": 0}, True),
        ({"kpath": "s", "type": "boolean", "value": 1}, True),
        ({"kpath": "s", "type": "boolean", "value": 0}, False),
        ({"kpath": "missing", "type": "boolean", "value": 0}, False),
        ({"kpath": "at", "type": "timestamp"}, True),
        ({"kpath": "at_text", "type": "timestamp"}, True),
        ({"kpath": "at_digits", "type": "timestamp"}, True),
        ({"kpath": "at_iso", "type": "timestamp"}, True),
        ({"kpath": "at_zone", "type": "timestamp"}, True),
        ({"kpath": "at_blank", "type": "timestamp"}, True),
        ({"kpath": "at_bad", "type": "timestamp"}, False),
        ({"kpath": "s", "type": "timestamp"}, False),
        ({"kpath": "missing", "type": "timestamp"}, False),
        ({"kpath": "at", "type": "timestamp", "tolerance_s": 0.5}, False),
        ({"kpath": "at", "type": "timestamp", "tolerance_s": 1}, True),
        ({"kpath": "at", "type": "timestamp", "value": 1_700_000_001}, True),
        ({"kpath": "at", "type": "timestamp", "value": 1_700_000_001.5}, False),
        ({"kpath": "at", "type": "timestamp", "value": 1_700_000_003, "tolerance_s": 2}, True),
        ({"kpath": "at", "type": "timestamp", "value": 1_700_000_003, "tolerance_s": 1}, False),
        ({"kpath": "at", "type": "timestamp", "value": "20231114221321"}, True),
        ({"kpath": "at", "type": "timestamp", "value": "nonsense"}, False),
        ({"kpath": "at", "type": "timestamp", "min": 1_700_000_001}, True),
        ({"kpath": "at", "type": "timestamp", "min": 1_700_000_002}, False),
        ({"kpath": "at", "type": "timestamp", "max": "20231114221320"}, False),
        ({"kpath": "at", "type": "timestamp", "min": 0, "max": 1_800_000_000}, True),
        ({"kpath": "at", "type": "timestamp", "tolerance_s": None}, True),
        ({"kpath": "at", "type": "timestamp", "tolerance_s": "{$v->{pattern}}"}, False),
        ({"kpath": "n", "type": "number", "value": 5, "tolerance": "{'x' . $v->{n}}"}, False),
        ({"kpath": "at", "type": "timestamp", "min": "x"}, False),
        ({"kpath": "at", "type": "timestamp", "min": None}, False),
        ({"kpath": "at", "type": "timestamp", "min": None, "max": None}, False),
        ({"kpath": "at", "type": "timestamp", "min": None, "max": 1_800_000_000}, True),
        ({"kpath": "list", "type": "size", "value": None}, False),
        ({"kpath": "list", "type": "size", "min": None, "max": 2}, True),
        ({"kpath": "s", "type": "len", "value": None}, False),
        ({"kpath": "n", "type": "range", "min": None, "max": None}, False),
        ({"kpath": "list", "type": "size", "value": 2}, True),
        ({"kpath": "list", "type": "size", "value": "2"}, True),
        ({"kpath": "list", "type": "size", "value": 3}, False),
        ({"kpath": "list", "type": "size", "min": 1, "max": 2}, True),
        ({"kpath": "list", "type": "size", "min": 3}, False),
        ({"kpath": "empty", "type": "size", "value": 0}, True),
        ({"kpath": "missing", "type": "size", "value": 0}, False),
        ({"kpath": "s", "type": "size", "value": 3}, False),
        ({"kpath": "s", "type": "len", "value": 3}, True),
        ({"kpath": "s", "type": "len", "max": 2}, False),
        ({"kpath": "n", "type": "len", "value": 1}, True),
        ({"kpath": "list", "type": "len", "value": 2}, False),
        ({"kpath": "list", "type": "ordered_str_array", "value": ["x", "y"]}, True),
        ({"kpath": "list", "type": "ordered_str_array", "value": ["y", "x"]}, False),
        ({"kpath": "list", "type": "ordered_str_array", "value": ["x"]}, False),
        ({"kpath": "numbers", "type": "ordered_str_array", "value": ["1", "2"]}, True),
        ({"kpath": "s", "type": "ordered_str_array", "value": ["abc"]}, False),
        ({"kpath": "missing", "type": "ordered_str_array", "value": None}, True),
        ({"kpath": "n", "type": "range", "min": 5}, True),
        ({"kpath": "n", "type": "range", "min": 6}, False),
        ({"kpath": "ns", "type": "range", "min": 1, "max": 5}, True),
        ({"kpath": "n", "type": "range", "max": 4.5}, False),
        ({"kpath": "n", "type": "range", "max": "many"}, False),
        ({"kpath": "s", "type": "range", "min": 0}, False),
        ({"kpath": "n", "type": "in", "value": [4, "5"]}, True),
        ({"kpath": "s", "type": "in", "value": ["x"]}, False),
        ({"kpath": "s", "type": "in", "value": []}, False),
        ({"kpath": "{$v->{path}}", "value": "{$v->{n}}"}, True),
        ({"kpath": "s", "type": "regex", "pattern": "{$v->{pattern}}"}, True),
        ({"kpath": "list", "type": "ordered_str_array", "value": "{$v->{list}}"}, True),
        ({"kpath": "n", "type": "range", "min": "{$v->{n} - 1}", "max": "{$v->{n} + 1}"}, True),
        ({"kpath": "s", "value": "abc", "comment": "why", "x_gui": 1, "name": "first"}, True),
    ],
)
def test_outcome(test: dict, ok: bool) -> None:
    assert run(test)[0][0] is ok


def test_entries() -> None:
    assert run(
        {"kpath": "s", "value": "abc"},
        {"kpath": "s", "value": "x", "abort_on_fail": 1},
        {"kpath": "list", "type": "size", "value": 3, "abort_on_fail": "{$v->{n} - 5}"},
        {"kpath": "missing", "type": "integer", "value": 3, "abort_on_fail": "0"},
    ) == [
        (True, "s (string)", "abc", "abc", False),
        (False, "s (string) differs", "x", "abc", True),
        (False, "list (size) differs", 3, 2, False),
        (False, "missing (integer) is absent", 3, None, False),
    ]


@pytest.mark.parametrize(
    ("test", "path", "part"),
    [
        ({"value": 1}, "operations[3].tests[0].kpath", "needs a kpath"),
        ({"kpath": 5, "value": 1}, "operations[3].tests[0].kpath", "needs a kpath"),
        ({"kpath": "a..b", "value": 1}, "operations[3].tests[0].kpath", "column 3"),
        ({"kpath": "a"}, "operations[3].tests[0]", "needs value"),
        ({"kpath": "a", "type": "regex"}, "operations[3].tests[0]", "needs pattern"),
        ({"kpath": "a", "type": "range"}, "operations[3].tests[0]", "needs min or max"),
        ({"kpath": "a", "type": "strin", "value": 1}, "operations[3].tests[0].type", '"string"?'),
        ({"kpath": "a", "type": 5, "value": 1}, "operations[3].tests[0].type", "unknown type"),
        ({"kpath": "a", "valu": 1}, "operations[3].tests[0].valu", 'did you mean "value"?'),
        (
            {"kpath": "a", "type": "timestamp", "tolerance_s": "2 s"},
            "operations[3].tests[0].tolerance_s",
            "expected a number",
        ),
        (
            {"kpath": "a", "type": "number", "value": 1, "tolerance": True},
            "operations[3].tests[0].tolerance",
            "expected a number",
        ),
        (
            {"kpath": "a", "value": 1, "abort_on_fail": "false"},
            "operations[3].tests[0].abort_on_fail",
            "expected true, false, 0 or 1",
        ),
        ({"kpath": "a", "type": "exists", "min": 1}, "operations[3].tests[0].min", "unknown"),
        (
            {"kpath": "a", "type": "regex", "pattern": "(?=a)"},
            "operations[3].tests[0].pattern",
            "look-around",
        ),
        ({"kpath": "a", "type": "in", "value": 5}, "operations[3].tests[0].value", "a list"),
        ({"kpath": "a", "value": "{1 +}"}, "operations[3].tests[0].value", "column"),
        ({"kpath": "{1 +}", "value": 1}, "operations[3].tests[0].kpath", "column"),
        (5, "operations[3].tests[0]", "expected an object"),
    ],
)
def test_problem(test: object, path: str, part: str) -> None:
    problems: list[Problem] = []
    assert len(compile_tests([test], "operations[3].tests", problems)) == 0
    assert [problem.path for problem in problems][:1] == [path]
    assert part in problems[0].text


def test_all_problems_are_collected() -> None:
    problems: list[Problem] = []
    compile_tests([{}, {"kpath": "a", "valu": 1}, 7], "tests", problems)
    assert {problem.path.partition("]")[0] for problem in problems} == {
        "tests[0",
        "tests[1",
        "tests[2",
    }


def test_none_and_no_list() -> None:
    problems: list[Problem] = []
    assert not compile_tests(None, "tests", problems)
    assert not compile_tests([], "tests", problems)
    assert problems == []
    compile_tests({}, "tests", problems)
    assert [problem.path for problem in problems] == ["tests"]


@pytest.mark.parametrize(
    ("test", "part"),
    [
        ({"kpath": "s", "type": "regex", "pattern": "{$v->{bad}}"}, r"tests\[0\].pattern: "),
        ({"kpath": "{$v->{n}}", "value": 1}, r"tests\[0\].kpath: the kpath is not a text"),
        ({"kpath": "{'a..b'  . $v->{x}}", "value": 1}, r"tests\[0\].kpath: column 3"),
        ({"kpath": "s", "value": "{1 / 0}"}, r"tests\[0\].value: division by zero"),
    ],
)
def test_failing_attribute_is_named(test: dict, part: str) -> None:
    with pytest.raises(ExpressionFailed, match=part):
        run(test)


@pytest.mark.parametrize("type_name", ["in", "ordered_str_array"])
@pytest.mark.parametrize("before", [[], ["abc"]])
def test_an_undefined_element_of_what_is_expected_fails(type_name, before):
    problems: list[Problem] = []
    given = [{"kpath": "s", "type": type_name, "value": [*before, "{$v->{nobody}}"]}]
    tests = compile_tests(given, "tests", problems)
    assert problems == []
    log = Log()
    tests.run(TREE, environment(), log)
    ((ok, text, *_),) = log.entries
    assert (ok, text) == (False, f"s ({type_name}): {UNDEFINED}")
