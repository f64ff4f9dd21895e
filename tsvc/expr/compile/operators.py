"""Closures of literals, operators, texts and statements."""

import re
from collections.abc import Callable
from sys import getsizeof

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
from tsvc.expr.environment import SMALL_TEXT, Frame
from tsvc.expr.operators import TESTS, VALUE_OPERATORS, negate, next_text
from tsvc.expr.syntax import (
    ArrayLiteral,
    Binary,
    Capture,
    Constant,
    HashLiteral,
    Items,
    Join,
    Logical,
    Node,
    Range,
    Statements,
    Ternary,
    Unary,
)
from tsvc.expr.values import Value, looks_like_number, to_integer, to_text

_ELEMENT_OCTETS = 16
_MAGIC = re.compile(r"[a-zA-Z]*[0-9]*", re.ASCII)


@scalar_of(Constant)
def _constant(node: Constant) -> Run:
    value = node.value
    return lambda frame: value


@scalar_of(Capture)
def _capture(node: Capture) -> Run:
    number = node.number

    def run(frame: Frame) -> Value:
        match = frame.match
        if match is None or number > len(match.groups()):
            return None
        return match.group(number)

    return run


@scalar_of(Items)
def _last_item(node: Items) -> Run:
    return statements_run(node.items, scalar)


@items_of(Items)
def _all_items(node: Items) -> RunItems:
    return flattened(node.items) if node.items else lambda frame: []


@scalar_of(Statements)
def _statements(node: Statements) -> Run:
    return statements_run(node.statements, scalar)


@items_of(Statements)
def _statements_items(node: Statements) -> RunItems:
    if not node.statements:
        return lambda frame: []
    earlier = [scalar(statement) for statement in node.statements[:-1]]
    last = items(node.statements[-1])

    def run(frame: Frame) -> list[Value]:
        for statement in earlier:
            statement(frame)
        return last(frame)

    return run


def statements_run(nodes: tuple[Node, ...], compile_one: Callable[[Node], Run]) -> Run:
    """Compile nodes to run one after the other; the value is that of the last one."""
    if not nodes:
        return lambda frame: None
    runs = [compile_one(node) for node in nodes]
    if len(runs) == 1:
        return runs[0]
    earlier, last = runs[:-1], runs[-1]

    def run(frame: Frame) -> Value:
        for statement in earlier:
            statement(frame)
        return last(frame)

    return run


@scalar_of(ArrayLiteral)
def _array(node: ArrayLiteral) -> Run:
    run: RunItems = flattened(node.items) if node.items else lambda frame: []
    return lambda frame: run(frame)


@scalar_of(HashLiteral)
def _hash(node: HashLiteral) -> Run:
    run: RunItems = flattened(node.items) if node.items else lambda frame: []
    return lambda frame: pairs(run(frame))


def pairs(values: list[Value]) -> dict[str, Value]:
    """Return the hash of key, value, key, value; a last key without value is undef."""
    if len(values) % 2:
        values = [*values, None]
    return {to_text(values[at]): values[at + 1] for at in range(0, len(values), 2)}


@scalar_of(Join)
def _join(node: Join) -> Run:
    runs = [scalar(part) for part in node.parts]
    if len(runs) == 2:
        return _join_two(runs[0], runs[1])

    def run(frame: Frame) -> Value:
        texts = [to_text(part(frame)) for part in runs]
        octets = sum(map(len, texts))
        if octets > SMALL_TEXT:
            frame.use(octets)  # before it is made
        return "".join(texts)

    return run


def _join_two(left: Run, right: Run) -> Run:
    def run(frame: Frame) -> Value:
        first, second = left(frame), right(frame)
        text = (first if type(first) is str else to_text(first)) + (
            second if type(second) is str else to_text(second)
        )
        if len(text) > SMALL_TEXT:
            frame.use(getsizeof(text))
        return text

    return run


@scalar_of(Unary)
def _unary(node: Unary) -> Run:
    if node.operator == "!":
        return truth_value(_not(node))
    operand = paid(scalar(node.operand))
    return lambda frame: negate(operand(frame))


@condition_of(Unary)
def _unary_condition(node: Unary) -> RunTest | None:
    return _not(node) if node.operator == "!" else None


def _not(node: Unary) -> RunTest:
    operand = condition(node.operand)
    return lambda frame: not operand(frame)


@scalar_of(Binary)
def _binary(node: Binary) -> Run:
    if node.operator == "x":
        return _repeat_text(node)
    test = _binary_condition(node)
    if test is not None:
        return truth_value(test)
    operator = VALUE_OPERATORS[node.operator]
    left = paid(scalar(node.left))
    if isinstance(node.right, Constant):
        value = node.right.value
        return lambda frame: operator(left(frame), value)
    right = paid(scalar(node.right))
    return lambda frame: operator(left(frame), right(frame))


