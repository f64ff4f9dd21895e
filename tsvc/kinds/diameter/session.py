"""The Diameter side of an instance: its own session, and the sessions it is registered for."""

from collections import deque
from collections.abc import Hashable

from tsvc.kinds.diameter.connections import PendingAnswer
from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.sessions import Registration, ServerRequest, StrayAnswer
from tsvc.operations.context import Session
from tsvc.operations.operation import Instance, abort
from tsvc.protocols.diameter.message import session_id_of

UNABLE_TO_COMPLY = 5012
MOST_OWNED = 64  # the newest requests and sessions, for which a second answer is recognised


class DiameterSession(Session[ServerRequest | StrayAnswer]):
    """The Diameter side of one instance.

    `session_id`: of Session-Id_auto, None before it was used. `host`: Origin-Host of the last
    answer. `registrations`: sessions in which the server may send requests. `unexpected`:
    messages that came in a session of the instance and that no operation waits for.
    """

    role = "diameter"
    name = "DIAMETER"

    def __init__(self, gateway: DiameterGateway) -> None:
        self.gateway = gateway
        self.session_id: str | None = None
        self.host: str | None = None
        self.registrations: list[Registration] = []
        # A request that an operation has taken and not yet answered.
        self.taken: ServerRequest | None = None
        self._is_used = False
        self._unanswered: list[ServerRequest] = []
        self.unexpected: list[ServerRequest | StrayAnswer] = []
        self._owned: deque[Hashable] = deque()

    @property
    def is_open(self) -> bool:
        """True if it still holds registrations of the gateway."""
        return bool(self.registrations)

    @property
    def may_hear(self) -> bool:
        """True if a request or a second answer may come."""
        return self.is_open or bool(self._owned)

    def own_session_id(self) -> str:
        """Return the Session-Id that is generated for this instance."""
        if self.session_id is None:
            self.session_id = self.gateway.new_session_id()
        return self.session_id

    def request_session_id(self, *, begins: bool) -> str:
        """Return the Session-Id of a request; a new one if the request begins another session.

        A Session-Id that was registered but not yet used in a request is used for the new session.
        """
        if begins and self._is_used:
            self.session_id = None
        self._is_used = True
        return self.own_session_id()

    def register(self, session_id: str) -> None:
        """Register for the requests of a session. Errors: LocalProtocolError if it is taken."""
        if any(one.session_id == session_id for one in self.registrations):
            return
        registration = Registration(session_id)
        self.gateway.register(registration)
        self.registrations.append(registration)

    def registration(self, session_id: str | None) -> Registration:
        """Return the registration of a session, the newest without an id; aborts without one."""
        for registration in reversed(self.registrations):
            if session_id is None or registration.session_id == session_id:
                return registration
        return abort("no session is registered: diameter.from_server.Register comes first")

    # -- unexpected messages -----------------------------------------------------------------

    def own(self, pending: PendingAnswer) -> None:
        """Receive unexpected messages for a request or in its session."""
        self._own((pending.connection, pending.hop_by_hop_id))
        session_id = session_id_of(pending.octets)
        if session_id is not None:
            self._own(session_id)

    def _own(self, key: Hashable) -> None:
        sessions = self.gateway.sessions
        if sessions.owner(key) is self:
            return
        sessions.own(key, self)
        self._owned.append(key)
        if len(self._owned) > MOST_OWNED:
            sessions.disown(self._owned.popleft(), self)

    def hear(self, found: ServerRequest | StrayAnswer) -> None:
        """Store a message that no operation waits for."""
        self.unexpected.append(found)

    def refuse_unexpected(self) -> None:
        """Abort if a message has come that no operation expects."""
        if self.unexpected:
            abort(f"unexpected {self.describe(self.unexpected[0])}")

    def refuse_taken(self, text: str) -> None:
        """Refuse the request that was taken and not answered, if any: unable to comply."""
        taken, self.taken = self.taken, None
        if taken is not None:
            self.gateway.refuse(taken, UNABLE_TO_COMPLY, text)

    # -- used by the engine ------------------------------------------------------------------

    def leftovers(self) -> list[ServerRequest | StrayAnswer]:
        """Return the messages that came and that no operation took."""
        for registration in self.registrations:
            came = registration.box.take_all()
            self._unanswered += [one for one in came if isinstance(one, ServerRequest)]
        return [*self._unanswered, *self.unexpected]

    def describe(self, came: ServerRequest | StrayAnswer) -> str:
        """Return a text that describes a message."""
        header = came.header
        name = self.gateway.dictionary.command_name(
            header.command_code, is_request=header.is_request
        )
        if came not in self.unexpected:
            return name
        where = f"in session {session_id_of(came.octets) or '(none)'}"
        if isinstance(came, ServerRequest):
            return f"{name} {where}, for which no Register waits,"
        return f"{'second ' if came.is_repeated else 'late '}{name} {where}"

    def close(self) -> str | None:
        """End all registrations; requests that no operation took are refused."""
        self.refuse_taken("the test's answer can't be made")
        self.leftovers()
        for request in self._unanswered:
            self.gateway.refuse(request, UNABLE_TO_COMPLY, "the test did not expect it")
        self._unanswered = []
        for key in self._owned:
            self.gateway.sessions.disown(key, self)
        self._owned.clear()
        for registration in self.registrations:
            self.gateway.sessions.remove(registration)
        self.registrations = []
        return None

    def abort(self) -> None:
        """End at once, as close() does."""
        self.close()


def session_of(instance: Instance) -> DiameterSession:
    """Return the instance's Diameter side; it is created when it is first needed."""
    for dialogue in instance.dialogues:
        if isinstance(dialogue, DiameterSession):
            return dialogue
    made = DiameterSession(instance.context.gateway(DiameterGateway, "diameter"))
    instance.dialogues.append(made)
    return made
