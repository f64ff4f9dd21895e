"""Reads the services of a WSDL with zeep, and makes entries of definitions from them.

For tools that run in a process of their own: reading blocks, for files and on request for the
network. The daemon reads no WSDL. Documents with a document type are refused, so that there
are no entities. Start with `read`.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

from lxml import etree  # type: ignore[import-untyped]  # it ships no stubs

from tsvc.errors import reason
from tsvc.values import dataclass
from tsvc.words import did_you_mean, needs_packages, quoted

_FETCH_TIMEOUT_S = 10.0
_MOST_OCTETS = 16 << 20
_DEEPEST = 24  # of parameters: some types contain themselves
_XSD = "{http://www.w3.org/2001/XMLSchema}"
_WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
_REFERENCES = ("message", "element", "type", "base", "ref", "binding")
_QNAME = re.compile(r"\{([^}]*)\}([^\s'\"<>{}]+)")

# Sample values by the name of a type in XML Schema; types derived from it use the same.
_SAMPLES: dict[str, Any] = {
    "boolean": True,
    "negativeInteger": -1,
    "nonPositiveInteger": -1,
    "integer": 1,
    "decimal": "1.0",
    "float": "1.0",
    "double": "1.0",
    "date": "2026-01-31",
    "dateTime": "2026-01-31T12:00:00Z",
    "time": "12:00:00",
    "duration": "PT1H",
    "gYearMonth": "2026-01",
    "gYear": "2026",
    "gMonthDay": "--01-31",
    "gDay": "---31",
    "gMonth": "--01",
    "hexBinary": "00",
    "base64Binary": "AA==",
    "anyURI": "urn:example",
    "language": "en",
}
_DEFAULT_SAMPLE = "text"


class WsdlProblem(Exception):
    """A WSDL can't be read, or does not have what is asked for: the place and the reason."""


@dataclass(frozen=True, slots=True)
class Node:
    """An element or attribute: its name, its namespace ("" for none), and its members.

    `sample`: of its text; None if it has elements only. `members`: attributes first. `is_cut`: the
    node is inside another node of the same type, so its members are not listed again.
    """

    name: str
    namespace: str
    type: str
    sample: Any = None
    is_attribute: bool = False
    is_optional: bool = False
    is_repeated: bool = False
    is_nillable: bool = False
    is_cut: bool = False
    values: tuple[str, ...] = ()
    members: tuple["Node", ...] = ()


@dataclass(frozen=True, slots=True)
class WsdlOperation:
    """An operation of a port. `output` is None if the operation is not answered."""

    name: str
    action: str
    style: str
    input: Node
    headers: tuple[Node, ...]
    output: Node | None
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Port:
    """The address of a service and its version of SOAP."""

    service: str
    name: str
    version: str
    address: str
    operations: tuple[WsdlOperation, ...] = field(default=())


def read(
    location: str, *, may_fetch: bool = False, tell: Callable[[str], None] = lambda text: None
) -> list[Port]:
    """Return the SOAP ports of a WSDL: a file, or with `may_fetch` a URL of http or https.

    `tell` is called with each part that can't be used and was left out, with its place.
    Blocks: for files, and 10 s for each document that is fetched. Errors: WsdlProblem.
    """
    try:
        from zeep import Settings
        from zeep.wsdl import Document
    except ImportError:
        raise WsdlProblem(needs_packages("zeep")) from None
    documents = _Documents(may_fetch)
    settings = Settings(forbid_dtd=True, forbid_entities=True, forbid_external=False)
    with warnings.catch_warnings(record=True) as left_out:
        warnings.simplefilter("always", UserWarning)
        try:
            # zeep annotates a class here, but uses only its load().
            wsdl = Document(location, documents, settings=settings)  # type: ignore[arg-type]
            ports = [
                _port(service.name, port, documents)
                for service in wsdl.services.values()
                for port in service.ports.values()
                if hasattr(port.binding, "nsmap")  # only bindings of SOAP have it
            ]
        except WsdlProblem:
            raise
        except Exception as error:  # noqa: BLE001 - zeep raises whatever a document makes it
            raise WsdlProblem(documents.place_of(error, location)) from None
    for warning in left_out:
        tell(documents.place_of(warning.message, location))
    if not ports:
        raise WsdlProblem(f"{location}: there is no service with a port of SOAP in it")
    return ports


