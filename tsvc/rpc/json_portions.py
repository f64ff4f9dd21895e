"""JSON in portions: a large text is read, and a large value written, while others run.

The standard library's reader and ujson do this in one go, which for a MiB of small values takes a
tenth of a second. Here they get portions of some hundreds or thousands of values. The containers
around the portions are read and written step by step.
"""

import json
import re
from collections.abc import Callable, Iterator
from json import JSONDecodeError, JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed lacks it
from typing import Any

from tsvc import turns
from tsvc.numbers import ExactFloat, float_of_literal, loads_exactly

_VALUES = 256  # in a portion that is read
# Values in a portion that is written: ujson takes a third of a millisecond for so many. To count
# them takes twice as long, so a value that is not larger is written in one go.
_MOST_WRITTEN = 4096
_SIGNS_WRITTEN = 1 << 16  # of a string in one go
_SIGNS_A_VALUE = _SIGNS_WRITTEN // _MOST_WRITTEN
_SMALL = frozenset((int, float, bool, type(None)))
_SIGNS = 200  # of a container in a portion, strings left out

_STRING = r'"[^"\\]{0,10000}+(?:\\.[^"\\]{0,10000}+){0,200}+"'
_INSIDE = rf'(?:{_STRING}|[^"\[\]{{}}]){{0,{_SIGNS}}}+'
# A portion may hold strings, numbers, words, and short containers of only these. The reader that
# gets the portion finds out if they are well formed.
_LEAF = rf"(?:{_STRING}|[\w.+-]++|\[{_INSIDE}\]|\{{{_INSIDE}\}})"
_ITEMS = re.compile(rf"(?:\s*+{_LEAF}\s*+,){{2,{_VALUES}}}+", re.DOTALL | re.ASCII)
_MEMBERS = re.compile(
    rf"(?:\s*+{_STRING}\s*+:\s*+{_LEAF}\s*+,){{2,{_VALUES}}}+", re.DOTALL | re.ASCII
)
_BLANKS = re.compile(r"[ \t\n\r]*+")

Pairs = list[tuple[str, Any]]
_LARGE = 1 << 14  # signs of a text that is read in portions
MOST_NESTED = 64  # levels of such a text


def read_json(text: str) -> Any:
    """Return the value of a text as the standard library reads it, which accepts more than JSON.

    Numbers keep their digits.

    Errors: ValueError; RecursionError for a short text with hundreds of levels.
    Blocks: for turns of others, if yielding is enabled.
    """
    if len(text) <= _LARGE:
        return loads_exactly(text)
    decoder = json.JSONDecoder(object_pairs_hook=dict, parse_float=float_of_literal)
    return Reader(text, decoder, dict, _too_deep, MOST_NESTED).read()


def _too_deep(at: int) -> Exception:
    return ValueError(f"nesting over {MOST_NESTED} levels at {at}")


class Reader:
    """Reads one text.

    decoder: reads the portions, with its hooks. members: its hook for objects.
    too_deep: makes the error for a bracket, from its position.
    """

    def __init__(
        self,
        text: str,
        decoder: JSONDecoder,
        members: Callable[[Pairs], Any],
        too_deep: Callable[[int], Exception],
        max_depth: int,
    ) -> None:
        self._text = text
        self._decoder = decoder
        self._scan_once: Callable[[str, int], tuple[Any, int]] = decoder.scan_once  # type: ignore[attr-defined]
        self._members = members
        self._too_deep = too_deep
        self._max_depth = max_depth
        self._at = 0
        self._is_sound = True  # no portion had an error

    def read(self) -> Any:
        """Return the value of the whole text.

        Errors: JSONDecodeError, those of the hooks, and that of too_deep.
        """
        value = self._value(0)
        if self._sign():
            raise self._error("Extra data")
        return value

    def _sign(self) -> str:
        """Step over blanks; return the next sign, "" at the end."""
        found = _BLANKS.match(self._text, self._at)
        assert found is not None  # it matches anything
        self._at = found.end()
        return self._text[self._at : self._at + 1]

    def _error(self, text: str) -> JSONDecodeError:
        return JSONDecodeError(text, self._text, self._at)

    def _value(self, depth: int) -> Any:
        turns.walked()
        sign = self._sign()
        if sign in ("[", "{") and sign:
            if depth == self._max_depth:
                raise self._too_deep(self._at)
            self._at += 1
            return self._array(depth + 1) if sign == "[" else self._object(depth + 1)
        try:
            value, self._at = self._scan_once(self._text, self._at)
        except StopIteration:
            raise self._error("Expecting value") from None
        return value

    def _array(self, depth: int) -> list[Any]:
        items: list[Any] = []
        is_over = self._sign() == "]"
        try:
            while not is_over:
                items += self._portion(_ITEMS, "[]", depth)
                items.append(self._value(depth))
                is_over = self._ends("]")
        except BaseException:
            turns.hold(items)
            raise
        self._at += 1
        return items

    def _object(self, depth: int) -> Any:
        found: dict[str, Any] = {}
        repeated: str | None = None
        is_over = self._sign() == "}"
        try:
            while not is_over:
                portion = dict(self._portion(_MEMBERS, "{}", depth))
                name, value = self._member(depth)
                if repeated is None and not found.keys().isdisjoint((*portion, name)):
                    repeated = next(one for one in (*portion, name) if one in found)
                elif repeated is None and name in portion:
                    repeated = name
                found |= portion
                found[name] = value
                is_over = self._ends("}")
        except BaseException:
            turns.hold(found)
            raise
        self._at += 1
        return found if repeated is None else self._members([(repeated, 0), (repeated, 0)])

    def _member(self, depth: int) -> tuple[str, Any]:
        if self._sign() != '"':
            raise self._error("Expecting property name enclosed in double quotes")
        name, self._at = scanstring(self._text, self._at + 1, True)
        if self._sign() != ":":
            raise self._error("Expecting ':' delimiter")
        self._at += 1
        return name, self._value(depth)

    def _ends(self, closer: str) -> bool:
        """Return True if the container ends here; otherwise step over the required comma."""
        sign = self._sign()
        if sign == closer:
            return True
        if sign != ",":
            raise self._error("Expecting ',' delimiter")
        self._at += 1
        return False

    def _portion(self, form: re.Pattern[str], brackets: str, depth: int) -> Any:
        """Return the next simple items, up to the first that is not simple; empty if none.

        Another item must follow. Errors in a portion are found by reading on step by step.
        """
        found = form.match(self._text, self._at) if self._is_sound else None
        if found is None or depth == self._max_depth:
            return ()
        turns.walked(turns.PORTION)
        try:
            value = self._decoder.decode(brackets[0] + found[0][:-1] + brackets[1])
        except JSONDecodeError:
            value = None
        if not isinstance(value, list | dict):
            self._is_sound = False
            return ()
        self._at = found.end()
        return value


