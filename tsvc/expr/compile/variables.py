"""Closures of variables and elements: to read them, and as places to assign to.

Reading makes nothing: `$v->{a}{b}` leaves `$v->{a}` undefined. Assigning makes missing containers.
"""

from collections.abc import Callable
from typing import Any

from tsvc.errors import ExpressionFailed
from tsvc.expr.compile.compiler import (
    Place,
    Run,
    RunItems,
    RunPlace,
    items,
    items_of,
    scalar,
    scalar_of,
)
from tsvc.expr.environment import Frame
from tsvc.expr.syntax import (
    Assign,
    Constant,
    Contents,
    Element,
    Index,
    LastIndex,
    My,
    Node,
    Root,
    Slice,
    Slot,
)
from tsvc.expr.values import Value, noun, to_integer, to_text

_INDEX_MAX = 1_000_000


_Container = dict[str, Value] | list[Value]


_ROOTS: dict[str, Callable[[Frame], dict[str, Value]]] = {
    "v": lambda frame: frame.v,
    "i": lambda frame: frame.i,
    "g": lambda frame: frame.g,
    "r": lambda frame: frame.r,
}


@scalar_of(Root)
def _root(node: Root) -> Run:
    return _ROOTS[node.name]


@scalar_of(Slot)
def _slot(node: Slot) -> Run:
    number = node.number
    return lambda frame: frame.slots[number]


@scalar_of(My)
def _my(node: My) -> Run:
    place_run = place(node)

    def run(frame: Frame) -> Value:
        place_run(frame)
        return None

    return run


def key_run(node: Node) -> Callable[[Frame], str]:
    """Compile a hash key to its text."""
    if isinstance(node, Constant):
        text = to_text(node.value)
        return lambda frame: text
    run = scalar(node)
    return lambda frame: to_text(run(frame))


@scalar_of(Element)
def _element(node: Element) -> Run:
    container_run = scalar(node.container)
    if not isinstance(node.key, Constant):
        key = key_run(node.key)
        return lambda frame: _read_element(container_run(frame), key(frame))
    name = to_text(node.key.value)
    if isinstance(node.container, Root):
        return _root_element(node.container.name, name)

    def run(frame: Frame) -> Value:
        container = container_run(frame)
        if type(container) is dict:
            return container.get(name)
        return _read_element(container, name)

    return run


def _root_element(root: str, name: str) -> Run:
    """Read `$v->{name}` in one step, because most expressions do that."""
    runs: dict[str, Run] = {
        "v": lambda frame: frame.v.get(name),
        "i": lambda frame: frame.i.get(name),
        "g": lambda frame: frame.g.get(name),
        "r": lambda frame: frame.r.get(name),
    }
    return runs[root]


def _read_element(container: Value, name: str) -> Value:
    if isinstance(container, dict):
        return container.get(name)
    if container is None:
        return None
    raise ExpressionFailed(f"{noun(container)} has no element {{{name}}}: it is not a hash")


@scalar_of(Index)
def _index(node: Index) -> Run:
    container_run, number_run = scalar(node.container), scalar(node.subscript)

    def run(frame: Frame) -> Value:
        container, number = container_run(frame), number_run(frame)
        at = number if type(number) is int else to_integer(number)
        if isinstance(container, list):
            return container[at] if -len(container) <= at < len(container) else None
        if container is None:
            return None
        raise ExpressionFailed(f"{noun(container)} has no element [{at}]: it is not an array")

    return run


def array_of(value: Value) -> list[Value]:
    """Return the list behind a reference; undef reads as empty."""
    if isinstance(value, list):
        return value
    if value is None:
        return []
    raise ExpressionFailed(f"{noun(value)} is not an array")


def hash_of(value: Value) -> dict[str, Value]:
    """Return the dict behind a reference; undef reads as empty."""
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    raise ExpressionFailed(f"{noun(value)} is not a hash")


@scalar_of(Contents)
def _contents_size(node: Contents) -> Run:
    run = scalar(node.reference)
    if node.sigil == "@":
        return lambda frame: len(array_of(run(frame)))
    return lambda frame: len(hash_of(run(frame)))


@items_of(Contents)
def _contents(node: Contents) -> RunItems:
    run = scalar(node.reference)
    if node.sigil == "@":

        def run_copy(frame: Frame) -> list[Value]:
            values = array_of(run(frame))
            frame.step(len(values))
            return list(values)

        return run_copy

    def run_pairs(frame: Frame) -> list[Value]:
        found: list[Value] = []
        values = hash_of(run(frame))
        frame.step(2 * len(values))
        for key, value in values.items():
            found += (key, value)
        return found

    return run_pairs


