"""The kinds of config members, as marshmallow fields whose every refusal says what was expected.

A member's `help` (and `unit`) is the line of the generated reference. Fields look at shapes only;
what depends on the site or on the rest of the flow is decided when the node is built.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Generic, TypeVar

from marshmallow import Schema, ValidationError, fields, missing

from tsvc.flow.announcements import AnnouncementName
from tsvc.flow.buffers import buffer_complaint
from tsvc.flow.patterns import Pattern, PatternError, PatternSyntax, compile_pattern
from tsvc.words import described, did_you_mean, digits_of

T = TypeVar("T")

MAX_REPETITION = 127  # what numberOfRepetitions can carry
NUMBER_DIGITS = "0123456789ABCDEF"
UNKNOWN_MEMBER = "unknown member"
MESSAGES: dict[str, Any] = {"required": "is required", "null": "must not be null"}


class NodeSchema(Schema):
    """Base of every config schema, with what the document around a config says to its members.

    pattern_syntax: the flow's; None if the flow's is bad.
    exit_count:     of the operation; None if that can't be told.
    """

    def __init__(
        self, pattern_syntax: PatternSyntax | None = "acs", exit_count: int | None = None
    ) -> None:
        super().__init__()
        self.error_messages["unknown"] = UNKNOWN_MEMBER
        self.pattern_syntax = pattern_syntax
        self.exit_count = exit_count


class Member(fields.Field[T], Generic[T]):
    """A config member: required, or with a default that stands for its absence."""

    def __init__(
        self, help: str, *, required: bool = False, default: object = missing, unit: str = ""
    ) -> None:
        metadata = {"help": help, "unit": unit} if unit else {"help": help}
        super().__init__(
            required=required, load_default=default, metadata=metadata, error_messages=MESSAGES
        )
        self.allow_none = False  # a default of None means "absent", never that null may be written

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> T:
        return self.read(value)

    def read(self, value: object) -> T:
        """Return the value in its inner form; raises ValidationError."""
        raise NotImplementedError

    def shape(self) -> str:
        """Say in a few words of Markdown what may be written."""
        raise NotImplementedError


class Whole(Member[int]):
    """An integer within limits."""

    def __init__(
        self,
        help: str,
        *,
        minimum: int,
        maximum: int | None = None,
        required: bool = False,
        default: object = missing,
        unit: str = "",
    ) -> None:
        super().__init__(help, required=required, default=default, unit=unit)
        self.minimum = minimum
        self.maximum = maximum

    def read(self, value: object) -> int:
        """Return the integer."""
        if type(value) is not int:
            raise ValidationError(f"must be an integer, not {described(value)}")
        if self.maximum is None and value < self.minimum:
            raise ValidationError(f"must be at least {self.minimum}, not {digits_of(value)}")
        if self.maximum is not None and not self.minimum <= value <= self.maximum:
            raise ValidationError(
                f"must be {self.minimum} to {self.maximum}, not {digits_of(value)}"
            )
        return value

    def shape(self) -> str:
        """Say the limits."""
        if self.maximum is None:
            return f"integer, at least {self.minimum}"
        return f"integer, {self.minimum} to {self.maximum}"


class Number(Member[float]):
    """A number within limits, whole or not."""

    def __init__(
        self,
        help: str,
        *,
        minimum: float,
        maximum: float,
        required: bool = False,
        default: object = missing,
        unit: str = "",
    ) -> None:
        super().__init__(help, required=required, default=default, unit=unit)
        self.minimum = minimum
        self.maximum = maximum

    def read(self, value: object) -> float:
        """Return the number."""
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise ValidationError(f"must be a number, not {described(value)}")
        if isinstance(value, float) and not isfinite(value):
            raise ValidationError(f"must be a number, not {described(value)}")
        if not self.minimum <= value <= self.maximum:
            shown = digits_of(value) if isinstance(value, int) else str(value)
            raise ValidationError(f"must be {self.minimum} to {self.maximum}, not {shown}")
        return value

    def shape(self) -> str:
        """Say the limits."""
        return f"number, {self.minimum} to {self.maximum}"


class ExitIndex(Member[int]):
    """The index of one of the operation's own exits."""

    def __init__(self, help: str) -> None:
        super().__init__(help, required=True)

    def read(self, value: object) -> int:
        """Return the index."""
        if type(value) is not int:
            raise ValidationError(f"must be the index of an exit, not {described(value)}")
        count = self.root.exit_count if isinstance(self.root, NodeSchema) else None
        if value < 0 or (count is not None and value >= count):
            has = "" if count is None else f"; the operation has {count}, counted from 0"
            raise ValidationError(f"there is no exit {digits_of(value)}{has}")
        return value

    def shape(self) -> str:
        """Say what it is."""
        return "exit index"


