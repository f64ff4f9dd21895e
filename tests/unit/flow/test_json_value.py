"""How messages speak of values."""

from datetime import date

import pytest

from tsvc.flow.json_value import describe, hint, show


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "the boolean true"),
        (1, "the integer 1"),
        (1.5, "the number 1.5"),
        ("x" * 40, f'the string "{"x" * 40}"'),
        ("x" * 41, "a string"),
        ([], "an array"),
        ({}, "an object"),
        (date(2026, 1, 1), "a date"),  # as TOML and YAML read it
    ],
)
def test_describe(value, text):
    assert describe(value) == text


def test_a_huge_integer_does_not_fill_the_message():
    assert show(10**40 - 1) == "9" * 40
    assert show(-(10**5000)) == "of very many digits"


def test_hint():
    assert hint("releasecall", ["ReleaseCall", "Start"]) == '; did you mean "ReleaseCall"?'
    assert hint("zzz", ["ReleaseCall", "Start"]) == ""
