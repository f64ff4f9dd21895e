"""Source text to syntax tree: the parts of the grammar, put together.

Names are resolved while parsing, so an undeclared variable is a syntax error with its column.
"""

from tsvc.expr.parse.descent import HEIGHT_MAX, Grammar, Parser
from tsvc.expr.parse.infix import INFIX
from tsvc.expr.parse.lexer import SOURCE_MAX, Scanner
from tsvc.expr.parse.scope import Blocks
from tsvc.expr.parse.terms import parse_term
from tsvc.expr.parse.variables import parse_interpolated
from tsvc.expr.syntax import Node, measure

GRAMMAR = Grammar(parse_term, parse_interpolated, INFIX)


def parse(source: str) -> tuple[Node, int]:
    """Parse a whole source; return its tree and how many slots its variables need.

    Raises ExpressionSyntaxError with the column of the trouble.
    """
    scanner = Scanner(source)
    if len(source) > SOURCE_MAX:
        raise scanner.error(f"longer than {SOURCE_MAX} characters")
    if scanner.at_end():
        raise scanner.error("the expression is empty")
    scope = Blocks()
    tree = Parser(scanner, scope, GRAMMAR).program()
    if measure(tree)[1] > HEIGHT_MAX:
        raise scanner.error(f"more than {HEIGHT_MAX} operators within one another", 0)
    return tree, scope.slot_count
