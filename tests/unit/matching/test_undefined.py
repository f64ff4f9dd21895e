"""An expected value fails if its expression gives undef: only a literal null means absent."""

import pytest

from tsvc.expr.environment import Environment
from tsvc.expr.template import compile_template
from tsvc.matching.arguments import match_arguments
from tsvc.matching.outcome import Outcome
from tsvc.matching.tests import compile_tests


def environment(**variables):
    return Environment(dict(variables), {}, {}, {}, random=lambda: 0.0, now=lambda: 0.0)


def findings(expected, actual, **variables):
    problems = []
    template = compile_template(expected, "arguments", problems, is_expected=True)
    assert problems == []
    outcome = Outcome()
    match_arguments(template.render(environment(**variables)), actual, outcome)
    return [(ok, text) for ok, text, _, _ in outcome.findings]


MISSPELT = "{$v->{orig_caled}}"
WORDS = "the expected value is undefined: $v->{orig_caled}"


@pytest.mark.parametrize("actual", [{}, {"a": None}, {"a": "1"}, {"a": {"b": 1}}, {"a": [1]}])
@pytest.mark.parametrize("name", ["a", "!a"])
def test_a_misspelt_variable_never_passes(name, actual):
    assert findings({name: MISSPELT}, actual, orig_called="1") == [(False, f"{name}: {WORDS}")]


def test_wherever_it_stands():
    expected = {"a": {"b": [1, MISSPELT]}, "bcsmEvents": [{"eventTypeBCSM": MISSPELT}]}
    actual = {"a": {"b": [1, None]}, "bcsmEvents": [{"eventTypeBCSM": 7}]}
    failed = [text for ok, text in findings(expected, actual) if not ok]
    assert f"a.b[1]: {WORDS}" in failed
    assert any("bcsmEvents[0].eventTypeBCSM" in text and WORDS in text for text in failed)


def test_a_constant_that_is_undefined_fails_too():
    assert findings({"a": "{undef}"}, {}) == [(False, "a: the expected value is undefined: undef")]


@pytest.mark.parametrize(
    ("actual", "ok", "text"),
    [
        ({}, True, "a is absent, as expected"),
        ({"a": None}, True, "a is absent, as expected"),
        ({"a": 1}, False, "a must be absent"),
    ],
)
def test_null_alone_means_absent(actual, ok, text):
    assert findings({"a": None}, actual) == [(ok, text)]


def test_what_is_defined_is_compared():
    assert findings({"a": "{$v->{x}}"}, {"a": "17"}, x="17") == [(True, "a")]


@pytest.mark.parametrize("type_", ["string", "integer", "number", "in", "size", "timestamp"])
def test_the_value_of_a_test(type_):
    problems = []
    value = [MISSPELT] if type_ == "in" else MISSPELT
    tests = compile_tests([{"kpath": "a", "type": type_, "value": value}], "tests", problems)
    assert problems == []
    outcome = Outcome()
    tests.run({}, environment(), outcome)
    ((ok, text, _, _),) = outcome.findings
    assert not ok
    if type_ != "in":
        assert text.endswith(WORDS)


@pytest.mark.parametrize(
    "expected",
    [
        {"!a": {"b": MISSPELT}},
        {"!a": [MISSPELT]},
        {"a": {"b": {"c": MISSPELT}}},
        {"a": [{"b": MISSPELT}]},
    ],
)
@pytest.mark.parametrize("actual", [{}, {"a": {"b": "1"}}, {"a": [1]}, {"a": 1}])
def test_nested_ones_never_pass_either(expected, actual):
    assert not all(ok for ok, _ in findings(expected, actual))
