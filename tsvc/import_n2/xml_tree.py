"""XML as a tree that knows its lines. No document types, no entities, no network."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

MAX_OCTETS = 16 * 1024 * 1024
MAX_DEPTH = 50


class XmlError(Exception):
    """The document can't be read; `line` counts from 1, 0 if none is to blame."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}" if line else text)
        self.line = line
        self.text = text


@dataclass(slots=True)
class Element:
    """An element; `text` is its own, without that of its children, stripped."""

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
        """Return attributes and children without children of their own: two ways of writing."""
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
