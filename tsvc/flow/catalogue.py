"""What the reference says about every flow operation type, taken from its declaration."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from marshmallow import Schema, fields, missing

from tsvc.flow.fields import Member, Objects
from tsvc.flow.node import NODES, Node


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
        describe_members(node.Config),
        node.exit_help,
        node.notes,
        node.example,
    )


def describe_members(schema: Callable[[], Schema]) -> tuple[MemberEntry, ...]:
    """Return the entries of a schema's members, in the order of their declaration."""
    return tuple(_describe_member(name, member) for name, member in schema().fields.items())


def _describe_member(name: str, member: fields.Field[object]) -> MemberEntry:
    return MemberEntry(
        name,
        str(member.metadata["help"]),
        member.required,
        _shown_default(member.load_default),
        str(member.metadata.get("unit", "")),
        member.shape() if isinstance(member, Member) else "",
        describe_members(member.schema) if isinstance(member, Objects) else (),
    )


def _shown_default(default: object) -> object:
    """Return a default in the form of a document; None for absence, which () can stand for too."""
    if default is missing or default == ():
        return None
    return default if isinstance(default, int | float | str | None) else str(default)


def describe_types() -> list[TypeEntry]:
    """Return the entries of all types, sorted by name."""
    return [describe_type(node) for node in NODES]
