"""Texts that hold an expression but are none are reported, with the spelling that works."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import Problem
from tsvc.expr import Environment, compile_template

VARS = {"msisdn": "6421000001", "n": 7}


def environment() -> Environment:
    return Environment(dict(VARS), {}, {}, {}, random=lambda: 0.5, now=lambda: 1.7e9)


def sent(value: object) -> tuple[object, list[Problem]]:
    problems: list[Problem] = []
    return compile_template(value, "path", problems).render(environment()), problems


REPORTED = {
    "/balance/{$v->{msisdn}}": "{'/balance/' . $v->{msisdn}}",
    "{$v->{n}} ": "{$v->{n} . ' '}",
    "it's {$v->{n}}\\": "{'it\\'s ' . $v->{n} . '\\\\'}",
    "a {$v->{n}} b {$v->{msisdn}}": "{'a ' . $v->{n} . ' b ' . $v->{msisdn}}",
    "<a>{ uc('x') }</a>": "{'<a>' . uc('x') . '</a>'}",
    'x {"a" . 1}.': "{'x ' . \"a\" . 1 . '.'}",
    "\\{a}: {$v->{n}}": "{'{a}: ' . $v->{n}}",
    "x" * 100 + "{$v->{n}}": "{'text' . $v->{name} . 'text'}",
    "x{$v->{n": "{'text' . $v->{name} . 'text'}",
}


@pytest.mark.parametrize("text", REPORTED)
def test_what_looks_like_an_expression_is_reported(text: str) -> None:
    value, (problem,) = sent(text)
    assert value == text.removeprefix("\\")
    assert (problem.path, problem.severity) == ("path", "warning")
    assert f"write {REPORTED[text]}, or" in problem.text


@pytest.mark.parametrize(
    "text",
    ["{", "{} ", "a {2} b", '[{"a": 1}]', "{user.name}: hi", "^a{$", "a{2,3}", "$v->{n}"],
)
def test_what_does_not_look_like_one_is_sent_in_silence(text: str) -> None:
    assert sent(text) == (text, [])


@pytest.mark.parametrize(
    ("text", "meant"),
    [("a \\{$v->{n}}", "a {$v->{n}}"), ("\\{$v->{n}}", "{$v->{n}}"), ('\\{a \\{"b"}', '{a {"b"}')],
)
def test_a_brace_that_is_meant(text: str, meant: str) -> None:
    assert sent(text) == (meant, [])


def test_a_backslash_elsewhere_stays() -> None:
    assert sent("a\\{2} \\{b} \\d") == ("a\\{2} \\{b} \\d", [])


def test_a_name_is_never_an_expression() -> None:
    value, (problem,) = sent({"a": {"{$v->{n}}": 1}})
    assert value == {"a": {"{$v->{n}}": 1}}
    assert (problem.path, problem.severity) == ("path.a.{$v->{n}}", "warning")


LITERALS = st.text("ab'\\ /{}1", max_size=6).filter(
    lambda text: not re.search(r"\{\s*[\"'a-z$]|\\\Z", text)
)
EXPRESSIONS = st.sampled_from([("$v->{n}", "7"), ("$v->{msisdn}", "6421000001"), ("uc('b')", "B")])


@given(st.lists(st.tuples(LITERALS, EXPRESSIONS), min_size=1, max_size=3), LITERALS)
def test_the_spelling_that_is_shown_gives_what_was_meant(
    pairs: list[tuple[str, tuple[str, str]]], end: str
) -> None:
    text = "".join(f"{literal}{{{source}}}" for literal, (source, _) in pairs) + end
    meant = "".join(literal + value for literal, (_, value) in pairs) + end
    _, problems = sent(f" {text} ")
    (problem,) = problems
    found = re.search(r"; write (\{.*\}), or ", problem.text)
    assert found is not None
    assert sent(found[1]) == (f" {meant} ", [])
