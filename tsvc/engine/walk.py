"""The usual way of instances that meet nobody: no gateway, only eval, branch, wait, halt and such.

What these do depends on their definition, their index and their own variables alone. So nothing
need be learnt, and nothing is skipped: a *walk* performs the same compiled operations in the same
order with variables of its own, but in no greenlet, and in none of the books of an instance. Where
it waits it is a timer and its variables. Whatever an ordinary instance would put into its books or
do otherwise (a check that fails, an abort, an error, long work, a cancel, a halt that nobody ends)
makes the ordinary instance, which performs all of it again, with the waits that are over taking no
time, and meets the odd thing itself. docs/adr/0028 has the theory. Nothing here switches.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from random import Random
from typing import Any, Protocol

import gevent

from tsvc.clock import Clock
from tsvc.engine.give_way import SLICE_S
from tsvc.engine.instance import Instance, RunOfInstance
from tsvc.engine.limits.variable_sizes import FIRST_LOOK
from tsvc.errors import ExpressionError, LocalProtocolError
from tsvc.expr import Environment
from tsvc.log import get_logger
from tsvc.matching.outcome import Outcome
from tsvc.operations.following import PlayedPast
from tsvc.operations.operation import Execute, InstanceAborted
from tsvc.operations.usual import Passage, Play, Played, Then

log = get_logger("track")

# What works longer is an ordinary instance, which lets others run.
_MOST_STEPS = 200
_STEPS_A_LOOK = 8


class Odd(Exception):
    """Something that only an ordinary instance may do."""


class WalkHost(Protocol):
    """What is used of the run and its usual way."""

    clock: Clock
    run: Any

    def finished(self, passage: Passage) -> None:
        """Count a passage that has come to its end."""

    def deviate(self, passage: Passage, play: Play) -> None:
        """Make the ordinary instance, which gets the passage's place."""


class WalkTrack:
    """What all instances of a run have in common; a usual.Track."""

    is_known = True

    def __init__(self, host: WalkHost) -> None:
        run = host.run
        self.host = host
        self.clock = host.clock
        self.steps: Sequence[Execute] = run.executes
        self.most_steps = min(_MOST_STEPS, run.max_steps)
        self.fill: Callable[[Environment, int], None] = run.compiled.vars.fill
        self.run_id: str = run.run_id
        self.seed: int = run.seed
        self.globals: dict[str, Any] = run.globals  # which no expression sees
        self.began = 0.0  # the walk that goes on, to walk: one at a time
        self.tick = self._tick

    def learn(self, instance: Played) -> None:
        """There is nothing to learn."""

    def begin(self, idx: int, planned_at: float) -> "Walk | None":
        """Return an instance that has not begun; None if its variables can't be made quickly."""
        walk = Walk(self, idx, planned_at)
        self.began = walk.started_at
        try:
            self.fill(walk.env, idx)
        except Exception:  # noqa: BLE001 - the ordinary instance says why, or reports it
            return None
        return walk

    def run(self, walk: "Walk") -> None:
        """Have it perform its operations until it waits, or to its end."""
        walk.go_on()

    def end(self) -> None:
        """The run is over. Without circles, what is over goes at once."""
        self.tick = _nothing

    def _tick(self) -> None:
        """End a walk that takes long. Errors: Odd."""
        if self.clock.now() - self.began > SLICE_S:
            raise Odd


class Outside:
    """The chance and the time of an instance: of its start, as no operation looks at the clock."""

    __slots__ = ("_idx", "_random", "_seed", "_wall")

    def __init__(self, seed: int, idx: int, wall: float) -> None:
        self._seed = seed
        self._idx = idx
        self._wall = wall
        self._random: Random | None = None

    def __call__(self) -> float:
        if self._random is None:
            self._random = Random(f"{self._seed}:{self._idx}")
        return self._random.random()

    def now(self) -> float:
        """Return the wall time of its start."""
        return self._wall


class _Light:
    """What operations that meet nobody use of an instance: that which only goes on if all is well.

    An operations.operation.Instance for these.
    """

    __slots__ = ("env",)

    is_traced = False  # the first one is ordinary
    is_checked = True
    env: Environment

    def trace(self, level: int, text: str, detail: Callable[[], Any] | None = None) -> None:
        """Only the first instance has a trace log."""

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        """Go on after a check that has passed."""
        if not ok:
            raise Odd

    def add(self, outcome: Outcome) -> None:
        """Go on after a comparison that found no difference."""
        if not outcome.is_ok:
            raise Odd


