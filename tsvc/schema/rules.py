"""Rules for configuration values: what a key may hold, in words and as a check."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

_DIGITS = re.compile(r"[0-9A-Fa-f*#]*")
_TRUTHS = {"1": True, "true": True, "0": False, "false": False}


@dataclass(frozen=True, slots=True)
class Rule:
    """`words` completes "must be …". `read` returns the value or raises ValueError.

    `from_text` turns a value of the environment into what the file would have held.
    """

    words: str
    read: Callable[[Any], Any]
    from_text: Callable[[str], Any] = str


def text(shortest: int = 0) -> Rule:
    """A string."""

    def read(value: Any) -> str:
        _require(isinstance(value, str) and len(value) >= shortest)
        return str(value)

    return Rule("a string" if not shortest else "a string that is not empty", read)


def texts(shortest: int) -> Rule:
    """A list of strings, each of a least length."""

    def read(value: Any) -> tuple[str, ...]:
        _require(all(len(item) >= shortest for item in _strings(value)))
        return tuple(value)

    return Rule(f"a list of strings of {shortest} characters or more", read, _comma_list)


def choice(*options: str) -> Rule:
    """One of a few strings."""

    def read(value: Any) -> str:
        _require(isinstance(value, str) and value in options)
        return str(value)

    return Rule("one of " + ", ".join(options), read)


def boolean() -> Rule:
    """true or false; 1 and 0 too, as N2SVCD's files have them."""

    def read(value: Any) -> bool:
        _require(isinstance(value, bool | int) and value in (0, 1))
        return bool(value)

    return Rule("true or false", read, lambda given: _TRUTHS.get(given.strip().lower(), given))


def integer(low: int, high: int) -> Rule:
    """An integer within bounds."""

    def read(value: Any) -> int:
        _require(isinstance(value, int) and not isinstance(value, bool))
        _require(low <= value <= high)
        return int(value)

    return Rule(f"an integer from {low} to {high}", read, _int_text)


def number(low: float, high: float) -> Rule:
    """An integer or float within bounds; NaN is in none."""

    def read(value: Any) -> float:
        _require(isinstance(value, int | float) and not isinstance(value, bool))
        _require(low <= value <= high)
        return float(value)

    return Rule(f"a number from {low:g} to {high:g}", read, _float_text)


def digits() -> Rule:
    """A string of digits; a number would lose leading zeros."""
    return _pattern(_DIGITS, 64, "a string of digits 0-9 A-F * #")


def digit() -> Rule:
    """One digit, or nothing."""
    return _pattern(_DIGITS, 1, "one of 0-9 A-F * #, or empty")


def hexadecimal() -> Rule:
    """A string of whole octets in hex."""
    return _pattern(re.compile(r"([0-9A-Fa-f]{2})*"), 64, "a string of octets in hex")


def path() -> Rule:
    """A path; the loader takes a relative one from the folder of the file that names it."""

    def read(value: Any) -> Path:
        _require(isinstance(value, str) and value != "" and "\0" not in value)
        return Path(value).expanduser()

    return Rule("a path", read)


def paths() -> Rule:
    """A list of paths."""

    def read(value: Any) -> tuple[Path, ...]:
        _require(all(item != "" and "\0" not in item for item in _strings(value)))
        return tuple(Path(item).expanduser() for item in value)

    return Rule("a list of paths", read, _comma_list)


def networks() -> Rule:
    """A list of networks in CIDR form, or single addresses."""

    def read(value: Any) -> tuple[str, ...]:
        return tuple(str(ip_network(item)) for item in _strings(value))

    return Rule('a list of networks such as "10.0.0.0/8" (no host bits set)', read, _comma_list)


def urls(*protocols: str) -> Rule:
    """A list of protocol+transport://host:port."""
    schemes = {f"{protocol}+{carrier}" for protocol in protocols for carrier in ("tcp", "sctp")}

    def read(value: Any) -> tuple[str, ...]:
        for item in _strings(value):
            parts = urlsplit(item)
            _require(parts.scheme in schemes and bool(parts.hostname) and parts.port is not None)
        return tuple(value)

    listed = ", ".join(sorted(schemes))
    return Rule(f"a list of SCHEME://HOST:PORT with SCHEME one of {listed}", read, _comma_list)


def host_port() -> Rule:
    """HOST:PORT, an IPv6 address in brackets, or nothing."""

    def read(value: Any) -> str:
        _require(isinstance(value, str))
        parts = urlsplit(f"//{value}")
        _require(value == "" or (bool(parts.hostname) and parts.port is not None))
        return str(value)

    return Rule("HOST:PORT, or empty", read)


def announcements() -> Rule:
    """Tables of message ids: set -> entry -> id."""

    def read(value: Any) -> MappingProxyType[str, MappingProxyType[str, int]]:
        _require(isinstance(value, dict))
        for entries in value.values():
            _require(isinstance(entries, dict))
            for found in entries.values():
                _require(isinstance(found, int) and not isinstance(found, bool))
                _require(0 <= found < 2**31)
        return MappingProxyType(
            {name: MappingProxyType(entries) for name, entries in value.items()}
        )

    return Rule("tables of integers: a set, its entries, each with a message id", read)


def _pattern(pattern: re.Pattern[str], longest: int, words: str) -> Rule:
    def read(value: Any) -> str:
        _require(isinstance(value, str) and len(value) <= longest)
        _require(pattern.fullmatch(value) is not None)
        return str(value)

    return Rule(words, read)


def _require(is_met: bool) -> None:
    if not is_met:
        raise ValueError


def _strings(value: Any) -> list[str]:
    _require(isinstance(value, list) and all(isinstance(item, str) for item in value))
    return list(value)


def _comma_list(given: str) -> list[str]:
    return [item.strip() for item in given.split(",") if item.strip()]


def _int_text(given: str) -> Any:
    return int(given) if re.fullmatch(r"[+-]?[0-9]{1,18}", given.strip()) else given


def _float_text(given: str) -> Any:
    try:
        return float(given)
    except ValueError:
        return given
