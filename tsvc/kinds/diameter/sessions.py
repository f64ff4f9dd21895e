"""Sessions of instances: the registered ones, and the owners of unexpected messages.

Requests of the server are given to the registration of their Session-Id. Messages that no
operation expects are given to the instance that owns the session, or that sent the request.
"""

from collections.abc import Hashable
from dataclasses import field
from typing import Protocol

from tsvc.errors import LocalProtocolError
from tsvc.kinds.diameter.connections import PeerConnection
from tsvc.protocols.diameter.message import Header
from tsvc.transport.mailbox import Mailbox
from tsvc.values import dataclass

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


@dataclass(frozen=True, slots=True)
class StrayAnswer:
    """An answer that no request waits for. `is_repeated`: its request was answered before."""

    header: Header
    octets: bytes
    is_repeated: bool


class Owner(Protocol):
    """Receives unexpected messages of a session."""

    def hear(self, found: "ServerRequest | StrayAnswer") -> None:
        """Receive a message. Never switches."""


@dataclass(slots=True, eq=False)
class Registration:
    """One session of an instance: its requests, or the reason why none can come any more."""

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
        # By Session-Id, and by (connection, Hop-by-Hop id) of a request.
        self._owners: dict[Hashable, Owner] = {}

    def __len__(self) -> int:
        return len(self._registered)

    def add(self, registration: Registration) -> None:
        """Register a session for its requests. Errors: LocalProtocolError if it is taken."""
        if registration.session_id in self._registered:
            raise LocalProtocolError(f"session {registration.session_id} is registered already")
        self._registered[registration.session_id] = registration

    def remove(self, registration: Registration) -> None:
        """Remove a registration; a second call changes nothing."""
        if self._registered.get(registration.session_id) is registration:
            del self._registered[registration.session_id]

    def own(self, key: Hashable, owner: Owner) -> None:
        """Set the owner of unexpected messages: of a Session-Id, or of answers to a request
        (connection, Hop-by-Hop id)."""
        self._owners[key] = owner

    def disown(self, key: Hashable, owner: Owner) -> None:
        """Remove an owner, unless the key has another owner by now."""
        if self._owners.get(key) is owner:
            del self._owners[key]

    def owner(self, key: Hashable) -> Owner | None:
        """Return the owner of a key."""
        return self._owners.get(key)

    def offer(self, session_id: str | None, request: ServerRequest) -> int:
        """Give a request to its registration. Return 0, or the Result-Code of the refusal.

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
        """End the waits for requests over this connection. Never switches.

        A registration without a request so far may get one over any connection: its wait ends when
        the last connection is lost.
        """
        for registration in self._registered.values():
            used = registration.connection
            if registration.is_waiting and (used is connection or (used is None and is_last)):
                registration.box.put(reason)
