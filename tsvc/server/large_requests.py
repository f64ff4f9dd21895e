"""Large requests are taken up one after the other.

A request of a mebibyte becomes a hundred while it is read, checked and compiled: lists of lists, a
tree of an expression. That work never waits for anybody, so two at once are not done sooner than
one after the other, and would take the memory of both; as many as there are connections would take
all that there is. What it took goes back to the system: among what lasts it would be pages that
are free for nobody else, more with each.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager

from gevent.lock import Semaphore

from tsvc.engine.limits.memory import heap_trimmer
from tsvc.engine.limits.run_limits import Waits
from tsvc.errors import RequestError

LARGE = 64 * 1024  # octets of a request that waits for its turn


class LargeRequests:
    """The turn, which one large request has at a time, in the order in which they came."""

    def __init__(self) -> None:
        self._free = Semaphore(1)
        self._trim = heap_trimmer()

    def turn(self, octets: int) -> "Turn":
        """Return the turn of a request of so many octets, which has not come yet."""
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
        """Have the turn. Blocks: until it comes. Errors: RequestError after so many seconds."""
        if self._free is None:
            return
        self._is_taken = self._free.acquire(timeout=seconds)
        if not self._is_taken:
            text = f"other large requests took longer than {seconds:g} s"
            raise RequestError(text, kind="request.deadline")

    def end(self) -> None:
        """Let the next one have it, if it is still had."""
        if self._is_taken:
            self._is_taken = False
            assert self._free is not None
            self._free.release()

    def close(self) -> None:
        """The request is answered; let the next one have the turn, if it is still had."""
        self.end()
        if self._trim is not None:
            self._trim(0)  # some tenths of a millisecond, seldom some milliseconds

    def until(self, waits: Waits) -> Waits:
        """Return what a method is to wait by: its turn ends when it waits for anything."""

        def ends(may_end: bool) -> AbstractContextManager[None]:
            self.end()
            return waits(may_end)

        return ends if self._free is not None else waits
