"""Variables in source text: names, subscripts, dereferences, slices, declarations."""

from tsvc.expr.parse.descent import LOW_OR, Parser
from tsvc.expr.parse.scope import ROOTS
from tsvc.expr.syntax import (
    Capture,
    Constant,
    Contents,
    Element,
    Index,
    Items,
    LastIndex,
    My,
    Node,
    Root,
    Slice,
)

_NO_METHODS = "after '->' comes [ or {: methods are not supported"


def subscripts(parser: Parser, node: Node, *, in_text: bool = False) -> Node:
    """Parse a chain of `->[n]` and `->{k}`; the arrow may be left out between two of them."""
    scanner = parser.scanner
    is_first = not isinstance(node, (Index, Element))
    while True:
        if not in_text:
            scanner.skip()
        start = scanner.position
        has_arrow = scanner.starts("->")
        if has_arrow:
            scanner.position += 2
            if not in_text:
                scanner.skip()
        sign = scanner.ahead()
        if has_arrow and not in_text and sign in ("@", "%") and scanner.starts(f"{sign}*"):
            scanner.position += 2
            return Contents(sign, node)
        if sign not in ("[", "{") or (is_first and not has_arrow):
            scanner.position = start
            if has_arrow and not in_text:
                wanted = f"expected '->{sign}*'" if sign in ("@", "%") else _NO_METHODS
                raise scanner.error(wanted)
            return node
        node = Index(node, _subscript(parser)) if sign == "[" else Element(node, hash_key(parser))
        is_first = False


def _subscript(parser: Parser) -> Node:
    parser.scanner.position += 1
    node = parser.expression(LOW_OR)
    parser.scanner.expect("]", "after the index")
    return node


def hash_key(parser: Parser) -> Node:
    """Parse `{key}`: a bare word stands for itself."""
    scanner = parser.scanner
    start = scanner.position
    scanner.position += 1
    scanner.skip()
    minus = "-" if scanner.starts("-") else ""
    scanner.position += len(minus)
    word = scanner.word()
    if word and scanner.take("}"):
        return Constant(minus + word)
    if word and scanner.at_end():
        raise scanner.error("expected '}' after the key")
    scanner.position = start + 1
    node = parser.expression(LOW_OR)
    scanner.expect("}", "after the key")
    return node


def parse_scalar(parser: Parser) -> Node:
    """Parse a term that begins with `$`."""
    scanner = parser.scanner
    column = scanner.position
    scanner.position += 1
    sign = scanner.ahead()
    if sign == "#":
        scanner.position += 1
        return LastIndex(_reference(parser, "@", column))
    if sign == "&":
        scanner.position += 1
        return Capture(0)
    if sign.isdigit():
        number = scanner.number()
        if isinstance(number, int) and 0 < number < 1000:
            return Capture(number)
        raise scanner.error("captures are $1 to $999", column)
    if sign in ("$", "{"):
        return _dereferenced(parser, column)
    name = scanner.word()
    if not name:
        raise scanner.error("expected a name after '$'", column)
    return subscripts(parser, _named(parser, name, column))


def _named(parser: Parser, name: str, column: int) -> Node:
    """Return the variable of a name; `$x[` and `$x{` mean an element of @x and %x."""
    scanner, scope = parser.scanner, parser.scope
    sign = scanner.ahead()
    if sign in ("[", "{") and sign:
        slot = scope.find("@" if sign == "[" else "%", name)
        if slot is None:
            raise scanner.error(_undeclared(parser, name, sign), column)
        return Index(slot, _subscript(parser)) if sign == "[" else Element(slot, hash_key(parser))
    slot = scope.find("$", name)
    if slot is not None:
        return slot
    if name in ROOTS:
        return Root(name)
    raise scanner.error(_undeclared(parser, name, ""), column)


def _undeclared(parser: Parser, name: str, bracket: str) -> str:
    if bracket and (name in ROOTS or parser.scope.find("$", name)):
        return f"write ${name}->{bracket} for a part of ${name}"
    sigil = {"[": "@", "{": "%"}.get(bracket, "$")
    return f"{sigil}{name} is not declared: use `my`, or $v->{{{name}}} for a variable of the test"


def _dereferenced(parser: Parser, column: int) -> Node:
    """Parse `$$x{k}`, `${$x}[n]` and `${name}`."""
    scanner = parser.scanner
    if scanner.ahead() == "{":
        start = scanner.position
        scanner.position += 1
        name = scanner.word()
        if name and scanner.take("}"):
            return subscripts(parser, _named_in_braces(parser, name, column))
        scanner.position = start
    reference = _reference(parser, "$", column)
    sign = scanner.ahead()
    if sign == "[":
        return subscripts(parser, Index(reference, _subscript(parser)))
    if sign == "{":
        return subscripts(parser, Element(reference, hash_key(parser)))
    raise scanner.error("references to scalars are not supported", column)


