"""Envelopes of requests, by template."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from lxml import etree  # type: ignore[import-untyped]  # it ships no stubs

from tsvc.errors import LocalProtocolError
from tsvc.protocols.soap.elements import ENVELOPES, MAX_DEPTH, NAME, PREFIXED, XML, XSI, parser
from tsvc.values import dataclass
from tsvc.words import quoted

# Predefined prefixes, by version; names that begin with xml are reserved for the W3C.
_PREFIXES: Final = {
    version: {"soap": uri, "xsi": XSI, "xml": XML} for version, uri in ENVELOPES.items()
}
_XMLNS: Final = "http://www.w3.org/2000/xmlns/"
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
# RFC 3986: characters that no URI has.
_NO_URI = re.compile(r'[\x00-\x20<>"{}|\\^`\x7f]')
# XML 1.0 §2.2: characters that no document can have, not even escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a body, which differs between the sites and versions of a service.

    `alias`: prefix of the operation's namespace. `is_on_envelope`: True if it is declared on the
    envelope, False on the operation. `are_parameters_qualified`: True if parameters have the
    prefix too. `header`: XML inside soap:Header, well-formed by itself. `version`: of SOAP.
    `is_null_nil`: null becomes an element with xsi:nil, otherwise an empty element.
    """

    alias: str = "oper"
    is_on_envelope: bool = False
    are_parameters_qualified: bool = False
    header: str = ""
    version: str = "1.1"
    is_null_nil: bool = False


def build(
    operation: str,
    namespace: str,
    parameters: Mapping[str, Any],
    style: Style,
    namespaces: Mapping[str, str] = _NOTHING,
    headers: Mapping[str, Any] = _NOTHING,
) -> bytes:
    """Return the envelope of a request; parameters stay in their order.

    A parameter is a scalar, null, an object (elements in an element) or an array (the element
    repeated). Null becomes an empty element, or xsi:nil by the style. In an object `@NAME` is an
    attribute, which is left out if null, and `#text` is the text beside attributes or elements. At
    the level of `parameters` they belong to the operation. Names may have a prefix of
    `namespaces`, which the envelope declares, or `soap`, `xsi` or `xml`. `headers`: header blocks,
    whose names must have a prefix.
    Errors: LocalProtocolError with the parameter's path.
    """
    _check_name(operation, "operation")
    prefix = f"{style.alias}:" if namespace else ""
    _check_uri(namespace, "namespace")
    declared = f" xmlns:{style.alias}={quoteattr(namespace)}"
    on_envelope = declared if namespace and style.is_on_envelope else ""
    on_operation = declared if namespace and not style.is_on_envelope else ""
    if namespaces:
        on_envelope += _declarations(namespaces, style.alias if namespace else "")
    prefixes = _PREFIXES[style.version]
    soap = prefixes["soap"]
    if namespaces:
        prefixes = {**namespaces, **prefixes}
    writer = _Writer(prefixes, is_null_nil=style.is_null_nil)
    header = style.header
    if headers:
        header += _blocks(headers, writer)
    writer.add_members(
        prefix if style.are_parameters_qualified else "", parameters, "parameters", 0
    )
    body = writer.take()
    on_operation += writer.attributes(parameters, "parameters")
    if writer.is_xsi_used:
        on_envelope += f' xmlns:xsi="{XSI}"'
    if header:
        header = f"<soap:Header>{header}</soap:Header>"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<soap:Envelope xmlns:soap="{soap}"{on_envelope}>{header}'
        f"<soap:Body><{prefix}{operation}{on_operation}>{body}</{prefix}{operation}></soap:Body>"
        "</soap:Envelope>"
    ).encode()


def _blocks(headers: Mapping[str, Any], writer: "_Writer") -> str:
    for name in headers:
        found = PREFIXED.fullmatch(name)
        if found is None or found[1] is None:  # SOAP requires a namespace
            raise LocalProtocolError("a header block must have a prefix", path=f"headers.{name}")
    writer.add_members("", headers, "headers", 0)
    return writer.take()


def _declarations(namespaces: Mapping[str, str], alias: str) -> str:
    for prefix, uri in namespaces.items():
        path = f"namespaces.{prefix}"
        if not NAME.fullmatch(prefix):
            raise LocalProtocolError(f"{quoted(prefix)} is no prefix", path=path)
        if prefix in ("soap", "xsi", alias) or prefix.lower().startswith("xml"):
            raise LocalProtocolError("has a meaning of its own", path=path)
        # Namespaces in XML: these two can't be declared, and a prefix needs a namespace.
        if not isinstance(uri, str) or uri in ("", XML, _XMLNS):
            raise LocalProtocolError("must be the URI of a namespace", path=path)
        _check_uri(uri, path)
    return "".join(f" xmlns:{prefix}={quoteattr(uri)}" for prefix, uri in namespaces.items())