class Reckoner(_Light):
    """Goes the way of an instance that does meet somebody, and performs what meets nobody."""

    __slots__ = ("_began", "_clock")

    def __init__(self, env: Environment, clock: Clock) -> None:
        self.env = env
        self._clock = clock
        self._began = clock.now()

    def go(
        self,
        steps: Sequence[Execute],
        most: int,
        alone: Container[int],
        meet: Callable[[int, Environment], None],
    ) -> None:
        """Perform the operations `alone`; call meet(position, variables) for each other one.

        Errors: ExpressionError, ValueError if an ordinary instance has to do it.
        """
        env = self.env
        env.tick, env.look_at = self._tick, FIRST_LOOK
        position = step = 0
        try:
            while position < len(steps):
                step += 1
                if step > min(most, _MOST_STEPS) or env.made >= FIRST_LOOK:
                    raise Odd
                if step % _STEPS_A_LOOK == 0:
                    self._tick()
                target = None
                if position in alone:
                    target = steps[position](self)  # type: ignore[arg-type]
                else:
                    meet(position, env)
                position = position + 1 if target is None else target
        except ExpressionError:
            raise
        except Exception:  # noqa: BLE001 - a failure of ours it reports as its own
            raise ValueError("the ordinary instance does it") from None
        finally:
            env.tick = None  # no circle

    def _tick(self) -> None:
        """End what takes long. Errors: Odd."""
        if self._clock.now() - self._began > SLICE_S:
            raise Odd