def texts(value: Any, write: Callable[[Any, int], bytes], levels: int) -> Iterator[bytes]:
    """Yield the JSON text of a value in pieces; `write(value, levels)` makes a piece.

    levels: how deep the value may nest; deeper values are left to `write`. An ExactFloat is
    written here, with all its digits.
    """
    turns.walked(turns.PORTION)
    if type(value) is ExactFloat:
        yield value.literal.encode("ascii")
        return
    if isinstance(value, str) and len(value) > _SIGNS_WRITTEN:
        yield b'"'
        for at in range(0, len(value), _SIGNS_WRITTEN):
            turns.walked(turns.PORTION)
            yield write(value[at : at + _SIGNS_WRITTEN], levels)[1:-1]
        yield b'"'
        return
    if levels == 0 or _count(value) < _MOST_WRITTEN:
        yield write(value, levels)
        return
    opener, closer = ("{", "}") if isinstance(value, dict) else ("[", "]")
    separator = opener.encode()
    for portion, is_large in _portions(value):
        turns.walked(turns.PORTION // 2)
        yield separator
        separator = b","
        if not is_large:
            yield write(portion, levels)[1:-1]
            continue
        if isinstance(portion, dict):
            ((name, item),) = portion.items()
            yield write({name: 0}, levels)[1:-2]
        else:
            (item,) = portion
        yield from texts(item, write, levels - 1)
    yield closer.encode()


def _portions(value: Any) -> Iterator[tuple[Any, bool]]:
    """Yield parts of a container: many small items together, a large one alone (and True)."""
    is_dict = isinstance(value, dict)
    items: Any = value.items() if is_dict else value
    container: Callable[[list[Any]], Any] = dict if is_dict else list
    kept: list[Any] = []
    weight = 0
    for item in items:
        count = _count(item[1] if is_dict else item)
        if weight + count > _MOST_WRITTEN and kept:
            yield container(kept), False
            kept, weight = [], 0
        if count >= _MOST_WRITTEN:
            yield container([item]), True
        else:
            kept.append(item)
            weight += count
    if kept:
        yield container(kept), False


def _count(value: Any) -> int:
    """Return the number of values in a value, itself included, at most _MOST_WRITTEN."""
    kind = type(value)
    if kind in _SMALL:
        return 1
    if kind is ExactFloat:
        return _MOST_WRITTEN
    count, signs = 1, 0
    waiting: list[Any] = [(value,)]
    while waiting:
        one = waiting.pop()
        for item in one.values() if isinstance(one, dict) else one:
            kind = type(item)
            if kind is str:
                signs += len(item)
            elif kind is ExactFloat:
                return _MOST_WRITTEN  # ujson would write the double
            elif kind not in _SMALL and isinstance(item, dict | list | tuple):
                count += len(item)
                if count >= _MOST_WRITTEN:
                    return _MOST_WRITTEN
                waiting.append(item)
    return min(count + signs // _SIGNS_A_VALUE, _MOST_WRITTEN)