@condition_of(Binary)
def _binary_condition(node: Binary) -> RunTest | None:
    test = TESTS.get(node.operator)
    if test is None:
        return None
    left = paid(scalar(node.left))
    if isinstance(node.right, Constant):
        value = node.right.value
        return lambda frame: test(left(frame), value)
    right = paid(scalar(node.right))
    return lambda frame: test(left(frame), right(frame))


def _repeat_text(node: Binary) -> Run:
    text_run, count_run = scalar(node.left), scalar(node.right)

    def run(frame: Frame) -> Value:
        return repeated(frame, text_run(frame), count_run(frame))

    return run


def repeated(frame: Frame, value: Value, count: Value) -> str:
    """Return a text `count` times; the size is counted before it is made."""
    text, times = to_text(value), max(to_integer(count), 0)
    frame.use((len(text) if text.isascii() else getsizeof(text)) * times)
    return text * times if text else ""


@items_of(Binary)
def _binary_items(node: Binary) -> RunItems:
    """Repeat a list for `(...) x n`; all other operators return one item."""
    if node.operator != "x" or not isinstance(node.left, Items):
        single = scalar(node)
        return lambda frame: [single(frame)]
    list_run, count_run = items(node.left), scalar(node.right)

    def run(frame: Frame) -> list[Value]:
        values, times = list_run(frame), max(to_integer(count_run(frame)), 0)
        frame.use(len(values) * times * _ELEMENT_OCTETS)
        return frame.count_list(values * times if values else [])

    return run


@scalar_of(Logical)
def _logical(node: Logical) -> Run:
    left, right = scalar(node.left), scalar(node.right)
    if node.operator == "//":

        def run_defined(frame: Frame) -> Value:
            value = left(frame)
            return right(frame) if value is None else value

        return run_defined
    wanted = node.operator == "||"

    def run(frame: Frame) -> Value:
        value = left(frame)
        return value if (value not in (None, "", 0, "0")) is wanted else right(frame)

    return run


@items_of(Logical)
def _logical_items(node: Logical) -> RunItems:
    """Return the list of the right side; the left side always counts as one value."""
    left, right = scalar(node.left), items(node.right)
    is_defined_or, wanted = node.operator == "//", node.operator == "||"

    def run(frame: Frame) -> list[Value]:
        value = left(frame)
        if is_defined_or:
            return right(frame) if value is None else [value]
        return [value] if (value not in (None, "", 0, "0")) is wanted else right(frame)

    return run


@condition_of(Logical)
def _logical_condition(node: Logical) -> RunTest | None:
    if node.operator == "//":
        return None
    left, right = condition(node.left), condition(node.right)
    if node.operator == "&&":
        return lambda frame: left(frame) and right(frame)
    return lambda frame: left(frame) or right(frame)


@scalar_of(Ternary)
def _ternary(node: Ternary) -> Run:
    test, when_true, when_false = (
        condition(node.condition),
        scalar(node.when_true),
        scalar(node.when_false),
    )
    return lambda frame: when_true(frame) if test(frame) else when_false(frame)


@items_of(Ternary)
def _ternary_items(node: Ternary) -> RunItems:
    test, when_true, when_false = (
        condition(node.condition),
        items(node.when_true),
        items(node.when_false),
    )
    return lambda frame: when_true(frame) if test(frame) else when_false(frame)


@scalar_of(Range)
def _range_scalar(node: Range) -> Run:
    def run(frame: Frame) -> Value:
        raise ExpressionFailed("'..' gives a list: put it in [ ] or in a function's arguments")

    return run


@items_of(Range)
def _range(node: Range) -> RunItems:
    first_run, last_run = scalar(node.first), scalar(node.last)

    def run(frame: Frame) -> list[Value]:
        first, last = first_run(frame), last_run(frame)
        if isinstance(first, str) and _is_text_start(first):
            return _text_range(frame, first, to_text(last))
        start, end = to_integer(first), to_integer(last)
        count = max(end - start + 1, 0)
        frame.use(count * _ELEMENT_OCTETS)
        frame.step(count)
        return list(range(start, end + 1))

    return run


def _is_text_start(text: str) -> bool:
    """Return True if a range from this text counts in texts: words, and digits after a zero."""
    if not looks_like_number(text):
        return text != ""
    return text.startswith("0") and len(text) > 1


def _text_range(frame: Frame, first: str, last: str) -> list[Value]:
    """Return the successors of a text up to the last one, or until they get longer."""
    values: list[Value] = []
    text = first
    while len(text) <= len(last):
        frame.step(1)
        values.append(frame.count_text(text))
        frame.scan(text)
        if text == last:
            break
        if not _MAGIC.fullmatch(text):
            break
        text = next_text(text)
    return values