class Walk(_Light):
    """One instance that meets nobody: a usual.Passage."""

    __slots__ = (
        "_is_resumed",
        "_next",
        "_pause_s",
        "_timer",
        "_track",
        "comment",
        "finished_at",
        "halt_until",
        "idx",
        "planned_at",
        "position",
        "started_at",
        "step",
        "thens",
        "until",
        "wakes",
    )

    def __init__(self, track: WalkTrack, idx: int, planned_at: float) -> None:
        self._track = track
        self.idx = idx
        self.planned_at = planned_at
        self.started_at = track.clock.now()
        self.finished_at = 0.0
        self.position = 0
        self.step = 0
        self._next = 0
        # It waits: so long, until, with a timer; and is halted until, with a comment.
        self._pause_s: float | None = None
        self.until: float | None = None
        self._timer: Any = None
        self.halt_until: float | None = None
        self.comment: str | None = None
        self._is_resumed = False
        self.wakes: tuple[float, ...] = ()  # when its waits were over
        self.thens: list[Then] | None = None
        wall = track.host.run.wall_at(self.started_at)
        outside = Outside(track.seed, idx, wall)
        facts = {"run_id": track.run_id, "idx": idx, "seed": track.seed, "time": wall}
        self.env = Environment(
            {}, {}, track.globals, facts, outside, outside.now, track.tick, 0, FIRST_LOOK
        )

    # -- its way -------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Perform operations until it waits, or to its end."""
        track = self._track
        steps, most = track.steps, track.most_steps
        count = len(steps)
        position, step = self._next, self.step
        env = self.env
        track.began = self.wakes[-1] if self.wakes else self.started_at
        try:
            while position < count:
                self.position = position
                step += 1
                if step > most or env.made >= FIRST_LOOK:
                    raise Odd
                if step % _STEPS_A_LOOK == 0:
                    track.tick()
                target = steps[position](self)  # type: ignore[arg-type]
                position = position + 1 if target is None else target
                if self._pause_s is not None:
                    self._next, self.step = position, step
                    self._wait(self._pause_s)
                    return
        except (ExpressionError, InstanceAborted, Odd):
            self.leave()
            return
        except Exception as error:  # noqa: BLE001 - the ordinary instance reports it as its own
            log.failure("the usual way failed", error)
            self.leave()
            return
        self.finished_at = track.clock.now()
        del self.env, env
        track.host.finished(self)

    def _wait(self, seconds: float) -> None:
        self._pause_s = None
        self.until = self._track.clock.now() + seconds
        loop = gevent.get_hub().loop
        if seconds > 0:
            self._timer = loop.timer(seconds)
            self._timer.start(self._is_over, update=True)
        else:
            self._timer = loop.run_callback(self._is_over)

    def _is_over(self) -> None:
        """The time has run out: of a halt nobody has resumed it."""
        if self.halt_until is None:
            self._wake()
        else:
            self.leave()

    def _wake(self) -> None:
        self._stop()
        self.wakes = (*self.wakes, self._track.clock.now())
        self.until = None
        self.go_on()

    def _stop(self) -> None:
        """Wait no more."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.stop()
            timer.close()
        if self.halt_until is not None:
            self.halt_until = None
            self._track.host.run.note_halt(self, is_halted=False)

    # -- for operations --------------------------------------------------------------------------

    def sleep(self, seconds: float) -> None:
        """Wait, once this operation has returned."""
        self._pause_s = seconds

    def halt(self, seconds: float, comment: str | None) -> bool:
        """Wait to be resumed, once this operation has returned; if that comes to nothing an
        ordinary instance says so.
        """
        run = self._track.host.run
        self._pause_s = seconds
        self.comment = comment
        self.halt_until = self._track.clock.now() + seconds
        run.note_halt(self, is_halted=True)
        return True

    # -- for the engine ------------------------------------------------------------------------

    def resume(self) -> bool:
        """End a halt; False if it is not halted, or resumed already."""
        if self.halt_until is None or self._is_resumed:
            return False
        self._timer.stop()
        self._timer.close()
        self._timer = gevent.get_hub().loop.run_callback(self._resumed)
        self._is_resumed = True
        return True

    def _resumed(self) -> None:
        self._is_resumed = False
        self._wake()

    def leave(self, then: Then | None = None) -> None:
        """Have the ordinary instance made, which goes on from here."""
        if self.thens is not None:
            if then is not None:
                self.thens.append(then)
            return
        self.thens = [] if then is None else [then]
        self._stop()
        if self._is_resumed:
            self.wakes = (*self.wakes, self._track.clock.now())
            self.until = None
        host = self._track.host
        host.deviate(self, WalkPlay(self, host, self.thens))

    def past(self) -> "WalkPlay":
        """Return what was, of one that is over."""
        return WalkPlay(self, self._track.host)

    def forget(self) -> None:
        """It has nothing that others know."""

    def carriers_spoke(self) -> bool:
        """No link carries anything of it."""
        return False


class WalkPlay(PlayedPast):
    """The waits of a walk and, if `thens` is a list, the way out of them; else all was over."""

    def __init__(self, walk: Walk, host: WalkHost, thens: list[Then] | None = None) -> None:
        wall = host.run.wall_at(walk.started_at)
        super().__init__(host.clock, walk.started_at, wall, thens)
        self._wakes = walk.wakes
        self._fed = 0
        self._until = walk.until
        self._finished_at = walk.finished_at

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance, which needs none."""
        return real

    def instance(self, stage: RunOfInstance, idx: int, planned_at: float) -> Instance:
        """Return the instance to which this is played."""
        return _Walker(stage, idx, planned_at, self)

    def look(self) -> None:
        """If the past ends here, where the walk did not wait, have the instance live."""
        is_at_end = self._fed == len(self._wakes) and self._until is None
        if is_at_end and not self.is_over and not self.is_live:
            self.go_live()

    def go_live(self) -> None:
        """End the past. Errors: what the instance is to end by."""
        self.leave_past()
        super().go_live()

    def wait(self, seconds: float) -> float | None:
        """Return how long an instance is to wait that is to wait so long; None: it has waited."""
        if self.is_live:
            return seconds
        if self._fed < len(self._wakes):
            self.at = self._wakes[self._fed]
            self._fed += 1
            self.look()
            return None
        until, self._until = self._until, None
        if until is None or self.is_over:
            raise LocalProtocolError("the usual way went wrong: it was over")
        self.go_live()
        return max(until - self.clock.now(), 0.0)

    def finish(self) -> None:
        """The operations are over; if all was past, when they were then."""
        if self.is_over:
            self.at = self._finished_at


class _Walker(Instance):
    """An ordinary instance to which the waits of a walk are played."""

    __slots__ = ("_play",)

    def __init__(self, run: RunOfInstance, idx: int, planned_at: float, play: WalkPlay) -> None:
        super().__init__(run, idx, planned_at)
        self._play = play

    def _execute_steps(self) -> None:
        self._play.look()
        super()._execute_steps()
        self._play.finish()

    def sleep(self, seconds: float) -> None:
        """Blocks: as long as the walk would still wait."""
        left = self._play.wait(seconds)
        if left is not None:
            super().sleep(left)

    def halt(self, seconds: float, comment: str | None) -> bool:
        """Blocks: as long as the walk would still wait."""
        left = self._play.wait(seconds)
        return True if left is None else super().halt(left, comment)


def _nothing() -> None:
    pass
