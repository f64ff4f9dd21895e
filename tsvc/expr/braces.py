"""Braces inside a text that is not wholly in braces: it is sent as it stands.

Users of other tools expect `/balance/{$v->{msisdn}}` to be filled in. It is not, so it is
reported, with the spelling that works: `{'/balance/' . $v->{msisdn}}`. A brace that is meant is
written `\\{`.
"""

import re
from collections.abc import Iterator
from contextlib import suppress

from tsvc import turns
from tsvc.errors import ExpressionSyntaxError
from tsvc.expr.expression import compile_expression
from tsvc.words import cut

# A brace before a variable, a quoted text, or a function's name.
_BEGINNING = re.compile(r"(\\?)(\{)\s*+(?:(\$)[\w{]|[\"']|[a-z_][a-z_0-9]*+\()")
_MOST = 100  # such beginnings of a text are looked at
_LONGEST = 200  # characters of an expression that is looked for
_CLOSINGS = 8  # closing braces that may end it
_SHOWN = 80  # characters: the right spelling of a longer text is only outlined


class _Braces:
    """Braces of a text that hold an expression. `end` is None if it can't be parsed."""

    def __init__(self, text: str, found: re.Match[str]) -> None:
        self.start = found.start(2)
        self.is_escaped = bool(found[1])
        self.end = _end(text, self.start)
        self.is_meant = self.end is None and found[3] is None


def unescaped(text: str) -> tuple[str, str | None]:
    """Return a text as it is sent, and its warning or None.

    `\\{` becomes `{` at the beginning of the text, and before an expression.
    """
    if "{" not in text:
        return text, None
    warning = None
    parts: list[str] = []
    done = _beginning(text)
    for braces in _all(text):
        if braces.is_escaped:
            parts.append(text[done : max(done, braces.start - 1)])
            done = braces.start
        elif warning is None:
            warning = (
                f"holds {_written(text, braces)}, which is not evaluated: only a text wholly in"
                f" braces is an expression; write {_spelling(text)}, or \\{{ for a literal brace"
            )
    return "".join([*parts, text[done:]]), warning


def _beginning(text: str) -> int:
    return 1 if text.startswith("\\{") else 0


def _all(text: str) -> Iterator[_Braces]:
    position = 0
    for _ in range(_MOST):
        found = _BEGINNING.search(text, position)
        if found is None:
            return
        turns.walked(turns.PORTION)
        braces = _Braces(text, found)
        position = braces.end or found.end(2)
        if not braces.is_meant:
            yield braces


def _end(text: str, start: int) -> int | None:
    """Return the position after the brace that ends the expression which begins at `start`."""
    end = start
    for _ in range(_CLOSINGS):
        end = text.find("}", end + 1, start + _LONGEST)
        if end < 0:
            return None
        with suppress(ExpressionSyntaxError):
            compile_expression(text[start + 1 : end])
            return end + 1
    return None


def _written(text: str, braces: _Braces) -> str:
    return cut(text[braces.start : braces.end], _SHOWN // 2)


def _spelling(text: str) -> str:
    """Return the expression that was meant; of a long or wrong text only its form."""
    parts = []
    done = _beginning(text)
    for braces in _all(text):
        if len(text) > _SHOWN or braces.end is None:
            return "{'text' . $v->{name} . 'text'}"
        if not braces.is_escaped:
            parts += [_quoted(text[done : braces.start]), text[braces.start + 1 : braces.end - 1]]
            done = braces.end
    parts.append(_quoted(text[done:]))
    return "{" + " . ".join(part.strip() for part in parts if part != "''") + "}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
