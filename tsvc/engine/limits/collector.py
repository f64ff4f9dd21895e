"""Schedules the garbage collector of Python so that others rarely wait for it.

Reference counts free nearly all that a call makes; reference cycles are rare. By itself the
collector examines young objects, each 700 of them, with all that they refer to. Hundreds of small
lists take it microseconds; hundreds of lists of 90,000 numbers each take it a quarter of a second
in one go. So it is also called by the octets made: each call then takes about a millisecond.

A full collection examines everything that was made since the start: half a second for 100,000
waiting instances. Python makes none by itself (see settle). It is made while there is no run and
no request, and for lack of memory (see memory.py). Otherwise it is made in two cases: there is so
little to examine that nobody notices, or memory has grown so much that cycles may be the reason.
"""

import gc
import sys
from collections.abc import Callable
from time import monotonic

from tsvc.log import get_logger

log = get_logger("service")

_LOOK_OCTETS = 1 << 20
_LOOKS = 4  # each fourth collection also examines what the three before it have left

_made = 0  # octets since the last collection
_looks = 0

_NEVER = 1_000_000_000
_QUIET_S = 1.0  # in which nobody has asked for anything
_WORTH = 10  # collections of the middle generation, before which a full one would find nothing
_FEW = 200_000  # blocks of memory since the start: examined in some milliseconds
_GROWN_OCTETS = 256 << 20
_GROWN_SHARE = 1.5
_APART_S = 10.0  # between full collections that delay runs, at least,
_APART_TIMES = 100  # and at least so many times as long as one takes


def note_made(octets: int) -> None:
    """Count memory that an evaluation is about to make, and collect if it is time to."""
    global _made, _looks
    _made += octets
    if _made >= _LOOK_OCTETS:
        _made = 0
        _looks = (_looks + 1) % _LOOKS
        gc.collect(0 if _looks else 1)


def settle() -> None:
    """Exclude present objects from collection, and make no full collection automatically.

    The collector is enabled, if it was off for the start. It does not collect before: only a
    hundredth of what the start makes is garbage, and to collect it takes longer than all imports
    of a kind of gateway. Greenlets are made later, so the dump on SIGUSR1 still finds them.
    """
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    gc.enable()


class FullCollections:
    """Makes full collections. `occupied` returns the octets of the process, None if unknown."""

    def __init__(
        self,
        occupied: Callable[[], int | None],
        clock: Callable[[], float] = monotonic,
        blocks: Callable[[], int] = sys.getallocatedblocks,
    ) -> None:
        self._occupied = occupied
        self._clock = clock
        self._blocks = blocks
        self._busy_at = clock()
        self._made_at = clock()
        self._apart_s = _APART_S
        self._left: int | None = None  # octets, after the last collection
        self._at_start = blocks()

    def look(self, *, is_busy: bool) -> bool:
        """Collect if it is time to; return True if it was. `is_busy`: somebody may wait."""
        now = self._clock()
        if is_busy:
            self._busy_at = now
        if self._left is None:
            self._left = self._occupied() or 0
        if gc.get_count()[2] < _WORTH:
            return False
        if now - self._busy_at >= _QUIET_S:
            self._collect()
            return True
        if now - self._made_at < self._apart_s:
            return False
        if self._blocks() - self._at_start < _FEW:
            self._collect()
            return True
        if not self._has_grown():
            return False
        self._collect()
        log.info("collected while runs were in progress", ms=1000 * (self._clock() - now))
        return True

    def _has_grown(self) -> bool:
        occupied, left = self._occupied() or 0, self._left or 0
        return occupied > max(left * _GROWN_SHARE, left + _GROWN_OCTETS)

    def _collect(self) -> None:
        began = self._clock()
        gc.collect()
        self._made_at = self._clock()
        self._apart_s = max(_APART_S, _APART_TIMES * (self._made_at - began))
        self._left = self._occupied() or 0
