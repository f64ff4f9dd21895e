"""Limits the memory of the process.

From 90 % of the ceiling on, no run starts. From 95 % on, runs are ended one after the other, each
time the run that holds most memory. Otherwise the system would end the daemon and all its runs.
"""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic

import gevent

from tsvc.engine.limits.variable_sizes import MAX_RUN, weigh
from tsvc.engine.run import Run, RunState
from tsvc.engine.run_table import RunTable
from tsvc.log import get_logger
from tsvc.operations.operation import InstanceAborted

_STATM = Path("/proc/self/statm")
_PAGE_OCTETS = os.sysconf("SC_PAGE_SIZE")
_MEBIBYTE = 1 << 20

AUTOMATIC = -1  # engine.max_memory_mib: a share of what the machine or the cgroup allows
_OWN_SHARE = 0.8
_START_SHARE = 0.9  # of the ceiling: runs that are in progress need the rest
_END_SHARE = 0.95  # of the ceiling: a run is ended, before the system ends all of them

_PROC_CGROUP = Path("/proc/self/cgroup")
_CGROUPS = Path("/sys/fs/cgroup")


def resident_octets() -> int | None:
    """Return the octets of memory that the process occupies, None if Linux does not tell."""
    try:
        return int(_STATM.read_text("ascii").split()[1]) * _PAGE_OCTETS
    except (OSError, ValueError, IndexError):
        return None


def allowed_octets() -> int | None:
    """Return the octets that the process may occupy: the memory of the machine, or the limit of
    one of its cgroups if that is lower. None if the system reports neither.
    """
    limits = [*_cgroup_limits()]
    with suppress(OSError, ValueError):
        limits.append(os.sysconf("SC_PHYS_PAGES") * _PAGE_OCTETS)
    return min((limit for limit in limits if limit > 0), default=None)


def ceiling_mib(configured: int) -> int:
    """Return the ceiling in MiB that engine.max_memory_mib means; 0 = none."""
    if configured != AUTOMATIC:
        return configured
    allowed = allowed_octets()
    return 0 if allowed is None else int(allowed * _OWN_SHARE) // _MEBIBYTE


def memory_problem(ceiling: int) -> str | None:
    """Return why no further run may start under a ceiling of MiB (0 = none), or None."""
    occupied = _occupied_mib(ceiling, _START_SHARE)
    if occupied is None:
        return None
    return f"{occupied} MiB of memory are in use, of {ceiling} (engine.max_memory_mib)"


def memory_emergency(ceiling: int) -> str | None:
    """Return why a run has to be ended under a ceiling of MiB (0 = none), or None."""
    occupied = _occupied_mib(ceiling, _END_SHARE)
    if occupied is None:
        return None
    return (
        f"ended to save the service: {occupied} MiB of memory were in use,"
        f" of {ceiling} (engine.max_memory_mib), and this run held most"
    )


def _occupied_mib(ceiling: int, share: float) -> int | None:
    """Return the MiB in use if they are that share of the ceiling or more."""
    occupied = resident_octets() if ceiling else None
    if occupied is None or occupied < ceiling * _MEBIBYTE * share:
        return None
    return occupied // _MEBIBYTE


def _cgroup_limits() -> Iterator[int]:
    """Yield the limits of the process's cgroups and of those around them, versions 1 and 2."""
    try:
        lines = _PROC_CGROUP.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            yield from _limits_upwards(_CGROUPS, path, "memory.max")
        elif "memory" in controllers.split(","):
            yield from _limits_upwards(_CGROUPS / "memory", path, "memory.limit_in_bytes")


def _limits_upwards(root: Path, path: str, file: str) -> Iterator[int]:
    # In a container the path may be the host's, while only the end of it is mounted.
    place = root / path.lstrip("/")
    for folder in (place, *place.parents):
        if not folder.is_relative_to(root):
            return
        try:
            yield int((folder / file).read_text("ascii"))
        except (OSError, ValueError):  # no such folder, no limit ("max")
            continue


log = get_logger("service")

_EVERY_S = 0.25
_RELIEF_EVERY_S = 1.0  # it takes a tenth of a second: too long for each refused start
_SETTLE_S = 5.0  # until the archive has a run that was ended, and its memory is free again
_GRACE_S = 2.0  # for the instances of the run to close what they hold
_INSTANCE_OCTETS = 12 * 1024  # without variables: greenlet, stack, records


class MemoryWatch:
    """Checks the memory of the process regularly. `ceiling` returns MiB, 0 for none."""

    def __init__(self, runs: RunTable, ceiling: Callable[[], int]) -> None:
        self.ended = 0
        self._runs = runs
        self._ceiling = ceiling
        self._trim = heap_trimmer()
        self._next_relief = 0.0
        self._last: Run | None = None  # that was ended,
        self._settled_at = 0.0  # and when its memory should be free
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
        # Results that are archived too are freed first: nobody loses anything by that.
        forgotten = self._runs.forget_completed()
        running = self._runs.in_progress()
        if not forgotten and not running:
            return None
        self._give_back()
        reason = memory_emergency(self._ceiling())
        if reason is None or not running or self._is_settling():
            return None
        run = max(running, key=held_octets)
        if run.finished_at is not None:
            return None  # it ended while others were weighed: there may be room now
        self.ended += 1
        log.error("run ended for lack of memory", run_id=run.run_id, reason=reason)
        _end(run, reason)
        self._last, self._settled_at = run, monotonic() + _SETTLE_S
        self._give_back()
        return run

    def _is_settling(self) -> bool:
        """Return True if the run that was ended last is still held for its result.

        Another run would be ended for memory that is free in a moment.
        """
        last = self._last
        is_held = last is not None and self._runs.find(last.run_id) is last
        return is_held and monotonic() < self._settled_at

    def relieve(self) -> None:
        """Make room, if there is too little for another run. Never switches."""
        if memory_problem(self._ceiling()) is None or monotonic() < self._next_relief:
            return
        self._give_back()
        if memory_problem(self._ceiling()) is not None and self._runs.forget_completed():
            self._give_back()
        self._next_relief = monotonic() + _RELIEF_EVERY_S

    def _give_back(self) -> None:
        """Return freed memory to the system: free memory inside the process still counts."""
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
    """Return about how many octets a run holds: variables and instances. Lets others run."""
    shared = weigh((run.globals,), MAX_RUN, _let_others_run)
    return run.weights.octets + shared + len(run.instances) * _INSTANCE_OCTETS


def _end(run: Run, reason: str) -> None:
    """Abort all instances of a run and start no more. Blocks: up to the grace, twice."""
    run.worsen("abort")
    run.state = RunState.CANCELLING  # instances that have not begun end without a start
    run.stop_starting()
    for number, instance in enumerate(list(run.instances.values())):
        if number % 20 == 0:
            _let_others_run()
        run.throw(instance, InstanceAborted(reason))
    if not run.wait(_GRACE_S):
        run.cancel(_GRACE_S)


def heap_trimmer() -> Callable[[int], object]:
    """Return malloc_trim() of glibc, or a function that does nothing if there is none."""
    try:
        import ctypes  # the kernel or libffi may not allow it: the daemon starts without

        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (ImportError, OSError, AttributeError, MemoryError):
        return lambda pad: None
    return trim


def _let_others_run() -> None:
    gevent.sleep(0)
