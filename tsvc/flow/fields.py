"""The members that only flows have, and how members of a config are read and described.

Fields check only the shape. What depends on the site or on the rest of the flow is checked when
the node is built.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from marshmallow import Schema, ValidationError, fields, validates_schema

from tsvc import turns
from tsvc.flow.announcements import AnnouncementName
from tsvc.flow.buffers import Template, buffer_complaint, ussd_octets
from tsvc.flow.patterns import Pattern, PatternError, PatternSyntax, compile_pattern
from tsvc.protocols.map.ussd import LONGEST_STRING
from tsvc.schema.fields import Integer, List, Member, Members, Nested, String
from tsvc.schema.style import Mistake, Style, Takes
from tsvc.words import described, did_you_mean, digits_of

MAX_REPETITION = 127  # the highest numberOfRepetitions
_MOST_WRONG = 1000  # items of an array that are reported
_NOUNS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "table": "an object",
    "exit index": "the index of an exit",
    "announcement": "an announcement object",
    "pattern": "a pattern string",
}


class FlowStyle(Style):
    """Values are not converted; a refusal names the expected and the given value."""

    missing = "is required"

    def integer(self, value: object) -> int | None:
        """Return an integer, None for other values; 3.0 is no integer."""
        return value if type(value) is int else None

    def number(self, value: object) -> float | None:
        """Return a number unchanged: integers of any size stay integers."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return value

    def boolean(self, value: object) -> bool | None:
        """Return true or false, None for other values."""
        return value if isinstance(value, bool) else None

    def rule(self, takes: Takes) -> str:
        """Return the valid values, in a few words of Markdown."""
        if takes.rule or takes.choices:
            return takes.rule or " or ".join(f'`"{choice}"`' for choice in takes.choices)
        match takes.type:
            case "boolean":
                return "`true` or `false`"
            case "integer" | "number":
                return f"{takes.type}, {_limits(takes)}"
            case "string" if takes.high:
                return f"string, {_limits(takes)} characters"
        return takes.type

    def words(self, kind: Mistake, takes: Takes, value: object) -> str:
        """Return what is wrong with a value."""
        match kind:
            case Mistake.MISSING:
                return self.missing
            case Mistake.NULL:
                return self.null
            case Mistake.RANGE:
                shown = digits_of(value) if isinstance(value, int) else value
                return f"must be {_limits(takes)}, not {shown}"
            case Mistake.LENGTH if not value:
                return "must not be empty"
            case Mistake.LENGTH:
                return f"must have at most {takes.high} characters, not {len(str(value))}"
        expected = takes.says if kind is Mistake.PATTERN else _NOUNS[takes.type]
        if takes.choices:
            expected = " or ".join(f'"{choice}"' for choice in takes.choices)
        return f"must be {expected}, not {described(value)}"


