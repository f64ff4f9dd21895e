"""Marshmallow fields and the schema base for everything a client sends.

Own fields, because the stock ones are too lenient or too strict here: a number may come as its
decimal string, true is not a number, a number is not a string of digits, a typo gets a hint.
Every message reads as the end of a sentence that starts with the member's path.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, ClassVar

from marshmallow import INCLUDE, Schema, ValidationError, fields, validates_schema

from tsvc.errors import RunIdMissing, TsvcError
from tsvc.schema.paths import member_path
from tsvc.words import did_you_mean, kind_of, shown

RUN_ID_OCTETS = 256
MOST_MESSAGES = 100  # places named in one answer; a hostile request can hold 100,000 mistakes
OBJECT_ITSELF = "_schema"  # where marshmallow puts what is wrong with an object as a whole
_MOST_HINTS = 20

_INTEGER = re.compile(r"[+-]?[0-9]{1,100}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?")
_DIGITS = re.compile(r"[0-9A-Fa-f*#]*")

# Members that any object may carry for people and for newer clients.
_FREE_NAMES = frozenset({"comment", "name", "description"})
_FREE_PREFIX = "x_"


class UnknownMember(str):
    """The message about a member that no schema knows; the one kind a site may tolerate."""

    __slots__ = ()


Words = dict[str, str | list[Any] | dict[Any, Any]]
_WORDS: Words = {
    "required": "is missing",
    "null": "must not be null",
    "validator_failed": "has an invalid value",
}
_LIST_WORDS: Words = {**_WORDS, "invalid": "must be an array"}
_NESTED_WORDS: Words = {**_WORDS, "type": "must be an object"}
_SCHEMA_WORDS = {"type": "must be an object"}


class String(fields.String):
    """A JSON string."""

    default_error_messages: Words = _WORDS

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError(f"must be a string, not {kind_of(value)}")
        return value


class Choice(String):
    """One of a few strings; a near miss gets a hint."""

    def __init__(self, choices: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.choices = tuple(choices)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if text not in self.choices:
            listed = ", ".join(self.choices)
            raise ValidationError(
                f"{shown(text)} is not one of {listed}{did_you_mean(text, self.choices)}"
            )
        return text


class Digits(String):
    """An address or number: 0-9, A-F, * and #. Kept as it is written, leading zeros included."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if isinstance(value, int | float) and not isinstance(value, bool):
            raise ValidationError(
                "must be a string of digits, not a number: a number loses leading zeros"
            )
        text = super()._deserialize(value, attr, data, **kwargs)
        if not _DIGITS.fullmatch(text):
            raise ValidationError(f"{shown(text)} has characters other than 0-9 A-F * #")
        return text


