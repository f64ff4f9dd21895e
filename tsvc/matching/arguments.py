"""Compares the arguments that a definition expects with received ones.

Only expected arguments are compared. Each expected leaf makes exactly one entry. The leaves are:

  - a scalar
  - null: the argument must be absent
  - an empty object or array: the argument must be an object or an array
  - a member with a leading `!`, whatever its value: the argument must not have this value; with
    null, the argument must be absent

Arrays are compared element by element as far as they are given. `bcsmEvents` is compared as a set,
plus one entry for unexpected events.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tsvc.expr.values import Undefined
from tsvc.matching.equality import ABSENT, equal_scalars
from tsvc.matching.outcome import Check

_SETS = ("bcsmEvents",)
_MOST_PAIRS = 1000  # that are compared to find partners: the event loop must not wait for it

Rewrite = Callable[[Mapping[str, object]], Mapping[str, object]]


def match_arguments(
    expected: Mapping[str, object],
    actual: Mapping[str, object],
    check: Check,
    rewrite: Rewrite | None = None,
) -> bool:
    """Compare and log; return True if all expected arguments match.

    expected: the rendered arguments of the definition.
    actual: the decoded message; beside an enumerated member X it may hold its name as X_name.
    rewrite: converts expected arguments before the comparison; undefined ones are removed before.
    Errors: none for any JSON; a clash of types is a failed entry.
    """
    undefined: list[tuple[str, Undefined]] = []
    if _holds_undefined(expected):
        expected = _defined(expected, "", undefined)
        for path, text in undefined:
            check.entry(False, f"{path}: {text}", None, None)
    given = expected if rewrite is None else rewrite(expected)
    return _members(given, actual, "", check) and not undefined


def _holds_undefined(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_undefined, value.values()))
    if isinstance(value, list):
        return any(map(_holds_undefined, value))
    return isinstance(value, Undefined)


def _defined(value: Any, path: str, undefined: list[tuple[str, Undefined]]) -> Any:
    """Return an expected value without undefined members, which are listed with their paths.

    Elements of an array stay, as their positions count.
    """
    if isinstance(value, list):
        return [_defined(item, f"{path}[{at}]", undefined) for at, item in enumerate(value)]
    if not isinstance(value, Mapping):
        return value
    kept = {}
    for name, member in value.items():
        here = f"{path}.{name}" if path else name
        if isinstance(member, Undefined):
            undefined.append((here, member))
        else:
            kept[name] = _defined(member, here, undefined)
    return kept


def _members(expected: Mapping[str, object], actual: object, path: str, check: Check) -> bool:
    """Compare an object's members. `actual` may be anything, ABSENT included."""
    members = actual if isinstance(actual, Mapping) else None
    is_clash = members is None and not _is_absent(actual)
    ok = True
    for given, value in expected.items():
        is_negated = given.startswith("!")
        name = given[1:] if is_negated else given
        here = f"{path}.{given}" if path else given
        if is_clash:
            ok = _fail_member(given, value, here, actual, check)
            continue
        got = ABSENT if members is None else members.get(name, ABSENT)
        got_name = None
        if members and (type(value) is str or type(value) is list):
            got_name = members.get(f"{name}_name")
        if is_negated:
            ok = _negated(name, value, got, got_name, here, check) and ok
        else:
            ok = _value(name, value, got, got_name, here, check) and ok
    return ok


def _is_absent(value: object) -> bool:
    return value is None or value is ABSENT


def _value(
    name: str, expected: object, got: object, got_name: object, path: str, check: Check
) -> bool:
    if type(expected) is dict or isinstance(expected, Mapping):
        if expected:
            return _members(expected, got, path, check)
        return _entry(check, isinstance(got, Mapping), path, expected, got)
    if isinstance(expected, list):
        if name in _SETS:
            return _set(name, expected, got, path, check)
        if expected:
            return _elements(name, expected, got, got_name, path, check)
        return _entry(check, isinstance(got, list), path, expected, got)
    if expected is None:
        return _entry(check, _is_absent(got), path, expected, got)
    if isinstance(expected, Undefined):
        return _undefined(check, path, expected, got)
    ok = equal_scalars(name, expected, got, got_name)
    if isinstance(expected, str) and got_name is not None and not expected.isdecimal():
        got = got_name  # a name was expected, so the reader wants to see one
    return _entry(check, ok, path, expected, got)


