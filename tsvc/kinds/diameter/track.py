"""The usual way of Diameter requests: instances that do, octet by octet, what one before them did.

Theory and alternatives are in docs/adr/0028; what tracks of every kind have in common is in
operations/following.py. A track is learnt from the first instance that has passed: the octets of
its requests and answers. From then on an instance is some floats and references among those that
wait for answers and that own a session: no greenlet, no tree of AVPs, no decoding. `play` makes
the ordinary instance of what deviates, or is looked at afterwards.

What may differ: the identifiers of a message, the instance's own Session-Id in requests and in the
Session-Id of answers, and arguments that its variables make. What an answer means and whether it
is right is said by the ordinary instance alone. Nothing here switches.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tsvc.errors import GatewayError
from tsvc.kinds.diameter.connections import PeerConnection
from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.play import Asked, Past, Play
from tsvc.kinds.diameter.session import MOST_OWNED, DiameterSession
from tsvc.kinds.diameter.sessions import ServerRequest, StrayAnswer
from tsvc.operations.asking import Asker, AskingTrack, exchanged
from tsvc.operations.following import CANT_BE_MADE, Arguments, Lingering, Turns
from tsvc.operations.sayings import Lookup, heard
from tsvc.operations.together import JointPlay
from tsvc.operations.usual import Host, Played, Then, Waits
from tsvc.protocols.diameter.capabilities import Capabilities
from tsvc.protocols.diameter.message import HEADER_OCTETS, read_avps, session_id_of

_IDS_FROM = 12  # in the header: there the identifiers stand, to its end
_SESSION_ID = 263


@dataclass(slots=True)
class Octets:
    """A message behind its header: `pieces` in their order, and which of them are filled.

    Holes are (index in pieces, which value); value 0 is the Session-Id, then arguments follow.
    """

    pieces: list[bytes]
    holes: list[tuple[int, int]]

    @classmethod
    def of(cls, octets: bytes, holes: Sequence[tuple[int, int, int]]) -> "Octets":
        """Cut holes (from, to, which value) into a message. Errors: ValueError if they overlap."""
        pieces: list[bytes] = []
        found: list[tuple[int, int]] = []
        at = HEADER_OCTETS
        for start, stop, which in sorted(holes):
            if start < at:
                raise ValueError("holes that overlap")
            pieces += [octets[at:start], b""]
            found.append((len(pieces) - 1, which))
            at = stop
        return cls([*pieces, octets[at:]], found)

    def fill(self, session_id: bytes, arguments: Sequence[bytes]) -> bytes:
        """Return the octets of an instance."""
        pieces = self.pieces
        if not self.holes:
            return pieces[0]
        pieces = pieces.copy()
        for at, which in self.holes:
            pieces[at] = arguments[which - 1] if which else session_id
        return b"".join(pieces)


@dataclass(slots=True)
class Exchange:
    """A request that instances send, and the answer that was judged: all but the identifiers."""

    head: bytes
    tail: Octets
    begins: bool  # a session
    answer_head: bytes
    answer_tail: Octets
    waits: Waits
    noted: tuple[int, str]  # whose wait it is: index of the operation, name


class Question(NamedTuple):
    """A request of an instance: by which connection, to whom, when, its ids and Session-Id."""

    connection: PeerConnection
    remote: Capabilities
    at: float
    ids: bytes
    session_id: bytes


class Given(NamedTuple):
    """An argument of the operation at a position: `which` of all, and its octets that may differ:
    so many, from `first` on."""

    position: int
    which: int
    value: bytes
    first: int
    octets: int


class RequestTrack(AskingTrack):
    """What all instances of a run have in common; a usual.Track."""

    exchanges: list[Exchange]

    def __init__(
        self,
        host: Host,
        gateway: DiameterGateway,
        arguments: Arguments,
        lookups: Collection[Lookup] = (),
    ) -> None:
        """`arguments`: those that the instances of this track have. `lookups`: what expressions
        read of what came."""
        super().__init__(host)
        self.gateway = gateway
        self.turns = Turns(host.clock, self._go_on, self._flush)
        self._lingering = Lingering(host.clock, self._finish)
        self._arguments = arguments
        self._lookups = lookups
        self._destination_host = gateway.config.destination_host
        self._remote = ("", "")  # what requests are made of, of the peer
        self._session_id_octets = 0
        self._unflushed: list[PeerConnection] = []

    # -- learning ------------------------------------------------------------------------------

    def learn(self, instance: Played) -> None:
        """Make a track of what an instance did that has passed, if others can follow it."""
        if not all(isinstance(one, DiameterSession) for one in instance.dialogues):
            return
        try:
            past = learnt_from(self.host, self.gateway, instance)
            play = Play(self.gateway, past, self.host.clock)
            noted: list[tuple[int, str]] = []
            play.note_latency = lambda position, name, _: noted.append((position, name))
            if self.host.replay(play, instance.idx, instance.planned_at) is None:
                return
            arguments = self._arguments
            arguments.heard = heard(play.heard, self._lookups)
            values = arguments.learn(instance.idx, instance.started_at, self.gateway.dictionary)
            given = [
                Given(number, which, value, *arguments.holes[which])
                for which, (number, value) in enumerate(zip(arguments.whose, values, strict=True))
            ]
            self._take(play, noted, given)
        except CANT_BE_MADE:
            return
        self.is_known = True

    def _take(
        self, play: Play, noted: Sequence[tuple[int, str]], given: Sequence["Given"]
    ) -> None:
        """Take the messages of a play apart. Errors: ValueError."""
        past, began = play.past, set(play.began)
        positions = [position for position, _ in noted]
        if play.fed != len(past.answers) or len(noted) != len(past.answers):
            raise ValueError("not each request has its answer")
        whose = [one.position for one in given]
        if len(began) != len(play.began) or positions != sorted({*positions, *whose}):
            raise ValueError("not each operation once, or two sessions begun by one")
        self.exchanges.clear()
        session_id, octets_of_id = b"", 0
        for at, (asked, (_, answer)) in enumerate(zip(past.requests, past.answers, strict=True)):
            octets, position = asked.octets, positions[at]
            own = (session_id_of(octets) or "").encode()
            if at in began:
                session_id = own
                octets_of_id = octets_of_id or len(own)
            if own != session_id or (own and len(own) != octets_of_id):
                raise ValueError("a Session-Id that was not made for the instance")
            if octets[_IDS_FROM:HEADER_OCTETS] != answer[_IDS_FROM:HEADER_OCTETS]:
                raise ValueError("an answer with other identifiers")
            holes = _session_holes(octets, session_id)
            for one in given:
                if one.position == position:
                    start = _only(octets, one.value) + one.first
                    holes.append((start, start + one.octets, one.which + 1))
            made = Exchange(
                octets[:_IDS_FROM],
                Octets.of(octets, holes),
                at in began,
                answer[:_IDS_FROM],
                Octets.of(answer, _session_holes(answer, session_id)),
                self._patience.of(play.timeouts[at]),
                noted[at],
            )
            self.exchanges.append(made)
        self._session_id_octets = octets_of_id
        self._remote = _of_requests(past.requests[0].remote)

    # -- following -----------------------------------------------------------------------------

    def begin(self, idx: int, planned_at: float) -> "Requests | None":
        """Return an instance that has not begun; None if it can't be like the others."""
        made = Requests(self, idx, planned_at, self.host.clock.now())
        try:
            made.values = self._arguments.of(idx, made.started_at)
        except CANT_BE_MADE:
            return None  # the ordinary instance says why
        return made

    def _ask(self, one: "Requests", now: float) -> None:
        exchange = self.exchanges[len(one.answers)]
        connection = self._prepare(one, exchange)
        if connection is None:
            one.leave()
            return
        exchange.waits.add(one, now)
        tail = exchange.tail.fill(one.session_id, one.values)
        hop_by_hop_id, ids = self.gateway.repeat(connection, exchange.head, tail, one)
        one.sent.append(Question(connection, connection.peer.remote, now, ids, one.session_id))
        one.own((connection, hop_by_hop_id))
        if connection not in self._unflushed:
            self._unflushed.append(connection)
            self.turns.come()

    def _prepare(self, one: "Requests", exchange: Exchange) -> PeerConnection | None:
        """Return the connection of the next request, if it can be like that of others."""
        try:
            connection = self.gateway.connection(self._destination_host)
        except GatewayError:
            return None  # the ordinary instance says why
        one.chosen = connection
        if _of_requests(connection.peer.remote) != self._remote:
            return None
        if exchange.begins:
            one.drawn = self.gateway.new_session_id()
            session_id = one.drawn.encode()
            if len(session_id) != self._session_id_octets:
                return None
            one.session_id = session_id
            one.own(one.drawn)
            one.drawn = None
        one.chosen = None
        return connection

    def _flush(self) -> None:
        unflushed, self._unflushed = self._unflushed, []
        for connection in unflushed:
            connection.flush()

    def _go_on(self, one: "Requests", now: float) -> None:
        """Send the next request; after the last one look whether something else has come."""
        if len(one.answers) < len(self.exchanges):
            self._ask(one, now)
        else:
            self._lingering.add(one)

    def play_of(
        self, one: "Requests", thens: list[Then] | None = None, whole: JointPlay | None = None
    ) -> Play:
        """Return what was of one until now."""
        requests = [
            Asked(
                sent.connection,
                sent.remote,
                sent.at,
                exchange.head + sent.ids + exchange.tail.fill(sent.session_id, one.values),
            )
            for exchange, sent in zip(self.exchanges, one.sent, strict=False)
        ]
        wall = self.host.wall_at(one.started_at)
        past = Past(one.started_at, wall, requests, one.answers, one.chosen, one.drawn, one)
        return Play(self.gateway, past, self.host.clock, thens, whole)

    def end(self) -> None:
        """The run is over."""
        super().end()
        self.turns.end()
        self._lingering.end()


