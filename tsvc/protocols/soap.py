"""SOAP 1.1 envelopes: requests by template, responses and faults to trees.

The parser is lxml without entities, network and document types (SOAP 1.1 §3 forbids these), with
its limits on depth and length. SOAP 1.2 faults are understood too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from lxml import etree  # type: ignore[import-untyped]  # it ships no stubs

from tsvc.errors import LocalProtocolError, RemoteProtocolError

SOAP_1_1: Final = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_1_2: Final = "http://www.w3.org/2003/05/soap-envelope"
_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
MAX_DEPTH = 64  # of parameters, and of elements of an answer

# Namespaces in XML: an NCName. Letters beyond ASCII are let through as they are.
_NAME = re.compile(r"[A-Za-z_\u00c0-\ufffd][\w.\-]*")
# RFC 3986: what no URI has.
_NO_URI = re.compile(r'[\x00-\x20<>"{}|\\^`\x7f]')
# XML 1.0 §2.2: characters that no document can have, not even escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Style:
    """How a body is written: what the sites and versions of a service differ in.

    `alias`: prefix of the operation's namespace. `is_on_envelope`: whether that is declared on
    the envelope, else on the operation. `are_parameters_qualified`: whether parameters have the
    prefix too. `header`: XML inside soap:Header, well-formed by itself.
    """

    alias: str = "oper"
    is_on_envelope: bool = False
    are_parameters_qualified: bool = False
    header: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A refusal. `detail`: None, a text, or a tree of what it holds."""

    code: str
    string: str
    detail: Any = None

    def as_dict(self) -> dict[str, Any]:
        """Return {code, string, detail}."""
        return {"code": self.code, "string": self.string, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class SoapAnswer:
    """What a body holds: an element with its content, or a fault.

    Elements become members, repeated ones a list, leaves texts; xsi:nil is None. Prefixes and
    attributes are left out. `notes`: in what the message is not as SOAP wants it.
    """

    element: str
    returned: Any
    fault: Fault | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return {element, returned}, or {element, fault}."""
        if self.fault is not None:
            return {"element": self.element, "fault": self.fault.as_dict()}
        return {"element": self.element, "returned": self.returned}


def build(operation: str, namespace: str, parameters: Mapping[str, Any], style: Style) -> bytes:
    """Return the envelope of a request; parameters stay in their order.

    A parameter is a scalar, null (xsi:nil is not used: an empty element), an object (elements in
    an element) or an array (the element repeated).
    Errors: LocalProtocolError with the parameter's path.
    """
    _check_name(operation, "operation")
    prefix = f"{style.alias}:" if namespace else ""
    if _NO_URI.search(namespace):
        raise LocalProtocolError(f"{namespace!r} is no URI", path="namespace")
    declared = f" xmlns:{style.alias}={quoteattr(_checked(namespace, 'namespace'))}"
    on_envelope = declared if namespace and style.is_on_envelope else ""
    on_operation = declared if namespace and not style.is_on_envelope else ""
    inner = prefix if style.are_parameters_qualified else ""
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<soap:Envelope xmlns:soap="{SOAP_1_1}"{on_envelope}>'
    ]
    if style.header:
        parts.append(f"<soap:Header>{style.header}</soap:Header>")
    parts.append(f"<soap:Body><{prefix}{operation}{on_operation}>")
    _add_members(parts, inner, parameters, "parameters", 0)
    parts.append(f"</{prefix}{operation}></soap:Body></soap:Envelope>")
    return "".join(parts).encode()


def _add_members(
    parts: list[str], prefix: str, members: Mapping[str, Any], path: str, depth: int
) -> None:
    if depth > MAX_DEPTH:
        raise LocalProtocolError(f"deeper than {MAX_DEPTH} levels", path=path)
    for name, value in members.items():
        where = f"{path}.{name}"
        _check_name(name, where)
        tag = prefix + name
        for item in value if isinstance(value, list) else [value]:
            if item is None:
                parts.append(f"<{tag}/>")
                continue
            parts.append(f"<{tag}>")
            if isinstance(item, Mapping):
                _add_members(parts, prefix, item, where, depth + 1)
            else:
                parts.append(escape(_scalar(item, where)))
            parts.append(f"</{tag}>")


def _scalar(value: Any, path: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        raise LocalProtocolError("an array in an array has no form in XML", path=path)
    if isinstance(value, float):
        return f"{value:.15g}"  # as expressions write numbers: 0.3, 5
    return _checked(value if isinstance(value, str) else str(value), path)


def _checked(text: str, path: str) -> str:
    found = _NO_XML.search(text)
    if found:
        raise LocalProtocolError(f"XML can't carry the character {found.group()!r}", path=path)
    return text


def _check_name(name: str, path: str) -> None:
    if not _NAME.fullmatch(name):
        raise LocalProtocolError(f"{name!r} is no name of an element", path=path)


def header_problem(template: str) -> str:
    """Return what is wrong with the XML of a header, "" if it is well-formed."""
    try:
        etree.fromstring(f"<h>{template}</h>", _parser())
    except etree.XMLSyntaxError as error:
        return f"is not well-formed: {error.msg}"
    return ""


def filled(template: str, username: str, password: str) -> str:
    """Return a header template with {username} and {password} put in, escaped."""
    return template.replace("{username}", escape(username)).replace("{password}", escape(password))


# -- answers ----------------------------------------------------------------------------------


def parse(octets: bytes) -> SoapAnswer:
    """Return what an envelope says. Errors: RemoteProtocolError for what is none."""
    body, notes = _body(octets)
    first, *others = [*_elements(body)] or [None]
    if first is None:
        return SoapAnswer("", None, notes=tuple(notes))
    if not _is_fault(first, body):
        if any(_is_fault(other, body) for other in others):
            notes.append("a Fault stands behind another element")
        return SoapAnswer(_local(first), _tree(first, 0), notes=tuple(notes))
    if others:
        notes.append("a Fault is not alone in the Body")
    fault = _fault(first, notes)
    return SoapAnswer("Fault", None, fault, tuple(notes))


def read(octets: bytes) -> SoapAnswer:
    """Return what an envelope says; of what is none nothing but the notes that say so."""
    try:
        return parse(octets)
    except RemoteProtocolError as error:
        return SoapAnswer("", None, notes=(str(error),))


def _is_fault(element: etree._Element, body: etree._Element) -> bool:
    return _local(element) == "Fault" and _namespace(element) == _namespace(body)


def parse_request(octets: bytes) -> tuple[str, dict[str, Any]]:
    """Return operation and parameters of a request. Errors: RemoteProtocolError."""
    answer = parse(octets)
    if answer.fault is not None or not answer.element:
        raise RemoteProtocolError("no operation in the body")
    return answer.element, answer.returned if isinstance(answer.returned, dict) else {}


def _body(octets: bytes) -> tuple[etree._Element, list[str]]:
    """Return the Body, and what is wrong around it by SOAP 1.1 or 1.2."""
    try:
        root = etree.fromstring(octets, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        words = getattr(error, "msg", None) or error
        raise RemoteProtocolError(f"the message is no XML: {words}") from None
    if root.getroottree().docinfo.doctype:
        raise RemoteProtocolError("the message has a document type, which SOAP forbids")
    namespace = _namespace(root)
    if _local(root) != "Envelope" or namespace not in (SOAP_1_1, SOAP_1_2):
        raise RemoteProtocolError(f"the message is no SOAP envelope but {_local(root)!r}")
    body = root.find(f"{{{namespace}}}Body")
    if body is None:
        raise RemoteProtocolError("the envelope has no Body")
    names = [str(child.tag) for child in _elements(root)]
    notes = []
    for name in ("Header", "Body"):
        count = names.count(f"{{{namespace}}}{name}")
        if count > 1:
            notes.append(f"the envelope has {count} elements {name}")
    if names[: names.index(body.tag)] not in ([], [f"{{{namespace}}}Header"]):
        notes.append("before the Body stands more than the Header")
    behind = names[names.index(body.tag) + 1 :]
    # SOAP 1.1 allows elements of other namespaces there, SOAP 1.2 none.
    is_strange = any(_is_envelopes(name, namespace) for name in behind if name != body.tag)
    if is_strange or (behind and namespace == SOAP_1_2):
        notes.append("behind the Body stands what must not be there")
    if "".join(text or "" for text in (root.text, *(child.tail for child in root))).strip():
        notes.append("the envelope has text of its own")
    return body, notes


def _is_envelopes(name: str, namespace: str) -> bool:
    return not name.startswith("{") or name.startswith(f"{{{namespace}}}")


def _parser() -> etree.XMLParser:
    # A parser of its own for each document: one keeps the error log of the last.
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _elements(parent: etree._Element) -> Any:
    """Yield the elements in an element; entity references that were left alone are none."""
    return (child for child in parent if isinstance(child.tag, str))


def _local(element: etree._Element) -> str:
    return str(etree.QName(element).localname)


def _namespace(element: etree._Element) -> str:
    return str(etree.QName(element).namespace or "")


def _tree(element: etree._Element, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise RemoteProtocolError(f"the message is deeper than {MAX_DEPTH} elements")
    children = list(_elements(element))
    if not children:
        is_nil = element.get(_NIL) in ("true", "1")
        return None if is_nil else element.text or ""
    found: dict[str, Any] = {}
    repeated: set[str] = set()
    for child in children:
        name, value = _local(child), _tree(child, depth + 1)
        if name not in found:
            found[name] = value
        elif name in repeated:
            found[name].append(value)
        else:
            repeated.add(name)
            found[name] = [found[name], value]
    return found


_FAULT_1_1 = frozenset({"faultcode", "faultstring", "faultactor", "detail"})
_FAULT_1_2 = frozenset({"Code", "Reason", "Node", "Role", "Detail"})


def _fault(element: etree._Element, notes: list[str]) -> Fault:
    """Return a fault; its members are those of SOAP 1.1 or 1.2."""
    is_1_2 = _namespace(element) == SOAP_1_2
    names = [_local(child) for child in _elements(element)]
    needed = ("Code", "Reason") if is_1_2 else ("faultcode", "faultstring")
    notes += [f"the Fault has no {name}" for name in needed if name not in names]
    for name in sorted(set(names)):
        if name not in (_FAULT_1_2 if is_1_2 else _FAULT_1_1):
            notes.append(f"the Fault has a member {name}")
        elif names.count(name) > 1:
            notes.append(f"the Fault has {names.count(name)} members {name}")
    tree = _tree(element, 0)
    members = tree if isinstance(tree, dict) else {}
    if "Code" in members or "Reason" in members:  # SOAP 1.2
        code, reason = members.get("Code"), members.get("Reason")
        code = code.get("Value") if isinstance(code, dict) else code
        reason = reason.get("Text") if isinstance(reason, dict) else reason
        return Fault(_text(code), _text(reason), members.get("Detail"))
    return Fault(
        _text(members.get("faultcode")),
        _text(members.get("faultstring")),
        members.get("detail"),
    )


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = value[0]
    return value.strip() if isinstance(value, str) else ""
