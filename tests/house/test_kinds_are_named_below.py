"""The core names no kind of gateway: what it needs to know of one it asks the registry for."""

import ast
from collections.abc import Iterator
from functools import cache

from house.source import imports_of, modules, tree_of

from tsvc.kind import kinds

# Rooms that may name kinds: the kinds themselves, what they speak, what writes their manuals, and
# what turns somebody else's configuration into theirs.
FREE = ("tsvc.kinds", "tsvc.protocols", "tsvc.reference", "tsvc.import_n2")
# What types of operations begin with, beside the names of kinds.
PREFIXES = ("inap.", "map.", "tcap.", "ocncc.")

# Elsewhere, with the reason.
ALLOWED = {
    ("tsvc.engine.description_schema", "sigtran"): "an example of an answer",
    ("tsvc.engine.gateways", "tsvc.kinds.outside.loading"): "classes from outside are no kind",
    ("tsvc.commands.flow", "tsvc.kinds.sigtran.fake"): "`tsvc flow call` is an SSP",
    ("tsvc.commands.osd", "osd"): "`tsvc osd describe` is a command",
    ("tsvc.commands.osd", "tsvc.kinds.osd.wsdl"): "what it reads a WSDL with",
}


def kinds_named_in(module: str) -> Iterator[str]:
    """Yield the literals and the modules by which a module names kinds."""
    tree = tree_of(modules()[module])
    prose = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in prose and names_a_kind(node.value):
            yield node.value
    sources = {source for source, _ in imports_of(modules()[module])}
    yield from (source for source in sources if source.startswith("tsvc.kinds."))


def names_a_kind(text: str) -> bool:
    """Return whether a text is the name of a kind, or begins as its types and labels do."""
    beginnings = (*PREFIXES, *(f"{name}{mark}" for name in kinds() for mark in "._"))
    return text in kinds() or text.startswith(beginnings)


@cache
def named() -> set[tuple[str, str]]:
    places = [
        name for name in modules() if not f"{name}.".startswith(tuple(f"{x}." for x in FREE))
    ]
    return {(module, found) for module in places for found in kinds_named_in(module)}


def test_nothing_else_names_a_kind() -> None:
    assert sorted(named() - ALLOWED.keys()) == []


def test_every_exception_is_one() -> None:
    assert sorted(ALLOWED.keys() - named()) == []


def test_what_names_a_kind() -> None:
    texts = ("sigtran", "db_hlr", "map.", "pi.Request", "the map", "rest of it", "pinned")
    assert [names_a_kind(text) for text in texts] == [True] * 4 + [False] * 3