class Requests(Asker):
    """One instance on a track: a usual.Passage, who waits for its answers, and its owner."""

    __slots__ = ("_keys", "chosen", "drawn", "session_id", "values")

    sent: list[Question]

    def __init__(self, track: RequestTrack, idx: int, planned_at: float, now: float) -> None:
        super().__init__(track, idx, planned_at, now)
        self._keys: list[Hashable] = []
        self.values: Sequence[bytes] = ()
        self.session_id = b""  # of the next request
        # Of a request that could not be sent: what the ordinary instance is to send it with.
        self.chosen: PeerConnection | None = None
        self.drawn: str | None = None

    def own(self, key: Hashable) -> None:
        """Hear of what nobody expects: of a Session-Id, or a request."""
        self._keys.append(key)
        self._track.gateway.sessions.own(key, self)

    # -- what comes ----------------------------------------------------------------------------

    def take(self, found: bytes | str) -> None:
        """Go on if it is the answer that was judged, octet by octet; else leave.

        A text says why none can come any more.
        """
        track = self._track
        exchange = track.exchanges[len(self.answers)]
        if self.thens is not None or found != self._expected(exchange):
            self.leave(partial(self._tell_pending, found))
            return
        assert isinstance(found, bytes)
        del exchange.waits.until[self]
        self.answered(track.host.clock.now(), found)
        track.turns.due(self)

    def _expected(self, exchange: Exchange) -> bytes:
        sent = self.sent[-1]
        return exchange.answer_head + sent.ids + exchange.answer_tail.fill(sent.session_id, ())

    def hear(self, found: ServerRequest | StrayAnswer) -> None:
        """Leave: nothing of this kind has come before."""
        self.leave(partial(self._tell_session, found))

    def _tell_pending(self, found: bytes | str) -> None:
        self.play.waits_for.take(found)

    def _tell_session(self, found: ServerRequest | StrayAnswer) -> None:
        session = next(iter(self.play.owned.values()))
        session.hear(found)

    def forget(self) -> None:
        """Own nothing any more, and wait for nothing."""
        sessions = self._track.gateway.sessions
        for key in self._keys:
            sessions.disown(key, self)
        if len(self.sent) > len(self.answers):
            sent = self.sent[-1]
            sent.connection.peer.forget(int.from_bytes(sent.ids[:4], "big"))


