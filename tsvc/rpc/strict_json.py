"""Strict JSON in, fast JSON out.

Requests come from strangers, so they are read by the only parser that can refuse everything that
RFC 8259 leaves open or forbids: the standard library's, with hooks. A hook does not know its
position; it leaves a mark in the tree, and only a marked tree is searched for the position.
Responses are our own and are written by ujson.
"""

import json
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import accumulate, islice
from math import isfinite
from typing import Final

import ujson

from tsvc import turns
from tsvc.errors import RequestError
from tsvc.numbers import float_of_literal
from tsvc.rpc import json_portions
from tsvc.words import kind_of, member_path, shown

MAX_DEPTH = 64
_LARGE = 16 * 1024  # characters; from here on a text is read in portions
_RESULT_DEPTH = 200  # far above any of our results, far below the depth that ujson refuses

# A string or the unfinished rest of one. Possessive: garbage must not make it backtrack.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_STRING_OR_BRACKET = re.compile(_STRING.pattern + r"|[\[\]{}]", re.DOTALL)
_NO_BRACKETS = re.compile(r"[^\[\]{}]+")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONG_INTEGER = re.compile(r"[0-9]{4301}")
_STEP: Final = {"[": 1, "{": 1, "]": -1, "}": -1}


class _Mark:
    """Marks a value of the parsed tree that must be refused."""

    __slots__ = ("member", "text")

    def __init__(self, text: str, member: str | None = None) -> None:
        self.text = text
        self.member = member  # the member at fault, if it is not the value itself


def parse(octets: bytes) -> object:
    """Parse one JSON text of UTF-8 octets.

    Returns: dict, list, str, int, float, bool or None. Integers keep every digit, and so do
             other numbers: one that no double is, is an ExactFloat.
    Errors:  RequestError naming the place for: invalid UTF-8, a byte order mark, any syntax
             error, leading zeros, nesting above MAX_DEPTH, duplicate members, NaN, Infinity,
             numbers beyond a double (1e999), integers of more than 4300 digits, and lone
             surrogates. Time grows linearly with the length, whatever the octets are.
    Blocks:  in a large text for turns of others, if yielding is enabled.
    """
    text = _decode(octets)
    if text.startswith("\ufeff"):
        place = _place(text, 0)
        raise _refusal(f"{place}: JSON syntax: a byte order mark is not allowed", "json.syntax")
    marks: list[_Mark] = []
    document = _load(text, marks)
    if marks:
        _raise_first_mark(document)
    if _SURROGATE_ESCAPE.search(text):
        _check_surrogates(document)
    return document


def parse_object(octets: bytes) -> dict[str, object]:
    """Parse one JSON text that must be an object. Errors: as parse()."""
    document = parse(octets)
    if not isinstance(document, dict):
        raise _refusal(f"the request is {kind_of(document)}, not one object", "json.not_object")
    return document


def encode(value: object) -> bytes:
    """Return the JSON text of a value, in ASCII octets.

    JSON has no NaN or Infinity: such a float becomes null. A value nested deeper than 200 levels
    becomes the string "…". Errors: TypeError if a value has no JSON form (bytes, sets, objects).
    Blocks: in a large value for turns of others, if yielding is enabled.
    """
    # Not joined at the end: to touch 30 MiB of new memory takes 20 ms, in which nobody else runs.
    octets = BytesIO()
    for piece in json_portions.texts(value, _text, _RESULT_DEPTH):
        octets.write(piece)
    return octets.getvalue()


def _text(value: object, levels: int) -> bytes:
    try:
        return _dumps(value)
    except OverflowError:
        return _dumps(_without_overflow(value, levels))


def _dumps(value: object) -> bytes:
    return ujson.dumps(value, escape_forward_slashes=False, allow_nan=False).encode("ascii")


def _refusal(message: str, kind: str, path: str | None = None) -> RequestError:
    return RequestError(message, kind=kind, fields={path: [message]} if path else None)


def _decode(octets: bytes) -> str:
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refusal(f"invalid UTF-8 at octet {error.start}", "json.encoding") from None


def _place(text: str, index: int) -> str:
    line = text.count("\n", 0, index) + 1
    column = index - text.rfind("\n", 0, index)
    return f"line {line} column {column}"


