"""Facts of a decoded argument or result: short texts that show a reader what happened.

An Operation declares its facts (tsvc.protocols.ros); ladders show them below its arrow. A Fact
reads one path of the decoded dict and returns no text if nothing is there, so it works with dicts
of any shape. Never raises.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tsvc.protocols.asn1 import Tree

Fact = Callable[[Tree], list[str]]

_MOST = 8  # texts about an operation that declares no facts


def texts_of(facts: Iterable[Fact], tree: Tree) -> list[str]:
    """Return the texts of all facts, in their order."""
    return [text for fact_ in facts for text in fact_(tree)]


def at(tree: Any, path: str) -> Any:
    """Return the value at a dotted path, None if the path does not exist."""
    for key in path.split("."):
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def fact(label: str, path: str, unit: str = "") -> Fact:
    """Return the fact `label value unit` of the value at a path."""

    def texts(tree: Tree) -> list[str]:
        value = at(tree, path)
        return [] if value is None else [f"{label} {value} {unit}".strip()]

    return texts


def flag(text: str, path: str, value: int = 1) -> Fact:
    """Return a fact with a fixed text, which is shown if the flag at a path has a value."""
    return lambda tree: [text] if at(tree, path) == value else []


def anything(tree: Tree) -> list[str]:
    """Return the first leaves as texts: the facts of an operation that declares none."""
    found = []
    for text in _leaves(tree):
        found.append(text)
        if len(found) == _MOST:
            return [*found, "..."]
    return found


def _leaves(tree: Tree) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value)
        elif isinstance(value, list):
            for item in value:
                yield from _leaves(item if isinstance(item, dict) else {key: item})
        elif not _has_better_form(tree, key):
            yield f"{_label(key)} {value}"


def _label(key: str) -> str:
    for suffix in ("_digits", "_cause", "_name", "_hex"):
        key = key.removesuffix(suffix) or key
    return key


def _has_better_form(tree: Tree, key: str) -> bool:
    """Return True if another key has the same value in a more readable form."""
    base = key.rpartition("_")[0]
    stem = base.removesuffix("_diagnostics")
    better = (f"{key}_name", f"{stem}_digits", f"{stem}_cause", f"{base}_name")
    return any(name in tree and name != key for name in better)
