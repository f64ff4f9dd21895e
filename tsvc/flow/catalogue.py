"""What the reference says about every flow operation type, taken from its declaration."""

from collections.abc import Mapping

from marshmallow import Schema, fields, missing

from tsvc.flow.node import NODES, Node
from tsvc.schema.fields import Member, Nested
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class MemberEntry:
    """One config member; `default` None where there is none to show.

    shape:   what may be written, in a few words of Markdown.
    members: those of the objects in an array of objects.
    """

    name: str
    help: str
    is_required: bool
    default: object
    unit: str
    shape: str
    members: tuple["MemberEntry", ...]


@dataclass(frozen=True, slots=True)
class TypeEntry:
    """One operation type; the last three are those of Node."""

    type: str
    summary: str
    exit_rule: str
    layouts: tuple[tuple[str, ...], ...]
    members: tuple[MemberEntry, ...]
    exit_help: Mapping[str, str]
    notes: tuple[str, ...]
    example: Mapping[str, object]


def describe_type(node: type[Node]) -> TypeEntry:
    """Return the reference entry of one type."""
    return TypeEntry(
        node.type,
        node.summary,
        node.exit_rule(),
        node.layouts,
        _describe_all(node.Config()),
        node.exit_help,
        node.notes,
        node.example,
    )


def _describe_all(schema: Schema) -> tuple[MemberEntry, ...]:
    return tuple(_describe_member(name, member) for name, member in schema.fields.items())


def _describe_member(name: str, member: fields.Field[object]) -> MemberEntry:
    item = member.inner_field if isinstance(member, Member) else None
    return MemberEntry(
        name,
        str(member.metadata["help"]),
        member.required,
        _shown_default(member.load_default),
        str(member.metadata.get("unit", "")),
        member.style.rule(member.takes) if isinstance(member, Member) else "",
        _describe_all(item.schema) if isinstance(item, Nested) else (),
    )


def _shown_default(default: object) -> object:
    """Return a default in the form of a document; None for absence, which () can stand for too."""
    if default is missing or default == ():
        return None
    return default if isinstance(default, int | float | str | None) else str(default)


def describe_types() -> list[TypeEntry]:
    """Return the entries of all types, sorted by name."""
    return [describe_type(node) for node in NODES]
