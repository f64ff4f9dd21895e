"""Members of an application's table are taken as they are written, or refused."""

import pytest
from marshmallow import ValidationError, fields, validate

from tsvc.schema.table import Named, Table


class Sample(Table):
    count = fields.Integer(load_default=0)
    seconds = fields.Float(load_default=0.0)
    is_on = fields.Boolean(load_default=False)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("count", 2.7, "must be an integer"),
        ("count", True, "must be an integer"),
        ("count", "many", "must be an integer"),
        ("seconds", True, "must be a number"),
        ("is_on", 1, "must be true or false"),
        ("is_on", 0.0, "must be true or false"),
    ],
)
def test_what_is_not_that_type_is_refused(name, value, text):
    with pytest.raises(ValidationError) as refused:
        Sample().load({name: value})
    assert refused.value.messages == {name: [text]}


@pytest.mark.parametrize(
    ("given", "loaded"),
    [
        ({"count": 2, "seconds": 1, "is_on": True}, {"count": 2, "seconds": 1.0, "is_on": True}),
        # what the environment brings
        (
            {"count": "2", "seconds": "0.5", "is_on": "true"},
            {"count": 2, "seconds": 0.5, "is_on": True},
        ),
    ],
)
def test_what_is_that_type_is_taken(given, loaded):
    assert Sample().load(given) == loaded


class Ruled(Table):
    port = fields.Integer(validate=validate.Range(1, 65535))
    wait_s = fields.Float(validate=validate.Range(0, min_inclusive=False))
    mode = fields.String(validate=validate.OneOf(["", "in", "out"]))
    name = fields.String(validate=validate.Length(1, 4))
    word = fields.String(validate=validate.Regexp(r"[a-z]{2}"))
    own = fields.String(validate=validate.Regexp("x", error="has no x"))
    password = fields.String(validate=validate.Length(0, 4))
    ports = fields.List(fields.Integer(validate=validate.Range(1, 9)))
    headers = Named(fields.String(), fields.String(validate=validate.Length(0, 4)))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("port", 0, "0 is not allowed, it must be an integer from 1 to 65535"),
        ("wait_s", -1, "-1.0 is not allowed, it must be seconds above 0"),
        ("wait_s", float("nan"), "must be a finite number"),
        ("mode", "up", "'up' is not allowed, it must be one of empty, in, out"),
        ("name", "", "'' is not allowed, it must be a string of 1 to 4 characters"),
        ("word", "5", "'5' is not allowed, it must be a string that matches [a-z]{2}"),
        ("own", "y", "has no x"),
        (
            "password",
            "s3cret",
            "the value is not allowed, it must be a string of at most 4 characters",
        ),
    ],
)
def test_an_error_tells_value_and_rule_but_no_secret(name, value, text):
    with pytest.raises(ValidationError) as refused:
        Ruled().load({name: value})
    assert refused.value.messages == {name: [text]}


def test_an_error_in_a_list_or_a_table_by_name():
    with pytest.raises(ValidationError) as refused:
        Ruled().load({"ports": [1, 10], "headers": {"Authorization": "s3cret"}})
    rule = "is not allowed, it must be"
    assert refused.value.messages == {
        "ports": {1: [f"10 {rule} an integer from 1 to 9"]},
        "headers": {"Authorization": [f"the value {rule} a string of at most 4 characters"]},
    }


def test_a_long_value_is_cut():
    with pytest.raises(ValidationError) as refused:
        Ruled().load({"name": "x" * 10_000})
    assert len(refused.value.messages["name"][0]) < 200
