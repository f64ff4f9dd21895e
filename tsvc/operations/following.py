"""What the tracks of every kind have in common: arguments, turns, and a past that is played.

A kind adds what its messages are and how they are sent and come (kinds/sigtran/track, kinds/
diameter/track). Nothing here switches.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import gevent

from tsvc.clock import Clock
from tsvc.errors import ExpressionError, LocalProtocolError
from tsvc.expr.environment import Environment
from tsvc.log import get_logger
from tsvc.operations import digits
from tsvc.operations.sayings import ArgumentMaker
from tsvc.operations.usual import Host, Passage, Then, Waits

log = get_logger("track")

CANT_BE_MADE = (ValueError, ExpressionError, LocalProtocolError)
_TIMER_S = 1e-6  # however short, it comes after the sockets that have something were read


def _none() -> float:
    raise ValueError("no time and no chance")


class Arguments:
    """The arguments with expressions of a track, in the order in which they are evaluated.

    `makers`: with the operation of each, which `whose` has too. `alone`: operations that meet
    nobody, which may set variables and jump. `more`: what makers are given beside the variables.
    Once one instance is known, `holes` says which octets of each are other ones in others: (from,
    how many).
    """

    def __init__(
        self,
        host: Host,
        makers: Sequence[tuple[int, ArgumentMaker]],
        alone: Collection[int] = (),
        free: Collection[int] = (),
    ) -> None:
        """`free`: which of them may be of any length."""
        self._host = host
        self._makers = [maker for _, maker in makers]
        self.whose = [number for number, _ in makers]
        self._alone = alone
        self._free = free
        self._path: list[int] = []  # operations that meet somebody, as one instance came to them
        # In their stead, if all are digits that a sequence makes.
        self._digits: list[tuple[Callable[[int], str], digits.Digits]] = []
        self._lengths: list[int] = []
        self._more: Any = None
        self.holes: list[tuple[int, int]] = []
        # What came, by the operation that takes it, if an expression reads that.
        self.heard: Mapping[int, Mapping[str, Any]] = {}

    def learn(self, idx: int, started_at: float, more: Any) -> list[bytes]:
        """Return those of an instance, whole. Errors: those of CANT_BE_MADE."""
        self._more = more
        values, self._path = self._made(idx, started_at)
        if self._path != sorted(set(self._path)):
            raise ValueError("it does something again, or goes back")
        self._lengths = self._lengths_of(values)
        # Where operations set variables, none is what a sequence has made.
        makers = () if self._alone else self._makers
        found = [self._digits_of(maker, idx) for maker in makers]
        self._digits = [one for one in found if one is not None]
        if len(self._digits) == len(values):
            self.holes = [(own.first, own.octets) for _, own in self._digits]
        else:
            self._digits = []
            self.holes = [(0, len(value)) for value in values]
        return values

    @property
    def are_digits(self) -> bool:
        """Whether nothing has to be evaluated for an instance."""
        return not self._alone and len(self._digits) == len(self._makers)

    def _lengths_of(self, values: Sequence[bytes]) -> list[int]:
        lengths = list(map(len, values))
        for which in self._free:
            lengths[which] = 0
        return lengths

    def of(self, idx: int, started_at: float) -> Sequence[bytes]:
        """Return the octets of an instance for the holes.

        Errors: those of CANT_BE_MADE, so where an argument is not as long as the others.
        """
        if self._digits:
            return [each.of(sequence(idx)) for sequence, each in self._digits]
        if not self._makers and not self._alone:
            return ()
        values, path = self._made(idx, started_at)
        if path != self._path or self._lengths_of(values) != self._lengths:
            raise ValueError("another way, or an argument of another length")
        return values

    def _made(self, idx: int, started_at: float) -> tuple[list[bytes], list[int]]:
        """Return the arguments, and the operations that meet somebody if others do not."""
        values: list[bytes | None] = []
        path: list[int] = []

        def meet(position: int, env: Environment) -> None:
            path.append(position)
            for number, maker in zip(self.whose, self._makers, strict=True):
                if number == position:
                    values.append(maker.make(env, self._more))
            env.i.update(self.heard.get(position, {}))

        if self._alone or self.heard:
            self._host.reckon(idx, started_at, self._alone, meet)
        elif self._makers:
            env = self._host.variables(idx, started_at)
            values += [maker.make(env, self._more) for maker in self._makers]
        if len(values) != len(self._makers) or not all(values):
            raise ValueError("an argument that is not there")
        return [value or b"" for value in values], path

    def _digits_of(
        self, maker: ArgumentMaker, idx: int
    ) -> tuple[Callable[[int], str], digits.Digits] | None:
        sequence = self._host.sequences.get(maker.variable or "")
        if sequence is None:
            return None

        def encode(text: str) -> bytes | None:
            env = Environment({maker.variable or "": text}, {}, {}, {}, random=_none, now=_none)
            return maker.make(env, self._more)

        try:
            found = digits.find(encode, len(sequence(idx)))
        except CANT_BE_MADE:
            return None
        return None if found is None else (sequence, found)


class Patience:
    """The waits of a track, by how long they are."""

    def __init__(self, clock: Clock) -> None:
        self._waits: dict[float, Waits] = {}
        self._clock = clock

    def of(self, seconds: float) -> Waits:
        """Return the waits of so many seconds."""
        if seconds not in self._waits:
            self._waits[seconds] = Waits(seconds, self._clock)
        return self._waits[seconds]

    def end(self) -> None:
        """Look no more."""
        for waits in self._waits.values():
            waits.end()


class Turns:
    """Has passages do what follows in the next round of the loop, as instances would.

    What has come until then has come before that. `go_on(passage, now)`, then `flush()`, once a
    round.
    """

    def __init__(
        self, clock: Clock, go_on: Callable[[Any, float], None], flush: Callable[[], None]
    ) -> None:
        self._clock = clock
        self._go_on = go_on
        self._flush = flush
        self._due: list[Passage] = []
        self._comes = False

    def due(self, passage: Passage) -> None:
        """Have a passage go on."""
        self._due.append(passage)
        self.come()

    def come(self) -> None:
        """Have a round, if only to flush."""
        if not self._comes:
            self._comes = True
            gevent.get_hub().loop.run_callback(self._act)

    def end(self) -> None:
        """Flush; nothing follows any more. Without circles, what is over goes at once."""
        self._flush()
        self._go_on = self._flush = _nothing

    def _act(self) -> None:
        self._comes = False
        due, self._due = self._due, []
        act(due, self._go_on, self._clock.now())
        self._flush()


def act(passages: Sequence[Passage], do: Callable[[Any, float], None], now: float) -> None:
    """Have passages do something, unless they have left."""
    for passage in passages:
        if passage.thens is not None:
            continue
        try:
            do(passage, now)
        except Exception as error:  # noqa: BLE001 - one's bug must not reach others
            log.failure("the usual way failed", error)
            passage.leave()


class Lingering:
    """Passages that are over, and look once more at what has arrived, as instances do.

    That is after the sockets were read: then `end(passage, now)`.
    """

    def __init__(self, clock: Clock, end: Callable[[Any, float], None]) -> None:
        self._clock = clock
        self._end = end
        self._passages: list[Passage] = []

    def add(self, passage: Passage) -> None:
        """Have a passage end."""
        self._passages.append(passage)
        if len(self._passages) == 1:
            timer = gevent.get_hub().loop.timer(_TIMER_S)
            timer.start(self._are_read, timer)

    def end(self) -> None:
        """Nobody comes any more. Without circles, what is over goes at once."""
        self._end = _nothing

    def _are_read(self, timer: Any) -> None:
        timer.stop()
        timer.close()
        passages, self._passages = self._passages, []
        gevent.get_hub().loop.run_callback(
            lambda: act(passages, self._end, self._clock.now()),
        )


class Leaver:
    """A usual.Passage whose track makes the play when it leaves.

    `play`: what was made of it then, which is told what has come since; None: nothing comes more.
    """

    __slots__ = ("_track", "play", "thens")

    _track: Any
    play: Any
    thens: list[Then] | None

    def leave(self, then: Then | None = None) -> None:
        """Have the ordinary instance made, which goes on from here."""
        more = [] if then is None else [then]
        if self.thens is not None:
            self.thens += more
            return
        self.thens = more
        self._track.leave(self, more)


class PlayedPast:
    """What every usual.Play has: the clock of the past, and the end of it.

    `thens`: what is done once all is live; None: the past was over. `whole`: the play of which
    this is a part, where an instance meets several (together.py); then the engine has that one.
    """

    def __init__(
        self,
        clock: Clock,
        started_at: float,
        wall: float,
        thens: list[Then] | None,
        whole: "Whole | None" = None,
    ) -> None:
        # No circle: what a play holds goes with it.
        self._past = _Clock(clock, started_at, wall) if whole is None else whole.time
        self.clock: Clock = self._past
        self.whole = whole
        self.is_live = False
        self.on_live: Callable[[], None] = _nothing
        self.note_latency: Callable[[int, str, float], None] = _nothing
        # Index of the operation that the instance performs.
        self.position: Callable[[], int] = _at_none
        # What operations have taken, with their indexes; of one that is learnt.
        self.heard: Sequence[tuple[int, Mapping[str, Any]]] = ()
        self._real = clock
        self._thens = thens

    @property
    def at(self) -> float:
        """The moment of the past, which is set as it goes on."""
        return self._past.at

    @at.setter
    def at(self, moment: float) -> None:
        self._past.at = moment

    @property
    def time(self) -> "_Clock":
        """What parts of it have in common."""
        return self._past

    @property
    def is_over(self) -> bool:
        """Whether nothing follows the past."""
        return self._thens is None if self.whole is None else self.whole.is_over

    # -- what a kind has -----------------------------------------------------------------------

    @property
    def is_told(self) -> bool:
        """Whether all of the past has been played."""
        raise NotImplementedError

    def adopt(self) -> None:
        """Have what the instance has in the place of what the passage had."""

    def settle(self) -> None:
        """All is live; what has come since is delivered after this."""

    def let_go(self) -> None:
        """What has come since is delivered."""

    def give_up(self) -> None:
        """The instance ends where it was to be live."""

    # ------------------------------------------------------------------------------------------

    def look(self) -> None:
        """If the past ends here, have the instance live, and deliver what has come since.

        That had come when the instance got its turn: before it does anything.
        Errors: what the instance is to end by.
        """
        if self.whole is not None:
            self.whole.look()
        elif not (self.is_over or self.is_live) and self.is_told:
            self.become_live()

    def become_live(self) -> None:
        """Have the instance live. Errors: as of look()."""
        self.adopt()
        try:
            self.go_live()
        except BaseException:
            self.give_up()
            raise
        self.settle()
        self.tell()
        self.let_go()

    def finish(self) -> None:
        """The instance sends what was not sent then: the past ends here. Errors: as of look()."""
        if self.whole is not None:
            self.whole.finish()
        else:
            self.look()

    def go_live(self) -> None:
        """End the past; in thens there is what has come since. Errors: what the instance is to
        end by."""
        self.is_live = True
        on_live = self.on_live
        self.forget()
        on_live()

    def tell(self) -> None:
        """Deliver what has come since the past ended."""
        while self._thens:
            self._thens.pop(0)()

    def forget(self) -> None:
        """Let go of whoever listens."""
        self.on_live = self.note_latency = _nothing
        self.position = _at_none

    def leave_past(self, since: float | None = None) -> float:
        """Have the real time; return how long ago, in s, the past was over, or a moment of it."""
        was_over = self._past.now() if since is None else since
        self._past.is_past = False
        return self._real.now() - was_over

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""
        raise NotImplementedError


class PartPlay(Protocol):
    """The past of a part of a play: a PlayedPast with these."""

    number: int  # among the parts
    is_live: bool
    # Whether an operation waits for an answer as soon as it has asked.
    is_in_turn: bool

    @property
    def fed(self) -> int:
        """How many messages the instance has had of those that came."""

    @property
    def came(self) -> int:
        """How many came then."""

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance, with one more that is of the past."""

    def bring(self) -> None:
        """Have the next message that came."""

    def adopt(self) -> None:
        """As of PlayedPast."""

    def settle(self) -> None:
        """As of PlayedPast."""

    def let_go(self) -> None:
        """As of PlayedPast."""

    def forget(self) -> None:
        """As of PlayedPast."""

    def give_up(self) -> None:
        """As of PlayedPast."""


