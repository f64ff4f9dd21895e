"""Times of a week and days of a year, as written in a flow, and checks of a moment against them.

Every reader takes one string of a document and raises ValueError with what was expected.
"""

import re
from collections.abc import Iterator, Set
from datetime import date, datetime, timedelta

from tsvc.values import dataclass
from tsvc.words import described

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")  # in the order of date.weekday()
MINUTES_OF_DAY = 24 * 60
LEAP_YEAR = 2000  # has every day that a year can have

_TIMES = re.compile(r"([0-9]{2}):([0-9]{2})-([0-9]{2}):([0-9]{2})")
_DAYS = re.compile(r"([0-9]{2})-([0-9]{2})(?:/([0-9]{2})-([0-9]{2}))?")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_YESTERDAY = timedelta(days=-1)

MonthDay = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Minutes of the day from `start` on and before `end`; over midnight if end <= start."""

    start: int
    end: int

    def begins_today(self, minute: int) -> bool:
        """Return True if the minute is in the range, or in its part before midnight."""
        return self.start <= minute and (minute < self.end or self.end <= self.start)

    def began_yesterday(self, minute: int) -> bool:
        """Return True if the minute is in the part of the range after midnight."""
        return minute < self.end <= self.start


@dataclass(frozen=True, slots=True)
class DayRange:
    """Days of any year from `first` to `last`, both included; over New Year if last < first."""

    first: MonthDay
    last: MonthDay

    def has(self, day: date) -> bool:
        """Return True if the day is in the range."""
        month_day = (day.month, day.day)
        if self.first <= self.last:
            return self.first <= month_day <= self.last
        return month_day >= self.first or month_day <= self.last


@dataclass(frozen=True, slots=True)
class Schedule:
    """Conditions that must all hold; an empty one is no condition."""

    weekdays: Set[int] = frozenset()
    times: tuple[TimeRange, ...] = ()
    days_of_year: tuple[DayRange, ...] = ()
    holidays: Set[date] = frozenset()

    def has(self, moment: datetime) -> bool:
        """Return True if a moment of local time fulfils all conditions."""
        return any(self._has_day(day) for day in self._days(moment))

    def _days(self, moment: datetime) -> Iterator[date]:
        """Yield the days that a moment belongs to, if it is in the times."""
        today = moment.date()
        if not self.times:
            yield today
        minute = moment.hour * 60 + moment.minute
        for times in self.times:
            if times.begins_today(minute):
                yield today
            if times.began_yesterday(minute):
                yield today + _YESTERDAY

    def _has_day(self, day: date) -> bool:
        if self.weekdays and day.weekday() not in self.weekdays:
            return False
        if self.days_of_year and not any(days.has(day) for days in self.days_of_year):
            return False
        return not self.holidays or day in self.holidays


def read_weekdays(text: str) -> frozenset[int]:
    """Return the weekdays of "Mon" or "Mon-Fri", 0 = Monday; a range may run over Sunday."""
    names = text.split("-")
    if len(names) > 2 or not set(names) <= set(WEEKDAYS):
        known = ", ".join(WEEKDAYS)
        raise ValueError(f'must be a weekday ({known}) or "Mon-Fri", not {described(text)}')
    first, last = WEEKDAYS.index(names[0]), WEEKDAYS.index(names[-1])
    return frozenset((first + step) % 7 for step in range((last - first) % 7 + 1))


def read_times(text: str) -> TimeRange:
    """Return the range of "09:00-17:30"; 24:00 is a valid end."""
    found = _TIMES.fullmatch(text)
    if not found:
        raise ValueError(f'must be a time range such as "09:00-17:30", not {described(text)}')
    start_hour, start_minute, end_hour, end_minute = map(int, found.groups())
    if start_hour > 23 or start_minute > 59:
        raise ValueError(f"{text[:5]} is no time of day to begin with")
    if end_minute > 59 or end_hour * 60 + end_minute > MINUTES_OF_DAY:
        raise ValueError(f"{text[6:]} is no time of day to end with")
    start, end = start_hour * 60 + start_minute, end_hour * 60 + end_minute
    if start == end:
        raise ValueError("the range is empty; a whole day is 00:00-24:00")
    return TimeRange(start, end)


def read_days(text: str) -> DayRange:
    """Return the range of "12-25" or "12-24/01-02", month before day."""
    found = _DAYS.fullmatch(text)
    if not found:
        raise ValueError(f'must be a day such as "12-25" or "12-24/01-02", not {described(text)}')
    month, day, last_month, last_day = (int(part) if part else None for part in found.groups())
    assert month is not None
    assert day is not None
    first = _month_day(month, day)
    if last_month is None or last_day is None:
        return DayRange(first, first)
    return DayRange(first, _month_day(last_month, last_day))


def _month_day(month: int, day: int) -> MonthDay:
    try:
        date(LEAP_YEAR, month, day)
    except ValueError:
        raise ValueError(f"{month:02d}-{day:02d} is no day of a year") from None
    return month, day


def read_date(text: str) -> date:
    """Return the date of "2026-12-25"."""
    found = _DATE.fullmatch(text)
    if not found:
        raise ValueError(f'must be a date such as "2026-12-25", not {described(text)}')
    year, month, day = map(int, found.groups())
    try:
        return date(year, month, day)
    except ValueError:
        raise ValueError(f"{text} is no date") from None
