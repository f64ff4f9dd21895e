"""Changes that make a definition expect the values that were received: `tsvc run --accept`.

The text of a failed check names the compared value, and the check has the received value. The
compared value is searched in the operation. If it is not found, or found at several places,
nothing is changed, and this is reported. So a changed definition checks no less than before.
"""

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tsvc.expr.template import is_expression
from tsvc.record.definition import literal
from tsvc.words import path_steps

Steps = tuple[str | int, ...]

_CHECK = re.compile(
    r"(?P<path>\S+?)(?: \((?P<test>\w+)\))?(?: differs| is absent| must be absent)?"
)
_UNEXPECTED = " has no unexpected element"
_BAD = ("fail", "abort")
_CUT = "…"  # the end of a value that a result has cut
_OF_VALUE = ("string", "integer", "number", "ordered_str_array")  # tests that compare a value
_OF_TRUTH = ("exists", "defined", "boolean")  # tests that `value` 0 negates


class Edit(NamedTuple):
    """A change of a definition: the value at `steps` changes from `was` to `now`."""

    steps: Steps
    was: Any
    now: Any


class Accepted(NamedTuple):
    """The changes of a definition; and in `left` the failed checks without a change, and why."""

    edits: list[Edit]
    left: list[str]


class _NoChange(Exception):
    """A failed check leads to no change; the text says why."""


def accept(operations: Sequence[Any], checks: Iterable[Mapping[str, Any]]) -> Accepted:
    """Return the changes for the failed checks of an instance.

    operations: of the definition as its files have them, with expressions.
    checks: entries of a check log, as in a result.
    """
    changed = list(copy.deepcopy(operations))
    touched: dict[Steps, Any] = {}
    left: dict[str, None] = {}
    for check in checks:
        if check.get("level") not in _BAD:
            continue
        at = check["op"]
        try:
            steps, now = _change(operations[at], changed[at], check)
            if touched.setdefault((at, *steps), now) != now:
                raise _NoChange("something else came each time")
        except _NoChange as reason:
            left[f"operations[{at}] {check.get('text')}: {reason}"] = None
            continue
        _put(changed[at], steps, now)
    places = dict.fromkeys(touched)
    for steps in touched:
        places |= _drop_absent(changed, steps)
    # Leave out places inside a value that changes as a whole.
    whole = [one for one in places if not any(one[:end] in places for end in range(len(one)))]
    edits = [Edit(("operations", *one), _at(operations, one), _at(changed, one)) for one in whole]
    return Accepted([edit for edit in edits if edit.was != edit.now], list(left))


def _change(entry: Any, changed: Any, check: Mapping[str, Any]) -> tuple[Steps, Any]:
    """Return the place and the new value for a failed check. Errors: _NoChange."""
    text = str(check.get("text", ""))
    if "expected" not in check:
        raise _NoChange("it compares nothing")
    expected, got = check["expected"], check["got"]
    if _is_cut(got):
        raise _NoChange("what came is too long for a result")
    if text.endswith(_UNEXPECTED):
        path = path_steps(text.removesuffix(_UNEXPECTED))
        place = _place(entry, path, lambda value: isinstance(value, list))
        if not isinstance(got, list):
            raise _NoChange("something else came than an array")
        return place, [*_at(changed, place), *literal(_plain(got))]
    match = _CHECK.fullmatch(text)
    if match is None:
        raise _NoChange("it names no value of the definition")
    if match["test"]:
        return _of_test(entry, match["path"], match["test"], expected, got)
    if "!" in match["path"]:
        raise _NoChange("it says what must not come")
    place = _place(entry, path_steps(match["path"]), _is_like(expected))
    is_named = isinstance(got, list | Mapping) and "value" in place
    if is_named:
        raise _NoChange("more than a single value came")
    return place, literal(_plain(got))


def _of_test(entry: Any, kpath: str, type_: str, expected: Any, got: Any) -> tuple[Steps, Any]:
    """Return the change of one of `tests`. Errors: _NoChange."""
    if type_ not in (*_OF_VALUE, *_OF_TRUTH):
        raise _NoChange(f"a test of type {type_} allows more than one value")
    is_like = _is_like(expected)
    given = entry.get("tests")
    found = [
        (at, test.get("value", 1))
        for at, test in enumerate(given if isinstance(given, list) else ())
        if isinstance(test, dict)
        and test.get("kpath") == kpath
        and test.get("type", "string") == type_
        and (type_ in _OF_TRUTH or is_like(test.get("value")))
    ]
    at, was = _only(found)
    if type_ in _OF_VALUE:
        if isinstance(got, dict) or (isinstance(got, list) and type_ != "ordered_str_array"):
            raise _NoChange("an object or array came, which is no single value")
        return ("tests", at, "value"), literal(got)
    if was not in (0, 1, "0", "1"):
        raise _NoChange("its value is an expression")
    return ("tests", at, "value"), int(was in (0, "0"))


