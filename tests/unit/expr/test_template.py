"""Templates: which strings are expressions, and what rendering gives."""

import pytest

from tsvc.errors import ExpressionFailed, Problem
from tsvc.expr import (
    Environment,
    Template,
    Value,
    compile_always,
    compile_template,
    is_expression,
)


def environment(**v: Value) -> Environment:
    return Environment(dict(v), {}, {}, {}, random=lambda: 0.5, now=lambda: 1.7e9)


def compiled(value: Value) -> Template:
    problems: list[Problem] = []
    template = compile_template(value, "arguments", problems)
    assert [one for one in problems if one.severity == "error"] == []
    return template


@pytest.mark.parametrize(
    ("value", "rendered", "is_constant"),
    [
        (5, 5, True),
        (None, None, True),
        (True, True, True),
        ("text", "text", True),
        ("", "", True),
        ("{$v->{n}}", 7, False),
        ("{'1800' . $v->{n}}", "18007", False),
        ("{1 + 2}", 3, True),
        ("\\{literal}", "{literal}", True),
        ("\\{", "{", True),
        ("{open", "{open", True),
        ("close}", "close}", True),
        ("a {$v->{n}}", "a {$v->{n}}", True),
        (" {$v->{n}}", " {$v->{n}}", True),
        ("{$v->{missing}}", None, False),
        ("{ { a => $v->{n} } }", {"a": 7}, False),
        ("{[1, $v->{n}]}", [1, 7], False),
        ({"a": {"b": ["x", "{$v->{n}}"]}}, {"a": {"b": ["x", 7]}}, False),
        ({"{$v->{n}}": 1}, {"{$v->{n}}": 1}, True),
        ({"a": 1, "b": "{$v->{n}}", "c": 2}, {"a": 1, "b": 7, "c": 2}, False),
        ([], [], True),
        ({"a": "\\{x}"}, {"a": "{x}"}, True),
        ("{9**9**9 * $v->{n}}", "Inf", False),
    ],
)
def test_render(value: Value, rendered: Value, is_constant: bool) -> None:
    template = compiled(value)
    assert template.is_constant is is_constant
    assert template.render(environment(n=7)) == rendered


def test_order_of_members_is_kept() -> None:
    value = {"z": "{$v->{n}}", "a": 1, "m": "{2}"}
    rendered = compiled(value).render(environment(n=1))
    assert isinstance(rendered, dict)
    assert list(rendered) == ["z", "a", "m"]


def test_constant_parts_are_prepared_once() -> None:
    template = compiled({"a": {"b": 1}, "c": "{$v->{n}}"})
    first, second = (template.render(environment(n=1)) for _ in range(2))
    assert first is not second
    assert first["a"] is second["a"]


def test_what_an_expression_returns_is_a_copy() -> None:
    env = environment(l=[1, [2]])
    rendered = compiled("{$v->{l}}").render(env)
    rendered[1].append(3)
    assert env.v["l"] == [1, [2]]


def test_cycle_fails() -> None:
    env = environment()
    env.v["self"] = env.v
    with pytest.raises(ExpressionFailed, match="nested deeper"):
        compiled("{$v->{self}}").render(env)


def test_failure_names_its_path() -> None:
    template = compiled({"list": [1, {"x": "{1 / $v->{zero}}"}]})
    with pytest.raises(ExpressionFailed, match=r"^arguments\.list\[1\]\.x: division by zero"):
        template.render(environment(zero=0))


def test_all_problems_are_collected_with_path_and_column() -> None:
    problems: list[Problem] = []
    value = {"a": "{1 +}", "b": ["{$nope}", "ok"], "c": "{}", "d": '{"json": 1}'}
    compile_template(value, "operations[3].arguments", problems)
    assert [problem.path for problem in problems] == [
        "operations[3].arguments.a",
        "operations[3].arguments.b[0]",
        "operations[3].arguments.c",
        "operations[3].arguments.d",
    ]
    assert problems[0].text.startswith("column 5: ")
    assert "  {1 +}\n      ^" in problems[0].text
    assert "write \\{" in problems[3].text


def test_always_expressions_need_no_braces() -> None:
    problems: list[Problem] = []
    for source in ("$v->{n} + 1", "{$v->{n} + 1}"):
        expression = compile_always(source, "expression", problems)
        assert expression is not None
        assert expression.evaluate(environment(n=1)) == 2
    assert compile_always("1 +", "operations[0].expression", problems) is None
    assert compile_always(5, "operations[1].expression", problems) is None
    paths = [problem.path for problem in problems]
    assert paths == ["operations[0].expression", "operations[1].expression"]


def test_is_expression() -> None:
    assert is_expression("{1}")
    assert not any(map(is_expression, ("\\{1}", "{1", 1, None, ["{1}"])))
