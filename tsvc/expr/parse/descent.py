"""The recursive descent: operators by precedence, lists, statements.

The Grammar, which tsvc.expr.expression combines, parses the beginning of a value and the variables
in a quoted text, and builds the nodes of operators. The constants below are the precedences of
operators, loosest first.
"""

from collections.abc import Callable, Mapping

from tsvc import turns
from tsvc.errors import ExpressionSyntaxError
from tsvc.expr.parse.lexer import Scanner
from tsvc.expr.parse.scope import Blocks
from tsvc.expr.syntax import Node, Statements
from tsvc.values import dataclass

(
    LOW_OR,  # or xor
    LOW_AND,  # and
    LOW_NOT,  # not
    COMMA,
    ASSIGN,
    TERNARY,
    RANGE,
    OR,  # || //
    AND,  # &&
    EQUALITY,
    RELATIONAL,
    NAMED_UNARY,  # length, defined, ... without parentheses
    ADDITIVE,
    MULTIPLICATIVE,
    BINDING,  # =~ !~
    UNARY,  # ! - + and backslash
    POWER,
    STEP,  # ++ --
) = range(1, 19)

# The nesting of expressions and the height of the tree limit how much of Python's stack the
# parser, the compiler and the closures use.
NESTING_MAX = 100
HEIGHT_MAX = 150


Builder = Callable[["Parser", str, Node, int], Node]


@dataclass(frozen=True, slots=True)
class Infix:
    """An infix operator: its precedence, and the function that builds its node."""

    power: int
    right_power: int  # the right side takes operators of at least this power
    build: Builder
    is_chainable: bool = True


@dataclass(frozen=True, slots=True)
class Grammar:
    """The parts of a Parser. Each part calls the parser, so the parser can't import it."""

    term: Callable[["Parser"], Node]
    """Parses the beginning of a value."""

    interpolated: Callable[["Parser", bool], Node | None]
    """Parses `$name` inside a quoted text; (parser, is it a pattern)."""

    infix: Mapping[str, Infix]
    """The operators that may follow a value."""


class Parser:
    """A recursive descent over one Scanner. Texts within the source get a parser of their own."""

    def __init__(self, scanner: Scanner, scope: Blocks, grammar: Grammar, depth: int = 0) -> None:
        self.scanner = scanner
        self.scope = scope
        self.grammar = grammar
        self.depth = depth

    def inside(self, start: int, end: int) -> "Parser":
        """Return a parser of a part of the same source, sharing the variables."""
        part = Scanner(self.scanner.source, start, end)
        return Parser(part, self.scope, self.grammar, self.depth)

    def program(self, closer: str = "") -> Node:
        """Parse statements up to the end or a closing brace."""
        statements: list[Node] = []
        while True:
            while self.scanner.take(";"):
                pass
            if self.scanner.at_end() or (closer and self.scanner.starts(closer)):
                break
            statements.append(self.expression(LOW_OR))
            self.scope.end_statement()
            if not self.scanner.at_end() and self.scanner.peek() not in (";", closer):
                raise self.unexpected()
        return statements[0] if len(statements) == 1 else Statements(tuple(statements))

    def unexpected(self) -> ExpressionSyntaxError:
        """Return the error for a sign that stands where an operator or the end is expected."""
        operator = self.scanner.operator()
        if operator in ("if", "unless", "for", "foreach", "while", "until"):
            return self.scanner.error(f"'{operator}' is not in the language: use ?: or branch")
        if operator:
            return self.scanner.error(f"'{operator}' can't stand here")
        return self.scanner.error("expected an operator or ';'")

    def expression(self, floor: int) -> Node:
        """Parse an expression of operators that bind at least as tightly as `floor`."""
        turns.walked()
        self.depth += 1
        if self.depth > NESTING_MAX:
            raise self.scanner.error(f"nested deeper than {NESTING_MAX}")
        left = self.grammar.term(self)
        while True:
            operator = self.scanner.operator()
            infix = self.grammar.infix.get(operator)
            if infix is None or infix.power < floor:
                break
            column = self.scanner.position
            self.scanner.position += len(operator)
            left = infix.build(self, operator, left, column)
            if not infix.is_chainable:
                self._refuse_chain(infix)
        self.depth -= 1
        return left

    def _refuse_chain(self, infix: Infix) -> None:
        operator = self.scanner.operator()
        following = self.grammar.infix.get(operator)
        if following is not None and following.power == infix.power:
            raise self.scanner.error(f"'{operator}' can't follow a comparison: use parentheses")

    def list_items(self, closer: str, after: str) -> tuple[Node, ...]:
        """Parse comma-separated expressions up to a closing sign, and step over it."""
        items: list[Node] = []
        while True:
            while self.scanner.take(",") or self.scanner.take("=>"):
                pass
            if self.scanner.take(closer):
                return tuple(items)
            items.append(self.expression(ASSIGN))
            if self.scanner.peek() not in (closer, ",") and not self.scanner.starts("=>"):
                self._low_operator_hint()
                raise self.scanner.error(f"expected ',' or '{closer}' {after}")

    def _low_operator_hint(self) -> None:
        if self.scanner.at_end():
            raise self.scanner.error("the expression ends before a bracket is closed")

    def interpolated_variable(self, *, in_pattern: bool) -> Node | None:
        """Parse `$name` and its subscripts inside a quoted text; None if `$` stands for itself."""
        return self.grammar.interpolated(self, in_pattern)
