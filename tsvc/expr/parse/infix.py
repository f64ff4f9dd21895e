"""The operators between or after values: their precedence, and the tree of each."""

from itertools import groupby

from tsvc.errors import ExpressionFailed
from tsvc.expr.operators import TESTS, VALUE_OPERATORS
from tsvc.expr.parse.descent import (
    ADDITIVE,
    AND,
    ASSIGN,
    BINDING,
    COMMA,
    EQUALITY,
    LOW_AND,
    LOW_OR,
    MULTIPLICATIVE,
    OR,
    POWER,
    RANGE,
    RELATIONAL,
    STEP,
    TERNARY,
    UNARY,
    Infix,
    Parser,
)
from tsvc.expr.syntax import (
    Assign,
    Binary,
    Constant,
    Contents,
    Element,
    Increment,
    Index,
    Items,
    Join,
    Logical,
    Match,
    My,
    Node,
    Range,
    Root,
    Slot,
    Substitute,
    Ternary,
    Transliterate,
    Unary,
    bare,
    is_changeable,
)
from tsvc.expr.values import to_text


def fold(node: Binary | Unary) -> Node:
    """Return the constant result of an operator on constants, otherwise the node."""
    if not isinstance(node, Binary):
        return node
    left, right = node.left, node.right
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return node
    operator = VALUE_OPERATORS.get(node.operator)
    try:
        if operator is not None:
            return Constant(operator(left.value, right.value))
        if node.operator in TESTS:
            return Constant(1 if TESTS[node.operator](left.value, right.value) else "")
    except ExpressionFailed:
        return node  # fails when it is evaluated, as written
    return node


def _binary(parser: Parser, operator: str, left: Node, column: int) -> Node:
    right = parser.expression(parser.grammar.infix[operator].right_power)
    # `(...) x n` repeats a list, so there the parentheses count.
    return fold(Binary(operator, left if operator == "x" else bare(left), bare(right)))


def _join(parser: Parser, operator: str, left: Node, column: int) -> Node:
    """Join a whole chain of dots at once, so that a long one is wide and not high."""
    parts = list(left.parts) if isinstance(left, Join) else [bare(left)]
    parts.append(bare(parser.expression(MULTIPLICATIVE)))
    while parser.scanner.operator() == ".":
        parser.scanner.position += 1
        parts.append(bare(parser.expression(MULTIPLICATIVE)))
    return _joined(parts)


def _joined(parts: list[Node]) -> Node:
    merged: list[Node] = []
    for is_constant, same in groupby(parts, lambda part: isinstance(part, Constant)):
        found = list(same)
        if is_constant and len(found) > 1:
            texts = [to_text(part.value) for part in found if isinstance(part, Constant)]
            found = [Constant("".join(texts))]
        merged += found
    if len(merged) == 1 and isinstance(merged[0], Constant):
        return merged[0]
    return Join(tuple(merged))


def _logical(parser: Parser, operator: str, left: Node, column: int) -> Node:
    right = parser.expression(parser.grammar.infix[operator].right_power)
    return Logical({"and": "&&", "or": "||"}.get(operator, operator), left, right)


def _ternary(parser: Parser, operator: str, left: Node, column: int) -> Node:
    when_true = parser.expression(ASSIGN)
    parser.scanner.expect(":", "of '? :'")
    return Ternary(left, when_true, parser.expression(TERNARY))


def _range(parser: Parser, operator: str, left: Node, column: int) -> Node:
    return Range(left, parser.expression(parser.grammar.infix[operator].right_power))


def _comma(parser: Parser, operator: str, left: Node, column: int) -> Node:
    """Collect all items of a comma list at once; a comma at the end is allowed."""
    scanner = parser.scanner
    items = [left]
    while True:
        while scanner.take(",") or scanner.take("=>"):
            pass
        if scanner.peek() in ("", ")", "]", "}", ";") or scanner.operator() in _LOW:
            return Items(tuple(items))
        items.append(parser.expression(ASSIGN))
        if scanner.operator() not in (",", "=>"):
            return Items(tuple(items))


