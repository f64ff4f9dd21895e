"""Tables of an application: schemas that explain themselves, and say what is wrong with a table.

Each member has `metadata={"help": …}`: docs/reference/gateways.md is made from that.
"""

from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import Any

from marshmallow import INCLUDE, Schema, ValidationError, fields, validate, validates_schema

from tsvc.schema.rules_in_words import must_be
from tsvc.schema.secret_names import is_secret_name
from tsvc.words import did_you_mean

_ITSELF = "_schema"  # where marshmallow puts what is wrong with a table as a whole

_WORDS: Mapping[type[fields.Field[Any]], str] = MappingProxyType(
    {
        fields.String: "must be a string",
        fields.Integer: "must be an integer",
        fields.Float: "must be a number",
        fields.Boolean: "must be true or false",
        fields.List: "must be an array",
        fields.Dict: "must be a table",
    }
)

_LONGEST_VALUE = 80
_TABLE_WORDS = {"type": "must be a table"}


class Table(Schema):
    """Base of the schemas of applications and what is in them; an unknown member is refused."""

    class Meta:
        unknown = INCLUDE  # so that _refuse_unknown() sees them, and can guess what was meant

    error_messages = _TABLE_WORDS

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Give a member the words of a configuration."""
        _reword(field_obj)

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _refuse_unknown(self, data: Any, original: Any, **_: Any) -> None:
        if not isinstance(original, Mapping):
            return  # the type is refused already
        known = [field.data_key or name for name, field in self.load_fields.items()]
        unknown = [str(name) for name in original if name not in known]
        if _ITSELF in unknown:
            raise ValidationError(f"unknown member {_ITSELF}")
        if unknown:
            raise ValidationError(
                {name: ["unknown member" + did_you_mean(name, known)] for name in unknown}
            )

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _refuse_other_types(self, data: Any, original: Any, **_: Any) -> None:
        """Refuse what marshmallow would bend: 2.7 to 2, and 1 to true.

        The environment brings texts, which are taken for what they spell.
        """
        if not isinstance(original, Mapping):
            return
        wrong = {}
        for name, field in self.load_fields.items():
            value = original.get(field.data_key or name)
            is_bent = isinstance(field, fields.Integer) and isinstance(value, float)
            if isinstance(field, fields.Boolean):
                is_bent = isinstance(value, int | float) and not isinstance(value, bool)
            if is_bent:
                wrong[name] = [str(field.error_messages["invalid"])]
        if wrong:
            raise ValidationError(wrong)


class Named(fields.Dict):
    """A table of things by name; what is wrong with one is told under its name."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        load: Any = super()._deserialize  # marshmallow leaves it without types
        try:
            return load(value, attr, data, **kwargs)
        except ValidationError as error:
            if not isinstance(error.messages, dict):
                raise
            found = {name: _told(said) for name, said in error.messages.items()}
            raise ValidationError(found) from None


def _told(said: dict[str, Any]) -> Any:
    """Return marshmallow's {"key": texts, "value": …} without these two names."""
    if "key" not in said:
        return said["value"]
    below = said.get("value", {})
    return {_ITSELF: said["key"], **below} if isinstance(below, dict) else said["key"] + below


def _reword(field: fields.Field[Any], *, is_shown: bool = True) -> None:
    """Have a field tell its rule and, where that may be shown, the value that is against it."""
    words = {"required": "is missing", "null": "must not be null", **_TABLE_WORDS}
    for class_, text in _WORDS.items():
        if isinstance(field, class_):
            words["invalid"] = text
    words["special"] = "must be a finite number"
    field.error_messages = {**field.error_messages, **words}
    is_shown = is_shown and not is_secret_name(field.name or "")
    field.validators = [_reworded(one, field, is_shown=is_shown) for one in field.validators]
    if isinstance(field, fields.List):
        _reword(field.inner, is_shown=is_shown)
    elif isinstance(field, fields.Dict) and field.value_field is not None:
        _reword(field.value_field, is_shown=False)  # its name may be that of a secret


def _reworded(validator: Any, field: fields.Field[Any], *, is_shown: bool) -> Any:
    """Return a validator that tells value and rule; one with words of its own as it is."""
    if not isinstance(validator, validate.Validator) or _has_own_words(validator):
        return validator
    rule = must_be(field)
    if isinstance(validator, validate.Regexp):
        rule = f"{rule} that matches {validator.regex.pattern!s}"
    value = f"{{input!r:.{_LONGEST_VALUE}}}" if is_shown else "the value"
    words = rule.replace("`", "").replace("{", "{{").replace("}", "}}")
    reworded: Any = copy(validator)
    reworded.error = f"{value} is not allowed, it must be {words}"
    return reworded


def _has_own_words(validator: Any) -> bool:
    error = getattr(validator, "error", None)
    return error is not None and error != getattr(validator, "default_message", None)
