"""The core names no kind of gateway: it asks the registry for everything about a kind."""

import ast
from collections.abc import Iterator
from functools import cache

from house.source import imports_of, modules, tree_of

from tsvc.kind import kinds

# Packages that may name kinds: the kinds themselves, their protocols, the generator of their
# manuals, and the import of another tool's configuration.
FREE = ("tsvc.kinds", "tsvc.protocols", "tsvc.docs_generator", "tsvc.import_n2")
# Beginnings of operation types, in addition to the names of kinds.
PREFIXES = ("inap.", "map.", "tcap.", "ocncc.")

# Exceptions in other modules, with the reason.
ALLOWED = {
    ("tsvc.engine.description_schema", "sigtran"): "an example of an answer",
    (
        "tsvc.engine.gateway_table",
        "tsvc.kinds.outside.loading",
    ): "classes from outside are no kind",
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
    """Return True if a text is the name of a kind, or begins like its types and labels."""
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
