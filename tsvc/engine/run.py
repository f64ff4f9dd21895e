"""A Test Run: plans its starts, bounds its instances, counts everything, ends with a verdict.

A pool bounded by the backlog runs the instances, a greenlet each; one greenlet more decides when
the next may start. This is one of the few places where greenlets are born.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from math import inf, nextafter
from typing import Any

import gevent
from gevent.event import Event
from gevent.pool import Pool

from tsvc.clock import Clock
from tsvc.engine.counters import Counters, InstanceState
from tsvc.engine.definition import CompiledTest
from tsvc.engine.histogram import Histogram
from tsvc.engine.instance import Instance, InstanceCancelled
from tsvc.engine.token_bucket import TokenBucket
from tsvc.log import get_logger
from tsvc.operations._base import RunContext

log = get_logger("run")

MAX_KEPT = 20  # failed, aborted, slowest instances kept in detail
_BUSY_STARTS = 200  # starts made in one go before others get the processor


class RunState(Enum):
    """States of a Test Run."""

    STARTING = "starting"
    RUNNING = "running"
    CANCELLING = "cancelling"
    COMPLETED = "completed"


# Verdicts in the order in which they worsen.
VERDICTS = ("pass", "fail", "abort", "cancelled")


class Run:
    """One run in progress or completed."""

    def __init__(
        self,
        run_id: str,
        compiled: CompiledTest,
        context: RunContext,
        clock: Clock,
        *,
        seed: int,
        max_steps: int,
        max_trace_octets: int,
        late_ms: float,
        on_completed: Callable[["Run"], None],
    ) -> None:
        params = compiled.params
        self.run_id = run_id
        self.compiled = compiled
        self.context = context
        self.clock = clock
        self.seed = seed
        self.max_steps = max_steps
        self.max_trace_octets = max_trace_octets
        self.trace_level: int = params["trace_level"]
        self.keeps_messages: bool = params["trace_messages"]
        self.keeps_details: bool = params["load_details"]
        self.is_turbo: bool = params["turbo"]
        self.executes = tuple(step.execute for step in compiled.steps)
        self.globals: dict[str, Any] = {}
        self.state = RunState.STARTING
        self.verdict = "pass"
        self.counters = Counters()
        self.started_at = clock.now()
        self.wall_start = clock.wall()
        self.finished_at: float | None = None
        self.wall_finish: float | None = None
        self.completed = Event()
        self.is_collected = False
        self.instances: dict[int, Instance] = {}
        self.halted: dict[int, Instance] = {}
        self.first: Instance | None = None
        self.first_fails: dict[str, Instance] = {}
        self.first_aborts: dict[str, Instance] = {}
        self.slowest: list[Instance] = []
        self.response = Histogram()
        self.service = Histogram()
        self.lateness = Histogram()
        self.operations: dict[tuple[int, str], Histogram] = {}
        self.late = 0
        self.late_with_place = 0
        self.first_start: float | None = None
        self.last_start: float | None = None
        self.stopped_starting_at: float | None = None
        self.full_s = 0.0
        self.in_progress_s = 0.0
        self.waited_s = 0.0
        self.closings: dict[str, int] = {}
        self.bugs = 0
        self.thresholds: list[dict[str, Any]] = []
        # Its row in the archive, and the result as archived once it is completed.
        self.result_id: int | None = None
        self.final_result: dict[str, Any] | None = None
        self._late_s = late_ms / 1000
        self._on_completed = on_completed
        self._is_stopping = Event()
        self._deadline = inf
        self._last_full_at = -inf
        self._busy_starts = 0
        self._pool = Pool(compiled.plan.backlog)
        self._greenlet: gevent.Greenlet[..., Any] | None = None

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the run; returns at once."""
        self.state = RunState.RUNNING
        plan = self.compiled.plan
        if plan.start_at is not None:
            # The monotonic moment of the wall time that was asked for.
            self.started_at += max(plan.start_at - self.wall_start, 0.0)
            self.wall_start = max(plan.start_at, self.wall_start)
        if plan.max_seconds is not None:
            self._deadline = self.started_at + plan.max_seconds
        self._greenlet = gevent.spawn(self._execute)

    def cancel(self, grace_s: float) -> None:
        """Stop starting, end every instance properly, within grace_s. Blocks: up to that."""
        if self.state is RunState.COMPLETED:
            return
        self.state = RunState.CANCELLING
        self.worsen("cancelled")
        self._is_stopping.set()
        self._throw_cancel()
        if not self.completed.wait(grace_s):
            log.warning("instances did not end in time", run_id=self.run_id)
            self._throw_cancel()
            self.completed.wait(1.0)

    def _throw_cancel(self) -> None:
        """End instances wherever they wait; those that have not begun see the state and end."""
        for instance in list(self.instances.values()):
            if instance.greenlet is not None:
                instance.greenlet.kill(InstanceCancelled, block=False)

    def wait(self, seconds: float) -> bool:
        """Return whether the run is completed. Blocks: up to `seconds` for that."""
        return bool(self.completed.wait(seconds))

    def _execute(self) -> None:
        try:
            if not self._wait_until(self.started_at):
                pass  # cancelled before its time had come
            elif self.compiled.plan.grid is None:
                self._start_as_places_free_up()
            else:
                self._start_by_the_grid()
        except Exception as error:  # noqa: BLE001 - the run must end, whatever happened
            self.bugs += 1
            self.worsen("abort")
            log.failure("run failed", error, run_id=self.run_id)
        self.stopped_starting_at = self.clock.now()
        self._pool.join()
        self._complete()

    def _complete(self) -> None:
        self.finished_at = self.clock.now()
        self.wall_finish = self.clock.wall()
        try:
            self._on_completed(self)
        finally:
            self.state = RunState.COMPLETED
            self.completed.set()

    # -- starting ----------------------------------------------------------------------------

    def _start_as_places_free_up(self) -> None:
        """`single` and `load`: the backlog alone bounds."""
        plan = self.compiled.plan
        for idx in range(plan.first, plan.total, plan.stride):
            if not self._wait_for_place() or not self._may_start():
                return
            self._spawn(idx, self.clock.now())

    def _start_by_the_grid(self) -> None:
        """`linear`: each start at its time on the grid, or as soon after as a place and a token
        allow."""
        plan = self.compiled.plan
        grid = plan.grid
        assert grid is not None
        bucket = TokenBucket(grid, plan.burst)
        for idx in range(plan.first, plan.total, plan.stride):
            planned_at = self.started_at + grid.time_of(idx)
            if not self._wait_until(planned_at):
                return
            if self._pool.full():
                if not self._wait_for_place():
                    return
                bucket.overflow(self.clock.now() - self.started_at)
            while not bucket.take(self.clock.now() - self.started_at):
                if not self._wait_until(self.started_at + bucket.next_at()):
                    return
            # Late by the tester's own fault only if the backlog was free since the plan.
            self._spawn(idx, planned_at, had_place=self._last_full_at < planned_at)

    def _may_start(self) -> bool:
        """Whether the run still starts: not cancelled, not beyond max_seconds."""
        return not self._is_stopping.is_set() and self.clock.now() < self._deadline

    def _wait_until(self, moment: float) -> bool:
        """Blocks until then; False if the run stops starting before."""
        delay = min(moment, self._deadline) - self.clock.now()
        if delay > 0:
            self._is_stopping.wait(delay)
        return self._may_start()

    def _wait_for_place(self) -> bool:
        """Blocks until the backlog has a free place; False if the run stops starting."""
        pool = self._pool
        if not pool.full():
            return self._may_start()
        began = self.clock.now()
        while pool.full() and self._may_start():
            remaining = self._deadline - self.clock.now()
            # A short bound lets a cancel through: the pool can't be woken by it.
            pool.wait_available(timeout=min(max(remaining, 0.0), 0.2))
        self._last_full_at = self.clock.now()
        self.full_s += self._last_full_at - began
        return self._may_start()

    def _spawn(self, idx: int, planned_at: float, *, had_place: bool = True) -> None:
        self._busy_starts += 1
        if self._busy_starts % _BUSY_STARTS == 0:
            gevent.sleep(0)
        instance = Instance(self, idx, planned_at)
        self.instances[idx] = instance
        self.counters.start(self.clock.now() - self.started_at)
        if self.first is None:
            self.first = instance
        self._pool.spawn(self._run_instance, instance, had_place)

    # -- instances ---------------------------------------------------------------------------

    def _run_instance(self, instance: Instance, had_place: bool) -> None:
        now = self.clock.now()
        if self.first_start is None:
            self.first_start = now
        self.last_start = now
        if self.compiled.plan.grid is not None:
            self._note_lateness(now - instance.planned_at, had_place)
        state = InstanceState.CANCELLED
        try:
            if self.state is not RunState.CANCELLING:
                state = instance.execute()
            else:
                instance.state = state
                instance.started_at = instance.finished_at = now
        finally:
            self._finish(instance, state)

    def _note_lateness(self, late: float, had_place: bool) -> None:
        """Only a grid has plans that a start can miss."""
        self.lateness.add(late)
        if late > self._late_s:
            self.late += 1
            if had_place:
                self.late_with_place += 1

    def _finish(self, instance: Instance, state: InstanceState) -> None:
        instance.greenlet = None
        del self.instances[instance.idx]
        duration = instance.finished_at - instance.started_at
        self.counters.finish(state, self.clock.now() - self.started_at, duration)
        self.response.add(instance.finished_at - instance.planned_at)
        self.service.add(duration)
        self.in_progress_s += duration
        self.waited_s += instance.waited_s
        if state is InstanceState.FAILED:
            self.worsen("fail")
            self._keep(self.first_fails, instance.first_failure or "", instance)
        elif state is InstanceState.ABORTED:
            self.worsen("abort")
            self._keep(self.first_aborts, instance.reason, instance)
        if self.keeps_details and self.compiled.plan.total > 1:
            self._keep_slow(instance, duration)

    def _keep(self, kept: dict[str, Instance], cause: str, instance: Instance) -> None:
        has_detail = self.keeps_details or instance is self.first
        if has_detail and len(kept) < MAX_KEPT and cause not in kept:
            kept[cause] = instance

    def _keep_slow(self, instance: Instance, duration: float) -> None:
        slowest = self.slowest
        if len(slowest) == 10:
            if duration <= slowest[-1].finished_at - slowest[-1].started_at:
                return
            slowest.pop()
        at = 0
        while at < len(slowest) and slowest[at].finished_at - slowest[at].started_at >= duration:
            at += 1
        slowest.insert(at, instance)

    def worsen(self, verdict: str) -> None:
        """Make the verdict this one, if it is worse than what it is."""
        if VERDICTS.index(verdict) > VERDICTS.index(self.verdict):
            self.verdict = verdict

    # -- for instances -----------------------------------------------------------------------

    def note_latency(self, position: int, name: str, seconds: float) -> None:
        """Record the wait of an operation."""
        histogram = self.operations.get((position, name))
        if histogram is None:
            histogram = self.operations[position, name] = Histogram()
        histogram.add(seconds)

    def note_halt(self, instance: Instance, *, is_halted: bool) -> None:
        """Count an instance as halted, or no longer."""
        if is_halted:
            self.halted[instance.idx] = instance
        else:
            self.halted.pop(instance.idx, None)
        self.counters.halted = len(self.halted)

    def note_closing(self, how: str) -> None:
        """Count a dialogue that the end of an instance had to close."""
        kind = how.partition(",")[0]
        self.closings[kind] = self.closings.get(kind, 0) + 1

    def report_bug(self, instance: Instance, error: Exception) -> None:
        """Log a failure of ours with its traceback."""
        self.bugs += 1
        if self.bugs <= 5:
            log.failure("instance failed", error, run_id=self.run_id, instance=instance.idx)

    # -- what is known -----------------------------------------------------------------------

    def planned(self) -> int:
        """Return the starts that were due by now, or by the end of starting."""
        plan = self.compiled.plan
        if plan.grid is None:
            return self.counters.started
        until = min(self.stopped_starting_at or self.clock.now(), self._deadline)
        # A start planned for the very end is not made, and not planned either.
        due = min(plan.grid.planned_by(nextafter(until - self.started_at, -inf)), plan.total)
        own = len(range(plan.first, due, plan.stride))
        return max(own, self.counters.started)

    def halted_instances(self) -> list[Mapping[str, Any]]:
        """Return the `halted` list of a result."""
        now = self.clock.now()
        return [
            {
                "instance_id": str(instance.idx),
                "idx": instance.idx,
                "op": instance.position,
                "comment": instance.comment,
                "seconds_left": round(max((instance.halt_until or now) - now, 0.0), 3),
            }
            for instance in self.halted.values()
        ]
