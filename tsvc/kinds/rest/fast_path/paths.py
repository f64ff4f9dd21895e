"""The REST requests of instances on the fast path.

The arguments of an instance determine the whole request, of any length. It is sent on a free
connection of the pool, which reports received octets; there is no parser. A response has the same
octets as the recorded response, except for values that nothing reads (answers.py). Only the
ordinary instance interprets a response and decides whether it is right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tsvc.kinds.rest.calls import RestCalls
from tsvc.kinds.rest.fast_path.answers import KnownAnswer, LookedAt
from tsvc.kinds.rest.fast_path.replay import Asked, Past, RequestReplay
from tsvc.kinds.rest.gateway import RestGateway
from tsvc.operations.context import Session
from tsvc.operations.eligibility import Argument
from tsvc.operations.fast_path.contract import Host, Recorded
from tsvc.operations.fast_path.frame import ReplayedInstance
from tsvc.operations.fast_path.recording import Place
from tsvc.operations.fast_path.replay import Replay
from tsvc.operations.fast_path.request_response import ExchangeState, exchanged
from tsvc.operations.fast_path.slots import SlotSource
from tsvc.operations.fast_path.waits import act_all
from tsvc.results.records import Ends
from tsvc.transport.http.client import Came, HttpConnection


@dataclass(slots=True)
class Exchange:
    """A request that instances send, and the response that was recorded.

    octets:   the recorded request.
    which:    index of the value that other instances send; -1: all send the same request.
    taken_by: index of the operation that takes the response.
    """

    gateway: RestGateway
    octets: bytes
    answer: KnownAnswer
    taken_by: int
    which: int = -1

    def request(self, values: Sequence[bytes]) -> bytes:
        """Return the request of an instance."""
        return self.octets if self.which < 0 else values[self.which]

    def place(self, which: int, value: bytes) -> None:
        """Make the request a slot. Errors: ValueError if another request was sent, or the request
        is made of several values."""
        if value != self.octets or self.which >= 0:
            raise ValueError("a request that is another when it is made again")
        self.which = which


class SentRequest(NamedTuple):
    """The time at which a request of an instance was sent, and the ends of its connection."""

    at: float
    ends: Ends | None


class RequestSource:
    """The REST side of a run's instances; a recording.PathSource.

    looked_at: the values of responses that tests read.
    """

    kind = "rest"

    def __init__(
        self, host: Host, arguments: Mapping[int, Sequence[Argument]], looked_at: LookedAt
    ) -> None:
        self._host = host
        self._arguments = arguments
        self._looked_at = looked_at

    def owns(self, session: Session[Any]) -> bool:
        """Return True if a session of an instance holds its requests."""
        return isinstance(session, RestCalls)

    def replays(self, instance: Recorded, whole: Replay) -> None:
        """Add the past of the requests of an instance. Errors: ValueError."""
        sent, received = exchanged(instance, "rest")
        at = instance.started_at
        asked = [Asked(at + one.t, one.octets, one.ends, is_shown=True) for one in sent]
        answers = [(at + one.t, one.octets) for one in received]
        whole.add(RequestReplay(Past(asked, answers), whole))

    def paths(self, replays: Sequence[RequestReplay], whole: Replay) -> list["RequestPath"]:
        """Return the path. Errors: ValueError."""
        [replay] = replays
        noted = [position for position, _, _ in whole.noted[replay.number]]
        arguments = whole.of_visited(self._arguments)
        return [RequestPath(self._host, replay, noted, arguments, self._looked_at)]


class RequestPath:
    """The REST path of a recording, shared by its instances; a recording.GatewayPath."""

    lingers = False

    def __init__(
        self,
        host: Host,
        replay: RequestReplay,
        noted: Sequence[int],
        arguments: Mapping[int, Sequence[Argument]],
        looked_at: LookedAt,
    ) -> None:
        """noted: index of the operation that has taken each response. Errors: ValueError."""
        self.number = replay.number
        self.host = host
        self._arguments = arguments
        if not len(noted) == len(replay.sent) == len(replay.past.answers):
            raise ValueError("not each request has its response")
        self.exchanges = [
            Exchange(
                sent.gateway,
                sent.octets,
                KnownAnswer(octets, sent.request.method, looked_at),
                taken_by,
            )
            for sent, (_, octets), taken_by in zip(
                replay.sent, replay.past.answers, noted, strict=True
            )
        ]

    # -- recording -----------------------------------------------------------------------------

    def messages(self) -> tuple[list[Exchange], list[Exchange]]:
        """Return the requests, and their responses."""
        return self.exchanges, self.exchanges

    def sources(self) -> list[tuple[SlotSource, Place]]:
        """Return the sources of requests with expressions. Errors: ValueError."""
        found: list[tuple[SlotSource, Place]] = []
        for position, arguments in self._arguments.items():
            # An operation that sends gets its response before another operation sends.
            own = next((one for one in self.exchanges if one.taken_by >= position), None)
            if own is None:
                raise ValueError("nobody knows which request is made of what")
            is_plain = b"%" not in own.octets.partition(b" HTTP/")[0]
            for one in arguments:
                source = one.source(position, own.gateway)._replace(is_plain=is_plain)
                found.append((source, own.place))
        return found

    def finish(self) -> None:
        """Do nothing: requests have no templates."""

    # -- replaying -----------------------------------------------------------------------------

    def is_free(self) -> bool:
        """Return True if a connection is free: only ordinary instances wait for a connection."""
        return self.exchanges[0].gateway.client.pool.has_free

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
        request = exchange.request(state.values)
        connection = exchange.gateway.client.begin(request, state.hear)
        if connection is None:
            state.fall_back(why="no connection was free")
            return False
        state.connection = connection
        state.sent.append(SentRequest(now, connection.ends))
        if not connection.hears:
            state.fall_back(why="the request was not sent in one go")
            return False
        return True

    def fits(
        self, state: "Requests", message: Exchange, values: Sequence[bytes], came: bytes
    ) -> bool:
        """Return True if `came` equals the recorded response."""
        return message.answer.is_same(came)

    def has_received(self, state: "Requests", number: int, values: Sequence[bytes]) -> bool:
        """Return True if a response received on another recording fits this one too."""
        exchanges = self.exchanges
        return number < len(exchanges) and exchanges[number].answer.is_same(
            state.received[number][1]
        )

    def pause(self, state: "Requests") -> None:
        """Do nothing: there is nothing to release."""

    def replay(self, state: "Requests", whole: Replay) -> RequestReplay:
        """Return the past of a state; hand over the pending request if the instance continues."""
        requests = [
            Asked(sent.at, exchange.request(state.values), sent.ends)
            for exchange, sent in zip(self.exchanges, state.sent, strict=False)
        ]
        made = RequestReplay(Past(requests, state.received, state.connection), whole)
        if not whole.is_over:
            state.replay = made
            if state.connection is not None:
                state.connection.hand_over(made.leave)
        return made

    def over(self, state: "Requests") -> None:
        """Do nothing: there is nothing to release."""

    def forget(self, state: "Requests") -> None:
        """Give up the pending request."""
        connection = None if state.replay is None else state.replay.take_connection()
        if connection is not None:
            self.exchanges[len(state.received)].gateway.client.give_up(connection)

    def end(self) -> None:
        """Do nothing: the run is over."""


class Requests(ExchangeState):
    """The requests of one instance."""

    __slots__ = ("came", "connection")

    path: RequestPath
    sent: list[SentRequest]

    def __init__(self, path: RequestPath, instance: ReplayedInstance) -> None:
        super().__init__(path, instance)
        self.connection: HttpConnection | None = None  # of the pending request
        self.came: Came = []  # received on this connection

    def hear(self, came: Came) -> None:
        """Handle the octets that have come."""
        self.came = came
        act_all((self,), Requests.take, self.path.host.clock.now())

    def take(self, now: float) -> None:
        """Accept a known response; otherwise fall back, unless the rest of it is still to come."""
        instance, at = self.instance, len(self.received)
        assert instance is not None
        octets = _joined(self.came)
        exchange = self.path.exchanges[at]
        if octets is None:
            self.fall_back(why="the connection ended")
            return
        if not self.path.fits(self, exchange, self.values, octets) and not instance.branch(
            self.path.number, octets
        ):
            if not self._is_begun(octets):
                instance.differs(self.path.number)
            return
        connection, self.connection = self.connection, None
        assert connection is not None
        self.path.exchanges[at].gateway.client.finish(connection)
        self.received.append((now, octets))
        instance.came(self.path.number, now)

    def _is_begun(self, octets: bytes) -> bool:
        """Return True if octets may be the beginning of a known response."""
        assert self.instance is not None
        known = self.instance.known(self.path.number)
        return any(one.answer.is_begun(octets) for one in known)


def _joined(came: Came) -> bytes | None:
    """Return the octets that have come; None if the connection has ended, or failed."""
    parts = [one for one in came if one and isinstance(one, bytes)]
    if len(parts) != len(came):
        return None
    return parts[0] if len(parts) == 1 else b"".join(parts)