class Flag(Member[bool]):
    """true or false."""

    def read(self, value: object) -> bool:
        """Return the boolean."""
        if not isinstance(value, bool):
            raise ValidationError(f"must be true or false, not {described(value)}")
        return value

    def shape(self) -> str:
        """Say both values."""
        return "`true` or `false`"


class Text(Member[str]):
    """A string with at least one character."""

    def read(self, value: object) -> str:
        """Return the string."""
        if not isinstance(value, str):
            raise ValidationError(f"must be a string, not {described(value)}")
        if not value:
            raise ValidationError("must not be empty")
        return value

    def shape(self) -> str:
        """Say what it is."""
        return "string"


class Digits(Text):
    """A string of digits, 0-9 and A-F."""

    def read(self, value: object) -> str:
        """Return the digits."""
        text = super().read(value)
        if not set(text) <= set(NUMBER_DIGITS):
            raise ValidationError(f"must be digits (0-9, A-F), not {described(text)}")
        return text

    def shape(self) -> str:
        """Say which characters."""
        return "string of digits 0-9 A-F"


class BufferName(Text):
    """The name of a buffer that the operation writes, or only reads."""

    def __init__(
        self,
        help: str,
        *,
        is_written: bool,
        required: bool = False,
        default: object = missing,
    ) -> None:
        super().__init__(help, required=required, default=default)
        self.is_written = is_written

    def read(self, value: object) -> str:
        """Return the name."""
        name = super().read(value)
        complaint = buffer_complaint(name, is_written=self.is_written)
        if complaint:
            raise ValidationError(complaint)
        return name

    def shape(self) -> str:
        """Say which buffers."""
        return "`user.` buffer" if self.is_written else "`user.` or `system.` buffer"


class Choice(Member[str]):
    """One of a few words."""

    def __init__(self, help: str, *choices: str, default: object = missing) -> None:
        super().__init__(help, default=default)
        self.choices = choices

    def read(self, value: object) -> str:
        """Return the word."""
        if not isinstance(value, str) or value not in self.choices:
            known = " or ".join(f'"{choice}"' for choice in self.choices)
            raise ValidationError(f"must be {known}, not {described(value)}")
        return value

    def shape(self) -> str:
        """Say the words."""
        return " or ".join(f'`"{choice}"`' for choice in self.choices)


class Announced(Member[AnnouncementName]):
    """An announcement object: `set`, `entry`, `repetition`; further members are kept."""

    def read(self, value: object) -> AnnouncementName:
        """Return the name; which message it is depends on tables that a field can't see."""
        if not isinstance(value, dict):
            raise ValidationError(f"must be an announcement object, not {described(value)}")
        known, errors = load(_AnnouncementSchema(), value, ignore_unknown=True)
        if errors:
            raise ValidationError(nest(errors))
        further = {str(key): value[key] for key in value if key not in known}
        return AnnouncementName(known["set"], known["entry"], known["repetition"], further)

    def shape(self) -> str:
        """Say what it is."""
        return "announcement"


class _AnnouncementSchema(NodeSchema):
    set = Text("the announcement set", required=True)
    entry = Text("the announcement in the set", required=True)
    repetition = Whole("how often it is played", minimum=1, maximum=MAX_REPETITION, default=1)


