"""Replays what an instance has sent and received to an ordinary one, until both are in one state.

The ordinary instance has gateways that swallow what it sends and bring what came, at the times at
which it came. What is swallowed is compared with what was sent: if the octets differ, the fast
path has a bug, and the instance aborts with a text that says so. Where the past ends, the
dialogues and connections are handed over, and the instance is live.

One gateway, or one dialogue, has a `PathReplay`; all of them are brought in the order of then.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tsvc.clock import Clock
from tsvc.errors import LocalProtocolError
from tsvc.operations.fast_path.contract import Pending

T = TypeVar("T")

Noted = tuple[int, str, int]
"""A wait that an operation has noted: its index, whose wait, after how many received messages."""


class BaseReplay:
    """The clock of the past, and its end; `pending` None: nothing follows the past."""

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
        """End the past. Errors: what the instance is to end by."""
        self.is_live = True
        on_live = self.on_live
        self.forget()
        on_live()

    def deliver(self) -> None:
        """Deliver what has come since the past ended."""
        while self._pending:
            self._pending.pop(0)()

    def forget(self) -> None:
        """Release whoever listens."""
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

    waits_at_once: an operation that sends waits for the answer before another one acts.
    waits:         seconds that the instance would have waited for each message that came.
    """

    waits_at_once = False
    number = 0  # among the paths of the replay

    def __init__(self, whole: "Replay") -> None:
        self.whole = whole
        self.fed = 0  # messages that the instance has had of those that came
        self.waits: list[float] = []

    @property
    def is_live(self) -> bool:
        """True once the past has ended."""
        return self.whole.is_live

    @property
    def came(self) -> int:
        """How many messages came then."""
        raise NotImplementedError

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance, with one more that is of the past."""
        raise NotImplementedError

    def bring(self) -> None:
        """Bring the next message that came, at its time."""
        raise NotImplementedError

    def adopt(self) -> None:
        """Put what the instance has in the place of what the replayed one had."""

    def settle(self) -> None:
        """All is live; what has come since is delivered after this."""

    def release(self) -> None:
        """What has come since is delivered: release what the instance has."""

    def give_up(self) -> None:
        """The instance ends where it was to be live."""


class Replay(BaseReplay):
    """The past with all gateways, and the way out of it if `pending` is a list.

    order: 2 n for a message that path n sent, 2 n + 1 for one that came. None while recording:
           each message is delivered when an operation waits for it, and `log` is that order.
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
        self.kinds: list[str] = []  # by path, of one that is recorded
        self.visited: set[int] | None = None  # operations that meet a peer; None: all of them
        self.longest_s = 0.0  # all waits of one that is recorded, if each took as long as it may
        self.is_odd = False  # it can't be recorded
        self.current: PathReplay | None = None  # which the instance has asked last
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
        """Keep which waits are noted; odd if one is of another kind than what came last.

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
        """Return what belongs to operations that the recorded instance came to."""
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
        """If the past ends here, make the instance live and deliver what has come since.

        That had come when the instance got its turn: before it does anything.
        Errors: what the instance is to end by.
        """
        if not (self.is_over or self.is_live) and self.is_done:
            self._become_live()

    def bring_for(self, path: PathReplay) -> bool:
        """Bring what came, in its order, up to a message for a path.

        False: there is none. Errors: as of look().
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
        """Bring the next message that came; return whose it is. Errors: LocalProtocolError."""
        assert self._order is not None
        number, came = divmod(self._order[self._done], 2)
        if not came:
            raise LocalProtocolError("the fast path went wrong: it had sent something")
        self._done += 1
        self.paths[number].bring()
        return self.paths[number]

    def sends(self, path: PathReplay) -> bool:
        """Return True if what a path sends was sent then; if not, all is live now.

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
        """The instance does what was not done then: bring all that came, then look()."""
        while self._order is not None and self._done < len(self._order):
            self._bring()
        self.look()

    # ------------------------------------------------------------------------------------------

    def _become_live(self) -> None:
        """Make the instance live. Errors: what it is to end by."""
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
        """End the past. Errors: what the instance is to end by."""
        self.on_left()
        super().go_live()

    def forget(self) -> None:
        """Release whoever listens, and the paths, which know the whole."""
        super().forget()
        for path in self.paths if self.is_over else ():
            path.release()
        self.paths = []
        self.current = None
        self.on_left = self.on_delivered = _nothing


class _PastClock(Clock):
    """The time of the past, then the real one: once the instance waits or sends.

    `at` goes on; the time of day stands still in the past.
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
