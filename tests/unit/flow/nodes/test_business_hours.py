"""BusinessHours: every rule with its message, and the exit that each moment takes."""

import datetime

import pytest

CONFIG = "flow.operations.2.config."
GOOD = {
    "rules": [
        {"holidays": ["2026-12-28"], "exit_idx": 0},
        {"days_of_year": ["12-24/01-02"], "times": ["10:00-12:00"], "exit_idx": 2},
        {"weekdays": ["Mon-Fri"], "times": ["08:30-12:00", "13:00-17:00"], "exit_idx": 1},
    ]
}


def rule(**members):
    one = {"exit_idx": 1, **members}
    return {"rules": [{key: value for key, value in one.items() if value is not None}]}


KNOWN = "Mon, Tue, Wed, Thu, Fri, Sat, Sun"
RULES = [
    ({}, "rules", "is required"),
    ({"rules": []}, "rules", "must hold at least one rule"),
    ({"rules": [[]]}, "rules.0", "must be an object, not an array"),
    (rule(), "rules.0", "needs at least one of weekdays, times, days_of_year, holidays"),
    (rule(weekdays=["Mon"], exit_idx=None), "rules.0.exit_idx", "is required"),
    (
        rule(weekdays=["Mon"], exit_idx=3),
        "rules.0.exit_idx",
        "there is no exit 3; the operation has 3, counted from 0",
    ),
    (
        rule(weekdays="Mon"),
        "rules.0.weekdays",
        'must be an array of weekdays, not the string "Mon"',
    ),
    (rule(weekdays=[]), "rules.0.weekdays", "must hold at least one weekday"),
    (rule(weekdays=[1]), "rules.0.weekdays.0", "must be a string, not the integer 1"),
    (
        rule(weekdays=["Mon", "Tues"]),
        "rules.0.weekdays.1",
        f'must be a weekday ({KNOWN}) or "Mon-Fri", not the string "Tues"',
    ),
    (
        rule(weekdays=["Mon-Wed-Fri"]),
        "rules.0.weekdays.0",
        f'must be a weekday ({KNOWN}) or "Mon-Fri", not the string "Mon-Wed-Fri"',
    ),
    (rule(times=[]), "rules.0.times", "must hold at least one time range"),
    (rule(times=[540]), "rules.0.times.0", "must be a string, not the integer 540"),
    (
        rule(times=["9-17"]),
        "rules.0.times.0",
        'must be a time range such as "09:00-17:30", not the string "9-17"',
    ),
    (
        rule(times=["24:00-08:00"]),
        "rules.0.times.0",
        "24:00 is no time of day to begin with",
    ),
    (rule(times=["08:00-24:01"]), "rules.0.times.0", "24:01 is no time of day to end with"),
    (rule(times=["08:00-08:60"]), "rules.0.times.0", "08:60 is no time of day to end with"),
    (
        rule(times=["08:00-08:00"]),
        "rules.0.times.0",
        "the range is empty; a whole day is 00:00-24:00",
    ),
    (rule(days_of_year=[]), "rules.0.days_of_year", "must hold at least one day"),
    (
        rule(days_of_year=["25.12."]),
        "rules.0.days_of_year.0",
        'must be a day such as "12-25" or "12-24/01-02", not the string "25.12."',
    ),
    (rule(days_of_year=["02-30"]), "rules.0.days_of_year.0", "02-30 is no day of a year"),
    (rule(days_of_year=["12-24/13-01"]), "rules.0.days_of_year.0", "13-01 is no day of a year"),
    (rule(holidays=[]), "rules.0.holidays", "must hold at least one date"),
    (
        rule(holidays=[20261225]),
        "rules.0.holidays.0",
        "must be a string, not the integer 20261225",
    ),
    (
        rule(holidays=["12-25"]),
        "rules.0.holidays.0",
        'must be a date such as "2026-12-25", not the string "12-25"',
    ),
    (rule(holidays=["2026-02-29"]), "rules.0.holidays.0", "2026-02-29 is no date"),
    (rule(weekday=["Mon"], times=["08:00-09:00"]), "rules.0.weekday", None),
    (
        {**GOOD, "time_zone": 13},
        "time_zone",
        "must be the name of a time zone, not the integer 13",
    ),
    *(
        (
            {**GOOD, "time_zone": name},
            "time_zone",
            f'this system knows no time zone of that name: the string "{name}"',
        )
        for name in ("Europe/Nowhere", "../etc/passwd", "/etc/passwd", "", "Europe", "a\0b")
    ),
    ({**GOOD, "zone": "UTC"}, "zone", 'unknown member; did you mean "time_zone"?'),
]


