"""Sessions: who is at a browser, by a cookie that no script can read.

They are kept in memory: a new start of the GUI is a new login. Times are those of a monotonic
clock, handed in as `now`.
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
    """One browser that has come in. `csrf` goes with every write, in a header."""

    user: str
    role: Role
    ends: float
    key: str = field(default_factory=_token, repr=False)
    csrf: str = field(default_factory=_token, repr=False)

    def has_csrf(self, given: str) -> bool:
        """Whether that is its token."""
        return hmac.compare_digest(self.csrf.encode(), given.encode("utf-8", "replace"))


class Sessions:
    """All sessions, at most MOST_SESSIONS: the oldest gives way to a new one."""

    def __init__(self, now: Callable[[], float], most_role: Role = Role.AUTHOR) -> None:
        self._now = now
        self._most_role = most_role
        self._by_key: dict[str, Session] = {}

    def begin(self, user: str, role: Role) -> Session:
        """Return a new session; its role is at most the one that this GUI has for anybody."""
        self._forget_old()
        if len(self._by_key) >= MOST_SESSIONS:
            del self._by_key[next(iter(self._by_key))]
        session = Session(user, min(role, self._most_role), self._now() + LONGEST_S)
        self._by_key[session.key] = session
        return session

    def find(self, key: str | None) -> Session | None:
        """Return the session of a cookie; None if there is none, or none any more."""
        found = self._by_key.get(key or "")
        return found if found is not None and self.is_valid(found) else None

    def is_valid(self, session: Session) -> bool:
        """Whether a session goes on."""
        return session.key in self._by_key and self._now() < session.ends

    def end(self, session: Session) -> None:
        """Forget a session."""
        self._by_key.pop(session.key, None)

    def _forget_old(self) -> None:
        for session in list(self._by_key.values()):
            if self._now() >= session.ends:
                del self._by_key[session.key]


class Invitation:
    """The one-time token in the address that is printed: it lets one browser in."""

    def __init__(self) -> None:
        self._token = _token()

    @property
    def path(self) -> str:
        """Where it is to be opened."""
        return f"/enter/{self._token}"

    def take(self, token: str) -> bool:
        """Whether that is the token; then it is no more, and there is a new one."""
        if not hmac.compare_digest(self._token.encode(), token.encode("utf-8", "replace")):
            return False
        self._token = _token()
        return True