class Whole(Protocol):
    """A play of several parts, as these see it."""

    # The part that the instance has asked last for what came.
    current: PartPlay | None

    @property
    def time(self) -> "_Clock":
        """What parts have in common."""

    @property
    def is_over(self) -> bool:
        """Whether nothing follows the past."""

    def look(self) -> None:
        """As PlayedPast.look(), of all parts."""

    def finish(self) -> None:
        """Bring all that came, then look()."""

    def bring_for(self, part: PartPlay) -> bool:
        """Bring what came, in its order, up to something for a part. False: there is nothing,
        and there will be none. Errors: as of look()."""

    def sends(self, part: PartPlay) -> bool:
        """Return whether what a part sends was sent then; if not, all is live now.

        Errors: LocalProtocolError if something else was sent.
        """

    def position(self) -> int:
        """Index of the operation that the instance performs."""


class _Clock(Clock):
    """The time of the past, then the real one: once the instance waits or sends.

    `at` goes on; the time of day stands still in the past.
    """

    def __init__(self, real: Clock, at: float, wall: float) -> None:
        self.at = at
        self.is_past = True
        self._real = real
        self._wall = wall

    def now(self) -> float:
        return self.at if self.is_past else self._real.now()

    def wall(self) -> float:
        return self._wall if self.is_past else self._real.wall()


def _at_none() -> int:
    return -1


def _nothing(*_: object) -> None:
    pass
