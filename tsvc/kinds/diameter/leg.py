"""Diameter requests as a leg of instances that meet several: see operations/together.py.

It is a track of requests (track.py) that goes on only where it has its turn. Its steps are the
answers.
"""

from collections.abc import Sequence

from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.play import Play
from tsvc.kinds.diameter.session import DiameterSession
from tsvc.kinds.diameter.track import Given, Requests, RequestTrack, learnt_from
from tsvc.operations import together
from tsvc.operations.following import Arguments
from tsvc.operations.operation import Session
from tsvc.operations.sayings import ArgumentMaker
from tsvc.operations.usual import Host, Played, Then


class RequestSource:
    """The Diameter side of a run's instances: a together.Source."""

    kind = "diameter"

    def __init__(self, host: Host, gateway: DiameterGateway) -> None:
        self._host = host
        self._gateway = gateway
        self._leg: RequestLeg | None = None

    def owns(self, session: Session) -> bool:
        """Whether a session of an instance is the Diameter one."""
        return isinstance(session, DiameterSession)

    def plays(self, instance: Played, whole: together.JointPlay) -> None:
        """Add the requests of an instance. Errors: ValueError."""
        past = learnt_from(self._host, self._gateway, instance)
        whole.add(Play(self._gateway, past, self._host.clock, None, whole))

    def legs(self, parts: Sequence[Play], whole: together.JointPlay) -> list["RequestLeg"]:
        """Return the leg."""
        [part] = parts
        self._leg = RequestLeg(self._host, self._gateway)
        self._leg.learn_from(part, whole.noted[part.number])
        return [self._leg]

    def leg_of(self, position: int) -> "RequestLeg":
        """Return the leg, which has all operations."""
        assert self._leg is not None
        return self._leg


class RequestLeg(RequestTrack):
    """What all instances of a run have of Diameter; a together.Leg."""

    lingers = True
    counts_sends = False

    def __init__(self, host: Host, gateway: DiameterGateway) -> None:
        super().__init__(host, gateway, Arguments(host, ()))
        self.number = 0
        self.own: together.Own | None = None
        self._played: Play | None = None
        self._noted: list[tuple[int, str]] = []
        self._given: list[Given] = []

    # -- learning ------------------------------------------------------------------------------

    def learn_from(self, play: Play, noted: together.Noted) -> None:
        """Take in what was played."""
        self.number = play.number
        self._played = play
        self._noted = [(position, name) for position, name, _ in noted]

    @property
    def steps_count(self) -> int:
        """How many answers come."""
        return len(self.exchanges)

    def bound(self, position: int, maker: ArgumentMaker) -> ArgumentMaker:
        """Return what makes an argument, by the dictionary of the gateway."""
        dictionary, make = self.gateway.dictionary, maker.make
        return ArgumentMaker(lambda env, _: make(env, dictionary), maker.variable)

    def place(self, position: int, which: int, value: bytes, hole: tuple[int, int]) -> None:
        """Take in an argument."""
        self._given.append(Given(position, which, value, *hole))

    def finish(self) -> None:
        """Take requests and answers apart. Errors: ValueError."""
        played, self._played = self._played, None
        assert played is not None
        self._take(played, self._noted, self._given)

    # -- following -----------------------------------------------------------------------------

    def is_free(self) -> bool:
        """Whether an instance can begin."""
        return True

    def join(self, whole: together.JointPassage) -> "RequestPart":
        """Return what an instance has of Diameter."""
        return RequestPart(self, whole)

    def go(self, part: "RequestPart", until: int, now: float) -> bool:
        """Send the next request, unless all have their answers up to a step."""
        if len(part.answers) == until:
            return True
        assert part.whole is not None
        part.whole.order.append(2 * self.number)
        super()._go_on(part, now)
        return False

    def _go_on(self, one: Requests, now: float) -> None:
        """The answer has come."""
        assert isinstance(one, RequestPart)
        one.is_due = False
        if one.whole is not None:
            one.whole.go_on(now)

    def pause(self, part: "RequestPart") -> None:
        """Wait for nothing."""
        if len(part.sent) > len(part.answers):
            self.exchanges[len(part.answers)].waits.until.pop(part, None)

    def play(self, part: "RequestPart", whole: together.JointPlay) -> Play:
        """Return what was, as a part of a play."""
        made = Play(self.gateway, self.past_of(part), self.host.clock, None, whole)
        if not whole.is_over:
            part.played(made)
        return made

    def counts(self, part: "RequestPart") -> tuple[int, int]:
        """Return how many requests have gone, and how many answers have come."""
        return len(part.sent), len(part.answers)

    def position(self, part: "RequestPart") -> int:
        """Index of the operation that waits."""
        return part.position

    def over(self, part: "RequestPart") -> None:
        """Own nothing any more, and count the waits."""
        part.forget()
        self._note(part)

    def forget(self, part: "RequestPart") -> None:
        """Own nothing any more."""
        part.forget()


class RequestPart(Requests):
    """The requests of an instance; a together.Part."""

    __slots__ = ("whole",)

    _track: RequestLeg

    def __init__(self, leg: RequestLeg, whole: together.JointPassage) -> None:
        super().__init__(leg, whole.idx, whole.planned_at, whole.started_at)
        self.whole: together.JointPassage | None = whole
        self.values = whole.values

    def take(self, found: bytes | str) -> None:
        """Go on if it is the answer that was judged; else leave."""
        before = len(self.answers)
        super().take(found)
        if len(self.answers) > before and self.whole is not None:
            self.whole.order.append(2 * self._track.number + 1)

    def leave(self, then: Then | None = None) -> None:
        """Have the ordinary instance made, which goes on from here."""
        if self.whole is not None:
            self.whole.leave(then)

    def played(self, play: Play) -> None:
        """Have what has come since told to what is made of a play."""
        self._play = play

    def lose_play(self) -> None:
        """Nothing comes any more that is to be told to what is made of its play."""
        self._play = None
