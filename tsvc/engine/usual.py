"""The run as the host of a track: instances that do what one before them has done.

The first instance that has passed is shown to the track that a kind of gateway offers (see
operations/usual.py and docs/adr/0028); once the track is known, an instance that may follow it has
a place of the backlog and no greenlet. It is counted as any other. What leaves the track becomes
an ordinary instance: its greenlet plays the past to it, then goes on.
"""

from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import Any, Protocol, cast

from tsvc import memo
from tsvc.engine.definition.compile import CompiledTest
from tsvc.engine.instance import Instance, RunOfInstance
from tsvc.engine.load.counters import Counters, InstanceState
from tsvc.engine.load.starter import Starter
from tsvc.engine.outcome.kept_messages import KeptMessages
from tsvc.engine.walk import Outside, Reckoner, WalkPlay, WalkTrack
from tsvc.expr import Environment, compile_vars, is_expression
from tsvc.operations import together
from tsvc.operations.context import RunContext
from tsvc.operations.usual import Passage, Play, Track

_MOST_LOOKED_AT = 5  # instances that may be no good to learn from, before all go the ordinary way
_FEW = 100  # passages of a track that may leave, before it counts how many of all do


class Waiting(Protocol):
    """An instance that waits to be resumed."""

    idx: int
    comment: str | None
    halt_until: float | None

    @property
    def position(self) -> int:
        """Index of the operation that waits."""

    def resume(self) -> bool:
        """End a halt; False if it is not halted, or resumed already."""


class RunOfPassages(RunOfInstance, Protocol):
    """What is used of a run."""

    instances: dict[int, Instance | Passage]
    starter: Starter

    def note_start(self, idx: int, now: float, planned_at: float, had_place: bool) -> None:
        """Count a start that is made now."""

    def note_halt(self, instance: Waiting, *, is_halted: bool) -> None:
        """Count an instance as halted, or no longer."""

    def finish_passage(self, passage: Passage) -> None:
        """Count a passage that has come to its end."""

    def play(self, instance: Instance) -> None:
        """Have an instance executed, and count its end. Blocks: that long."""


