"""Recordings: the steps of a passed instance, and the sources of values for other instances.

The instance is replayed once more to its own operations. Sent messages are swallowed, received
messages are fed in. The order in which they are sent and awaited is the order of the steps. Each
kind of gateway defines its paths (GatewayPath, PathSource). Nothing here switches.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from tsvc.operations.context import Session
from tsvc.operations.fast_path.contract import Host, Recorded
from tsvc.operations.fast_path.replay import Noted, PathReplay, Replay
from tsvc.operations.fast_path.slots import SlotSource, SlotValues
from tsvc.operations.fast_path.waits import TimeoutQueue, TimeoutQueues

Place = Callable[[int, bytes], None]
"""Places a value of a slot: place(which value, its octets). Errors: ValueError."""


class Step:
    """A message that is sent, or a message that is awaited: then `waits` is the timeout.

    path:     number of the path.
    message:  the path's data of the message.
    noted:    latencies that operations note when the message has come: (index of the operation,
              label, True if the wait for this message is the latency; otherwise it is 0).
    branches: recordings that differ from this one at this step.
    position: index of the operation that sends or waits.
    """

    __slots__ = ("branches", "message", "noted", "path", "position", "waits")

    def __init__(self, path: int, message: Any, waits: TimeoutQueue | None) -> None:
        self.path = path
        self.message = message
        self.waits = waits
        self.noted: list[tuple[int, str, bool]] = []
        self.position = -1
        self.branches: list[Recording] = []


class PathState(Protocol):
    """The state of one instance on a path.

    instance: None once the instance is over, or once an ordinary instance has taken over.
    sent:     how many messages were sent; received: the messages that have come, of any form.
    taken:    how many received messages a step has consumed; the others are held.
    """

    instance: Any
    path: Any
    sent: Any
    received: list[Any]
    taken: int

    def carriers_spoke(self, since: float) -> bool:
        """Return True if a link has kept messages of its own since a moment."""


S = TypeVar("S", bound=PathState)


class GatewayPath(Protocol[S]):
    """One gateway, or one dialogue, of a recording; shared by all instances on the recording.

    number:  index among the paths of the recording.
    lingers: True if an instance checks at its end whether another message has come.
    """

    number: int
    lingers: bool

    def messages(self) -> tuple[list[Any], list[Any]]:
        """Return the messages that are sent, and the messages that are awaited, in their order."""

    def sources(self) -> list[tuple[SlotSource, Place]]:
        """Return the source of each slot's values, with place(which value, octets) for the slot.

        Errors: ValueError if it is not known which message has an argument. place() raises
        ValueError unless the value occurs exactly once.
        """

    def finish(self) -> None:
        """Complete the path after all slots are placed. Errors: ValueError."""

    def is_free(self) -> bool:
        """Return True if an instance can begin at once."""

    def join(self, instance: Any) -> S:
        """Return the state of a frame.ReplayedInstance. Errors: NOT_RECORDABLE."""

    def change(self, state: S) -> None:
        """Move a state from another recording to this one. Both have the same messages so far."""

    def send(self, state: S, message: Any, now: float) -> bool:
        """Send a message. False: the instance has fallen back."""

    def fits(self, state: S, message: Any, values: Sequence[bytes], came: Any) -> bool:
        """Return True if `came` is a message that this path awaits."""

    def has_received(self, state: S, number: int, values: Sequence[bytes]) -> bool:
        """Return True if message `number`, received on another recording, fits this one too."""

    def pause(self, state: S) -> None:
        """Expect nothing more and release what has not begun: the instance falls back."""

    def replay(self, state: S, whole: Replay) -> PathReplay:
        """Return the past of a state."""

    def over(self, state: S) -> None:
        """Release the dialogue: the instance has passed."""

    def forget(self, state: S) -> None:
        """Release the dialogue: the ordinary instance has ended before it became live."""

    def end(self) -> None:
        """Release all resources: the run is over."""


class PathSource(Protocol):
    """The adapter of a kind of gateway for the fast path of one run."""

    kind: str

    def owns(self, session: Session[Any]) -> bool:
        """Return True if a session of an instance is of this kind."""

    def replays(self, instance: Recorded, whole: Replay) -> None:
        """Add the past of an instance, path by path, to a replay. Errors: NOT_RECORDABLE."""

    def paths(self, replays: Sequence[Any], whole: Replay) -> Sequence[GatewayPath[Any]]:
        """Return a path for each past that was replayed. Errors: NOT_RECORDABLE."""


class Recording(NamedTuple):
    """The steps of one passed instance, and the sources of values for other instances.

    noted: waits that operations note: (which of the awaited messages, index of the operation,
           whose wait, True if it is the wait for that message).
    """

    paths: list[GatewayPath[Any]]
    steps: list[Step]
    noted: list[tuple[int, int, str, bool]]
    values: SlotValues
    log: list[int]  # of each step: 2 n: path n sent a message; 2 n + 1: a message came
    lingers: bool

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


class Recorder:
    """Makes recordings of the instances of one run."""

    def __init__(
        self,
        host: Host,
        sources: Sequence[PathSource],
        kind_of: Callable[[int], str | None],
        local: Collection[int],
        lookups: Collection[tuple[str, ...]],
        timeouts: TimeoutQueues,
    ) -> None:
        """kind_of: returns the kind of the operation with an index; local: operations that meet no
        peer; lookups: members of received messages that expressions read."""
        self._host = host
        self._sources = sources
        self._kind_of = kind_of
        self._local = local
        self._lookups = lookups
        self._timeouts = timeouts

    def record(self, instance: Recorded) -> Recording:
        """Return the recording of an instance. Errors: NOT_RECORDABLE."""
        for session in instance.dialogues:
            if sum(one.owns(session) for one in self._sources) != 1:
                raise ValueError("a session of somebody else")
        host, started_at = self._host, instance.started_at
        replay = Replay(host.clock, started_at, host.wall_at(started_at))
        for source in self._sources:
            before = len(replay.paths)
            source.replays(instance, replay)
            replay.kinds += [source.kind] * (len(replay.paths) - before)
        replay.listen(self._kind_of)
        replays = replay.paths
        replay.visited = self._visited(instance)
        again = host.replay(replay, instance.idx, instance.planned_at)
        if again is None or replay.is_odd:
            raise ValueError("it is not the same when it is replayed")
        replay.longest_s = sum(sum(one.waits) for one in replays)
        paths: list[GatewayPath[Any]] = []
        for source in self._sources:
            own = [
                one for one, kind in zip(replays, replay.kinds, strict=True) if kind == source.kind
            ]
            paths += source.paths(own, replay)
        received = _received(replay.received, self._lookups)
        values = self._values(paths, instance, received)
        for path in paths:
            path.finish()
        steps = self._steps(paths, replays, replay)
        awaited = [step for step in steps if step.waits is not None]
        noted = [(at, *one) for at, step in enumerate(awaited) for one in step.noted]
        lingers = any(path.lingers for path in paths)
        return Recording(paths, steps, noted, values, replay.log, lingers)

    def _visited(self, instance: Recorded) -> set[int] | None:
        """Return the peer-meeting operations that an instance performed; None: all of them.

        None also if an expression reads a received message: its contents are not known here.
        """
        if not self._local or self._lookups:
            return None
        found: set[int] = set()
        self._host.precompute(
            instance.idx, instance.started_at, self._local, lambda position, _: found.add(position)
        )
        return found

    def _values(
        self,
        paths: Sequence[GatewayPath[Any]],
        instance: Recorded,
        received: Mapping[int, Mapping[str, Any]],
    ) -> SlotValues:
        """Find the slots of all paths. Errors: NOT_RECORDABLE."""
        found = [one for path in paths for one in path.sources()]
        found.sort(key=lambda one: one[0].position)
        for source, _ in found:
            taken = received.get(source.position, {}) if source.is_expected else {}
            if any(lookup[0] in taken for lookup in self._lookups):
                raise ValueError("an expression reads a message in which values differ")
        values = SlotValues(self._host, [source for source, _ in found], self._local, received)
        octets = values.learn(instance.idx, instance.started_at)
        for which, ((_, place), value) in enumerate(zip(found, octets, strict=True)):
            place(which, value)
        return values

    def _steps(
        self,
        paths: Sequence[GatewayPath[Any]],
        replays: Sequence[PathReplay],
        replay: Replay,
    ) -> list[Step]:
        """Return the steps of all paths, by the order of messages. Errors: ValueError."""
        own = [
            _own_steps(path, one, self._timeouts) for path, one in zip(paths, replays, strict=True)
        ]
        for path, noted in zip(own, replay.noted, strict=True):
            _note(path[1], noted)
        sends = [iter(sent) for sent, _ in own]
        awaits = [iter(awaited) for _, awaited in own]
        steps: list[Step] = []
        for code in replay.log:
            number, came = divmod(code, 2)
            step = next((awaits if came else sends)[number], None)
            if step is None:
                raise ValueError("a message more than there are")
            steps.append(step)
        if len(steps) != sum(len(sent) + len(awaited) for sent, awaited in own) or not steps:
            raise ValueError("something of it was not replayed")
        position = -1
        for step in reversed(steps):
            position = step.noted[0][0] if step.noted else position
            step.position = position
        for step in steps:
            step.position = steps[-1].position if step.position < 0 else step.position
        last = max((step.position for step in steps), default=-1)
        for step in steps:
            step.position = last if step.position < 0 else step.position
        return steps

    # -- replaying -----------------------------------------------------------------------------


def _own_steps(
    path: GatewayPath[Any], replay: PathReplay, timeouts: TimeoutQueues
) -> tuple[list[Step], list[Step]]:
    """Return the steps of a path that send, and the steps that await. Errors: ValueError."""
    sent, awaited = path.messages()
    if len(replay.waits) < len(awaited):
        raise ValueError("a message that no operation has waited for")
    return (
        [Step(path.number, message, None) for message in sent],
        [
            Step(path.number, message, timeouts.of(seconds))
            for message, seconds in zip(awaited, replay.waits, strict=False)
        ],
    )


def _note(awaited: Sequence[Step], noted: Sequence[Noted]) -> None:
    """Assign the waits that operations have noted to their steps. Errors: ValueError."""
    for position, name, fed in noted:
        step = awaited[fed - 1] if 0 < fed <= len(awaited) else None
        if step is None:
            raise ValueError("a wait for nothing")
        step.noted.append((position, name, not step.noted))
    if not all(step.noted for step in awaited):
        raise ValueError("a message that no operation has waited for")


def _received(
    log: Sequence[tuple[int, Mapping[str, Any]]], lookups: Collection[tuple[str, ...]]
) -> dict[int, Mapping[str, Any]]:
    """Return the recorded contents of `$i` that each operation has added.

    Errors: ValueError if an expression reads a value that has members: the expression might change
    the value in one instance, and so for all.
    """
    found: dict[int, Mapping[str, Any]] = {}
    for position, received in log:
        if position in found:
            raise ValueError("an operation that takes something twice")
        found[position] = received
        for path in lookups:
            value: Any = received
            for name in path:
                value = value.get(name) if isinstance(value, Mapping) else None
            if isinstance(value, Mapping | list):
                raise ValueError("what is read has members")
    return found
