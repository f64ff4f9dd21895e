"""Handles large requests one after the other.

A request of a mebibyte takes a hundred while it is read, checked and compiled: lists of lists, the
tree of an expression. This work never waits for anything, so two at once are not faster than one
after the other. They would take the memory of both; as many as there are connections would take
all memory. Freed memory is returned to the system: otherwise each request would leave more free
pages, between objects that last, which no other process can use.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager

from gevent.lock import Semaphore

from tsvc.engine.limits.memory import heap_trimmer
from tsvc.engine.limits.run_limits import Waits
from tsvc.errors import RequestError

LARGE = 64 * 1024  # octets of a request that waits for its turn


class LargeRequests:
    """Gives the turn to one large request at a time, in the order in which they came."""

    def __init__(self) -> None:
        self._free = Semaphore(1)
        self._trim = heap_trimmer()

    def turn(self, octets: int) -> "Turn":
        """Return the turn of a request with so many octets; it is not taken yet."""
        return Turn(self._free, self._trim) if octets > LARGE else Turn()


class Turn:
    """The turn of one request; a small one needs none."""

    def __init__(
        self, free: Semaphore | None = None, trim: Callable[[int], object] | None = None
    ) -> None:
        self._free = free
        self._trim = trim
        self._is_taken = False

    def take(self, seconds: float) -> None:
        """Take the turn. Blocks: until it is free. Errors: RequestError after so many seconds."""
        if self._free is None:
            return
        self._is_taken = self._free.acquire(timeout=seconds)
        if not self._is_taken:
            text = f"other large requests took longer than {seconds:g} s"
            raise RequestError(text, kind="request.deadline")

    def end(self) -> None:
        """End the turn, if it is taken: the next request gets it."""
        if self._is_taken:
            self._is_taken = False
            assert self._free is not None
            self._free.release()

    def close(self) -> None:
        """End the turn, if it is taken, and return memory: the request is answered."""
        self.end()
        if self._trim is not None:
            self._trim(0)  # some tenths of a millisecond, seldom some milliseconds

    def until(self, waits: Waits) -> Waits:
        """Return the wait function for a method: the turn ends when the method waits."""

        def ends(may_end: bool) -> AbstractContextManager[None]:
            self.end()
            return waits(may_end)

        return ends if self._free is not None else waits
