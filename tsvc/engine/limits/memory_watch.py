"""Ends the run that holds most memory before the system ends the daemon and all runs with it.

Runs are bounded one by one; together they may still need more than there is. From 90 % of the
ceiling on no run starts, from 95 % on one after the other goes. Before a start is refused, what
lies about is given back: freed memory and garbage count as in use.
"""

import gc
from collections.abc import Callable
from time import monotonic

import gevent

from tsvc.engine.limits.memory import memory_emergency, memory_problem
from tsvc.engine.limits.variable_sizes import MAX_RUN, weigh
from tsvc.engine.run import Run, RunState
from tsvc.engine.run_table import RunTable
from tsvc.log import get_logger
from tsvc.operations.operation import InstanceAborted

log = get_logger("service")

_EVERY_S = 0.25
_RELIEF_EVERY_S = 1.0  # a tenth of a second of work: not for each start that is refused
_GRACE_S = 2.0  # for the instances of the run to close what they hold
_INSTANCE_OCTETS = 12 * 1024  # without variables: greenlet, stack, records


class MemoryWatch:
    """Looks at the memory of the process now and then. `ceiling` returns MiB, 0 for none."""

    def __init__(self, runs: RunTable, ceiling: Callable[[], int]) -> None:
        self.ended = 0
        self._runs = runs
        self._ceiling = ceiling
        self._trim = _heap_trimmer()
        self._next_relief = 0.0
        self._greenlet: gevent.Greenlet[..., None] | None = None

    def start(self) -> None:
        """Begin to watch; starting twice changes nothing."""
        if self._greenlet is None:
            self._greenlet = gevent.spawn(self._watch)

    def stop(self) -> None:
        """Watch no longer."""
        if self._greenlet is not None:
            self._greenlet.kill()

    def look(self) -> Run | None:
        """Act if memory is short; return the run that was ended for it.

        Blocks: until that run is over, some seconds at most.
        """
        if memory_emergency(self._ceiling()) is None:
            return None
        # Results that the archive has, too, go first: nobody loses anything by that.
        forgotten = self._runs.forget_completed()
        running = self._runs.in_progress()
        if not forgotten and not running:
            return None
        self._give_back()
        reason = memory_emergency(self._ceiling())
        if reason is None or not running:
            return None
        run = max(running, key=held_octets)
        if run.finished_at is not None:
            return None  # while others were weighed: there may be room now
        self.ended += 1
        log.error("run ended for lack of memory", run_id=run.run_id, reason=reason)
        _end(run, reason)
        self._give_back()
        return run

    def relieve(self) -> None:
        """Make room, if there is too little for another run. Never switches."""
        if memory_problem(self._ceiling()) is None or monotonic() < self._next_relief:
            return
        self._give_back()
        if memory_problem(self._ceiling()) is not None and self._runs.forget_completed():
            self._give_back()
        self._next_relief = monotonic() + _RELIEF_EVERY_S

    def _give_back(self) -> None:
        """Return freed memory to the system: what is free inside the process still counts."""
        gc.collect()
        self._trim(0)

    def _watch(self) -> None:
        while True:
            gevent.sleep(_EVERY_S)
            try:
                self.look()
            except Exception as error:  # noqa: BLE001 - it must go on watching, whatever happened
                log.failure("memory watch failed", error)


def held_octets(run: Run) -> int:
    """Return about what a run holds: its variables and its instances. Lets others run."""
    shared = weigh((run.globals,), MAX_RUN, _let_others_run)
    return run.weights.octets + shared + len(run.instances) * _INSTANCE_OCTETS


def _end(run: Run, reason: str) -> None:
    """Abort all instances of a run and start no more. Blocks: up to the grace, twice."""
    run.worsen("abort")
    run.state = RunState.CANCELLING  # what has not begun ends without a start
    run.starter.stop()
    for instance in list(run.instances.values()):
        if instance.greenlet is not None:
            instance.greenlet.kill(InstanceAborted(reason), block=False)
    if not run.wait(_GRACE_S):
        run.cancel(_GRACE_S)


def _heap_trimmer() -> Callable[[int], object]:
    """Return malloc_trim() of glibc; where there is none, what does nothing."""
    try:
        import ctypes  # needs a kernel and a libffi that let it: the daemon starts without

        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (ImportError, OSError, AttributeError, MemoryError):
        return lambda pad: None
    return trim


def _let_others_run() -> None:
    gevent.sleep(0)
