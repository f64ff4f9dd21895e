"""The types of `tests[]` entries: the members of each, and its comparison.

A comparison gets the found element (ABSENT if there is none), the entry's rendered members and
the time. It returns (passed, the expected value for the log, the found value for the log).
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal

from tsvc.expr.regex import compile_user_pattern
from tsvc.expr.values import to_text, truth
from tsvc.matching.equality import ABSENT, number_of
from tsvc.values import dataclass

_Exact = int | Decimal
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)", re.ASCII)


def epoch_of(value: object) -> float | None:
    """Return seconds since the epoch of a moment, None if the value is no moment.

    Accepts epoch seconds (a number or its text), YYYYMMDDHHMMSS, and ISO 8601 with a `T` or a
    blank. A moment without a zone is UTC.
    """
    if isinstance(value, str):
        parts = _DIGITS.fullmatch(value)
        if parts is not None:
            return _epoch(*map(int, parts.groups()))
    number: _Exact | None = None
    if not isinstance(value, bool):
        number = number_of(value)
    if number is not None:
        return float(number) if -(1 << 63) < number < 1 << 63 else None
    return _iso(value) if isinstance(value, str) else None


def _epoch(year: int, month: int, day: int, hour: int, minute: int, second: int) -> float | None:
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _iso(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.timestamp()
    except (OverflowError, ValueError):
        return None


Members = Mapping[str, object]
Outcome = tuple[bool, object, object]
Compare = Callable[[object, Members, float], Outcome]

TOLERANCE_S = 2


@dataclass(frozen=True, slots=True)
class TestType:
    """One type: its own members (besides kpath, type, abort_on_fail) and its comparison.

    `help`: when an element passes, for the reference.
    """

    __test__ = False  # not a test of pytest

    members: tuple[str, ...]
    required: tuple[str, ...]  # at least one of these
    compare: Compare
    help: str


def text_of(value: object) -> str | None:
    """Return a scalar as text, as Perl would; None for any other value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "1" if value else ""
    if isinstance(value, int):
        return str(value)
    return to_text(value) if isinstance(value, float) else None


def _is_absent(got: object) -> bool:
    return got is ABSENT or got is None


def _string(got: object, members: Members, now: float) -> Outcome:
    wanted = members["value"]
    if wanted is None:
        return _is_absent(got), None, got
    text = text_of(got)
    return text is not None and text == text_of(wanted), wanted, got


def _integer(got: object, members: Members, now: float) -> Outcome:
    wanted = members["value"]
    if wanted is None:
        return _is_absent(got), None, got
    first, second = number_of(wanted), number_of(got)
    is_equal = first is not None and first == second and _is_whole(first)
    return is_equal, wanted, got


def _number(got: object, members: Members, now: float) -> Outcome:
    wanted = members["value"]
    if wanted is None:
        return _is_absent(got), None, got
    is_near = _is_near(number_of(got), number_of(wanted), members.get("tolerance"), 0)
    return is_near, wanted, got


def _is_whole(number: int | Decimal) -> bool:
    return isinstance(number, int) or number == number.to_integral_value()


def _is_near(first: _Exact | None, second: _Exact | None, given: object, default: int) -> bool:
    """Return True if two numbers are within the tolerance; all three must be numbers."""
    tolerance = default if given is None else number_of(given)
    if first is None or second is None or tolerance is None:
        return False
    return -tolerance <= first - second <= tolerance


def _regex(got: object, members: Members, now: float) -> Outcome:
    pattern, text = text_of(members["pattern"]), text_of(got)
    if pattern is None or text is None:
        return False, members["pattern"], got
    return compile_user_pattern(pattern).search(text) is not None, pattern, got


def _flag(members: Members) -> bool:
    value = members.get("value", 1)
    return truth(value) if isinstance(value, (str, int, float)) else value is not None


def _exists(got: object, members: Members, now: float) -> Outcome:
    wanted = _flag(members)
    return (got is not ABSENT) is wanted, wanted, got


def _defined(got: object, members: Members, now: float) -> Outcome:
    wanted = _flag(members)
    return (not _is_absent(got)) is wanted, wanted, got


def _boolean(got: object, members: Members, now: float) -> Outcome:
    wanted = _flag(members)
    if isinstance(got, (dict, list)) or _is_absent(got):
        return not _is_absent(got) and wanted, wanted, got
    # Some peers send the text "false", which is true in Perl.
    is_true = truth(got) if isinstance(got, (str, int, float)) else False
    if isinstance(got, str) and got.lower() == "false":
        is_true = False
    return is_true is wanted, wanted, got


