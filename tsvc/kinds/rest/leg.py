"""REST requests as a leg of instances that meet several: see operations/together.py.

It is a track of requests (track.py) that goes on only where it has its turn. Its steps are the
responses.
"""

from collections.abc import Sequence
from typing import Any

from tsvc.kinds.rest.answers import LookedAt
from tsvc.kinds.rest.calls import RestCalls
from tsvc.kinds.rest.patches import Requests, Source
from tsvc.kinds.rest.play import Play
from tsvc.kinds.rest.track import Passage, RequestTrack, learnt_from
from tsvc.operations import together
from tsvc.operations.asking import AskingLeg, AskingPart
from tsvc.operations.context import Session
from tsvc.operations.following import CANT_BE_MADE
from tsvc.operations.sayings import ArgumentMaker
from tsvc.operations.usual import Host, Played


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

    def owns(self, session: Session[Any]) -> bool:
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


class RequestLeg(AskingLeg, RequestTrack):
    """What all instances of a run have of REST; a together.Leg."""

    lingers = False
    has_free_lengths = True

    def __init__(
        self, host: Host, makers: Sequence[tuple[int, ArgumentMaker]], looked_at: LookedAt
    ) -> None:
        super().__init__(host, makers, looked_at)
        self._noted: list[tuple[int, str]] = []
        self._each: list[bytes | Source] = []
        self._which: dict[int, int] = {}  # requests that are made, of which value

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


class RequestPart(AskingPart, Passage):
    """The requests of an instance; a together.Part."""

    __slots__ = ("whole",)

    def __init__(self, leg: RequestLeg, whole: together.JointPassage) -> None:
        super().__init__(leg, whole.idx, whole.planned_at, whole.started_at)
        self.whole = whole