def _entry(check: Check, ok: bool, path: str, expected: object, got: object) -> bool:
    if ok:
        text = f"{path} is absent, as expected" if expected is None else path
        check.entry(True, text, expected, None if got is ABSENT else got)
        return True
    if expected is None:
        text = f"{path} must be absent"
    else:
        text = f"{path} is absent" if got is ABSENT else f"{path} differs"
    check.entry(False, text, expected, None if got is ABSENT else got)
    return False


def first_undefined(value: object) -> Undefined | None:
    """Return the first undefined value in an array, at any depth; objects have none any more."""
    if isinstance(value, Undefined):
        return value
    items = value if isinstance(value, list) else ()
    return next((one for one in map(first_undefined, items) if one is not None), None)


def _undefined(check: Check, path: str, expected: Undefined, got: object) -> bool:
    check.entry(False, f"{path}: {expected}", None, None if got is ABSENT else got)
    return False


def _negated(
    name: str, expected: object, got: object, got_name: object, path: str, check: Check
) -> bool:
    if expected is None:
        return _entry(check, _is_absent(got), path, expected, got)
    undefined = first_undefined(expected)
    if undefined is not None:
        return _undefined(check, path, undefined, got)
    ok = not _matches(name, expected, got, got_name)
    text = path if ok else f"{path[: -len(name) - 1]}{name} must be something else"
    check.entry(ok, text, expected, None if got is ABSENT else got)
    return ok


def _elements(
    name: str,
    expected: Sequence[object],
    got: object,
    got_names: object,
    path: str,
    check: Check,
) -> bool:
    """Compare an array's elements; received ones beyond the expected ones are ignored."""
    if not isinstance(got, list):
        if _is_absent(got):
            got = []
        else:
            return _fail_leaves(expected, path, got, check)
    names = got_names if isinstance(got_names, list) else ()
    ok = True
    for position, value in enumerate(expected):
        here = f"{path}[{position}]"
        element = got[position] if position < len(got) else ABSENT
        element_name = names[position] if position < len(names) else None
        ok = _value(name, value, element, element_name, here, check) and ok
    return ok


def _fail_leaves(
    expected: object, path: str, got: object, check: Check, *, is_negated: bool = False
) -> bool:
    """Make the failed entries of leaves whose parent is of another type."""
    if isinstance(expected, Mapping) and expected and not is_negated:
        for given, value in expected.items():
            _fail_member(given, value, f"{path}.{given}", got, check)
    elif isinstance(expected, list) and expected and not is_negated:
        for position, value in enumerate(expected):
            _fail_leaves(value, f"{path}[{position}]", got, check)
    else:
        check.entry(False, f"{path}: its parent is of another type", expected, got)
    return False


def _fail_member(given: str, value: object, path: str, got: object, check: Check) -> bool:
    _fail_leaves(value, path, got, check, is_negated=given.startswith("!"))
    if given in _SETS and isinstance(value, list) and value:
        check.entry(False, f"{path} has no unexpected element", [], got)
    return False


class _Tally:
    """A check that only counts failed entries."""

    __slots__ = ("failed",)

    def __init__(self) -> None:
        self.failed = 0

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        """Count the entry if it failed."""
        self.failed += not ok


def differences(expected: Mapping[str, object], actual: Mapping[str, object]) -> int:
    """Return how many entries of match_arguments() would fail."""
    tally = _Tally()
    match_arguments(expected, actual, tally)
    return tally.failed


def _matches(name: str, expected: object, got: object, got_name: object = None) -> bool:
    return _value(name, expected, got, got_name, name, _Tally())