def _timestamp(got: object, members: Members, now: float) -> Outcome:
    """Compare with `value`, or the current time within 2 s; or with min and max."""
    moment = epoch_of(got)
    if "value" in members or not ("min" in members or "max" in members):
        wanted = members.get("value")
        target = now if wanted is None else epoch_of(wanted)
        # The current time is never exact; a given moment may be.
        usual = TOLERANCE_S if wanted is None else 0
        first, second = number_of(moment), number_of(target)
        is_near = _is_near(first, second, members.get("tolerance_s"), usual)
        return is_near, now if wanted is None else wanted, got
    low, high = epoch_of(members.get("min")), epoch_of(members.get("max"))
    if moment is None or (low is None and (high is None or members.get("min") is not None)):
        return False, _bounds(members), got
    if high is None and members.get("max") is not None:
        return False, _bounds(members), got
    is_within = (low is None or low <= moment) and (high is None or moment <= high)
    return is_within, _bounds(members), got


def _bounds(members: Members) -> object:
    if members.get("value") is not None:
        return members["value"]
    return {name: members[name] for name in ("min", "max") if members.get(name) is not None}


def _is_within(number: _Exact | None, members: Members) -> bool:
    """Return True if a number is `value`, or from min to max. A bound that is no number fails, and
    so do bounds that are all null: nothing would be compared."""
    if number is None or all(members.get(name) is None for name in _LIMITS):
        return False
    for name, is_met in _LIMITS.items():
        if members.get(name) is None:
            continue
        limit = number_of(members[name])
        if limit is None or not is_met(number, limit):
            return False
    return True


_LIMITS: dict[str, Callable[[_Exact, _Exact], bool]] = {
    "value": lambda number, limit: number == limit,
    "min": lambda number, limit: number >= limit,
    "max": lambda number, limit: number <= limit,
}


def _size(got: object, members: Members, now: float) -> Outcome:
    size = len(got) if isinstance(got, list) else None
    return _is_within(size, members), _bounds(members), size if size is not None else got


def _length(got: object, members: Members, now: float) -> Outcome:
    text = text_of(got)
    size = None if text is None else len(text)
    return _is_within(size, members), _bounds(members), size if size is not None else got


def _range(got: object, members: Members, now: float) -> Outcome:
    return _is_within(number_of(got), members), _bounds(members), got


def _ordered_strings(got: object, members: Members, now: float) -> Outcome:
    wanted = members["value"]
    if wanted is None:
        return _is_absent(got), None, got
    if not isinstance(wanted, list) or not isinstance(got, list) or len(wanted) != len(got):
        return False, wanted, got
    pairs = zip(wanted, got, strict=True)
    return all(_is_same_text(first, second) for first, second in pairs), wanted, got


def _is_same_text(first: object, second: object) -> bool:
    text = text_of(second)
    return text is not None and text == text_of(first)


def _in(got: object, members: Members, now: float) -> Outcome:
    wanted = members["value"]
    if not isinstance(wanted, list):
        return False, wanted, got
    return any(_is_same_text(item, got) for item in wanted), wanted, got


_VALUE = ("value",)
_SIZES = ("value", "min", "max")
_NULL = "; null: it is absent or null"
_NEAR_NOW = (
    "it is at `value` (absent: now), give or take `tolerance_s` (0; 2 where it is now), or from"
    " `min` to `max`"
)
_IN_ORDER = f"it is an array of the texts of `value`, in their order{_NULL}"

TYPES: dict[str, TestType] = {
    "string": TestType(_VALUE, _VALUE, _string, f"it is `value`, compared as text{_NULL}"),
    "integer": TestType(_VALUE, _VALUE, _integer, f"it is the integer `value`{_NULL}"),
    "number": TestType(
        ("value", "tolerance"),
        _VALUE,
        _number,
        f"it is `value`, give or take `tolerance` (0){_NULL}",
    ),
    "regex": TestType(("pattern",), ("pattern",), _regex, "`pattern` is found in it"),
    "exists": TestType(_VALUE, (), _exists, "it is there, null or not; `value` 0: it is not"),
    "defined": TestType(_VALUE, (), _defined, "it is there and not null; `value` 0: it is not"),
    "boolean": TestType(_VALUE, (), _boolean, "it is true; `value` 0: it is not"),
    "timestamp": TestType(("value", "tolerance_s", "min", "max"), (), _timestamp, _NEAR_NOW),
    "size": TestType(_SIZES, _SIZES, _size, "it is an array of `value`, or `min` to `max`, items"),
    "len": TestType(_SIZES, _SIZES, _length, "it has `value`, or `min` to `max`, characters"),
    "ordered_str_array": TestType(_VALUE, _VALUE, _ordered_strings, _IN_ORDER),
    "range": TestType(("min", "max"), ("min", "max"), _range, "it is from `min` to `max`"),
    "in": TestType(_VALUE, _VALUE, _in, "it is one of the array `value`, compared as text"),
}
