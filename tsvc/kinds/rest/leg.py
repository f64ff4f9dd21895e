"""REST requests as a leg of instances that meet several: see operations/together.py.

It is a track of requests (track.py) that goes on only where it has its turn. Its steps are the
responses.
"""

from collections.abc import Sequence

from tsvc.kinds.rest.answers import LookedAt
from tsvc.kinds.rest.calls import RestCalls
from tsvc.kinds.rest.patches import Requests, Source
from tsvc.kinds.rest.play import Play
from tsvc.kinds.rest.track import Passage, RequestTrack, learnt_from
from tsvc.operations import together
from tsvc.operations.following import CANT_BE_MADE
from tsvc.operations.operation import Session
from tsvc.operations.sayings import ArgumentMaker
from tsvc.operations.usual import Host, Played, Then


class RequestSource:
    """The REST side of a run's instances: a together.Source."""

    kind = "rest"

    def __init__(
        self, host: Host, makers: Sequence[tuple[int, ArgumentMaker]], looked_at: LookedAt
    ) -> None:
        """`makers`: of requests. `looked_at`: by tests, of responses."""
        self._host = host
        self._makers = makers
        self._looked_at = looked_at
        self._leg: RequestLeg | None = None
        self._learnt: tuple[int, float] = 0, 0.0

    def owns(self, session: Session) -> bool:
        """Whether a session of an instance holds its requests."""
        return isinstance(session, RestCalls)

    def plays(self, instance: Played, whole: together.JointPlay) -> None:
        """Add the requests of an instance. Errors: ValueError."""
        self._learnt = instance.idx, instance.started_at
        past = learnt_from(self._host, instance)
        whole.add(Play(past, self._host.clock, None, whole))

    def legs(self, parts: Sequence[Play], whole: together.JointPlay) -> list["RequestLeg"]:
        """Return the leg. Errors: ValueError."""
        [part] = parts
        self._leg = RequestLeg(self._host, self._makers, self._looked_at)
        self._leg.learn_from(part, whole.noted[part.number], *self._learnt)
        return [self._leg]

    def leg_of(self, position: int) -> "RequestLeg":
        """Return the leg, which has all operations."""
        assert self._leg is not None
        return self._leg


class RequestLeg(RequestTrack):
    """What all instances of a run have of REST; a together.Leg."""

    lingers = False
    counts_sends = False

    def __init__(
        self, host: Host, makers: Sequence[tuple[int, ArgumentMaker]], looked_at: LookedAt
    ) -> None:
        super().__init__(host, makers, looked_at)
        self.number = 0
        self.own: together.Own | None = None
        self._noted: list[tuple[int, str]] = []
        self._each: list[bytes | Source] = []
        self._which: dict[int, int] = {}  # requests that are made, of which value

    # -- learning ------------------------------------------------------------------------------

    def learn_from(self, play: Play, noted: together.Noted, idx: int, started_at: float) -> None:
        """Take in what was played, of an instance. Errors: ValueError."""
        self.number = play.number
        self._noted = [(position, name) for position, name, _ in noted]
        self._take(play, self._noted)
        self._each = self._made(play, self._noted, self._makers)
        requests = Requests(self.host)
        try:
            requests.learn(idx, started_at, self._each)
        except CANT_BE_MADE:
            return
        if requests.are_patches:
            self.own = requests.of

    @property
    def steps_count(self) -> int:
        """How many responses come."""
        return len(self.exchanges)

    def _number_of(self, position: int) -> int:
        """Return which request an operation sends, by who takes the responses."""
        return next(at for at, (taken, _) in enumerate(self._noted) if taken >= position)

    def bound(self, position: int, maker: ArgumentMaker) -> ArgumentMaker:
        """Return what makes a whole request."""
        source = self._each[self._number_of(position)]
        assert isinstance(source, Source)
        gateway, make = source.gateway, source.make
        return ArgumentMaker(lambda env, _: make(env, gateway), None)

    def place(self, position: int, which: int, value: bytes, hole: tuple[int, int]) -> None:
        """Take in a request that is made. Errors: ValueError if another one was sent."""
        at = self._number_of(position)
        source = self._each[at]
        if not isinstance(source, Source) or value != source.octets:
            raise ValueError("a request that is another when it is made again")
        self._which[at] = which

    def finish(self) -> None:
        """There is nothing left to do."""

    # -- following -----------------------------------------------------------------------------

    def is_free(self) -> bool:
        """Whether a connection is."""
        return self.exchanges[0].gateway.client.pool.has_free

    def join(self, whole: together.JointPassage) -> "RequestPart":
        """Return what an instance has of REST. Errors: CANT_BE_MADE."""
        part = RequestPart(self, whole)
        if self.own is not None:
            part.requests = self.own(whole.idx, whole.started_at)
        else:
            part.requests = [
                one if isinstance(one, bytes) else whole.values[self._which[at]]
                for at, one in enumerate(self._each)
            ]
        return part

    def go(self, part: "RequestPart", until: int, now: float) -> bool:
        """Send the next request, unless all have their responses up to a step."""
        if len(part.answers) == until:
            return True
        assert part.whole is not None
        part.whole.order.append(2 * self.number)
        super()._go_on(part, now)
        return False

    def _go_on(self, one: Passage, now: float) -> None:
        """The response has come."""
        assert isinstance(one, RequestPart)
        if one.whole is not None:
            one.whole.order.append(2 * self.number + 1)
            one.whole.go_on(now)

    def pause(self, part: "RequestPart") -> None:
        """Wait for nothing."""
        if part.connection is not None:
            self.exchanges[len(part.answers)].waits.until.pop(part, None)

    def play(self, part: "RequestPart", whole: together.JointPlay) -> Play:
        """Return what was, as a part of a play; what waits is handed over, if that goes on."""
        made = Play(self.past_of(part), self.host.clock, None, whole)
        if not whole.is_over:
            part.played(made)
            if part.connection is not None:
                part.connection.hand_over(made.leave)
        return made

    def counts(self, part: "RequestPart") -> tuple[int, int]:
        """Return how many requests have gone, and how many responses have come."""
        return len(part.sent), len(part.answers)

    def position(self, part: "RequestPart") -> int:
        """Index of the operation that waits."""
        return part.position

    def over(self, part: "RequestPart") -> None:
        """Count the waits."""
        self._note(part)

    def forget(self, part: "RequestPart") -> None:
        """Give the request up that waits."""
        part.forget()


class RequestPart(Passage):
    """The requests of an instance; a together.Part."""

    __slots__ = ("whole",)

    _track: RequestLeg

    def __init__(self, leg: RequestLeg, whole: together.JointPassage) -> None:
        super().__init__(leg, whole.idx, whole.planned_at, whole.started_at)
        self.whole: together.JointPassage | None = whole

    def leave(self, then: Then | None = None) -> None:
        """Have the ordinary instance made, which goes on from here."""
        if self.whole is not None:
            self.whole.leave(then)

    def played(self, play: Play) -> None:
        """Have what waits given up in a play that ends before."""
        self._play = play

    def lose_play(self) -> None:
        """Nothing comes any more that is to be told to what is made of its play."""
        self._play = None
