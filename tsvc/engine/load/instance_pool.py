"""The pool that runs Test Instances: a gevent Pool bounded by the backlog.

Every instance in progress holds one of its slots. An ordinary instance holds it through the
greenlet that runs it; an instance that needs no greenlet at the moment, because it is replayed, is
itself a member of the pool.

To create a greenlet costs more than a short instance does, because the interpreter maps and
unmaps a stack for it. A worker greenlet therefore runs one instance after another. It leaves the
pool with each instance and joins it again with the next. It is used again only if nothing of the
last instance can reach the next one: nobody else may refer to the greenlet. Code that is about to
throw something into the greenlet holds a reference to it: a kill, a timeout that was left behind,
a callback that would switch to it. Data that is kept by greenlet holds a weak reference. A worker
with any such reference ends instead.
"""

from collections.abc import Callable
from sys import getrefcount
from typing import Any, cast
from weakref import getweakrefcount

from gevent import Greenlet, get_hub, getcurrent
from gevent.pool import Pool
from greenlet import greenlet

_MOST_IDLE = 1000  # workers that wait for an instance; each takes some KiB


class InstancePool(Pool):
    """A Pool whose members are instances in progress; `size` is the backlog."""

    _semaphore: Any  # of Pool: one count for each free slot

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.births = 0  # of worker greenlets
        self._idle: list[_Worker] = []
        self._unshared = 0  # what getrefcount() says of a worker that nobody else refers to

    def widen(self, size: int) -> None:
        """Raise the bound to `size`; a lower one changes nothing."""
        more = size - (self.size or 0)
        if more > 0:
            self.size = size
            for _ in range(more):
                self._semaphore.release()

    def spawn(self, job: Callable[..., object], *arguments: object) -> None:  # type: ignore[override]
        """Run a job in the next round of the event loop. Never blocks. Errors: PoolFull."""
        worker = self._idle_worker()
        if worker is not None:
            self.add(worker, blocking=False)
            worker.resume_with(job, arguments)
            return
        worker = _Worker(self)
        worker.job, worker.arguments = job, arguments
        self.start(worker, blocking=False)
        self.births += 1

    def hold(self, instance: object) -> None:
        """Give a slot to an instance that has no greenlet. Never blocks. Errors: PoolFull."""
        self.add(cast(Any, instance), blocking=False)

    def release(self, instance: object) -> None:
        """Free the slot of an instance that has no greenlet and is over."""
        self.discard(cast(Any, instance))

    def hand_over(self, instance: object, job: Callable[..., object], *arguments: object) -> None:
        """Run a job in the slot that an instance without a greenlet holds."""
        self.release(instance)
        self.spawn(job, *arguments)

    def join(self) -> None:  # type: ignore[override]
        """Wait until every slot is free, then end the idle workers. Blocks: that long."""
        while len(self):
            super().join()
        for worker in self._idle:
            worker.dismiss()
        self._idle.clear()

    # -- for workers -------------------------------------------------------------------------

    def keep(self, worker: "_Worker") -> bool:
        """Return True if a worker whose job is over must wait for another job."""
        if len(self._idle) >= _MOST_IDLE:
            return False
        self._idle.append(worker)
        return True

    def forget(self, worker: "_Worker") -> None:
        """Remove an idle worker that somebody else has ended."""
        if worker in self._idle:
            self._idle.remove(worker)

    def _idle_worker(self) -> "_Worker | None":
        """Return an idle worker that nobody else refers to; dismiss all others that it finds."""
        idle = self._idle
        if idle and not self._unshared:
            self._unshared = _references_to_an_idle_worker()
        while idle:
            worker = idle.pop()
            if getrefcount(worker) == self._unshared and not getweakrefcount(worker):
                return worker
            worker.dismiss()
        return None


class _Worker(Greenlet):  # type: ignore[type-arg]
    """A greenlet that runs one job after another."""

    __slots__ = ("_hub", "_is_dismissed", "_pool", "arguments", "job")

    def __init__(self, pool: InstancePool) -> None:
        super().__init__()
        self.job: Callable[..., object] | None = None
        self.arguments: tuple[object, ...] = ()
        self._pool = pool
        self._hub = get_hub()
        self._is_dismissed = False

    def resume_with(self, job: Callable[..., object], arguments: tuple[object, ...]) -> None:
        """Begin another job in the next round of the event loop."""
        self.job, self.arguments = job, arguments
        self.gr_context = None  # as at its birth: context variables belong to the last job
        self._hub.loop.run_callback(self.switch)

    def dismiss(self) -> None:
        """End in the next round of the event loop."""
        self._is_dismissed = True
        self._hub.loop.run_callback(self.switch)

    def _run(self) -> None:
        hub, pool = self._hub, self._pool
        while True:
            job, arguments = self.job, self.arguments
            self.job, self.arguments = None, ()
            try:
                assert job is not None
                job(*arguments)
            finally:
                pool.discard(self)
            del job, arguments  # they must not live until the next job
            if not pool.keep(self):
                return
            while self.job is None:  # somebody may switch to an idle worker by mistake
                try:
                    hub.switch()
                except BaseException:  # noqa: BLE001 - meant for the last job, which is over
                    pool.forget(self)
                    return
                if self._is_dismissed:
                    return


def _references_to_an_idle_worker() -> int:
    """Return what getrefcount() says, in _idle_worker(), of a worker that nobody refers to."""
    idle: list[Any] = [_Waiting(getcurrent())]
    idle[0].switch()
    waiting = idle.pop()
    count = getrefcount(waiting)
    waiting.switch()
    return count


class _Waiting(Greenlet):  # type: ignore[type-arg]
    """A greenlet that waits as an idle worker does, for the greenlet that made it."""

    def __init__(self, maker: greenlet) -> None:
        super().__init__()
        self.parent = self._maker = maker

    def _run(self) -> None:
        self._maker.switch()
