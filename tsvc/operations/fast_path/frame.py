"""The fast path of one run: its recordings, and the instances that follow them.

A recording has the messages of one instance that has passed, over all its gateways and dialogues.
Their order, in which they were sent and awaited, gives the *steps*. An instance on the fast path
goes from step to step: to send is to fill a template, to receive is to compare octets. It has no
greenlet. A *path* is one gateway or one dialogue; an instance has a *state* on each path.

A message that comes before it is awaited is held, as the inbox of an ordinary instance would hold
it. Two conditions apply: its path awaits this message next, and the path has sent everything that
it sends before. A dialogue does not depend on the messages of another gateway meanwhile.

A message that fits no recording makes the instance fall back: an ordinary instance is made from
the past (replay.py). If the ordinary instance passes, its recording becomes a *branch*, which is
tried where the recordings differ first. Nothing here switches.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from tsvc.log import get_logger
from tsvc.operations.fast_path.contract import NOT_RECORDABLE, Host, Pending, Recorded
from tsvc.operations.fast_path.recording import PathSource, Recorder, Recording, Step
from tsvc.operations.fast_path.replay import Replay
from tsvc.operations.fast_path.waits import (
    EndChecks,
    NextRound,
    TimeoutQueues,
    act_all,
)

log = get_logger("fast_path")

MOST_BRANCHES = 16
_MOST_LEARNT = 64  # attempts in a run to record a branch, failed attempts included


class Origin(NamedTuple):
    """The step at which an instance fell back because an unknown message came."""

    recording: Recording
    step: int


class FastPath:
    """The recordings of one run."""

    def __init__(
        self,
        host: Host,
        sources: Sequence[PathSource],
        kind_of: Callable[[int], str | None],
        local: Collection[int],
        lookups: Collection[tuple[str, ...]],
    ) -> None:
        """kind_of: returns the kind of the operation with an index; local: operations that meet no
        peer; lookups: members of received messages that expressions read."""
        self.host = host
        self.root: Recording | None = None
        self.branches = 0
        self.next_round = NextRound(host.clock, self._act)
        self._timeouts = TimeoutQueues(host.clock)
        self._recorder = Recorder(host, sources, kind_of, local, lookups, self._timeouts)
        self._end_checks = EndChecks(host.clock, self._finish)
        self._learnt = 0
        self._hits: dict[Recording, int] = {}  # of branches
        self._all: list[Recording] = []

    @property
    def is_known(self) -> bool:
        """True once something is recorded."""
        return self.root is not None

    # -- recording -----------------------------------------------------------------------------

    def learn(self, instance: Recorded, origin: Origin | None = None) -> bool:
        """Record a passed instance. Return True if later instances can follow it.

        origin: where the instance fell back; its recording is then a branch of another recording.
        """
        if origin is not None and self._learnt >= _MOST_LEARNT:
            return False
        self._learnt += origin is not None
        try:
            found = self._recorder.record(instance)
            if (
                origin is not None
                and found.log[: origin.step + 1] != origin.recording.log[: origin.step + 1]
            ):
                raise ValueError("it went another way before")
            if origin is not None and not _continues(origin.recording, found):
                raise ValueError("its gateways and dialogues are others")
        except NOT_RECORDABLE:
            return False
        self._all.append(found)
        if origin is None:
            self.root = found
            return True
        if self.branches == MOST_BRANCHES:
            self._drop_one()
        if origin.recording not in self._known():
            return False  # the recording was dropped meanwhile
        origin.recording.steps[origin.step].branches.append(found)
        self._hits[found] = 0
        self.branches += 1
        return True

    def _drop_one(self) -> None:
        """Drop the branch that was used least, and the branches that begin on it.

        Instances on a dropped branch continue: they hold a reference to their recording.
        """
        least = min(self._hits, key=self._hits.__getitem__)
        for recording in self._known():
            for step in recording.steps:
                if least in step.branches:
                    step.branches.remove(least)
        known = set(self._known())
        self._hits = {one: count for one, count in self._hits.items() if one in known}
        self.branches = len(self._hits)

    def _known(self) -> list[Recording]:
        """Return the recordings that instances may follow: the first one, and all branches."""
        found = [] if self.root is None else [self.root]
        for recording in found:
            for step in recording.steps:
                found += step.branches
        return found

    # -- replaying -----------------------------------------------------------------------------

    def begin(self, idx: int, planned_at: float) -> "ReplayedInstance | None":
        """Return an instance that has not begun; None if it can't follow the recording."""
        root = self.root
        if root is None or not root.paths[root.steps[0].path].is_free():
            return None
        made = ReplayedInstance(self, root, idx, planned_at, self.host.clock.now())
        try:
            made.values = root.values.of(idx, made.started_at)
            made.states = [path.join(made) for path in root.paths]
        except NOT_RECORDABLE:
            return None  # the ordinary instance reports the reason
        except Exception as error:  # noqa: BLE001 - the ordinary instance reports it as its own
            log.failure("the fast path failed", error)
            return None
        return made

    def run(self, instance: "ReplayedInstance") -> None:
        """Do the first steps. Over a loopback the instance may be over afterwards."""
        act_all((instance,), self._act, instance.started_at)

    def _act(self, instance: "ReplayedInstance", now: float) -> None:
        """Do the next steps, until the instance has to wait for a message."""
        steps = instance.recording.steps
        while instance.at < len(steps):
            step = steps[instance.at]
            state = instance.states[step.path]
            if step.waits is None:
                instance.at += 1
                if instance.is_ordered:
                    instance.order.append(2 * step.path)
                if not instance.recording.paths[step.path].send(state, step.message, now):
                    return
                steps = instance.recording.steps
                now = self.host.clock.now()  # over a loopback something may have come meanwhile
            elif state.taken < len(state.received):  # it is held
                state.taken += 1
                instance.waited.append(0.0)
                instance.at += 1
            else:
                instance.awaits = True
                instance.waits_since = now
                step.waits.add(instance, now)
                return
        instance.finished_at = now
        if instance.recording.lingers:
            self._end_checks.add(instance)
        else:
            self._finish(instance, now)

    def _finish(self, instance: "ReplayedInstance", _: float) -> None:
        """Count an instance that has passed: no other message has come."""
        recording, host = instance.recording, self.host
        for path, state in zip(recording.paths, instance.states, strict=True):
            path.over(state)
        idx, waited, note = instance.idx, instance.waited, host.note_latency
        for at, position, name, is_wait in recording.noted:
            note(idx, position, name, waited[at] if is_wait else 0.0)
        instance.release()
        instance.pending = []  # it is over: an error from here on must not make it fall back
        host.finished(instance)

    def came(self, instance: "ReplayedInstance", path: int, now: float) -> None:
        """Handle a message that was appended to `state.received` and that its path awaits next."""
        if instance.is_ordered:
            instance.order.append(2 * path + 1)
        steps, at = instance.recording.steps, instance.at
        if not instance.awaits or steps[at].path != path:
            return  # it is held
        step = steps[at]
        assert step.waits is not None
        instance.awaits = False
        del step.waits.until[instance]
        instance.waited.append(now - instance.waits_since)
        instance.states[path].taken += 1
        instance.at = at = at + 1
        following = steps[at] if at < len(steps) else None
        if following is not None and following.waits is not None and following.path == path:
            instance.awaits = True
            instance.waits_since = now
            following.waits.add(instance, now)
        else:
            self.next_round.add(instance)

    def branch(self, instance: "ReplayedInstance", path: int, came: Any) -> bool:
        """Continue an instance on another recording, if that recording awaits the message `came`.

        Both recordings have the same steps until that message, and all earlier messages fit both.
        Return False if no recording awaits the message.
        """
        at = instance.awaited_at(path)
        if at < 0:
            return False
        state, waits = instance.states[path], instance.recording.steps[instance.at].waits
        for other in instance.recording.steps[at].branches:
            following = other.steps[instance.at].waits
            if instance.awaits and instance.at != at and following is not waits:
                continue  # the times of these waits are not kept here
            try:
                values = other.values.of(instance.idx, instance.started_at)
                if not other.paths[path].fits(state, other.steps[at].message, values, came):
                    continue
                if not _has_received(other, instance, values):
                    continue
                more = [one.join(instance) for one in other.paths[len(instance.states) :]]
            except NOT_RECORDABLE:
                continue
            self._hits[other] = self._hits.get(other, 0) + 1
            if instance.awaits and following is not waits:
                assert waits is not None
                assert following is not None
                del waits.until[instance]
                following.until[instance] = 0.0  # came() takes it out
            if not instance.is_ordered and len(other.paths) > 1:
                instance.is_ordered = True
                held = [2 * path + 1] * (len(state.received) - state.taken)
                instance.order = instance.recording.log[: instance.at] + held
            instance.recording, instance.values = other, values
            for one, own in zip(other.paths, instance.states, strict=False):
                one.change(own)
            instance.states += more
            return True
        return False

    def fall_back(self, instance: "ReplayedInstance", pending: list[Pending], why: str) -> None:
        """Create the ordinary instance of an instance on the fast path."""
        if instance.awaits:
            waits = instance.recording.steps[instance.at].waits
            assert waits is not None
            waits.until.pop(instance, None)
        for path, state in zip(instance.recording.paths, instance.states, strict=True):
            path.pause(state)
        replay = self.replay(instance, pending)
        self.host.fall_back(instance, replay, why)
        instance.replay = replay

    def replay(self, instance: "ReplayedInstance", pending: list[Pending] | None = None) -> Replay:
        """Return the past of an instance until now."""
        recording, states = instance.recording, instance.states
        counts = [count for one in states for count in (_count(one.sent), len(one.received))]
        order: list[int] = []
        log = instance.order if instance.is_ordered else recording.log
        for code in log:  # a message that could not be sent is the last of its path
            if counts[code]:
                counts[code] -= 1
                order.append(code)
        wall = self.host.wall_at(instance.started_at)
        replay = Replay(self.host.clock, instance.started_at, wall, pending, order)
        replay.on_left, replay.on_delivered = instance.release, instance.release_replays
        for path, state in zip(recording.paths, states, strict=True):
            replay.add(path.replay(state, replay))
        return replay

    def end(self) -> None:
        """Release all resources: the run is over."""
        for recording in self._all:
            for path in recording.paths:
                path.end()
        self._timeouts.end()
        self.next_round.end()
        self._end_checks.end()


