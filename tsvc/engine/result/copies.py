"""Bounded copies of an instance's values, to be shown: plain trees that nobody changes later.

Expressions may build cycles, and small values that print as gigabytes (`$v->{a} = [$v->{a},
$v->{a}]`, thirty times). A result shows only the beginning of such values: the rest reads "…".
"""

import re
from math import isfinite
from typing import Any

from tsvc import turns
from tsvc.numbers import ExactFloat
from tsvc.words import in_words

MAX_DEPTH = 64  # as deep as a request may nest
MAX_WEIGHT = 1 << 20  # characters, a value counts as 8 more
MAX_TEXT = 4096  # characters
_CUT = "…"


class _Copier:
    def __init__(self, weight: int) -> None:
        self.weight = weight

    def copy(self, value: Any, depth: int) -> Any:
        turns.walked()
        self.weight -= 8
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, ExactFloat):
            return value.literal
        if isinstance(value, float):
            return value if isfinite(value) else None
        if not isinstance(value, dict | list | tuple):
            return value
        if depth == 0 or self.weight <= 0:
            return _CUT
        if isinstance(value, dict):
            return {
                self._text(key): self.copy(item, depth - 1)
                for key, item in value.items()
                if self.weight > 0
            }
        return [self.copy(item, depth - 1) for item in value if self.weight > 0]

    def _text(self, text: str) -> str:
        if len(text) > max(self.weight, 0):
            text = text[: max(self.weight, 0)] + _CUT
        self.weight -= len(text)
        return text


def bounded_text(text: str) -> str:
    """Return a text that people read, such as a reason: its beginning, if it is very long."""
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + _CUT


def shown_copy(value: Any, weight: int = MAX_WEIGHT) -> Any:
    """Return a copy of a JSON value with at most about `weight` characters; NaN reads null.

    Blocks: for turns of others, if yielding is enabled.
    """
    return weighed_copy(value, weight)[0]


def weighed_copy(value: Any, weight: int = MAX_WEIGHT) -> tuple[Any, int]:
    """Return shown_copy() and about how many characters there are in it."""
    if value is None or type(value) is int:
        return value, 8
    copier = _Copier(weight)
    return copier.copy(value, MAX_DEPTH), weight - copier.weight


# Values, which differ between instances: quoted text, numbers that are no index, long hex.
_VALUES = re.compile(
    r"""'[^']*'|"[^"]*"|(?<![\w\[.])-?\d+(?:[.,:]\d+)*(?:e[+-]?\d+)?(?![\w\]])|\b[0-9a-f]{8,}\b"""
)


# Endings of a check's text that say already how a value differs.
_KINDS = (" differs", " is absent", " must be absent", " must be something else")


def without_values(text: str) -> str:
    """Return a reason without the values in it, which differ between instances."""
    return _VALUES.sub(_CUT, text)


def cause_of(text: str, expected: object, got: object) -> str:
    """Return the cause of a failed check: what was compared and how it differs, no values."""
    if (expected is None and got is None) or text.endswith(_KINDS):
        return without_values(text)
    if got is None:
        return f"{text}: is absent"
    return f"{text}: is there" if expected is None else f"{text}: differs"


def failure_text(text: str, expected: object, got: object) -> str:
    """Return a failed check in words."""
    if expected is None and got is None:
        return text
    return f"{text}: expected {in_words(expected)}, got {in_words(got)}"
