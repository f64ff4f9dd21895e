"""Reading of N2SVCD files: the applications, and their values."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, NoReturn
from xml.parsers import expat

from tsvc.values import dataclass

# XML as a tree with line numbers. No document types, no entities, no network.


MAX_OCTETS = 16 * 1024 * 1024
MAX_DEPTH = 50


class XmlError(Exception):
    """The document can't be read; `line` counts from 1, 0 if the problem is of no single line."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}" if line else text)
        self.line = line
        self.text = text


@dataclass(slots=True)
class Element:
    """An element; `text` is its own stripped text, without the texts of its children."""

    name: str
    line: int
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> Iterator["Element"]:
        """Yield the children of that name."""
        return (child for child in self.children if child.name == name)

    def first(self, name: str) -> "Element | None":
        """Return the first child of that name."""
        return next(self.all(name), None)

    def members(self) -> dict[str, str]:
        """Return members by name; each may be an attribute, or a child without children."""
        leaves = {child.name: child.text for child in self.children if not child.children}
        return {**leaves, **self.attributes}


def read_xml(octets: bytes) -> Element:
    """Return the root element. Errors: XmlError."""
    if len(octets) > MAX_OCTETS:
        raise XmlError(0, f"the file is larger than {MAX_OCTETS} octets")
    parser = expat.ParserCreate()
    stack: list[Element] = []
    roots: list[Element] = []

    def refuse(*_: object) -> NoReturn:
        raise XmlError(parser.CurrentLineNumber, "document types and entities are not read")

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) >= MAX_DEPTH:
            raise XmlError(parser.CurrentLineNumber, f"more than {MAX_DEPTH} elements deep")
        element = Element(name, parser.CurrentLineNumber, attributes)
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def end(_: str) -> None:
        element = stack.pop()
        element.text = element.text.strip()

    def text(data: str) -> None:
        stack[-1].text += data

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    try:
        parser.Parse(octets, True)
    except expat.ExpatError as error:
        raise XmlError(error.lineno, expat.ErrorString(error.code)) from None
    return roots[0]


_TRUE = frozenset({"1", "y", "yes", "on", "t", "true"})
_FALSE = frozenset({"0", "n", "no", "off", "f", "false"})

Read = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Given:
    """The value of a parameter, and its line."""

    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Note:
    """A note about a setting of the file that is missing or different in tsvc's configuration."""

    line: int
    place: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.place}: {self.text}"


@dataclass(frozen=True, slots=True)
class Source:
    """One `<application>`."""

    name: str
    module: str
    line: int
    attributes: Mapping[str, str]
    parameters: Mapping[str, Given]
    config: Element | None

    def value(self, name: str) -> str:
        """Return the value of a parameter, empty if it is not given."""
        given = self.parameters.get(name)
        return given.value if given else ""

    def configured(self, *names: str) -> Iterator[Element]:
        """Yield elements of `config`, such as ("routes", "route")."""
        found = [self.config] if self.config is not None else []
        for name in names:
            found = [child for element in found for child in element.all(name)]
        return iter(found)


@dataclass(slots=True)
class Target:
    """The result for an application: a table, and notes about settings that are not in it.

    `module` empty: there is no table.
    """

    source: Source
    module: str
    members: dict[str, Any] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def note(self, line: int, what: str, text: str) -> None:
        """Note that a setting is not converted, or is changed."""
        self.notes.append(Note(line, f"{self.source.name}: {what}", text))

    def put(self, name: str, given: Given, what: str, read: Read) -> None:
        """Set a member; a value that can't be read is noted instead."""
        try:
            self.members[name] = read(given.value)
        except ValueError as error:
            self.note(given.line, what, str(error))


def read_applications(root: Element) -> list[Source]:
    """Return the applications of a document. Errors: XmlError."""
    if root.name != "n2svcd":
        raise XmlError(root.line, f"<{root.name}> is no N2SVCD configuration, that is <n2svcd>")
    return [
        _source(element)
        for holder in root.all("applications")
        for element in holder.all("application")
    ]


def _source(element: Element) -> Source:
    name, module = (element.attributes.get(key, "") for key in ("name", "module"))
    if not name or not module:
        raise XmlError(element.line, "an application without name or module")
    parameters: dict[str, Given] = {}
    for holder in element.all("parameters"):
        for child in holder.children:
            key = child.attributes.get("name", "") if child.name == "parameter" else child.name
            if not key:
                raise XmlError(child.line, "a parameter without name")
            if key in parameters:
                raise XmlError(child.line, f"{key} is given on line {parameters[key].line} too")
            parameters[key] = Given(child.attributes.get("value", child.text), child.line)
    return Source(
        name, module, element.line, element.attributes, parameters, element.first("config")
    )


# -- values ------------------------------------------------------------------------------------


def text(value: str) -> str:
    """Return a text unchanged."""
    return value


def integer(value: str) -> int:
    """Return a whole number. Errors: ValueError."""
    try:
        return int(value.strip())
    except ValueError:
        raise ValueError(f"{value!r} is no whole number") from None


def number(value: str) -> float:
    """Return a number. Errors: ValueError."""
    try:
        return float(value.strip())
    except ValueError:
        raise ValueError(f"{value!r} is no number") from None


def boolean(value: str) -> bool:
    """Return a boolean in any of N2SVCD's spellings. Errors: ValueError."""
    word = value.strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise ValueError(f"{value!r} is neither yes nor no")
