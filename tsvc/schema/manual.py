"""Descriptions of the members of tables, for people: one line each, in the words of the style."""

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import Schema, fields, missing

from tsvc.schema.fields import Member, Nested
from tsvc.schema.table import Table, given_values
from tsvc.values import dataclass

_WIDEST = 60


@dataclass(frozen=True, slots=True)
class MemberDoc:
    """One member of a table; `below`: the schema of the tables that it holds."""

    name: str
    is_required: bool
    default: str
    must_be: str
    help: str
    below: Schema | None


def members_of(schema: Schema) -> list[MemberDoc]:
    """Return the members of a schema in the order of their declaration."""
    return [
        MemberDoc(
            field.data_key or name,
            field.required,
            _default(field),
            field.style.rule(field.takes),
            field.help,
            _below(field),
        )
        for name, field in schema.load_fields.items()
        if isinstance(field, Member)
    ]


def tables_of(schema: Schema, place: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield (place, schema) of a schema, place "", and of every table in it, at any depth."""
    yield place, schema
    for member in members_of(schema):
        if member.below is not None:
            yield from tables_of(member.below, f"{place}.{member.name}" if place else member.name)


def toml(value: Any) -> str:
    """Return a value as it is written in a TOML file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}'" if '"' in value or "\\" in value else f'"{value}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, Table):
        declared = value.schema().load_fields
        found = given_values(value).items()
        return toml({name: one for name, one in found if one != declared[name].load_default})
    if isinstance(value, Mapping):
        shown = ", ".join(f"{name} = {toml(one)}" for name, one in value.items())
        return f"{{ {shown} }}" if shown else "{}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _below(field: fields.Field[Any]) -> Schema | None:
    """Return the schema of the tables in a field, if there are any."""
    if isinstance(field, Member) and field.inner_field is not None:
        return _below(field.inner_field)
    return field.schema if isinstance(field, Nested) else None


def _default(field: fields.Field[Any]) -> str:
    value = field.load_default
    if callable(value):
        value = value()
    if value is missing or value is None:
        return ""
    shown = toml(value)
    return shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 1]}…"
