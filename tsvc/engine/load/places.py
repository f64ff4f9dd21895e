"""The backlog: places for jobs, each played by a greenlet that plays the next one afterwards.

A birth of a greenlet costs more than a short instance does: a stack of the interpreter is mapped
and unmapped for each. So a bearer waits for its next job when it is done with one, if nothing of
the last can reach the next: nobody may refer to it any more. Whoever wants to throw something into
a greenlet later (a kill that is on its way, a timeout that was left behind, a callback that would
switch to it) holds a reference, and so does what keeps data by greenlet, a weak one. A bearer with
any such reference gets no further job and ends, and what is on its way meets a greenlet that is
over: as if each job had one of its own.
"""

from collections.abc import Callable
from sys import getrefcount
from weakref import getweakrefcount

from gevent import Greenlet, get_hub, getcurrent
from gevent.event import Event
from greenlet import greenlet

_MOST_IDLE = 1000  # bearers that wait for a job; each takes some KiB


class Places:
    """As many jobs at once as there are places."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.births = 0
        self._taken = 0
        self._idle: list[_Bearer] = []
        self._freed = Event()
        self._nobody = 0  # what getrefcount() says of a bearer that nobody else knows

    def __len__(self) -> int:
        return self._taken

    def full(self) -> bool:
        """Return whether no place is free."""
        return self._taken >= self.size

    def widen(self, size: int) -> None:
        """Have so many places, if that is more than now."""
        self.size = max(self.size, size)
        self._freed.set()

    def spawn(self, job: Callable[..., object], *arguments: object) -> None:
        """Have a job begin in the next round of the loop, in a place that must be free."""
        assert not self.full()
        self._taken += 1
        idle = self._idle
        if idle and not self._nobody:
            self._nobody = _count_of_nobody()
        while idle:
            bearer = idle.pop()
            if getrefcount(bearer) == self._nobody and not getweakrefcount(bearer):
                bearer.take(job, arguments)
                return
            bearer.dismiss()
        self.births += 1
        bearer = _Bearer(self)
        bearer.job = job
        bearer.arguments = arguments
        bearer.start()

    def take(self) -> None:
        """Take a free place for what needs no bearer; free() gives it back."""
        assert not self.full()
        self._taken += 1

    def hand_over(self, job: Callable[..., object], *arguments: object) -> None:
        """Have a job begin in a place that was taken: as spawn()."""
        self._taken -= 1
        self.spawn(job, *arguments)

    def free(self) -> None:
        """Somebody's job is over."""
        self._taken -= 1
        if not self._freed.is_set():
            self._freed.set()

    def keep(self, bearer: "_Bearer") -> bool:
        """Return whether a bearer whose job is over is to wait for one more."""
        if len(self._idle) >= _MOST_IDLE:
            return False
        self._idle.append(bearer)
        return True

    def lose(self, bearer: "_Bearer") -> None:
        """A bearer that waits is ended by somebody else."""
        if bearer in self._idle:
            self._idle.remove(bearer)

    def wait_available(self, timeout: float) -> None:
        """Blocks: until a place is free, or for `timeout` seconds. For one that waits."""
        if self.full():
            self._freed.clear()
            self._freed.wait(timeout)

    def join(self) -> None:
        """Blocks: until all jobs are over. Bearers that wait for one end then."""
        while self._taken:
            self._freed.clear()
            self._freed.wait()
        for bearer in self._idle:
            bearer.dismiss()
        self._idle.clear()


class _Bearer(Greenlet):  # type: ignore[type-arg]
    """A greenlet that plays one job after the other."""

    __slots__ = ("_hub", "_is_dismissed", "_places", "arguments", "job")

    def __init__(self, places: Places) -> None:
        super().__init__()
        self.job: Callable[..., object] | None = None
        self.arguments: tuple[object, ...] = ()
        self._places = places
        self._hub = get_hub()
        self._is_dismissed = False

    def take(self, job: Callable[..., object], arguments: tuple[object, ...]) -> None:
        """Begin another job in the next round of the loop."""
        self.job, self.arguments = job, arguments
        self.gr_context = None  # as at its birth: the last job's context variables are its own
        self._hub.loop.run_callback(self.switch)

    def dismiss(self) -> None:
        """End in the next round of the loop."""
        self._is_dismissed = True
        self._hub.loop.run_callback(self.switch)

    def _run(self) -> None:
        hub, places = self._hub, self._places
        while True:
            job, arguments = self.job, self.arguments
            self.job, self.arguments = None, ()
            try:
                assert job is not None
                job(*arguments)
            finally:
                places.free()
            del job, arguments  # must not live until the next one
            if not places.keep(self):
                return
            while self.job is None:  # or somebody switches to it who should not
                try:
                    hub.switch()
                except BaseException:  # noqa: BLE001 - meant for the last job, which is over
                    places.lose(self)
                    return
                if self._is_dismissed:
                    return


def _count_of_nobody() -> int:
    """Return what getrefcount() says of a bearer that waits and that nobody knows."""
    idle = [_Waiting(getcurrent())]
    idle[0].switch()
    waiting = idle.pop()
    count = getrefcount(waiting)
    waiting.switch()
    return count


class _Waiting(Greenlet):  # type: ignore[type-arg]
    """Waits as a bearer does, for whoever has made it."""

    def __init__(self, maker: greenlet) -> None:
        super().__init__()
        self.parent = self._maker = maker

    def _run(self) -> None:
        self._maker.switch()
