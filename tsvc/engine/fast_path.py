"""The fast path of a run: instances that repeat a recorded instance, without a greenlet.

The first instance that has passed is recorded (tsvc/operations/fast_path, docs/adr/0028). From
then on an instance that may follow the recording holds a slot of the backlog and is counted like
any other. An instance that meets an unknown event falls back: it becomes an ordinary instance,
whose greenlet replays the past to it, then continues. If the ordinary instance passes, its
recording becomes a branch.

A run stops using the fast path if it does not pay: `HitRate` compares its savings and costs.
"""

from collections import Counter
from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import Any, Protocol, cast

from tsvc import memo
from tsvc.engine.instance import Instance
from tsvc.engine.load.counters import Counters, InstanceState
from tsvc.engine.load.starter import Starter
from tsvc.engine.local import LocalPath, LocalReplay, Precomputation, SeededEnvironment
from tsvc.engine.result.kept_messages import KeptMessages
from tsvc.engine.run_of_instance import RunOfInstance
from tsvc.expr import Environment, compile_vars
from tsvc.log import get_logger
from tsvc.operations.context import RunContext
from tsvc.operations.eligibility import Reason, is_sequence
from tsvc.operations.fast_path.contract import AnyReplay, Replayed
from tsvc.operations.fast_path.frame import FastPath, Origin

log = get_logger("fast_path")

_MOST_LOOKED_AT = 5  # failed attempts to record before the fast path is given up
_MOST_CANDIDATES = 16  # instances that fell back and keep messages, at the same time
MOST_GUARDS = 16  # reasons for falling back that the result lists


# The member `fast_path` of the result of a run that has not begun.
NO_FAST_PATH: dict[str, Any] = {
    "instances": 0,
    "fell_back": 0,
    "branches": 0,
    "not_eligible": [],
    "guards": [],
}


class Waiting(Protocol):
    """An instance that waits to be resumed."""

    idx: int
    comment: str | None
    halt_until: float | None

    @property
    def position(self) -> int:
        """Index of the operation that waits."""

    def resume(self) -> bool:
        """End a halt. Return False if the instance is not halted, or was resumed already."""


class RunOfReplayed(RunOfInstance[Instance], Protocol):
    """The attributes and methods of a run that its fast path uses."""

    instances: dict[int, Instance | Replayed]
    starter: Starter

    def note_start(self, idx: int, now: float, planned_at: float, had_place: bool) -> None:
        """Count a start that is made now."""

    def note_halt(self, instance: Waiting, *, is_halted: bool) -> None:
        """Count an instance as halted, or no longer."""

    def finish_replayed(self, instance: Replayed) -> None:
        """Count an instance that has passed on the fast path."""

    def play(self, instance: Instance) -> None:
        """Execute an instance and count its end. Blocks: until the instance is over."""


class HitRate:
    """Decides whether the fast path pays, in units of the CPU time of one ordinary instance.

    An instance that is replayed to its end saves about half of an ordinary instance, or more. An
    instance that falls back costs its replay. An instance that can't begin costs the attempt
    (docs/performance.md). The expected saving is counted when an instance begins: if calls are
    long, the first instances to end are those that fall back, and these alone must not decide.
    """

    SAVED, FALLEN_BACK, REFUSED = 0.4, 0.9, 0.1
    WINDOW = 100  # instances from one decision to the next

    def __init__(self) -> None:
        self.pays = True
        self._balance = 0.0
        self._count = 0

    def note(self, worth: float) -> None:
        """Count an instance. `worth`: its saving, or its cost as a negative number."""
        self._balance += worth
        self._count += 1
        if self._count >= self.WINDOW:
            self.pays = self._balance > 0
            self._balance = 0.0
            self._count = 0

    def charge(self, cost: float) -> None:
        """Subtract a cost of an instance that was counted already."""
        self._balance -= cost

    def restart(self) -> None:
        """Start a new window: a branch was added."""
        self._balance = 0.0
        self._count = 0


