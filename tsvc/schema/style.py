"""The accepted values and the mistakes of members as data, and the styles that word them.

A field declares the values that it accepts (`Takes`) and the kind of a mistake (`Mistake`). The
style of its schema does the rest: how leniently values are read, how a rule reads in a manual and
how a refusal reads in a message. The style here is that of params; configuration, tables of
gateways and flows have their own styles, next to their declarations.
"""

from dataclasses import field
from enum import Enum
from math import isfinite
from re import compile as pattern_of
from typing import Any

from tsvc.values import dataclass
from tsvc.words import did_you_mean, digits_of, kind_of, shown

_INTEGER = pattern_of(r"[+-]?[0-9]{1,100}")
_DECIMAL = pattern_of(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?")


class Mistake(Enum):
    """The kind of mistake that a refusal is about."""

    MISSING = "missing"
    NULL = "null"
    TYPE = "type"
    NOT_FINITE = "not finite"
    RANGE = "range"
    LENGTH = "length"
    CHOICE = "choice"
    PATTERN = "pattern"
    UNKNOWN = "unknown"  # a member that no schema knows: the one kind that a site may tolerate
    OTHER = "other"


class Refusal(str):
    """The message about one mistake, with its kind."""

    __slots__ = ("kind",)
    kind: Mistake

    def __new__(cls, words: str, kind: Mistake = Mistake.OTHER) -> "Refusal":
        refusal = super().__new__(cls, words)
        refusal.kind = kind
        return refusal


@dataclass(frozen=True, slots=True)
class Takes:
    """The values that a member accepts.

    type:     string, digits, integer, number, boolean, object, array, table or any; also further
              words that the style of the schema knows.
    low, high: bounds of a number, or of the length of a string, or of the items of an array.
    is_above: the number must be above `low`.
    choices:  all accepted values; empty: any.
    pattern:  regular expression that a string matches from its start.
    items:    the items of an array, or the values of a table by name.
    rule:     the rule in words, if it is a special one; empty: derived from the rest.
    says:     the message for a string that does not match the pattern; empty: the rule.
    name:     of the member. is_hidden: its value may be a secret.
    """

    type: str
    low: float | None = None
    high: float | None = None
    is_above: bool = False
    choices: tuple[Any, ...] = ()
    pattern: str = ""
    items: "Takes | None" = None
    rule: str = ""
    says: str = ""
    name: str = ""
    is_hidden: bool = field(default=False, compare=False)


class Style:
    """The rules by which the schemas of one area read values and word messages.

    This class has the rules of params: a number may be its decimal string, 0 and 1 are booleans.
    Messages are the end of a sentence that starts with the member's path.
    """

    missing = "is missing"
    null = "must not be null"
    unknown = "unknown member"
    not_an_object = "must be an object"
    table_type = "object"  # the type, in a catalogue, of a member that has members

    def integer(self, value: object) -> int | None:
        """Return the integer that a value represents, None if there is none."""
        return integer_of(value)

    def number(self, value: object) -> float | None:
        """Return the number that a value represents, finite or not, None if there is none."""
        return float_of(value)

    def boolean(self, value: object) -> bool | None:
        """Return the boolean that a value represents, None if there is none."""
        return boolean_of(value)

    def rule(self, takes: Takes) -> str:
        """Return the accepted values in words, for a manual."""
        if takes.rule or takes.choices:
            return takes.rule or "one of " + ", ".join(map(str, takes.choices))
        return _NOUNS[takes.type] + (f" {bounds(takes)}" if bounds(takes) else "")

    def words(self, kind: Mistake, takes: Takes, value: object) -> str:
        """Return the message about a mistake."""
        match kind:
            case Mistake.MISSING:
                return self.missing
            case Mistake.NULL:
                return self.null
            case Mistake.RANGE:
                written = digits_of(value) if isinstance(value, int) else value
                return f"must be {bounds(takes)}, not {written}"
            case Mistake.NOT_FINITE:
                return "is too large a number"
            case Mistake.CHOICE:
                listed = ", ".join(map(str, takes.choices))
                hint = did_you_mean(value, map(str, takes.choices))
                return f"{shown(str(value))} is not one of {listed}{hint}"
            case Mistake.LENGTH:
                return f"must be {self.rule(takes)}"
            case Mistake.PATTERN if takes.type == "digits":
                return f"{shown(str(value))} has characters other than 0-9 A-F * #"
            case Mistake.PATTERN:
                return takes.says or f"{shown(str(value))} does not match {takes.pattern}"
        return self._type_words(takes, value)

    def _type_words(self, takes: Takes, value: object) -> str:
        noun = _NOUNS[takes.type]
        if takes.type in ("array", "table"):
            return f"must be {noun}"
        if takes.type == "digits" and kind_of(value) == "a number":
            return "must be a string of digits, not a number: a number loses leading zeros"
        is_quoted = isinstance(value, str) and takes.type in ("integer", "number", "boolean")
        return f"must be {noun}, not {shown(str(value)) if is_quoted else kind_of(value)}"


PARAMS = Style()

_NOUNS = {
    "string": "a string",
    "digits": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true, false, 0 or 1",
    "object": "an object",
    "array": "an array",
    "table": "an object",
    "any": "anything",
}


def bounds(takes: Takes) -> str:
    """Return the bounds of a number in words, empty if it has none."""
    if takes.low is None and takes.high is None:
        return ""
    if takes.low is None or takes.high is None:
        return f"at least {takes.low}" if takes.high is None else f"at most {takes.high}"
    return f"from {takes.low} to {takes.high}"


# -- conversions of JSON values ------------------------------------------------------------------


def integer_of(value: object) -> int | None:
    """Return the integer that a JSON value represents (2, 2.0, "2"), or None."""
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
    """Return the finite number that a JSON value represents (2, 0.5, "0.5"), or None."""
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
    """Return the boolean that a JSON value represents (true, 1, "1", …), or None."""
    if isinstance(value, bool):
        return value
    number = integer_of(value)
    return bool(number) if number in (0, 1) else None
