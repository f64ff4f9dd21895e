"""Sessions that instances wait for: requests of the server find their instance by Session-Id."""

from dataclasses import dataclass, field

from tsvc.errors import LocalProtocolError
from tsvc.kinds.diameter.connections import PeerConnection
from tsvc.protocols.diameter.message import Header
from tsvc.transport.mailbox import Mailbox

MAX_WAITING = 1000  # requests of one session that no operation has taken yet
TOO_BUSY, UNKNOWN_SESSION_ID, MISSING_AVP = 3004, 5002, 5005
REFUSALS = {
    MISSING_AVP: "Session-Id is missing",
    TOO_BUSY: "too many requests wait in this session",
    UNKNOWN_SESSION_ID: "no test waits for this session",
}


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """A request of the server that waits for its answer."""

    connection: PeerConnection
    header: Header
    octets: bytes


@dataclass(slots=True, eq=False)
class Registration:
    """One session of an instance: what comes for it, or why nothing can come any more."""

    session_id: str
    box: Mailbox[ServerRequest | str] = field(default_factory=Mailbox)
    connection: PeerConnection | None = None
    is_waiting: bool = False

    def receive(self, timeout_s: float) -> ServerRequest | str | None:
        """Return the next request, the reason why there is none, None if nothing came in time.

        Blocks: up to timeout_s.
        """
        self.is_waiting = True
        try:
            return self.box.get(timeout_s)
        finally:
            self.is_waiting = False


class Sessions:
    """The registrations of one gateway."""

    def __init__(self) -> None:
        self._registered: dict[str, Registration] = {}

    def __len__(self) -> int:
        return len(self._registered)

    def add(self, registration: Registration) -> None:
        """Give the requests of a session to it. Errors: LocalProtocolError if taken already."""
        if registration.session_id in self._registered:
            raise LocalProtocolError(f"session {registration.session_id} is registered already")
        self._registered[registration.session_id] = registration

    def remove(self, registration: Registration) -> None:
        """Forget a registration; a second time changes nothing."""
        if self._registered.get(registration.session_id) is registration:
            del self._registered[registration.session_id]

    def offer(self, session_id: str | None, request: ServerRequest) -> int:
        """Give a request to its registration; 0, or the Result-Code that says why not.

        Never switches.
        """
        if session_id is None:
            return MISSING_AVP
        found = self._registered.get(session_id)
        if found is None:
            return UNKNOWN_SESSION_ID
        if len(found.box) >= MAX_WAITING:
            return TOO_BUSY
        found.connection = request.connection
        found.box.put(request)
        return 0

    def lost(self, connection: PeerConnection, reason: str, *, is_last: bool) -> None:
        """Tell those that wait for a request over this connection. Never switches.

        Who has had no request yet may get it over any: it is told when the last one is lost.
        """
        for registration in self._registered.values():
            used = registration.connection
            if registration.is_waiting and (used is connection or (used is None and is_last)):
                registration.box.put(reason)
