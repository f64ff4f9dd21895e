"""Claims about values of declared types that hold for INAP and MAP alike."""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from support.tshark import complaints, dissect
from unit.protocols.asn1.values import Form, Value, is_within

# Values, each with what tshark says of a message that carries it.
Said = list[tuple[Value, list[str]]]
# Which known fault of tshark a text about a value is, if it is one.
FaultOf = Callable[[Value, str], tuple[Any, ...] | None]


def contains(tree: Any, given: Any) -> bool:
    """Tell whether everything given is in the tree, lists element by element."""
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
    """Assert that what a vector's octets decode to is encoded to the same octets."""
    notes: list[Any] = []
    tree = own_vector.decode(own_vector.octets, notes)
    assert not notes
    assert own_vector.encode(tree) == own_vector.octets


def check_come_back(form: Form, values: Iterable[Value]) -> None:
    """Assert that values of a form are decoded to what was given, and encoded to the same."""
    for value in values:
        notes: list[Any] = []
        found = form.decode(value.octets, notes)
        assert not notes, (form, value.tree)
        assert is_within(value.tree, found), (form, value.tree)
        assert form.encode(found) == value.octets, (form, value.tree)


def said_of(folder: Path, framed: Iterable[tuple[Value, bytes]]) -> Said:
    """Return what tshark says of values, each in a TCAP message, all in one capture."""
    owners, messages = zip(*framed, strict=True)
    packets = dissect(folder, messages, "tcap")
    return [(value, complaints(packet)) for value, packet in zip(owners, packets, strict=True)]


def check_said(said: Said, forms: Iterable[Form], fault_of: FaultOf) -> None:
    """Assert that tshark says nothing but known faults, and that it was shown all forms."""
    unexplained = Counter(
        f"{value.form}: {text}"
        for value, texts in said
        for text in texts
        if not text.startswith("_ws.malformed") and fault_of(value, text) is None
    )
    assert not unexplained, "\n".join(unexplained)
    assert {str(value.form) for value, _ in said} == {str(form) for form in forms}


def faults_in(said: Said, fault_of: FaultOf) -> set[tuple[Any, ...]]:
    """Return the known faults of tshark that show."""
    found = {fault_of(value, text) for value, texts in said for text in texts}
    return {fault for fault in found if fault is not None}
