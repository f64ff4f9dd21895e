"""docs/reference/flows.md: flow documents and their operations, from the declarations."""

import json
from collections.abc import Mapping

from marshmallow import Schema, missing

from tsvc.docs_generator.markdown import Field, below, code, json_text, members_of, table
from tsvc.flow.buffers import MAX_NAME_LENGTH, SYSTEM_BUFFERS
from tsvc.flow.engine import STEP_LIMIT
from tsvc.flow.fields import MAX_REPETITION
from tsvc.flow.node import NODES, Node
from tsvc.schema.fields import List, Member

_EXAMPLE_ID = 2  # of the operation in an example; the targets of its exits have other ids

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
    opening = _OPENING.format(
        step_limit=STEP_LIMIT,
        max_repetition=MAX_REPETITION,
        max_name_length=MAX_NAME_LENGTH,
        buffers="\n".join(f"| `{name}` | {SYSTEM_BUFFERS[name][0]} |" for name in SYSTEM_BUFFERS),
        contents="\n".join(_content_line(node) for node in NODES),
    )
    return "\n".join([opening, *(_section(node) for node in NODES)])


def example_operation(node: type[Node]) -> dict[str, object]:
    """Return the example of a type as a whole operation."""
    return {"id": _EXAMPLE_ID, "type": node.type, **node.example}


def shape_of(field: Field) -> str:
    """Return the allowed values of a member, in a few words of Markdown."""
    return field.style.rule(field.takes) if isinstance(field, Member) else ""


def items_of(field: Field) -> Schema | None:
    """Return the schema of the objects in an array, None for any other member."""
    return below(field) if isinstance(field, List) else None


def _content_line(node: type[Node]) -> str:
    return f"* [{node.type}](#{node.type.lower()}): {_as_clause(node.summary)}"


def _as_clause(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].removesuffix(".")


def _section(node: type[Node]) -> str:
    config = node.Config()
    parts = [f"### {node.type}", node.summary, *node.notes]
    parts.append(_member_table(config) if config.fields else "No config.")
    held = {shape_of(field): items_of(field) for _, field in members_of(config)}
    parts += [
        f"Each of the {shape.removeprefix('array of ')} has:\n\n{_member_table(inner)}"
        for shape, inner in held.items()
        if inner is not None
    ]
    parts.append(f"It has {node.exit_rule()}.")
    parts += [_exit_table(rows, node.exit_help) for rows in _exit_layouts(node)]
    parts.append(_example(node))
    return "\n\n".join(parts) + "\n"


def _member_table(schema: Schema) -> str:
    rows = [
        (
            f"`{name}`",
            shape_of(field) + (f", in {unit}" if (unit := field.metadata.get("unit")) else ""),
            "yes" if field.required else "no",
            _default(field.load_default),
            field.metadata["help"],
        )
        for name, field in members_of(schema)
    ]
    return table(("Member", "Value", "Required", "Default", "Meaning"), rows)


def _default(default: object) -> str:
    """Return a default in the form of a document; "" if there is none, also for ()."""
    if default is missing or default in ((), None):
        return ""
    return code(default if isinstance(default, int | float | str) else str(default))


def _exit_layouts(node: type[Node]) -> list[Mapping[str, str]]:
    """Return the rows of each exit table, name by index; a type of open exits has one table."""
    if node.layouts:
        return [
            {str(index): name for index, name in enumerate(names)}
            for names in node.layouts
            if names
        ]
    first, following = node.exit_help
    return [{"0": first, "n": following}]


def _exit_table(names: Mapping[str, str], helps: Mapping[str, str]) -> str:
    rows = [(index, name, helps[name]) for index, name in names.items()]
    return table(("Exit", "Name", "Taken when"), rows)


def _example(node: type[Node]) -> str:
    lines = [
        f"  {json.dumps(name)}: {json_text(value, '  ')}"
        for name, value in example_operation(node).items()
    ]
    return "```json\n{\n" + ",\n".join(lines) + "\n}\n```"
