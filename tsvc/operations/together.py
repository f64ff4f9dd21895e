"""The usual way of instances that meet several: gateways, or dialogues of one.

A *leg* is what the instances of a run have with one gateway, or in one dialogue: a kind's track
(kinds/*/…/leg.py), which knows what messages are and how they are sent and come. Here is what all
legs have in common: in which order they have their turns (*strides*), the passage of one instance
with its *part* of each leg, and the play of them all, which brings everything as it came then.

What comes for a leg that has no turn is held, as an inbox would hold it, if it is the next that
the leg awaits and all has gone that the leg sends before it; what it means to its dialogue is then
the same, whatever others have said meanwhile. All else makes the ordinary instance. Nothing here
switches.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from tsvc.clock import Clock
from tsvc.errors import LocalProtocolError
from tsvc.operations.context import Session
from tsvc.operations.following import (
    CANT_BE_MADE,
    Arguments,
    Leaver,
    Lingering,
    PartPlay,
    PlayedPast,
)
from tsvc.operations.sayings import ArgumentMaker, Sayings, heard
from tsvc.operations.usual import Host, Played, Then

Noted = list[tuple[int, str, int]]
"""Waits that operations have noted: index, whose wait, after so many messages of the leg."""

# An instance's variables may be seen by all arguments: those of a kind by themselves.
Own = Callable[[int, float], Sequence[bytes]]

P = TypeVar("P", bound="Part")


class Part(Protocol):
    """What one instance has of a leg. `thens`: as of a usual.Passage."""

    thens: list[Then] | None
    whole: "JointPassage | None"  # None: it is over, or an ordinary instance has it
    play: Any  # what was made of it, which is told what has come since; None: nothing comes more

    def carriers_spoke(self) -> bool:
        """As of a usual.Passage."""


class Leg(Protocol[P]):
    """What all instances of a run have of one leg; `P`: what each of them has of it."""

    number: int
    lingers: bool  # an instance looks at its end whether something else has come
    counts_sends: bool  # its steps are messages of both ways; else what comes
    # Whole requests are made for each instance, so that arguments in them may be of any length;
    # else they are put in the place of others, in messages whose lengths stay what they are.
    has_free_lengths: bool
    own: Own | None  # makes all arguments of an instance by themselves, if it can

    @property
    def steps_count(self) -> int:
        """How many steps it has."""

    def bound(self, position: int, maker: ArgumentMaker) -> ArgumentMaker:
        """Return what makes an argument of an operation from variables. Errors: ValueError."""

    def place(self, position: int, which: int, value: bytes, hole: tuple[int, int]) -> None:
        """Take in where the octets of an argument stand. Errors: ValueError."""

    def finish(self) -> None:
        """All arguments are placed. Errors: ValueError."""

    def is_free(self) -> bool:
        """Whether an instance can begin with it at once."""

    def join(self, whole: "JointPassage") -> P:
        """Return what an instance has of it. Errors: CANT_BE_MADE."""

    def go(self, part: P, until: int, now: float) -> bool:
        """Do what is to be done up to a step. False: something has to come, or it has left."""

    def pause(self, part: P) -> None:
        """The instance leaves: wait for nothing."""

    def play(self, part: P, whole: "JointPlay") -> PartPlay:
        """Return what was, as a part of a play."""

    def counts(self, part: P) -> tuple[int, int]:
        """Return how many messages it has sent, and how many have come."""

    def position(self, part: P) -> int:
        """Index of the operation that waits."""

    def over(self, part: P) -> None:
        """The instance has passed: let its dialogue go, and count its waits."""

    def forget(self, part: P) -> None:
        """The ordinary instance has ended before it got there: let its dialogue go."""

    def end(self) -> None:
        """The run is over."""


class Source(Protocol):
    """What a kind has to do with such tracks of one run."""

    kind: str

    def owns(self, session: Session[Any]) -> bool:
        """Whether a session of an instance is of this kind."""

    def plays(self, instance: Played, whole: "JointPlay") -> None:
        """Add what an instance did of this kind to a play, in parts. Errors: CANT_BE_MADE."""

    def legs(self, parts: Sequence[Any], whole: "JointPlay") -> Sequence[Leg[Any]]:
        """Return a leg for each part that was played. Errors: CANT_BE_MADE."""

    def leg_of(self, position: int) -> Leg[Any]:
        """Return the leg of an operation. Errors: ValueError."""


class Stride(NamedTuple):
    """A turn of a leg: up to that step of it."""

    leg: int
    until: int


class JointTrack:
    """What the instances of one run have in common; a usual.Track."""

    def __init__(
        self, host: Host, sayings: Sayings, sources: Sequence[Source], alone: Collection[int]
    ) -> None:
        """`alone`: operations that meet nobody."""
        self.is_known = False
        self.host = host
        self.legs: list[Leg[Any]] = []
        self.strides: list[Stride] = []
        self._sayings = sayings
        self._sources = sources
        self._alone = alone
        self._arguments = Arguments(host, ())
        self._lingering = Lingering(host.clock, self._finish)

    # -- learning ------------------------------------------------------------------------------

    def learn(self, instance: Played) -> None:
        """Make a track of what an instance did that has passed, if others can follow it."""
        try:
            self._learn(instance)
        except CANT_BE_MADE:
            self._end_legs()
            return
        self.is_known = True

    def _learn(self, instance: Played) -> None:
        """Errors: CANT_BE_MADE."""
        for session in instance.dialogues:
            if sum(one.owns(session) for one in self._sources) != 1:
                raise ValueError("a session of somebody else")
        started_at = instance.started_at
        play = JointPlay(self.host.clock, started_at, self.host.wall_at(started_at))
        for source in self._sources:
            before = len(play.parts)
            source.plays(instance, play)
            play.kinds += [source.kind] * (len(play.parts) - before)
        play.listen(self._sayings)
        parts = play.parts
        played = self.host.replay(play, instance.idx, instance.planned_at)
        if played is None or play.is_odd:
            raise ValueError("it is not the same when it is played again")
        self.legs = []
        for source in self._sources:
            own = [one for one, kind in zip(parts, play.kinds, strict=True) if kind == source.kind]
            self.legs += source.legs(own, play)
        self._learn_arguments(instance, heard(play.heard, self._sayings.lookups))
        for leg in self.legs:
            leg.finish()
        self.strides = self._strides(play.log)

    def _learn_arguments(self, instance: Played, came: Mapping[int, Mapping[str, Any]]) -> None:
        by_kind = {source.kind: source for source in self._sources}
        makers: list[tuple[int, Leg[Any], ArgumentMaker]] = []
        for number, maker in self._sayings.makers():
            leg = by_kind[self._sayings.kind_of(number) or ""].leg_of(number)
            makers.append((number, leg, leg.bound(number, maker)))
        others = [one for one in makers if one[1].own is None]
        if not self._place(others, instance, came):
            # Who sets variables, and who sees them: all of them in their order.
            for _, leg, _ in makers:
                leg.own = None
            self._place(makers, instance, came, is_sure=True)

    def _place(
        self,
        makers: Sequence[tuple[int, Leg[Any], ArgumentMaker]],
        instance: Played,
        came: Mapping[int, Mapping[str, Any]],
        *,
        is_sure: bool = False,
    ) -> bool:
        """Find arguments in what was sent. False: not by digits, nothing is placed then, unless it
        is_sure that these are all. Errors: CANT_BE_MADE."""
        given = [(number, maker) for number, _, maker in makers]
        free = [at for at, (_, leg, _) in enumerate(makers) if leg.has_free_lengths]
        arguments = self._arguments = Arguments(self.host, given, self._alone, free)
        arguments.heard = came
        values = arguments.learn(instance.idx, instance.started_at, None)
        if not (is_sure or arguments.are_digits):
            return False
        for which, ((number, leg, _), value) in enumerate(zip(makers, values, strict=True)):
            leg.place(number, which, value, arguments.holes[which])
        return True

    def _strides(self, log: Sequence[int]) -> list[Stride]:
        """Return the turns of legs, by the order of messages. Errors: ValueError."""
        found: list[Stride] = []
        done = [0] * len(self.legs)
        for code in log:
            number, came = divmod(code, 2)
            leg = self.legs[number]
            done[number] += 1 if leg.counts_sends else came
            if found and found[-1].leg == number:
                found.pop()
            found.append(Stride(number, done[number]))
        if done != [leg.steps_count for leg in self.legs] or not found:
            raise ValueError("something of it was not played")
        return found

    # -- following -----------------------------------------------------------------------------

    def begin(self, idx: int, planned_at: float) -> "JointPassage | None":
        """Return an instance that has not begun; None if it can't be like the others."""
        if not self.legs[self.strides[0].leg].is_free():
            return None
        made = JointPassage(self, idx, planned_at, self.host.clock.now())
        try:
            made.values = self._arguments.of(idx, made.started_at)
            made.parts = [leg.join(made) for leg in self.legs]
        except CANT_BE_MADE:
            return None  # the ordinary instance says why
        return made

    def run(self, one: "JointPassage") -> None:
        """Do what it does first."""
        self.go_on(one, one.started_at)

    def go_on(self, one: "JointPassage", now: float) -> None:
        """Do what follows."""
        strides, parts, legs = self.strides, one.parts, self.legs
        while one.stride < len(strides):
            number, until = strides[one.stride]
            if not legs[number].go(parts[number], until, now):
                return
            one.stride += 1
            now = self.host.clock.now()  # over a loopback something may have come meanwhile
        one.finished_at = now
        if any(leg.lingers for leg in legs):
            self._lingering.add(one)
        else:
            self._finish(one, now)

    def _finish(self, one: "JointPassage", _: float) -> None:
        """Nothing else has come."""
        for leg, part in zip(self.legs, one.parts, strict=True):
            leg.over(part)
        one.let_go()
        self.host.finished(one)

    def leave(self, one: "JointPassage", thens: list[Then]) -> None:
        """Have the ordinary instance made of one."""
        for leg, part in zip(self.legs, one.parts, strict=True):
            part.thens = thens
            leg.pause(part)
        play = self.play(one, thens)
        self.host.deviate(one, play)
        one.play = play

    def play(self, one: "JointPassage", thens: list[Then] | None = None) -> "JointPlay":
        """Return what was of one until now."""
        counts = [leg.counts(part) for leg, part in zip(self.legs, one.parts, strict=True)]
        left = [count for each in counts for count in each]
        order: list[int] = []
        for code in one.order:  # what could not be sent after all is the last
            if left[code]:
                left[code] -= 1
                order.append(code)
        wall = self.host.wall_at(one.started_at)
        play = JointPlay(self.host.clock, one.started_at, wall, thens, order)
        play.on_left, play.on_told = one.let_go, one.lose_plays
        for leg, part in zip(self.legs, one.parts, strict=True):
            play.add(leg.play(part, play))
        return play

    def position(self, one: "JointPassage") -> int:
        """Index of the operation that waits."""
        number = self.strides[min(one.stride, len(self.strides) - 1)].leg
        return self.legs[number].position(one.parts[number])

    def forget(self, one: "JointPassage") -> None:
        """Let all go that one has."""
        for leg, part in zip(self.legs, one.parts, strict=True):
            leg.forget(part)

    def end(self) -> None:
        """The run is over."""
        self._end_legs()
        self._lingering.end()

    def _end_legs(self) -> None:
        for leg in self.legs:
            leg.end()


