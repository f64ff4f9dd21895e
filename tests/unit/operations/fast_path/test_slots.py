"""Slots: the octets for the values of an instance, and digits written into octets."""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.scripted_scp import INITIAL_DP

from tsvc.expr import Environment
from tsvc.operations.fast_path.slots import DigitPattern, Expressions, SlotEncoder
from tsvc.protocols.inap.operation import OPERATIONS

FUZZ = settings(max_examples=examples(100), deadline=None)
Encode = Callable[[list[Any]], bytes]


def initial_dp(values: Sequence[Any]) -> bytes:
    """Return an argument in which the digits of one number are packed."""
    given = {**INITIAL_DP["arguments"], "callingPartyNumber_digits": str(values[0])}
    octets = OPERATIONS.required("InitialDP").encode_argument(given, "camel2")
    assert octets is not None
    return octets


@pytest.mark.parametrize("width", [2, 3, 9, 10, 15])
def test_packed_digits_are_found_and_written(width: int) -> None:
    pattern = DigitPattern.find(initial_dp, [width])
    assert pattern is not None
    chance = random.Random(width)
    for _ in range(50):
        text = "".join(chance.choice("0123456789") for _ in range(width))
        assert pattern.fill(text) == initial_dp([text])


def shown(text: str) -> Encode:
    """Return a function that formats values into a text."""
    return lambda values: text.format(*values).encode()


@pytest.mark.parametrize(
    ("encode", "shape"),
    [
        (shown("{0}"), [5]),
        (shown("GET /{0}/{1} HTTP/1.1\r\nX: {0}0{1}{1}\r\n\r\n{0}"), [3, 2]),
        (shown("{1}{0}"), [-3, 4]),
        (shown("x" * 300 + "{0}" + "y" * 300 + "{0}"), [-1]),
        (lambda values: bytes.fromhex(values[0] * 2), [4]),
        (lambda values: bytes.fromhex(values[0][::-1]), [4]),  # each digit is a nibble
        (lambda values: json.dumps({"a": values}).encode(), [-3, 3]),
    ],
)
def test_digits_at_several_places_of_several_numbers(encode: Encode, shape: list[int]) -> None:
    pattern = DigitPattern.find(encode, shape)
    assert pattern is not None
    chance = random.Random(1)
    for _ in range(50):
        texts = [str(chance.randrange(10 ** (abs(one) - 1), 10 ** abs(one))) for one in shape]
        values = [int(text) if one < 0 else text for text, one in zip(texts, shape, strict=True)]
        assert pattern.fill("".join(texts)) == encode(values)


@pytest.mark.parametrize(
    "encode",
    [
        lambda values: b"%d" % (int(values[0]) + 5),
        lambda values: b"%d" % (int(values[0]) % 10),
        lambda values: bytes((len(values[0]),)),
        lambda values: int(values[0]).to_bytes(8, "big"),
        lambda values: values[0].lstrip("0").encode(),
        lambda values: values[0].replace("9", "x").encode(),
        lambda values: values[0].replace("12", "21").encode(),
        lambda values: (values[0] + str(sum(map(int, values[0])))).encode(),
        lambda values: bytes.fromhex(values[0]) + bytes((sum(map(int, values[0])) % 10,)),
    ],
)
def test_more_than_digits(encode: Encode) -> None:
    assert DigitPattern.find(encode, [4]) is None


def test_digits_in_utf_16_are_digits() -> None:
    pattern = DigitPattern.find(lambda values: values[0].encode("utf-16"), [4])
    assert pattern is not None
    assert pattern.fill("9021") == "9021".encode("utf-16")


def test_more_digits_than_are_tried() -> None:
    assert DigitPattern.find(shown("{0}{1}"), [32, 33]) is None


def test_an_error_is_that_of_encode() -> None:
    def encode(values: list[Any]) -> bytes:
        raise ValueError("no 2 here")

    with pytest.raises(ValueError, match="no 2 here"):
        DigitPattern.find(encode, [3])


# -- the encoder --------------------------------------------------------------------------------


def as_json(values: list[Any]) -> bytes:
    """Return octets that differ for all different values and types."""
    return json.dumps(values).encode()


