"""Routes for entering and leaving: the one-time address, a name with a password, leaving."""

from collections.abc import Callable, Mapping
from math import ceil

from tsvc import __version__
from tsvc.gui.asked import Answer, Asked, Refusal, json_answer, text_of
from tsvc.gui.daemons import Daemons
from tsvc.gui.offload import off_loop
from tsvc.gui.roles import Role
from tsvc.gui.sessions import COOKIE, Invitation, Session, Sessions
from tsvc.gui.users import Attempts, User, is_password

_GUEST = "local"  # the user of a session that began with the one-time address


class Entering:
    """/enter, /api/enter, /api/leave, /api/session."""

    def __init__(
        self,
        sessions: Sessions,
        attempts: Attempts,
        *,
        users: Mapping[str, User] | None,
        invitation: Invitation | None,
        on_invited: Callable[[], None],
        daemons: Daemons,
        has_workspace: bool,
        is_secure: bool,
        is_read_only: bool,
    ) -> None:
        """`users` None: there is no login; `invitation` None: there is no one-time address."""
        self._sessions = sessions
        self._attempts = attempts
        self._users = users
        self._invitation = invitation
        self._on_invited = on_invited
        self._daemons = daemons
        self._has_workspace = has_workspace
        self._is_secure = is_secure
        self._is_read_only = is_read_only

    def invited(self, asked: Asked) -> Answer:
        """Begin a session for a browser with the one-time address, and redirect it to the page."""
        if self._invitation is None or not self._invitation.take(asked.path["token"]):
            raise Refusal(403, "this address was used already, or is none: see the terminal")
        self._on_invited()
        session = self._sessions.begin(_GUEST, Role.AUTHOR)
        headers = {"Location": "/", "Set-Cookie": self._cookie(session.key)}
        return Answer(b"", type="text/plain", status=303, headers=headers)

    def enter(self, asked: Asked) -> Answer:
        """Log a user in. Blocks: for the CPU time of a password's hash, off the loop."""
        given = asked.headers.get("origin")
        if given is not None and given != asked.origin:
            raise Refusal(403, "the request comes from another site")
        if self._users is None:
            raise Refusal(403, "there are no users here: open the address in the terminal")
        document = asked.document()
        name, password = text_of(document, "user"), text_of(document, "password")
        names = (f"user {name[:64]}", f"address {asked.peer}")
        pause_s = self._attempts.pause_s(*names)
        if pause_s > 0:
            raise Refusal(429, f"too many wrong passwords: again in {ceil(pause_s)} s")
        # Note the attempt as wrong before the check, so that parallel attempts count too.
        self._attempts.note(False, *names)
        user = self._users.get(name)
        if not off_loop(is_password, user, password) or user is None:
            raise Refusal(403, "no such user, or another password")
        self._attempts.note(True, *names)
        session = self._sessions.begin(user.name, user.role)
        return Answer(b"{}", headers={"Set-Cookie": self._cookie(session.key)})

    def leave(self, asked: Asked) -> Answer:
        """End the session."""
        self._sessions.end(asked.session)
        return Answer(b"{}", headers={"Set-Cookie": self._cookie("", "; Max-Age=0")})

    def session(self, asked: Asked) -> Answer:
        """Return the user and the role of the session, and the daemons and the workspace."""
        session: Session | None = asked.given
        if session is None:
            raise Refusal(401, "nobody has come in here", has_users=self._users is not None)
        return json_answer(
            {
                "user": session.user,
                "role": session.role.word,
                "csrf": session.csrf,
                "read_only": self._is_read_only,
                "daemons": [
                    {"name": one.name, "address": one.address} for one in self._daemons.values()
                ],
                "workspace": self._has_workspace,
                "has_users": self._users is not None,
                "version": __version__,
            }
        )

    def _cookie(self, key: str, more: str = "") -> str:
        secure = "; Secure" if self._is_secure else ""
        return f"{COOKIE}={key}; HttpOnly; SameSite=Strict; Path=/{secure}{more}"
