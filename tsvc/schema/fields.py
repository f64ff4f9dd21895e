"""The fields with which members are declared, in one way for all uses.

    class Seat(Members):
        row = Integer(1, 40, required=True, help="counted from the front")
        side = Choice(["left", "right"], default="left", help="of the aisle")
        wait_s = Number(0, unit="s", help="longest wait for it")

Every field has `required` or `default`, `help` and `unit`, and bounds where they make sense. Its
`takes` describes the accepted values. The `style` of the schema (see style.py) decides how
strictly values are read and how a refusal reads. To declare a further kind of member, subclass
`Member` and write `takes` and `read()`, which returns the value or raises
`self.refusal(kind, value)`.

These fields replace marshmallow's, which are too lenient or too strict: true is not a number, a
number is not a string of digits, a typo gets a hint.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, ClassVar, Self, cast

from marshmallow import INCLUDE, Schema, ValidationError, fields, missing, validates_schema

from tsvc import turns
from tsvc.errors import RunIdMissing, TsvcError
from tsvc.memo import Memo
from tsvc.schema.style import PARAMS, Mistake, Refusal, Style, Takes
from tsvc.words import did_you_mean, is_secret_name, kind_of, member_path

RUN_ID_OCTETS = 256
MOST_MESSAGES = 100  # paths named in one answer; a hostile request can hold 100,000 mistakes
OBJECT_ITSELF = "_schema"  # marshmallow's key for problems of an object as a whole
MOST_MEMBERS = 1000  # of an object whose members are declared
_MOST_HINTS = 20
_DIGITS = "[0-9A-Fa-f*#]*"

# Members that any object may carry for people and for newer clients.
_FREE_NAMES = frozenset({"comment", "name", "description"})
_FREE_PREFIX = "x_"


class Member(fields.Field[Any]):
    """A declared member.

    default: the value of an absent member; for a list or dict a function that returns one.
    help:    its meaning, for manuals and completion. unit: of a number, "s" …
    rule:    the accepted values in words, if these are not derived from the other attributes.
    is_secret: no message shows a value, whatever the name is.
    """

    type: ClassVar[str] = "any"
    style: Style = PARAMS  # until the field is bound to a schema with another style

    def __init__(
        self,
        *args: Any,
        default: Any = missing,
        help: str = "",
        unit: str = "",
        rule: str = "",
        is_secret: bool = False,
        **kwargs: Any,
    ) -> None:
        words = {"unit": unit, "help": help}
        kwargs["metadata"] = {
            **kwargs.get("metadata", {}),
            **{name: text for name, text in words.items() if text},
        }
        if default is not missing:
            kwargs["load_default"] = default
        super().__init__(*args, **kwargs)
        self.rule = rule
        self.is_secret = is_secret

    @property
    def help(self) -> str:
        """The meaning of the member, for people."""
        return str(self.metadata.get("help", ""))

    @property
    def takes(self) -> Takes:
        """The accepted values."""
        return self._takes()

    def _takes(self, **more: Any) -> Takes:
        hidden = self.is_hidden
        return Takes(self.type, rule=self.rule, name=self.name or "", is_hidden=hidden, **more)

    @property
    def is_hidden(self) -> bool:
        """True if no message may show a value: by its name, or because users choose its name."""
        if self.is_secret or is_secret_name(self.name or "") or isinstance(self.parent, Named):
            return True
        return isinstance(self.parent, Member) and self.parent.is_hidden

    @property
    def inner_field(self) -> "Member | None":
        """The field of the items of an array, or of the values of a table by name."""
        return None

    def read(self, value: Any) -> Any:
        """Return the value in its internal form. Errors: ValidationError, by refusal()."""
        return value

    def refusal(self, kind: Mistake, value: object) -> ValidationError:
        """Return the error about a value, in the words of the style."""
        return ValidationError([Refusal(self.style.words(kind, self.takes, value), kind)])

    def make_error(self, key: str, **kwargs: Any) -> ValidationError:
        """Return the error for a value in which marshmallow finds no array or table."""
        return self.refusal(Mistake.TYPE, kwargs.get("input"))

    def _bind_to_schema(self, field_name: str, parent: Any) -> None:
        super()._bind_to_schema(field_name, parent)
        self.style = getattr(self.root, "style", PARAMS)

    def _validate_missing(self, value: Any) -> None:
        if value is missing and self.required:
            raise self.refusal(Mistake.MISSING, value)
        if value is None and not self.allow_none:
            raise self.refusal(Mistake.NULL, value)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        turns.walked()
        return self.read(value)


class String(Member):
    """A string of `shortest` to `longest` characters; `pattern` must match from its start.

    says: the message for a text that does not match, if it is not derived from the rule.
    """

    type = "string"

    def __init__(
        self,
        shortest: int = 0,
        longest: int | None = None,
        *,
        pattern: str = "",
        says: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.shortest = shortest
        self.longest = longest
        self.pattern = pattern
        self.says = says

    @property
    def takes(self) -> Takes:
        """The accepted values."""
        return self._takes(
            low=self.shortest or None, high=self.longest, pattern=self.pattern, says=self.says
        )

    def read(self, value: Any) -> str:
        """Return the string."""
        if not isinstance(value, str):
            raise self.refusal(Mistake.TYPE, value)
        if len(value) < self.shortest or len(value) > (self.longest or len(value)):
            raise self.refusal(Mistake.LENGTH, value)
        if self.pattern and not re.match(self.pattern, value):
            raise self.refusal(Mistake.PATTERN, value)
        return value


class Choice(String):
    """One of a few strings; a near miss gets a hint."""

    def __init__(self, choices: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.choices = tuple(choices)

    @property
    def takes(self) -> Takes:
        """The accepted values."""
        return self._takes(choices=self.choices)

    def read(self, value: Any) -> str:
        """Return the string."""
        text = super().read(value)
        if text not in self.choices:
            raise self.refusal(Mistake.CHOICE, text)
        return text


class Digits(String):
    """An address or number: 0-9, A-F, * and #. Kept as written, leading zeros included."""

    type = "digits"

    def __init__(self, shortest: int = 0, longest: int | None = None, **kwargs: Any) -> None:
        super().__init__(shortest, longest, pattern=rf"{_DIGITS}\Z", **kwargs)