def _set(name: str, expected: list[object], got: object, path: str, check: Check) -> bool:
    """Compare elements in any order: each expected one with the received one that fits it best."""
    is_clash = not isinstance(got, list) and not _is_absent(got)
    received: list[object] = got if isinstance(got, list) else []
    partners = _assigned(name, expected, received)
    ok = True
    for position, value in enumerate(expected):
        here = f"{path}[{position}]"
        if is_clash:
            ok = _fail_leaves(value, here, got, check)
            continue
        partner = partners[position]
        element = ABSENT if partner is None else received[partner]
        ok = _value("", value, element, None, here, check) and ok
    taken = set(partners)
    unexpected = [item for at, item in enumerate(received) if at not in taken]
    is_complete = not unexpected and not is_clash
    text = f"{path} has no unexpected element"
    check.entry(is_complete, text, [], got if is_clash else unexpected)
    return ok and is_complete


def _assigned(name: str, expected: list[object], received: list[object]) -> list[int | None]:
    """Return the position of the received element for each expected one, None if none remains.

    An event is only compared with an event of its type.
    """

    def may_be(position: int, at: int) -> bool:
        value = expected[position]
        return not _has_type(value) or _is_same_type(value, received[at])

    def differ(position: int, at: int) -> int:
        tally = _Tally()
        _value("", expected[position], received[at], None, "", tally)
        return tally.failed

    return assign(len(expected), len(received), may_be, differ)


def assign(
    expected: int,
    received: int,
    may_be: Callable[[int, int], bool],
    differ: Callable[[int, int], int],
) -> list[int | None]:
    """Return the received element with which each expected one is compared, None for none.

    `may_be(position, at)` returns True if the two can be partners, `differ(position, at)` the
    number of leaves in which they differ. Full matches are paired first, as many as possible; then
    the pairs that differ least, so that the report shows true differences; then the first ones. If
    there are too many pairs, only the order counts.
    """
    if expected <= received and all(
        may_be(at, at) and differ(at, at) == 0 for at in range(expected)
    ):
        return list(range(expected))
    partners: list[int | None] = [None] * expected
    taken: set[int] = set()
    pairs = [
        (position, at)
        for position in range(expected)
        for at in range(received)
        if may_be(position, at)
    ]
    ordered = pairs
    if len(pairs) <= _MOST_PAIRS:
        weighed = sorted((differ(*pair), *pair) for pair in pairs)
        suits: list[list[int]] = [[] for _ in range(expected)]
        for count, position, at in weighed:
            if count == 0:
                suits[position].append(at)
        partners = _full_matches(suits)
        taken = {at for at in partners if at is not None}
        ordered = [(position, at) for _, position, at in weighed]
    for position, at in ordered:
        if partners[position] is None and at not in taken:
            partners[position] = at
            taken.add(at)
    return partners


def _full_matches(suits: list[list[int]]) -> list[int | None]:
    """Pair as many full matches as possible (augmenting paths: a pair may move for another)."""
    owner: dict[int, int] = {}
    for position in range(len(suits)):
        _augment(position, suits, owner)
    partners: list[int | None] = [None] * len(suits)
    for at, position in owner.items():
        partners[position] = at
    return partners


def _augment(start: int, suits: list[list[int]], owner: dict[int, int]) -> None:
    """Find a free element for `start`, breadth first, moving owners along the way found."""
    came_from: dict[int, int] = {}  # element -> expected position that reached it
    waiting = [start]
    for position in waiting:
        for at in suits[position]:
            if at in came_from:
                continue
            came_from[at] = position
            if at in owner:
                waiting.append(owner[at])
                continue
            _move(at, start, came_from, owner)
            return


def _move(at: int, start: int, came_from: dict[int, int], owner: dict[int, int]) -> None:
    held = {position: element for element, position in owner.items()}
    while True:
        position = came_from[at]
        previous = held.get(position)
        owner[at] = position
        if position == start or previous is None:
            return
        at = previous


def _has_type(value: object) -> bool:
    return isinstance(value, Mapping) and "eventTypeBCSM" in value


def _is_same_type(expected: object, got: object) -> bool:
    if not isinstance(expected, Mapping) or not isinstance(got, Mapping):
        return False
    if "eventTypeBCSM" not in expected:
        return False
    return _matches(
        "eventTypeBCSM",
        expected["eventTypeBCSM"],
        got.get("eventTypeBCSM", ABSENT),
        got.get("eventTypeBCSM_name"),
    )
