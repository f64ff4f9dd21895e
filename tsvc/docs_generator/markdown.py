"""Helpers for the pages of the reference: tables, anchors, examples, types in words."""

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from marshmallow import Schema, missing
from marshmallow import fields as stock

from tsvc.engine.compiler.parameters import Rate
from tsvc.schema import fields

WIDEST = 88  # characters of a line of JSON

MOMENT, PER_SECOND = "s, us", "1/s"  # units that are shown in another form

Field = stock.Field[Any]


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a bar inside a cell is escaped."""
    lines = [heading, ["---"] * len(heading), *rows]
    shown = [" | ".join(cell.replace("|", "\\|") for cell in line) for line in lines]
    shown[1] = shown[1].replace(" ", "")
    return "\n".join(f"|{line}|" if line.startswith("---") else f"| {line} |" for line in shown)


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as links use it."""
    kept = [sign for sign in heading.lower() if sign.isalnum() or sign in " -_"]
    return "".join(kept).replace(" ", "-")


def plain(text: str) -> str:
    """Return a text with escaped brackets, because Markdown would hide `<label>` as markup."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def code(value: object) -> str:
    """Return a value as JSON, marked as code."""
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def json_text(value: object, indent: str = "") -> str:
    """Return JSON in which only lines that are too long are broken."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= WIDEST or not isinstance(value, dict | list):
        return flat
    deeper = indent + "  "
    if isinstance(value, dict):
        inner = [f"{deeper}{json.dumps(key)}: {json_text(value[key], deeper)}" for key in value]
        return "{\n" + ",\n".join(inner) + f"\n{indent}}}"
    inner = [deeper + json_text(item, deeper) for item in value]
    return "[\n" + ",\n".join(inner) + f"\n{indent}]"


def json_block(value: object) -> str:
    """Return a block of JSON."""
    return f"```json\n{json_text(value)}\n```"


# -- members -------------------------------------------------------------------------------------


def members_of(schema: Schema) -> Iterator[tuple[str, Field]]:
    """Yield (name on the wire, field) in the order of declaration."""
    for name, field in schema.fields.items():
        yield field.data_key or name, field


def below(field: Field) -> Schema | None:
    """Return the schema of the objects in a field, None if it has no objects with a schema."""
    if isinstance(field, Rate):
        return field.members
    if isinstance(field, fields.Nested):
        return field.schema
    inner = field.inner_field if isinstance(field, fields.Member) else None
    return None if inner is None else below(inner)


def sections(
    schema: Schema,
    place: str = "",
    seen: set[type[Schema]] | None = None,
    known: Container[type[Schema]] = (),
) -> Iterator[tuple[str, Schema]]:
    """Yield (place, schema) of all objects in a schema, each kind once, at any depth.

    A place is a path such as `first_call_summary.check_log`. The objects in a schema follow it.
    Schemas of `known`, and the objects in them, are left out.
    """
    seen = set() if seen is None else seen
    for name, field in members_of(schema):
        inner = below(field)
        if inner is None or type(inner) in seen or type(inner) in known:
            continue
        seen.add(type(inner))
        here = f"{place}.{name}" if place else name
        yield here, inner
        yield from sections(inner, here, seen, known)


def type_text(field: Field) -> str:
    """Return the type of a member in words, with its bounds, its choices and "or null"."""
    unit = field.metadata.get("unit")
    if unit == MOMENT:
        return f"`[{unit}]`"
    text = _type(field)
    if unit:
        text += f", in {unit}" if unit != PER_SECOND else " per second"
    return f"{text}, or null" if field.allow_none and text != "any" else text


def _type(field: Field) -> str:
    match field:
        case fields.Choice():
            return ", ".join(f"`{choice}`" for choice in field.choices)
        case fields.Digits():
            return "digits"
        case fields.String() | fields.RunId():
            return "string"
        case fields.Integer():
            return f"integer{_bounds(field.low, field.high)}"
        case fields.Number():
            return f"number{_bounds(field.low, field.high)}"
        case fields.Boolean():
            return "boolean"
        case Rate():
            return "number or object"
        case fields.Named():
            return "object of objects by name"
        case fields.Object() | fields.Nested():
            return "object"
        case fields.List():
            return f"array of {_plural(_type(field.inner))}"
    return "any"


def _plural(text: str) -> str:
    first, _, rest = text.partition(" ")
    return f"{first}s {rest}".rstrip()


def _bounds(low: float | None, high: float | None) -> str:
    if (low, high) == (0, 1):
        return " 0 or 1"
    if low is None:
        return "" if high is None else f" to {_number(high)}"
    return f" from {_number(low)}" if high is None else f" {_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:f}".rstrip("0")


def parameters(schema: Schema, links: dict[type[Schema], str] | None = None) -> str:
    """Return the table of members that a client sends."""
    rows = [
        (
            f"`{name}`",
            type_text(field),
            "yes" if field.required else "",
            _default(field),
            _meaning(field, links or {}),
        )
        for name, field in members_of(schema)
    ]
    return table(("Member", "Type", "Required", "Default", "Meaning"), rows)


def answers(schema: Schema, links: dict[type[Schema], str] | None = None) -> str:
    """Return the table of members that the service answers with."""
    rows = [
        (
            f"`{name}`",
            type_text(field),
            "" if field.required else "sometimes",
            _meaning(field, links or {}),
        )
        for name, field in members_of(schema)
    ]
    return table(("Member", "Type", "", "Meaning"), rows)


def _default(field: Field) -> str:
    return "" if field.load_default is missing else code(field.load_default)


def _meaning(field: Field, links: dict[type[Schema], str]) -> str:
    help: str = field.metadata.get("help", "")
    inner = below(field)
    link = None if inner is None else links.get(type(inner))
    return f"{help}; [its members]({link})" if link else help
