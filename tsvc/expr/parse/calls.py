"""Calls: functions with and without parentheses, blocks of map, grep and sort."""

from tsvc.expr.functions import FUNCTIONS, Function
from tsvc.expr.parse.descent import ASSIGN, NAMED_UNARY, Parser
from tsvc.expr.syntax import (
    BlockCall,
    Call,
    Contents,
    Element,
    Index,
    Items,
    Node,
    is_changeable,
    measure,
)

_BLOCK_NAMES = ("map", "grep", "sort")
_UNARY_NAMES = ("scalar", "exists", "delete", "defined")
SPECIAL_NAMES = (*_BLOCK_NAMES, *_UNARY_NAMES, "split", "substr")
# Signs that can't begin a value: a unary function before one of them has no argument.
_NO_ARGUMENT_SIGNS = frozenset([*")]};,?:=*|&<>", ""])
_NO_ARGUMENT_WORDS = frozenset(
    ["x", "lt", "gt", "le", "ge", "eq", "ne", "cmp", "and", "or", "xor", ".", "!=", "!~"]
)


def parse_call(parser: Parser, name: str, column: int) -> Node:
    """Parse the arguments of a function whose name was just read."""
    if name in _BLOCK_NAMES:
        return _block_call(parser, name, column)
    if name in _UNARY_NAMES:
        return _special(parser, name, column)
    if name == "split":
        arguments = _counted(parser, name, _list_arguments(parser), 1, 3, column)
        return Call(name, arguments if len(arguments) > 1 else (*arguments, parser.scope.topic()))
    if name == "substr":
        arguments = _counted(parser, name, _list_arguments(parser), 2, 4, column)
        if len(arguments) == 4 and not is_changeable(arguments[0]):
            raise parser.scanner.error("substr needs a variable to change", column)
        return Call(name, arguments)
    function = FUNCTIONS.get(name)
    if function is None:
        raise parser.scanner.error(f"the function '{name}' is unknown", column)
    arguments = _arguments(parser, function)
    if not arguments and function.signature == "_":
        arguments = (parser.scope.topic(),)
    arguments = _counted(parser, name, arguments, function.least, function.most, column)
    _check_containers(parser, function, arguments, column)
    return Call(name, arguments)


def _arguments(parser: Parser, function: Function) -> tuple[Node, ...]:
    if function.signature == "":
        if parser.scanner.take("("):
            parser.scanner.expect(")", f"after '{function.name}('")
        return ()
    if function.is_unary:
        return _unary_arguments(parser)
    return _list_arguments(parser)


def _unary_arguments(parser: Parser) -> tuple[Node, ...]:
    scanner = parser.scanner
    if scanner.take("("):
        return parser.list_items(")", "in the call")
    if _has_no_argument(parser):
        return ()
    return (parser.expression(NAMED_UNARY + 1),)


def _list_arguments(parser: Parser) -> tuple[Node, ...]:
    scanner = parser.scanner
    if scanner.take("("):
        return parser.list_items(")", "in the call")
    arguments: list[Node] = []
    while not _has_no_argument(parser):
        arguments.append(parser.expression(ASSIGN))
        if not (scanner.take(",") or scanner.take("=>")):
            break
    return tuple(arguments)


def _has_no_argument(parser: Parser) -> bool:
    scanner = parser.scanner
    sign = scanner.peek()
    if sign == "." and scanner.ahead(1).isdigit():
        return False
    return sign in _NO_ARGUMENT_SIGNS or scanner.operator() in _NO_ARGUMENT_WORDS


def _counted(
    parser: Parser,
    name: str,
    arguments: tuple[Node, ...],
    least: int,
    most: int | None,
    column: int,
) -> tuple[Node, ...]:
    if len(arguments) < least:
        raise parser.scanner.error(f"{name} takes at least {least} arguments", column)
    if most is not None and len(arguments) > most:
        raise parser.scanner.error(f"{name} takes at most {most} arguments", column)
    return arguments


def _check_containers(
    parser: Parser, function: Function, arguments: tuple[Node, ...], column: int
) -> None:
    """Raise the syntax error for `push $x, 1` and the like, which look as if they worked."""
    kind = function.signature[:1]
    if kind not in ("a", "c"):
        return
    first = arguments[0]
    if isinstance(first, Contents) and (kind == "c" or first.sigil == "@"):
        return
    wanted = "@{...}" if kind == "a" else "%{...} or @{...}"
    raise parser.scanner.error(f"{function.name} takes {wanted} first", column)


def _special(parser: Parser, name: str, column: int) -> Node:
    arguments = _unary_arguments(parser)
    if not arguments and name == "defined":
        arguments = (parser.scope.topic(),)
    _counted(parser, name, arguments, 1, 1, column)
    operand = arguments[0]
    if isinstance(operand, Items) and len(operand.items) == 1:
        operand = operand.items[0]
    if name in ("exists", "delete") and not isinstance(operand, (Element, Index)):
        raise parser.scanner.error(f"{name} takes an element such as $v->{{x}}", column)
    return Call(name, (operand,))


def _block_call(parser: Parser, name: str, column: int) -> Node:
    scanner = parser.scanner
    has_parentheses = scanner.take("(")
    body: Node | None = None
    if scanner.peek() == "{":
        body = _block(parser, name)
    if body is None and name != "sort":
        parser.scope.enter()
        body = parser.expression(ASSIGN)
        parser.scope.leave()
        scanner.expect(",", f"after the expression of {name}")
    if has_parentheses:
        arguments = parser.list_items(")", "in the call")
    else:
        arguments = _list_arguments(parser)
    cost, height = measure(body) if body else (1, 0)
    return BlockCall(name, body, cost, height, arguments)


def _block(parser: Parser, name: str) -> Node | None:
    """Parse `{ ... }`; None if a comma follows: then it was a hash, not a block."""
    scanner = parser.scanner
    start = scanner.position
    if start in parser.scope.hashes:
        return None
    parser.scope.enter()
    scanner.position += 1
    body = parser.program("}")
    parser.scope.leave()
    scanner.expect("}", f"after the block of {name}")
    if scanner.peek() == ",":
        scanner.position = start
        parser.scope.hashes.add(start)  # otherwise nested blocks are tried 2, 4, 8 … times
        return None
    return body