class NodeSchema(Members):
    """Base of every config schema, with the data of the document that its members need.

    pattern_syntax: the flow's; None if the flow's is invalid.
    exit_count:     of the operation; None if it is unknown.
    """

    style = FlowStyle()

    def __init__(
        self,
        pattern_syntax: PatternSyntax | None = "acs",
        exit_count: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.pattern_syntax = pattern_syntax
        self.exit_count = exit_count

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Make a default of None mean "absent", never that null may be written."""
        field_obj.allow_none = False

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _refuse_unknown(self, data: Any, original: Any, **kwargs: Any) -> None:
        """Refuse every other member, also those that are free elsewhere; all get a hint."""
        unknown = [name for name in original if name not in self.fields]
        if unknown:
            text = self.style.unknown
            raise ValidationError(
                {name: [text + did_you_mean(name, self.fields)] for name in unknown}
            )


class ExitIndex(Integer):
    """The index of one of the operation's own exits."""

    type = "exit index"

    def read(self, value: Any) -> int:
        """Return the index."""
        index = super().read(value)
        count = self.root.exit_count if isinstance(self.root, NodeSchema) else None
        if index < 0 or (count is not None and index >= count):
            has = "" if count is None else f"; the operation has {count}, counted from 0"
            raise ValidationError(f"there is no exit {digits_of(index)}{has}")
        return index


class BufferName(String):
    """The name of a buffer that the operation writes, or only reads."""

    def __init__(self, *, is_written: bool, **kwargs: Any) -> None:
        rule = "`user.` buffer" if is_written else "`user.` or `system.` buffer"
        super().__init__(1, rule=rule, **kwargs)
        self.is_written = is_written

    def read(self, value: Any) -> str:
        """Return the name."""
        name = super().read(value)
        complaint = buffer_complaint(name, is_written=self.is_written)
        if complaint:
            raise ValidationError(complaint)
        return name


class UssdText(String):
    """A text that a mobile shows, with buffers in braces; its fixed text must fit."""

    def __init__(self, **kwargs: Any) -> None:
        rule = f"text of at most {LONGEST_STRING} octets, buffers as `{{user.name}}`"
        super().__init__(1, rule=rule, **kwargs)

    def read(self, value: Any) -> Any:
        """Return the text as a Template."""
        template = Template.of(super().read(value))
        for name in template.names:
            complaint = buffer_complaint(name, is_written=False)
            if complaint:
                raise ValidationError(complaint)
        used = ussd_octets("".join(template.texts))
        if used > LONGEST_STRING:
            raise ValidationError(
                f"takes {used} octets; a mobile is sent {LONGEST_STRING} at most"
            )
        return template


class NumberPattern(Member):
    """A pattern in the syntax of the flow."""

    type = "pattern"

    def read(self, value: Any) -> Pattern:
        """Return the compiled pattern."""
        if not isinstance(value, str):
            raise self.refusal(Mistake.TYPE, value)
        syntax = self.root.pattern_syntax if isinstance(self.root, NodeSchema) else "acs"
        try:
            # With an invalid syntax the flow is refused anyway: complaints would be guesses.
            return compile_pattern(value, syntax) if syntax else compile_pattern("?%")
        except PatternError as error:
            raise ValidationError(str(error)) from None


class Entry(Nested):
    """An object with members of its own."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self.read(value)

    def read(self, value: Any) -> Any:
        """Return the result of its schema."""
        if not isinstance(value, dict):
            raise self.refusal(Mistake.TYPE, value)
        schema = self.schema
        if isinstance(schema, NodeSchema) and isinstance(self.root, NodeSchema):
            schema.pattern_syntax = self.root.pattern_syntax
            schema.exit_count = self.root.exit_count
        return schema.load(value)


class _AnnouncementSchema(NodeSchema):
    set = String(1, required=True, help="the announcement set")
    entry = String(1, required=True, help="the announcement in the set")
    repetition = Integer(1, MAX_REPETITION, default=1, help="how often it is played")

    def _refuse_unknown(self, data: Any, original: Any, **kwargs: Any) -> None:
        """Keep further members: the node warns about them."""


class Announced(Entry):
    """An announcement object: `set`, `entry`, `repetition`; further members are kept."""

    type = "announcement"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(_AnnouncementSchema, **kwargs)

    def read(self, value: Any) -> AnnouncementName:
        """Return the name; its message depends on tables that a field has no access to."""
        known = super().read(value)
        further = {str(key): value[key] for key in value if key not in self.schema.fields}
        return AnnouncementName(known["set"], known["entry"], known["repetition"], further)


class Array(List):
    """A nonempty array; `noun` names its items."""

    def __init__(self, item: Member, noun: str, **kwargs: Any) -> None:
        super().__init__(item, rule=f"array of {noun}s", **kwargs)
        self.noun = noun

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        """Return the items; wrong ones, at most a thousand, are reported by index."""
        if not isinstance(value, list):
            raise ValidationError(f"must be an array of {self.noun}s, not {described(value)}")
        if not value:
            raise ValidationError(f"must hold at least one {self.noun}")
        items: list[Any] = []
        errors: dict[int, Any] = {}
        for index, item in enumerate(value):
            turns.walked(turns.PORTION // 8)
            try:
                items.append(self.inner.read(item))  # type: ignore[attr-defined]  # a Member
            except ValidationError as error:
                errors[index] = error.messages
                if len(errors) == _MOST_WRONG:
                    break
        if errors:
            raise ValidationError(errors)
        return tuple(items)


def digits(**kwargs: Any) -> String:
    """Return the member for a number: one or more digits, 0-9 and A-F."""
    rule, says = "string of digits 0-9 A-F", "digits (0-9, A-F)"
    return String(1, pattern=r"[0-9A-F]+\Z", rule=rule, says=says, **kwargs)


def octets(longest: int, **kwargs: Any) -> String:
    """Return the member for octets in hex: at least one, at most `longest`."""
    says = f"1 to {longest} octets in hex"
    pattern = rf"([0-9A-Fa-f]{{2}}){{1,{longest}}}\Z"
    return String(pattern=pattern, rule=f"string of {says}", says=says, **kwargs)


def refuse_min_above_max(values: Mapping[str, Any]) -> None:
    """Refuse min_digits above max_digits; a member with an error of its own is not in `values`."""
    low, high = values.get("min_digits"), values.get("max_digits")
    if low is not None and high is not None and low > high:
        raise ValidationError(f"must be at most max_digits ({high}), not {low}", "min_digits")


def refuse_repeated(values: Mapping[str, Any], array: str, member: str) -> None:
    """Refuse objects of an array whose `member` has the value of an earlier object."""
    items: Sequence[Mapping[str, Hashable]] = values.get(array, ())
    first_index: dict[Hashable, int] = {}
    errors: dict[int, dict[str, list[str]]] = {}
    for index, item in enumerate(items):
        first = first_index.setdefault(item[member], index)
        if first != index:
            errors[index] = {member: [f'"{item[member]}" is in {array}.{first} already']}
    if errors:
        raise ValidationError({array: errors})


Errors = list[tuple[tuple[str, ...], str]]  # path below the object, and text


def load(schema: Schema, value: dict[Any, Any]) -> tuple[dict[str, Any], Errors]:
    """Return the loaded members and every error, sorted by path. Never raises."""
    try:
        loaded: dict[str, Any] = schema.load(value)
    except ValidationError as error:
        return {}, sorted(_flatten(error.messages, ()))
    return loaded, []


def _flatten(messages: Any, path: tuple[str, ...]) -> Errors:
    if isinstance(messages, dict):
        return [one for key in messages for one in _flatten(messages[key], (*path, str(key)))]
    return [(path, str(text)) for text in messages]


def _limits(takes: Takes) -> str:
    if takes.high is None:
        return f"at least {takes.low}"
    return f"{takes.low or 0} to {takes.high}"
