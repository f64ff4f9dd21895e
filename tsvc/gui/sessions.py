"""Sessions: the users of browsers, identified by a cookie that no script can read.

Sessions are kept in memory, so users must log in again after a restart of the GUI. Times are those
of a monotonic clock, given as `now`.
"""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import field

from tsvc.gui.roles import Role
from tsvc.values import dataclass

LONGEST_S = 12 * 3600.0
MOST_SESSIONS = 1000
COOKIE = "tsvc"


def _token() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Session:
    """One browser that has logged in. Every write must have `csrf` in a header."""

    user: str
    role: Role
    ends: float
    key: str = field(default_factory=_token, repr=False)
    csrf: str = field(default_factory=_token, repr=False)

    def has_csrf(self, given: str) -> bool:
        """Return True if this is the session's token."""
        return hmac.compare_digest(self.csrf.encode(), given.encode("utf-8", "replace"))


class Sessions:
    """All sessions, at most MOST_SESSIONS: a new one replaces the oldest."""

    def __init__(self, now: Callable[[], float], most_role: Role = Role.AUTHOR) -> None:
        self._now = now
        self._most_role = most_role
        self._by_key: dict[str, Session] = {}

    def begin(self, user: str, role: Role) -> Session:
        """Return a new session; its role is at most the highest role that this GUI allows."""
        self._forget_old()
        if len(self._by_key) >= MOST_SESSIONS:
            del self._by_key[next(iter(self._by_key))]
        session = Session(user, min(role, self._most_role), self._now() + LONGEST_S)
        self._by_key[session.key] = session
        return session

    def find(self, key: str | None) -> Session | None:
        """Return the session of a cookie; None if there is none, or it has ended."""
        found = self._by_key.get(key or "")
        return found if found is not None and self.is_valid(found) else None

    def is_valid(self, session: Session) -> bool:
        """Return True if a session has not ended."""
        return session.key in self._by_key and self._now() < session.ends

    def end(self, session: Session) -> None:
        """End a session."""
        self._by_key.pop(session.key, None)

    def _forget_old(self) -> None:
        for session in list(self._by_key.values()):
            if self._now() >= session.ends:
                del self._by_key[session.key]


class Invitation:
    """The one-time token in the printed address; one browser can enter with it."""

    def __init__(self) -> None:
        self._token = _token()

    @property
    def path(self) -> str:
        """The path to open."""
        return f"/enter/{self._token}"

    def take(self, token: str) -> bool:
        """Return True if this is the token, and replace the token by a new one then."""
        if not hmac.compare_digest(self._token.encode(), token.encode("utf-8", "replace")):
            return False
        self._token = _token()
        return True
