"""Compiles a syntax tree to Python closures. A closure takes the Frame and returns a value.

Each node type can be compiled in four ways: `scalar` (one value), `items` (a new list, Perl's list
context), `condition` (a Python bool), `place` (where to assign). The other modules of this package
fill the tables. Types without own `items` or `condition` are compiled by `scalar`.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from tsvc import turns
from tsvc.expr.environment import SMALL_TEXT, Frame
from tsvc.expr.syntax import Node
from tsvc.expr.values import Value

Run = Callable[[Frame], Value]
RunItems = Callable[[Frame], list[Value]]
RunTest = Callable[[Frame], bool]
# A place is a container and the key in it: a dict and a text, or a list and an index within it.
Place = tuple[Any, Any]
RunPlace = Callable[[Frame], Place]

_SCALARS: dict[type, Callable[[Any], Run]] = {}
_ITEMS: dict[type, Callable[[Any], RunItems]] = {}
_CONDITIONS: dict[type, Callable[[Any], RunTest | None]] = {}

_C = TypeVar("_C", bound=Callable[[Any], Any])

_FALSE = (None, "", 0, "0")


def scalar_of(*types: type) -> Callable[[_C], _C]:
    """Register how node types are compiled to one value."""
    return _adder(_SCALARS, types)


def items_of(*types: type) -> Callable[[_C], _C]:
    """Register how node types are compiled to a list."""
    return _adder(_ITEMS, types)


def condition_of(*types: type) -> Callable[[_C], _C]:
    """Register how node types are compiled to a bool; the compiler may return None to decline."""
    return _adder(_CONDITIONS, types)


def _adder(table: dict[type, Any], types: tuple[type, ...]) -> Callable[[_C], _C]:
    def add(compiler: _C) -> _C:
        for kind in types:
            table[kind] = compiler
        return compiler

    return add


def scalar(node: Node) -> Run:
    """Compile a node to one value."""
    turns.walked()
    return _SCALARS[type(node)](node)


def items(node: Node) -> RunItems:
    """Compile a node to its value in list context."""
    compiler = _ITEMS.get(type(node))
    if compiler is not None:
        turns.walked()
        return compiler(node)
    single = scalar(node)
    return lambda frame: [single(frame)]


def paid(run: Callable[[Frame], Any]) -> Callable[[Frame], Any]:
    """Return a closure that counts the steps to read its value, if that is a long text."""

    def pay(frame: Frame) -> Any:
        value = run(frame)
        if type(value) is str and len(value) > SMALL_TEXT:
            frame.scan(value)
        return value

    return pay


def condition(node: Node) -> RunTest:
    """Compile a node to its truth."""
    compiler = _CONDITIONS.get(type(node))
    special = compiler(node) if compiler is not None else None
    if special is not None:
        return special
    run = scalar(node)
    return lambda frame: run(frame) not in _FALSE


def flattened(nodes: tuple[Node, ...]) -> RunItems:
    """Compile nodes to one list of all their items."""
    if len(nodes) == 1:
        return items(nodes[0])
    if not any(type(node) in _ITEMS for node in nodes):
        singles = [scalar(node) for node in nodes]
        return lambda frame: [run(frame) for run in singles]
    runs = [items(node) for node in nodes]

    def run_all(frame: Frame) -> list[Value]:
        result: list[Value] = []
        for run in runs:
            result += run(frame)
        return frame.count_list(result)

    return run_all


def truth_value(test: RunTest) -> Run:
    """Return the scalar of a condition: 1 or the empty text, as in Perl."""
    return lambda frame: 1 if test(frame) else ""
