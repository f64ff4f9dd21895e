"""Functions on time: seconds since the epoch, broken-down time, strftime."""

import re
from datetime import UTC, datetime, timedelta

from tsvc.errors import ExpressionFailed
from tsvc.expr.environment import Frame
from tsvc.expr.functions import register
from tsvc.expr.values import Value, to_integer, to_text

# Letters only: the C library takes widths here, and a wide one makes a text of any size.
_FORMAT = re.compile(r"(?:[^%]|%[EO]?[a-zA-Z%])*", re.DOTALL)
_FORMAT_MAX = 1_000
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _time(frame: Frame) -> Value:
    return int(frame.env.now())


def _moment(frame: Frame, seconds: Value) -> datetime:
    frame.step(4)
    at = frame.env.now() if seconds is None else to_integer(seconds)
    try:
        return datetime.fromtimestamp(int(at), tz=UTC)
    except (OverflowError, ValueError, OSError):
        raise ExpressionFailed(f"{at} is outside the years 1 to 9999") from None


def _local(frame: Frame, seconds: Value) -> datetime:
    return _moment(frame, seconds).astimezone()


def _parts(moment: datetime) -> list[Value]:
    """Return (sec, min, hour, mday, mon, year, wday, yday, isdst) as Perl counts them."""
    fields = moment.timetuple()
    return [
        fields.tm_sec,
        fields.tm_min,
        fields.tm_hour,
        fields.tm_mday,
        fields.tm_mon - 1,
        fields.tm_year - 1900,
        (fields.tm_wday + 1) % 7,
        fields.tm_yday - 1,
        max(fields.tm_isdst, 0),
    ]


def _line(moment: datetime) -> str:
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{day} {month} {moment.day:2d} {moment:%H:%M:%S} {moment.year}"


def _gmtime(frame: Frame, seconds: Value = None) -> Value:
    return _line(_moment(frame, seconds))


def _gmtime_parts(frame: Frame, seconds: Value = None) -> list[Value]:
    return _parts(_moment(frame, seconds))


def _localtime(frame: Frame, seconds: Value = None) -> Value:
    return _line(_local(frame, seconds))


def _localtime_parts(frame: Frame, seconds: Value = None) -> list[Value]:
    return _parts(_local(frame, seconds))


def _strftime(frame: Frame, form: Value, fields: list[Value]) -> Value:
    """Return broken-down time as text; fields out of range carry over (day 32 is the 1st)."""
    frame.step(4)
    text = to_text(form)
    if len(fields) < 6:
        raise ExpressionFailed("strftime takes a format and (sec, min, hour, mday, mon, year)")
    if len(text) > _FORMAT_MAX or not _FORMAT.fullmatch(text) or "\0" in text:
        raise ExpressionFailed("strftime: the format takes % and letters, no widths")
    second, minute, hour, day, month, year = map(to_integer, fields[:6])
    years, month_number = divmod(month, 12)
    try:
        start = datetime(year + 1900 + years, month_number + 1, 1)  # noqa: DTZ001  # fields have no zone
        moment = start + timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second)
        return moment.strftime(text)
    except (OverflowError, ValueError, UnicodeError):
        raise ExpressionFailed("strftime: the time is outside the years 1 to 9999") from None


register("time", "", _time)
register("gmtime", "|s", _gmtime, _gmtime_parts)
register("localtime", "|s", _localtime, _localtime_parts)
register("strftime", "sl", _strftime)