class Integer(fields.Field[int]):
    """An integer or its decimal string ("2"), within optional bounds. A boolean is none."""

    default_error_messages: Words = _WORDS

    def __init__(self, low: int | None = None, high: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.low = low
        self.high = high

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        number = integer_of(value)
        if number is None:
            raise ValidationError(f"must be an integer, not {_what(value)}")
        _check_range(number, self.low, self.high)
        return number


class Float(fields.Field[float]):
    """A number or its decimal string ("0.5"), within optional bounds. A boolean is none."""

    default_error_messages: Words = _WORDS

    def __init__(self, low: float | None = None, high: float | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.low = low
        self.high = high

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        number = float_of(value)
        if number is None:
            raise ValidationError(f"must be a number, not {_what(value)}")
        _check_range(number, self.low, self.high)
        return number


class Boolean(fields.Field[bool]):
    """true, false, 0, 1, "0" or "1"."""

    default_error_messages: Words = _WORDS

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        truth = boolean_of(value)
        if truth is None:
            raise ValidationError(f"must be true, false, 0 or 1, not {_what(value)}")
        return truth


class Object(fields.Field[dict[str, Any]]):
    """Any JSON object, kept as it came; what is inside is judged elsewhere."""

    default_error_messages: Words = _WORDS

    def _deserialize(
        self, value: Any, attr: str | None, data: Any, **kwargs: Any
    ) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValidationError(f"must be an object, not {kind_of(value)}")
        return value


class List(fields.List[Any]):
    """An array whose items are all of one field."""

    default_error_messages: Words = _LIST_WORDS


class Nested(fields.Nested):
    """An object of a schema of its own."""

    default_error_messages: Words = _NESTED_WORDS


class RunId(fields.Raw):
    """`run_id` in a schema. The dispatcher has checked it by check_run_id() before."""

    default_error_messages: Words = _WORDS


class Members(Schema):
    """Base of the schemas of everything a client sends.

    Unknown members are refused with a hint, except `x_…`, comment, name and description, and
    those that begin with one of `open_prefixes`: these are kept in the loaded data.
    """

    class Meta:
        unknown = INCLUDE

    error_messages = _SCHEMA_WORDS
    open_prefixes: ClassVar[tuple[str, ...]] = ()

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _refuse_unknown(self, data: Any, original: Any, **kwargs: Any) -> None:
        if not isinstance(original, dict):
            return  # the type is refused already
        known = [field.data_key or name for name, field in self.load_fields.items()]
        names = set(known) | _FREE_NAMES
        prefixes = (_FREE_PREFIX, *self.open_prefixes)
        unknown = [name for name in original if name not in names]
        unknown = [name for name in unknown if not name.startswith(prefixes)]
        if OBJECT_ITSELF in unknown:
            # marshmallow's own name for the object as a whole: never to be left out by it
            raise ValidationError(f"unknown member {OBJECT_ITSELF}")
        if unknown:
            hinted = [did_you_mean(name, known) for name in unknown[:_MOST_HINTS]]
            hinted += [""] * (len(unknown) - len(hinted))
            texts = [UnknownMember("unknown member" + hint) for hint in hinted]
            raise ValidationError(
                {name: [text] for name, text in zip(unknown, texts, strict=True)}
            )


class Params(Members):
    """Base of the params of a method without run_id."""


class RunParams(Params):
    """Base of the params of a method that takes a run_id."""

    run_id = RunId()


def check_run_id(params: Mapping[str, Any], refuse: type[TsvcError]) -> str:
    """Return params.run_id: a string of 1 to 256 octets of UTF-8, any characters.

    Errors: RunIdMissing if absent, null or empty; `refuse` if not a string or longer.
    """
    run_id = params.get("run_id")
    if run_id is None or run_id == "":
        raise RunIdMissing("params.run_id is missing")
    if not isinstance(run_id, str):
        problem = f"must be a string, not {kind_of(run_id)}"
    elif len(run_id.encode()) > RUN_ID_OCTETS:
        problem = f"is {len(run_id.encode())} octets long, the limit is {RUN_ID_OCTETS}"
    else:
        return run_id
    raise refuse(f"params.run_id: {problem}", fields={"params.run_id": [problem]})


def integer_of(value: object) -> int | None:
    """Return the integer that a JSON value stands for (2, 2.0, "2"), or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    return None


def float_of(value: object) -> float | None:
    """Return the finite number that a JSON value stands for (2, 0.5, "0.5"), or None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not _DECIMAL.fullmatch(value):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def boolean_of(value: object) -> bool | None:
    """Return the truth that a JSON value stands for (true, 1, "1", …), or None."""
    if isinstance(value, bool):
        return value
    number = integer_of(value)
    return bool(number) if number in (0, 1) else None


def flatten_messages(messages: object, prefix: str = "params") -> dict[str, list[str]]:
    """Turn marshmallow's tree of messages into {path: texts}, at most 100 paths.

    Example: {"operations": {3: {"tests": {0: {"typo": ["unknown member"]}}}}} becomes
             {"params.operations[3].tests[0].typo": ["unknown member"]}.
    """
    flat: dict[str, list[str]] = {}
    for steps, texts in _leaves(messages, ()):
        if len(flat) == MOST_MESSAGES:
            flat[prefix] = [*flat.get(prefix, []), f"has more than {MOST_MESSAGES} problems"]
            break
        path = prefix
        for step in steps:
            path = member_path(path, step)
        flat.setdefault(path, []).extend(texts)
    return flat


def unknown_members(messages: object) -> list[tuple[tuple[str | int, ...], str]]:
    """Return (steps, text) of each unknown member that a tree of messages names."""
    return [
        (steps, str(text))
        for steps, texts in _leaves(messages, ())
        for text in texts
        if isinstance(text, UnknownMember)
    ]


def _leaves(
    messages: object, steps: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], list[str]]]:
    if isinstance(messages, dict):
        for key, below in messages.items():
            yield from _leaves(below, steps if key == OBJECT_ITSELF else (*steps, key))
    elif isinstance(messages, list):
        yield steps, messages
    else:
        yield steps, [str(messages)]


def _what(value: object) -> str:
    return shown(value) if isinstance(value, str) else kind_of(value)


def _check_range(number: float, low: float | None, high: float | None) -> None:
    if (low is None or number >= low) and (high is None or number <= high):
        return
    if low is None or high is None:
        bound = f"at least {low}" if high is None else f"at most {high}"
    else:
        bound = f"from {low} to {high}"
    raise ValidationError(f"must be {bound}, not {number}")
