"""No regular expression needs time that grows with the square of a given text."""

import re
from collections import deque
from time import thread_time_ns

from slices.meter import scale
from slices.regexes import CHARACTERS, Pattern, every, texts

_BOUND_MS = 10.0 * CHARACTERS / 8_000  # of one search; one in linear time takes a tenth
# The methods that call patterns which would be slow if they searched through a text.
HELD = {
    "tsvc.engine.result.metrics._OF_OPERATION": "fullmatch",
    "tsvc.expr.values._SPECIAL": "match",
    "tsvc.kinds.db.values._SCALED_INTEGER": "fullmatch",
    "tsvc.kinds.outside.loading._SPEC": "fullmatch",
    "tsvc.kinds.rest.fast_path.answers._LOOKED_AT": "fullmatch",
    "tsvc.protocols.http_digest._PART": "match",
    "tsvc.rpc.json_portions._ITEMS": "match",
    "tsvc.words._SECRET": "fullmatch",
}


def test_texts_find_what_grows_with_the_square() -> None:
    assert _slow(re.compile(r"\$\s*\{?\s*i\b")) is not None
    assert _slow(re.compile(r"([^&=]+)=([^&]*)")) is not None
    assert _slow(re.compile(r"\$\s*+(?:\{\s*+)?i\b")) is None


def test_no_pattern_is_slow() -> None:
    patterns = {one.pattern: (name, one) for name, one in every()}
    found = {name: _slow(one, HELD.get(name, "finditer")) for name, one in patterns.values()}
    assert {name: text for name, text in found.items() if text is not None} == {}


def _slow(pattern: Pattern, asked: str = "finditer") -> str | None:
    """Return the beginning of a text on which the pattern is too slow."""
    for text in texts(pattern):
        if (
            _ms(pattern, asked, text) > _BOUND_MS
            and _ms(pattern, asked, text) > _BOUND_MS * scale()
        ):
            return text[:40]
    return None


def _ms(pattern: Pattern, asked: str, text: str) -> float:
    given = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
    began = thread_time_ns()
    found = getattr(pattern, asked)(given)
    if asked == "finditer":
        deque(found, maxlen=0)
    return (thread_time_ns() - began) / 1e6
