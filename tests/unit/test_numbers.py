"""Decimal numbers keep all their digits from the text to the comparison."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.matching.comparisons import TYPES
from tsvc.matching.equality import ABSENT, equal_scalars, number_of
from tsvc.numbers import (
    ExactFloat,
    decimal_of,
    encode_exactly,
    float_of_literal,
    loads_exactly,
    text_exactly,
)
from tsvc.rpc import strict_json

LITERALS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][-+]?[0-9]{1,2})?", fullmatch=True
).filter(lambda text: not text.lstrip("-").isdigit() and len(text) < 64)


@given(LITERALS)
def test_a_literal_is_the_number_that_was_written(literal):
    value = strict_json.parse(literal.encode())
    assert value == float(literal) or isinstance(value, ExactFloat)
    assert decimal_of(value) == Decimal(literal)
    assert json.loads(encode_exactly([value])) == [float(literal)]
    assert Decimal(encode_exactly({"a": [value]}).decode()[6:-2]) == Decimal(literal)


@given(LITERALS, LITERALS)
def test_numbers_are_equal_if_the_written_ones_are(first, second):
    one, other = (strict_json.parse(text.encode()) for text in (first, second))
    is_equal = Decimal(first) == Decimal(second)
    assert (one == other) is is_equal
    assert is_equal <= (hash(one) == hash(other))
    for expected, got in ((one, other), (first, other), (one, second)):
        assert (number_of(expected) == number_of(got)) is is_equal
        if isinstance(expected, float) and isinstance(got, float):
            assert equal_scalars("amount", expected, got) is is_equal
        for type_ in ("number", "range"):
            members = {"value": expected, "tolerance": 0, "min": expected, "max": expected}
            assert TYPES[type_].compare(got, members, 0.0)[0] is is_equal


@pytest.mark.parametrize("type_", sorted(TYPES))
def test_the_double_of_both_is_not_enough(type_):
    """For each type of test, values that differ beyond the digits of a double differ."""
    wanted, got = (
        float_of_literal(text) for text in ("12345678901234567890.12", "12345678901234567000.5")
    )
    assert float(wanted) == float(got) + 890.0 or float(wanted) != 0.0
    kind = TYPES[type_]
    if "value" not in kind.members or type_ in ("exists", "defined", "boolean", "size", "length"):
        return
    listed = type_ in ("in", "ordered_str_array")
    members = {"value": [wanted] if listed else wanted, "tolerance": 0, "tolerance_s": 0}
    found = kind.compare([got] if type_ == "ordered_str_array" else got, members, 0.0)
    assert found[0] is False
    assert kind.compare(ABSENT, members, 0.0)[0] is False


@pytest.mark.parametrize("count", [1, 3, 5_000])
@pytest.mark.parametrize("number", ["12345678901234567890.12", "1E-400", "0.1234567890123456789"])
def test_digits_last_from_text_to_text(number, count):
    """Every writer writes a number as it was read, in any surrounding value."""
    text = json.dumps({"a": [{"b": "x", "c": 0}] * count, "d": ["ä", None]})
    text = text.replace('"c": 0', f'"c": {number}', 1)
    read = strict_json.parse(text.encode())
    assert loads_exactly(text) == read
    for written in (
        strict_json.encode(read),
        encode_exactly(read),
        text_exactly(read, json.dumps),
    ):
        assert loads_exactly(written) == read
    assert text_exactly(read, json.dumps) == text


def test_integers_beside_them():
    near = strict_json.parse(b"12345678901234567890.5")
    assert near != 12345678901234567890
    assert strict_json.parse(b"12345678901234567890.0") == 12345678901234567890
    assert TYPES["integer"].compare(near, {"value": 12345678901234567890}, 0.0)[0] is False


@pytest.mark.parametrize("text", ["0.1", "123456789.25", "-0.0", "1E5", "0.30000000000000004"])
def test_what_a_double_holds_stays_one(text):
    assert type(float_of_literal(text)) is float


def test_what_is_too_small_for_a_double_is_not_zero():
    assert float_of_literal("-1E-400") == float_of_literal("-10E-401") != 0
