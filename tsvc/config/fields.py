"""Types of members that only the configuration has, and the reading and wording of its keys."""

import pathlib
import re
from ipaddress import ip_network
from typing import Any
from urllib.parse import SplitResult, urlsplit

from tsvc.config.link_key import checked_key
from tsvc.schema.fields import Digits, List, Member, String
from tsvc.schema.style import Mistake, Takes
from tsvc.schema.table import Table, TableStyle

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_TRUTHS = {"1": True, "true": True, "0": False, "false": False}


class KeyStyle(TableStyle):
    """Reads keys as TOML values; a text of the environment is converted to one first."""

    def integer(self, value: object) -> int | None:
        """Return an integer of TOML."""
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def number(self, value: object) -> float | None:
        """Return an integer or float of TOML."""
        return super().number(value) if isinstance(value, int | float) else None

    def boolean(self, value: object) -> bool | None:
        """Return true or false; 1 and 0 are allowed too, because N2SVCD's files have them."""
        return bool(value) if isinstance(value, int) and value in (0, 1) else None

    def from_text(self, takes: Takes, text: str) -> Any:
        """Return the TOML value that a text of the environment stands for."""
        match takes.type:
            case "integer":
                return int(text) if _INTEGER.fullmatch(text.strip()) else text
            case "number":
                try:
                    return float(text)
                except ValueError:
                    return text
            case "boolean":
                return _TRUTHS.get(text.strip().lower(), text)
            case "array":
                items = [item.strip() for item in text.split(",") if item.strip()]
                if takes.items is None:
                    return items
                return [self.from_text(takes.items, item) for item in items]
        return text

    def rule(self, takes: Takes) -> str:
        """Return the rule for the value, as the end of a sentence."""
        if takes.choices and not takes.rule:
            return "one of " + ", ".join(map(str, takes.choices))
        return takes.rule or super().rule(takes)

    def unit(self, takes: Takes) -> str:
        """Return "", because the help of a key names its unit."""
        return ""

    def words(self, kind: Mistake, takes: Takes, value: object) -> str:
        """Return what the value must be; the loader, which knows the value, adds the rest."""
        return f"must be {self.rule(takes)}"


KEYS = KeyStyle()


class ConfigTable(Table):
    """A table of the file. load.py reads its keys, one by one."""

    __slots__ = ()
    style = KEYS


