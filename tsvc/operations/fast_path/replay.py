"""Replays the past of an instance to an ordinary instance, until both are in the same state.

The gateways of the ordinary instance swallow its messages, and deliver the received messages at
the times at which they came. A swallowed message is compared with the message that was sent. If
the octets differ, the fast path has a bug, and the instance aborts with a text that says so. Where
the past ends, the dialogues and connections are handed over, and the instance is live.

Each gateway, or each dialogue, has a `PathReplay`; all of them together keep the original order.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tsvc.clock import Clock
from tsvc.errors import LocalProtocolError
from tsvc.operations.fast_path.contract import Pending

T = TypeVar("T")

Noted = tuple[int, str, int]
"""A wait that an operation has noted: its index, whose wait, number of messages received then."""


class BaseReplay:
    """The clock and the end of the past. If `pending` is None, nothing follows the past."""

    def __init__(
        self, clock: Clock, started_at: float, wall: float, pending: list[Pending] | None
    ) -> None:
        self.time = _PastClock(clock, started_at, wall)
        self.clock: Clock = self.time
        self.is_live = False
        self.on_live: Callable[[], None] = _nothing
        self.note_latency: Callable[[int, str, float], None] = _nothing
        self.position: Callable[[], int] = _nowhere
        self.received: Sequence[tuple[int, Mapping[str, Any]]] = ()
        self._real = clock
        self._pending = pending

    @property
    def is_over(self) -> bool:
        """True if nothing follows the past."""
        return self._pending is None

    def go_live(self) -> None:
        """End the past. Errors: the error by which the instance has to end."""
        self.is_live = True
        on_live = self.on_live
        self.forget()
        on_live()

    def deliver(self) -> None:
        """Deliver the messages and events that have come since the past ended."""
        while self._pending:
            self._pending.pop(0)()

    def forget(self) -> None:
        """Release the callbacks."""
        self.on_live = self.note_latency = _nothing
        self.position = _nowhere

    def leave_past(self, since: float | None = None) -> float:
        """Switch to the real time; return how long ago, in s, the past ended, or `since` was."""
        ended_at = self.time.now() if since is None else since
        self.time.is_past = False
        return self._real.now() - ended_at

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""
        raise NotImplementedError


class PathReplay:
    """The past with one gateway, or in one dialogue.

    waits_at_once: True if an operation that sends waits for the answer before another one acts.
    waits:         seconds that the instance would have waited for each message that came.
    """

    waits_at_once = False
    number = 0  # index among the paths of the replay

    def __init__(self, whole: "Replay") -> None:
        self.whole = whole
        self.fed = 0  # number of received messages that the instance has got
        self.waits: list[float] = []

    @property
    def is_live(self) -> bool:
        """True once the past has ended."""
        return self.whole.is_live

    @property
    def came(self) -> int:
        """Number of messages that came in the past."""
        raise NotImplementedError

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance, with the gateway of this path replaced."""
        raise NotImplementedError

    def bring(self) -> None:
        """Deliver the next message that came, at its time."""
        raise NotImplementedError

    def adopt(self) -> None:
        """Hand over the dialogue or connection to the ordinary instance."""

    def settle(self) -> None:
        """Finish the handover: all is live, later messages are delivered after this."""

    def release(self) -> None:
        """Release the state of the instance: later messages have been delivered."""

    def give_up(self) -> None:
        """Release what adopt() took: the instance ends instead of becoming live."""


