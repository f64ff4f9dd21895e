"""Closures of function calls, and of map, grep and sort with their blocks."""

from collections.abc import Callable
from functools import cmp_to_key
from heapq import merge
from typing import TypeVar

from tsvc.errors import ExpressionFailed
from tsvc.expr.compile.compiler import (
    Run,
    RunItems,
    RunTest,
    condition,
    condition_of,
    flattened,
    items,
    items_of,
    paid,
    scalar,
    scalar_of,
    truth_value,
)
from tsvc.expr.compile.patterns import split_items
from tsvc.expr.compile.variables import array_of, container, key_run, place
from tsvc.expr.environment import Frame
from tsvc.expr.functions import FUNCTIONS, Function
from tsvc.expr.functions.text import substring_bounds
from tsvc.expr.syntax import (
    FIRST_SLOT,
    SECOND_SLOT,
    TOPIC_SLOT,
    BlockCall,
    Call,
    Contents,
    Element,
    Index,
    Node,
)
from tsvc.expr.values import Value, to_integer, to_number, to_text

_SORTED = 2_000  # values sorted in one go

Argument = Callable[[Frame], object]
_T = TypeVar("_T")


@scalar_of(Call)
def _call(node: Call) -> Run:
    special = _SPECIAL.get(node.name)
    if special is not None:
        return special(node)
    function = _function(node)
    return _with_arguments(function.call, _arguments(node, function))


@items_of(Call)
def _call_items(node: Call) -> RunItems:
    if node.name == "split":
        return split_items(node)
    function = FUNCTIONS.get(node.name) if node.name not in _SPECIAL else None
    if function is None or function.items is None:
        single = _call(node)
        return lambda frame: [single(frame)]
    return _with_arguments(function.items, _arguments(node, function))


def _function(node: Call) -> Function:
    function = FUNCTIONS.get(node.name)
    if function is None:
        raise ExpressionFailed(f"the function '{node.name}' is unknown")
    return function


def _with_arguments(call: Callable[..., _T], arguments: list[Argument]) -> Callable[[Frame], _T]:
    if not arguments:
        return lambda frame: call(frame)
    first = arguments[0]
    if len(arguments) == 1:
        return lambda frame: call(frame, first(frame))
    if len(arguments) == 2:
        second = arguments[1]
        return lambda frame: call(frame, first(frame), second(frame))
    return lambda frame: call(frame, *[argument(frame) for argument in arguments])


def _arguments(node: Call, function: Function) -> list[Argument]:
    """Compile arguments by the letters of the function's signature."""
    compiled: list[Argument] = []
    for at, letter in enumerate(function.signature.replace("|", "")):
        if letter == "l":
            rest = node.arguments[at:]
            compiled.append(flattened(rest) if rest else _empty)
            break
        if at == len(node.arguments):
            break
        argument = _argument(node.arguments[at], letter)
        if letter in "s_" and function.is_reading:
            argument = paid(argument)
        compiled.append(argument)
    return compiled


def _empty(frame: Frame) -> list[Value]:
    return []


def _argument(node: Node, letter: str) -> Argument:
    if letter == "a" and isinstance(node, Contents):
        made = container(node.reference, list)
        return lambda frame: made(frame)[0]
    if letter == "c" and isinstance(node, Contents):
        return scalar(node.reference)
    return scalar(node)


def _scalar_call(node: Call) -> Run:
    return scalar(node.arguments[0])


def _defined(node: Call) -> RunTest:
    operand = node.arguments[0]
    if isinstance(operand, Contents):
        return condition(operand)
    run = scalar(operand)
    return lambda frame: run(frame) is not None


def _exists(node: Call) -> RunTest:
    operand = node.arguments[0]
    if isinstance(operand, Element):
        holder, key = scalar(operand.container), key_run(operand.key)

        def has_key(frame: Frame) -> bool:
            found = holder(frame)
            if isinstance(found, dict):
                return key(frame) in found
            if found is None:
                return False
            raise ExpressionFailed("exists needs a hash before {…}")

        return has_key
    assert isinstance(operand, Index)  # the parser accepts nothing else
    values_run, number = scalar(operand.container), scalar(operand.subscript)

    def has_index(frame: Frame) -> bool:
        size = len(array_of(values_run(frame)))
        return -size <= to_integer(number(frame)) < size

    return has_index


def _delete(node: Call) -> Run:
    operand = node.arguments[0]
    if isinstance(operand, Element):
        made, key = container(operand.container, dict), key_run(operand.key)

        def delete_key(frame: Frame) -> Value:
            holder: dict[str, Value] = made(frame)[0]
            return holder.pop(key(frame), None)

        return delete_key
    assert isinstance(operand, Index)  # the parser accepts nothing else
    made_list, number = container(operand.container, list), scalar(operand.subscript)

    def delete_index(frame: Frame) -> Value:
        values: list[Value] = made_list(frame)[0]
        at = to_integer(number(frame))
        if not -len(values) <= at < len(values):
            return None
        if at in (-1, len(values) - 1):
            return values.pop()
        old, values[at] = values[at], None
        return old

    return delete_index