class JointPassage(Leaver):
    """One instance on a track; a usual.Passage.

    `order`: of what it has sent and what came, 2 n for a message that leg n sent, 2 n + 1 for one
    that came.
    """

    __slots__ = (
        "finished_at",
        "idx",
        "order",
        "parts",
        "planned_at",
        "started_at",
        "stride",
        "values",
    )

    _track: JointTrack

    def __init__(self, track: JointTrack, idx: int, planned_at: float, now: float) -> None:
        self._track = track
        self.play = None
        self.thens = None
        self.idx = idx
        self.planned_at = planned_at
        self.started_at = now
        self.finished_at = 0.0
        self.values: Sequence[bytes] = ()
        self.parts: list[Part] = []
        self.order: list[int] = []
        self.stride = 0

    def go_on(self, now: float) -> None:
        """Do what follows from what has come."""
        self._track.go_on(self, now)

    @property
    def position(self) -> int:
        """Index of the operation that waits."""
        return self._track.position(self)

    def past(self) -> "JointPlay":
        """Return what was, of one that is over."""
        return self._track.play(self)

    def forget(self) -> None:
        """Let all go that it has: the ordinary instance has ended before it got there."""
        self._track.forget(self)
        self.let_go()
        self.lose_plays()
        if self.play is not None:
            self.play.forget()

    def let_go(self) -> None:
        """Nothing comes for its parts any more. Without circles, it goes at once."""
        for part in self.parts:
            part.whole = None

    def lose_plays(self) -> None:
        """The ordinary instance has got all that has come."""
        for part in self.parts:
            part.play = None

    def carriers_spoke(self) -> bool:
        """Whether a link has kept messages of its own since it began."""
        return any(part.carriers_spoke() for part in self.parts)


