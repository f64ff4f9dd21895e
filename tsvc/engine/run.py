"""A Test Run: plans its starts, bounds its instances, counts everything, ends with a verdict.

start() makes one greenlet, which asks the Starter for the moment of each start. A start becomes a
replayed instance on the fast path (fast_path.py), which needs no greenlet, or an Instance in a
greenlet of the Starter's pool. The backlog bounds that pool. Both are in `instances` while they
are in progress, and are counted when they begin and end: counters, histograms, groups of failures,
and the few that are kept in detail. When no start remains and the pool is empty, the run is over.
The service is notified and archives the result; then greenlets that wait for `completed` wake up.

States only advance: starting, running, cancelling if somebody cancels the run, completed. The
verdict only worsens. This is one of the few places where greenlets are created.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from itertools import islice
from typing import Any

import gevent
from gevent.event import Event

from tsvc import turns
from tsvc.clock import Clock
from tsvc.engine.compiler.compile import CompiledTest
from tsvc.engine.compiler.parameters import Pace, decided_counts
from tsvc.engine.fast_path import NO_FAST_PATH, RunFastPath, Waiting
from tsvc.engine.give_way import Burst, give_way, slices
from tsvc.engine.instance import Instance, InstanceCancelled
from tsvc.engine.limits.variable_sizes import Weights
from tsvc.engine.load.counters import (
    Counters,
    FailureGroup,
    FailureGroups,
    InstanceState,
    Peak,
)
from tsvc.engine.load.generator import GeneratorLoad
from tsvc.engine.load.histogram import Histogram
from tsvc.engine.load.starter import Starter
from tsvc.engine.result.copies import MAX_TEXT, shown_copy, without_values
from tsvc.engine.result.kept_instances import KeptInstances
from tsvc.engine.result.leaks import OpenSessions
from tsvc.errors import Problem
from tsvc.expr import Vars
from tsvc.log import get_logger
from tsvc.operations.context import RunContext
from tsvc.operations.fast_path.contract import Replayed
from tsvc.operations.operation import LOGIC, type_of
from tsvc.words import cut

log = get_logger("run")

LINGER_S = 0.02  # of the first instance, if the definition sets no time
MAX_HALTED = 20_000  # that are listed: more than a result has room for
# Starts in one go before other greenlets run, at most: the data of so few stays in the cache.
_BUSY_STARTS = 20
_STEP_S = 1.0  # a smaller difference of the clocks is not reported
_ARCHIVE_S = 20.0  # two deadlines of the database, then two of the disk
_CROWD_S = 0.1  # time between samples of a full backlog: what its instances wait for
_CROWD = 1000  # instances in a sample, at most


class RunState(Enum):
    """States of a Test Run."""

    STARTING = "starting"
    RUNNING = "running"
    CANCELLING = "cancelling"
    COMPLETED = "completed"


LONGEST_RUN_NAME = 256
VERDICTS = ("pass", "fail", "abort", "cancelled")  # in the order in which they worsen


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
        keeps_first: bool = True,
    ) -> None:
        """`keeps_first`: True if the first instance started here is the first one of the run."""
        params = compiled.params
        # Its identity, and its client: an address, or the name of a token.
        self.run_id = run_id
        name = params.get("name")  # of the definition
        self.name = cut(name, LONGEST_RUN_NAME) if isinstance(name, str) else ""
        self.client = ""
        # What it executes, and how.
        self.compiled = compiled
        self.context = context
        self.seed = seed
        self.executes = tuple(step.execute for step in compiled.steps)
        # By operation: True if an instance that waits there waits for a peer.
        self._meets_peer = tuple(_meets_peer(step.type) for step in compiled.steps)
        self.globals: dict[str, Any] = {}
        self.weights = Weights()
        self.max_steps = max_steps
        self.max_trace_octets = max_trace_octets
        self.trace_level: int = params["trace_level"]
        self.keeps_messages: bool = params["trace_messages"]
        self.keeps_details: bool = params["load_details"]
        self.is_turbo: bool = params["turbo"]
        self.fails_refusals: bool = params["refusals"] == "fail"
        self.is_strict: bool = params["strict"]
        self._keeps_first = keeps_first
        linger_ms: float | None = params.get("linger_ms")
        self._linger_s = None if linger_ms is None else linger_ms / 1000
        # Its progress. All wall times of a run are monotonic times plus one fixed offset, so that
        # they keep their order and distance when somebody sets the wall clock.
        self.clock = clock
        self.state = RunState.STARTING
        self.verdict = "pass"
        self._wall_offset = clock.wall_offset()
        self.wall_start = self.wall_at(clock.now())
        self.finished_at: float | None = None
        self.wall_finish: float | None = None
        self.completed = Event()
        self.is_collected = False
        self._on_completed = on_completed
        self._greenlet: gevent.Greenlet[..., Any] | None = None
        # Starts.
        self.starter = Starter(compiled.plan, clock, late_ms / 1000, seed)
        self._burst = Burst(_BUSY_STARTS)
        self.starter.on_waited = self._burst.begin
        self._fast_path: RunFastPath | None = None
        self._fast_path_result = NO_FAST_PATH
        # Instances: in progress, and kept.
        self.instances: dict[int, Instance | Replayed] = {}
        self.halted: dict[int, Waiting] = {}
        self.first: Instance | None = None
        self.kept = KeptInstances()
        self.failures = FailureGroups()
        self.sessions = OpenSessions()
        # What is counted and measured.
        self.counters = Counters()
        self.response = Histogram()
        self.service = Histogram()
        self.lateness = Histogram()
        self.operations: dict[tuple[int, str], Histogram] = {}
        self.late = 0
        self.late_with_place = 0
        self._late_s = late_ms / 1000
        self.first_start: float | None = None
        self.last_start: float | None = None
        self.peak = Peak()
        self.generator = GeneratorLoad(clock.now())
        self.closings: dict[str, int] = {}
        self.bugs = 0
        # Starts of the warm-up: counted above, and not measured.
        self.warm_up_started = 0
        self.warm_up_finished = 0
        # Instances sampled while the backlog was full: all, and those that waited for a peer.
        self.crowd = 0
        self.crowd_at_peers = 0
        self._next_look_at = 0.0
        # Settled thresholds. Of those that may end the run: since when each is missed, by
        # position; and the position of the one that ended it, with the seconds until then.
        self.thresholds: list[dict[str, Any]] = []
        self.decided = decided_counts(params)
        self.missed_since: dict[int, float] = {}
        self.ended_by: tuple[int, float] | None = None
        # What it left behind when it ended (each leak fails the run), workers that it lost, and
        # notes that the result lists beside the problems of the definition.
        self.leaks: list[str] = []
        self.lost: list[dict[str, Any]] = []
        self.unknown_starts = 0  # measured starts that lost workers may have made, at most
        self.remarks: list[Problem] = []
        if self.is_turbo and compiled.plan.total > 1:
            text = "nothing is checked after the first instance, malformed messages neither"
            self.remarks.append(Problem("params.turbo", text, severity="warning"))
        # Its row in the archive, and the result as archived once it is completed.
        self.result_id: int | None = None
        self.final_result: dict[str, Any] | None = None

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the run. Returns immediately."""
        self.state = RunState.RUNNING
        plan = self.compiled.plan
        if plan.start_at is not None:
            # The monotonic moment of the wall time that was asked for.
            self.starter.begins_at += max(plan.start_at - self.wall_start, 0.0)
            self.wall_start = max(plan.start_at, self.wall_start)
        else:
            self.wall_start = self.wall_at(self.starter.begins_at)
        self._fast_path = RunFastPath(self)
        self.kept.ordinary = self._fast_path.ordinary
        self._greenlet = gevent.spawn(self._execute)

    def prepare(self) -> None:
        """Prepare what kinds need for the run. Errors: StartError; then call undo()."""
        for part in self.compiled.parts:
            part.begin(self.context.gateways)

    def undo(self) -> None:
        """Clean up after a run that could not be started."""
        for part in self.compiled.parts:
            part.end()

    def set_pace(self, pace: Pace, cps: Mapping[str, Any]) -> None:
        """Change the rate from now on; `pace` is what `cps` means."""
        self.starter.set_pace(pace)

    def set_paused(self, is_paused: bool) -> None:
        """Pause or resume the starts."""
        self.starter.set_paused(is_paused)

    def stop_starting(self) -> None:
        """Make no more starts; instances in progress continue to their end."""
        self.starter.stop()

    def workers(self) -> list[dict[str, Any]]:
        """Return a row for each worker of the run; empty if the daemon executes it alone."""
        return []

    def begin_at(self, moment: float) -> None:
        """Set the moment of the clock at which the run begins. Call this before start()."""
        self.starter.begins_at = moment
        self.wall_start = self.wall_at(moment)

    def cancel(self, grace_s: float) -> bool:
        """Stop starting and end every instance properly, within grace_s.

        Return False if all was over before. Blocks: up to grace_s for instances; if these are
        over, as long as the archive may take with the result, which has its own deadlines.
        """
        if self._is_ended():
            self.completed.wait(_ARCHIVE_S)
            return False
        self.state = RunState.CANCELLING
        self.worsen("cancelled")
        self.starter.stop()
        self._throw_cancel()
        if not self.completed.wait(grace_s):
            if not self._is_ended():
                log.warning("instances did not end in time", run_id=self.run_id)
                self._throw_cancel()
                self.completed.wait(1.0)
            if self._is_ended():
                self.completed.wait(_ARCHIVE_S)
        return True

    def _is_ended(self) -> bool:
        """Return True if all instances are over; the result may still wait for the archive."""
        return self.finished_at is not None

    def _throw_cancel(self) -> None:
        """End instances wherever they wait; those that have not begun see the state and end."""
        for number, instance in enumerate(list(self.instances.values())):
            if number % _BUSY_STARTS == 0:
                give_way()
            self.throw(instance, InstanceCancelled)

    def throw(
        self, instance: Instance | Replayed, error: BaseException | type[BaseException]
    ) -> None:
        """Throw an error into an instance; one that has not begun ends by the run's state."""
        found = self.instances.get(instance.idx)  # it may be over, or be an ordinary one by now
        if found is not None and not isinstance(found, Instance):
            found.fall_back()
            found = self.instances.get(instance.idx)
        if not isinstance(found, Instance):
            return
        if found.greenlet is not None:
            found.greenlet.kill(error, block=False)
        elif found.is_played:
            found.ends_by = found.ends_by or error

    def wait(self, seconds: float) -> bool:
        """Return True if the run is completed. Blocks: up to `seconds` for that."""
        return bool(self.completed.wait(seconds))

    def _execute(self) -> None:
        try:
            for start in self.starter.starts(self._look_at_crowd):
                self._spawn(start.idx, start.planned_at, start.had_place)
        except BaseException as error:  # noqa: BLE001 - the run must end, whatever happened
            self.bugs += 1
            self.worsen("abort")
            log.failure("run failed", error, run_id=self.run_id)
        self.starter.pool.join()
        self._complete()

    def wall_at(self, moment: float) -> float:
        """Return the wall time of a monotonic moment, by the offset at the start of the run."""
        return moment + self._wall_offset

    def _complete(self) -> None:
        if self._fast_path is not None:
            self._fast_path.end()
            self._fast_path_result = self._fast_path.result()
        self.finished_at = self.clock.now()
        self.wall_finish = self.wall_at(self.finished_at)
        stepped = self.clock.wall() - self.wall_finish
        if abs(stepped) > _STEP_S:
            text = f"the wall clock was set {stepped:+.1f} s in the run, whose times don't follow"
            self.remarks.append(Problem("time_finish", text, severity="warning"))
        if self.finished_at < self.started_at:  # cancelled before start_at: it began and ended now
            self.starter.begins_at, self.wall_start = self.finished_at, self.wall_finish
        self.generator.end(self.finished_at)
        if self.warm_up_started and not self.measured_started:
            text = f"all {self.warm_up_started} starts were in the warm-up: nothing was measured"
            self.remarks.append(Problem("distribution.warm_up_s", text, severity="warning"))
        if self.verdict == "pass" and not self.counters.passed:
            self.worsen("fail")
            text = "no instance passed, so the run did not"
            self.remarks.append(Problem("counts", text, severity="warning"))
        try:
            self._on_completed(self)
            self._release()
        finally:
            self.state = RunState.COMPLETED
            self.completed.set()

    def _release(self) -> None:
        """Free nearly all but the archived result: there may be a thousand uncollected runs.

        Compiled operations are freed with their caches; types and labels stay for traces.
        """
        old: list[object] = [*self.executes, *self.compiled.vars.makers]
        steps = tuple(replace(step, execute=_is_over) for step in self.compiled.steps)
        nothing = Vars((), frozenset())
        self.compiled = replace(self.compiled, steps=steps, vars=nothing, gateway_checks=())
        self.executes = ()
        with turns.given(slices()):
            turns.let_go(old)
            if self.final_result is None:
                return
            for instance in (self.first, *self.kept.of_causes(), *self.kept.slowest):
                if instance is not None and instance.detail is not None:
                    instance.release_variables()
            old = [self.globals.copy()]
            self.globals.clear()
            turns.let_go(old)

    def let_go(self) -> None:
        """Forget the instances that were kept, so that reference counts free them and the run.

        They refer to the run; a garbage collection that finds the cycle is rare in a busy daemon.
        """
        self.first = None
        self.kept.let_go()
        if self._fast_path is not None:
            self._fast_path.release()
        self._fast_path = None

    def fast_path(self) -> dict[str, Any]:
        """Return the member `fast_path` of the result."""
        if self._fast_path is None or self.state is RunState.COMPLETED:
            return self._fast_path_result
        return self._fast_path.result()

    # -- starting ----------------------------------------------------------------------------

    @property
    def started_at(self) -> float:
        """The monotonic moment of the first planned start."""
        return self.starter.begins_at

    def _spawn(self, idx: int, planned_at: float, had_place: bool) -> None:
        self._burst.bit()
        assert self._fast_path is not None
        first = self.first
        # Keep the order of starts: a replayed instance may act immediately.
        may_follow = not self._keeps_first if first is None else first.started_at > 0
        may_follow = may_follow and self.state is not RunState.CANCELLING
        if may_follow and self._fast_path.begin(idx, planned_at, had_place) is not None:
            return
        instance = Instance(self, idx, planned_at)
        self._fast_path.watch(instance)
        self.instances[idx] = instance
        if first is None and self._keeps_first:
            self.first = instance
            self._burst.end()  # it must begin before others, which may follow it
        self.starter.pool.spawn(self._run_instance, instance, had_place)

    def _look_at_crowd(self) -> None:
        """Sample a full backlog: count its instances, and those that wait for a peer."""
        now = self.clock.now()
        if now < self._next_look_at:
            return
        self._next_look_at = now + _CROWD_S
        for instance in islice(self.instances.values(), _CROWD):
            self.crowd += 1
            self.crowd_at_peers += self._meets_peer[instance.position]

    # -- instances ---------------------------------------------------------------------------

    def _run_instance(self, instance: Instance, had_place: bool) -> None:
        instance.started_at = now = self.clock.now()
        if self.state is RunState.CANCELLING:
            # Cancelled before its first step: it has not started and is not counted.
            instance.state = InstanceState.CANCELLED
            instance.finished_at = now
            self._forget(instance)
            return
        self.note_start(instance.idx, now, instance.planned_at, had_place)
        self.play(instance)

    def note_start(self, idx: int, now: float, planned_at: float, had_place: bool) -> None:
        """Count a start that is made now, and measure it unless it is one of the warm-up."""
        self.counters.start(now - self.started_at)
        if self.starter.is_warm_up(idx):
            self.warm_up_started += 1
            return
        if self.first_start is None:
            self.first_start = now
        self.last_start = now
        self.peak.note(now)
        if self.compiled.plan.grid is not None:
            self._note_lateness(now - planned_at, had_place)

    def play(self, instance: Instance) -> None:
        """Execute an instance that has started, and count its end. Blocks: until it is over."""
        state = InstanceState.CANCELLED
        try:
            state = instance.execute()
        finally:
            self._finish(instance, state)

    def _note_lateness(self, late: float, had_place: bool) -> None:
        """Count the lateness of a start. Only a grid has planned times that it can miss."""
        self.lateness.add(late)
        if late > self._late_s:
            self.late += 1
            if had_place:
                self.late_with_place += 1

    def _forget(self, instance: Instance) -> None:
        instance.greenlet = None
        instance.let_go()
        self.sessions.look(instance.idx, instance.dialogues)
        del self.instances[instance.idx]
        self.weights.forget(instance.idx)

    def _finish(self, instance: Instance, state: InstanceState) -> None:
        self._forget(instance)
        if self._fast_path is not None:
            self._fast_path.consider(instance, state)
        duration = self.note_finish(instance, state)
        if state is InstanceState.FAILED:
            self.worsen("pass" if "failed" in self.decided else "fail")
            self._note_failure(instance, state)
        elif state is InstanceState.ABORTED:
            self.worsen("pass" if "aborted" in self.decided else "abort")
            cause = without_values(instance.reason)
            group = self._group(instance, state, instance.position, cause)
            if self.keeps_details or instance is self.first:
                self.kept.keep(self.kept.aborts, group, instance)
        elif instance.first_failure is not None:
            # The instance was cancelled after one of its checks had failed.
            self.counters.failed_then_cancelled += 1
            self._note_failure(instance, state)
        if instance is self.first:
            instance.keep_records()
        is_measured = not self.starter.is_warm_up(instance.idx)
        if self.keeps_details and self.compiled.plan.total > 1 and is_measured:
            self.kept.keep_slow(instance, duration)

    def note_finish(self, instance: Instance | Replayed, state: InstanceState) -> float:
        """Count an end; return how long the instance took, in seconds."""
        duration = instance.finished_at - instance.started_at
        self.counters.finish(state, self.clock.now() - self.started_at, duration)
        if self.starter.is_warm_up(instance.idx):
            self.warm_up_finished += 1
        else:
            self.response.add(instance.finished_at - instance.planned_at)
            self.service.add(duration)
        return duration

    def finish_replayed(self, instance: Replayed) -> None:
        """Count an instance that has passed on the fast path."""
        del self.instances[instance.idx]
        duration = self.note_finish(instance, InstanceState.PASSED)
        self.starter.pool.release(instance)
        if self.keeps_details and not self.starter.is_warm_up(instance.idx):
            self.kept.keep_slow(instance, duration)

    def _note_failure(self, instance: Instance, state: InstanceState) -> None:
        value = instance.failed_value
        shown = None if value is None else shown_copy(value, MAX_TEXT)
        at, cause = instance.failed_at, instance.failure_cause
        group = self._group(instance, state, at, cause, shown)
        if self.keeps_details or instance is self.first:
            self.kept.keep(self.kept.fails, group, instance)

    def _group(
        self, instance: Instance, state: InstanceState, at: int, cause: str, value: Any = None
    ) -> FailureGroup:
        seconds = self.clock.now() - self.started_at
        return self.failures.add(state, at, cause, instance.idx, seconds, value)

    def worsen(self, verdict: str) -> None:
        """Set the verdict, if this one is worse than the present one."""
        if VERDICTS.index(verdict) > VERDICTS.index(self.verdict):
            self.verdict = verdict

    # -- for instances -----------------------------------------------------------------------

    def note_latency(self, idx: int, position: int, name: str, seconds: float) -> None:
        """Record the wait of an operation of an instance."""
        if self.starter.is_warm_up(idx):
            return
        histogram = self.operations.get((position, name))
        if histogram is None:
            histogram = self.operations[position, name] = Histogram()
        histogram.add(seconds)

    def note_halt(self, instance: Waiting, *, is_halted: bool) -> None:
        """Count an instance as halted, or no longer."""
        if is_halted:
            self.halted[instance.idx] = instance
        else:
            self.halted.pop(instance.idx, None)
        self.counters.halted = len(self.halted)

    def note_malformed(self) -> None:
        """Count something received in a form that it must not have."""
        self.counters.malformed += 1

    def linger_s(self, instance: Instance) -> float:
        """Return how long an instance waits at its end for messages that are on their way."""
        if self._linger_s is not None:
            return self._linger_s
        return LINGER_S if instance is self.first else 0.0

    def note_closing(self, how: str) -> None:
        """Count a dialogue that the end of an instance had to close."""
        kind = how.partition(",")[0]
        self.closings[kind] = self.closings.get(kind, 0) + 1

    def report_bug(self, instance: Instance, error: BaseException) -> None:
        """Log an internal failure with its traceback."""
        self.bugs += 1
        if self.bugs <= 5:
            log.failure("instance failed", error, run_id=self.run_id, instance=instance.idx)

    # -- what is known -----------------------------------------------------------------------

    def lost_with_place(self, planned: int) -> int:
        """Return how many starts were not made although the backlog had a free slot."""
        return 0 if self.starter.schedule is None else self.starter.lost_with_place(planned)

    def planned(self) -> int:
        """Return how many starts were due by now, or by the end of starting."""
        return self.starter.planned(self.counters.started)

    def warm_up_planned(self, planned: int) -> int:
        """Return how many of so many planned starts were planned in the warm-up."""
        if self.starter.schedule is None:
            return self.warm_up_started
        return self.starter.warm_up_planned(planned)

    def measured_planned(self) -> int:
        """Return how many measured starts were due by now."""
        planned = self.planned()
        return planned - self.warm_up_planned(planned)

    @property
    def measured_started(self) -> int:
        """The number of measured starts that were made."""
        return self.counters.started - self.warm_up_started

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
            for instance in islice(self.halted.values(), MAX_HALTED)
        ]


def _is_over(instance: object) -> None:
    raise AssertionError("the run is over")


def _meets_peer(type_name: str) -> bool:
    type_ = type_of(type_name)
    return type_ is not None and type_.family != LOGIC
