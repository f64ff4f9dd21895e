"""The usual way of REST requests: instances that do, octet by octet, what one before them did.

Theory and alternatives are in docs/adr/0028; what tracks of every kind have in common is in
operations/following.py. A track is learnt from the first instance that has passed: its requests
(patches.py) and the responses (answers.py). From then on an instance is some floats and
references, told of what comes by a connection: no greenlet, no rendering, no parser. `play` makes
the ordinary instance of what deviates, or is looked at afterwards.

What may differ: digits in requests, or all of a request that can be made beforehand; of a response
what nothing looks at. What a response means and whether it is right is said by the ordinary
instance alone. Nothing here switches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tsvc.kinds.rest.answers import KnownAnswer, LookedAt
from tsvc.kinds.rest.calls import RestCalls
from tsvc.kinds.rest.gateway import RestGateway
from tsvc.kinds.rest.patches import RequestOctets, Requests, Source
from tsvc.kinds.rest.play import Asked, Past, Play
from tsvc.operations.asking import Asker, AskingTrack, exchanged
from tsvc.operations.following import CANT_BE_MADE, act
from tsvc.operations.sayings import ArgumentMaker
from tsvc.operations.together import JointPlay
from tsvc.operations.usual import Host, Played, Then, Waits
from tsvc.results.records import Ends
from tsvc.transport.http.client import Came, HttpConnection


@dataclass(slots=True)
class Exchange:
    """A request that instances send, and the response that was judged.

    `noted`: whose wait it is: index of the operation, name.
    """

    gateway: RestGateway
    answer: KnownAnswer
    waits: Waits
    noted: tuple[int, str]


class Question(NamedTuple):
    """When a request of an instance was sent, and by which connection."""

    at: float
    ends: Ends | None


class RequestTrack(AskingTrack):
    """What all instances of a run have in common; a usual.Track."""

    exchanges: list[Exchange]

    def __init__(
        self, host: Host, makers: Sequence[tuple[int, ArgumentMaker]], looked_at: LookedAt
    ) -> None:
        """`makers`: of requests. `looked_at`: by tests, of responses."""
        super().__init__(host)
        self._looked_at = looked_at
        self._makers = makers
        self._requests = Requests(host)

    # -- learning ------------------------------------------------------------------------------

    def learn(self, instance: Played) -> None:
        """Make a track of what an instance did that has passed, if others can follow it."""
        if not all(isinstance(one, RestCalls) for one in instance.dialogues):
            return
        try:
            play = Play(learnt_from(self.host, instance), self.host.clock)
            noted: list[tuple[int, str]] = []
            in_turn = True

            def note(position: int, name: str, _: float) -> None:
                nonlocal in_turn
                noted.append((position, name))
                in_turn &= len(noted) == len(play.sent)  # else several were on their way

            play.note_latency = note
            played = self.host.replay(play, instance.idx, instance.planned_at)
            if played is None or not in_turn:
                return
            self._take(play, noted)
            requests = self._made(play, noted, self._makers)
            self._requests.learn(instance.idx, instance.started_at, requests)
        except CANT_BE_MADE:
            return
        self.is_known = True

    def _take(self, play: Play, noted: Sequence[tuple[int, str]]) -> None:
        """Take the messages of a play apart. Errors: ValueError."""
        if not len(noted) == len(play.sent) == len(play.past.answers):
            raise ValueError("not each request has its response")
        self.exchanges.clear()
        for sent, (_, octets), whose in zip(play.sent, play.past.answers, noted, strict=True):
            answer = KnownAnswer(octets, sent.request.method, self._looked_at)
            waits = self._patience.of(sent.gateway.config.server_timeout_s)
            self.exchanges.append(Exchange(sent.gateway, answer, waits, whose))

    @staticmethod
    def _made(
        play: Play,
        noted: Sequence[tuple[int, str]],
        makers: Sequence[tuple[int, ArgumentMaker]],
    ) -> list[bytes | Source]:
        """Return the requests, and how those with expressions are made. Errors: ValueError."""
        made: list[bytes | Source] = [one.octets for one in play.sent]
        for number, maker in makers:
            # An operation that sends has its response before another one sends.
            at = next((at for at, (position, _) in enumerate(noted) if position >= number), -1)
            sent, make = play.sent[at], maker.make
            if at < 0 or not isinstance(make, RequestOctets) or isinstance(made[at], Source):
                raise ValueError("nobody knows which request is made of what")
            made[at] = Source(make, sent.gateway, sent.octets)
        return made

    # -- following -----------------------------------------------------------------------------

    def begin(self, idx: int, planned_at: float) -> "Passage | None":
        """Return an instance that has not begun; None if it can't be like the others."""
        if not self.exchanges[0].gateway.client.pool.has_free:
            return None  # it has to wait for a connection
        made = Passage(self, idx, planned_at, self.host.clock.now())
        try:
            made.requests = self._requests.of(idx, made.started_at)
        except CANT_BE_MADE:
            return None  # the ordinary instance says why
        return made

    def _ask(self, one: "Passage", now: float) -> None:
        at = len(one.answers)
        exchange = self.exchanges[at]
        connection = exchange.gateway.client.begin(one.requests[at], one.hear)
        if connection is None:
            one.leave()
            return
        one.connection = connection
        one.sent.append(Question(now, connection.ends))
        exchange.waits.add(one, now)
        if not connection.hears:
            one.leave()

    def heard(self, one: "Passage", now: float) -> None:
        """Go on if what has come is the response that was judged; leave if it can't be."""
        came, at = one.came, len(one.answers)
        exchange = self.exchanges[at]
        octets = _joined(came)
        if octets is None or not exchange.answer.is_same(octets):
            if octets is None or not exchange.answer.is_begun(octets):
                one.leave()
            return
        connection = one.connection
        assert connection is not None
        del exchange.waits.until[one]
        one.connection = None
        exchange.gateway.client.finish(connection)
        one.answered(now, octets)
        self._go_on(one, now)

    def play_of(
        self, one: "Passage", thens: list[Then] | None = None, whole: JointPlay | None = None
    ) -> Play:
        """Return what was of one until now; what waits is handed over, if that goes on."""
        requests = [
            Asked(at, octets, ends)
            for (at, ends), octets in zip(one.sent, one.requests, strict=False)
        ]
        wall = self.host.wall_at(one.started_at)
        past = Past(one.started_at, wall, requests, one.answers, one.connection)
        play = Play(past, self.host.clock, thens, whole)
        if one.connection is not None and not play.is_over:
            one.connection.hand_over(play.leave)
        return play