class _Documents:
    """Loads documents for zeep, and stores them so that a problem can be located."""

    def __init__(self, may_fetch: bool) -> None:
        self._may_fetch = may_fetch
        self._loaded: dict[str, etree._Element] = {}

    def load(self, location: str) -> bytes:
        """Return the octets of a document. Errors: WsdlProblem."""
        parts = urlsplit(location)
        octets: bytes
        try:
            if parts.scheme in ("http", "https"):
                if not self._may_fetch:
                    raise WsdlProblem(f"{location}: nothing is fetched without --fetch")
                with urlopen(location, timeout=_FETCH_TIMEOUT_S) as answer:
                    octets = answer.read(_MOST_OCTETS + 1)
            else:  # zeep reads every other scheme but file as a path
                path = unquote(parts.path) if parts.scheme else location
                with Path(path).open("rb") as file:
                    octets = file.read(_MOST_OCTETS + 1)
        except OSError as error:  # those of urllib are OSErrors
            raise WsdlProblem(f"{location}: {reason(error)}") from None
        except ValueError as error:
            raise WsdlProblem(f"{location}: {error}") from None
        if len(octets) > _MOST_OCTETS:
            raise WsdlProblem(f"{location}: longer than {_MOST_OCTETS} octets")
        self._loaded[location] = _checked(octets, location)
        return octets

    def place_of(self, error: Exception | str, location: str) -> str:
        """Return the message of zeep with the document and line that it refers to."""
        text = " ".join(str(error).split()) or type(error).__name__
        name, line = getattr(error, "filename", None), getattr(error, "sourceline", None)
        if name and line:
            return f"{name}:{line}: {text}"
        for space, local in _QNAME.findall(text):
            for place, root in self._loaded.items():
                for element in root.iter(etree.Element):
                    for key in _REFERENCES:
                        prefix, _, own = (element.get(key) or "").rpartition(":")
                        if own == local and (element.nsmap.get(prefix or None) or "") == space:
                            return f"{place}:{element.sourceline}: {text}"
        return f"{[*self._loaded, location][-1]}: {text}"

    def parts_of(self, binding: Any, operation: str) -> list[str] | None:
        """Return the parts that a binding puts into the Body of a request, None if unnamed."""
        for root in self._loaded.values():
            if (root.get("targetNamespace") or "") != (binding.namespace or ""):
                continue
            path = f"{_WSDL}binding[@name='{binding.localname}']/{_WSDL}operation"
            for one in root.iterfind(f"{path}[@name='{operation}']/{_WSDL}input/*"):
                if etree.QName(one).localname == "body" and one.get("parts") is not None:
                    return list(one.get("parts").split())
        return None

    def values_of(self, type_: Any) -> tuple[str, ...]:
        """Return the enumeration of a named simple type, which zeep leaves out."""
        name = type_.qname
        if name is None:
            return ()
        for root in self._loaded.values():
            for schema in root.iter(f"{_XSD}schema"):
                if (schema.get("targetNamespace") or "") != (name.namespace or ""):
                    continue
                for one in schema.iterfind(f"{_XSD}simpleType[@name='{name.localname}']"):
                    return tuple(
                        found.get("value", "")
                        for found in one.iterfind(f"{_XSD}restriction/{_XSD}enumeration")
                    )
        return ()