class Array(Member[tuple[T, ...]]):
    """A non-empty array; `noun` names what it holds."""

    def __init__(
        self, help: str, noun: str, *, required: bool = False, default: object = missing
    ) -> None:
        super().__init__(help, required=required, default=default)
        self.noun = noun

    def read(self, value: object) -> tuple[T, ...]:
        """Return the items; all the wrong ones are reported, by index."""
        if not isinstance(value, list):
            raise ValidationError(f"must be an array of {self.noun}s, not {described(value)}")
        if not value:
            raise ValidationError(f"must hold at least one {self.noun}")
        items: list[T] = []
        errors: dict[int, object] = {}
        for index, item in enumerate(value):
            try:
                items.append(self.read_item(item))
            except ValidationError as error:
                errors[index] = error.messages
        if errors:
            raise ValidationError(errors)
        return tuple(items)

    def read_item(self, item: object) -> T:
        """Return one item in its inner form; raises ValidationError."""
        raise NotImplementedError

    def shape(self) -> str:
        """Say what it holds."""
        return f"array of {self.noun}s"


class Patterns(Array[Pattern]):
    """An array of number patterns in the syntax of the flow."""

    def read_item(self, item: object) -> Pattern:
        """Return the compiled pattern."""
        if not isinstance(item, str):
            raise ValidationError(f"must be a pattern string, not {described(item)}")
        syntax = self.root.pattern_syntax if isinstance(self.root, NodeSchema) else "acs"
        try:
            # With a bad syntax the flow is refused anyway: complaints would be guesses.
            return compile_pattern(item, syntax) if syntax else compile_pattern("?%")
        except PatternError as error:
            raise ValidationError(str(error)) from None


class Objects(Array[dict[str, Any]]):
    """An array of objects of one schema."""

    def __init__(
        self,
        help: str,
        noun: str,
        schema: Callable[[], NodeSchema],
        *,
        required: bool = False,
        default: object = missing,
    ) -> None:
        super().__init__(help, noun, required=required, default=default)
        self.schema = schema

    def read_item(self, item: object) -> dict[str, Any]:
        """Return the loaded object."""
        if not isinstance(item, dict):
            raise ValidationError(f"must be an object, not {described(item)}")
        schema = self.schema()
        if isinstance(self.root, NodeSchema):
            schema.pattern_syntax = self.root.pattern_syntax
            schema.exit_count = self.root.exit_count
        values, errors = load(schema, item)
        if errors:
            raise ValidationError(nest(errors))
        return values


Errors = list[tuple[tuple[str, ...], str]]  # where below the object, and what


def load(
    schema: NodeSchema, value: dict[Any, Any], *, ignore_unknown: bool = False
) -> tuple[dict[str, Any], Errors]:
    """Return the loaded members and every error, sorted by place. Never raises."""
    try:
        loaded: dict[str, Any] = schema.load(value, unknown="exclude" if ignore_unknown else None)
    except ValidationError as error:
        found = sorted(_flatten(error.messages, ()))
        return {}, [(path, _with_hint(schema, path, text)) for path, text in found]
    return loaded, []


def nest(errors: Errors) -> dict[str, object]:
    """Return errors in the nested form that a ValidationError carries."""
    tree: dict[str, Any] = {}
    for path, text in errors:
        node = tree
        for step in path[:-1]:
            node = node.setdefault(step, {})
        node.setdefault(path[-1], []).append(text)
    return tree


def _flatten(messages: Any, path: tuple[str, ...]) -> Errors:
    if isinstance(messages, dict):
        return [one for key in messages for one in _flatten(messages[key], (*path, str(key)))]
    return [(path, str(text)) for text in messages]


def _with_hint(schema: NodeSchema, path: tuple[str, ...], text: str) -> str:
    if text == UNKNOWN_MEMBER and len(path) == 1:
        return text + did_you_mean(path[0], sorted(schema.fields))
    return text
