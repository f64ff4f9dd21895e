"""docs/reference/flows.md: flow documents and their operations, from the declarations."""

import json
from collections.abc import Iterable, Mapping

from tsvc.flow.buffers import MAX_NAME_LENGTH, SYSTEM_BUFFERS
from tsvc.flow.catalogue import MemberEntry, TypeEntry, describe_types
from tsvc.flow.engine import STEP_LIMIT
from tsvc.flow.fields import MAX_REPETITION
from tsvc.reference.markdown import json_text

_EXAMPLE_ID = 2  # of the operation in an example; the targets of its exits are others

_OPENING = """\
# Flows

Made from the declarations of the operation types: change those, not this file.

A flow is a JSON document (or YAML or TOML of the same shape). `tsvc flow check FILE` tells
everything that is wrong with one, at once, by operation and member.

| Member | Required | Meaning |
|---|---|---|
| `name` | no | the name in counters and traces; `flow` if absent |
| `triggers` | no | which calls or USSD sessions it serves: an array of objects with one of \
`service_key`, `called_prefix`, `calling_prefix`, `ussd_prefix`, `default` |
| `announcements` | no | message ids by set, then entry, before those of the site |
| `srf` | no | the resource of its calls where that is not the site's: an object with \
`use_etc` and `routing_address`, as in `[scp.srf]` |
| `pattern_syntax` | no | `"acs"` (default) or `"regex"`; see [patterns](patterns.md) |
| `operations` | yes | the operations, an object by id or an array |

An operation has these members:

| Member | Required | Meaning |
|---|---|---|
| `id` | yes | integer; equal to its key where `operations` is an object |
| `type` | yes | one of the types below |
| `config` | as the type says | object; unknown members are refused |
| `exits` | yes | array: for each exit, counted from 0, the id of the next operation or null |
| `base_node` | no | integer; kept, without effect |

A call begins at the one operation of type `Start`. At a null exit the flow ends, and a caller who
is still there is released with cause 31. Several exits may lead to one operation, and back to an
earlier one; after {step_limit} operations a call is released with cause 31. A caller who hangs up
ends the flow where it is, and so does an answer, unless the call is charged: no exit is taken. An
operation that no exit leads to is warned of.

A flow serves calls, or USSD sessions if it has one of their operations or an `ussd_prefix`; what
it then can't have is refused. The prefix `*123#` is that code alone, `*123` begins others, too.

## Announcements

| Member | Required | Meaning |
|---|---|---|
| `set` | yes | the announcement set |
| `entry` | yes | the announcement in the set |
| `repetition` | no | how often it is played, 1 to {max_repetition}; default 1 |

An entry of the flow's table is a message id, or a variable message:
`{{"message_id": 9, "parts": [{{"integer": 3}}, {{"number": "4329100"}}]}}`, one to five parts.

The message id is that of the flow's `announcements`, else of `[scp.announcements]`, else
`scp.default_message_id` with a warning. Further members are kept, with a warning.

## Buffers

A buffer keeps a text under a name, for one call. Names are dotted, `user.` or `system.` before
letters, digits and `_` (at most {max_name_length} characters). A flow writes and reads `user.*`;
`system.*` it only reads:

| Buffer | Holds |
|---|---|
{buffers}

## Operations

{contents}
"""


def text() -> str:
    """Return the whole reference, ending with a newline."""
    types = describe_types()
    opening = _OPENING.format(
        step_limit=STEP_LIMIT,
        max_repetition=MAX_REPETITION,
        max_name_length=MAX_NAME_LENGTH,
        buffers="\n".join(f"| `{name}` | {SYSTEM_BUFFERS[name][0]} |" for name in SYSTEM_BUFFERS),
        contents="\n".join(_content_line(entry) for entry in types),
    )
    return "\n".join([opening, *(_section(entry) for entry in types)])


def example_operation(entry: TypeEntry) -> dict[str, object]:
    """Return the example of a type as a whole operation."""
    return {"id": _EXAMPLE_ID, "type": entry.type, **entry.example}


def _content_line(entry: TypeEntry) -> str:
    return f"* [{entry.type}](#{entry.type.lower()}): {_as_clause(entry.summary)}"


def _as_clause(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].removesuffix(".")


def _section(entry: TypeEntry) -> str:
    parts = [f"### {entry.type}", entry.summary, *entry.notes]
    parts.append(_member_table(entry.members) if entry.members else "No config.")
    parts += [
        f"Each of the {noun} has:\n\n{_member_table(members)}"
        for noun, members in _inner_members(entry).items()
    ]
    parts.append(f"It has {entry.exit_rule}.")
    parts += [_exit_table(rows, entry.exit_help) for rows in _exit_layouts(entry)]
    parts.append(_example(entry))
    return "\n\n".join(parts) + "\n"


def _inner_members(entry: TypeEntry) -> dict[str, tuple[MemberEntry, ...]]:
    """Return the members of objects in arrays, by what the arrays hold."""
    return {
        member.shape.removeprefix("array of "): member.members
        for member in entry.members
        if member.members
    }


def _member_table(members: Iterable[MemberEntry]) -> str:
    rows = ["| Member | Value | Required | Default | Meaning |", "|---|---|---|---|---|"]
    for member in members:
        unit = f", in {member.unit}" if member.unit else ""
        default = "" if member.default is None else f"`{json.dumps(member.default)}`"
        required = "yes" if member.is_required else "no"
        rows.append(
            f"| `{member.name}` | {member.shape}{unit} | {required} | {default} | {member.help} |"
        )
    return "\n".join(rows)


def _exit_layouts(entry: TypeEntry) -> list[Mapping[str, str]]:
    """Return the rows of each exit table, name by index; a type of open exits has one table."""
    if entry.layouts:
        return [
            {str(index): name for index, name in enumerate(names)}
            for names in entry.layouts
            if names
        ]
    first, following = entry.exit_help
    return [{"0": first, "n": following}]


def _exit_table(names: Mapping[str, str], helps: Mapping[str, str]) -> str:
    rows = ["| Exit | Name | Taken when |", "|---|---|---|"]
    rows += [f"| {index} | {name} | {helps[name]} |" for index, name in names.items()]
    return "\n".join(rows)


def _example(entry: TypeEntry) -> str:
    lines = [
        f"  {json.dumps(name)}: {json_text(value, '  ')}"
        for name, value in example_operation(entry).items()
    ]
    return "```json\n{\n" + ",\n".join(lines) + "\n}\n```"