def _named_in_braces(parser: Parser, name: str, column: int) -> Node:
    slot = parser.scope.find("$", name)
    if slot is None and name not in ROOTS:
        raise parser.scanner.error(_undeclared(parser, name, ""), column)
    return slot or Root(name)


def _reference(parser: Parser, sigil: str, column: int) -> Node:
    """Parse the part after a sigil: `{expression}`, `$name`, or the name of a `my` variable."""
    scanner = parser.scanner
    if scanner.ahead() == "{":
        scanner.position += 1
        node = parser.expression(LOW_OR)
        scanner.expect("}", "after the reference")
        return node
    if scanner.ahead() == "$":
        scanner.position += 1
        name = scanner.word()
        if not name:
            raise scanner.error("expected a name after '$'", column)
        return _named_in_braces(parser, name, column)
    name = scanner.word()
    slot = parser.scope.find(sigil, name) if name else None
    if slot is None:
        raise scanner.error(
            f"expected {sigil}{{...}}, {sigil}$name or a declared {sigil}name", column
        )
    return slot


def parse_contents(parser: Parser) -> Node:
    """Parse `@{...}`, `@$x`, `@x`, `%{...}`, `%$x`, `%x`, and slices."""
    scanner = parser.scanner
    column, sigil = scanner.position, scanner.ahead()
    scanner.position += 1
    reference = _reference(parser, sigil, column)
    if sigil == "@" and scanner.ahead() == "[":
        scanner.position += 1
        return Slice("@", reference, Items(parser.list_items("]", "in the slice")))
    if sigil == "@" and scanner.ahead() == "{":
        scanner.position += 1
        return Slice("%", reference, Items(parser.list_items("}", "in the slice")))
    return Contents(sigil, reference)


def parse_my(parser: Parser) -> Node:
    """Parse a declaration after `my`: a variable, or a list of variables and undef."""
    scanner = parser.scanner
    if not scanner.take("("):
        return _declared(parser)
    declared: list[Node] = []
    while not scanner.take(")"):
        scanner.skip()
        if scanner.starts("undef"):
            scanner.word()
            declared.append(Constant(None))
        else:
            declared.append(_declared(parser))
        if not scanner.take(",") and scanner.peek() != ")":
            raise scanner.error("expected ',' or ')' after a declared variable")
    return Items(tuple(declared))


def _declared(parser: Parser) -> Node:
    scanner = parser.scanner
    sigil = scanner.peek()
    column = scanner.position
    if sigil not in ("$", "@", "%"):
        raise scanner.error("'my' declares $name, @name or %name")
    scanner.position += 1
    name = scanner.word()
    if not name or name == "_":
        raise scanner.error("'my' declares $name, @name or %name", column)
    slot = parser.scope.declare(sigil, name)
    return My(slot) if sigil == "$" else Contents(sigil, My(slot))


def parse_interpolated(parser: Parser, in_pattern: bool) -> Node | None:
    """Parse `$name...` inside a quoted text; None if the `$` stands for itself."""
    scanner = parser.scanner
    column = scanner.position
    following = scanner.ahead(1)
    if in_pattern and following in ("", ")", "|"):
        return None
    if following.isdigit() or (following == "&" and not in_pattern):
        scanner.position += 1
        number = 0 if following == "&" else int(following)
        scanner.position += 1
        return Capture(number) if number or following == "&" else _no_capture(parser, column)
    is_name = scanner.ahead(2).isalpha() or scanner.ahead(2) == "_"
    if following == "{" or (following == "$" and is_name):
        scanner.position += 1
        return _dereferenced(parser, column)
    if not (following.isascii() and (following.isalpha() or following == "_")):
        return None
    scanner.position += 1
    name = scanner.word()
    return subscripts(parser, _interpolated_name(parser, name, column), in_text=True)


def _no_capture(parser: Parser, column: int) -> Node:
    raise parser.scanner.error("captures are $1 to $9 in a text", column)


def _interpolated_name(parser: Parser, name: str, column: int) -> Node:
    """Parse a name as outside a text, but a bracket only if such an array or hash is declared."""
    sign = parser.scanner.ahead()
    if sign in ("[", "{") and sign:
        slot = parser.scope.find("@" if sign == "[" else "%", name)
        if slot is not None:
            return (
                Index(slot, _subscript(parser)) if sign == "[" else Element(slot, hash_key(parser))
            )
    return _named_in_braces(parser, name, column)