@scalar_of(LastIndex)
def _last_index(node: LastIndex) -> Run:
    run = scalar(node.reference)
    return lambda frame: len(array_of(run(frame))) - 1


@items_of(Slice)
def _slice(node: Slice) -> RunItems:
    indexes = items(node.indexes)
    if node.kind == "%":
        hash_run = scalar(node.source)

        def run_hash(frame: Frame) -> list[Value]:
            found = hash_of(hash_run(frame))
            return [found.get(to_text(key)) for key in indexes(frame)]

        return run_hash
    if node.kind == "@":
        reference = scalar(node.source)
        return lambda frame: _picked(array_of(reference(frame)), indexes(frame), is_list=False)
    values = items(node.source)
    return lambda frame: _picked(values(frame), indexes(frame), is_list=True)


def _picked(values: list[Value], indexes: list[Value], *, is_list: bool) -> list[Value]:
    if is_list and not values:
        return []
    size = len(values)
    numbers = [to_integer(index) for index in indexes]
    return [values[at] if -size <= at < size else None for at in numbers]


@scalar_of(Slice)
def _slice_last(node: Slice) -> Run:
    run = _slice(node)

    def run_last(frame: Frame) -> Value:
        values = run(frame)
        return values[-1] if values else None

    return run_last


def container(node: Node, kind: type[dict[str, Value]] | type[list[Value]]) -> RunPlace:
    """Compile a reference to (its dict or list, None), made if it is undefined."""
    if isinstance(node, Root):
        root = _ROOTS[node.name]
        if kind is dict:
            return lambda frame: (root(frame), None)
    if not isinstance(node, (Slot, My, Element, Index, Assign)):
        run = scalar(node)
        return lambda frame: (_checked(run(frame), kind), None)
    place_run = place(node)

    def run_made(frame: Frame) -> Place:
        holder, key = place_run(frame)
        value = holder.get(key) if type(holder) is dict else holder[key]
        if value is None:
            value = holder[key] = kind()
        return _checked(value, kind), None

    return run_made


def _checked(value: Value, kind: type) -> _Container:
    if isinstance(value, kind) and isinstance(value, (dict, list)):
        return value
    raise ExpressionFailed(f"{noun(value)} is not {'a hash' if kind is dict else 'an array'}")


def place(node: Node) -> RunPlace:
    """Compile a node to the place that it names; containers are made as needed."""
    if isinstance(node, Slot):
        number = node.number
        return lambda frame: (frame.slots, number)
    if isinstance(node, My):
        return _my_place(node)
    if isinstance(node, Element):
        return _element_place(node)
    if isinstance(node, Index):
        return _index_place(node)
    compiler = _PLACES.get(type(node))
    if compiler is None:
        raise ExpressionFailed("this can't be assigned to")
    return compiler(node)


# Compilers of further types that name a place: an assignment names its target.
_PLACES: dict[type, Callable[[Any], RunPlace]] = {}


def place_of(kind: type, compiler: Callable[[Any], RunPlace]) -> None:
    """Register how a node type is compiled to the place that it names."""
    _PLACES[kind] = compiler


def _my_place(node: My) -> RunPlace:
    number = node.slot.number

    def run(frame: Frame) -> Place:
        frame.slots[number] = None
        return frame.slots, number

    return run


def _element_place(node: Element) -> RunPlace:
    if isinstance(node.container, Root) and isinstance(node.key, Constant):
        root, name = _ROOTS[node.container.name], to_text(node.key.value)
        return lambda frame: (root(frame), name)
    container_run, key = container(node.container, dict), key_run(node.key)
    return lambda frame: (container_run(frame)[0], key(frame))


def _index_place(node: Index) -> RunPlace:
    container_run, number_run = container(node.container, list), scalar(node.subscript)

    def run(frame: Frame) -> Place:
        values: list[Value] = container_run(frame)[0]
        at = to_integer(number_run(frame))
        if at >= len(values):
            if at > _INDEX_MAX:
                raise ExpressionFailed(f"the index {at} is too large")
            frame.use(16 * (at - len(values)))
            values.extend([None] * (at + 1 - len(values)))
        elif at < -len(values):
            raise ExpressionFailed(f"the array has no element [{at}] to assign to")
        return values, at

    return run
