"""Values of `arguments` that are sent, judged by the members that a type declares."""

from collections.abc import Mapping
from typing import Any

from tsvc.expr.template import is_expression
from tsvc.expr.values import to_text
from tsvc.operations.operation import Scope
from tsvc.schema.style import boolean_of, integer_of

Members = Mapping[str, Mapping[str, Any]]


def check_sent(given: Mapping[str, Any], members: Members, path: str, scope: Scope) -> None:
    """Refuse negated members, and literals that can't be sent. Expressions are left alone."""
    for name, value in given.items():
        place = f"{path}.arguments.{name}"
        if name.startswith("!"):
            scope.refuse(place, "what is sent can't be negated")
        elif name in members and not is_expression(value):
            try:
                _value(value, members[name])
            except ValueError as error:
                scope.refuse(place, str(error))


def sent_values(rendered: Mapping[str, Any], members: Members) -> dict[str, Any]:
    """Return what is sent, in the types declared; null is left out, as if it were not given.

    Errors: ValueError, led by the name of the member.
    """
    sent: dict[str, Any] = {}
    for name, value in rendered.items():
        try:
            converted = _value(value, members.get(name, {}))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if converted is not None:
            sent[name] = converted
    return sent


def _value(value: Any, member: Mapping[str, Any]) -> Any:
    if value is None:
        return None
    if "choices" in member:
        return _choice(value, member["choices"])
    match member.get("type"):
        case "integer":
            return _integer(value, member)
        case "boolean":
            truth = boolean_of(value)
            if truth is None:
                raise ValueError("must be true, false, 0 or 1")
            return truth
        case "hex":
            return _octets(value)
        case _:
            return _text(value)


def _choice(value: Any, choices: list[Any]) -> Any:
    if isinstance(value, str) and value in choices:
        return value
    number = integer_of(value)
    if number is None or number not in choices:
        raise ValueError(f"is none of {', '.join(map(str, choices))}")
    return number


def _integer(value: Any, member: Mapping[str, Any]) -> int:
    number = integer_of(value)
    low, high = member["minimum"], member["maximum"]
    if number is None or not low <= number <= high:
        raise ValueError(f"must be an integer from {low} to {high}")
    return number


def _text(value: Any) -> str:
    if isinstance(value, list | dict):
        raise ValueError("must be a text")
    return to_text(value)


def _octets(value: Any) -> bytes:
    try:
        return bytes.fromhex(_text(value))
    except ValueError:
        raise ValueError("must be octets in hex") from None
