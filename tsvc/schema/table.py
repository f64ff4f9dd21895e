"""Tables of members that load into typed objects: configuration, gateways, stand-ins.

    @table
    class Account(Table):
        \"\"\"One entry of `accounts`: who may bind.\"\"\"

        system_id: str = member(String(1, 15, required=True, help="name that the ESME binds with"))
        window: int = member(Integer(1, 100, default=10, help="requests without a response"))

        def check_name(self) -> None:
            if self.system_id == "tsvc":
                raise ValidationError("is ours", "system_id")

`Account.load({...})` returns an Account: frozen, slotted, lists as tuples and tables by name as
read-only mappings. Methods whose names begin with `check` are called on the object when every
member is right. A table within a table is `Nested(Account.schema)`.
"""

from collections.abc import Mapping
from dataclasses import field, fields
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from marshmallow import ValidationError, missing, post_load, validates_schema

from tsvc.schema.fields import Anything, Member, Members, Nested
from tsvc.schema.style import Mistake, Style, Takes
from tsvc.values import dataclass

T = TypeVar("T", bound="Table")

_LONGEST_VALUE = 80
_CHECK = "check"
_OTHERS = "others"
_TYPES = {
    "string": "a string",
    "digits": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "a table",
    "array": "an array",
    "table": "a table",
}
_MANY = {
    "string": "strings",
    "digits": "strings",
    "integer": "integers",
    "number": "numbers",
    "boolean": "booleans",
    "table": "tables",
    "array": "lists",
}
_UNITS = {"_s": "seconds", "_octets": "octets"}
# Texts that count as true or false: values from the environment are always texts.
_TRUTHS = frozenset({"t", "true", "on", "y", "yes", "1"})
_UNTRUTHS = frozenset({"f", "false", "off", "n", "no", "0"})


class TableStyle(Style):
    """The style of gateway tables: messages name the rule, and the value unless it is hidden.

    Texts count as the value that they spell, because the environment has only texts.
    """

    not_an_object = "must be a table"

    def integer(self, value: object) -> int | None:
        """Return an integer, or the one that a text spells; 2.7 is not rounded to 2."""
        if isinstance(value, bool) or not isinstance(value, int | str):
            return None
        try:
            return int(value)
        except ValueError:
            return None

    def number(self, value: object) -> float | None:
        """Return a number, or the one that a text spells."""
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return None
        try:
            return float(value)
        except OverflowError:
            return float("inf")
        except ValueError:
            return None

    def boolean(self, value: object) -> bool | None:
        """Return a boolean, or the one that a text spells; 1 is not a boolean."""
        if isinstance(value, bool) or not isinstance(value, str):
            return value if isinstance(value, bool) else None
        return _truth(value)

    def rule(self, takes: Takes) -> str:
        """Return the accepted values, as the end of a sentence."""
        if takes.rule:
            return takes.rule
        if takes.choices:
            return f"one of {_listed(takes.choices)}"
        if takes.type == "any":
            return ""
        if takes.items is not None and takes.items.type != "any":
            items = takes.items
            inner = _listed(items.choices) if items.choices else _MANY[items.type] + _limits(items)
            return f"{'a list' if takes.type == 'array' else 'a table'} of {inner}"
        noun = "a list" if takes.type == "array" else _TYPES[takes.type]
        if takes.type in ("integer", "number"):
            noun = self.unit(takes) or noun
        return noun + _limits(takes)

    def unit(self, takes: Takes) -> str:
        """Return the unit of a number, by the ending of its name; empty if it has none."""
        return next((unit for ending, unit in _UNITS.items() if takes.name.endswith(ending)), "")

    def words(self, kind: Mistake, takes: Takes, value: object) -> str:
        """Return the message about a mistake."""
        match kind:
            case Mistake.MISSING:
                return self.missing
            case Mistake.NULL:
                return self.null
            case Mistake.TYPE:
                return f"must be {_TYPES[takes.type]}"
            case Mistake.NOT_FINITE:
                return "must be a finite number"
            case Mistake.PATTERN if takes.says:
                return takes.says
        rule = self.rule(takes).replace("`", "")
        if kind is Mistake.PATTERN:
            rule = f"{rule} that matches {takes.pattern}"
        shown = "the value" if takes.is_hidden else f"{value!r:.{_LONGEST_VALUE}}"
        return f"{shown} is not allowed, it must be {rule}"


TABLE = TableStyle()