class Usual:
    """Of one run: a usual.Host."""

    def __init__(self, run: RunOfPassages) -> None:
        self.run = run
        self.clock = run.clock
        self.context = run.context
        self.note_late = run.counters.note_late
        self.keeps_messages = run.keeps_messages and run.keeps_details
        self.sequences: Mapping[str, Callable[[int], str]] = sequences_of(
            run.compiled.params.get("vars") or {}
        )
        self.begun = 0
        self.deviated = 0
        self._looked_at = 0
        self._learnt_at = 0.0
        self._before = 0, 0  # begun and deviated until then
        self._candidate: Instance | None = None  # it keeps messages for us alone
        self._track = _track_of(run, self)
        self._given_up: list[Track] = []
        self._is_followed = self._track is not None

    def begin(self, idx: int, planned_at: float, had_place: bool) -> Passage | None:
        """Start an instance that follows the track; None: it must be an ordinary one."""
        track, run = self._track, self.run
        if track is None or not track.is_known or not self._is_followed:
            return None
        passage = track.begin(idx, planned_at)
        if passage is None:
            return None
        self.begun += 1
        run.note_start(idx, passage.started_at, planned_at, had_place)
        run.instances[idx] = passage
        run.starter.pool.hold(passage)
        track.run(passage)
        return passage

    def watch(self, instance: Instance) -> None:
        """Have an ordinary instance that begins keep what is needed to learn from one."""
        if not self._is_followed or self._track is None or self._track.is_known:
            return
        if self._candidate is None and instance.kept is None:
            self._candidate = instance
            instance.kept = KeptMessages(with_links=False)

    def consider(self, instance: Instance, state: InstanceState) -> None:
        """Learn from an ordinary instance that is over, if it has passed."""
        track = self._track
        is_wanted = track is not None and self._is_followed and not track.is_known
        if is_wanted and state is InstanceState.PASSED and instance.kept is not None:
            assert track is not None
            track.learn(instance)
            self._learnt_at = self.clock.now()
            self._before = self.begun, self.deviated
            self._looked_at += 1
            self._is_followed = track.is_known or self._looked_at < _MOST_LOOKED_AT
        if instance is self._candidate:
            instance.kept = self._candidate = None

    def end(self) -> None:
        """The run is over."""
        for track in (*self._given_up, self._track):
            if track is not None:
                track.end()

    def let_go(self) -> None:
        """Nobody wants an ordinary instance any more: without circles, the run goes at once."""
        self._track = None
        self._given_up.clear()

    # -- the host of the track -----------------------------------------------------------------

    def variables(self, idx: int, started_at: float) -> Environment:
        """Return what expressions of an instance see. Errors: ExpressionFailed."""
        run, wall = self.run, self.wall_at(started_at)
        facts: dict[str, Any] = {"run_id": run.run_id, "idx": idx, "seed": run.seed, "time": wall}
        outside = Outside(run.seed, idx, wall)
        env = Environment({}, {}, {}, facts, random=outside, now=outside.now)
        run.compiled.vars.fill(env, idx)
        return env

    def reckon(
        self,
        idx: int,
        started_at: float,
        alone: Container[int],
        meet: Callable[[int, Environment], None],
    ) -> None:
        """Go the way of an instance. Errors: as of usual.Host."""
        run = self.run
        reckoner = Reckoner(self.variables(idx, started_at), self.clock)
        reckoner.go(run.executes, run.max_steps, alone, meet)

    def wall_at(self, moment: float) -> float:
        """Return the wall time of a moment."""
        return self.run.wall_at(moment)

    def note_latency(self, idx: int, position: int, name: str, seconds: float) -> None:
        """Count a wait for a peer."""
        self.run.note_latency(idx, position, name, seconds)

    def finished(self, passage: Passage) -> None:
        """Count a passage that has come to its end."""
        self.run.finish_passage(passage)

    def deviate(self, passage: Passage, play: Play) -> None:
        """Make the ordinary instance, which gets the passage's place."""
        self.deviated += 1
        if passage.started_at >= self._learnt_at:
            begun, deviated = self._before
            self._judge(self.begun - begun, self.deviated - deviated)
        instance = self._instance(play, passage.idx, passage.planned_at, is_over=False)
        self.run.instances[passage.idx] = instance
        self.run.starter.pool.hand_over(passage, self._go_on, instance, passage, play)

    def _judge(self, begun: int, deviated: int) -> None:
        """Give a track up that most have left: the one that it was learnt from was the odd one."""
        if deviated <= _FEW or deviated * 2 <= begun or self._track is None:
            return
        self._given_up.append(self._track)  # others still follow it
        self._track = _track_of(self.run, self)
        is_learnt = self._track is not None and not self._track.is_known
        self._is_followed = is_learnt and self._looked_at < _MOST_LOOKED_AT

    def _go_on(self, instance: Instance, passage: Passage, play: Play) -> None:
        try:
            self.run.play(instance)
        finally:
            if not play.is_live:  # it ended before it was where the passage is
                passage.forget()

    def replay(self, play: Play, idx: int, planned_at: float) -> Instance | None:
        """Return an instance made of a past that is over; None if it did not pass."""
        instance = self._instance(play, idx, planned_at, is_over=True)
        stage: Any = instance.run
        if self.run.compiled.sayings.lookups:
            instance.env.i = heard = _Heard(instance)
            play.heard = heard.log
        state = instance.execute()
        instance.env.i = dict(instance.env.i)
        instance.let_go()
        instance.run = self.run
        play.forget()
        noted = stage.noted + stage.counters.unchecked_refusals
        return instance if state is InstanceState.PASSED and not noted else None

    def ordinary(self, passage: Passage) -> Instance:
        """Return the ordinary instance of a passage that is over."""
        instance = self.replay(passage.past(), passage.idx, passage.planned_at)
        assert instance is not None, "what has passed passes"
        return instance

    def _instance(self, play: Play, idx: int, planned_at: float, *, is_over: bool) -> Instance:
        run = self.run
        stage = (_PastStage if is_over else _Stage)(run, play)
        make = play.instance if isinstance(play, WalkPlay) else Instance
        instance = make(cast(Any, stage), idx, planned_at)
        instance.is_played = True

        def go_live() -> None:
            instance.run = run
            if instance.ends_by is not None:
                play.leave_past()  # it ends now, not then
            instance.go_live()

        play.on_live = go_live
        play.position = lambda: instance.position
        return instance