_LOW = ("or", "and", "xor", ":")


def assignable(parser: Parser, node: Node, column: int) -> None:
    """Raise the syntax error for a node that can't be assigned to."""
    if isinstance(node, Root):
        raise parser.scanner.error(f"${node.name} itself can't be assigned", column)
    if isinstance(node, Items) and all(_is_target(item) for item in node.items):
        return
    if not _is_target(node):
        raise parser.scanner.error("the left side can't be assigned to", column)


def _is_target(node: Node) -> bool:
    if isinstance(node, Constant):
        return node.value is None  # undef skips a value in a list assignment
    return isinstance(node, (Slot, My, Index, Element, Contents, Assign))


def _assign(parser: Parser, operator: str, left: Node, column: int) -> Node:
    assignable(parser, left, column)
    if isinstance(left, Constant) or (isinstance(left, (Items, Contents)) and operator != "="):
        raise parser.scanner.error("the left side can't be assigned to", column)
    return Assign(operator[:-1], left, parser.expression(ASSIGN))


def _step(parser: Parser, operator: str, left: Node, column: int) -> Node:
    if not isinstance(left, (Slot, My, Index, Element)):
        raise parser.scanner.error(f"'{operator}' needs a variable", column)
    return Increment(operator, left, is_prefix=False)


def _bind(parser: Parser, operator: str, left: Node, column: int) -> Node:
    right = parser.expression(parser.grammar.infix[operator].right_power)
    left = bare(left)
    if isinstance(right, Match):
        bound: Node = Match(left, right.pattern, right.is_global)
    elif isinstance(right, Substitute):
        if not right.returns_text and not is_changeable(left):
            raise parser.scanner.error("s/// needs a variable to change, or the flag r", column)
        bound = Substitute(
            left, right.pattern, right.replacement, right.is_global, right.returns_text
        )
    elif isinstance(right, Transliterate):
        if right.is_changing and not is_changeable(left):
            raise parser.scanner.error("tr/// needs a variable to change, or the flag r", column)
        bound = Transliterate(left, right.search, right.replacement, right.flags)
    else:
        raise parser.scanner.error(f"'{operator}' needs a pattern in slashes after it", column)
    return Unary("!", bound) if operator == "!~" else bound


def _table() -> dict[str, Infix]:
    table = {",": Infix(COMMA, ASSIGN, _comma), "=>": Infix(COMMA, ASSIGN, _comma)}
    left_binary = {
        ADDITIVE: "+ -",
        MULTIPLICATIVE: "* / % x",
    }
    for power, names in left_binary.items():
        for name in names.split():
            table[name] = Infix(power, power + 1, _binary)
    for power, names in ((EQUALITY, "== != <=> eq ne cmp"), (RELATIONAL, "< > <= >= lt gt le ge")):
        for name in names.split():
            table[name] = Infix(power, power + 1, _binary, is_chainable=False)
    for name, power in {"or": LOW_OR, "and": LOW_AND, "||": OR, "//": OR, "&&": AND}.items():
        table[name] = Infix(power, power + 1, _logical)
    for name in ["=", "+=", "-=", "*=", "/=", ".=", "%=", "x=", "**=", "||=", "&&=", "//="]:
        table[name] = Infix(ASSIGN, ASSIGN, _assign)
    table["xor"] = Infix(LOW_OR, LOW_AND, _binary)
    table["."] = Infix(ADDITIVE, MULTIPLICATIVE, _join)
    table[".."] = Infix(RANGE, OR, _range, is_chainable=False)
    table["?"] = Infix(TERNARY, TERNARY, _ternary)
    table["=~"] = table["!~"] = Infix(BINDING, UNARY, _bind)
    table["**"] = Infix(POWER, UNARY, _binary)
    table["++"] = table["--"] = Infix(STEP, STEP, _step)
    return table


INFIX = _table()
