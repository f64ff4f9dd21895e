"""Elements of XML: names, trees of plain values, and the parser of a document."""

import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree  # type: ignore[import-untyped]  # it ships no stubs

from tsvc import turns
from tsvc.errors import RemoteProtocolError

SOAP_1_1: Final = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_1_2: Final = "http://www.w3.org/2003/05/soap-envelope"
ENVELOPES: Final = {"1.1": SOAP_1_1, "1.2": SOAP_1_2}  # namespace of the envelope by version
XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
XML: Final = "http://www.w3.org/XML/1998/namespace"
NIL: Final = f"{{{XSI}}}nil"
MAX_DEPTH = 64  # of parameters, and of elements of an answer

# Namespaces in XML: an NCName. All letters beyond ASCII are accepted.
NAME = re.compile(r"[A-Za-z_\u00c0-\ufffd][\w.\-]*")
PREFIXED = re.compile(rf"(?:({NAME.pattern}):)?({NAME.pattern})")


def elements(parent: etree._Element) -> Iterator[etree._Element]:
    """Yield the child elements of an element, without unresolved entity references."""
    return (child for child in turns.over(parent) if isinstance(child.tag, str))


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace."""
    return str(etree.QName(element).localname)


def namespace_of(element: etree._Element) -> str:
    """Return the namespace of an element, "" for none."""
    return str(etree.QName(element).namespace or "")


def tree(element: etree._Element, depth: int, notes: list[str], *, with_attributes: bool) -> Any:
    """Return the contents of an element; errors of xsi:nil are added to `notes`.

    Errors: RemoteProtocolError if it is too deep. Blocks: while other greenlets run, if the caller
    allows it.
    """
    if depth > MAX_DEPTH:
        raise RemoteProtocolError(f"the message is deeper than {MAX_DEPTH} elements")
    nil = element.get(NIL)
    is_nil = nil is not None and _is_nil(element, nil, notes)
    found: dict[str, Any] = {}
    if with_attributes:
        for name, text in element.attrib.items():
            if name != NIL:
                found[f"@{etree.QName(name).localname}"] = text
    children = list(elements(element))
    if not children:
        content = None if is_nil else element.text or ""
        return {**found, "#text": content} if found else content
    repeated: set[str] = set()
    for child in children:
        name = local_name(child)
        value = tree(child, depth + 1, notes, with_attributes=with_attributes)
        if name not in found:
            found[name] = value
        elif name in repeated:
            found[name].append(value)
        else:
            repeated.add(name)
            found[name] = [found[name], value]
    return found


def _is_nil(element: etree._Element, text: str, notes: list[str]) -> bool:
    """Return True if an element is nil; add a note if xsi:nil is wrong, or it has content."""
    text = text.strip()
    is_nil = text in ("true", "1")
    if not is_nil and text not in ("false", "0"):
        notes.append(f"xsi:nil of {local_name(element)} is {text[:40]!r}")
    elif is_nil and (len(element) or element.text):
        notes.append(f"{local_name(element)} is xsi:nil and has content")
    return is_nil


def parser() -> etree.XMLParser:
    """Return a parser for one document."""
    # A new parser for each document: a parser keeps the error log of its last document.
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=False,  # SOAP 1.1 forbids them: they are noted, then removed
    )
