"""`vars`: generators, and that the seed determines their values."""

import random
from collections import Counter

import pytest

from tsvc.errors import ExpressionFailed, Problem
from tsvc.expr import Environment, Value, compile_vars


def rows(file: str, column: str) -> list[Value]:
    if file != "numbers.csv":
        raise ValueError(f"{file} does not exist")
    return {"msisdn": ["6421", "6422", "6423"], "none": []}[column]


def fill(definitions: dict[str, Value], idx: int = 0, seed: int = 1) -> dict[str, Value]:
    problems: list[Problem] = []
    variables = compile_vars(definitions, "vars", problems, rows)
    assert problems == []
    env = Environment({}, {}, {}, {}, random=random.Random(f"{seed}/{idx}").random, now=lambda: 0)
    variables.fill(env, idx)
    return env.v


def test_literals_expressions_and_order() -> None:
    assert fill({"a": 1, "b": "{$v->{a} + 1}", "c": ["{$v->{b}}"], "d": "x"}) == {
        "a": 1,
        "b": 2,
        "c": [2],
        "d": "x",
    }


def test_each_instance_has_its_own_containers() -> None:
    problems: list[Problem] = []
    variables = compile_vars({"l": [1]}, "vars", problems)
    first, second = (
        Environment({}, {}, {}, {}, random=random.random, now=lambda: 0) for _ in range(2)
    )
    variables.fill(first, 0)
    variables.fill(second, 1)
    first.v["l"].append(2)
    assert second.v["l"] == [1]


def test_random_covers_its_range_and_only_that() -> None:
    seen = Counter(
        fill({"n": {"$random": {"min": 1, "max": 6}}}, idx=idx)["n"] for idx in range(600)
    )
    assert set(seen) == {1, 2, 3, 4, 5, 6}
    assert all(isinstance(value, int) for value in seen)


def test_random_of_fractions_and_wide_ranges() -> None:
    value = fill({"n": {"$random": {"min": 0.5, "max": 1}}})["n"]
    assert isinstance(value, float)
    assert 0.5 <= value < 1
    wide = [fill({"n": {"$random": {"max": (1 << 63)}}}, idx=idx)["n"] for idx in range(50)]
    assert all(0 <= number <= 1 << 63 for number in wide)
    assert len({number % 1024 for number in wide}) > 25  # the low bits vary, too


def test_same_seed_and_index_same_values() -> None:
    definitions: dict[str, Value] = {
        "r": {"$random": {"min": 0, "max": 10**9}},
        "c": {"$choice": ["a", "b", "c", "d"]},
        "u": "{uuid}",
    }
    assert fill(definitions, 3, 9) == fill(definitions, 3, 9)
    assert fill(definitions, 3, 9) != fill(definitions, 4, 9)
    assert fill(definitions, 3, 9) != fill(definitions, 3, 8)


def test_choice_takes_every_value() -> None:
    taken = {fill({"c": {"$choice": ["a", 2]}}, idx=idx)["c"] for idx in range(100)}
    assert taken == {"a", 2}


@pytest.mark.parametrize(
    ("options", "idx", "value"),
    [
        ({}, 0, 1),
        ({}, 5, 6),
        ({"start": 100, "step": 10}, 3, 130),
        ({"start": 5, "step": -1}, 2, 3),
        ({"start": 7, "width": 10}, 0, "0000000007"),
        ({"start": 12345, "width": 3}, 0, "12345"),
    ],
)
def test_sequence(options: dict[str, Value], idx: int, value: Value) -> None:
    assert fill({"s": {"$sequence": options}}, idx=idx) == {"s": value}


def test_csv_orders() -> None:
    def column(order: str, idx: int) -> Value:
        options: Value = {"file": "numbers.csv", "column": "msisdn", "order": order}
        return fill({"m": {"$csv": options}}, idx=idx)["m"]

    assert [column("sequential", idx) for idx in range(4)] == ["6421", "6422", "6423", "6421"]
    assert [column("unique", idx) for idx in range(3)] == ["6421", "6422", "6423"]
    with pytest.raises(ExpressionFailed, match="3 rows, none left for instance 3"):
        column("unique", 3)
    assert {column("random", idx) for idx in range(60)} == {"6421", "6422", "6423"}


@pytest.mark.parametrize(
    ("definition", "path"),
    [
        ({"$random": {"min": 5, "max": 1}}, "vars.x.$random.max"),
        ({"$random": {"min": "a", "max": 1}}, "vars.x.$random.min"),
        ({"$random": {}}, "vars.x.$random.max"),
        ({"$random": {"max": 1, "mox": 1}}, "vars.x.$random.mox"),
        ({"$random": 5}, "vars.x.$random"),
        ({"$choice": []}, "vars.x.$choice"),
        ({"$choice": "abc"}, "vars.x.$choice"),
        ({"$sequence": {"start": "1"}}, "vars.x.$sequence.start"),
        ({"$sequence": {"width": 65}}, "vars.x.$sequence.width"),
        ({"$csv": {"file": "nope.csv", "column": "msisdn"}}, "vars.x.$csv.file"),
        ({"$csv": {"file": "numbers.csv", "column": "none"}}, "vars.x.$csv.file"),
        ({"$csv": {"column": "msisdn"}}, "vars.x.$csv.file"),
        ({"$csv": {"file": "f", "column": "c", "order": "up"}}, "vars.x.$csv.order"),
        ({"$dice": 6}, "vars.x.$dice"),
        ("{1 +}", "vars.x"),
    ],
)
def test_problem_has_its_path(definition: Value, path: str) -> None:
    problems: list[Problem] = []
    compile_vars({"x": definition, "y": 1}, "vars", problems, rows)
    assert path in [problem.path for problem in problems]


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("{ $v->{y} }", "reads $v->{y}, which is set after it"),
        ("{ $v->{x} . 'a' }", "reads $v->{x}, which is set after it"),
        (["{ $v->{y} + 1 }"], "reads $v->{y}, which is set after it"),
        ("{ $v->{y} // 7 }", ""),
        ("{ $v->{y} = 7; $v->{y} }", ""),
        ("{ $v->{elsewhere} }", ""),
    ],
)
def test_a_variable_that_is_read_too_early(first: Value, words: str) -> None:
    for definitions in ({"x": first, "y": "1"}, {"x": first, "y": {"$random": {"max": 1}}}):
        problems: list[Problem] = []
        compile_vars(definitions, "vars", problems, rows)
        assert [one.text.partition(":")[0] for one in problems] == ([words] if words else [])
    problems = []
    compile_vars({"y": 1, "x": "{ $v->{y} }"}, "vars", problems, rows)
    assert problems == []


def test_generators_are_named_and_csv_needs_a_loader() -> None:
    problems: list[Problem] = []
    variables = compile_vars({"a": 1, "b": {"$choice": [1]}, "c": "{1}"}, "vars", problems)
    assert variables.generators == {"b"}
    assert problems == []
    compile_vars({"c": {"$csv": {"file": "f", "column": "c"}}}, "vars", problems)
    assert [problem.path for problem in problems] == ["vars.c.$csv"]
