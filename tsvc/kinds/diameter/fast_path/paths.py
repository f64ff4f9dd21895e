"""The Diameter requests of instances on the fast path.

A request is a template: its slots are the identifiers, the Session-Id of the instance, and AVPs
with expressions, each of any length. An answer is a template too, without AVPs of the definition.
The instance owns its session and its requests, and checks at its end which messages have arrived.
Only the ordinary instance interprets an answer and decides whether it is right.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from tsvc.errors import GatewayError
from tsvc.kinds.diameter.connections import PeerConnection
from tsvc.kinds.diameter.fast_path.replay import Asked, Past, RequestReplay
from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.session import MOST_OWNED, DiameterSession
from tsvc.kinds.diameter.sessions import ServerRequest, StrayAnswer
from tsvc.log import get_logger
from tsvc.operations.context import Session
from tsvc.operations.eligibility import Argument
from tsvc.operations.fast_path.contract import Host, Recorded
from tsvc.operations.fast_path.frame import ReplayedInstance
from tsvc.operations.fast_path.recording import Place
from tsvc.operations.fast_path.replay import Replay
from tsvc.operations.fast_path.request_response import ExchangeState, exchanged
from tsvc.operations.fast_path.slots import SlotSource
from tsvc.operations.fast_path.template import LengthField, Slot, Template
from tsvc.protocols.diameter.capabilities import Capabilities
from tsvc.protocols.diameter.message import HEADER_OCTETS, read_avps, session_id_of

log = get_logger("fast_path")

_IDS_FROM = 12  # offset of the identifiers; they extend to the end of the header
_SESSION_ID_AVP = 263
_SESSION_ID, _IDS = -1, -2  # slots
_NO_IDS = bytes(HEADER_OCTETS - _IDS_FROM)


class Exchange:
    """A request that instances send, and the answer that was recorded.

    begins:   True if a session begins with the request.
    position: index of the operation.
    """

    __slots__ = (
        "_answer",
        "_arguments",
        "_request",
        "_session_id",
        "answer",
        "begins",
        "position",
        "request",
    )

    def __init__(
        self, request: bytes, answer: bytes, session_id: bytes, position: int, *, begins: bool
    ) -> None:
        self.begins = begins
        self.position = position
        self._request = request
        self._answer = answer
        self._session_id = session_id
        self._arguments: list[Slot] = []
        self.finish()

    def place(self, which: int, value: bytes) -> None:
        """Make a slot of an AVP. Errors: ValueError unless the request has the value once."""
        at = self._request.find(value, HEADER_OCTETS)
        if at < 0 or self._request.find(value, at + 1) >= 0:
            raise ValueError("nobody knows where an argument is")
        self._arguments.append(Slot(at, at + len(value), which))

    def finish(self) -> None:
        """Make the templates. Errors: ValueError."""
        self.request = _template(self._request, self._session_id, self._arguments)
        self.answer = _template(self._answer, self._session_id, ())


def _template(octets: bytes, session_id: bytes, arguments: Sequence[Slot]) -> Template:
    """Return the template of a message.

    Errors: ValueError if the Session-Id occurs elsewhere too: an operation may read it there.
    """
    slots = [Slot(_IDS_FROM, HEADER_OCTETS, _IDS), *arguments]
    fields = [LengthField(1, 4, 0, len(octets), _three_octets)]
    count = 0
    avps = read_avps(octets, HEADER_OCTETS, len(octets), []) if session_id else ()
    for code, vendor_id, _, start, stop in avps:
        if code == _SESSION_ID_AVP and not vendor_id and octets[start:stop] == session_id:
            count += 1
            padded = start + (stop - start + 3 & ~3)
            slots.append(Slot(start, stop, _SESSION_ID))
            fields.append(LengthField(start - 3, start, start - 8, stop, _three_octets))
            fields.append(LengthField(stop, padded, start - 8, stop, _padding))
    if session_id and count != octets.count(session_id):
        raise ValueError("a Session-Id where there should be none")
    return Template(octets, slots, fields)


def _three_octets(length: int) -> bytes:
    return length.to_bytes(3, "big")


def _padding(length: int) -> bytes:
    return bytes(-length % 4)


class SentRequest(NamedTuple):
    """A request of an instance: its connection, the peer, the time, its ids and Session-Id."""

    connection: PeerConnection
    remote: Capabilities
    at: float
    ids: bytes
    session_id: bytes


class RequestSource:
    """The Diameter side of a run's instances; a recording.PathSource."""

    kind = "diameter"

    def __init__(
        self, host: Host, gateway: DiameterGateway, arguments: Mapping[int, Sequence[Argument]]
    ) -> None:
        self._host = host
        self._gateway = gateway
        self._arguments = arguments

    def owns(self, session: Session[Any]) -> bool:
        """Return True if a session of an instance is its Diameter session."""
        return isinstance(session, DiameterSession)

    def replays(self, instance: Recorded, whole: Replay) -> None:
        """Add the past of the requests of an instance. Errors: ValueError."""
        sent, received = exchanged(instance, "diameter")
        started_at = instance.started_at
        requests: list[Asked] = []
        for one in sent:
            connection = self._gateway.connection_between(one.ends)
            if connection is None:
                raise ValueError("a connection that is lost")
            remote = connection.peer.remote
            requests.append(Asked(connection, remote, started_at + one.t, one.octets))
        if len({_of_requests(one.remote) for one in requests}) != 1 or 2 * len(sent) > MOST_OWNED:
            raise ValueError("several peers, or more requests than an instance hears of")
        answers = [(started_at + one.t, one.octets) for one in received]
        whole.add(RequestReplay(self._gateway, Past(requests, answers), whole))

    def paths(self, replays: Sequence[RequestReplay], whole: Replay) -> list["RequestPath"]:
        """Return the path. Errors: ValueError."""
        [replay] = replays
        noted = [position for position, _, _ in whole.noted[replay.number]]
        arguments = whole.of_visited(self._arguments)
        return [RequestPath(self._host, self._gateway, replay, noted, arguments)]


