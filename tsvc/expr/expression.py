"""compile_expression: source text to something that evaluates."""

# The closures register themselves with the compiler.
from tsvc.expr.compile import assignment, calls, operators, patterns, variables
from tsvc.expr.compile.compiler import condition, scalar
from tsvc.expr.environment import TICK_STEPS, Environment, Frame
from tsvc.expr.parse.parser import parse
from tsvc.expr.syntax import Constant, measure
from tsvc.expr.values import Value

CLOSURES = (
    operators,
    variables,
    assignment,
    patterns,
    calls,
)


class Expression:
    """A compiled expression. It holds no state: any number of instances may share it."""

    __slots__ = ("_condition", "_cost", "_run", "_slot_count", "is_constant", "source")

    def __init__(self, source: str) -> None:
        tree, self._slot_count = parse(source)
        self.source = source
        self.is_constant = isinstance(tree, Constant)
        self._cost = measure(tree)[0]
        self._run = scalar(tree)
        self._condition = condition(tree)

    def evaluate(self, env: Environment) -> Value:
        """Return the value, in Perl's scalar context; it may share containers with `env`.

        Errors: ExpressionFailed, with the reason; what was assigned before stays assigned.
        Blocks: only as far as env.tick does.
        """
        return self._run(self._frame(env))

    def test(self, env: Environment) -> bool:
        """Return the truth of the value, as `branch` needs it. Errors as evaluate."""
        return self._condition(self._frame(env))

    def _frame(self, env: Environment) -> Frame:
        frame = Frame(env, self._slot_count)
        frame.steps = self._cost
        if self._cost >= TICK_STEPS:
            frame.step(0)
        return frame


def compile_expression(source: str) -> Expression:
    """Compile an expression of the language (docs/reference/expressions.md).

    Errors: ExpressionSyntaxError with the column.
    """
    return Expression(source)