class _Writer:
    """Writes elements with their content; `namespaces`: URIs by the allowed prefixes."""

    def __init__(self, namespaces: Mapping[str, str], *, is_null_nil: bool) -> None:
        self._namespaces = namespaces
        self._is_null_nil = is_null_nil
        self._parts: list[str] = []
        self.is_xsi_used = False

    def take(self) -> str:
        """Return the text that was written since the last call."""
        text = "".join(self._parts)
        self._parts.clear()
        return text

    def add_members(self, prefix: str, members: Mapping[str, Any], path: str, depth: int) -> None:
        """Write the elements of an object; `prefix`: such as "oper:", for names without one."""
        if depth > MAX_DEPTH:
            raise LocalProtocolError(f"deeper than {MAX_DEPTH} levels", path=path)
        parts = self._parts
        for name, value in members.items():
            where = f"{path}.{name}"
            if name[:1] == "@":
                continue  # written with its element
            if name == "#text":
                if value is not None:
                    parts.append(escape(_scalar(value, where)))
                continue
            tag = self._named(name, prefix, where)
            for item in value if isinstance(value, list) else [value]:
                if item is None:
                    self.is_xsi_used |= self._is_null_nil
                    parts.append(f'<{tag} xsi:nil="true"/>' if self._is_null_nil else f"<{tag}/>")
                    continue
                if isinstance(item, Mapping):
                    parts.append(f"<{tag}{self.attributes(item, where)}>")
                    self.add_members(prefix, item, where, depth + 1)
                else:
                    parts.append(f"<{tag}>")
                    parts.append(escape(_scalar(item, where)))
                parts.append(f"</{tag}>")

    def attributes(self, members: Mapping[str, Any], path: str) -> str:
        """Return the attributes of an object, as text for its start tag."""
        texts: list[str] = []
        known: set[tuple[str, str]] = set()
        for name, value in members.items():
            if name[:1] != "@" or value is None:
                continue
            where = f"{path}.{name}"
            if isinstance(value, Mapping | list):
                raise LocalProtocolError("an attribute is a text, number or boolean", path=where)
            own = self._named(name[1:], "", where)
            space, _, local = own.rpartition(":")
            whole = (self._namespaces.get(space, ""), local)
            if whole in known:
                raise LocalProtocolError("the element has this attribute twice", path=where)
            if own == "xmlns":
                raise LocalProtocolError("namespaces are declared in `namespaces`", path=where)
            known.add(whole)
            texts.append(f" {own}={_quoted(_scalar(value, where))}")
        return "".join(texts)

    def _named(self, name: str, prefix: str, path: str) -> str:
        if NAME.fullmatch(name):
            return prefix + name
        found = PREFIXED.fullmatch(name)
        if not found:
            raise LocalProtocolError(f"{quoted(name)} is no name of an element", path=path)
        own = found[1]
        if own not in self._namespaces:
            raise LocalProtocolError(f"the prefix {quoted(own)} is not in `namespaces`", path=path)
        self.is_xsi_used |= own == "xsi"
        return name


def _quoted(text: str) -> str:
    # Unescaped, a parser would read these characters as spaces (XML 1.0 §3.3.3).
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _check_uri(uri: str, path: str) -> None:
    if _NO_URI.search(uri):
        raise LocalProtocolError(f"{quoted(uri)} is no URI", path=path)
    _checked(uri, path)


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
        raise LocalProtocolError(
            f"XML can't carry the character {quoted(found.group())}", path=path
        )
    return text


def _check_name(name: str, path: str) -> None:
    if not NAME.fullmatch(name):
        raise LocalProtocolError(f"{quoted(name)} is no name of an element", path=path)


def header_problem(template: str) -> str:
    """Return the error in the XML of a header, "" if it is well-formed."""
    try:
        etree.fromstring(f"<h>{template}</h>", parser())
    except etree.XMLSyntaxError as error:
        return f"is not well-formed: {error.msg}"
    return ""


def filled(template: str, username: str, password: str) -> str:
    """Return a header template with {username} and {password} replaced by escaped values."""
    values = {"{username}": escape(username), "{password}": escape(password)}
    # In one pass: a user name may itself contain {password}.
    return re.sub(r"\{username\}|\{password\}", lambda found: values[found[0]], template)