def _check_depth(text: str, too_deep: Callable[[int], RequestError]) -> None:
    """Raise the error for deep nesting before the parser, which recurses, reads the text."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    brackets = _NO_BRACKETS.sub("", _STRING.sub("", text))
    depths = accumulate(map(_STEP.__getitem__, brackets))
    number = next((k for k, depth in enumerate(depths) if depth > MAX_DEPTH), None)
    if number is None:
        return
    found = (token for token in _STRING_OR_BRACKET.finditer(text) if token[0][0] != '"')
    bracket = next(islice(found, number, None))
    raise too_deep(bracket.start())


def _load(text: str, marks: list[_Mark]) -> object:
    def mark(text: str, member: str | None = None) -> _Mark:
        marks.append(_Mark(text, member))
        return marks[-1]

    def members(pairs: json_portions.Pairs) -> object:
        turns.walked()
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        return mark("duplicate member", _first_duplicate(pairs))

    def number(literal: str) -> object:
        turns.walked()
        value = float_of_literal(literal)
        return value if isfinite(value) else mark(f"the number {shown(literal)} is too large")

    def constant(literal: str) -> object:
        return mark(f"{literal} is not a JSON number")

    def too_deep(at: int) -> RequestError:
        return _refusal(f"{_place(text, at)}: nesting over {MAX_DEPTH} levels", "json.depth")

    decoder = json.JSONDecoder(
        object_pairs_hook=members, parse_float=number, parse_constant=constant
    )
    try:
        if len(text) < _LARGE:
            _check_depth(text, too_deep)
            return decoder.decode(text)
        return json_portions.Reader(text, decoder, members, too_deep, MAX_DEPTH).read()
    except json.JSONDecodeError as error:
        place = _place(text, error.pos)
        raise _refusal(f"{place}: JSON syntax: {_reason(error)}", "json.syntax") from None
    except ValueError:
        # The only other ValueError is the limit on digits that protects int() from quadratic time.
        digits = _LONG_INTEGER.search(text)
        place = _place(text, digits.start() if digits else 0)
        raise _refusal(f"{place}: an integer of over 4300 digits", "json.number") from None


def _reason(error: json.JSONDecodeError) -> str:
    return error.msg[0].lower() + error.msg[1:].removesuffix(" at")


def _first_duplicate(pairs: list[tuple[str, object]]) -> str:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    raise AssertionError("no duplicate")


def _walk(document: object) -> Iterator[tuple[str, object]]:
    """Yield (path, value) of a tree of bounded depth, in the order of the text."""
    stack: list[Iterator[tuple[str, object]]] = [iter([("", document)])]
    while stack:
        for path, value in stack[-1]:
            turns.walked()
            yield path, value
            if isinstance(value, dict | list):
                stack.append(_items(path, value))
                break
        else:
            stack.pop()


def _items(path: str, value: dict[str, object] | list[object]) -> Iterator[tuple[str, object]]:
    named = value.items() if isinstance(value, dict) else enumerate(value)
    return ((member_path(path, name), item) for name, item in named)


def _raise_first_mark(document: object) -> None:
    for path, value in _walk(document):
        if isinstance(value, _Mark):
            place = path if value.member is None else member_path(path, value.member)
            raise _refusal(f"{place or 'request'}: {value.text}", "json.value", place or "request")


def _check_surrogates(document: object) -> None:
    for path, value in _walk(document):
        if isinstance(value, str) and _SURROGATE.search(value):
            raise _refusal(f"{path or 'request'}: a lone surrogate", "json.surrogate", path)
        if isinstance(value, dict):
            for name in value:
                if _SURROGATE.search(name):
                    place = member_path(path, name)
                    raise _refusal(f"{place}: a lone surrogate in a name", "json.surrogate", place)


def _without_overflow(value: object, levels: int) -> object:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if not isinstance(value, dict | list | tuple):
        return value
    if levels == 0:
        return "…"
    if isinstance(value, dict):
        return {name: _without_overflow(item, levels - 1) for name, item in value.items()}
    return [_without_overflow(item, levels - 1) for item in value]
