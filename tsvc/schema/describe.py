"""Descriptions of schemas as JSON: for catalogues, completion, manuals."""

from typing import Any

from marshmallow import Schema, missing
from marshmallow import fields as stock

from tsvc import turns
from tsvc.schema.fields import Member, Nested
from tsvc.schema.style import Style, Takes

Description = dict[str, Any]


def describe_members(schema: Schema) -> dict[str, Description]:
    """Return the description of each member of a schema by its name on the wire.

    Shape: {type, required, default, nullable, minimum, maximum, choices, items, members, unit,
    help}, of which only type is always present. Types: string, digits, integer, number, boolean,
    object, array, any.
    """
    return {
        field.data_key or name: describe_field(field) for name, field in schema.load_fields.items()
    }


def describe_field(field: stock.Field[Any]) -> Description:
    """Return the description of one member."""
    turns.walked(turns.PORTION // 4)
    if not isinstance(field, Member):
        return {"type": "any"}
    found = _described(field.takes, field.style)
    if field.inner_field is not None:
        found["items"] = describe_field(field.inner_field)
    elif isinstance(field, Nested):
        found["members"] = describe_members(field.schema)
    if field.required:
        found["required"] = True
    if field.load_default is not missing:
        default = field.load_default
        found["default"] = _as_json(default() if callable(default) else default)
    if field.allow_none:
        found["nullable"] = True
    words = {name: field.metadata[name] for name in ("unit", "help") if name in field.metadata}
    return {**found, **words}


def _as_json(default: object) -> object:
    """Return a default in a form that JSON can hold."""
    if isinstance(default, tuple):
        return list(default)
    is_json = default is None or isinstance(default, bool | int | float | str | list | dict)
    return default if is_json else str(default)


def _described(takes: Takes, style: Style) -> Description:
    found: Description = {"type": style.table_type if takes.type == "table" else takes.type}
    if takes.choices:
        found["choices"] = list(takes.choices)
    elif takes.type in ("integer", "number"):
        if takes.low is not None:
            found["minimum"] = takes.low
        if takes.high is not None:
            found["maximum"] = takes.high
    return found