def _split_count(node: Call) -> Run:
    run = split_items(node)
    return lambda frame: len(run(frame))


def _substr(node: Call) -> Run:
    """Compile substr; with a fourth argument it changes its first."""
    numbers = [scalar(one) for one in node.arguments[1:3]]
    start_run = numbers[0]
    length_run = numbers[1] if len(numbers) > 1 else None

    def bounds(frame: Frame, text: str) -> tuple[int, int] | None:
        length = to_integer(length_run(frame)) if length_run else None
        return substring_bounds(len(text), to_integer(start_run(frame)), length)

    if len(node.arguments) < 4:
        text_run = scalar(node.arguments[0])

        def run(frame: Frame) -> Value:
            text = to_text(text_run(frame))
            found = bounds(frame, text)
            return None if found is None else frame.count_text(text[found[0] : found[1]])

        return run
    place_run, replacement = place(node.arguments[0]), scalar(node.arguments[3])

    def run_replace(frame: Frame) -> Value:
        holder, key = place_run(frame)
        text = to_text(holder.get(key) if type(holder) is dict else holder[key])
        found = bounds(frame, text)
        if found is None:
            raise ExpressionFailed("substr outside of the text")
        new = to_text(replacement(frame))
        holder[key] = frame.count_text(text[: found[0]] + new + text[found[1] :])
        return text[found[0] : found[1]]

    return run_replace


@condition_of(Call)
def _call_condition(node: Call) -> RunTest | None:
    if node.name == "defined":
        return _defined(node)
    return _exists(node) if node.name == "exists" else None


_SPECIAL: dict[str, Callable[[Call], Run]] = {
    "scalar": _scalar_call,
    "defined": lambda node: truth_value(_defined(node)),
    "exists": lambda node: truth_value(_exists(node)),
    "delete": _delete,
    "split": _split_count,
    "substr": _substr,
}


@items_of(BlockCall)
def _block_items(node: BlockCall) -> RunItems:
    if node.name == "map":
        return _map(node)
    return _grep(node) if node.name == "grep" else _sort(node)


@scalar_of(BlockCall)
def _block_count(node: BlockCall) -> Run:
    """Return the number of items, as Perl does for map and grep."""
    run = _block_items(node)
    return lambda frame: len(run(frame))


def _map(node: BlockCall) -> RunItems:
    assert node.body is not None  # only sort does without
    values_run, body, cost = flattened(node.arguments), items(node.body), node.cost

    def run(frame: Frame) -> list[Value]:
        values, slots = values_run(frame), frame.slots
        outer, match = slots[TOPIC_SLOT], frame.match
        result: list[Value] = []
        for value in values:
            frame.step(cost)
            slots[TOPIC_SLOT] = value
            values = body(frame)
            frame.step(len(values))
            result += values
        slots[TOPIC_SLOT], frame.match = outer, match
        return result

    return run


def _grep(node: BlockCall) -> RunItems:
    assert node.body is not None  # only sort does without
    values_run, test, cost = flattened(node.arguments), condition(node.body), node.cost

    def run(frame: Frame) -> list[Value]:
        values, slots = values_run(frame), frame.slots
        outer, match = slots[TOPIC_SLOT], frame.match
        result: list[Value] = []
        for value in values:
            frame.step(cost)
            slots[TOPIC_SLOT] = value
            if test(frame):
                result.append(value)
        slots[TOPIC_SLOT], frame.match = outer, match
        return result

    return run


def _sort(node: BlockCall) -> RunItems:
    values_run = flattened(node.arguments) if node.arguments else _empty
    if node.body is None:
        return lambda frame: _sorted(frame, values_run(frame))
    body, cost = scalar(node.body), node.cost

    def run(frame: Frame) -> list[Value]:
        values, slots = values_run(frame), frame.slots
        outer = slots[FIRST_SLOT], slots[SECOND_SLOT]

        def compare(first: Value, second: Value) -> int:
            frame.step(cost)
            slots[FIRST_SLOT], slots[SECOND_SLOT] = first, second
            order = to_number(body(frame))
            return (order > 0) - (order < 0)

        result = sorted(values, key=cmp_to_key(compare))
        slots[FIRST_SLOT], slots[SECOND_SLOT] = outer
        return result

    return run


def _sorted(frame: Frame, values: list[Value]) -> list[Value]:
    """Sort by text, in portions that are then merged."""
    frame.step(2 * len(values))
    for value in values:
        if type(value) is str:
            frame.scan(value)
    if len(values) <= _SORTED:
        return sorted(values, key=to_text)
    portions = []
    for at in range(0, len(values), _SORTED):
        frame.pause()
        portions.append(sorted(values[at : at + _SORTED], key=to_text))
    result: list[Value] = []
    for value in merge(*portions, key=to_text):
        result.append(value)
        if len(result) % _SORTED == 0:
            frame.pause()
    return result