def _checked(octets: bytes, location: str) -> etree._Element:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False
    )
    try:
        root = etree.fromstring(octets, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise WsdlProblem(f"{location}:{line}:{column}: is no XML: {error.msg}") from None
    if root.getroottree().docinfo.doctype:
        raise WsdlProblem(f"{location}: document types are not read")
    return root


# -- from zeep's objects --------------------------------------------------------------------------


def _port(service: str, port: Any, documents: _Documents) -> Port:
    version = "1.2" if "2003" in port.binding.nsmap["soap-env"] else "1.1"
    operations = tuple(_operation(one, documents) for one in port.binding.all().values())
    return Port(service, port.name, version, port.binding_options.get("address", ""), operations)


def _operation(one: Any, documents: _Documents) -> WsdlOperation:
    make = _Nodes(documents).node
    body = _body(one, documents)
    empty = Node(one.name, "", "")
    output = getattr(one.output, "body", None)
    header = one.input.header
    return WsdlOperation(
        one.name,
        one.soapaction or "",
        one.style,
        empty if body is None else make(body),
        () if header is None else tuple(make(part) for _, part in header.type.elements),
        None if output is None else make(output),
        tuple(one.faults),
    )


def _body(one: Any, documents: _Documents) -> Any:
    """Return the element in the Body; of several parts, the one that the binding puts there."""
    body = one.input.body
    if body is None or body.qname.localname != "Body":
        return body
    names = documents.parts_of(one.binding.name, one.name)
    parts = one.input.abstract.parts
    elements = [part.element for name, part in parts.items() if names is None or name in names]
    if len(elements) != 1:
        place = f"the operation {one.name} of the binding {one.binding.name.localname}"
        raise WsdlProblem(f"{place} has {len(elements)} parts in the Body; one can be sent")
    return elements[0]


class _Nodes:
    """Elements of one operation. A type that contains itself ends where it is repeated."""

    def __init__(self, documents: _Documents) -> None:
        self._documents = documents
        self._above: list[Any] = []

    def node(self, element: Any, is_optional: bool | None = None) -> Node:
        """Return an element; `is_optional` overrides the element's own declaration."""
        type_ = element.type
        return Node(
            element.qname.localname,
            element.qname.namespace or "",
            _type_name(type_),
            is_optional=element.is_optional if is_optional is None else is_optional,
            is_repeated=element.accepts_multiple,
            is_nillable=bool(element.nillable),
            **self._inside(type_),
        )

    def _inside(self, type_: Any) -> dict[str, Any]:
        """Return sample, values and members for a type."""
        from zeep.xsd import ComplexType

        if not isinstance(type_, ComplexType):
            values = self._documents.values_of(type_)
            return {"sample": values[0] if values else _sample(type_), "values": values}
        if type_ in self._above or len(self._above) > _DEEPEST:
            return {"is_cut": True}
        self._above.append(type_)
        try:
            attributes = [
                self._attribute(one)
                for _, one in type_.attributes
                if one.name and one.name != "_value_1"
            ]
            text: Any = None
            choices: tuple[str, ...] = ()
            members = []
            for name, element, is_optional in _first_choices(type_.elements_nested):
                if name == "_value_1":  # the content of a simple type with attributes
                    inner = self._inside(element.type)
                    text, choices = inner.get("sample"), inner.get("values", ())
                else:
                    members.append(self.node(element, is_optional))
        finally:
            self._above.pop()
        return {"sample": text, "values": choices, "members": (*attributes, *members)}

    def _attribute(self, one: Any) -> Node:
        return Node(
            one.qname.localname,
            one.qname.namespace or "",
            _type_name(one.type),
            is_attribute=True,
            is_optional=not one.required,
            **self._inside(one.type),
        )


def _first_choices(
    nested: Any, is_optional: bool | None = None
) -> Iterator[tuple[str, Any, bool | None]]:
    """Yield (name, element, is it optional) in order; of a choice, the first alternative.

    zeep marks all alternatives as optional, so the choice decides. None: the element decides.
    """
    from zeep.xsd import Any as AnyElement
    from zeep.xsd import Choice, Element

    for name, one in nested:
        if isinstance(one, AnyElement):
            continue
        if isinstance(one, Element):
            yield name, one, is_optional
        elif isinstance(one, Choice):
            yield from _first_choices(one.elements_nested[:1], one.min_occurs == 0)
        else:
            yield from _first_choices(one.elements_nested)


def _type_name(type_: Any) -> str:
    """Return the name of a type; "" if it has none, such as a type inside an element."""
    from zeep.xsd import ComplexType

    if type_.qname is not None and type_.is_global:
        return str(type_.qname.localname)
    return "" if isinstance(type_, ComplexType) else _builtin(type_)


def _builtin(type_: Any) -> str:
    """Return the name of the XML Schema type that a simple type is, or is derived from."""
    for one in type(type_).__mro__:
        name = getattr(one, "_default_qname", None)
        if name is not None and "XMLSchema" in (name.namespace or ""):
            return str(name.localname)
    return ""


def _sample(type_: Any) -> Any:
    """Return a value of a simple type: one item of a list, the first type of a union."""
    inner = getattr(type_, "item_type", None) or next(iter(getattr(type_, "item_types", ())), None)
    if inner is not None:
        return _sample(inner)
    for one in type(type_).__mro__:
        name = getattr(one, "_default_qname", None)
        if name is not None and name.localname in _SAMPLES:
            return _SAMPLES[name.localname]
    return _DEFAULT_SAMPLE


# -- for a definition -----------------------------------------------------------------------------


def find(ports: list[Port], operation: str, port: str | None) -> tuple[Port, WsdlOperation]:
    """Return an operation by its name and, if several ports have it, by the name of the port.

    Errors: WsdlProblem.
    """
    wanted = [one for one in ports if port in (None, one.name)]
    if not wanted:
        raise WsdlProblem(
            f"no port {quoted(port)}{did_you_mean(port, [one.name for one in ports])}"
        )
    found = [(one, its) for one in wanted for its in one.operations if its.name == operation]
    if not found:
        known = [its.name for one in wanted for its in one.operations]
        raise WsdlProblem(f"no operation {quoted(operation)}{did_you_mean(operation, known)}")
    if len(found) > 1:
        names = ", ".join(one.name for one, _ in found)
        raise WsdlProblem(f"{operation} is in several ports, name one of them: {names}")
    return found[0]


def entry_of(operation: WsdlOperation, *, with_optional: bool = False) -> dict[str, Any]:
    """Return the entry of a definition that calls an operation, with sample values.

    Optional members are left out, unless `with_optional`. Every name that is in a namespace has a
    prefix, so the gateway needs no `are_parameters_qualified`.
    """
    prefixes = _Prefixes()
    write = _Writer(prefixes, with_optional).members
    parameters = write(operation.input)
    headers = {
        prefixes.named(block.name, block.namespace): _Writer(prefixes, with_optional).value(block)
        for block in operation.headers
    }
    arguments: dict[str, Any] = {"action": operation.action or operation.name}
    if operation.input.namespace:
        arguments["wsdl_url"] = operation.input.namespace
    arguments["operation"] = operation.input.name
    if prefixes.uris:
        arguments["namespaces"] = prefixes.uris
    if headers:
        arguments["headers"] = headers
    arguments["parameters"] = parameters
    return {"type": "osd.Request", "arguments": arguments, "tests": _tests_of(operation.output)}


class _Prefixes:
    """n1, n2, … for namespaces, in the order of their use."""

    def __init__(self) -> None:
        self.uris: dict[str, str] = {}

    def named(self, name: str, namespace: str) -> str:
        if not namespace:
            return name
        for prefix, uri in self.uris.items():
            if uri == namespace:
                return f"{prefix}:{name}"
        prefix = f"n{len(self.uris) + 1}"
        self.uris[prefix] = namespace
        return f"{prefix}:{name}"


class _Writer:
    """Makes the parameters of a definition from nodes."""

    def __init__(self, prefixes: _Prefixes, with_optional: bool) -> None:
        self._named: Callable[[str, str], str] = prefixes.named
        self._with_optional = with_optional

    def members(self, node: Node) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for one in node.members:
            if one.is_optional and (one.is_cut or not self._with_optional):
                continue
            name = self._named(one.name, one.namespace)
            if one.is_attribute:
                found[f"@{name}"] = one.sample
            else:
                found[name] = [self.value(one)] if one.is_repeated else self.value(one)
        return found

    def value(self, node: Node) -> Any:
        members = self.members(node)
        if not node.members:
            return {} if node.sample is None else node.sample
        if node.sample is not None:
            return {**members, "#text": node.sample} if members else node.sample
        return members


def _tests_of(output: Node | None) -> list[dict[str, Any]]:
    """Return a check that the answer belongs to the operation."""
    if output is None:
        return []
    return [{"kpath": "element", "value": output.name}]
