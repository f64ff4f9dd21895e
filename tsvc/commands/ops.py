"""tsvc ops: the operation types of a service, and the attributes and arguments of a type."""

import json
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tsvc.cli.options.completion import operation_types
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.options.service import answering, private_options
from tsvc.cli.terminal.lines import say, say_json, style
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.client import Client
from tsvc.words import did_you_mean

PLACE = Place(Heading.WRITE, 2)

_BOUNDS = (
    ("", "minimum", "maximum"),
    ("octets", "min_octets", "max_octets"),
    ("characters", "min_length", "max_length"),
    ("items", "min_items", "max_items"),
)
_MEANING = 30  # columns that a meaning needs beside name and type; otherwise it goes below them
_FEW = 12  # names that a line lists, of an enumeration or of suggestions


@click.command(name="ops")
@click.argument("type", required=False, shell_complete=operation_types)
@with_client
@click.option("--variant", help="Show the arguments of this variant only, as cs1 or camel2.")
@click.option("--json", "is_json", is_flag=True, help="Print the answer as it came.")
@private_options
def command(
    client: Client,
    type: str | None,
    variant: str | None,
    is_json: bool,
    embedded: bool,
    config: Path | None,
) -> None:
    """List the operation types of the service, or describe TYPE: attributes, arguments by variant,
    and an example.
    """
    with answering(client, embedded, config) as service:
        found = service.client.describe_operations(type)
        if type is not None and not found:
            known = [str(one.get("type")) for one in service.client.describe_operations()]
            say(f"no operation type is named {type!r}{_hint(type, known)}", err=True)
            raise click.exceptions.Exit(ExitStatus.FAILED)
    if is_json:
        say_json([dict(one) for one in found])
    elif type is None:
        width = max((len(str(one.get("type"))) for one in found), default=0)
        for one in found:
            say(f"{one.get('type')!s:<{width}}  {one.get('summary', '')}".rstrip())
    else:
        _check_variant(variant, found[0])
        say(*described(found[0], variant, shutil.get_terminal_size().columns))
        say_json(found[0].get("example"))


def _hint(name: str, known: Sequence[str]) -> str:
    """Return a hint: the types that end with a name such as ReleaseCall, or a similar spelling."""
    short = name.rpartition(".")[2].lower()
    full = [one for one in known if one.rpartition(".")[2].lower() == short]
    if not full:
        return did_you_mean(name, known)
    more = f", and {len(full) - _FEW} more" if len(full) > _FEW else ""
    return f"; did you mean {' or '.join(full[:_FEW])}{more}?"


def _check_variant(variant: str | None, one: Mapping[str, Any]) -> None:
    known = one.get("variants", ())
    if variant is not None and variant not in known:
        text = f"{one.get('type')} has no variant {variant}: {', '.join(known) or 'none at all'}"
        raise click.UsageError(text)


def described(one: Mapping[str, Any], variant: str | None, width: int) -> Iterator[str]:
    """Yield the lines about a type, up to its example."""
    yield from ("", style(str(one.get("type")), "bold"))
    yield from _wrapped(f"  {one.get('summary', '')}", 2, width)
    facts = [f"{name} {one[name]:g}" for name in ("code", "class") if name in one]
    if "timer_s" in one:
        facts.append(f"answered within {one['timer_s']:g} s")
    if facts:
        yield f"  {', '.join(facts)}"
    for name in ("variants", "errors"):
        if one.get(name):
            yield from _wrapped(f"  {name}: {', '.join(one[name])}", 4, width)
    if one.get("received"):
        names = ", ".join(f"$i->{{{name}}}" for name in one["received"])
        yield from _wrapped(f"  stores what comes in {names}", 4, width)
    yield from ("", style("Attributes", "bold"))
    yield from _table(_rows(one.get("attributes", {}), variant, ""), width)
    arguments = one.get("arguments")
    if arguments:
        shown = "" if variant is None else f" of {variant}"
        yield from ("", style(f"Arguments{shown}", "bold"))
        yield from _table(_arguments(arguments, variant), width)
    yield from ("", style("Example", "bold"))


Row = tuple[str, str, str]


def _arguments(arguments: Mapping[str, Any], variant: str | None) -> Iterator[Row]:
    """Yield the rows of all arguments; a single row if they have no members."""
    rows = list(_below(arguments, variant, ""))
    yield from rows or _rows({"arguments": arguments}, variant, "")


def _rows(members: Mapping[str, Any], variant: str | None, indent: str) -> Iterator[Row]:
    """Yield (name, type, meaning) of members and, indented, of the members inside them."""
    for name, member in members.items():
        if variant is not None and variant not in member.get("variants", (variant,)):
            continue
        chosen = _of_variant(member, variant)
        yield f"{indent}{name}", _type(chosen), _meaning(name, chosen, variant)
        yield from _below(chosen, variant, f"{indent}  ")