class RunFastPath:
    """The fast path of one run; a contract.Host."""

    def __init__(self, run: RunOfReplayed) -> None:
        self.run = run
        self.clock = run.clock
        self.context = run.context
        self.note_late = run.counters.note_late
        self.keeps_messages = run.keeps_messages and run.keeps_details
        self.begun = 0
        self.fell_back = 0
        self.branches = 0
        self.reasons: list[Reason] = []  # why the run has no fast path
        # Numbers of instances that fell back, by (operation, why).
        self.guards: Counter[tuple[int, str]] = Counter()
        self.hit_rate = HitRate()
        self._looked_at = 0
        self._candidate: Instance | None = None  # keeps messages only for its recording
        # Instances that fell back and keep messages, with the step at which they fell back.
        self._origins: dict[Instance, Origin] = {}
        self._path = self._made()
        self._is_followed = self._path is not None

    def _made(self) -> "FastPath | LocalPath | None":
        """Return the fast path; None if all instances are ordinary: `reasons` has the reasons."""
        compiled = self.run.compiled
        eligibility = compiled.eligibility
        if not compiled.params["track"]:
            self.reasons = [Reason(-1, "track is 0")]
        elif compiled.plan.total <= 1:
            self.reasons = [Reason(-1, "it is one instance")]
        elif self.run.is_turbo:
            self.reasons = [Reason(-1, "turbo checks nothing that could be compared")]
        elif memo.is_off():
            self.reasons = [Reason(-1, "memories are off")]
        elif eligibility.is_local:
            return LocalPath(self)
        else:
            self.reasons = eligibility.why_not()
        if self.reasons:
            return None
        offered = [part.fast_path(self, eligibility) for part in compiled.parts]
        self.reasons = [Reason(-1, one) for one in offered if isinstance(one, str)]
        sources = [one for one in offered if one is not None and not isinstance(one, str)]
        if self.reasons or not sources:
            return None
        return FastPath(
            self, sources, eligibility.kind_of, eligibility.between, eligibility.lookups
        )

    def begin(self, idx: int, planned_at: float, had_place: bool) -> Replayed | None:
        """Start and return an instance on the fast path; None if it must be an ordinary one."""
        path, run = self._path, self.run
        if path is None or not path.is_known or not self._is_followed:
            return None
        if not self.hit_rate.pays:
            self._is_followed = False
            return None
        instance = path.begin(idx, planned_at)
        if instance is None:
            self.hit_rate.note(-HitRate.REFUSED)
            return None
        self.begun += 1
        self.hit_rate.note(HitRate.SAVED)
        run.note_start(idx, instance.started_at, planned_at, had_place)
        run.instances[idx] = instance
        run.starter.pool.hold(instance)
        path.run(cast(Any, instance))
        return instance

    def watch(self, instance: Instance) -> None:
        """Make an ordinary instance keep the messages for a recording, if one is needed."""
        if not self._is_followed or self._path is None or self._path.is_known:
            return
        if self._candidate is None and instance.kept is None:
            self._candidate = instance
            instance.kept = KeptMessages(with_links=False)

    def consider(self, instance: Instance, state: InstanceState) -> None:
        """Record an ordinary instance that is over, if it has passed."""
        path = self._path
        is_good = path is not None and self._is_followed and state is InstanceState.PASSED
        origin = self._origins.pop(instance, None)
        if is_good and instance.kept is not None:
            assert path is not None
            is_first = not path.is_known
            try:
                is_learnt = (is_first or origin is not None) and path.learn(instance, origin)
            except Exception as error:  # noqa: BLE001 - the instance is over, and must be counted
                log.failure("an instance could not be recorded", error)
                is_learnt = False
            if is_first:
                self._looked_at += 1
                self._is_followed = path.is_known or self._looked_at < _MOST_LOOKED_AT
            elif is_learnt:
                self.branches = path.branches
                self.hit_rate.restart()
        if instance is self._candidate:
            self._candidate = None
            instance.kept = None
        elif origin is not None and not self.keeps_messages:
            instance.kept = None

    def end(self) -> None:
        """Release the resources of the fast path: the run is over."""
        if self._path is not None:
            self._path.end()

    def release(self) -> None:
        """Break the reference cycle: no more ordinary instances will be requested."""
        self._path = None
        self._origins.clear()

    def result(self) -> dict[str, Any]:
        """Return the member `fast_path` of the result."""
        return {
            "instances": self.run.counters.replayed,
            "fell_back": self.fell_back,
            "branches": self.branches,
            "not_eligible": [
                {"operation": None if one.operation < 0 else one.operation, "why": one.why}
                for one in self.reasons
            ],
            "guards": [
                {"operation": operation, "why": why, "count": count}
                for (operation, why), count in self.guards.most_common(MOST_GUARDS)
            ],
        }

    # -- the host of the fast path -------------------------------------------------------------

    def variables(self, idx: int, started_at: float) -> Environment:
        """Return the environment of an instance's expressions. Errors: ExpressionFailed."""
        run, wall = self.run, self.wall_at(started_at)
        facts: dict[str, Any] = {"run_id": run.run_id, "idx": idx, "seed": run.seed, "time": wall}
        facts |= run.context.ports
        outside = SeededEnvironment(run.seed, idx, wall)
        env = Environment({}, {}, {}, facts, random=outside, now=outside.now)
        run.compiled.vars.fill(env, idx)
        return env

    def sequence(self, name: str) -> Callable[[int], str] | None:
        """Return the function that makes the digits of a variable; see contract.Host."""
        compiled = self.run.compiled
        value = (compiled.params.get("vars") or {}).get(name)
        if not compiled.eligibility.are_sequences or not is_sequence(value):
            return None
        [(_, make)] = compile_vars({name: value}, "vars", []).makers
        return partial(_nth, make)

    def precompute(
        self,
        idx: int,
        started_at: float,
        local: Container[int],
        meet: Callable[[int, Environment], None],
    ) -> None:
        """Perform the local operations of an instance. Errors: as of contract.Host."""
        run = self.run
        computation = Precomputation(self.variables(idx, started_at), self.clock)
        computation.go(run.executes, run.max_steps, local, meet)

    def wall_at(self, moment: float) -> float:
        """Return the wall time of a moment."""
        return self.run.wall_at(moment)

    def note_latency(self, idx: int, position: int, name: str, seconds: float) -> None:
        """Count a wait for a peer."""
        self.run.note_latency(idx, position, name, seconds)

    def finished(self, instance: Replayed) -> None:
        """Count an instance that has passed on the fast path."""
        self.run.counters.replayed += 1
        self.run.finish_replayed(instance)

    def fall_back(self, replayed: Replayed, replay: AnyReplay, why: str) -> None:
        """Create the ordinary instance, which gets the slot of the replayed instance."""
        self.fell_back += 1
        self.run.counters.fell_back += 1
        self.guards[replayed.position, why] += 1
        self.hit_rate.charge(HitRate.SAVED + HitRate.FALLEN_BACK)
        instance = self._instance(replay, replayed.idx, replayed.planned_at, is_over=False)
        self._watch_for_branch(instance, getattr(replayed, "origin", None))
        self.run.instances[replayed.idx] = instance
        self.run.starter.pool.hand_over(replayed, self._go_on, instance, replayed, replay)

    def _watch_for_branch(self, instance: Instance, origin: Origin | None) -> None:
        """Make an instance that falls back keep the messages that a branch needs.

        Only one instance at a time for each origin: others with the same message would become the
        same branch.
        """
        if origin is None or not self._is_followed or origin in self._origins.values():
            return
        if len(self._origins) < _MOST_CANDIDATES:
            self._origins[instance] = origin
            if instance.kept is None:
                instance.kept = KeptMessages(with_links=False)

    def _go_on(self, instance: Instance, replayed: Replayed, replay: AnyReplay) -> None:
        try:
            self.run.play(instance)
        finally:
            if not replay.is_live:  # ended before it reached the position of the replayed instance
                replayed.forget()

    def replay(self, replay: AnyReplay, idx: int, planned_at: float) -> Instance | None:
        """Return an instance to which a whole past was replayed; None unless it has passed."""
        instance = self._instance(replay, idx, planned_at, is_over=True)
        stage: Any = instance.run
        if self.run.compiled.eligibility.lookups:
            instance.env.i = log = _ReceivedLog(instance)
            replay.received = log.log
        state = instance.execute()
        instance.env.i = dict(instance.env.i)
        instance.let_go()
        instance.run = self.run
        replay.forget()
        noted = stage.noted + stage.counters.unchecked_refusals
        return instance if state is InstanceState.PASSED and not noted else None

    def ordinary(self, replayed: Replayed) -> Instance:
        """Return the ordinary instance of a replayed instance that is over."""
        instance = self.replay(replayed.past(), replayed.idx, replayed.planned_at)
        assert instance is not None, "what has passed passes"
        # As it was counted: the past ends with the last message, before the instance took it.
        instance.finished_at = replayed.finished_at
        return instance

    def _instance(
        self, replay: AnyReplay, idx: int, planned_at: float, *, is_over: bool
    ) -> Instance:
        run = self.run
        stage = (_PastStage if is_over else _Stage)(run, replay)
        make = replay.instance if isinstance(replay, LocalReplay) else Instance
        instance = make(cast(Any, stage), idx, planned_at)
        instance.is_played = True

        def go_live() -> None:
            instance.run = run
            if instance.ends_by is not None:
                replay.leave_past()  # the instance ends at the present time, not in the past
            instance.go_live()

        replay.on_live = go_live
        replay.position = lambda: instance.position
        return instance


