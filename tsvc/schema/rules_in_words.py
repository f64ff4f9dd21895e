"""Rules of the members of an application's table in words: for the reference and for errors."""

from typing import Any

from marshmallow import fields, validate

_WORDS: tuple[tuple[type[fields.Field[Any]], str, str], ...] = (
    (fields.String, "a string", "strings"),
    (fields.Integer, "an integer", "integers"),
    (fields.Float, "a number", "numbers"),
    (fields.Boolean, "true or false", "booleans"),
    (fields.Nested, "a table", "tables"),
    (fields.List, "a list", "lists"),
    (fields.Dict, "a table", "tables"),
)
_UNITS = {"_s": "seconds", "_octets": "octets"}


def inner_of(field: fields.Field[Any]) -> fields.Field[Any] | None:
    """Return the field of what a list or a table by name holds, None for any other."""
    if isinstance(field, fields.List):
        return field.inner
    return field.value_field if isinstance(field, fields.Dict) else None


def must_be(field: fields.Field[Any]) -> str:
    """Return the rule of a field, as the end of a sentence."""
    if "rule" in field.metadata:
        return str(field.metadata["rule"])
    choices = _choices(field)
    if choices:
        return f"one of {choices}"
    words = _words(field, is_many=False)
    for ending, unit in _UNITS.items():
        if (field.name or "").endswith(ending) and isinstance(field, fields.Number):
            words = unit
    inner = inner_of(field)
    if inner is not None:
        return f"{words} of {_choices(inner) or _words(inner, is_many=True) + _bounds(inner)}"
    return words + _bounds(field)


def _words(field: fields.Field[Any], *, is_many: bool) -> str:
    return next(
        many if is_many else one for class_, one, many in _WORDS if isinstance(field, class_)
    )


def _choices(field: fields.Field[Any]) -> str:
    for rule in field.validators:
        if isinstance(rule, validate.OneOf):
            return ", ".join(f"`{one}`" if one != "" else "empty" for one in rule.choices)
    return ""


def _bounds(field: fields.Field[Any]) -> str:
    for rule in field.validators:
        if isinstance(rule, validate.Length):
            return _length(rule.min or 0, rule.max)
        if isinstance(rule, validate.Range):
            return _range(rule)
    return ""


def _length(least: int, most: int | None) -> str:
    if most is None:
        return " that is not empty" if least == 1 else f" of at least {least} characters"
    return f" of {least} to {most} characters" if least else f" of at most {most} characters"


def _range(rule: validate.Range) -> str:
    low, high = (_number(bound) for bound in (rule.min, rule.max))
    if not rule.min_inclusive:
        return f" above {low}" + (f" to {high}" if high else "")
    return f" from {low} to {high}" if high else f", at least {low}"


def _number(bound: Any) -> str:
    if bound is None:
        return ""
    return f"{bound:g}" if isinstance(bound, float) else str(bound)