TEXTS = st.one_of(
    st.text("0123456789", min_size=1, max_size=6), st.text(max_size=4), st.just("-12")
)
VALUES = st.one_of(
    TEXTS,
    st.integers(-50, 10**6),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.sampled_from("ab"), st.integers(0, 3), max_size=2),
)


@FUZZ
@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=30))
def test_an_encoder_gives_what_encode_gives(given: list[tuple[Any, Any]]) -> None:
    """This holds after any other values, and when values are repeated."""
    encoder = SlotEncoder(as_json)
    for values in [*given, *given]:
        assert encoder.octets(list(values)) == as_json(list(values))


@FUZZ
@given(st.lists(st.text("0123456789", min_size=1, max_size=15), min_size=5, max_size=40))
def test_an_encoder_gives_packed_digits_of_any_length(numbers: list[str]) -> None:
    encoder = SlotEncoder(initial_dp)
    for number in numbers:
        assert encoder.octets([number]) == initial_dp([number])


def test_digits_that_keep_their_number_are_written_and_not_encoded() -> None:
    calls = 0

    def encode(values: list[Any]) -> bytes:
        nonlocal calls
        calls += 1
        return as_json(values)

    encoder = SlotEncoder(encode)
    for number in range(100, 600):
        assert encoder.octets([number, str(number)]) == as_json([number, str(number)])
    assert calls < 50


def test_what_comes_again_is_encoded_once() -> None:
    calls = []

    def encode(values: list[Any]) -> bytes:
        calls.append(values)
        return as_json(values)

    encoder = SlotEncoder(encode)
    for value in ("a", True, 1.0, "a", True, 1.0):
        encoder.octets([value])
    assert calls == [["a"], [True], [1.0]]
    encoder.octets([[1]])
    encoder.octets([[1]])
    assert calls[3:] == [[[1]], [[1]]]


def test_digits_that_are_more_where_they_stand_are_encoded() -> None:
    def encode(values: list[Any]) -> bytes:
        return f"/%2{values[0]}".encode()

    encoder = SlotEncoder(encode, is_plain=False)
    for number in range(10, 90):
        assert encoder.octets([str(number)]) == encode([str(number)])
    assert encoder._patterns == {}


@pytest.mark.parametrize("encode", [lambda values: b"", lambda values: None])
def test_no_octets_are_an_error(encode: Any) -> None:
    with pytest.raises(ValueError, match="not there"):
        SlotEncoder(encode).octets(["x"])


# -- expressions --------------------------------------------------------------------------------


def test_expressions_are_evaluated_in_their_order_and_put_back() -> None:
    given = {
        "a": "{$v->{n} += 1}",
        "b": ["constant", "{$v->{n} += 1}", {"c": "{[1, $v->{n}]}"}],
        "d": "\\{no expression}",
    }
    expressions = Expressions(given)
    assert len(expressions.texts) == 3
    env = Environment({"n": 4}, {}, {}, {}, lambda: 0.5, lambda: 0.0)
    assert expressions.evaluate(env) == [5, 6, [1, 6]]
    assert expressions.given_with(["x", 2, [3]]) == {
        "a": "x",
        "b": ["constant", 2, {"c": [3]}],
        "d": "{no expression}",
    }


@pytest.mark.parametrize("given", [{}, {"a": "b"}, {"a": "{1 +}"}])
def test_what_has_no_expressions_or_wrong_ones(given: Any) -> None:
    with pytest.raises(ValueError, match="no expressions"):
        Expressions(given)


def test_a_zero_is_encoded_where_other_digits_are_written() -> None:
    """0 may be outside of a range that includes all other digits."""

    def encode(values: list[Any]) -> bytes:
        if not 1 <= values[0] <= 864000:
            raise ValueError("outside of 1..864000")
        return b"\x80\x01" + bytes(values)

    encoder = SlotEncoder(encode)
    for value in (1, 2, 3, 4, 5, 1, 2):
        assert encoder.octets([value]) == encode([value])
    with pytest.raises(ValueError, match="outside"):
        encoder.octets([0])
