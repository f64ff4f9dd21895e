"""docs/reference/gateways.md, made from the schemas of the kinds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, fields, missing

from tsvc.gateways.gateway import GATEWAYS
from tsvc.kind import Kind, kinds
from tsvc.kinds.outside import OUTSIDE
from tsvc.kinds.outside.gateway import LegacyConfig
from tsvc.schema.rules_in_words import inner_of, must_be

_HEAD = """\
# Gateways

Made from the declarations of the kinds. An application is a table `[application."NAME"]` of
`tsvc.toml` or of a file in `conf.d`; `module` is its kind, and the other members are those of the
kind. NAME is what `tsvc status` shows and what the parameters of a run select: `sigtran`, `pi`,
`db`, `db_<label>` and so on, else `[tester] default_…`, else the only application of the kind.

* `tsvcd --check` names everything that is wrong with all tables, and guesses what was meant by a
  name that it does not know. A reload restarts the applications whose table has changed.
* A member that ends with `_s` is in seconds, one with `_octets` in octets.
* `password`, `bearer_token` and other secrets may stand in files of their own: `password_file`
  names one. What the configuration shows of itself hides them.
* `TSVC_APPLICATION_<NAME>_<MEMBER>` of the environment goes before the files.
* Members without a default are absent unless they are given; **bold** ones must be given.
"""
_WIDEST = 60
_HEADER = "| Member | Default | Must be | Meaning |\n|---|---|---|---|"


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
            must_be(field),
            field.metadata.get("help", ""),
            _below(field),
        )
        for name, field in schema.load_fields.items()
    ]


def tables_of(schema: Schema, place: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield (place, schema) of a schema, place "", and of every table in it, at any depth."""
    yield place, schema
    for member in members_of(schema):
        if member.below is not None:
            yield from tables_of(member.below, f"{place}.{member.name}" if place else member.name)


def text() -> str:
    """Return the whole file."""
    parts = [_HEAD]
    for class_ in GATEWAYS:
        parts += _section(kinds()[class_.kind], class_.Config())
    parts += _section(OUTSIDE, LegacyConfig())
    parts.append("All other members of such a table go to the class, as they are.")
    return "\n".join(parts) + "\n"


def _section(kind: Kind, schema: Schema) -> Iterator[str]:
    yield f'## module = "{kind.name}"\n'
    yield f"{kind.purpose} See [the guide](../guide/{kind.guide or kind.name}.md).\n"
    yield f"```toml\n{kind.example}```"
    for place, one in tables_of(schema):
        yield f"\n### {kind.name}: `{place}`\n" if place else ""
        yield _HEADER
        yield from map(_row, members_of(one))
    yield ""


def _row(member: MemberDoc) -> str:
    name = f"**`{member.name}`**" if member.is_required else f"`{member.name}`"
    default = f"`{member.default}`" if member.default else ""
    help = member.help + (", see below" if member.below is not None else "")
    cells = (name, default, member.must_be, help)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


# -- what a field says -------------------------------------------------------------------------


def _below(field: fields.Field[Any]) -> Schema | None:
    """Return the schema of the tables in a field, if there are any."""
    inner = inner_of(field)
    if inner is not None:
        return _below(inner)
    return field.schema if isinstance(field, fields.Nested) else None


def _default(field: fields.Field[Any]) -> str:
    value = field.load_default
    if callable(value):
        value = value()
    if value is missing or value is None:
        return ""
    shown = _toml(value)
    return shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 1]}…"


def _toml(value: Any) -> str:
    """Return a value as people write it in a TOML file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}'" if '"' in value or "\\" in value else f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        shown = ", ".join(f"{name} = {_toml(one)}" for name, one in value.items())
        return f"{{ {shown} }}" if shown else "{}"
    return f"{value:g}" if isinstance(value, float) else str(value)
