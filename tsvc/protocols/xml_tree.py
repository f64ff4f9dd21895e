"""XML as a tree of plain values, for kpaths: no entities, no document types, bounded depth. Pure.

An element becomes its text, or an object if it has attributes or child elements. Members of the
object are `@name` for each attribute, the local name of each child (a list if repeated), and
`#text` for other text. An element becomes null if xsi:nil is true and it would be a text.
"""

from typing import Any

from lxml import etree  # type: ignore[import-untyped]  # it ships no stubs

from tsvc import turns
from tsvc.errors import RemoteProtocolError

MAX_DEPTH = 64
_PORTION = 1 << 14  # octets that are read at once
_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"


def xml_tree(octets: bytes, charset: str = "") -> dict[str, Any]:
    """Return {name of the root element: its value}.

    `charset`: overrides the encoding that the document names (RFC 7303 3).
    Errors: RemoteProtocolError. Blocks: while other greenlets run, if the caller allows it.
    """
    try:
        parser = etree.XMLParser(
            encoding=charset or None,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            dtd_validation=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        root = read_root(octets, parser)
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        raise RemoteProtocolError(getattr(error, "msg", None) or str(error)) from None
    if root.getroottree().docinfo.doctype:
        raise RemoteProtocolError("document types are not read")
    return {_local(root): _value(root, 1)}


def read_root(octets: bytes, parser: etree.XMLParser) -> etree._Element:
    """Return the root of a document that `parser` reads; a large document is read in portions.

    Errors: XMLSyntaxError, ValueError. Blocks: while other greenlets run, if the caller allows it.
    """
    if len(octets) <= _PORTION:
        return etree.fromstring(octets, parser)
    for at in range(0, len(octets), _PORTION):
        parser.feed(octets[at : at + _PORTION])
        turns.walked(turns.PORTION)
    return parser.close()


def _value(element: etree._Element, depth: int) -> Any:
    turns.walked()
    if depth > MAX_DEPTH:
        raise RemoteProtocolError(f"it is deeper than {MAX_DEPTH} elements")
    found: dict[str, Any] = {}
    for name, text in element.attrib.items():
        if name != _NIL:
            found[f"@{etree.QName(name).localname}"] = text
    repeated: set[str] = set()
    texts = [element.text or ""]
    for child in element:
        texts.append(child.tail or "")
        if not isinstance(child.tag, str):
            raise RemoteProtocolError("entities are not read")
        name, value = _local(child), _value(child, depth + 1)
        if name not in found:
            found[name] = value
        elif name in repeated:
            found[name].append(value)
        else:
            repeated.add(name)
            found[name] = [found[name], value]
    text = "".join(texts)
    if not found:
        return None if element.get(_NIL) in ("true", "1") else text
    if text.strip():
        found["#text"] = text
    return found


def _local(element: etree._Element) -> str:
    return str(etree.QName(element).localname)
