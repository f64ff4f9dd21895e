"""Instances that meet no peer: no gateway, only eval, branch, wait, halt and the like.

They depend on their definition, their index and their own variables alone. So nothing is recorded,
and nothing is skipped: a local instance performs the same compiled operations in the same order,
with variables of its own. It has no greenlet and no check log. While it waits, it is a timer and
its variables. It falls back to an ordinary instance at every other event: a failed check, an
abort, an error, long work, a cancel, a halt that nobody ends. That instance performs all
operations again and meets the unusual event itself; waits that are over take no time.
docs/adr/0028 has the theory. Nothing here switches.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from random import Random
from typing import Any, Protocol

import gevent

from tsvc.clock import Clock
from tsvc.engine.give_way import SLICE_S
from tsvc.engine.instance import Instance
from tsvc.engine.limits.variable_sizes import FIRST_LOOK
from tsvc.engine.run_of_instance import RunOfInstance
from tsvc.errors import ExpressionError, LocalProtocolError
from tsvc.expr import Environment
from tsvc.log import get_logger
from tsvc.matching.outcome import Outcome
from tsvc.operations.fast_path.contract import AnyReplay, Pending, Recorded, Replayed
from tsvc.operations.fast_path.replay import BaseReplay
from tsvc.operations.operation import Execute, InstanceAborted

log = get_logger("fast_path")

# An instance that works longer becomes an ordinary one, which lets others run.
_MOST_STEPS = 200
_STEPS_A_LOOK = 8


class NeedsOrdinaryPath(Exception):
    """Raised for an action or a result that only an ordinary instance may handle."""


class LocalHost(Protocol):
    """The run's fast path, as local instances use it."""

    clock: Clock
    run: Any

    def finished(self, instance: Replayed) -> None:
        """Count an instance that has passed."""

    def fall_back(self, instance: Replayed, replay: AnyReplay, why: str) -> None:
        """Create the ordinary instance, which gets the slot of the local instance."""


class LocalPath:
    """The state that all local instances of a run share; it takes the place of a FastPath."""

    is_known = True
    branches = 0

    def __init__(self, host: LocalHost) -> None:
        run = host.run
        self.host = host
        self.clock = host.clock
        self.steps: Sequence[Execute] = run.executes
        self.most_steps = min(_MOST_STEPS, run.max_steps)
        self.fill: Callable[[Environment, int], None] = run.compiled.vars.fill
        self.run_id: str = run.run_id
        self.seed: int = run.seed
        self.ports = run.context.ports
        self.globals: dict[str, Any] = run.globals  # no expression reads it
        self.began = 0.0  # when the local instance that works now began its work
        self.tick = self._tick

    def learn(self, instance: Recorded, origin: object = None) -> bool:
        """Return False: there is nothing to learn."""
        return False

    def begin(self, idx: int, planned_at: float) -> "LocalInstance | None":
        """Return an instance that has not begun; None if its variables can't be made quickly."""
        local = LocalInstance(self, idx, planned_at)
        self.began = local.started_at
        try:
            self.fill(local.env, idx)
        except Exception:  # noqa: BLE001 - the ordinary instance reports the error
            return None
        return local

    def run(self, local: "LocalInstance") -> None:
        """Perform the operations of an instance until it waits, or to its end."""
        local.go_on()

    def end(self) -> None:
        """End the run: break the reference cycle, so that this object is freed immediately."""
        self.tick = _nothing

    def _tick(self) -> None:
        """Stop a local instance that works for too long. Errors: NeedsOrdinaryPath."""
        if self.clock.now() - self.began > SLICE_S:
            raise NeedsOrdinaryPath


class SeededEnvironment:
    """Random numbers and time of an instance: its start time, as no operation reads a clock."""

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
        """Return the wall time of the instance's start."""
        return self._wall


class _SlimInstance:
    """The part of an instance that local operations use; it only continues while checks pass.

    An operations.operation.Instance for these operations.
    """

    __slots__ = ("env",)

    is_traced = False  # the first instance is an ordinary one
    is_checked = True
    env: Environment

    def trace(self, level: int, text: str, detail: Callable[[], Any] | None = None) -> None:
        """Do nothing: only the first instance has a trace log."""

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        """Continue after a check that has passed."""
        if not ok:
            raise NeedsOrdinaryPath

    def add(self, outcome: Outcome) -> None:
        """Continue after a comparison that found no difference."""
        if not outcome.is_ok:
            raise NeedsOrdinaryPath