def member(declared: Member) -> Any:
    """Declare an attribute of a table; it is None if it has no default and is not given."""
    default = declared.load_default
    metadata = {"member": declared}
    if declared.required:
        return field(metadata=metadata)
    is_shown = not declared.is_secret
    if default is missing:
        return field(default=None, metadata=metadata, repr=is_shown)
    if callable(default) or isinstance(default, list | dict):
        make = default if callable(default) else lambda: default
        return field(default_factory=lambda: frozen(make()), metadata=metadata, repr=is_shown)
    return field(default=default, metadata=metadata, repr=is_shown)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def table(cls: type[T]) -> type[T]:
    """Make a class of declared members a frozen, slotted dataclass with its schema."""
    found = dataclass(frozen=True, slots=True, kw_only=True)(cls)
    found.own_schema = TableSchema.of(found)
    return found


class Table:
    """Base of tables; an unknown member is refused.

    A class with `free_prefixes` allows other members, and has an attribute `others` for them.
    """

    __slots__ = ()
    style: ClassVar[Style] = TABLE
    free_prefixes: ClassVar[tuple[str, ...]] = ()
    own_schema: ClassVar["TableSchema"]

    @classmethod
    def schema(cls) -> "TableSchema":
        """Return the schema that loads into objects of this class."""
        return cls.own_schema

    @classmethod
    def load(cls, given: Mapping[str, Any]) -> Self:
        """Return the table of given values. Errors: ValidationError, with all problems."""
        loaded: Self = cls.schema().load(dict(given))
        return loaded


class TableMembers(Members):
    """Members of a table that load into a dict; an unknown one is refused."""

    style = TABLE
    free_names = frozenset()


class TableSchema(TableMembers):
    """The schema of a Table, made of its attributes."""

    table: ClassVar[type[Table]]

    @classmethod
    def of(cls, one: type[Table]) -> "TableSchema":
        """Return the schema of a table."""
        found = {
            item.name: item.metadata["member"]
            for item in fields(one)  # type: ignore[arg-type]  # every table is a dataclass
            if "member" in item.metadata
        }
        own = {"style": one.style, "open_prefixes": one.free_prefixes, "table": one}
        schema: TableSchema = type(f"{one.__name__}Schema", (cls,), {**found, **own})()
        return schema

    @validates_schema(skip_on_field_errors=True)
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        found = self._object(data)
        errors: dict[str, list[Any]] = {}
        for name in dir(self.table):
            if name.startswith(_CHECK):
                try:
                    getattr(found, name)()
                except ValidationError as error:
                    is_tree = isinstance(error.messages, dict)
                    wrong = error.messages_dict if is_tree else {error.field_name: error.messages}
                    for place, texts in wrong.items():
                        errors.setdefault(place, []).extend(texts)
        if errors:
            raise ValidationError(errors)

    @post_load
    def _make(self, data: dict[str, Any], **_: Any) -> Table:
        return self._object(data)

    def _object(self, data: dict[str, Any]) -> Table:
        known, others = {}, {}
        for name, value in data.items():
            if name not in self.load_fields:
                others[name] = value
            else:
                is_plain = isinstance(self.load_fields[name], Anything)
                known[name] = value if is_plain else frozen(value)
        # Without open prefixes there are other members only while they are being refused.
        return self.table(**known, **({_OTHERS: others} if self.open_prefixes else {}))


def table_in(declared: object) -> type[Table] | None:
    """Return the table class of a member, None if the member is no table."""
    schema = declared.schema if isinstance(declared, Nested) else None
    return schema.table if isinstance(schema, TableSchema) else None


def given_values(one: Table) -> dict[str, Any]:
    """Return the members of a table by name, nested tables as they are."""
    return {item.name: getattr(one, item.name) for item in fields(one)}  # type: ignore[arg-type]


def frozen(value: Any) -> Any:
    """Return a loaded value as a table holds it: lists as tuples, dicts as read-only mappings."""
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return MappingProxyType({name: frozen(one) for name, one in value.items()})
    return value


def _truth(text: str) -> bool | None:
    # Capitals: all, none, or the first.
    if text not in (text.lower(), text.upper(), text.capitalize()):
        return None
    return True if text.lower() in _TRUTHS else False if text.lower() in _UNTRUTHS else None


def _listed(choices: tuple[Any, ...]) -> str:
    return ", ".join(f"`{one}`" if one != "" else "empty" for one in choices)


def _limits(takes: Takes) -> str:
    low, high = (_number(bound) for bound in (takes.low, takes.high))
    if takes.type in ("string", "digits"):
        if not high:
            least = f" of at least {low} characters" if low else ""
            return " that is not empty" if takes.low == 1 else least
        return f" of {low} to {high} characters" if low else f" of at most {high} characters"
    if takes.is_above:
        return f" above {low}" + (f" to {high}" if high else "")
    if takes.low is None:
        return f", at most {high}" if high else ""
    return f" from {low} to {high}" if high else f", at least {low}"


def _number(bound: float | None) -> str:
    if bound is None:
        return ""
    return f"{bound:g}" if isinstance(bound, float) else str(bound)
