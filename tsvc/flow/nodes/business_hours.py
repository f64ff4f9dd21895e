"""BusinessHours: branch on the time of day, the weekday, the day of the year and holidays."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, tzinfo
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from marshmallow import ValidationError, validates_schema

from tsvc.flow.call import CallFacts
from tsvc.flow.fields import Array, Entry, ExitIndex, NodeSchema
from tsvc.flow.node import NodeRun, OpenNode, SchemaClass, Site, register
from tsvc.flow.schedule import Schedule, read_date, read_days, read_times, read_weekdays
from tsvc.schema.fields import Member, String
from tsvc.values import dataclass
from tsvc.words import described

DEFAULT_EXIT = 0
CONDITIONS = ("weekdays", "times", "days_of_year", "holidays")


class Written(String):
    """A string that a reader of tsvc.flow.schedule understands."""

    def __init__(self, reader: Callable[[str], object]) -> None:
        super().__init__()
        self._reader = reader

    def read(self, value: Any) -> Any:
        """Return the value of the string."""
        try:
            return self._reader(super().read(value))
        except ValueError as error:
            raise ValidationError(str(error)) from None


class WrittenDate(Written):
    """A date; YAML and TOML may have parsed it already."""

    def read(self, value: Any) -> Any:
        """Return the date."""
        return value if type(value) is date else super().read(value)


class TimeZone(Member):
    """The name of a time zone."""

    def read(self, value: Any) -> tzinfo:
        """Return the zone."""
        if not isinstance(value, str):
            raise ValidationError(f"must be the name of a time zone, not {described(value)}")
        if value == "UTC":
            return UTC  # needs no database
        try:
            return ZoneInfo(value)
        except (LookupError, ValueError, OSError):  # a name can be the path of any file
            text = f"this system knows no time zone of that name: {described(value)}"
            raise ValidationError(text) from None


def condition(item: Written, noun: str, help: str) -> Array:
    """Return the member for a condition: an array that may be absent."""
    return Array(item, noun, default=(), help=help)


class OpeningRuleSchema(NodeSchema):
    """One rule: conditions, and the exit when all of them hold."""

    weekdays = condition(Written(read_weekdays), "weekday", 'such as `"Mon"` and `"Mon-Fri"`')
    times = condition(Written(read_times), "time range", 'such as `"09:00-17:30"`')
    days_of_year = condition(Written(read_days), "day", 'such as `"12-25"` and `"12-24/01-02"`')
    holidays = condition(WrittenDate(read_date), "date", 'such as `"2026-12-25"`')
    exit_idx = ExitIndex(required=True, help="the exit when all conditions hold")


class BusinessHoursSchema(NodeSchema):
    """The rules, and their time zone."""

    rules = Array(
        Entry(OpeningRuleSchema),
        "rule",
        required=True,
        help="the rules; the first whose conditions hold decides",
    )
    time_zone = TimeZone(
        default=UTC,
        rule='IANA time zone name such as `"Europe/Berlin"`',
        help="where the rules are meant; absent: UTC",
    )

    @validates_schema(skip_on_field_errors=False)
    def rules_ask_something(self, values: dict[str, Any], **_: Any) -> None:
        """Refuse a rule without any condition."""
        text = f"needs at least one of {', '.join(CONDITIONS)}"
        errors = {
            index: [text]
            for index, rule in enumerate(values.get("rules", ()))
            if not any(rule[condition] for condition in CONDITIONS)
        }
        if errors:
            raise ValidationError({"rules": errors})


@register
@dataclass(frozen=True, slots=True)
class BusinessHours(OpenNode):
    """Compares the time with `rules` = schedules and their exits; the first match counts."""

    rules: tuple[tuple[Schedule, int], ...]
    time_zone: tzinfo

    type: ClassVar[str] = "BusinessHours"
    summary: ClassVar[str] = (
        "Branches on the time of day, the weekday, the day of the year and holidays."
    )
    first_exit: ClassVar[str] = "Default"
    Config: ClassVar[SchemaClass] = BusinessHoursSchema
    exit_help: ClassVar[Mapping[str, str]] = {
        "Default": "no rule holds",
        "Exit n": "the first rule that holds names this exit",
    }
    notes: ClassVar[tuple[str, ...]] = (
        "A rule holds when every condition that it has holds; a condition holds when one of its"
        " entries does. The first rule that holds decides, so exceptions such as holidays stand"
        " before the ordinary hours.",
        "The end of a time range is not part of it: at 17:30 `09:00-17:30` is over. `00:00-24:00`"
        " is a whole day. A range such as `22:00-06:00` runs over midnight and belongs to the day"
        " on which it begins: with weekday `Fri` it covers Saturday at 02:00.",
        "Both days of `12-24/01-02` are part of it; the month comes first. Ranges of weekdays and"
        " of days may run over the end of the week or year.",
        "Time zones are those of the system's time zone database.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {
            "time_zone": "Pacific/Auckland",
            "rules": [
                {"holidays": ["2026-12-25", "2026-12-28"], "exit_idx": 0},
                {"weekdays": ["Mon-Fri"], "times": ["08:30-17:00"], "exit_idx": 1},
            ],
        },
        "exits": [4, 3],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "BusinessHours":
        """Return the node."""
        rules = tuple((_schedule(rule), rule["exit_idx"]) for rule in config["rules"])
        return cls(rules, config["time_zone"])

    def run(self, call: CallFacts) -> NodeRun:
        """Take the exit of the first rule that holds."""
        yield from ()
        moment = datetime.fromtimestamp(call.wall(), self.time_zone)
        for schedule, exit_index in self.rules:
            if schedule.has(moment):
                return exit_index
        return DEFAULT_EXIT


def _schedule(rule: Mapping[str, Any]) -> Schedule:
    return Schedule(
        weekdays=frozenset[int]().union(*rule["weekdays"]),
        times=rule["times"],
        days_of_year=rule["days_of_year"],
        holidays=frozenset(rule["holidays"]),
    )
