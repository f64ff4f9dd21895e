"""Short ways to declare the members of an answer: each a field with its help and its unit.

A member is always present, unless is_optional is set; its help then says when.
"""

from typing import Any

from tsvc.schema import fields
from tsvc.schema.fields import Members


class AnswerMembers(Members):
    """Base of the answers of the service: JSON values as its methods return them."""


class Possibly(fields.Nested):
    """An object of declared members, or `{}` while there is none."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Any, partial: Any = None, **kwargs: Any
    ) -> Any:
        if value == {}:
            return {}
        return super()._deserialize(value, attr, data, partial=partial, **kwargs)


def _more(
    help: str, unit: str = "", *, is_null: bool = False, is_optional: bool = False
) -> dict[str, Any]:
    return {"help": help, "unit": unit, "allow_none": is_null, "required": not is_optional}


def text(help: str, *, is_null: bool = False, is_optional: bool = False) -> fields.String:
    """Return a field for a string."""
    return fields.String(**_more(help, is_null=is_null, is_optional=is_optional))


def choice(
    choices: tuple[str, ...], help: str, *, is_null: bool = False, is_optional: bool = False
) -> fields.Choice:
    """Return a field for one of a few strings."""
    return fields.Choice(choices, **_more(help, is_null=is_null, is_optional=is_optional))


def count(help: str, unit: str = "", *, is_optional: bool = False) -> fields.Integer:
    """Return a field for an integer from 0."""
    return fields.Integer(0, **_more(help, unit, is_optional=is_optional))


def integer(help: str, *, is_null: bool = False) -> fields.Integer:
    """Return a field for any integer."""
    return fields.Integer(**_more(help, is_null=is_null))


def flag(help: str, *, is_optional: bool = False) -> fields.Integer:
    """Return a field for an integer that is 1 or 0, as the published interface has it."""
    return fields.Integer(0, 1, **_more(help, is_optional=is_optional))


def truth(help: str, *, is_optional: bool = False) -> fields.Boolean:
    """Return a field for a boolean."""
    return fields.Boolean(**_more(help, is_optional=is_optional))


def number(
    help: str, unit: str = "", *, is_null: bool = False, is_optional: bool = False
) -> fields.Number:
    """Return a field for a number."""
    return fields.Number(**_more(help, unit, is_null=is_null, is_optional=is_optional))


def moment(help: str, *, is_optional: bool = False) -> fields.List:
    """Return a field for a wall time: whole seconds since 1970 and microseconds, [s, us]."""
    return fields.List(fields.Integer(), **_more(help, "s, us", is_optional=is_optional))


def texts(help: str, *, is_optional: bool = False) -> fields.List:
    """Return a field for an array of strings."""
    return fields.List(fields.String(), **_more(help, is_optional=is_optional))


def integers(help: str) -> fields.List:
    """Return a field for an array of integers."""
    return fields.List(fields.Integer(), **_more(help))


def one(
    members: type[AnswerMembers], help: str, *, is_null: bool = False, is_optional: bool = False
) -> fields.Nested:
    """Return a field for an object of declared members."""
    return fields.Nested(members, **_more(help, is_null=is_null, is_optional=is_optional))


def possibly(members: type[AnswerMembers], help: str) -> fields.Nested:
    """Return a field for an object of declared members, or an empty one."""
    return Possibly(members, **_more(help))


def each(members: type[AnswerMembers], help: str, *, is_optional: bool = False) -> fields.List:
    """Return a field for an array of objects of declared members."""
    return fields.List(fields.Nested(members), **_more(help, is_optional=is_optional))


def by_name(members: type[AnswerMembers], help: str, *, is_optional: bool = False) -> fields.Named:
    """Return a field for objects of declared members, by names that users choose."""
    return fields.Named(fields.Nested(members), **_more(help, is_optional=is_optional))


def named(help: str, *, is_null: bool = False, is_optional: bool = False) -> fields.Object:
    """Return a field for an object whose members have free names: of users, peers, counters."""
    return fields.Object(**_more(help, is_null=is_null, is_optional=is_optional))


def anything(help: str, *, is_optional: bool = False) -> fields.Anything:
    """Return a field for any JSON value."""
    return fields.Anything(**_more(help, is_null=True, is_optional=is_optional))