class _ReceivedLog(dict[str, Any]):
    """`$i` of an instance to which a past is replayed; logs what each operation has received."""

    def __init__(self, instance: Instance) -> None:
        super().__init__()
        self.log: list[tuple[int, Mapping[str, Any]]] = []
        self._instance = instance

    def update(self, received: Mapping[str, Any]) -> None:  # type: ignore[override]
        """Add what an operation has received, and log it."""
        self.log.append((self._instance.position, received))
        super().update(received)


class _Stage:
    """The run, as seen by an instance to which a past is replayed."""

    def __init__(self, run: RunOfReplayed, replay: AnyReplay) -> None:
        self._run = run
        self.clock = replay.clock
        gateways = replay.gateways(run.context.gateways)
        self.context = RunContext(run.context.params, gateways, run.context.ports)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)


class _PastStage(_Stage):
    """The run, as seen by an instance that is over: everything was counted when it happened.

    noted: how many events were noted that make a recording unusable.
    """

    def __init__(self, run: RunOfReplayed, replay: AnyReplay) -> None:
        super().__init__(run, replay)
        self.counters = Counters()
        self.noted = 0
        self._replay = replay

    def note_latency(self, _: int, position: int, name: str, seconds: float) -> None:
        """Report the wait to the replay."""
        self._replay.note_latency(position, name, seconds)

    def note_malformed(self) -> None:
        """Count a malformed message that came."""
        self.noted += 1

    def note_closing(self, how: str) -> None:
        """Count a dialogue that the instance has left open."""
        self.noted += 1


def _nth(make: Callable[[Any, int], object], idx: int) -> str:
    return str(make(None, idx))  # a sequence does not use the environment
