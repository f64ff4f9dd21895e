"""Texts on which regular expressions of the product might need time that grows with the square.

They are derived from the expression: the text before a repetition, then the repeated text, alone
or with other parts, some thousand times, and an end that does not match.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from random import Random
from re import _constants as signs  # type: ignore[attr-defined]  # how Python itself reads one
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import tsvc

CHARACTERS = 8_000
_MOST = 40  # units of one expression
_ANY = "a1_x -./'\"\\{[(=:;,&%$@+*<>~#!\n\0é"
_CATEGORIES = {
    signs.CATEGORY_DIGIT: r"\d",
    signs.CATEGORY_NOT_DIGIT: r"\D",
    signs.CATEGORY_SPACE: r"\s",
    signs.CATEGORY_NOT_SPACE: r"\S",
    signs.CATEGORY_WORD: r"\w",
    signs.CATEGORY_NOT_WORD: r"\W",
}
_REPEATS = (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT)
# Modules that no client of a daemon and no peer reaches; and importers of Locust, which patches.
_LEFT_OUT = ("tsvc.commands", "tsvc.pytest_plugin", "tsvc.cli", "tsvc.import_n2",
             "tsvc.docs_generator", "tsvc.kinds.osd.wsdl", "tsvc.cluster")  # fmt: skip

Pattern = re.Pattern[str] | re.Pattern[bytes]


def every() -> Iterator[tuple[str, Pattern]]:
    """Yield (where, pattern) for all patterns in modules, alone or in a dict or sequence."""
    for found in pkgutil.walk_packages(tsvc.__path__, "tsvc."):
        if found.name.startswith(_LEFT_OUT):
            continue
        for name, value in vars(importlib.import_module(found.name)).items():
            several: Iterable[Any] = value.values() if isinstance(value, dict) else [value]
            if isinstance(value, list | tuple):
                several = value
            for one in several:
                if isinstance(one, re.Pattern):
                    yield f"{found.name}.{name}", one


def texts(pattern: Pattern) -> Iterator[str]:
    """Yield long texts for a pattern; for a pattern of bytes, texts in Latin-1."""
    is_octets = isinstance(pattern.pattern, bytes)
    flags = pattern.flags & ~re.UNICODE if is_octets else pattern.flags
    reader = _Reader()
    reader.sample(parser.parse(pattern.pattern, flags), "")
    units = sorted(reader.units())
    Random(1).shuffle(units)
    for before, unit in units[:_MOST]:
        for end in ("", "\0"):
            yield before + unit * (CHARACTERS // len(unit)) + end


class _Reader:
    """Reads a pattern: the shortest text for each repetition, with the text before it."""

    def __init__(self) -> None:
        self._repeated: list[tuple[str, str]] = []
        self._literals: set[str] = set()

    def units(self) -> set[tuple[str, str]]:
        found = set()
        for before, one in self._repeated:
            others = {"", *self._literals, *(other for _, other in self._repeated)}
            found |= {(lead, one + other) for other in others for lead in ("", before)}
        return {(before, unit) for before, unit in found if unit}

    def sample(self, tree: Any, before: str) -> str:
        """Return a text that matches a part of a pattern."""
        text = run = ""
        for kind, given in tree:
            run = run + chr(given) if kind is signs.LITERAL else ""
            self._literals.add(run)
            text += self._one(kind, given, before + text)
        return text

    def _one(self, kind: Any, given: Any, before: str) -> str:
        if kind is signs.LITERAL:
            return chr(given)
        if kind is signs.NOT_LITERAL:
            return "b" if given == ord("a") else "a"
        if kind is signs.ANY:
            return "a"
        if kind is signs.IN:
            return _of_set(given)
        if kind is signs.BRANCH:
            samples = [self.sample(one, before) for one in given[1]]
            return samples[0]
        if kind is signs.SUBPATTERN:
            return self.sample(given[3], before)
        if kind is signs.ATOMIC_GROUP:
            return self.sample(given, before)
        if kind in _REPEATS:
            least, _, part = given
            one = self.sample(part, before)
            self._repeated.append((before, one))
            return one * max(int(least), 1)
        return ""  # anchors, references, lookarounds


def _of_set(parts: list[tuple[Any, Any]]) -> str:
    """Return a character of a set."""
    is_negated = parts[0][0] is signs.NEGATE
    fitting = (one for one in _ANY if any(_has(*part, one) for part in parts) != is_negated)
    return next(fitting, "") or chr(parts[0][1][0] if parts[0][0] is signs.RANGE else parts[0][1])


def _has(kind: Any, given: Any, one: str) -> bool:
    if kind is signs.LITERAL:
        return bool(one == chr(given))
    if kind is signs.RANGE:
        return bool(given[0] <= ord(one) <= given[1])
    return kind is signs.CATEGORY and re.fullmatch(_CATEGORIES[given], one) is not None
