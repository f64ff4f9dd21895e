"""Short ways to declare the members of an answer: each a field with its help and its unit.

A member is there always, unless it says is_optional; its help then says when.
"""

from typing import Any

from marshmallow import fields as stock

from tsvc.schema import fields
from tsvc.schema.fields import Members


class Answer(Members):
    """Base of what the service answers with: JSON values as its methods return them."""


def _more(help: str, unit: str = "", is_optional: bool = False) -> dict[str, Any]:
    words = {"help": help, "unit": unit} if unit else {"help": help}
    return {"required": not is_optional, "metadata": words}


def text(help: str, *, is_null: bool = False, is_optional: bool = False) -> fields.String:
    """Return a string."""
    return fields.String(allow_none=is_null, **_more(help, "", is_optional))


def choice(
    choices: tuple[str, ...], help: str, *, is_null: bool = False, is_optional: bool = False
) -> fields.Choice:
    """Return one of a few strings."""
    return fields.Choice(choices, allow_none=is_null, **_more(help, "", is_optional))


def count(help: str, unit: str = "", *, is_optional: bool = False) -> fields.Integer:
    """Return an integer from 0."""
    return fields.Integer(0, **_more(help, unit, is_optional))


def integer(help: str, *, is_null: bool = False, is_optional: bool = False) -> fields.Integer:
    """Return any integer."""
    return fields.Integer(allow_none=is_null, **_more(help, "", is_optional))


def flag(help: str) -> fields.Integer:
    """Return what is 1 or 0, as the published interface has it."""
    return fields.Integer(0, 1, **_more(help))


def truth(help: str, *, is_optional: bool = False) -> fields.Boolean:
    """Return what is true or false."""
    return fields.Boolean(**_more(help, "", is_optional))


def number(
    help: str, unit: str = "", *, is_null: bool = False, is_optional: bool = False
) -> fields.Number:
    """Return a number."""
    return fields.Number(allow_none=is_null, **_more(help, unit, is_optional))


def moment(help: str, *, is_optional: bool = False) -> fields.List:
    """Return a wall time: whole seconds since 1970 and microseconds, [s, us]."""
    return fields.List(fields.Integer(), **_more(help, "s, us", is_optional))


def one(
    members: type[Answer], help: str, *, is_null: bool = False, is_optional: bool = False
) -> fields.Nested:
    """Return an object of declared members."""
    return fields.Nested(members, allow_none=is_null, **_more(help, "", is_optional))


def each(members: type[Answer], help: str, *, is_optional: bool = False) -> fields.List:
    """Return an array of objects of declared members."""
    return fields.List(fields.Nested(members), **_more(help, "", is_optional))


def texts(help: str, *, is_optional: bool = False) -> fields.List:
    """Return an array of strings."""
    return fields.List(fields.String(), **_more(help, "", is_optional))


def named(help: str, *, is_null: bool = False, is_optional: bool = False) -> fields.Object:
    """Return an object whose members have names of their own: of users, peers, counters."""
    return fields.Object(allow_none=is_null, **_more(help, "", is_optional))


def anything(help: str, *, is_optional: bool = False) -> stock.Raw:
    """Return any JSON value."""
    return stock.Raw(allow_none=True, **_more(help, "", is_optional))


class Possibly(fields.Nested):
    """An object of declared members, or `{}` while there is none."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Any, partial: Any = None, **kwargs: Any
    ) -> Any:
        if value == {}:
            return {}
        return super()._deserialize(value, attr, data, partial=partial, **kwargs)


def possibly(members: type[Answer], help: str) -> fields.Nested:
    """Return an object of declared members, or an empty one."""
    return Possibly(members, **_more(help))


def integers(help: str) -> fields.List:
    """Return an array of integers."""
    return fields.List(fields.Integer(), **_more(help))


class ByName(fields.Object):
    """An object of objects: what names their members have is declared, what they are is not."""

    def __init__(self, members: type[Answer], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.members = members()

    def _deserialize(
        self, value: Any, attr: str | None, data: Any, **kwargs: Any
    ) -> dict[str, Any]:
        given = super()._deserialize(value, attr, data, **kwargs)
        return {name: self.members.load(item) for name, item in given.items()}


def by_name(members: type[Answer], help: str, *, is_optional: bool = False) -> ByName:
    """Return an object whose members are objects of declared members, by names of users."""
    return ByName(members, **_more(help, "", is_optional))
