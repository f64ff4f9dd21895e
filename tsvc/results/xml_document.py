"""XML as text, from elements whose texts may hold anything."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tsvc.results.shown import printable


def element(parent: Element | None, name: str, text: str = "", /, **attributes: object) -> Element:
    """Return a new element below `parent`; what XML has no place for is escaped as \\xNN."""
    cleaned = {key: clean(str(value)) for key, value in attributes.items()}
    made = Element(name, cleaned) if parent is None else SubElement(parent, name, cleaned)
    made.text = clean(text) or None
    return made


def document(root: Element) -> str:
    """Return the whole document, indented, with its declaration."""
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def clean(text: str) -> str:
    """Return text without control characters; its lines stay."""
    return "\n".join(printable(line) for line in text.split("\n"))
