"""Templates: JSON values in which strings of the form "{ ... }" are expressions.

Only a string that begins with `{` and ends with `}` is an expression; `\\{` at the beginning is a
literal brace, and also before an expression inside a text (braces.py). Keys are never expressions.
"""

from collections.abc import Callable
from contextlib import suppress

from tsvc import turns
from tsvc.errors import ExpressionFailed, ExpressionSyntaxError, Problem
from tsvc.expr.braces import unescaped
from tsvc.expr.environment import Environment
from tsvc.expr.expression import Expression, Note, compile_expression, no_note
from tsvc.expr.values import NESTING_MAX, Undefined, Value, plain

Render = Callable[[Environment], Value]


class Template:
    """A compiled value. It holds no state: any number of instances may share it."""

    __slots__ = ("_render", "_value", "is_constant")

    def __init__(self, value: Value, render: Render | None = None) -> None:
        self._value = value
        self._render = render
        self.is_constant = render is None

    def render(self, env: Environment) -> Value:
        """Return the value with every expression evaluated.

        A constant template, and every constant part of another one, returns the same prepared
        object each time: do not change it. The values of expressions are separate copies.
        Errors: ExpressionFailed, its text beginning with the path of the expression.
        Blocks: only as far as env.tick does.
        """
        return self._value if self._render is None else self._render(env)


def is_expression(value: object) -> bool:
    """Return True if a JSON value is a string that holds an expression."""
    return isinstance(value, str) and value.startswith("{") and value.endswith("}")


def compile_template(
    value: Value,
    path: str,
    problems: list[Problem],
    *,
    is_expected: bool = False,
    is_sent: bool = False,
    note: Note = no_note,
) -> Template:
    """Compile a JSON value; add problems to `problems` with their paths.

    is_expected: the value is compared; an expression that returns undef gives an Undefined.
    is_sent: the value is sent; an expression that returns undef is reported to env.undefined.
    note: is called with each expression.
    A wrong part renders as None: the caller refuses the definition anyway.
    """
    return _Compiler(problems, is_expected, is_sent, note).compiled(value, path, NESTING_MAX)


def compile_always(
    source: object, path: str, problems: list[Problem], note: Note = no_note
) -> Expression | None:
    """Compile a string that is an expression with or without braces around (eval, branch).

    Return None, and add a problem at `path`, if it can't be parsed.
    """
    if not isinstance(source, str):
        problems.append(Problem(path, "an expression is a text"))
        return None
    expression = None
    if is_expression(source):
        # `{a => 1}` is complete with its braces: then report the error of the whole text
        with suppress(ExpressionSyntaxError):
            expression = compile_expression(source[1:-1])
    try:
        expression = expression or compile_expression(source)
    except ExpressionSyntaxError as error:
        problems.append(Problem(path, str(error)))
        return None
    note(path, expression)
    return expression


class _Compiler:
    """Compiles one value."""

    def __init__(
        self, problems: list[Problem], is_expected: bool, is_sent: bool, note: Note
    ) -> None:
        self._problems = problems
        self._is_expected = is_expected
        self._is_sent = is_sent
        self._note = note

    def compiled(self, value: Value, path: str, depth: int) -> Template:
        turns.walked()
        if isinstance(value, str):
            return self._text(value, path)
        if not isinstance(value, (dict, list)):
            return Template(value)
        if depth == 0:
            self._problems.append(Problem(path, f"nested deeper than {NESTING_MAX}"))
            return Template(None)
        if isinstance(value, dict):
            return self._dict(value, path, depth - 1)
        return self._list(value, path, depth - 1)

    def _text(self, value: str, path: str) -> Template:
        if not is_expression(value):
            return Template(self._plain(value, path))
        source = value[1:-1]
        try:
            expression = compile_expression(source)
        except ExpressionSyntaxError as error:
            shown = ExpressionSyntaxError(error.text, value, error.column + 1)
            self._problems.append(Problem(path, f"{shown}\n(for a literal brace write \\{{)"))
            return Template(None)
        self._note(path, expression)
        otherwise = Undefined.by(source.strip()) if self._is_expected else None
        if expression.is_constant:
            found = expression.evaluate(_NOTHING)
            if found is None and self._is_sent:
                self._problems.append(Problem(path, "is always undefined", "warning"))
            return Template(otherwise if found is None else found)
        return Template(None, _expression_render(expression, path, otherwise, self._is_sent))

    def _plain(self, text: str, path: str) -> str:
        """Return a text that is no expression; report what looks like one inside."""
        text, warning = unescaped(text)
        if warning is not None:
            self._problems.append(Problem(path, warning, "warning"))
        return text

    def _dict(self, value: dict[str, Value], path: str, depth: int) -> Template:
        prepared: dict[str, Value] = {}
        renders: list[tuple[str, Render]] = []
        for key, item in value.items():
            below = f"{path}.{key}" if path else key
            if is_expression(key):
                self._problems.append(Problem(below, "a name is never an expression", "warning"))
            template = self.compiled(item, below, depth)
            prepared[key] = template._value
            if template._render is not None:
                renders.append((key, template._render))
        if not renders:
            return Template(prepared)

        def render(env: Environment) -> Value:
            result = prepared.copy()
            for key, render_item in renders:
                result[key] = render_item(env)
            return result

        return Template(None, render)

    def _list(self, value: list[Value], path: str, depth: int) -> Template:
        prepared: list[Value] = []
        renders: list[tuple[int, Render]] = []
        for position, item in enumerate(value):
            template = self.compiled(item, f"{path}[{position}]", depth)
            prepared.append(template._value)
            if template._render is not None:
                renders.append((position, template._render))
        if not renders:
            return Template(prepared)

        def render(env: Environment) -> Value:
            result = prepared.copy()
            for position, render_item in renders:
                result[position] = render_item(env)
            return result

        return Template(None, render)


def _unavailable() -> float:
    raise ExpressionFailed("a constant has no time or random numbers")


# Constants use nothing of it.
_NOTHING = Environment({}, {}, {}, {}, random=_unavailable, now=_unavailable)


def _expression_render(
    expression: Expression, path: str, otherwise: Value, is_sent: bool
) -> Render:
    evaluate = expression.evaluate

    def render(env: Environment) -> Value:
        try:
            value = evaluate(env)
            if value is None:
                if is_sent and env.undefined is not None:
                    env.undefined(path, expression.source.strip())
                return otherwise
            if isinstance(value, (list, dict, float)):
                return plain(value, tick=env.tick)
            return value
        except ExpressionFailed as failure:
            raise ExpressionFailed(f"{path}: {failure}") from None

    return render