class RequestPath:
    """The Diameter path of a recording, shared by its instances; a recording.GatewayPath."""

    lingers = True

    def __init__(
        self,
        host: Host,
        gateway: DiameterGateway,
        replay: RequestReplay,
        noted: Sequence[int],
        arguments: Mapping[int, Sequence[Argument]],
    ) -> None:
        """noted: index of the operation that has sent each request. Errors: ValueError."""
        self.number = replay.number
        self.host = host
        self.gateway = gateway
        self._arguments = arguments
        self._destination_host = gateway.config.destination_host
        self._unflushed: list[PeerConnection] = []
        self.exchanges: list[Exchange] = []
        past, began = replay.past, set(replay.began)
        if not len(noted) == len(past.answers) == len(past.requests) == replay.fed:
            raise ValueError("not each request has its answer")
        if len(began) != len(replay.began) or list(noted) != sorted({*noted, *arguments}):
            raise ValueError("not each operation once, or two sessions begun by one")
        self._remote = _of_requests(past.requests[0].remote)
        session_id = b""
        for at, (asked, (_, answer)) in enumerate(zip(past.requests, past.answers, strict=True)):
            octets = asked.octets
            own = (session_id_of(octets) or "").encode()
            if at in began:
                session_id = own
            if own != session_id:
                raise ValueError("a Session-Id that was not made for the instance")
            if octets[_IDS_FROM:HEADER_OCTETS] != answer[_IDS_FROM:HEADER_OCTETS]:
                raise ValueError("an answer with other identifiers")
            made = Exchange(octets, answer, session_id, noted[at], begins=at in began)
            self.exchanges.append(made)

    # -- recording -----------------------------------------------------------------------------

    def messages(self) -> tuple[list[Exchange], list[Exchange]]:
        """Return the requests, and their answers."""
        return self.exchanges, self.exchanges

    def sources(self) -> list[tuple[SlotSource, Place]]:
        """Return the sources of AVPs with expressions, each with the function that places it."""
        by_position = {one.position: one for one in self.exchanges}
        return [
            (one.source(position, self.gateway.dictionary), by_position[position].place)
            for position, arguments in self._arguments.items()
            for one in arguments
        ]

    def finish(self) -> None:
        """Make the templates. Errors: ValueError."""
        for one in self.exchanges:
            one.finish()

    # -- replaying -----------------------------------------------------------------------------

    def is_free(self) -> bool:
        """Return True: any number of requests may be pending."""
        return True

    def join(self, instance: ReplayedInstance) -> "Requests":
        """Return the state of an instance."""
        return Requests(self, instance)

    def change(self, state: "Requests") -> None:
        """Take over a state that another recording made."""
        assert state.instance is not None
        state.path = self
        state.values = state.instance.values

    def send(self, state: "Requests", exchange: Exchange, now: float) -> bool:
        """Send a request. False: the instance has fallen back."""
        connection = self._prepare(state, exchange)
        if connection is None:
            state.fall_back(why="the request could not be sent")
            return False
        octets = exchange.request.fill(state.values, (state.session_id, _NO_IDS))
        head, tail = octets[:_IDS_FROM], octets[HEADER_OCTETS:]
        hop_by_hop_id, ids = self.gateway.repeat(connection, head, tail, state)
        state.sent.append(
            SentRequest(connection, connection.peer.remote, now, ids, state.session_id)
        )
        state.own((connection, hop_by_hop_id))
        if connection not in self._unflushed:
            self._unflushed.append(connection)
            assert state.instance is not None
            state.instance.flush(self._flush)
        return True

    def _prepare(self, state: "Requests", exchange: Exchange) -> PeerConnection | None:
        """Return the connection of the next request; None if the recorded request does not fit."""
        try:
            connection = self.gateway.connection(self._destination_host)
        except GatewayError:
            return None  # the ordinary instance reports the reason
        state.chosen = connection
        if _of_requests(connection.peer.remote) != self._remote:
            return None
        if exchange.begins:
            session_id = self.gateway.new_session_id()
            state.session_id = session_id.encode()
            state.own(session_id)
        state.chosen = None
        return connection

    def _flush(self) -> None:
        unflushed, self._unflushed = self._unflushed, []
        for connection in unflushed:
            connection.flush()

    def fits(
        self, state: "Requests", message: Exchange, values: Sequence[bytes], came: bytes
    ) -> bool:
        """Return True if `came` equals the recorded answer, octet by octet."""
        sent = state.sent[-1]
        return message.answer.fill(values, (sent.session_id, sent.ids)) == came

    def has_received(self, state: "Requests", number: int, values: Sequence[bytes]) -> bool:
        """Return True if an answer received on another recording fits this one too."""
        if number >= len(self.exchanges):
            return False
        sent, (_, answer) = state.sent[number], state.received[number]
        message = self.exchanges[number].answer
        return message.fill(values, (sent.session_id, sent.ids)) == answer

    def pause(self, state: "Requests") -> None:
        """Do nothing: there is nothing to release."""

    def replay(self, state: "Requests", whole: Replay) -> RequestReplay:
        """Return the past of a state."""
        requests = [
            Asked(
                sent.connection,
                sent.remote,
                sent.at,
                exchange.request.fill(state.values, (sent.session_id, sent.ids)),
            )
            for exchange, sent in zip(self.exchanges, state.sent, strict=False)
        ]
        past = Past(requests, state.received, state.chosen, None, state)
        made = RequestReplay(self.gateway, past, whole)
        if not whole.is_over:
            state.replay = made
        return made

    def over(self, state: "Requests") -> None:
        """Give up the session and the requests of the instance."""
        state.forget()

    def forget(self, state: "Requests") -> None:
        """Give up the session and the requests of the instance; wait for no answer."""
        state.forget()

    def end(self) -> None:
        """Do nothing: the run is over."""