class Passage(Asker):
    """One instance on a track: a usual.Passage."""

    __slots__ = ("came", "connection", "requests")

    sent: list[Question]

    def __init__(self, track: RequestTrack, idx: int, planned_at: float, now: float) -> None:
        super().__init__(track, idx, planned_at, now)
        self.requests: Sequence[bytes] = ()
        self.connection: HttpConnection | None = None  # of the request that waits
        self.came: Came = []  # by that

    def hear(self, came: Came) -> None:
        """Something has come."""
        track = self._track
        self.came = came
        act((self,), track.heard, track.host.clock.now())

    def forget(self) -> None:
        """Give the request up that waits."""
        connection = None if self.play is None else self.play.take_connection()
        if connection is not None:
            gateway = self._track.exchanges[len(self.answers)].gateway
            gateway.client.give_up(connection)


def learnt_from(host: Host, instance: Played) -> Past:
    """Return what an instance did. Errors: ValueError if none can follow it."""
    sent, received = exchanged(instance, "rest")
    started_at = instance.started_at
    asked = [Asked(started_at + one.t, one.octets, one.ends, is_shown=True) for one in sent]
    answers = [(started_at + one.t, one.octets) for one in received]
    return Past(started_at, host.wall_at(started_at), asked, answers)


def _joined(came: Came) -> bytes | None:
    """Return the octets that have come; None if the connection has ended, or failed."""
    parts = [one for one in came if one and isinstance(one, bytes)]
    if len(parts) != len(came):
        return None
    return parts[0] if len(parts) == 1 else b"".join(parts)
