"""Members of tables are loaded as they are written, or refused; a table is a typed object."""

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, field

import pytest
from marshmallow import ValidationError

from tsvc.schema.fields import (
    Anything,
    Boolean,
    Choice,
    Integer,
    List,
    Named,
    Nested,
    Number,
    String,
)
from tsvc.schema.table import Table, given_values, member, table


def refused(cls, given):
    with pytest.raises(ValidationError) as caught:
        cls.load(given)
    return caught.value.messages


@table
class Sample(Table):
    count: int = member(Integer(default=0))
    seconds: float = member(Number(default=0.0))
    is_on: bool = member(Boolean(default=False))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("count", 2.7, "must be an integer"),
        ("count", True, "must be an integer"),
        ("count", "many", "must be an integer"),
        ("count", [1], "must be an integer"),
        ("seconds", True, "must be a number"),
        ("seconds", 10**400, "must be a finite number"),
        ("is_on", 1, "must be true or false"),
        ("is_on", 0.0, "must be true or false"),
        ("is_on", "tRUE", "must be true or false"),
        ("cuont", 1, 'unknown member; did you mean "count"?'),
    ],
)
def test_what_is_not_that_type_is_refused(name, value, text):
    assert refused(Sample, {name: value}) == {name: [text]}


@pytest.mark.parametrize(
    ("given", "loaded"),
    [
        ({"count": 2, "seconds": 1, "is_on": True}, Sample(count=2, seconds=1.0, is_on=True)),
        # values from the environment
        (
            {"count": "2", "seconds": "0.5", "is_on": "true"},
            Sample(count=2, seconds=0.5, is_on=True),
        ),
        ({"is_on": "Off"}, Sample()),
    ],
)
def test_what_is_that_type_is_taken(given, loaded):
    assert Sample.load(given) == loaded


@table
class Ruled(Table):
    port: int = member(Integer(1, 65535))
    wait_s: float = member(Number(above=0))
    mode: str = member(Choice(["", "in", "out"]))
    name: str = member(String(1, 4))
    word: str = member(String(pattern=r"[a-z]{2}"))
    own: str = member(String(pattern="x", says="has no x"))
    password: str = member(String(0, 4))
    dri: int = member(Integer(choices=[0, 1]))
    ports: tuple[int, ...] = member(List(Integer(1, 9)))
    headers: Mapping[str, str] = member(Named(String(0, 4)))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("port", 0, "0 is not allowed, it must be an integer from 1 to 65535"),
        ("port", 0.5, "must be an integer"),
        ("wait_s", -1, "-1.0 is not allowed, it must be seconds above 0"),
        ("wait_s", float("nan"), "must be a finite number"),
        ("mode", "up", "'up' is not allowed, it must be one of empty, in, out"),
        ("name", "", "'' is not allowed, it must be a string of 1 to 4 characters"),
        ("word", "5", "'5' is not allowed, it must be a string that matches [a-z]{2}"),
        ("own", "y", "has no x"),
        ("dri", 2, "2 is not allowed, it must be one of 0, 1"),
        ("ports", 1, "must be an array"),
        ("headers", 1, "must be a table"),
        (
            "password",
            "s3cret",
            "the value is not allowed, it must be a string of at most 4 characters",
        ),
    ],
)
def test_an_error_tells_value_and_rule_but_no_secret(name, value, text):
    assert refused(Ruled, {name: value}) == {name: [text]}


def test_an_error_in_a_list_or_a_table_by_name():
    rule = "is not allowed, it must be"
    assert refused(Ruled, {"ports": [1, 10], "headers": {"Authorization": "s3cret"}}) == {
        "ports": {1: [f"10 {rule} an integer from 1 to 9"]},
        "headers": {"Authorization": [f"the value {rule} a string of at most 4 characters"]},
    }


def test_a_long_value_is_cut():
    assert len(refused(Ruled, {"name": "x" * 10_000})["name"][0]) < 200


@table
class Seat(Table):
    row: int = member(Integer(1, required=True))
    side: str = member(Choice(["left", "right"], default="left"))


@table
class Plane(Table):
    """A table with tables, a list, a table by name, and a member that is checked elsewhere."""

    first: Seat | None = member(Nested(Seat.schema, default=None))
    seats: tuple[Seat, ...] = member(List(Nested(Seat.schema), default=lambda: [Seat(row=1)]))
    classes: Mapping[str, int] = member(Named(Integer(), default=dict))
    notes: object = member(Anything(default=None))
    rows: tuple[int, ...] = member(List(Integer(), default=[7]))

    def check_rows(self) -> None:
        if 13 in self.rows:
            raise ValidationError("nobody sits there", "rows")

    def check_seats(self) -> None:
        if not self.seats:
            raise ValidationError("needs a seat", "seats")


def test_a_table_is_a_frozen_object_with_what_is_below_it():
    plane = Plane.load({"first": {"row": 2}, "rows": [1, 2], "classes": {"a": "5"}})
    assert plane == Plane(first=Seat(row=2), rows=(1, 2), classes={"a": 5})
    assert plane.seats == (Seat(row=1, side="left"),)
    with pytest.raises(FrozenInstanceError):
        plane.rows = ()
    with pytest.raises(TypeError):
        plane.classes["b"] = 1
    assert not hasattr(plane, "__dict__")
    assert [*given_values(plane)] == ["first", "seats", "classes", "notes", "rows"]


def test_what_is_judged_elsewhere_stays_as_it_came():
    assert Plane.load({"notes": ["a", {"b": 1}]}).notes == ["a", {"b": 1}]


def test_every_check_is_asked_once_the_members_are_right():
    texts = {"rows": ["nobody sits there"], "seats": ["needs a seat"]}
    assert refused(Plane, {"rows": [13], "seats": []}) == texts
    assert list(refused(Plane, {"rows": [13], "seats": [{}]})) == ["seats"]


def test_what_is_wrong_below_stands_at_its_place():
    assert refused(Plane, {"seats": [{"row": 1}, {"row": 0, "sied": 1}, 5]}) == {
        "seats": {
            1: {
                "row": ["0 is not allowed, it must be an integer, at least 1"],
                "sied": ['unknown member; did you mean "side"?'],
            },
            2: {"_schema": ["must be a table"]},
        }
    }


@table
class Open(Table):
    """A table that passes unknown members to its caller."""

    free_prefixes = ("",)
    size: int = member(Integer(default=1))
    others: Mapping[str, object] = field(default_factory=dict)


def test_members_that_a_table_leaves_free_are_kept_beside():
    assert Open.load({"size": 2, "x": [1]}) == Open(size=2, others={"x": [1]})
