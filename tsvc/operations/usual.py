"""What the engine and a kind of gateway agree on for instances that go the usual way.

A *passage* is an instance that does what one before it has done; a *track* is what that one did.
A kind that has tracks gives one from its RunPart; the engine hosts it. What is played again to an
ordinary instance, so that it gets where the passage is, is a *play*. docs/adr/0028 is the theory.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, Protocol

import gevent

from tsvc.clock import Clock
from tsvc.deadline import LATE_S, MOST_TIMES, READ_S
from tsvc.expr.environment import Environment
from tsvc.gateways.gateway import Gateway
from tsvc.operations.context import RunContext, Session

# What is done once an ordinary instance is live: what has come meanwhile is delivered.
Then = Callable[[], object]


class Passage(Protocol):
    """An instance on the usual way. Moments are of the clock of durations."""

    idx: int
    planned_at: float
    started_at: float
    finished_at: float
    # It has left: what is done then. None: it has not.
    thens: list[Then] | None

    @property
    def position(self) -> int:
        """Index of the operation that waits."""

    def leave(self, then: Then | None = None) -> None:
        """Have the ordinary instance made, which goes on; never switches. Once it is live, `then`
        is called."""

    def past(self) -> "Play":
        """Return what was, of one that is over."""

    def forget(self) -> None:
        """Let its dialogue go: the ordinary instance has ended before it got there."""

    def carriers_spoke(self) -> bool:
        """Whether a link has kept messages of its own since the passage began."""


class Played(Protocol):
    """What is looked at of an instance to which something was played."""

    idx: int
    planned_at: float
    started_at: float
    dialogues: list[Session[Any]]

    @property
    def messages(self) -> list[Any] | None:
        """The messages kept; None if none are."""


class Play(Protocol):
    """The past of an instance, as the outside that is played to it."""

    clock: Clock
    # Called where the past ends, before what has come since: the instance is live.
    on_live: Callable[[], None]
    # Told of each wait for a peer: index of the operation, whose wait, seconds.
    note_latency: Callable[[int, str, float], None]
    # Index of the operation that the instance performs, which sets it.
    position: Callable[[], int]
    # What operations have taken, with their indexes: set by Host.replay(), if expressions read it.
    heard: Sequence[tuple[int, Mapping[str, Any]]]
    is_live: bool

    def forget(self) -> None:
        """Let go of whoever listens."""

    def leave_past(self) -> float:
        """Have the real time; return how long ago the past was over, in seconds."""

    def gateways(self, real: Mapping[str, Gateway]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""


class Host(Protocol):
    """The run, as a track sees it."""

    clock: Clock
    context: RunContext
    keeps_messages: bool
    # Counts a message that came when its instance was over; keep nothing else.
    note_late: Callable[[], None]
    # Variables that are a sequence of digits, by index of the instance; empty if an instance has
    # others than these and constants.
    sequences: Mapping[str, Callable[[int], str]]

    def variables(self, idx: int, started_at: float) -> Environment:
        """Return what expressions of an instance see. Errors: ExpressionFailed."""

    def reckon(
        self,
        idx: int,
        started_at: float,
        alone: Container[int],
        meet: Callable[[int, Environment], None],
    ) -> None:
        """Go the way of an instance, whose operations `alone` meet nobody: perform these, and call
        meet(position, variables) for each other one. Never switches.

        Errors: ExpressionFailed, ValueError if an ordinary instance has to do it.
        """

    def wall_at(self, moment: float) -> float:
        """Return the wall time of a moment."""

    def note_latency(self, idx: int, position: int, name: str, seconds: float) -> None:
        """Count a wait for a peer of an instance."""

    def finished(self, passage: Passage) -> None:
        """A passage has come to its end: it has passed."""

    def deviate(self, passage: Passage, play: Play) -> None:
        """A passage deviates: have the ordinary instance made and go on. Never switches."""

    def replay(self, play: Play, idx: int, planned_at: float) -> Played | None:
        """Return an instance made of a past that is over; nothing of it is counted.

        None if it did not come to its end. Never switches.
        """


class Track(Protocol):
    """What the instances of one run have in common."""

    is_known: bool

    def learn(self, instance: Played) -> None:
        """Look at an instance that has passed, whose messages were kept: is_known then, if it is
        one that others can follow."""

    def begin(self, idx: int, planned_at: float) -> Passage | None:
        """Return a passage that has a dialogue but has not begun; None: this one can't be one."""

    def run(self, passage: Any) -> None:
        """Send its first message. Never switches. Over a loopback all may be over then."""

    def end(self) -> None:
        """The run is over: nothing follows any more."""


class Waits:
    """Passages that wait equally long: the first of them to begin is the first to have waited.

    The time for which this process stood still is added to all of them, and the sockets are read
    once more before any leaves, as for every wait for a peer (tsvc/deadline.py).
    """

    def __init__(self, seconds: float, clock: Clock) -> None:
        self.seconds = seconds
        self.until: dict[Passage, float] = {}
        self._clock = clock
        self._timer: Any = None
        self._delays = 0  # one after the other
        self._has_read = False  # the sockets, since the first wait has run out

    def add(self, passage: Passage, now: float) -> None:
        """Have a passage leave its track, unless it is taken out before."""
        self.until[passage] = now + self.seconds
        if self._timer is None:
            self._start(self.seconds)

    def _start(self, seconds: float) -> None:
        self._timer = gevent.get_hub().loop.timer(max(seconds, 0.0))
        self._timer.start(self._look)

    def _look(self) -> None:
        self.end()
        now = self._clock.now()
        if self.until and self._goes_on(now):
            return
        self._delays, self._has_read = 0, False
        while self.until:
            passage, until = next(iter(self.until.items()))
            if until > now:
                self._start(until - now)
                return
            del self.until[passage]
            passage.leave()

    def _goes_on(self, now: float) -> bool:
        """Return True if the first wait has run out and goes on all the same."""
        late = now - next(iter(self.until.values()))
        if late > LATE_S and self._delays < MOST_TIMES:
            self._delays += 1
            left = min(late, self.seconds)
            for passage in self.until:
                self.until[passage] += left
        elif late >= 0 and not self._has_read:
            self._has_read = True
            left = READ_S
        else:
            return False
        self._start(left)
        return True

    def end(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer.close()
            self._timer = None
