"""HTTP cookies: a jar that reads Set-Cookie fields and makes Cookie fields (RFC 6265 section 5).

There is no list of public suffixes: a Domain without a dot is accepted only from the host of that
name. Pure: `now` is a wall time in seconds.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from ipaddress import ip_address

from tsvc.values import dataclass

MOST_COOKIES = 300  # in a jar; then the oldest is dropped (RFC 6265 6.1: at least 50 per domain)
_MOST_OCTETS = 4096  # of name and value (RFC 6265 6.1); a longer cookie is ignored
_FOREVER = float("inf")

# RFC 6265 5.1.1: the delimiters, and the forms of the tokens between them.
_DELIMITERS = re.compile(r"[\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?\Z", re.DOTALL | re.ASCII)
_DAY = re.compile(r"(\d{1,2})(?:\D.*)?\Z", re.DOTALL | re.ASCII)
_YEAR = re.compile(r"(\d{2,4})(?:\D.*)?\Z", re.DOTALL | re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBER = re.compile(r"-?[0-9]+")


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie that a server has set."""

    name: str
    value: str
    domain: str
    path: str
    expires: float
    is_host_only: bool
    is_secure: bool


class CookieJar:
    """The cookies of one user agent."""

    def __init__(self) -> None:
        # In the order of creation; a cookie that is replaced keeps its position (5.3).
        self._cookies: dict[tuple[str, str, str], Cookie] = {}

    def take(
        self, values: Iterable[str], host: str, target: str, now: float, *, is_secure: bool
    ) -> None:
        """Store the cookies of the Set-Cookie fields of a response to a request for `target`."""
        for value in values:
            cookie = _read(value, host.lower(), target, now, is_secure=is_secure)
            if cookie is None:
                continue
            key = (cookie.name, cookie.domain, cookie.path)
            if cookie.expires <= now:
                self._cookies.pop(key, None)
                continue
            self._cookies[key] = cookie
            if len(self._cookies) > MOST_COOKIES:
                del self._cookies[next(iter(self._cookies))]

    def given(self, host: str, target: str, now: float, *, is_secure: bool) -> str:
        """Return the value of the Cookie field of a request, "" for none."""
        if not self._cookies:
            return ""
        host, path = host.lower(), target.partition("?")[0]
        found = [
            one
            for one in self._cookies.values()
            if (host == one.domain if one.is_host_only else _is_domain(host, one.domain))
            and _is_path(path, one.path)
            and (is_secure or not one.is_secure)
            and one.expires > now
        ]
        found.sort(key=lambda one: -len(one.path))
        return "; ".join(f"{one.name}={one.value}" if one.name else one.value for one in found)


def _read(text: str, host: str, target: str, now: float, *, is_secure: bool) -> Cookie | None:
    """Return the cookie of a Set-Cookie field (5.2), None if it must be ignored (5.3)."""
    pair, *attributes = text.split(";")
    name, equals, value = pair.partition("=")
    name, value = name.strip(" \t"), value.strip(" \t")
    if not equals or not name or len(name) + len(value) > _MOST_OCTETS:
        return None
    domain, path, expires, max_age, wants_secure = "", "", _FOREVER, None, False
    for attribute in attributes:
        key, _, given = (part.strip(" \t") for part in attribute.partition("="))
        match key.lower():
            case "expires":
                moment = cookie_date(given)
                expires = expires if moment is None else moment
            case "max-age" if _NUMBER.fullmatch(given) and len(given) < 20:
                max_age = int(given)
            case "domain" if given:
                domain = given.removeprefix(".").lower()
            case "path":
                path = given if given.startswith("/") else ""
            case "secure":
                wants_secure = True
    if max_age is not None:  # it takes precedence over Expires
        expires = now + max_age if max_age > 0 else now
    if domain and not _is_domain(host, domain):
        return None
    if domain != host and domain and "." not in domain:
        return None
    if wants_secure and not is_secure:
        return None  # RFC 6265bis 5.6: no Secure cookies from an insecure connection
    is_host_only = not domain
    return Cookie(
        name, value, domain or host, path or _default_path(target), expires, is_host_only,
        wants_secure,
    )  # fmt: skip


def _is_domain(host: str, domain: str) -> bool:
    """Return True if a host is a domain or below it (5.1.3); no address is below a domain."""
    if host == domain:
        return True
    if not host.endswith(f".{domain}"):
        return False
    try:
        ip_address(host)
    except ValueError:
        return True
    return False


def _is_path(path: str, cookie_path: str) -> bool:
    """Return True if the path of a request matches the path of a cookie (5.1.4)."""
    return path == cookie_path or (
        path.startswith(cookie_path)
        and (cookie_path.endswith("/") or path[len(cookie_path)] == "/")
    )


def _default_path(target: str) -> str:
    """Return the path up to its last slash (5.1.4), which is left out unless it is the first."""
    path = target.partition("?")[0]
    return path[: path.rfind("/")] or "/" if path.startswith("/") else "/"


def cookie_date(text: str) -> float | None:
    """Return the time of an Expires attribute in seconds (5.1.1), None if it is not a date."""
    time: tuple[int, int, int] | None = None
    day = month = year = None
    for token in _DELIMITERS.split(text):
        if time is None and (found := _TIME.match(token)):
            time = (int(found[1]), int(found[2]), int(found[3]))
        elif day is None and (found := _DAY.match(token)):
            day = int(found[1])
        elif month is None and token[:3].lower() in _MONTHS:
            month = _MONTHS.index(token[:3].lower()) + 1
        elif year is None and (found := _YEAR.match(token)):
            year = int(found[1])
    if time is None or day is None or month is None or year is None:
        return None
    if year < 100:
        year += 1900 if year >= 70 else 2000
    if year < 1601:
        return None
    try:
        return datetime(year, month, day, *time, tzinfo=UTC).timestamp()
    except ValueError:
        return None
