"""How messages speak of names and values."""

from datetime import date

import pytest

from tsvc.words import cut, described, did_you_mean, digits_of, kind_of, member_path, shown


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("operation", '; did you mean "operations"?'),
        ("OPERATIONS", '; did you mean "operations"?'),
        ("OPERATOINS", '; did you mean "operations"?'),
        ("servicekey", '; did you mean "serviceKey"?'),
        ("abort_on_fial", '; did you mean "abort_on_fail"?'),
        ("zzz", ""),
        ("", ""),
        (5, ""),
        ("o" * 1_000_000, ""),
    ],
)
def test_did_you_mean(name, hint):
    known = ["operations", "run_id", "serviceKey", "abort_on_fail"]
    assert did_you_mean(name, iter(known)) == hint


def test_shown_is_quoted_cut_and_always_encodable():
    assert shown('say "x"') == '"say \\"x\\""'
    assert shown("x" * 65) == '"' + "x" * 63 + '…"'
    assert shown("\ud800\n").encode() == b'"\\ud800\\n"'


def test_cut():
    assert cut("abcd", 4) == "abcd"
    assert cut("abcde", 4) == "abc…"


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, "null", "null"),
        (True, "a boolean", "the boolean true"),
        (1, "a number", "the integer 1"),
        (1.5, "a number", "the number 1.5"),
        ("x" * 40, "a string", f'the string "{"x" * 40}"'),
        ("x" * 41, "a string", "a string"),
        ([], "an array", "an array"),
        ({}, "an object", "an object"),
    ],
)
def test_the_kind_of_a_value_and_the_value(value, kind, text):
    assert kind_of(value) == kind
    assert described(value) == text


def test_a_value_that_only_toml_and_yaml_have():
    assert described(date(2026, 1, 1)) == "a date"


def test_a_huge_integer_does_not_fill_the_message():
    assert digits_of(10**40 - 1) == "9" * 40
    assert digits_of(-(10**5000)) == "of very many digits"


@pytest.mark.parametrize(
    ("prefix", "part", "path"),
    [
        ("", "params", "params"),
        ("params", "operations", "params.operations"),
        ("params.operations", 3, "params.operations[3]"),
        ("params", "inap.extensions", "params.inap.extensions"),
        ("params", "!digits", "params.!digits"),
        ("params", "a b", 'params["a b"]'),
        ("params", "", 'params[""]'),
        ("params", 'say "x"', 'params["say \\"x\\""]'),
        ("", 0, "[0]"),
    ],
)
def test_member_path(prefix, part, path):
    assert member_path(prefix, part) == path


def test_long_names_are_cut():
    assert len(member_path("p", "x" * 1_000_000)) < 80
