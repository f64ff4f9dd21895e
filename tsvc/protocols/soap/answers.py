"""The contents of an envelope as a tree, with notes about violations of SOAP."""

from functools import partial
from typing import Any

from lxml import etree  # type: ignore[import-untyped]  # it ships no stubs

from tsvc import turns
from tsvc.errors import RemoteProtocolError
from tsvc.protocols.soap.elements import (
    ENVELOPES,
    SOAP_1_1,
    SOAP_1_2,
    elements,
    local_name,
    namespace_of,
    parser,
    tree,
)
from tsvc.protocols.soap.faults import Fault, fault_of
from tsvc.protocols.xml_tree import read_root
from tsvc.values import dataclass
from tsvc.words import quoted

_VERSIONS = {uri: version for version, uri in ENVELOPES.items()}


@dataclass(frozen=True, slots=True)
class SoapAnswer:
    """The contents of a body: an element with its content, or a fault.

    Elements become members, repeated ones a list, leaves texts; xsi:nil is None. Prefixes are left
    out, and attributes too, unless parse() is called with `with_attributes`. `headers`: the header
    blocks by name, None without any. `version`: of SOAP. `notes`: violations of SOAP.
    """

    element: str
    returned: Any
    fault: Fault | None = None
    notes: tuple[str, ...] = ()
    headers: Any = None
    version: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return {element, returned}, or {element, fault}; and headers, if there are any."""
        members: dict[str, Any] = {"element": self.element}
        if self.headers is not None:
            members["headers"] = self.headers
        if self.fault is not None:
            return {**members, "fault": self.fault.as_dict()}
        return {**members, "returned": self.returned}


def parse(octets: bytes, *, with_attributes: bool = False) -> SoapAnswer:
    """Return the contents of an envelope. Errors: RemoteProtocolError if it is not an envelope.

    `with_attributes`: attributes become members `@NAME`, and the text beside them `#text`.
    """
    body, header, space, notes = _body(octets)
    blocks = None
    if header is not None and len(header):
        notes += [
            f"the header block {local_name(one)} has no namespace"
            for one in elements(header)
            if not namespace_of(one)
        ]
        blocks = tree(header, 0, notes, with_attributes=with_attributes)
    answer = partial(SoapAnswer, headers=blocks, version=_VERSIONS[space])
    first, *others = [*elements(body)] or [None]
    if first is None:
        return answer("", None, notes=tuple(notes))
    if not _is_fault(first, space):
        if any(_is_fault(other, space) for other in others):
            notes.append("a Fault stands behind another element")
        returned = tree(first, 0, notes, with_attributes=with_attributes)
        return answer(local_name(first), returned, notes=tuple(notes))
    if others:
        notes.append("a Fault is not alone in the Body")
    return answer(
        "Fault", None, fault_of(first, notes, with_attributes=with_attributes), tuple(notes)
    )


def read(octets: bytes, *, with_attributes: bool = False) -> SoapAnswer:
    """Return the contents of an envelope; if it is not an envelope, nothing but a note."""
    try:
        return parse(octets, with_attributes=with_attributes)
    except RemoteProtocolError as error:
        return SoapAnswer("", None, notes=(str(error),))


def _is_fault(element: etree._Element, space: str) -> bool:
    return bool(element.tag == f"{{{space}}}Fault")


def parse_request(octets: bytes) -> tuple[str, dict[str, Any], str]:
    """Return operation, parameters and version of a request. Errors: RemoteProtocolError."""
    answer = parse(octets)
    if answer.fault is not None or not answer.element:
        raise RemoteProtocolError("no operation in the body")
    parameters = answer.returned if isinstance(answer.returned, dict) else {}
    return answer.element, parameters, answer.version


def _body(octets: bytes) -> tuple[etree._Element, etree._Element | None, str, list[str]]:
    """Return Body, Header, their namespace, and notes about violations of SOAP around them."""
    try:
        root = read_root(octets, parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        words = getattr(error, "msg", None) or error
        raise RemoteProtocolError(f"the message is no XML: {words}") from None
    if root.getroottree().docinfo.doctype:
        raise RemoteProtocolError("the message has a document type, which SOAP forbids")
    space = namespace_of(root)
    if local_name(root) != "Envelope" or space not in (SOAP_1_1, SOAP_1_2):
        raise RemoteProtocolError(
            f"the message is no SOAP envelope but {quoted(local_name(root))}"
        )
    body = root.find(f"{{{space}}}Body")
    if body is None:
        raise RemoteProtocolError("the envelope has no Body")
    names = [str(child.tag) for child in elements(root)]
    notes = []
    if root.getroottree().xpath("//processing-instruction()"):
        notes.append("the message has a processing instruction, which SOAP forbids")
        etree.strip_tags(root, etree.ProcessingInstruction)
    for name in ("Header", "Body"):
        count = names.count(f"{{{space}}}{name}")
        if count > 1:
            notes.append(f"the envelope has {count} elements {name}")
    if names[: names.index(body.tag)] not in ([], [f"{{{space}}}Header"]):
        notes.append("before the Body stands more than the Header")
    behind = names[names.index(body.tag) + 1 :]
    # SOAP 1.1 allows elements of other namespaces after the Body, SOAP 1.2 allows none.
    is_strange = any(_is_envelopes(name, space) for name in behind if name != body.tag)
    if is_strange or (behind and space == SOAP_1_2):
        notes.append("behind the Body stands what must not be there")
    beside = [root.text or "", *[child.tail or "" for child in turns.over(root)]]
    if "".join(beside).strip():
        notes.append("the envelope has text of its own")
    header = f"{{{space}}}Header"
    return body, root.find(header) if header in names else None, space, notes


def _is_envelopes(name: str, space: str) -> bool:
    return not name.startswith("{") or name.startswith(f"{{{space}}}")