class _Ranged(Member):
    """A number within bounds, or one of a few numbers."""

    def __init__(
        self,
        low: float | None = None,
        high: float | None = None,
        *,
        above: float | None = None,
        choices: Iterable[float] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.low = low if above is None else above
        self.high = high
        self.is_above = above is not None
        self.choices = tuple(choices)

    @property
    def takes(self) -> Takes:
        """The accepted values."""
        return self._takes(
            low=self.low, high=self.high, is_above=self.is_above, choices=self.choices
        )

    def _checked(self, number: Any) -> Any:
        is_low = self.low is not None and (
            number <= self.low if self.is_above else number < self.low
        )
        if is_low or (self.high is not None and number > self.high):
            raise self.refusal(Mistake.RANGE, number)
        if self.choices and number not in self.choices:
            raise self.refusal(Mistake.CHOICE, number)
        return number


class Integer(_Ranged):
    """An integer, within optional bounds. A boolean is not an integer."""

    type = "integer"

    def read(self, value: Any) -> int:
        """Return the integer."""
        number = self.style.integer(value)
        if number is None:
            raise self.refusal(Mistake.TYPE, value)
        return int(self._checked(number))


class Number(_Ranged):
    """A number, whole or not, within optional bounds. A boolean is not a number."""

    type = "number"

    def read(self, value: Any) -> float:
        """Return the number."""
        number = self.style.number(value)
        if number is None and isinstance(value, int) and not isinstance(value, bool):
            self._checked(value)  # beyond a double, and nearly always out of bounds
            raise self.refusal(Mistake.NOT_FINITE, value)
        if number is None:
            raise self.refusal(Mistake.TYPE, value)
        if number - number != 0:  # NaN and the infinite
            raise self.refusal(Mistake.NOT_FINITE, value)
        checked: float = self._checked(number)
        return checked


class Boolean(Member):
    """true or false; params may write 0, 1, "0" or "1"."""

    type = "boolean"

    def read(self, value: Any) -> bool:
        """Return the boolean."""
        truth = self.style.boolean(value)
        if truth is None:
            raise self.refusal(Mistake.TYPE, value)
        return truth


class Object(Member):
    """Any JSON object, kept unchanged; its content is checked elsewhere."""

    type = "object"

    def read(self, value: Any) -> dict[str, Any]:
        """Return the object."""
        if not isinstance(value, dict):
            raise self.refusal(Mistake.TYPE, value)
        return value


class Anything(Member):
    """A value of any type, which is checked elsewhere; `rule` describes it."""


class List(Member, fields.List[Any]):
    """An array whose items are all of one field."""

    type = "array"

    @property
    def takes(self) -> Takes:
        """The accepted values."""
        items = self.inner.takes if isinstance(self.inner, Member) else None
        return self._takes(items=items)

    @property
    def inner_field(self) -> Member | None:
        """The field of the items."""
        return self.inner if isinstance(self.inner, Member) else None

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            return fields.List._deserialize(self, value, attr, data, **kwargs)
        except ValidationError as error:
            if len(error.messages) <= MOST_MESSAGES:
                raise
            raise ValidationError(_OfMany(error.messages)) from None  # type: ignore[arg-type]


class _OfMany:
    """The messages about items of an array: marshmallow would copy a dict of them in one go."""

    def __init__(self, messages: object) -> None:
        self.messages = messages


class Named(Member, fields.Dict):
    """A table of values by names that users choose; the problems of a value have its name."""

    type = "table"

    def __init__(self, values: Member, *, keys: Member | None = None, **kwargs: Any) -> None:
        super().__init__(keys=keys or String(), values=values, **kwargs)

    @property
    def takes(self) -> Takes:
        """The accepted values."""
        items = self.value_field.takes if isinstance(self.value_field, Member) else None
        return self._takes(items=items)

    @property
    def inner_field(self) -> Member | None:
        """The field of the values."""
        return self.value_field if isinstance(self.value_field, Member) else None

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        load: Any = fields.Dict._deserialize
        try:
            return load(self, value, attr, data, **kwargs)
        except ValidationError as error:
            if not isinstance(error.messages, dict):
                raise
            found = {name: _by_name(texts) for name, texts in error.messages.items()}
            raise ValidationError(found) from None


def _by_name(texts: dict[str, Any]) -> Any:
    """Return marshmallow's {"key": texts, "value": …} without these two names."""
    if "key" not in texts:
        return texts["value"]
    below = texts.get("value", {})
    if isinstance(below, dict):
        return {OBJECT_ITSELF: texts["key"], **below}
    return [*texts["key"], *below]


class Nested(Member, fields.Nested):
    """An object of a schema of its own."""

    type = "table"

    def _deserialize(
        self, value: Any, attr: str | None, data: Any, partial: Any = None, **kwargs: Any
    ) -> Any:
        return fields.Nested._deserialize(self, value, attr, data, partial, **kwargs)


class RunId(Member):
    """`run_id` in a schema. The dispatcher checks it by check_run_id() before the schema loads."""


class Members(Schema):
    """Base of all schemas; used directly for everything that a client sends.

    An unknown member is refused with a hint, except for members that the schema leaves free: here
    comment, name, description, `x_…` and names that begin with one of `open_prefixes`. They are
    kept in the loaded data.
    """

    class Meta:
        unknown = INCLUDE  # so that _refuse_unknown() sees them

    style: ClassVar[Style] = PARAMS
    free_names: ClassVar[frozenset[str]] = _FREE_NAMES
    open_prefixes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.error_messages = {**self.error_messages, "type": self.style.not_an_object}

    @classmethod
    def shared(cls) -> Self:
        """Return the shared schema of this class: it keeps nothing of the data that it loads."""
        return cast(Self, _SHARED[cls])

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Return the loaded members. Errors: ValidationError.

        Blocks: for turns of others, if yielding is enabled.
        """
        turns.walked(turns.PORTION // 8)
        if isinstance(data, Mapping) and len(data) > MOST_MEMBERS:
            # marshmallow iterates over all of them in one go
            self._refuse_unknown({}, dict(islice(data.items(), MOST_MEMBERS)))
            raise ValidationError(f"{len(data)} members, at most {MOST_MEMBERS}")
        try:
            return super().load(data, **kwargs)
        except ValidationError as error:
            # marshmallow's frame has the error in a name, and the error has the frame: with all
            # that was refused they would stay until a full collection finds them.
            raise error.with_traceback(None) from None

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _refuse_unknown(self, data: Any, original: Any, **kwargs: Any) -> None:
        if not isinstance(original, Mapping):
            return  # the type is refused already
        known = [field.data_key or name for name, field in self.load_fields.items()]
        names = {*known, *self.free_names}
        prefixes = (_FREE_PREFIX, *self.open_prefixes) if self.free_names else self.open_prefixes
        unknown = [str(name) for name in original if name not in names]
        unknown = [name for name in unknown if not name.startswith(prefixes)]
        if OBJECT_ITSELF in unknown:
            # marshmallow's key for the object as a whole: as a member it must never be ignored
            raise ValidationError(f"{self.style.unknown} {OBJECT_ITSELF}")
        if unknown:
            hinted = [did_you_mean(name, known) for name in unknown[:_MOST_HINTS]]
            hinted += [""] * (len(unknown) - len(hinted))
            texts = [Refusal(self.style.unknown + hint, Mistake.UNKNOWN) for hint in hinted]
            raise ValidationError(
                {name: [text] for name, text in zip(unknown, texts, strict=True)}
            )


# The shared schema of each class: to make one takes as long as to check a definition.
_SHARED: Memo[type[Members], Members] = Memo("schemas", 1000, lambda class_: class_())


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
        if isinstance(text, Refusal) and text.kind is Mistake.UNKNOWN
    ]


def _leaves(
    messages: object, steps: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], list[str]]]:
    if isinstance(messages, _OfMany):
        messages = messages.messages
    if isinstance(messages, dict):
        for key, below in messages.items():
            turns.walked()
            yield from _leaves(below, steps if key == OBJECT_ITSELF else (*steps, key))
    elif isinstance(messages, list):
        yield steps, messages
    else:
        yield steps, [str(messages)]
