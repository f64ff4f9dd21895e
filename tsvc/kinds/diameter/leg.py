"""Diameter requests as a leg of instances that meet several: see operations/together.py.

It is a track of requests (track.py) that goes on only where it has its turn. Its steps are the
answers.
"""

from collections.abc import Sequence
from typing import Any

from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.play import Play
from tsvc.kinds.diameter.session import DiameterSession
from tsvc.kinds.diameter.track import Given, Requests, RequestTrack, learnt_from
from tsvc.operations import together
from tsvc.operations.asking import AskingLeg, AskingPart
from tsvc.operations.context import Session
from tsvc.operations.following import Arguments
from tsvc.operations.sayings import ArgumentMaker
from tsvc.operations.usual import Host, Played


class RequestSource:
    """The Diameter side of a run's instances: a together.Source."""

    kind = "diameter"

    def __init__(self, host: Host, gateway: DiameterGateway) -> None:
        self._host = host
        self._gateway = gateway
        self._leg: RequestLeg | None = None

    def owns(self, session: Session[Any]) -> bool:
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


class RequestLeg(AskingLeg, RequestTrack):
    """What all instances of a run have of Diameter; a together.Leg."""

    lingers = True
    has_free_lengths = False

    def __init__(self, host: Host, gateway: DiameterGateway) -> None:
        super().__init__(host, gateway, Arguments(host, ()))
        self._played: Play | None = None
        self._noted: list[tuple[int, str]] = []
        self._given: list[Given] = []

    def learn_from(self, play: Play, noted: together.Noted) -> None:
        """Take in what was played."""
        self.number = play.number
        self._played = play
        self._noted = [(position, name) for position, name, _ in noted]

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

    def is_free(self) -> bool:
        """Whether an instance can begin."""
        return True

    def join(self, whole: together.JointPassage) -> "RequestPart":
        """Return what an instance has of Diameter."""
        return RequestPart(self, whole)


class RequestPart(AskingPart, Requests):
    """The requests of an instance; a together.Part."""

    __slots__ = ("whole",)

    def __init__(self, leg: RequestLeg, whole: together.JointPassage) -> None:
        super().__init__(leg, whole.idx, whole.planned_at, whole.started_at)
        self.whole = whole
        self.values = whole.values
