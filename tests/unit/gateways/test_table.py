"""Members of an application's table are taken as they are written, or refused."""

import pytest
from marshmallow import ValidationError, fields

from tsvc.gateways._table import Table


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
