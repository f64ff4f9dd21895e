"""What a schema of members says about itself, as JSON: for catalogues, completion, manuals."""

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, missing
from marshmallow import fields as stock

from tsvc.schema import fields

Description = dict[str, Any]


def describe_members(schema: Schema) -> dict[str, Description]:
    """Return the description of each member of a schema by its name on the wire.

    Shape: {type, required, default, nullable, minimum, maximum, choices, items, members, unit,
    help}, of which only type is always there. Types: string, digits, integer, number, boolean,
    object, array, any.
    """
    return {
        field.data_key or name: describe_field(field) for name, field in schema.load_fields.items()
    }


def describe_field(field: stock.Field[Any]) -> Description:
    """Return the description of one member."""
    found: Description = {"type": _type_of(field)}
    if isinstance(field, fields.Choice):
        found["choices"] = list(field.choices)
    elif isinstance(field, fields.Integer | fields.Float):
        if field.low is not None:
            found["minimum"] = field.low
        if field.high is not None:
            found["maximum"] = field.high
    elif isinstance(field, stock.List):
        found["items"] = describe_field(field.inner)
    elif isinstance(field, stock.Nested):
        found["members"] = describe_members(field.schema)
    if field.required:
        found["required"] = True
    if field.load_default is not missing:
        default = field.load_default
        found["default"] = default() if callable(default) else default
    if field.allow_none:
        found["nullable"] = True
    return {**found, **_words(field.metadata)}


def _words(metadata: Mapping[str, Any]) -> Description:
    return {name: metadata[name] for name in ("unit", "help") if name in metadata}


_TYPES: tuple[tuple[type[stock.Field[Any]], str], ...] = (
    (fields.Digits, "digits"),
    (fields.String, "string"),
    (fields.Integer, "integer"),
    (fields.Float, "number"),
    (fields.Boolean, "boolean"),
    (fields.Object, "object"),
    (stock.Nested, "object"),
    (stock.List, "array"),
)


def _type_of(field: stock.Field[Any]) -> str:
    return next((name for cls, name in _TYPES if isinstance(field, cls)), "any")