def learnt_from(host: Host, gateway: DiameterGateway, instance: Played) -> Past:
    """Return what an instance did. Errors: ValueError if none can follow it."""
    sent, received = exchanged(instance, "diameter")
    started_at = instance.started_at
    requests: list[Asked] = []
    for one in sent:
        connection = gateway.connection_between(one.ends)
        if connection is None:
            raise ValueError("a connection that is lost")
        remote = connection.peer.remote
        requests.append(Asked(connection, remote, started_at + one.t, one.octets))
    remotes = {_of_requests(one.remote) for one in requests}
    if len(remotes) != 1 or 2 * len(sent) > MOST_OWNED:
        raise ValueError("several peers, or more requests than an instance hears of")
    answers = [(started_at + one.t, one.octets) for one in received]
    return Past(started_at, host.wall_at(started_at), requests, answers)


def _of_requests(remote: Capabilities) -> tuple[str, str]:
    """Return what requests are made of, of the capabilities of a peer."""
    return remote.origin_host, remote.origin_realm


def _session_holes(octets: bytes, session_id: bytes) -> list[tuple[int, int, int]]:
    """Return where the Session-Id stands: in its AVP. Errors: ValueError if it is elsewhere too.

    Elsewhere something may look at it that does not look at a Session-Id.
    """
    if not session_id:
        return []
    holes = [
        (start, stop, 0)
        for code, vendor_id, _, start, stop in read_avps(octets, HEADER_OCTETS, len(octets), [])
        if code == _SESSION_ID and not vendor_id and octets[start:stop] == session_id
    ]
    if len(holes) != octets.count(session_id):
        raise ValueError("a Session-Id where there should be none")
    return holes


def _only(octets: bytes, value: bytes) -> int:
    """Return where a value stands. Errors: ValueError if it is not there once."""
    at = octets.find(value, HEADER_OCTETS)
    if at < 0 or octets.find(value, at + 1) >= 0:
        raise ValueError("nobody knows where an argument is")
    return at