class _Heard(dict[str, Any]):
    """`$i` of an instance that is played; keeps what each operation has taken."""

    def __init__(self, instance: Instance) -> None:
        super().__init__()
        self.log: list[tuple[int, Mapping[str, Any]]] = []
        self._instance = instance

    def update(self, received: Mapping[str, Any]) -> None:  # type: ignore[override]
        """Take in what an operation has taken."""
        self.log.append((self._instance.position, received))
        super().update(received)


class _Stage:
    """The run, as an instance sees it to which a past is played."""

    def __init__(self, run: RunOfPassages, play: Play) -> None:
        self._run = run
        self.clock = play.clock
        self.context = RunContext(run.context.params, play.gateways(run.context.gateways))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)


class _PastStage(_Stage):
    """The same where all is past: it was counted then. `noted`: what a passage does not do."""

    def __init__(self, run: RunOfPassages, play: Play) -> None:
        super().__init__(run, play)
        self.counters = Counters()
        self.noted = 0
        self._play = play

    def note_latency(self, _: int, position: int, name: str, seconds: float) -> None:
        """Tell who asked for the past."""
        self._play.note_latency(position, name, seconds)

    def note_malformed(self) -> None:
        """Something malformed came."""
        self.noted += 1

    def note_closing(self, how: str) -> None:
        """The instance has left a dialogue open."""
        self.noted += 1


def sequences_of(given: Mapping[str, Any]) -> dict[str, Callable[[int], str]]:
    """Return the sequences of digits in `vars`, if all else there is constant."""
    found: dict[str, Callable[[int], str]] = {}
    for name, value in given.items():
        options = value.get("$sequence") if isinstance(value, dict) else None
        if options is not None and options.get("width"):
            maker = compile_vars({name: value}, "vars", []).makers
            [(_, make)] = maker
            found[name] = partial(_nth, make)
        elif not isinstance(value, str | int) or is_expression(value):
            return {}
    return found


def _nth(make: Callable[[Any, int], object], idx: int) -> str:
    return str(make(None, idx))  # a sequence sees nothing of an instance


def _track_of(run: RunOfPassages, host: Usual) -> Track | None:
    """Return the track that a kind offers, None where all instances go the ordinary way."""
    compiled = run.compiled
    is_usual = compiled.params["track"] and compiled.plan.total > 1 and compiled.is_own
    if not is_usual or run.is_turbo or memo.is_off():
        return None
    steps = len(compiled.steps)
    if compiled.sayings.meet_nobody(steps):
        return WalkTrack(host)
    offered = [part.track(host, compiled.sayings, steps) for part in compiled.parts]
    found: list[Track] = [track for track in offered if track is not None]
    return found[0] if len(found) == 1 else _together(compiled, host, steps)


def _together(compiled: CompiledTest, host: Usual, steps: int) -> Track | None:
    """Return the track of a run whose instances meet several, None if a kind has no part in it."""
    sayings = compiled.sayings
    offered = [part.source(host, sayings) for part in compiled.parts]
    sources = [source for source in offered if source is not None]
    alone = sayings.reckoning([source.kind for source in sources], steps)
    return (
        None
        if alone is None or not sources
        else together.JointTrack(host, sayings, sources, alone)
    )
