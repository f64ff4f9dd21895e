"""The timers of all calls of a service in one heap.

A call has several deadlines but one entry in the heap, for the earliest. If the deadline has moved
when that time comes, the call is put back. So a message usually costs no heap operation.
"""

import heapq
from typing import Protocol


class Timed(Protocol):
    """An object with timers: a call. `scheduled_at` belongs to Timers."""

    scheduled_at: float

    @property
    def is_over(self) -> bool:
        """True if none of its timers is needed any more."""

    def next_deadline(self) -> float:
        """Return the earliest deadline, infinity if there is none."""

    def handle_timer(self, now: float) -> None:
        """Handle the deadlines that have passed."""


NEVER = float("inf")


class Timers:
    """Calls by their earliest deadline."""

    __slots__ = ("_heap", "_serial", "_sweep_at")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timed]] = []
        self._serial = 0
        self._sweep_at = 1024

    def schedule(self, timed: Timed) -> None:
        """Update the heap: the deadlines of a call may have changed."""
        deadline = timed.next_deadline()
        if deadline >= timed.scheduled_at:
            return
        timed.scheduled_at = deadline
        self._serial += 1
        heapq.heappush(self._heap, (deadline, self._serial, timed))
        # Calls that are over leave their entries behind: remove them before they outnumber the
        # others.
        if len(self._heap) > self._sweep_at:
            self._heap = [entry for entry in self._heap if _is_current(entry)]
            heapq.heapify(self._heap)
            self._sweep_at = 1024 + 2 * len(self._heap)

    def next(self) -> float | None:
        """Return when to call `due`, None if no timer runs. May be early, never late."""
        heap = self._heap
        while heap and not _is_current(heap[0]):
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def due(self, now: float) -> list[Timed]:
        """Return the calls with a deadline that has passed; each must be scheduled again."""
        found: list[Timed] = []
        while self._heap and self._heap[0][0] <= now:
            entry = heapq.heappop(self._heap)
            if not _is_current(entry):
                continue
            timed = entry[2]
            timed.scheduled_at = NEVER
            if timed.next_deadline() <= now:
                found.append(timed)
            else:
                self.schedule(timed)
        return found


def _is_current(entry: tuple[float, int, Timed]) -> bool:
    return entry[0] == entry[2].scheduled_at and not entry[2].is_over
