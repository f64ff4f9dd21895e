"""Tables as TOML text."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it: text, number, truth, array, inline table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's too; only DEL must be escaped in TOML alone.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items())
        return "{ " + inner + " }" if inner else "{}"
    if isinstance(value, list):
        return _array(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _array(items: list[Any]) -> str:
    if any(isinstance(item, Mapping) for item in items):
        lines = "".join(f"    {toml_value(item)},\n" for item in items)
        return f"[\n{lines}]"
    return "[" + ", ".join(map(toml_value, items)) + "]"


def toml_key(name: str) -> str:
    """Return a key, in quotes if it needs them."""
    return name if _BARE.fullmatch(name) else toml_value(name)


def comment(lines: Iterable[str]) -> list[str]:
    """Return lines as comments; what comes from outside stays on its line."""
    return [f"# {' '.join(line.split())}" for line in lines]


def table(name: str, members: Mapping[str, Any]) -> list[str]:
    """Return the lines of a table."""
    return [
        f"[{name}]",
        *(f"{toml_key(key)} = {toml_value(item)}" for key, item in members.items()),
    ]
