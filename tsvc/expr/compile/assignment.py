"""Closures of assignment: = and similar operators, lists of targets, ++ and --."""

from collections.abc import Callable

from tsvc.expr.compile.compiler import (
    Place,
    Run,
    RunItems,
    RunPlace,
    items,
    items_of,
    paid,
    scalar,
    scalar_of,
)
from tsvc.expr.compile.operators import pairs, repeated
from tsvc.expr.compile.variables import container, place, place_of
from tsvc.expr.environment import Frame
from tsvc.expr.operators import VALUE_OPERATORS, decrement, increment
from tsvc.expr.syntax import Assign, Constant, Contents, Increment, Items, Node
from tsvc.expr.values import Value, to_text


@scalar_of(Assign)
def _assign(node: Assign) -> Run:
    target = node.target
    if isinstance(target, (Items, Contents)):
        assign = _list_assign(node)
        return lambda frame: assign(frame)[1]
    if node.operator == "":
        place_run, value_run = place(target), scalar(node.value)

        def run(frame: Frame) -> Value:
            value = value_run(frame)
            holder, key = place_run(frame)
            holder[key] = value
            return value

        return run
    assigned = _assigned(node)

    def run_assigned(frame: Frame) -> Value:
        holder, key = assigned(frame)
        value: Value = holder[key]
        return value

    return run_assigned


def _assigned(node: Assign) -> RunPlace:
    """Compile an assignment to the place to which it assigns."""
    target = node.target
    if isinstance(target, Items):  # one place in parentheses takes the first item of a list
        (single,) = target.items
        values_run, single_run = items(node.value), place(single)

        def run_list(frame: Frame) -> Place:
            values = values_run(frame)
            holder, key = single_run(frame)
            holder[key] = values[0] if values else None
            return holder, key

        return run_list
    place_run, value_run = place(target), scalar(node.value)
    if node.operator == "":

        def run(frame: Frame) -> Place:
            value = value_run(frame)
            holder, key = place_run(frame)
            holder[key] = value
            return holder, key

        return run
    if node.operator in ("||", "&&", "//"):
        return _assign_if(node.operator, place_run, value_run)
    return _assign_with(node.operator, place_run, value_run)


place_of(Assign, _assigned)


def _assign_if(operator: str, place_run: RunPlace, value_run: Run) -> RunPlace:
    def run(frame: Frame) -> Place:
        holder, key = place_run(frame)
        old: Value = holder.get(key) if type(holder) is dict else holder[key]
        if operator == "//":
            is_kept = old is not None
        else:
            is_kept = (old not in (None, "", 0, "0")) is (operator == "||")
        holder[key] = old if is_kept else value_run(frame)
        return holder, key

    return run


def _concatenated(frame: Frame, left: Value, right: Value) -> str:
    return frame.count_text(to_text(left) + to_text(right))


def _assign_with(operator: str, place_run: RunPlace, value_run: Run) -> RunPlace:
    framed = {".": _concatenated, "x": repeated}.get(operator)
    if framed is None:
        combine = VALUE_OPERATORS[operator]
        value_run = paid(value_run)

        def run(frame: Frame) -> Place:
            value = value_run(frame)
            holder, key = place_run(frame)
            old = holder.get(key) if type(holder) is dict else holder[key]
            if type(old) is str:
                frame.scan(old)
            holder[key] = combine(old, value)
            return holder, key

        return run

    def run_framed(frame: Frame) -> Place:
        value = value_run(frame)
        holder, key = place_run(frame)
        old = holder.get(key) if type(holder) is dict else holder[key]
        holder[key] = framed(frame, old, value)
        return holder, key

    return run_framed


@items_of(Assign)
def _assign_items(node: Assign) -> RunItems:
    if isinstance(node.target, (Items, Contents)):
        assign = _list_assign(node)
        return lambda frame: assign(frame)[0]
    single = _assign(node)
    return lambda frame: [single(frame)]


_Taker = Callable[[Frame, list[Value], int], int]


def _list_assign(node: Assign) -> Callable[[Frame], tuple[list[Value], int]]:
    """Compile a list assignment to (the values, how many there were).

    `(my $x = ...)` has one place in parentheses: Perl assigns a list to it, too.
    """
    values_run = items(node.value)
    targets = node.target.items if isinstance(node.target, Items) else (node.target,)
    takers = [_taker(target) for target in targets]

    def run(frame: Frame) -> tuple[list[Value], int]:
        values = values_run(frame)
        at = 0
        for taker in takers:
            at = taker(frame, values, at)
        return values, len(values)

    return run


def _taker(target: Node) -> _Taker:
    """Return a function that assigns its share of the values, from a position on."""
    if isinstance(target, Constant):
        return lambda frame, values, at: at + 1
    if isinstance(target, Contents):
        return _container_taker(target)
    place_run = place(target)

    def take(frame: Frame, values: list[Value], at: int) -> int:
        holder, key = place_run(frame)
        holder[key] = values[at] if at < len(values) else None
        return at + 1

    return take


def _container_taker(target: Contents) -> _Taker:
    kind: type = list if target.sigil == "@" else dict
    container_run = container(target.reference, kind)

    def take(frame: Frame, values: list[Value], at: int) -> int:
        holder = container_run(frame)[0]
        if kind is list:
            holder[:] = values[at:]
        else:
            fresh = pairs(values[at:])
            holder.clear()
            holder.update(fresh)
        return max(len(values), at)

    return take


@scalar_of(Increment)
def _increment(node: Increment) -> Run:
    place_run = place(node.target)
    change = increment if node.operator == "++" else decrement
    is_prefix = node.is_prefix

    def run(frame: Frame) -> Value:
        holder, key = place_run(frame)
        old = holder.get(key) if type(holder) is dict else holder[key]
        if type(old) is str:
            frame.step(len(old) >> 4)  # each character is read, and more than once
        new = holder[key] = change(old)
        if type(new) is str:
            frame.count_text(new)
        if is_prefix:
            return new
        return 0 if old is None else old

    return run
