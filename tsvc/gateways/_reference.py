"""docs/reference/gateways.md, made from the schemas of the kinds.

python -m tsvc.gateways._reference > docs/reference/gateways.md
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, fields, missing, validate

from tsvc.gateways._base import GATEWAYS
from tsvc.gateways._examples import EXAMPLES, OUTSIDE, Example
from tsvc.gateways._legacy import LegacyConfig

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
            _must_be(field),
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
        parts += _section(class_.kind, class_.Config(), EXAMPLES[class_.kind])
    parts += _section(OUTSIDE, LegacyConfig(), EXAMPLES[OUTSIDE])
    parts.append("All other members of such a table go to the class, as they are.")
    return "\n".join(parts) + "\n"


def _section(kind: str, schema: Schema, example: Example) -> Iterator[str]:
    yield f'## module = "{kind}"\n'
    yield f"{example.purpose} See [the guide](../guide/{example.guide}.md).\n"
    yield f"```toml\n{example.toml}```"
    for place, one in tables_of(schema):
        yield f"\n### {kind}: `{place}`\n" if place else ""
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
    inner = _inner(field)
    if inner is not None:
        return _below(inner)
    return field.schema if isinstance(field, fields.Nested) else None


def _inner(field: fields.Field[Any]) -> fields.Field[Any] | None:
    if isinstance(field, fields.List):
        return field.inner
    return field.value_field if isinstance(field, fields.Dict) else None


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


_WORDS: tuple[tuple[type[fields.Field[Any]], str, str], ...] = (
    (fields.String, "a string", "strings"),
    (fields.Integer, "an integer", "integers"),
    (fields.Float, "a number", "numbers"),
    (fields.Boolean, "true or false", "booleans"),
    (fields.Nested, "a table", "tables"),
    (fields.List, "a list", "lists"),
    (fields.Dict, "a table", "tables"),
)
_UNITS = {"_s": "seconds", "_octets": "octets"}


def _must_be(field: fields.Field[Any]) -> str:
    """Return the rule of a field, as the end of a sentence."""
    if "rule" in field.metadata:
        return str(field.metadata["rule"])
    choices = _choices(field)
    if choices:
        return f"one of {choices}"
    words = _words(field, is_many=False)
    for ending, unit in _UNITS.items():
        if (field.name or "").endswith(ending) and isinstance(field, fields.Number):
            words = unit
    inner = _inner(field)
    if inner is not None:
        return f"{words} of {_choices(inner) or _words(inner, is_many=True) + _bounds(inner)}"
    return words + _bounds(field)


def _words(field: fields.Field[Any], *, is_many: bool) -> str:
    return next(
        many if is_many else one for class_, one, many in _WORDS if isinstance(field, class_)
    )


def _choices(field: fields.Field[Any]) -> str:
    for rule in field.validators:
        if isinstance(rule, validate.OneOf):
            return ", ".join(f"`{one}`" if one != "" else "empty" for one in rule.choices)
    return ""


def _bounds(field: fields.Field[Any]) -> str:
    for rule in field.validators:
        if isinstance(rule, validate.Length):
            return _length(rule.min or 0, rule.max)
        if isinstance(rule, validate.Range):
            return _range(rule)
    return ""


def _length(least: int, most: int | None) -> str:
    if most is None:
        return " that is not empty" if least == 1 else f" of at least {least} characters"
    return f" of {least} to {most} characters" if least else f" of at most {most} characters"


def _range(rule: validate.Range) -> str:
    low, high = (_number(bound) for bound in (rule.min, rule.max))
    if not rule.min_inclusive:
        return f" above {low}" + (f" to {high}" if high else "")
    return f" from {low} to {high}" if high else f", at least {low}"


def _number(bound: Any) -> str:
    if bound is None:
        return ""
    return f"{bound:g}" if isinstance(bound, float) else str(bound)


if __name__ == "__main__":
    sys.stdout.write(text())