def _below(member: Mapping[str, Any], variant: str | None, indent: str) -> Iterator[Row]:
    """Yield the rows of the members inside a member; for each variant if variants differ."""
    member = _of_variant(member, variant)
    if member.get("type") == "array":
        yield from _below(member.get("items", {}), variant, indent)
        return
    for choice in member["choices"] if _differs(member) else ():
        yield f"{indent}in {', '.join(choice.get('variants', ()))}:", _type(choice), ""
        yield from _below(choice, variant, f"{indent}  ")
    if isinstance(found := member.get("members"), Mapping):
        yield from _rows(found, variant, indent)


def _of_variant(member: Mapping[str, Any], variant: str | None) -> Mapping[str, Any]:
    """Return a member, or an array with its elements, as it is in a variant."""
    if member.get("type") == "array" and "items" in member:
        return {**member, "items": _of_variant(member["items"], variant)}
    if variant is None or not _differs(member):
        return member
    choices = [one for one in member["choices"] if variant in one.get("variants", ())]
    if len(choices) != 1:  # a variant may allow several forms
        return {**member, "choices": [{**one, "variants": [variant]} for one in choices]}
    (choice,) = choices
    common = {name: value for name, value in member.items() if name != "choices"}
    members = {**choice.get("members", {}), **member.get("members", {})}
    return {**common, **choice, **({"members": members} if members else {})}


def _differs(member: Mapping[str, Any]) -> bool:
    return member.get("type") == "by variant"


def _type(member: Mapping[str, Any]) -> str:
    if member.get("type") == "array":
        return f"array of {_type(member.get('items', {}))}{_bounds(member)}"
    if _differs(member):
        return "by variant"
    bounds, type_ = _bounds(member), str(member.get("type", "any"))
    says_all = bounds.endswith((f" {type_}", f" {type_.removesuffix('s')}"))
    return bounds.strip() if says_all else f"{type_}{bounds}"


def _bounds(member: Mapping[str, Any]) -> str:
    for unit, low, high in _BOUNDS:
        if low in member or high in member:
            least, most = member.get(low), member.get(high)
            text = f"{_number(least)} to {_number(most)}" if least != most else _number(least)
            if most is None:
                text = f"from {_number(least)}"
            is_one = least == most == 1
            return f" {text} {unit.removesuffix('s') if is_one else unit}".rstrip()
    return ""


def _number(value: float | None) -> str:
    return "0" if value is None else f"{value:.0f}" if float(value).is_integer() else f"{value:g}"


def _meaning(name: str, member: Mapping[str, Any], variant: str | None) -> str:
    """Return the description of a member, the most important facts first."""
    parts = ["required"] if member.get("required") else []
    if "default" in member:
        parts.append(f"default {json.dumps(member['default'])}")
    if member.get("help"):
        unit = f" ({member['unit']})" if member.get("unit") else ""
        parts.append(f"{member['help']}{unit}")
    parts += _values(member)
    forms = [one.removeprefix(name) for one in member.get("keys", ()) if one != name]
    if forms:
        parts.append(f"also {' '.join(forms)}")
    if member.get("shorthands"):
        parts.append(f"short {', '.join(member['shorthands'])}")
    if member.get("variants") and variant is None:
        parts.append(f"in {', '.join(member['variants'])}")
    if member.get("expression"):
        parts.append("may be an expression")
    return "; ".join(parts)


def _values(member: Mapping[str, Any]) -> list[str]:
    names = member.get("names") or {}
    shown = [f"{number} {name}" for number, name in names.items()]
    if not _differs(member):
        shown += [str(one) for one in member.get("choices", ())]
    if not shown:
        return []
    more = f", and {len(shown) - _FEW} more" if len(shown) > _FEW else ""
    return [f"{', '.join(shown[:_FEW])}{more}"]


def _table(rows: Iterator[Row], width: int) -> Iterator[str]:
    """Yield rows in columns; meanings are wrapped to the width of the terminal."""
    found: Sequence[Row] = list(rows)
    first = max((len(name) for name, _, meaning in found if meaning), default=0)
    second = max((len(type_) for _, type_, meaning in found if meaning), default=0)
    column = 2 + first + 2 + second + 2
    is_beside = width - column >= _MEANING
    for name, type_, meaning in found:
        if is_beside and meaning:
            head = f"  {name:<{first}}  {type_:<{second}}"
            yield from _wrapped(f"{head}  {meaning}", column, width)
            continue
        indent = 6 + len(name) - len(name.lstrip())
        yield from _wrapped(f"  {name}  {type_}", indent, width)
        if meaning:
            yield from _wrapped(f"{' ' * indent}{meaning}", indent, width)


def _wrapped(text: str, indent: int, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, indent + 20),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    ) or [""]
