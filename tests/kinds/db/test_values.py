"""Values of columns and bind parameters."""

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from io import BytesIO
from uuid import UUID

import pytest

from tsvc.errors import GatewayError
from tsvc.kinds.db.values import COLUMN_TYPES, bound, json_value, octets_of, without_zeros
from tsvc.numbers import float_of_literal

VALUES = [
    (None, None),
    ("ä", "ä"),
    (True, 1),
    (False, 0),
    (2**70, 2**70),
    (1.5, 1.5),
    (float("nan"), "nan"),
    (float("-inf"), "-inf"),
    (Decimal("12.50"), "12.50"),
    (Decimal("-3"), -3),
    (Decimal("1E+3"), 1000),
    (Decimal("1E+1000000"), "1E+1000000"),
    (Decimal("1E-7"), "0.0000001"),
    (Decimal("NaN"), "NaN"),
    (datetime(2026, 11, 21, 1, 2, 3, 500, tzinfo=UTC), "2026-11-21T01:02:03.000500+00:00"),
    (date(2026, 11, 21), "2026-11-21"),
    (time(1, 2, 3), "01:02:03"),
    (timedelta(days=1, milliseconds=5), 86400.005),
    (b"\x00\xff", "00ff"),
    (memoryview(b"\x01"), "01"),
    ({"a": [Decimal("1.5"), b"\x02"]}, {"a": ["1.5", "02"]}),
    ((1, "x"), [1, "x"]),
    (BytesIO(b"\x03"), "03"),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
]


@pytest.mark.parametrize(
    ("value", "wanted"),
    VALUES,
    ids=[f"{type(one).__name__} {repr(wanted)[:30]}" for one, wanted in VALUES],
)
def test_a_column_in_json(value, wanted):
    found = json_value(value)
    assert (found, type(found)) == (wanted, type(wanted))
    json.dumps(found, allow_nan=False)


def test_octets_are_about_those_of_the_text():
    tree = [{"name": "x" * 100, "n": 1, "l": ["a" * 50]}]
    assert 150 < octets_of(tree) < 300


@pytest.mark.parametrize(
    ("type_", "given", "wanted"),
    [
        (None, "17", "17"),
        ("integer", "17", 17),
        ("integer", 17.0, 17),
        ("number", "1.10", Decimal("1.10")),
        ("text", 17, "17"),
        ("text", 17.0, "17"),
        ("timestamp", "2026-11-21T01:02:03", datetime(2026, 11, 21, 1, 2, 3)),  # noqa: DTZ001
        ("hex", "00ff", b"\x00\xff"),
        ("integer", None, None),
        ("integer", " -7 ", -7),
        (None, float_of_literal("12345678901234567890.12"), Decimal("12345678901234567890.12")),
        ("number", float_of_literal("0.1234567890123456789"), Decimal("0.1234567890123456789")),
    ],
)
def test_a_value_is_bound_as_its_type(type_, given, wanted):
    found = bound("x", given, type_)
    assert (found, type(found)) == (wanted, type(wanted))


@pytest.mark.parametrize(
    ("type_", "given"),
    [
        ("integer", "1.5"),
        ("integer", 1.5),
        ("integer", "x"),
        ("integer", "1_000"),
        ("integer", "\u0663"),
        ("number", "1_0.5"),
        ("number", "\u0663"),
        ("number", "x"),
        ("timestamp", "yesterday"),
        ("hex", "0"),
    ],
)
def test_a_value_of_another_type_is_named(type_, given):
    with pytest.raises(GatewayError, match=f"acct: .* is no {type_}"):
        bound("acct", given, type_)


@pytest.mark.parametrize(
    ("given", "has_arrays", "words"),
    [
        ([1], False, "an array can't be bound: only PostgreSQL"),
        ({"a": 1}, True, "an object can't be bound"),
        ([1, {"a": 1}], True, "an object can't be bound"),
    ],
)
def test_what_is_not_bound(given, has_arrays, words):
    with pytest.raises(GatewayError, match=f"acct: {words}"):
        bound("acct", given, None, has_arrays=has_arrays)


def test_an_array_is_bound_item_by_item():
    assert bound("a", ["1", [2], None], "integer", has_arrays=True) == [1, [2], None]


def test_declared_types_of_columns():
    fits = {
        "integer": ([1, 0, -5], ["1", 1.5, None]),
        "number": ([1, 1.5, "12.50"], ["x", "NaN"]),
        "text": (["", "x"], [1]),
        "boolean": ([0, 1], [2, "1"]),
    }
    assert set(fits) == set(COLUMN_TYPES)
    for name, (right, wrong) in fits.items():
        assert all(COLUMN_TYPES[name](value) for value in right), name
        assert not any(COLUMN_TYPES[name](value) for value in wrong), name


def test_an_integer_with_a_scale_is_one_where_one_is_declared():
    assert [without_zeros(value) for value in ("10.000000", "-3.0", "10.5", "10", 4)] == [
        10,
        -3,
        "10.5",
        "10",
        4,
    ]
