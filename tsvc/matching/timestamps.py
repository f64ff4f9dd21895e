"""Moments as messages and answers spell them."""

import re
from datetime import UTC, datetime

from tsvc.matching.equality import number_of

_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)", re.ASCII)


def epoch_of(value: object) -> float | None:
    """Return seconds since the epoch of a moment, None if the value is none.

    Accepts epoch seconds (a number or its text), YYYYMMDDHHMMSS, and ISO 8601 with a `T` or a
    blank. A moment without a zone is UTC.
    """
    if isinstance(value, str):
        parts = _DIGITS.fullmatch(value)
        if parts is not None:
            return _epoch(*map(int, parts.groups()))
    number = None if isinstance(value, bool) else number_of(value)
    if number is not None:
        return float(number) if abs(number) < 1 << 63 else None
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
