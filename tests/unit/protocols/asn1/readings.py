"""Checks of values of declared types that apply to both INAP and MAP."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from support.tshark import complaints, dissect
from unit.protocols.asn1.values import Form, Value, is_within
from unit.protocols.waivers import Waiver

from tsvc.protocols.asn1 import Containing, Null, OpenType, SequenceOf, Structure

# Values, each with tshark's complaints about a message that carries it, and its field names.
Said = list[tuple[Value, list[str], frozenset[str]]]
# Returns the known fault of tshark that a complaint about a value shows, None if it is new.
FaultOf = Callable[[Value, str], Waiver | None]


def contains(tree: Any, given: Any) -> bool:
    """Return True if everything given is in the tree; lists are compared element by element."""
    if isinstance(given, dict):
        return isinstance(tree, dict) and all(
            key in tree and contains(tree[key], value) for key, value in given.items()
        )
    if isinstance(given, list):
        return (
            isinstance(tree, list)
            and len(tree) == len(given)
            and all(contains(left, right) for left, right in zip(tree, given, strict=True))
        )
    return bool(tree == given)


def check_octets_come_back(own_vector: Any) -> None:
    """Assert that a vector's octets are decoded and encoded to the same octets."""
    notes: list[Any] = []
    tree = own_vector.decode(own_vector.octets, notes)
    assert not notes
    assert own_vector.encode(tree) == own_vector.octets


def check_come_back(form: Form, values: Iterable[Value]) -> None:
    """Assert that values of a form are decoded as given, and encoded to the same octets."""
    for value in values:
        notes: list[Any] = []
        found = form.decode(value.octets, notes)
        assert not notes, (form, value.tree)
        assert is_within(value.tree, found), (form, value.tree)
        assert form.encode(found) == value.octets, (form, value.tree)


def said_of(folder: Path, framed: Iterable[tuple[Value, bytes]]) -> Said:
    """Return tshark's view of values; each is in a TCAP message, all are in one capture."""
    owners, messages = zip(*framed, strict=True)
    packets = dissect(folder, messages, "tcap")
    return [
        (value, complaints(packet), _fields_of(packet))
        for value, packet in zip(owners, packets, strict=True)
    ]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _fields_of(packet: ElementTree.Element) -> frozenset[str]:
    """Return the names of the fields, also without the digits that follow a homonym."""
    found = set()
    for field in packet.iter("field"):
        label = str(field.get("showname")).split(":")[0]
        name = re.sub(r"_(element|item)$", "", str(field.get("name")).rpartition(".")[2])
        for plain in (_plain(name), _plain(label)):
            found |= {plain, plain.rstrip("0123456789")}
    return frozenset(found)


def members_of(type_: Structure, tree: dict[str, Any]) -> set[str]:
    """Return the members of a value, at any depth, by their declared names."""
    found: set[str] = set()
    for key, value in tree.items():
        member = type_.member_of(key)
        if member is None or isinstance(member.type, OpenType):
            continue
        if isinstance(member.type, Null) and not value:
            continue
        if member.number is not None or type_.tag is not None:
            found.add(member.name)  # a member of a bare type has no name of its own
        inner = member.type.inner if isinstance(member.type, Containing) else member.type
        items = value if isinstance(value, list) else [value]
        element = inner.element if isinstance(inner, SequenceOf) else inner
        if isinstance(element, Structure):
            for item in items:
                if isinstance(item, dict):
                    found |= members_of(element, item)
    return found


def by_value(said: Said) -> Iterable[tuple[Value, set[str]]]:
    """Return each value with the fields of all messages that belong to it."""
    found: dict[int, tuple[Value, set[str]]] = {}
    for value, _, fields in said:
        found.setdefault(id(value), (value, set()))[1].update(fields)
    return found.values()


def overlooked(said: Said, waivers: Iterable[Waiver]) -> set[Waiver]:
    """Return the waivers whose member tshark does not find."""
    return {
        one
        for value, fields in by_value(said)
        for one in waivers
        if one.covers(value) and _plain(str(one.member)) not in fields
    }


def check_named(said: Said, is_waived: Callable[[Value], bool], renamed: dict[str, str]) -> None:
    """Assert that tshark finds each given member, under its name or a name in `renamed`.

    Without this check tshark might read a member as another type, and not complain.
    """
    missing, used = Counter[str](), set()
    for value, fields in by_value(said):
        if is_waived(value):
            continue
        for member in members_of(value.form.type, value.tree):
            theirs = {_plain(member), *([renamed[member]] if member in renamed else [])}
            if _plain(member) not in fields and member in renamed:
                used.add(member)
            if not theirs & fields:
                missing[f"{value.form}: {member}"] += 1
    assert not missing, missing
    assert used == set(renamed)


def check_said(said: Said, forms: Iterable[Form], fault_of: FaultOf) -> None:
    """Assert that tshark only complains by known faults, and that it has seen all forms."""
    unexplained = Counter(
        f"{value.form}: {text}"
        for value, texts, _ in said
        for text in texts
        if not text.startswith("_ws.malformed") and fault_of(value, text) is None
    )
    assert not unexplained, "\n".join(unexplained)
    assert {str(value.form) for value, _, _ in said} == {str(form) for form in forms}


def faults_in(said: Said, fault_of: FaultOf) -> set[Waiver]:
    """Return the known faults of tshark that occur."""
    found = {fault_of(value, text) for value, texts, _ in said for text in texts}
    return {fault for fault in found if fault is not None}
