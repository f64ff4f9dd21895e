"""What expressions read of what came, `$i`, where it is certain what that is. Pure.

Certain is an expression that puts texts, numbers, variables and members of `$i` together, perhaps
to set a variable. What all octets of a message say is the same in all instances that follow one,
and a value without members can't be changed in one of them for another.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tsvc.operations.sayings import PIECE

Lookup = tuple[str, ...]  # below $i
_KEY = r"\{(?:\w+|'[^'\\]*')\}"
_PATH = rf"\$i->{_KEY}(?:(?:->)?{_KEY})+"
_CERTAIN = re.compile(
    rf"\{{?\s*(?:\$v->\{{\w+\}}\s*=(?![=~>])\s*)?(?:{PIECE}|{_PATH}|[\s\d.*()]|\+(?!\+)|-(?!-))*\}}?",
    re.ASCII,
)
_PATHS = re.compile(_PATH, re.ASCII)
_KEYS = re.compile(r"\{(?:(\w+)|'([^'\\]*)')\}", re.ASCII)
_LONGEST = 1000  # characters; longer ones are not looked through in one go


def lookups_of(text: str) -> list[Lookup] | None:
    """Return what an expression reads of `$i`, None where that is not certain."""
    if len(text) > _LONGEST or "__INBOUND" in text or not _CERTAIN.fullmatch(text):
        return None
    return [
        tuple(word or quoted for word, quoted in _KEYS.findall(path))
        for path in _PATHS.findall(text)
    ]


def heard(
    log: Iterable[tuple[int, Mapping[str, Any]]], lookups: Collection[Lookup]
) -> dict[int, Mapping[str, Any]]:
    """Return what came, by the operation that has taken it.

    Errors: ValueError if something is read that has members.
    """
    found: dict[int, Mapping[str, Any]] = {}
    for position, received in log:
        if position in found:
            raise ValueError("an operation that takes something twice")
        found[position] = received
        for path in lookups:
            value: Any = received
            for name in path:
                value = value.get(name) if isinstance(value, Mapping) else None
            if isinstance(value, Mapping | list):
                raise ValueError("what is read has members")
    return found
