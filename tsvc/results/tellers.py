"""Tellers that the tables of all protocols are made of.

A teller looks at one place of decoded arguments and says nothing where it finds nothing.
"""

from collections.abc import Callable
from typing import Any

Tree = dict[str, Any]
Teller = Callable[[Tree], list[str]]


def at(tree: Any, path: str) -> Any:
    """Return what is at a dotted path, None if the way there does not exist."""
    for key in path.split("."):
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def fact(label: str, path: str, unit: str = "") -> Teller:
    """Tell the value at a path as `label value unit`."""

    def teller(tree: Tree) -> list[str]:
        value = at(tree, path)
        return [] if value is None else [f"{label} {value} {unit}".strip()]

    return teller


def flag(text: str, path: str, value: int = 1) -> Teller:
    """Tell a text if a flag has a value."""
    return lambda tree: [text] if at(tree, path) == value else []