class Replay(BaseReplay):
    """The past with all gateways; the instance becomes live after it if `pending` is a list.

    order: 2 n for a message that path n sent, 2 n + 1 for a message that came. None while
           recording: a message is delivered when an operation waits for it; `log` gets the order.
    """

    def __init__(
        self,
        clock: Clock,
        started_at: float,
        wall: float,
        pending: list[Pending] | None = None,
        order: Sequence[int] | None = None,
    ) -> None:
        super().__init__(clock, started_at, wall, pending)
        self.paths: list[PathReplay] = []
        self.log: list[int] = []
        self.noted: list[list[Noted]] = []  # by path
        self.kinds: list[str] = []  # by path, while recording
        self.visited: set[int] | None = None  # operations that meet a peer; None: all of them
        self.longest_s = 0.0  # while recording: the sum of all waits, each at its longest
        self.is_odd = False  # True if the instance can't be recorded
        self.current: PathReplay | None = None  # the last path that the instance waited on
        self.on_left: Callable[[], None] = _nothing
        self.on_delivered: Callable[[], None] = _nothing
        self._order = order
        self._done = 0

    def add(self, path: PathReplay) -> None:
        """Add a path."""
        path.number = len(self.paths)
        self.paths.append(path)
        self.noted.append([])

    def listen(self, kind_of: Callable[[int], str | None]) -> None:
        """Collect the noted waits; set is_odd if a wait has another kind than the last path.

        `kind_of`: returns the kind of the operation with an index.
        """

        def note(position: int, name: str, _: float) -> None:
            path = self.current
            if path is None or kind_of(position) != self.kinds[path.number]:
                self.is_odd = True
                return
            self.is_odd |= path.waits_at_once and self.log[-1] != 2 * path.number + 1
            self.noted[path.number].append((position, name, path.fed))

        self.note_latency = note

    def of_visited(self, arguments: Mapping[int, T]) -> dict[int, T]:
        """Return the entries of operations that the recorded instance performed."""
        visited = self.visited
        return {at: one for at, one in arguments.items() if visited is None or at in visited}

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""
        for path in self.paths:
            real = path.gateways(real)
        return real

    # -- for paths -----------------------------------------------------------------------------

    @property
    def is_done(self) -> bool:
        """True if all of the past has been replayed."""
        return self._order is not None and self._done == len(self._order)

    def look(self) -> None:
        """Make the instance live if the past ends here, and deliver the messages that came since.

        They are delivered before the instance does anything else.
        Errors: the error by which the instance has to end.
        """
        if not (self.is_over or self.is_live) and self.is_done:
            self._become_live()

    def bring_for(self, path: PathReplay) -> bool:
        """Deliver the received messages, in their order, up to a message for a path.

        Return False if there is no such message. Errors: as of look().
        """
        self.current = path
        if self._order is None:
            if path.fed == path.came:
                return False
            self.log.append(2 * path.number + 1)
            path.bring()
            return True
        while self._done < len(self._order):
            if self._bring() is path:
                self.look()
                return True
        self.look()
        return self.is_live

    def _bring(self) -> PathReplay:
        """Deliver the next message that came; return its path. Errors: LocalProtocolError."""
        assert self._order is not None
        number, came = divmod(self._order[self._done], 2)
        if not came:
            raise LocalProtocolError("the fast path went wrong: it had sent something")
        self._done += 1
        self.paths[number].bring()
        return self.paths[number]

    def sends(self, path: PathReplay) -> bool:
        """Return True if a path's message was sent in the past; if False, all is live now.

        Errors: LocalProtocolError if something else was sent; as of look().
        """
        if self._order is None:
            self.log.append(2 * path.number)
            return True
        while self._done < len(self._order) and self._order[self._done] % 2:
            self._bring()
        if self.is_done:
            self.look()
            return False
        if self._order[self._done] != 2 * path.number:
            raise LocalProtocolError("the fast path went wrong: another one had sent something")
        self._done += 1
        return True

    def finish(self) -> None:
        """Deliver all received messages, then look(): the instance does something new."""
        while self._order is not None and self._done < len(self._order):
            self._bring()
        self.look()

    # ------------------------------------------------------------------------------------------

    def _become_live(self) -> None:
        """Make the instance live. Errors: the error by which it has to end."""
        paths, on_delivered = self.paths, self.on_delivered
        for path in paths:
            path.adopt()
        try:
            self.go_live()
        except BaseException:
            for path in paths:
                path.give_up()
            raise
        for path in paths:
            path.settle()
        self.deliver()
        for path in paths:
            path.release()
        on_delivered()

    def go_live(self) -> None:
        """End the past. Errors: the error by which the instance has to end."""
        self.on_left()
        super().go_live()

    def forget(self) -> None:
        """Release the callbacks, and the paths, which refer to this replay."""
        super().forget()
        for path in self.paths if self.is_over else ():
            path.release()
        self.paths = []
        self.current = None
        self.on_left = self.on_delivered = _nothing


class _PastClock(Clock):
    """The time of the past; the real time once the past is over (`is_past` is False).

    `at` advances in the past; the time of day stands still.
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


def _nowhere() -> int:
    return -1


def _nothing(*_: object) -> None:
    pass