class Precomputation(_SlimInstance):
    """Goes through the operations of an instance with peers, and performs the local ones."""

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
        """Perform the operations in `alone`; call meet(position, variables) for all others.

        Errors: ExpressionError, ValueError if an ordinary instance has to perform them.
        """
        env = self.env
        env.tick, env.look_at = self._tick, FIRST_LOOK
        position = step = 0
        try:
            while position < len(steps):
                step += 1
                if step > min(most, _MOST_STEPS) or env.made >= FIRST_LOOK:
                    raise NeedsOrdinaryPath
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
        except Exception:  # noqa: BLE001 - the ordinary instance reports internal failures
            raise ValueError("the ordinary instance does it") from None
        finally:
            env.tick = None  # break the reference cycle

    def _tick(self) -> None:
        """Stop a computation that takes too long. Errors: NeedsOrdinaryPath."""
        if self._clock.now() - self._began > SLICE_S:
            raise NeedsOrdinaryPath


class LocalInstance(_SlimInstance):
    """One instance that meets no peer; a contract.Replayed."""

    __slots__ = (
        "_is_resumed",
        "_next",
        "_path",
        "_pause_s",
        "_timer",
        "comment",
        "finished_at",
        "halt_until",
        "idx",
        "pending",
        "planned_at",
        "position",
        "started_at",
        "step",
        "until",
        "wakes",
    )

    def __init__(self, path: LocalPath, idx: int, planned_at: float) -> None:
        self._path = path
        self.idx = idx
        self.planned_at = planned_at
        self.started_at = path.clock.now()
        self.finished_at = 0.0
        self.position = 0
        self.step = 0
        self._next = 0
        # A wait: how long, until when, its timer. A halt: until when, its comment.
        self._pause_s: float | None = None
        self.until: float | None = None
        self._timer: Any = None
        self.halt_until: float | None = None
        self.comment: str | None = None
        self._is_resumed = False
        self.wakes: tuple[float, ...] = ()  # when its waits were over
        self.pending: list[Pending] | None = None
        wall = path.host.run.wall_at(self.started_at)
        outside = SeededEnvironment(path.seed, idx, wall)
        facts = {"run_id": path.run_id, "idx": idx, "seed": path.seed, "time": wall, **path.ports}
        self.env = Environment(
            {}, {}, path.globals, facts, outside, outside.now, path.tick, 0, FIRST_LOOK
        )

    # -- its operations ------------------------------------------------------------------------

    def go_on(self) -> None:
        """Perform operations until the instance waits, or to its end."""
        path = self._path
        steps, most = path.steps, path.most_steps
        count = len(steps)
        position, step = self._next, self.step
        env = self.env
        path.began = self.wakes[-1] if self.wakes else self.started_at
        try:
            while position < count:
                self.position = position
                step += 1
                if step > most or env.made >= FIRST_LOOK:
                    raise NeedsOrdinaryPath
                if step % _STEPS_A_LOOK == 0:
                    path.tick()
                target = steps[position](self)  # type: ignore[arg-type]
                position = position + 1 if target is None else target
                if self._pause_s is not None:
                    self._next, self.step = position, step
                    self._wait(self._pause_s)
                    return
        except (ExpressionError, InstanceAborted, NeedsOrdinaryPath):
            self.fall_back()
            return
        except Exception as error:  # noqa: BLE001 - the ordinary instance reports it as its own
            log.failure("the fast path failed", error)
            self.fall_back()
            return
        self.finished_at = path.clock.now()
        del self.env, env
        path.host.finished(self)

    def _wait(self, seconds: float) -> None:
        self._pause_s = None
        self.until = self._path.clock.now() + seconds
        loop = gevent.get_hub().loop
        if seconds > 0:
            self._timer = loop.timer(seconds)
            self._timer.start(self._is_over, update=True)
        else:
            self._timer = loop.run_callback(self._is_over)

    def _is_over(self) -> None:
        """Continue after a wait; fall back if nobody has resumed the halt in time."""
        if self.halt_until is None:
            self._wake()
        else:
            self.fall_back()

    def _wake(self) -> None:
        self._stop()
        self.wakes = (*self.wakes, self._path.clock.now())
        self.until = None
        self.go_on()

    def _stop(self) -> None:
        """Stop the timer, and end a halt."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.stop()
            timer.close()
        if self.halt_until is not None:
            self.halt_until = None
            self._path.host.run.note_halt(self, is_halted=False)

    # -- for operations --------------------------------------------------------------------------

    def sleep(self, seconds: float) -> None:
        """Start to wait, once this operation has returned."""
        self._pause_s = seconds

    def halt(self, seconds: float, comment: str | None) -> bool:
        """Start to wait for a resume, once this operation has returned. If no resume comes in
        time, an ordinary instance reports that.
        """
        run = self._path.host.run
        self._pause_s = seconds
        self.comment = comment
        self.halt_until = self._path.clock.now() + seconds
        run.note_halt(self, is_halted=True)
        return True

    # -- for the engine ------------------------------------------------------------------------

    def resume(self) -> bool:
        """End a halt. Return False if the instance is not halted, or was resumed already."""
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

    def fall_back(self, then: Pending | None = None, why: str = "another event") -> None:
        """Create the ordinary instance, which continues from here."""
        if self.pending is not None:
            if then is not None:
                self.pending.append(then)
            return
        self.pending = [] if then is None else [then]
        self._stop()
        if self._is_resumed:
            self.wakes = (*self.wakes, self._path.clock.now())
            self.until = None
        host = self._path.host
        host.fall_back(self, LocalReplay(self, host, self.pending), why)

    def past(self) -> "LocalReplay":
        """Return the past of an instance that is over."""
        return LocalReplay(self, self._path.host)

    def forget(self) -> None:
        """Do nothing: no other object knows this instance."""

    def carriers_spoke(self) -> bool:
        """Return False: no link carries messages of this instance."""
        return False


class LocalReplay(BaseReplay):
    """The waits of a local instance; after them the instance goes live if `pending` is a list."""

    def __init__(
        self, local: LocalInstance, host: LocalHost, pending: list[Pending] | None = None
    ) -> None:
        wall = host.run.wall_at(local.started_at)
        super().__init__(host.clock, local.started_at, wall, pending)
        self._wakes = local.wakes
        self._fed = 0
        self._until = local.until
        self._finished_at = local.finished_at

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the real gateways; the instance needs none."""
        return real

    def instance(self, stage: RunOfInstance[Instance], idx: int, planned_at: float) -> Instance:
        """Return the ordinary instance to which the waits are replayed."""
        return _OrdinaryLocal(stage, idx, planned_at, self)

    def look(self) -> None:
        """Go live if the past ends here, that is, if the local instance was not waiting."""
        is_at_end = self._fed == len(self._wakes) and self._until is None
        if is_at_end and not self.is_over and not self.is_live:
            self.go_live()

    def go_live(self) -> None:
        """End the past. Errors: the error by which the instance must end."""
        self.leave_past()
        super().go_live()

    def wait(self, seconds: float) -> float | None:
        """Return how much of a wait remains, in seconds; None if it is over already."""
        if self.is_live:
            return seconds
        if self._fed < len(self._wakes):
            self.time.at = self._wakes[self._fed]
            self._fed += 1
            self.look()
            return None
        until, self._until = self._until, None
        if until is None or self.is_over:
            raise LocalProtocolError("the fast path went wrong: it was over")
        self.go_live()
        return max(until - self.clock.now(), 0.0)

    def finish(self) -> None:
        """End the operations; if all is past, set the time to the recorded end."""
        if self.is_over:
            self.time.at = self._finished_at


class _OrdinaryLocal(Instance):
    """An ordinary instance to which the waits of a local instance are replayed."""

    __slots__ = ("_replay",)

    def __init__(
        self, run: RunOfInstance[Instance], idx: int, planned_at: float, replay: LocalReplay
    ) -> None:
        super().__init__(run, idx, planned_at)
        self._replay = replay

    def _execute_steps(self) -> None:
        self._replay.look()
        super()._execute_steps()
        self._replay.finish()

    def sleep(self, seconds: float) -> None:
        """Wait for the rest of the local instance's wait. Blocks: that long."""
        left = self._replay.wait(seconds)
        if left is not None:
            super().sleep(left)

    def halt(self, seconds: float, comment: str | None) -> bool:
        """Halt for the rest of the local instance's halt. Blocks: that long."""
        left = self._replay.wait(seconds)
        return True if left is None else super().halt(left, comment)


def _nothing() -> None:
    pass