class JointPlay(PlayedPast):
    """The past of several legs, in parts, and the way out of it if `thens` is a list.

    `order`: as that of a passage. None: a track is being learnt; what comes then comes when it is
    waited for, and `log` is the order in which that was.
    """

    def __init__(
        self,
        clock: Clock,
        started_at: float,
        wall: float,
        thens: list[Then] | None = None,
        order: Sequence[int] | None = None,
    ) -> None:
        super().__init__(clock, started_at, wall, thens)
        self.parts: list[PartPlay] = []
        self.log: list[int] = []
        self.noted: list[Noted] = []
        self.kinds: list[str] = []  # of the parts of one that is learnt
        self.is_odd = False
        self.current: PartPlay | None = None
        self.on_left: Callable[[], None] = _nothing
        self.on_told: Callable[[], None] = _nothing
        self._order = order
        self._told = 0

    def add(self, part: PartPlay) -> None:
        """Have one part more."""
        part.number = len(self.parts)
        self.parts.append(part)
        self.noted.append([])

    def listen(self, sayings: Sayings) -> None:
        """Keep which waits are noted; it is odd if one is of another kind than what came last."""

        def note(position: int, name: str, _: float) -> None:
            part = self.current
            if part is None or sayings.kind_of(position) != self.kinds[part.number]:
                self.is_odd = True
                return
            self.is_odd |= part.is_in_turn and self.log[-1] != 2 * part.number + 1
            self.noted[part.number].append((position, name, part.fed))

        self.note_latency = note

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""
        for part in self.parts:
            real = part.gateways(real)
        return real

    # -- for parts -----------------------------------------------------------------------------

    @property
    def is_told(self) -> bool:
        """Whether all of the past has been played."""
        return self._order is not None and self._told == len(self._order)

    def bring_for(self, part: PartPlay) -> bool:
        """Bring what came, in its order, up to something for a part. False: there is nothing."""
        self.current = part
        if self._order is None:
            if part.fed == part.came:
                return False
            self.log.append(2 * part.number + 1)
            part.bring()
            return True
        while self._told < len(self._order):
            if self._bring() is part:
                self.look()
                return True
        self.look()
        return self.is_live

    def _bring(self) -> PartPlay:
        """Bring the next message that came; return whose it is. Errors: LocalProtocolError."""
        assert self._order is not None
        number, came = divmod(self._order[self._told], 2)
        if not came:
            raise LocalProtocolError("the usual way went wrong: it had sent something")
        self._told += 1
        self.parts[number].bring()
        return self.parts[number]

    def sends(self, part: PartPlay) -> bool:
        """Return whether what a part sends was sent then; if not, all is live now."""
        if self._order is None:
            self.log.append(2 * part.number)
            return True
        while self._told < len(self._order) and self._order[self._told] % 2:
            self._bring()
        if self.is_told:
            self.look()
            return False
        if self._order[self._told] != 2 * part.number:
            raise LocalProtocolError("the usual way went wrong: another one had sent something")
        self._told += 1
        return True

    def finish(self) -> None:
        """Bring all that came, then look()."""
        while self._order is not None and self._told < len(self._order):
            self._bring()
        self.look()

    # ------------------------------------------------------------------------------------------

    def become_live(self) -> None:
        """Have the instance live. Errors: what it is to end by."""
        parts, on_told = self.parts, self.on_told
        for part in parts:
            part.adopt()
        try:
            self.go_live()
        except BaseException:
            for part in parts:
                part.give_up()
            raise
        for part in parts:
            part.settle()
        self.tell()
        for part in parts:
            part.let_go()
        on_told()

    def go_live(self) -> None:
        """End the past. Errors: what the instance is to end by."""
        for part in self.parts:
            part.is_live = True
        self.on_left()
        super().go_live()

    def forget(self) -> None:
        """Let go of whoever listens, and of the parts, which know the whole."""
        super().forget()
        for part in self.parts:
            part.forget()
        self.parts = []
        self.current = None
        self.on_left = self.on_told = _nothing


def _nothing() -> None:
    pass