class Requests(ExchangeState):
    """The requests of one instance: it waits for their answers, and owns its session."""

    __slots__ = ("_keys", "chosen", "session_id")

    path: RequestPath
    sent: list[SentRequest]

    def __init__(self, path: RequestPath, instance: ReplayedInstance) -> None:
        super().__init__(path, instance)
        self._keys: list[Hashable] = []
        self.session_id = b""  # of the next request
        # If a request could not be sent: the connection that the ordinary instance has to use.
        self.chosen: PeerConnection | None = None

    def own(self, key: Hashable) -> None:
        """Become the owner of a Session-Id or a request: unexpected messages come to hear()."""
        self._keys.append(key)
        self.path.gateway.sessions.own(key, self)

    # -- receiving -----------------------------------------------------------------------------

    def take(self, found: bytes | str) -> None:
        """Accept a known answer; otherwise fall back. A text says why no answer can come."""
        try:
            self._take(found)
        except Exception as error:  # noqa: BLE001 - our own bug must not end the connection
            log.failure("the fast path failed", error)
            self.fall_back(partial(self._tell_pending, found), "an error of ours")

    def _take(self, found: bytes | str) -> None:
        instance, path, at = self.instance, self.path, len(self.received)
        if (
            instance is None
            or instance.pending is not None
            or isinstance(found, str)
            or not (
                path.fits(self, path.exchanges[at], self.values, found)
                or instance.branch(path.number, found)
            )
        ):
            if instance is not None:
                instance.differs(path.number, partial(self._tell_pending, found))
            return
        now = self.path.host.clock.now()
        self.received.append((now, found))
        instance.came(self.path.number, now)

    def hear(self, found: ServerRequest | StrayAnswer) -> None:
        """Fall back: no message of this kind has come in the recording."""
        self.fall_back(partial(self._tell_session, found), "something nobody had asked for")

    def _tell_pending(self, found: bytes | str) -> None:
        self.replay.waits_for.take(found)

    def _tell_session(self, found: ServerRequest | StrayAnswer) -> None:
        session = next(iter(self.replay.owned.values()))
        session.hear(found)

    def forget(self) -> None:
        """Give up the session and the requests; wait for no answer."""
        sessions = self.path.gateway.sessions
        for key in self._keys:
            sessions.disown(key, self)
        if len(self.sent) > len(self.received):
            sent = self.sent[-1]
            sent.connection.peer.forget(int.from_bytes(sent.ids[:4], "big"))


def _of_requests(remote: Capabilities) -> tuple[str, str]:
    """Return the capabilities of a peer on which the contents of requests depend."""
    return remote.origin_host, remote.origin_realm