def _place(entry: Any, path: Steps, fits: Callable[[Any], bool]) -> Steps:
    """Return the only place in an operation where a path leads to a value that fits.

    Errors: _NoChange.
    """
    places = list(_places(entry, path, fits))
    usual = [one for one in places if one in (("arguments", *path), path)]
    # An operation may both send and expect values with the same names.
    expected = [one for one in places if one[:2] == ("arguments", "answer")]
    found: Steps = _only(usual or expected or places)
    return found


def _only(found: Sequence[Any]) -> Any:
    if len(found) != 1:
        raise _NoChange("it may be at several places" if found else "its place was not found")
    return found[0]


def _places(
    value: Any, path: Steps, fits: Callable[[Any], bool], base: Steps = ()
) -> Iterator[Steps]:
    """Yield the places below a value where a path leads to a value that fits.

    The path may start at any object or array.
    """
    if not isinstance(value, dict | list):
        return
    way = _way(value, path)
    if way is not None and fits(_at(value, way)):
        yield (*base, *way)
    for step, one in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _places(one, path, fits, (*base, step))


def _way(value: Any, path: Steps) -> Steps | None:
    """Return the steps of a path in a value, None if the path does not exist there.

    In an array, a name selects elements that have this `name`, and a `value`, as AVPs do. An index
    after the name counts the elements of that name.
    """
    if not path:
        return ()
    first, rest = path[0], path[1:]
    if isinstance(value, list) and isinstance(first, str):
        number, rest = (rest[0], rest[1:]) if rest and isinstance(rest[0], int) else (0, rest)
        named = [
            at for at, one in enumerate(value) if _has(one, ("name",)) and one["name"] == first
        ]
        if not isinstance(number, int) or number >= len(named):
            return None
        at = named[number]
        below = rest if rest in _FLAGS else ("value", *rest)
        here: Steps = (at,)
    else:
        if not _has(value, (first,)):
            return None
        here, below = (first,), rest
    end = _way(_at(value, here), below)
    return None if end is None else (*here, *end)


_FLAGS: tuple[Steps, ...] = (("mandatory",), ("protected",))  # members of an AVP, like `value`


def _is_like(expected: Any) -> Callable[[Any], bool]:
    """Return a function that returns True if a value of a definition can be the expected one."""

    def is_like(given: Any) -> bool:
        if given == expected or is_expression(given):
            return True
        # The text may be escaped, or be a word in which case is ignored.
        return isinstance(given, str) and given.removeprefix("\\").upper() == str(expected).upper()

    return is_like


def _plain(value: Any) -> Any:
    """Return a decoded value in the form of a definition: names for numbers, hex for octets."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    found = {}
    for key, one in value.items():
        name = value.get(f"{key}_name")
        is_name = key.endswith("_name") and key.removesuffix("_name") in value
        if not is_name and not (isinstance(one, str) and f"{key}_hex" in value):
            found[key] = name if isinstance(name, str) else _plain(one)
    return found


def _drop_absent(operations: list[Any], steps: Steps) -> dict[Steps, None]:
    """Remove the last elements of arrays if they were absent, and return the changed places.

    Absent elements before others stay, with members that must be absent, so that the others keep
    their indexes.
    """
    dropped: dict[Steps, None] = {}
    for end in range(len(steps) - 1, 0, -1):
        holder = _at(operations, steps[:end])
        if not isinstance(holder, list):
            continue
        while holder and _is_nothing(holder[-1]):
            holder.pop()
            dropped[steps[:end]] = None
        if not holder and steps[:end] in dropped:
            _put(operations, steps[:end], None)
    return dropped


def _is_nothing(value: Any) -> bool:
    """Return True if an object has members, and all of them must be absent."""
    if isinstance(value, dict):
        return bool(value) and all(one is None or _is_nothing(one) for one in value.values())
    return False


def _is_cut(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_is_cut, value.values()))
    if isinstance(value, list):
        return any(map(_is_cut, value))
    return isinstance(value, str) and value.endswith(_CUT)


def _has(value: Any, steps: Steps) -> bool:
    for step in steps:
        is_index = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not is_index and not (isinstance(value, dict) and step in value):
            return False
        value = value[step]
    return True


def _at(value: Any, steps: Steps) -> Any:
    """Return the value at a place; None if there is none."""
    if not _has(value, steps):
        return None
    for step in steps:
        value = value[step]
    return value


def _put(value: Any, steps: Steps, now: Any) -> None:
    for step in steps[:-1]:
        value = value[step]
    value[steps[-1]] = now
