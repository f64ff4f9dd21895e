"""Times and days as texts, compared with a simple check of every minute and day."""

from datetime import date, datetime, timedelta

import pytest

from tsvc.flow.schedule import (
    DayRange,
    Schedule,
    TimeRange,
    read_date,
    read_days,
    read_times,
    read_weekdays,
)

NONSENSE = (
    *("", "-", "x", "mon", "Mon-", "9:00-17:00", "09:00", "09:00-17:00\n", "٠٩:00-17:00"),
    *("1-1", "12-25/", "12-25-12-26", "00-01", "01-00", "2026-1-1", "2026-13-01", "0000-01-01"),
)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Mon", {0}),
        ("Sun", {6}),
        ("Mon-Fri", {0, 1, 2, 3, 4}),
        ("Sat-Mon", {5, 6, 0}),
        ("Wed-Wed", {2}),
        ("Tue-Mon", {0, 1, 2, 3, 4, 5, 6}),
    ],
)
def test_weekdays(text, days):
    assert read_weekdays(text) == days


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("00:00-24:00", TimeRange(0, 1440)),
        ("09:00-17:30", TimeRange(540, 1050)),
        ("22:00-06:00", TimeRange(1320, 360)),
        ("18:00-00:00", TimeRange(1080, 0)),
    ],
)
def test_times(text, times):
    assert read_times(text) == times


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("12-25", DayRange((12, 25), (12, 25))),
        ("02-29", DayRange((2, 29), (2, 29))),
        ("12-24/01-02", DayRange((12, 24), (1, 2))),
    ],
)
def test_days(text, days):
    assert read_days(text) == days


def test_dates():
    assert read_date("2028-02-29") == date(2028, 2, 29)


@pytest.mark.parametrize("read", [read_weekdays, read_times, read_days, read_date])
@pytest.mark.parametrize("text", NONSENSE)
def test_what_is_none_of_them(read, text):
    with pytest.raises(ValueError, match=r"must be|is no"):
        read(text)


@pytest.mark.parametrize("times", [TimeRange(540, 1050), TimeRange(1320, 360), TimeRange(1080, 0)])
def test_a_time_range_covers_the_minutes_that_follow_its_start(times):
    length = (times.end - times.start) % 1440
    covered = {(times.start + step) % 1440 for step in range(length)}
    for minute in range(1440):
        today, yesterday = times.begins_today(minute), times.began_yesterday(minute)
        assert (today or yesterday) == (minute in covered)
        assert not (today and yesterday)
        assert not today or minute >= times.start


def test_a_whole_day_has_every_minute():
    assert all(read_times("00:00-24:00").begins_today(minute) for minute in range(1440))


@pytest.mark.parametrize("text", ["03-01", "02-28/03-01", "12-24/01-02", "01-01/12-31"])
def test_a_range_of_days_covers_the_days_that_follow_its_first(text):
    days = read_days(text)
    day = date(2027, *days.first)
    covered = {(day.month, day.day)}
    while (day.month, day.day) != days.last:
        day += timedelta(days=1)
        covered.add((day.month, day.day))
    for step in range(365):
        one = date(2027, 1, 1) + timedelta(days=step)
        assert days.has(one) == ((one.month, one.day) in covered)


def test_a_night_asks_every_condition_of_the_day_on_which_it_begins():
    night = (read_times("22:00-06:00"),)
    saturday_early = datetime(2026, 12, 26, 2)  # noqa: DTZ001 - local time of no place
    assert Schedule(times=night, weekdays=frozenset({4})).has(saturday_early)
    assert not Schedule(times=night, weekdays=frozenset({5})).has(saturday_early)
    assert Schedule(times=night, holidays=frozenset({date(2026, 12, 25)})).has(saturday_early)
    assert Schedule(times=night, days_of_year=(read_days("12-25"),)).has(saturday_early)
    assert not Schedule(times=night, days_of_year=(read_days("12-26"),)).has(saturday_early)


def test_two_ranges_can_hold_for_two_days():
    both = (read_times("22:00-06:00"), read_times("01:00-03:00"))
    saturday_early = datetime(2026, 12, 26, 2)  # noqa: DTZ001 - local time of no place
    for weekday in (4, 5):
        assert Schedule(times=both, weekdays=frozenset({weekday})).has(saturday_early)
    assert not Schedule(times=both, weekdays=frozenset({6})).has(saturday_early)
