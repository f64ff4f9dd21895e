"""The smallest arguments that a declared type takes: the example of what declares none."""

from collections.abc import Mapping
from typing import Any

_DIGITS = "6421000001"
_BY_SUFFIX = {"_digits": _DIGITS, "_text": "text", "_cause": 16}


def smallest(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with what is mandatory, by the description of a type's arguments."""
    if described["type"] == "by variant":
        return smallest(described["choices"][0])
    members: Mapping[str, Any] = described.get("members", {})
    wanted = [name for name, member in members.items() if member.get("required")]
    if described["type"] == "choice":
        wanted = list(members)[:1]
    found: dict[str, Any] = {}
    for name in wanted:
        found |= _given(name, members[name])
    return found


def _given(name: str, member: Mapping[str, Any]) -> dict[str, Any]:
    """Return a member in the form that a person would write."""
    for suffix, value in _BY_SUFFIX.items():
        if name + suffix in member.get("keys", ()):
            return {name + suffix: value}
    match member["type"]:
        case "sequence" | "choice":
            return {name: smallest(member)}
        case "by variant":
            return _given(name, {**member["choices"][0], "keys": member.get("keys", ())})
        case "array":
            item = _given(name, member["items"])
            return {key: [value] for key, value in item.items()}
        case "integer":
            return {name: member["minimum"]}
        case "enumerated":
            return {name: next(iter(member["names"].values()))}
        case "boolean" | "null":
            return {name: 1}
        case "text":
            return {name: "a" * max(1, member["min_length"])}
        case "objectidentifier":
            return {name: "0.4.0.0.1.0.50.1"}
    return {f"{name}_hex": "0f" * max(1, member.get("min_octets", 1))}
