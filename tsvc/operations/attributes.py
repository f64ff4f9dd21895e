"""Attributes of operations that may be expressions, evaluated when the operation is executed.

Attributes are constants, except those declared with a field of this module. The fields are here
because TCAP and MAP operations share them. The same field checks a value, whether it is a literal
or the value of an expression.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from marshmallow import ValidationError
from marshmallow.fields import Field

from tsvc.expr.template import is_expression
from tsvc.operations.operation import Instance, Scope, abort
from tsvc.schema import fields

_MOST_TOLD = 50  # deviations of one message that are reported

# A value, or a function that returns it per instance. Values themselves are never callable.
Given = Any


class _MayBeExpression(fields.Member):
    may_be_expression = True

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if attr is not None and is_expression(value):
            return value
        return super()._deserialize(value, attr, data, **kwargs)


class String(_MayBeExpression, fields.String):
    """A string, or an expression for one."""


class Integer(_MayBeExpression, fields.Integer):
    """An integer or its decimal string, or an expression for one."""


class Number(_MayBeExpression, fields.Number):
    """A number or its decimal string, or an expression for one."""


class Boolean(_MayBeExpression, fields.Boolean):
    """true, false, 0, 1, "0" or "1", or an expression for one of these; "" of Perl is false."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        is_false = attr is None and value == ""
        return False if is_false else super()._deserialize(value, attr, data, **kwargs)


def given(
    entry: Mapping[str, Any],
    name: str,
    field: Field[Any],
    path: str,
    scope: Scope,
) -> Given:
    """Return an attribute's value, None if it is not given, or a function of the instance.

    The function aborts the instance if the field does not accept the value of the expression.
    """
    value = entry.get(name)
    if not is_expression(value):
        return value
    template = scope.template(value, f"{path}.{name}")

    def evaluate(instance: Instance) -> Any:
        try:
            # Without a member name, so that the value is not taken for an expression again.
            return field.deserialize(template.render(instance.env))
        except ValidationError as error:
            abort(f"{name} {error.messages[0]}")

    return evaluate


def value_for(value: Given, instance: Instance) -> Any:
    """Return the value of an attribute for this instance, as it is now."""
    return value(instance) if callable(value) else value


def malformed(what: str) -> fields.Choice:
    """Return the attribute that sets the effect of a deviation from a declared form."""
    return fields.Choice(
        ("fail", "note", "abort"),
        default="fail",
        help=f"what a deviation from {what} is: a failed check, a note, an abort",
    )


def judge_form(texts: Sequence[str], malformed: str, part: str, instance: Instance) -> None:
    """Report deviations of a received message from its declared form; do nothing for no texts.

    `malformed` is the value of the attribute, `part` the name of the part in the check: argument,
    answer. At most _MOST_TOLD deviations are reported, so that a peer can't fill the log.
    """
    if not texts:
        return
    shown = list(texts[:_MOST_TOLD])
    if len(texts) > _MOST_TOLD:
        shown.append(f"and {len(texts) - _MOST_TOLD} more")
    for text in shown:
        if malformed == "note":
            instance.trace(1, f"malformed {part}: {text}")
        else:
            instance.entry(False, f"malformed {part}: {text}", None, None)
    instance.note_malformed()
    if malformed == "abort":
        abort("what came is malformed")
