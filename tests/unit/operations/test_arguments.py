"""Problems of arguments, found by the members that a type declares: each with its path."""

import pytest

from tsvc.config.tables import Config
from tsvc.operations.arguments import ArgumentMembers, Hex, Text
from tsvc.operations.operation import Scope
from tsvc.schema import fields
from tsvc.schema.describe import describe_members


class Seat(ArgumentMembers):
    row = fields.Integer(1, 40, help="from the front")
    side = fields.Choice(["left", "right"])


class Booking(ArgumentMembers):
    name = fields.String(1, required=True, says="must be given, a text")
    guests = fields.Object(rule="an object of texts by name")
    seats = fields.List(fields.Nested(Seat, rule="an object with a row"), rule="a list of seats")
    window = fields.Nested(Seat)
    price = fields.Number(0, 100, default=5, unit="s", help="of all")


class Sent(ArgumentMembers):
    is_negatable = True
    row = fields.Integer(1, 40)
    is_kept = fields.Boolean()
    octets = Hex()
    words = Text()

    def is_judged(self, field):
        return True


def problems(members, **given):
    scope = Scope({}, Config())
    members.check(given, "at", scope)
    return [(problem.path, problem.text) for problem in scope.problems]


@pytest.mark.parametrize(
    "given",
    [
        {"name": "x"},
        {"name": "{$v->{name}}", "guests": "{$v->{guests}}", "seats": "{$v->{seats}}"},
        {"name": "x", "seats": [{"row": 1, "side": "left"}, "{$v->{seat}}", {"side": "{'left'}"}]},
        {"name": "x", "price": "cheap", "window": {"row": [1]}},  # converted when it is used
        {"name": "x", "guests": None, "seats": None, "window": None, "_note": 1},
    ],
)
def test_taken(given):
    assert problems(Booking, **given) == []


def test_all_that_is_wrong_is_said_at_once():
    found = problems(
        Booking, nam=1, guests=3, seats=[{"rov": 1}, None, {"side": "lift"}], window=[], _free=1
    )
    assert found == [
        ("at.nam", 'unknown member; did you mean "name"?'),
        ("at.name", "must be given, a text"),
        ("at.guests", "must be an object of texts by name"),
        ("at.seats[0].rov", 'unknown member; did you mean "row"?'),
        ("at.seats[1]", "must be an object with a row"),
        ("at.seats[2].side", "is none of left, right"),
        ("at.window", "must be an object"),
    ]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"row": 41}, "must be an integer from 1 to 40"),
        ({"row": "x"}, "must be an integer from 1 to 40"),
        ({"is_kept": 2}, "must be true, false, 0 or 1"),
        ({"octets": "0g"}, "must be octets in hex"),
        ({"words": []}, "must be a text"),
    ],
)
def test_every_member_may_be_judged(given, text):
    (name,) = given
    assert problems(Sent, **given) == [(f"at.{name}", text)]


def test_negated_names_are_known_where_they_make_sense():
    assert problems(Sent, **{"!row": 1}) == []
    assert problems(Seat, **{"!row": 1}) == [("at.!row", 'unknown member; did you mean "row"?')]


def test_they_describe_themselves():
    seat = {
        "row": {"type": "integer", "minimum": 1, "maximum": 40, "help": "from the front"},
        "side": {"type": "string", "choices": ["left", "right"]},
    }
    assert describe_members(Booking.shared()) == {
        "name": {"type": "string", "required": True},
        "guests": {"type": "object"},
        "seats": {"type": "array", "items": {"type": "sequence", "members": seat}},
        "window": {"type": "sequence", "members": seat},
        "price": {
            "type": "number",
            "minimum": 0,
            "maximum": 100,
            "default": 5,
            "unit": "s",
            "help": "of all",
        },
    }
