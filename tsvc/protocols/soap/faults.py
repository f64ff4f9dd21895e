"""Faults of SOAP 1.1 and 1.2, with notes about violations of SOAP."""

from typing import Any

from lxml import etree  # type: ignore[import-untyped]  # it ships no stubs

from tsvc import turns
from tsvc.protocols.soap.elements import (
    PREFIXED,
    SOAP_1_2,
    XML,
    elements,
    local_name,
    namespace_of,
    tree,
)
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A refusal. `detail`: None, a text, or a tree of its contents.

    In SOAP 1.2 `code` and `string` are Code/Value and the first Text of the Reason; `subcodes` are
    the values of the Subcodes, the outer one first, `reasons` (language, text) of each Text.
    """

    code: str
    string: str
    detail: Any = None
    subcodes: tuple[str, ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return {code, string, detail}, in SOAP 1.2 also subcodes and reasons: {lang, text}."""
        members = {"code": self.code, "string": self.string, "detail": self.detail}
        if self.reasons:
            members["subcodes"] = list(self.subcodes)
            members["reasons"] = [{"lang": lang, "text": text} for lang, text in self.reasons]
        return members


_FAULT_1_1 = frozenset({"faultcode", "faultstring", "faultactor", "detail"})
_FAULT_1_2 = ("Code", "Reason", "Node", "Role", "Detail")  # in this order
# The schema of SOAP 1.2 (env:faultcodeEnum).
_CODES_1_2 = frozenset(
    {"DataEncodingUnknown", "MustUnderstand", "Receiver", "Sender", "VersionMismatch"}
)
_LANG = f"{{{XML}}}lang"


def fault_of(element: etree._Element, notes: list[str], *, with_attributes: bool) -> Fault:
    """Return a fault; its members are those of SOAP 1.1 or 1.2."""
    if namespace_of(element) == SOAP_1_2:
        return _fault_1_2(element, notes, with_attributes=with_attributes)
    names = [local_name(child) for child in elements(element)]
    needed = ("faultcode", "faultstring")
    notes += [f"the Fault has no {name}" for name in needed if name not in names]
    for name in sorted(set(names)):
        if name not in _FAULT_1_1:
            notes.append(f"the Fault has a member {name}")
        elif names.count(name) > 1:
            notes.append(f"the Fault has {names.count(name)} members {name}")
    members = {local_name(child): child for child in reversed([*elements(element)])}
    code, string, detail = (members.get(name) for name in ("faultcode", "faultstring", "detail"))
    if code is not None:
        _qualified(code, "faultcode", notes)
    return Fault(
        _text(code),
        _text(string),
        None if detail is None else tree(detail, 1, notes, with_attributes=with_attributes),
    )


def _fault_1_2(element: etree._Element, notes: list[str], *, with_attributes: bool) -> Fault:
    """Return a fault, checked against the schema of SOAP 1.2 (env:Fault)."""
    members = _members(element, "Fault", _FAULT_1_2, ("Code", "Reason"), notes)
    code, subcodes = "", []
    level, place = members.get("Code"), "Code"
    while level is not None:
        inner = _members(level, place, ("Value", "Subcode"), ("Value",), notes)
        value = inner.get("Value")
        if value is not None:
            local, namespace = _qualified(value, f"{place}/Value", notes)
            if place == "Code" and (namespace != SOAP_1_2 or local not in _CODES_1_2):
                notes.append(f"the Code of the Fault is {_text(value)[:60]!r}, none of SOAP 1.2")
        if place == "Code":
            code = _text(value)
        else:
            subcodes.append(_text(value))
        level, place = inner.get("Subcode"), "Subcode"
    reasons = []
    reason = members.get("Reason")
    if reason is not None:
        _members(reason, "Reason", ("Text",), ("Text",), notes, repeated="Text")
        for text in reason.findall(f"{{{SOAP_1_2}}}Text"):
            if text.get(_LANG) is None:
                notes.append("a Text of the Reason has no xml:lang")
            reasons.append((text.get(_LANG) or "", _text(text)))
    detail = members.get("Detail")
    if detail is not None and _stray_text(detail):
        notes.append("the Detail has text of its own")
    return Fault(
        code,
        reasons[0][1] if reasons else "",
        None if detail is None else tree(detail, 1, notes, with_attributes=with_attributes),
        tuple(subcodes),
        tuple(reasons),
    )


def _members(
    element: etree._Element,
    place: str,
    known: tuple[str, ...],
    needed: tuple[str, ...],
    notes: list[str],
    repeated: str = "",
) -> dict[str, etree._Element]:
    """Return the first of each member by name; add notes about violations of the sequence."""
    members: dict[str, etree._Element] = {}
    names = []
    for child in elements(element):
        name = local_name(child)
        if name not in known or namespace_of(child) != SOAP_1_2:
            notes.append(f"the {place} has a member {name}")
            continue
        names.append(name)
        members.setdefault(name, child)
    notes += [f"the {place} has no {name}" for name in needed if name not in members]
    for name in members:
        if names.count(name) > 1 and name != repeated:
            notes.append(f"the {place} has {names.count(name)} members {name}")
    if names != sorted(names, key=known.index):
        notes.append(f"the members of the {place} are not in their order")
    if _stray_text(element):
        notes.append(f"the {place} has text of its own")
    return members


def _stray_text(element: etree._Element) -> bool:
    """Return True if there is text between the child elements of an element."""
    return bool(
        "".join([element.text or "", *[child.tail or "" for child in turns.over(element)]]).strip()
    )


def _qualified(element: etree._Element, place: str, notes: list[str]) -> tuple[str, str]:
    """Return (local name, namespace) of the qualified name in an element's text."""
    found = PREFIXED.fullmatch(_text(element))
    if found is None or (found[1] and found[1] not in (*element.nsmap, "xml")):
        notes.append(f"the {place} {_text(element)[:60]!r} is no qualified name")
        return "", ""
    return found[2], str(element.nsmap.get(found[1]) or "")


def _text(element: etree._Element | None) -> str:
    return "" if element is None else "".join(element.itertext()).strip()
