"""The past of Diameter requests, as it is replayed to an ordinary instance.

The gateway of the instance swallows the requests that were already sent, and returns the answers
that already came. Where the past ends, the instance becomes the owner of its session and of the
pending request, and it is live. From there on this gateway only forwards calls.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from tsvc.errors import LocalProtocolError
from tsvc.kinds.diameter.connections import PeerConnection, PendingAnswer
from tsvc.kinds.diameter.gateway import DiameterAnswer, DiameterGateway
from tsvc.kinds.diameter.sessions import Owner
from tsvc.operations.fast_path.replay import Replay
from tsvc.operations.fast_path.request_response import ExchangeReplay
from tsvc.protocols.diameter.capabilities import Capabilities
from tsvc.protocols.diameter.message import (
    CommandFlag,
    Header,
    decode_header,
    encode_message,
    session_id_of,
)


class Asked(NamedTuple):
    """A request that was sent. `octets`: the whole message; `remote`: the peer at that time."""

    connection: PeerConnection
    remote: Capabilities
    sent_at: float
    octets: bytes


class Past(NamedTuple):
    """The past of an instance.

    answers: (when, octets), in the order of requests; the last request may have no answer.
    chosen, drawn: connection and Session-Id of a request that was not sent after all.
    waiter:  the object that waits for the missing answer.
    """

    requests: Sequence[Asked]
    answers: Sequence[tuple[float, bytes]]
    chosen: PeerConnection | None = None
    drawn: str | None = None
    waiter: object = None


class RequestReplay(ExchangeReplay):
    """The past of the requests of an instance."""

    past: Past

    def __init__(self, gateway: DiameterGateway, past: Past, whole: Replay) -> None:
        super().__init__(past, whole)
        self.sent: list[PendingAnswer] = []
        self.began: list[int] = []  # indexes of the requests that began a session
        self.owned: dict[Hashable, Owner] = {}
        self.chosen, self.drawn = past.chosen, past.drawn
        self.gateway = gateway

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""
        return {**real, "diameter": _Gateway(self.gateway, self)}

    def swallow(
        self, command_code: int, flags: int, application: int, avps: bytes
    ) -> PendingAnswer:
        """Return a request that was sent in the past. Errors: LocalProtocolError if it was not."""
        if len(self.sent) == len(self.past.requests):
            raise LocalProtocolError("the fast path went wrong: it was over")
        if not self.whole.sends(self):
            raise LocalProtocolError("the fast path went wrong: it had sent nothing")
        asked = self.past.requests[len(self.sent)]
        was = decode_header(asked.octets)
        header = Header(
            command_code,
            flags | CommandFlag.REQUEST,
            application,
            was.hop_by_hop_id,
            was.end_to_end_id,
        )
        if encode_message(header, avps) != asked.octets:
            raise LocalProtocolError("the fast path went wrong: it had sent something else")
        self.whole.time.at = asked.sent_at
        pending = PendingAnswer(asked.connection, asked.sent_at, asked.octets, was.hop_by_hop_id)
        self.sent.append(pending)
        return pending

    def feed(self, pending: PendingAnswer, timeout_s: float) -> DiameterAnswer | None:
        """Return the answer that came in the past; None: no answer came, and now all is live."""
        self.waits.append(timeout_s)
        answer, number = None, self.fed
        self.whole.current = self
        self.whole.bring_for(self)
        if self.fed > number:
            answer = self.gateway.read(pending, self.past.answers[number][1])
        self.whole.look()
        if answer is None and not self.is_live:
            raise LocalProtocolError("the fast path went wrong: it was over")
        return answer

    def adopt(self) -> None:
        """Make the instance the owner of its sessions, and let it wait for the pending answer."""
        for key, owner in self.owned.items():
            self.gateway.sessions.own(key, owner)
        waits = self.waits_for
        if waits is not None:
            pending = waits.connection.peer.pending
            if pending.get(waits.hop_by_hop_id) is self.past.waiter:
                pending[waits.hop_by_hop_id] = waits

    def release(self) -> None:
        """Break the reference cycle: owners refer to their gateway."""
        self.owned.clear()

    def give_up(self) -> None:
        """Wait for no answer."""
        waits = self.waits_for
        if waits is not None:
            waits.connection.peer.forget(waits.hop_by_hop_id)

    @property
    def waits_for(self) -> PendingAnswer | None:
        """The request whose answer has not come; None if there is no such request."""
        return self.sent[self.fed] if self.fed < len(self.sent) else None


class _Gateway:
    """The gateway, as the instance sees it."""

    def __init__(self, gateway: DiameterGateway, replay: RequestReplay) -> None:
        self._gateway = gateway
        self._replay = replay
        self._past_sessions = _Sessions(replay)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    @property
    def sessions(self) -> Any:
        """The table of the owners that get unexpected messages."""
        return self._gateway.sessions if self._replay.is_live else self._past_sessions

    def new_session_id(self) -> str:
        """Return the Session-Id that was made in the past; a new one if there is none."""
        replay, past = self._replay, self._replay.past
        replay.began.append(len(replay.sent))
        if len(replay.sent) < len(past.requests):
            return session_id_of(past.requests[len(replay.sent)].octets) or ""
        drawn, replay.drawn = replay.drawn, None
        return drawn or self._gateway.new_session_id()

    def connection(self, destination_host: str | None = None) -> PeerConnection:
        """Return the connection of the past; once all is live, any one. Errors: GatewayError."""
        replay, past = self._replay, self._replay.past
        if len(replay.sent) < len(past.requests):
            asked = past.requests[len(replay.sent)]
            return cast(PeerConnection, _as_then(asked.connection, asked.remote))
        replay.whole.finish()
        chosen, replay.chosen = replay.chosen, None
        if chosen is not None and chosen.peer.is_open:
            return chosen
        return self._gateway.connection(destination_host)

    def send(self, connection: PeerConnection, *message: Any) -> PendingAnswer:
        """Send a request unless it was sent in the past.

        Errors: GatewayError, LocalProtocolError.
        """
        if not self._replay.is_live:
            return self._replay.swallow(*message)
        self._replay.whole.leave_past()
        return self._gateway.send(connection, *message)

    def receive(self, pending: PendingAnswer, timeout_s: float) -> DiameterAnswer:
        """Return the answer of the past; once all is live, wait for it. Errors: GatewayError."""
        replay = self._replay
        if not replay.is_live:
            answer = replay.feed(pending, timeout_s)
            if answer is not None:
                return answer
        return self._gateway.receive(pending, timeout_s, replay.whole.leave_past(pending.sent_at))


def _as_then(connection: PeerConnection, remote: Capabilities) -> Any:
    """Return a connection with the capabilities that its peer had: they may have changed since."""
    if connection.peer.remote is remote:
        return connection
    return _Other(connection, peer=_Other(connection.peer, remote=remote))


class _Other:
    """A proxy of an object that replaces some of its members."""

    def __init__(self, real: Any, **members: Any) -> None:
        self.__dict__.update(members, _real=real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class _Sessions:
    """The table of owners in the past: no owner is called before all is live."""

    def __init__(self, replay: RequestReplay) -> None:
        self._owned = replay.owned

    def own(self, key: Hashable, owner: Owner) -> None:
        """Register an owner; the owner gets messages once all is live."""
        self._owned[key] = owner

    def disown(self, key: Hashable, owner: Owner) -> None:
        """Remove an owner."""
        self._owned.pop(key, None)

    def owner(self, key: Hashable) -> Owner | None:
        """Return the owner of a key; None if there is no owner."""
        return self._owned.get(key)