@pytest.mark.parametrize(("config", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, config, member, text):
    text = text or 'unknown member; did you mean "weekdays"?'
    problems = flows.problems(flows.document("BusinessHours", config))
    assert problems == [(CONFIG + member, text, "error")]


def test_at_least_one_exit(flows):
    document = flows.document("BusinessHours", rule(weekdays=["Mon"], exit_idx=0), [])
    text = "BusinessHours has at least 1 exit, not 0"
    assert ("flow.operations.2.exits", text, "error") in flows.problems(document)


def exit_at(flows, config, text, zone=datetime.UTC):
    """Return the exit that a call at that local time takes."""
    wall = datetime.datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()
    run = flows.run(flows.document("BusinessHours", config), wall=wall)
    return run.start().cause - 1


@pytest.mark.parametrize(
    ("moment", "exit_index"),
    [
        ("2026-11-20 08:29:59", 0),  # a Friday
        ("2026-11-20 08:30:00", 1),
        ("2026-11-20 11:59:59", 1),
        ("2026-11-20 12:00:00", 0),
        ("2026-11-20 13:00:00", 1),
        ("2026-11-20 16:59:59", 1),
        ("2026-11-20 17:00:00", 0),
        ("2026-11-21 09:00:00", 0),
        ("2026-11-22 09:00:00", 0),
        ("2026-11-23 09:00:00", 1),
        ("2026-12-24 09:59:00", 1),  # the rule before has a condition for times as well
        ("2026-12-24 10:00:00", 2),
        ("2026-12-26 11:00:00", 2),  # a Saturday: this rule has no condition for weekdays
        ("2026-12-28 09:00:00", 0),  # the holiday's rule is before the others
        ("2027-01-02 11:00:00", 2),
        ("2027-01-03 11:00:00", 0),
        ("2027-12-28 09:00:00", 1),  # a holiday is a date, not the same day of each year
    ],
)
def test_exit_by_moment(flows, moment, exit_index):
    assert exit_at(flows, GOOD, moment) == exit_index


def test_exit_names(flows):
    document = flows.document("BusinessHours", GOOD)
    monday_nine = datetime.datetime(2026, 11, 23, 9, tzinfo=datetime.UTC).timestamp()
    names = []
    for wall in (0.0, monday_nine):
        run = flows.run(document, wall=wall)
        run.start()
        names.append(run.path[1].exit_name)
    assert names == ["Default", "Exit 1"]


@pytest.mark.parametrize(
    ("moment", "exit_index"),
    [
        ("2026-11-20 21:59:00", 0),
        ("2026-11-20 22:00:00", 1),
        ("2026-11-20 23:59:59", 1),
        ("2026-11-21 00:00:00", 1),  # Saturday, but the night of Friday
        ("2026-11-21 05:59:59", 1),
        ("2026-11-21 06:00:00", 0),
        ("2026-11-20 02:00:00", 0),  # Friday, but the night of Thursday
        ("2026-11-21 22:30:00", 0),
    ],
)
def test_a_night_belongs_to_the_day_on_which_it_begins(flows, moment, exit_index):
    assert exit_at(flows, rule(weekdays=["Fri"], times=["22:00-06:00"]), moment) == exit_index


def test_the_zone_decides_what_day_and_time_it_is(flows):
    hours = rule(weekdays=["Mon"], times=["08:00-09:00"])
    hours["time_zone"] = "Pacific/Auckland"
    # Summer time there: thirteen hours ahead, so Monday 08:30 is Sunday 19:30 UTC.
    assert exit_at(flows, hours, "2026-11-22 19:30:00") == 1
    assert exit_at(flows, hours, "2026-11-23 08:30:00") == 0
    # Winter time: twelve hours.
    assert exit_at(flows, hours, "2026-07-19 20:30:00") == 1
    assert exit_at(flows, hours, "2026-07-19 19:30:00") == 0


def test_dates_that_yaml_and_toml_have_read(flows):
    config = rule(holidays=[datetime.date(2026, 12, 25)])
    assert exit_at(flows, config, "2026-12-25 00:00:00") == 1
    assert exit_at(flows, config, "2026-12-26 00:00:00") == 0
    config = rule(holidays=[datetime.datetime(2026, 12, 25, tzinfo=datetime.UTC)])
    problems = flows.problems(flows.document("BusinessHours", config))
    assert problems == [
        (CONFIG + "rules.0.holidays.0", "must be a string, not a datetime", "error")
    ]
