"""What the reference says about every flow operation type, taken from its declaration."""

from dataclasses import dataclass

from marshmallow import missing

from tsvc.flow.node import NODES, Node


@dataclass(frozen=True, slots=True)
class MemberEntry:
    """One config member; `default` None where there is none to show."""

    name: str
    help: str
    is_required: bool
    default: object
    unit: str


@dataclass(frozen=True, slots=True)
class TypeEntry:
    """One operation type."""

    type: str
    summary: str
    exit_rule: str
    layouts: tuple[tuple[str, ...], ...]
    members: tuple[MemberEntry, ...]


def describe_type(node: type[Node]) -> TypeEntry:
    """Return the reference entry of one type."""
    members = tuple(
        MemberEntry(
            name,
            str(member.metadata["help"]),
            member.required,
            None if member.load_default is missing else member.load_default,
            str(member.metadata.get("unit", "")),
        )
        for name, member in node.Config().fields.items()
    )
    return TypeEntry(node.type, node.summary, node.exit_rule(), node.layouts, members)


def describe_types() -> list[TypeEntry]:
    """Return the entries of all types, sorted by name."""
    return [describe_type(node) for node in NODES]