class Digit(Digits):
    """One digit, or nothing."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(0, 1, rule="one of 0-9 A-F * #, or empty", **kwargs)


class Octets(String):
    """A string of whole octets in hex."""

    def __init__(self, longest: int, **kwargs: Any) -> None:
        rule = "a string of octets in hex"
        super().__init__(0, longest, pattern=r"([0-9A-Fa-f]{2})*\Z", rule=rule, **kwargs)


class Path(Member):
    """A path; the loader resolves a relative one from the folder of the file that names it."""

    type = "string"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(rule="a path", **kwargs)

    def read(self, value: Any) -> pathlib.Path:
        """Return the path."""
        if not isinstance(value, str) or value == "" or "\0" in value:
            raise self.refusal(Mistake.TYPE, value)
        return pathlib.Path(value).expanduser()


class Network(String):
    """A network in CIDR form, or a single address."""

    def read(self, value: Any) -> str:
        """Return the network in CIDR form."""
        try:
            return str(ip_network(super().read(value)))
        except ValueError:
            raise self.refusal(Mistake.PATTERN, value) from None


class Url(String):
    """A URL with one of some protocols, and a carrier: protocol+carrier://host:port."""

    def __init__(self, schemes: frozenset[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.schemes = schemes

    def read(self, value: Any) -> str:
        """Return the URL."""
        text = super().read(value)
        parts = _split(text)
        if parts is None or parts.scheme not in self.schemes:
            raise self.refusal(Mistake.PATTERN, value)
        return text


class Workers(Member):
    """A number of processes, or "auto"."""

    type = "string"
    AUTO = -1

    def __init__(self, most: int, **kwargs: Any) -> None:
        super().__init__(rule=f'a number up to {most}, or "auto"', **kwargs)
        self.most = most

    def read(self, value: Any) -> int:
        """Return the number, AUTO for "auto"."""
        if value == "auto":
            return self.AUTO
        text = str(value)
        if isinstance(value, bool) or not _INTEGER.fullmatch(text):
            raise self.refusal(Mistake.TYPE, value)
        if not 0 <= int(text) <= self.most:
            raise self.refusal(Mistake.RANGE, value)
        return int(text)


class HostPort(String):
    """HOST:PORT, an IPv6 address in brackets, or nothing."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(rule="HOST:PORT, or empty", **kwargs)

    def read(self, value: Any) -> str:
        """Return the text."""
        text = super().read(value)
        if text and _split(f"//{text}") is None:
            raise self.refusal(Mistake.PATTERN, value)
        return text


class HttpUrl(String):
    """http://HOST[:PORT]/PATH or https://…, or nothing."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(rule="http://HOST[:PORT]/PATH or https://…, or empty", **kwargs)

    def read(self, value: Any) -> str:
        """Return the URL."""
        text = super().read(value)
        if text and not _is_http(text):
            raise self.refusal(Mistake.PATTERN, value)
        return text


class LinkKey(String):
    """A public key of the link between machines, or nothing."""

    def __init__(self, shortest: int = 0, **kwargs: Any) -> None:
        rule = "a public key, as `tsvc cluster key` prints it"
        super().__init__(shortest, rule=rule, **kwargs)

    def read(self, value: Any) -> str:
        """Return the key."""
        text = super().read(value)
        try:
            return checked_key(text, "it") if text else text
        except ValueError:
            raise self.refusal(Mistake.PATTERN, value) from None


class Machine(String):
    """The name of a machine, or nothing."""

    def __init__(self, **kwargs: Any) -> None:
        rule = "1 to 40 of A-Z a-z 0-9 . _ -, or empty"
        super().__init__(0, 40, pattern=r"[A-Za-z0-9._-]*\Z", rule=rule, **kwargs)


def link_keys(**kwargs: Any) -> List:
    """Declare a list of public keys."""
    rule = "a list of public keys, as `tsvc cluster key` prints them"
    return List(LinkKey(1), default=list, rule=rule, **kwargs)


def texts(shortest: int, **kwargs: Any) -> List:
    """Declare a list of strings, each of at least `shortest` characters."""
    rule = f"a list of strings of {shortest} characters or more"
    return List(String(shortest), default=list, rule=rule, **kwargs)


def paths(**kwargs: Any) -> List:
    """Declare a list of paths."""
    return List(Path(), default=list, rule="a list of paths", **kwargs)


def networks(**kwargs: Any) -> List:
    """Declare a list of networks in CIDR form, or single addresses."""
    rule = 'a list of networks such as "10.0.0.0/8" (no host bits set)'
    return List(Network(), default=list, rule=rule, **kwargs)


def urls(*protocols: str, **kwargs: Any) -> List:
    """Declare a list of protocol+transport://host:port."""
    schemes = frozenset(f"{one}+{carrier}" for one in protocols for carrier in ("tcp", "sctp"))
    rule = f"a list of SCHEME://HOST:PORT with SCHEME one of {', '.join(sorted(schemes))}"
    return List(Url(schemes), default=list, rule=rule, **kwargs)


def digits(**kwargs: Any) -> Digits:
    """Declare a string of digits; a number would lose leading zeros."""
    return Digits(0, 64, rule="a string of digits 0-9 A-F * #", **kwargs)


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_plain = parts.username is None and not parts.fragment and url.isascii()
    return (
        parts.scheme in ("http", "https")
        and is_whole
        and is_plain
        and url.isprintable()
        and " " not in url
    )


def _split(url: str) -> SplitResult | None:
    """Return the parts of a URL, or None if it has no host or no port."""
    try:
        parts = urlsplit(url)
        return parts if parts.hostname and parts.port is not None else None
    except ValueError:
        return None