def _continues(recording: Recording, branch: Recording) -> bool:
    """Return True if a branch has the same paths as a recording in the same order, and maybe more.

    An instance that changes to the branch keeps its states, by their index.
    """
    kinds, others = ([type(path) for path in one.paths] for one in (recording, branch))
    return others[: len(kinds)] == kinds


def _has_received(
    recording: Recording, instance: "ReplayedInstance", values: Sequence[bytes]
) -> bool:
    """Return True if another recording awaits all messages that have come for an instance."""
    return all(
        path.has_received(state, number, values)
        for path, state in zip(recording.paths, instance.states, strict=False)
        for number in range(len(state.received))
    )


def _count(sent: Any) -> int:
    return sent if isinstance(sent, int) else len(sent)


class ReplayedInstance:
    """One instance on the fast path; a contract.Replayed.

    at:     index of its next step; while it awaits a message, of that step.
    waited: how long it has waited for each message that it has taken, in seconds.
    order:  2 n for a message that path n has sent, 2 n + 1 for a message that came; kept if there
            are several paths, otherwise it is the order of steps.
    """

    __slots__ = (
        "_fast_path",
        "at",
        "awaits",
        "finished_at",
        "idx",
        "is_ordered",
        "order",
        "origin",
        "pending",
        "planned_at",
        "recording",
        "replay",
        "started_at",
        "states",
        "values",
        "waited",
        "waits_since",
    )

    def __init__(
        self, fast_path: FastPath, recording: Recording, idx: int, planned_at: float, now: float
    ) -> None:
        self._fast_path = fast_path
        self.recording = recording
        self.idx = idx
        self.planned_at = planned_at
        self.started_at = now
        self.finished_at = 0.0
        self.values: Sequence[bytes] = ()
        self.states: list[Any] = []
        self.is_ordered = len(recording.paths) > 1
        self.order: list[int] = []
        self.at = 0
        self.awaits = False
        self.waits_since = 0.0
        self.waited: list[float] = []
        self.pending: list[Pending] | None = None
        self.replay: Any = None  # made when it fell back; gets the messages that came since
        self.origin: Origin | None = None  # where an unknown message came

    # -- for its paths -------------------------------------------------------------------------

    def came(self, path: int, now: float) -> None:
        """Handle a message that a path awaits next; its state has it already."""
        self._fast_path.came(self, path, now)

    def branch(self, path: int, came: Any) -> bool:
        """Continue on another recording if it awaits the message `came`. Return True if so."""
        return self._fast_path.branch(self, path, came)

    def fall_back(self, then: Pending | None = None, why: str = "another event") -> None:
        """Create the ordinary instance; `then` is called once it is live."""
        more = [] if then is None else [then]
        if self.pending is not None:
            self.pending += more
            return
        self.pending = more
        self._fast_path.fall_back(self, more, why)

    def flush(self, flush: Callable[[], None]) -> None:
        """Call `flush` once all instances of this round have acted."""
        self._fast_path.next_round.flush(flush)

    def next_awaited(self, path: int) -> Step | None:
        """Return the next step if it awaits the next message of a path; None otherwise.

        None: the message comes before it is awaited. Over a loopback a message may come while the
        message before it is sent. Then the step is the next one, but the instance does not wait
        yet.
        """
        steps, state = self.recording.steps, self.states[path]
        step = steps[self.at] if self.at < len(steps) else None
        if step is None or step.waits is None or step.path != path:
            return None
        return step if state.taken == len(state.received) else None

    def awaited_at(self, path: int) -> int:
        """Return the index of the step that awaits the next message of a path; -1: there is none.

        The step may be later than the next step: then the message is held.
        """
        state = self.states[path]
        held = len(state.received) - state.taken
        steps = self.recording.steps
        for at in range(self.at, len(steps)):
            if steps[at].path == path and steps[at].waits is not None:
                if not held:
                    return at
                held -= 1
        return -1

    def known(self, path: int) -> list[Any]:
        """Return the messages, of all recordings, that may come next on a path."""
        at = self.awaited_at(path)
        if at < 0:
            return []
        step = self.recording.steps[at]
        return [step.message, *(one.steps[at].message for one in step.branches)]

    def differs(self, path: int, then: Pending | None = None) -> None:
        """Fall back because an unknown message came."""
        at = self.awaited_at(path)
        if self.pending is None and at >= 0:
            self.origin = Origin(self.recording, at)
        self.fall_back(then, "another message came")

    def time_out(self) -> None:
        """Fall back because no message came in time."""
        self.fall_back(None, "nothing came in time")

    # -- for the engine ------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """Index of the operation that waits."""
        steps = self.recording.steps
        return steps[min(self.at, len(steps) - 1)].position

    def past(self) -> Replay:
        """Return the past of an instance that is over."""
        return self._fast_path.replay(self)

    def forget(self) -> None:
        """Release the dialogues: the ordinary instance has ended before it became live."""
        for path, state in zip(self.recording.paths, self.states, strict=True):
            path.forget(state)
        self.release()
        self.release_replays()
        if self.replay is not None:
            self.replay.forget()

    def release(self) -> None:
        """Detach the states. Break reference cycles so that all is freed immediately."""
        for state in self.states:
            state.instance = None

    def release_replays(self) -> None:
        """Release the replays: the ordinary instance has received all messages that have come."""
        for state in self.states:
            state.replay = None

    def carriers_spoke(self) -> bool:
        """Return True if a link has kept messages of its own since the instance began."""
        return any(state.carriers_spoke(self.started_at) for state in self.states)
