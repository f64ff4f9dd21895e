"""Rules between config members that several operation types share."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from marshmallow import ValidationError


def refuse_min_above_max(values: Mapping[str, Any]) -> None:
    """Refuse min_digits above max_digits; a member that is wrong by itself is not in `values`."""
    low, high = values.get("min_digits"), values.get("max_digits")
    if low is not None and high is not None and low > high:
        raise ValidationError(f"must be at most max_digits ({high}), not {low}", "min_digits")


def refuse_repeated(values: Mapping[str, Any], array: str, member: str) -> None:
    """Refuse objects of an array whose `member` an earlier one has already."""
    items: Sequence[Mapping[str, Hashable]] = values.get(array, ())
    first_index: dict[Hashable, int] = {}
    errors: dict[int, dict[str, list[str]]] = {}
    for index, item in enumerate(items):
        first = first_index.setdefault(item[member], index)
        if first != index:
            errors[index] = {member: [f'"{item[member]}" is in {array}.{first} already']}
    if errors:
        raise ValidationError({array: errors})
