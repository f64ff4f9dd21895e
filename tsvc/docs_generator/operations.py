"""docs/reference/operations*.md: the operation types, from their own descriptions.

One page has what all types have in common, a list of all, and the types that are not SS7
operations. SS7 operations have a page for each part of the protocols, as one would be too long.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from tsvc.docs_generator.markdown import anchor, json_text, plain, table
from tsvc.kinds.sigtran.operations.inap_expect import Expecting
from tsvc.kinds.sigtran.operations.inap_send import Form, Sending, describe_argument
from tsvc.kinds.sigtran.operations.tcap_attributes import InboundEntry, OutboundEntry
from tsvc.matching.comparisons import TYPES as TEST_TYPES
from tsvc.operations.operation import OperationType, catalogue
from tsvc.protocols.inap.errors import ERROR_CODES
from tsvc.protocols.ros import Operation
from tsvc.schema.describe import describe_members

Description = Mapping[str, Any]
_INDENT = "· "  # before a member, once for each object it is in

_OPENING = """\
# Operation types

Made from the declarations of the types: change those, not this file. `tsvc ops TYPE` tells the
same of one type, `tsvc schema` all of it to an editor.

An entry of `operations` has a `type` and the attributes of that type; `comment`, `name`,
`description` and members that begin with `x_` are for people. Below `arguments` and `tests` any
value may be an expression in braces, and so may the attributes that `tsvc ops TYPE` marks as
`expression`. A number may be given as its decimal string.

The tester's own role comes first in a type: `inap.ssp_to_scp.X` sends, `inap.ssp_from_scp.X`
expects. `inap.scp_from_ssp.X` and `inap.scp_to_ssp.X` are other spellings of the same, `srp` is
one of `srf`, and capitals do not matter.

Forms of a leaf named X: `X` itself, `X_hex` its octets in hex, and the parts its type has, such
as `X_digits`, `X_noa`, `X_cause`. When sent, octets go before parts; when received, all forms are
filled in. In what is expected, `null` stands for *must be absent*, and `!` before a name for *must
not be that*. In the tables `_hex` is left out, a dot stands for each object that a member is in,
and variants are named where a member exists in some of them only.

## Contents

{contents}

## Attributes of sent components

{outbound}

## Attributes of expected components

{inbound}

## Tests

An element of `tests` has `kpath` (the place), `type` (absent: `string`), `abort_on_fail`, and:

| Type | Members |
|---|---|
{tests}
"""


class Part(NamedTuple):
    """A page of SS7 operations: its file, heading and subject, and which operations it has."""

    file: str
    heading: str
    about: str
    has: Callable[[str, frozenset[str]], bool]  # of a protocol, with these variants


_CALLS = frozenset(f"camel{phase}" for phase in range(1, 5))

PARTS = (
    Part(
        "operations-cap.md",
        "Operations of CAP calls, and of INAP",
        "What CAP has for calls, phases 1 to 4; most of it exists in INAP, too.",
        lambda protocol, variants: protocol == "inap" and bool(variants & _CALLS),
    ),
    Part(
        "operations-cap-data.md",
        "Operations of CAP for short messages and GPRS",
        "Nothing of it belongs to calls.",
        lambda protocol, variants: (
            protocol == "inap" and all(one.startswith("camel") for one in variants - _CALLS)
        ),
    ),
    Part(
        "operations-cs1.md",
        "Operations of INAP CS-1 alone",
        "What INAP has since CS-1, and CAP has not.",
        lambda protocol, variants: protocol == "inap" and "cs1" in variants,
    ),
    Part(
        "operations-cs2.md",
        "Operations of INAP CS-2 alone",
        "What is there since CS-2 only, and not in CAP.",
        lambda protocol, _: protocol == "inap",
    ),
    Part(
        "operations-map.md",
        "Operations of MAP",
        "The tester is the HLR, or whoever else speaks MAP.",
        lambda protocol, _: protocol == "map",
    ),
)


def text() -> str:
    """Return the page of all types, ending with a newline."""
    sections = [
        (type_.name, _type_section(type_))
        for type_ in catalogue()
        if not isinstance(type_, Sending | Expecting)
    ]
    own = [f"* [{plain(name)}](#{anchor(name)})" for name, _ in sections]
    opening = _OPENING.format(
        contents="\n\n".join(["\n".join(own), *map(_list_of, PARTS)]),
        outbound=_member_table(describe_members(OutboundEntry())),
        inbound=_member_table(describe_members(InboundEntry())),
        tests="\n".join(
            f"| `{name}` | {_codes(TEST_TYPES[name].members)} |" for name in TEST_TYPES
        ),
    )
    return "\n".join([opening, *(f"## {plain(name)}\n\n{body}" for name, body in sections)])


def part_text(part: Part) -> str:
    """Return the page of a part, ending with a newline."""
    opening = (
        f"# {part.heading}\n\n{part.about} [Operation types](operations.md) says how to read it.\n"
    )
    sections = [
        f"## {heading}\n\n{_component_section(types)}" for heading, types in _components(part)
    ]
    return "\n".join([opening, *sections])


def _components(part: Part) -> list[tuple[str, list[Sending | Expecting]]]:
    """Return the types of each operation of a part, by its heading."""
    found: dict[str, list[Sending | Expecting]] = {}
    for type_ in catalogue():
        if isinstance(type_, Sending | Expecting):
            protocol = type_.name.split(".")[0]
            owner = next(
                one for one in PARTS if one.has(protocol, frozenset(type_.operation.variants))
            )
            if owner is part:
                heading = f"{protocol.upper()} {type_.operation.name}"
                found.setdefault(heading, []).append(type_)
    return sorted(found.items())


def _list_of(part: Part) -> str:
    rows = [
        (f"[{heading}]({part.file}#{anchor(heading)})", _sentence(types[0].operation.summary))
        for heading, types in _components(part)
    ]
    return f"[{part.heading}]({part.file})\n\n{table(('Operation', ''), rows)}"


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _type_section(type_: OperationType) -> str:
    described = type_.describe()
    parts = [f"{_sentence(described['summary'])}", _member_table(described["attributes"])]
    arguments = described["arguments"]
    if arguments is not None and arguments["members"]:
        parts.append(f"Arguments:\n\n{_argument_table(arguments)}")
    if described["received"]:
        names = ", ".join(f"`$i->{{{name}}}`" for name in described["received"])
        parts.append(f"Stores what comes in {names}.")
    return "\n\n".join([*parts, _example(described["example"])]) + "\n"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:].removesuffix('.')}."


# -- INAP and MAP: one section an operation, whatever its roles and answers -----------------------


def _component_section(types: list[Sending | Expecting]) -> str:
    operation = types[0].operation
    parts = [_sentence(operation.summary), _facts(operation)]
    for form in Form:
        of_form = [type_ for type_ in types if type_.form is form]
        if of_form:
            parts += _form_parts(operation, form, of_form)
    return "\n\n".join(parts) + "\n"


def _facts(operation: Operation) -> str:
    answers = {
        1: "answered with a result or an error",
        2: "answered with an error only",
        3: "answered with a result only",
        4: "not answered",
    }[operation.operation_class]
    facts = [
        f"Code {operation.code}, class {operation.operation_class} ({answers})",
        f"timer {operation.timer_s:g} s",
        f"variants {', '.join(sorted(operation.variants))}",
    ]
    if operation.can_begin:
        facts.append("opens a dialogue")
    return "; ".join(facts) + "."


def _form_parts(
    operation: Operation, form: Form, types: list[Sending | Expecting]
) -> Iterable[str]:
    head = {Form.INVOKE: "Types", Form.RESULT: "Result", Form.ERROR: "Error"}[form]
    yield f"{head}: {_codes(type_.name for type_ in types)}"
    if form is Form.ERROR:
        yield f"Errors: {', '.join(operation.errors)}."
        return
    described = describe_argument(operation, form, ERROR_CODES)
    rows = _argument_table(described)
    yield rows if rows else "No arguments."
    if described.get("shorthands"):
        yield f"Shorthands: {_codes(described['shorthands'])}."
    shown = min(types, key=lambda one: (not isinstance(one, Sending), ".ssp_" not in one.name))
    if "arguments" in shown.example:
        yield _example(shown.example)


# -- tables ---------------------------------------------------------------------------------------


def _member_table(members: Mapping[str, Description]) -> str:
    rows = ["| Member | Value | Required | Default | Meaning |", "|---|---|---|---|---|"]
    for name, member in members.items():
        default = f"`{json.dumps(member['default'])}`" if "default" in member else ""
        required = "yes" if member.get("required") else "no"
        rows.append(
            f"| `{name}` | {_value(member)} | {required} | {default} | {member.get('help', '')} |"
        )
    return "\n".join(rows)


def _argument_table(described: Description) -> str:
    rows = list(_argument_rows(described, 0, ""))
    if not rows:
        return ""
    return "\n".join(["| Argument | Value | Forms | |", "|---|---|---|---|", *rows])


def _argument_rows(described: Description, depth: int, variants: str) -> Iterable[str]:
    if described["type"] == "by variant":
        for choice in described["choices"]:
            yield from _argument_rows(choice, depth, ", ".join(choice["variants"]))
        return
    for name, member in described.get("members", {}).items():
        where = ", ".join(member.get("variants", ())) or variants
        required = "mandatory" if member.get("required") else ""
        notes = "; ".join(note for note in (required, where, member.get("help", "")) if note)
        forms = _forms(name, member)
        yield f"| {_INDENT * depth}`{name}` | {_value(member)} | {forms} | {notes} |"
        yield from _rows_below(name, member, depth)


def _rows_below(name: str, member: Description, depth: int) -> Iterable[str]:
    if member["type"] in ("sequence", "choice"):
        yield from _argument_rows(member, depth + 1, "")
    elif member["type"] == "array":
        yield from _rows_below(name, member["items"], depth)
    elif member["type"] == "by variant":
        for choice in member["choices"]:
            where = ", ".join(choice["variants"])
            yield f"| {_INDENT * depth}`{name}` | {_value(choice)} | | {where} |"
            yield from _rows_below(name, choice, depth)


def _forms(name: str, member: Description) -> str:
    parts = _parts(member)
    forms: list[str] = []
    for key in member.get("keys", []):
        suffix = key.removeprefix(name)
        if suffix in ("", "_hex"):
            continue
        part = parts.get(suffix)
        if part is None:
            forms.append(f"`{suffix}`")
        else:
            default = f", {part['default']}" if "default" in part else ""
            forms.append(f"`{suffix}` 0–{part['maximum']}{default}")
    return " ".join(forms)


def _parts(member: Description) -> Mapping[str, Any]:
    found: Mapping[str, Any] = member.get("parts", {})
    if member["type"] == "array":
        return _parts(member["items"])
    return found


def _value(member: Description) -> str:
    unit = f" {member['unit']}" if "unit" in member else ""
    match member["type"]:
        case "integer" | "number" if "minimum" in member or "maximum" in member:
            low, high = member.get("minimum"), member.get("maximum")
            if high is None:
                return f"{member['type']} from {low:g}{unit}"
            return f"{_count(low)}–{_count(high)}{unit}"
        case "enumerated":
            names = [f"{number} {name}" for number, name in member["names"].items()]
            return ", ".join(names)
        case "array":
            bounds = ""
            if "min_items" in member:
                bounds = f"{member['min_items']}–{member['max_items']} × "
            return f"array of {bounds}{_value(member['items'])}" if "items" in member else "array"
        case "octets":
            if "min_octets" not in member:
                return "octets"
            low, high = member["min_octets"], member["max_octets"]
            return f"{low} octets" if low == high else f"{low}–{high} octets"
        case "text":
            return f"text, {member['min_length']}–{member['max_length']} characters"
        case "sequence":
            return "object"
        case "choice":
            return "one of"
        case "by variant":
            return "as the variant says"
    if "choices" in member:
        return ", ".join(f"`{one}`" for one in member["choices"])
    return f"{member['type']}{unit}"


def _count(number: float | None) -> str:
    return "" if number is None else f"{number:.0f}" if float(number).is_integer() else str(number)


def _example(example: Mapping[str, Any]) -> str:
    lines = [f"  {json.dumps(name)}: {json_text(example[name], '  ')}" for name in example]
    return "```json\n{\n" + ",\n".join(lines) + "\n}\n```"
