"""Perl patterns on RE2: time grows linearly with the text, whatever the pattern.

Most of Perl's syntax is RE2's. Constructs that need backtracking (backreferences, look-around,
atomic and possessive groups) do not exist here. They are an error with its position.
"""

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import Any

import re2

from tsvc import turns
from tsvc.errors import ExpressionSyntaxError
from tsvc.memo import Memo

PATTERN_FLAGS = "imsx"

# Escapes that RE2 lacks, outside and inside a bracketed class.
_ESCAPES = {"s": r"[\s\v]", "S": r"[^\s\v]", "h": r"[ \t]", "e": r"\x1b", "Z": "$"}
_CLASS_ESCAPES = {"s": r"\s\v", "h": r" \t", "e": r"\x1b", "b": r"\x08"}
_REASONS = {
    "invalid perl operator": "look-around, conditions and atomic groups are not supported",
    "invalid escape sequence": "this escape is not supported (backreferences never are)",
    "bad repetition operator": "possessive and doubled repetitions are not supported",
    "invalid repetition size": "a repetition count goes up to 1000",
}


class PatternError(Exception):
    """A pattern can't be used; `offset` is a position in the translated pattern."""

    def __init__(self, text: str, offset: int) -> None:
        super().__init__(text)
        self.text = text
        self.offset = offset


def escape(text: str) -> str:
    """Return pattern text that matches a text literally (quotemeta)."""
    escaped: str = re2.escape(text)
    return escaped


class Regex:
    """A compiled pattern with Perl's meaning of `$` and `^`.

    `$` also matches before a final newline; `^` of lines (flag m) does not match after it.
    """

    __slots__ = ("_begins_line", "_regexp", "_sees_end", "groups")

    def __init__(self, regexp: Any, sees_end: bool, begins_line: bool) -> None:
        self._regexp = regexp
        self._sees_end = sees_end
        self._begins_line = begins_line
        self.groups: int = regexp.groups

    def search(self, text: str) -> Any:
        """Return the first match, None if there is none. Lone surrogates never match."""
        try:
            found = self._regexp.search(text)
            if self._sees_end and text.endswith("\n"):
                before = self._regexp.search(text[:-1])
                if before is not None and (found is None or before.start() < found.start()):
                    return before
        except UnicodeEncodeError:
            return None
        return None if found is not None and self._is_after_all_lines(found, text) else found

    def _is_after_all_lines(self, found: Any, text: str) -> bool:
        return self._begins_line and found.start() == len(text) > 0

    def each(self, text: str) -> Iterator[Any]:
        """Yield all matches from left to right."""
        if not (self._sees_end and text.endswith("\n")):
            yield from self._matches(text)
            return
        end, before = 0, None
        both = merge(
            self._matches(text), self._matches(text[:-1]), key=lambda found: found.start()
        )
        for found in both:
            if found.start() >= end and found.span() != before:
                yield found
                end, before = found.end(), found.span()

    def _matches(self, text: str) -> Iterator[Any]:
        before = None
        try:
            for found in self._regexp.finditer(text):
                # RE2's iterator returns an empty match twice if it had to search for it.
                if found.span() != before and not self._is_after_all_lines(found, text):
                    yield found
                before = found.span()
        except UnicodeEncodeError:
            return


# Octets of one pattern; RE2 gets slower, not wrong, when its tables do not fit.
_MEMORY_MAX = 2 * 1024 * 1024


def compile_pattern(pattern: str, flags: str) -> Regex:
    """Compile a translated pattern; flags of i, m, s. Errors: PatternError."""
    return _COMPILED[pattern, flags]


def _compile(key: tuple[str, str]) -> Regex:
    pattern, flags = key
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY_MAX
    kept = "".join(flag for flag in "ims" if flag in flags)
    prefix = f"(?{kept})" if kept else ""
    try:
        regexp = re2.compile(prefix + pattern, options)
    except re2.error as failure:
        raise _explain(failure, pattern) from None
    except UnicodeEncodeError:
        raise PatternError("the pattern has a lone surrogate", 0) from None
    begins_line = pattern.startswith("^") and "|" not in pattern and "m" in kept
    return Regex(regexp, "$" in pattern and "m" not in kept, begins_line)


_COMPILED = Memo("patterns, compiled", 128, _compile)


def _explain(failure: Exception, pattern: str) -> PatternError:
    raw = failure.args[0] if failure.args else b""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    reason, _, fragment = text.partition(": ")
    offset = pattern.find(fragment) if fragment else -1
    if fragment == pattern:  # it says what is wrong, not where
        offset = _unmatched(pattern)
    advice = _REASONS.get(reason)
    message = f"{text} ({advice})" if advice else text
    return PatternError(message, max(offset, 0))


def _unmatched(pattern: str) -> int:
    """Return the offset of a bracket without its counterpart, 0 if there is none."""
    opened: list[int] = []
    escaped = in_class = False
    for at, sign in enumerate(pattern):
        if escaped or sign == "\\":
            escaped = not escaped
        elif in_class:
            if sign == "]":
                in_class = False
                opened.pop()
        elif sign in "([":
            in_class = sign == "["
            opened.append(at)
        elif sign == ")":
            if not opened:
                return at
            opened.pop()
    return opened[-1] if opened else 0


def compile_user_pattern(pattern: str) -> Regex:
    """Compile a pattern given as plain text, such as a test's `pattern`.

    Errors: ExpressionSyntaxError with the column in the pattern.
    """
    translated = "".join(text for text, _ in translate(pattern, ""))
    try:
        return compile_pattern(translated, "")
    except PatternError as failure:
        raise ExpressionSyntaxError(failure.text, pattern, failure.offset) from None


def translate(source: str, flags: str) -> Sequence[tuple[str, int]]:
    """Return (RE2 text, offset in source) pieces of pattern text without variables.

    Blanks and comments are removed under the flag x; \\Q ... \\E is left to the caller.
    """
    return list(_pieces(source, "x" in flags))


def _pieces(source: str, is_extended: bool) -> Iterator[tuple[str, int]]:
    at, in_class = 0, False
    while at < len(source):
        turns.walked()
        start, sign = at, source[at]
        at += 1
        if sign == "\\" and at < len(source):
            known = _CLASS_ESCAPES if in_class else _ESCAPES
            letter = source[at]
            at += 1
            yield known.get(letter, "\\" + letter), start
        elif in_class:
            if sign == "[" and source.startswith(":", at):
                end = source.find(":]", at)
                at = end + 2 if end > 0 else at
                yield source[start:at], start
                continue
            in_class = sign != "]"
            yield sign, start
        elif sign == "[":
            at = _class_start(source, at)
            in_class = True
            yield source[start:at], start
        elif is_extended and sign.isspace():
            continue
        elif is_extended and sign == "#":
            newline = source.find("\n", at)
            at = len(source) if newline < 0 else newline + 1
        else:
            yield sign, start


def _class_start(source: str, at: int) -> int:
    """Return the position after `[`, `[^`, and a `]` that is the first member."""
    if source.startswith("^", at):
        at += 1
    return at + 1 if source.startswith("]", at) else at
