"""A member accepts or refuses values; the style of a place reads and words them."""

import copy
import pickle

import pytest
from marshmallow import ValidationError

from tsvc.config.fields import KEYS, KeyStyle
from tsvc.schema.describe import describe_members
from tsvc.schema.fields import Choice, Integer, List, Members, Named, Nested, Number, String
from tsvc.schema.style import PARAMS, Mistake, Refusal, Style
from tsvc.schema.table import TABLE, TableMembers


class Loud(Style):
    missing = "IS MISSING"

    def integer(self, value):
        return value if type(value) is int else None


class LoudMembers(Members):
    style = Loud()
    row = Integer(1, 40, required=True, unit="rows", help="counted from the front")
    seats = List(Integer(), default=list)
    below = Nested(lambda: LoudMembers(only=("row",)))


def refused(schema, given):
    with pytest.raises(ValidationError) as caught:
        schema.load(given)
    return caught.value.messages


def test_the_style_of_a_schema_reaches_items_but_other_schemas_have_their_own():
    assert refused(LoudMembers(), {"seats": ["1"], "below": {}}) == {
        "row": ["IS MISSING"],
        "seats": {0: ['must be an integer, not "1"']},
        "below": {"row": ["IS MISSING"]},
    }


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({}, Mistake.MISSING),
        ({"row": None}, Mistake.NULL),
        ({"row": "1"}, Mistake.TYPE),
        ({"row": 41}, Mistake.RANGE),
    ],
)
def test_a_refusal_is_text_and_knows_its_kind(given, kind):
    (text,) = refused(LoudMembers(), given)["row"]
    assert isinstance(text, str)
    assert text.kind is kind


def test_a_refusal_can_be_copied():
    text = Refusal("is missing", Mistake.MISSING)
    assert copy.copy(text).kind is copy.deepcopy(text).kind is Mistake.MISSING
    assert pickle.loads(pickle.dumps(text)).kind is Mistake.MISSING


class Everything(TableMembers):
    port = Integer(0, 65535)
    wait_s = Number(above=0)
    name = String(1)
    mode = Choice(["", "in"])
    names = List(String(1, 4))
    codes = Named(Integer(0))
    password = String()
    hidden = Integer(0, 1, is_secret=True)


@pytest.mark.parametrize(
    ("name", "table", "key"),
    [
        ("port", "an integer from 0 to 65535", "an integer from 0 to 65535"),
        ("wait_s", "seconds above 0", "a number above 0"),
        ("name", "a string that is not empty", "a string that is not empty"),
        ("mode", "one of empty, `in`", "one of , in"),
        ("names", *("a list of strings of 1 to 4 characters",) * 2),
        ("codes", *("a table of integers, at least 0",) * 2),
    ],
)
def test_one_rule_in_the_words_of_each_place(name, table, key):
    takes = Everything().fields[name].takes
    assert TABLE.rule(takes) == table
    assert KEYS.rule(takes) == key


def test_what_may_be_a_secret_is_hidden():
    fields = Everything().fields
    assert [name for name in fields if fields[name].takes.is_hidden] == ["password", "hidden"]
    assert fields["codes"].takes.items.is_hidden, "its name is the user's"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("port", " 5 ", 5), ("port", "x", "x"), ("names", "a, b,", ["a", "b"]), ("name", "5", "5")],
)
def test_texts_of_the_environment(name, text, value):
    assert KeyStyle().from_text(Everything().fields[name].takes, text) == value


def test_description():
    assert describe_members(LoudMembers())["row"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 40,
        "required": True,
        "unit": "rows",
        "help": "counted from the front",
    }
    assert PARAMS.rule(LoudMembers().fields["row"].takes) == "an integer from 1 to 40"
