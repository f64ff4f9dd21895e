"""A pool of connections, each lent to one caller at a time; the last used one is lent first.

A connection comes back only if its caller ended without an error, and after `reset`, if there is
one. If the caller failed, ran out of time or was killed, the connection is closed. Otherwise a
late answer could be read as the answer to the next request.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from gevent.event import Event
from gevent.lock import BoundedSemaphore

from tsvc.errors import GatewayError


class Pooled(Protocol):
    """A connection that a pool can hold."""

    def is_usable(self) -> bool:
        """Return True if the next caller may have it. Never switches."""

    def close(self) -> None:
        """Close it, even while a caller waits on it. Never switches, never raises."""


C = TypeVar("C", bound=Pooled)


class Pool(Generic[C]):
    """At most `size` connections, made by `connect` when a caller needs one and none is free.

    `connect` blocks and raises GatewayError. backlog_timeout_s: the longest wait for a free one.
    `reset` prepares a returned connection for the next caller, or closes it; it blocks.
    """

    def __init__(
        self,
        connect: Callable[[], C],
        size: int,
        backlog_timeout_s: float,
        reset: Callable[[C], None] | None = None,
    ) -> None:
        self._connect = connect
        self._size = size
        self._backlog_timeout_s = backlog_timeout_s
        self._reset = reset
        self._slots = BoundedSemaphore(size)
        self._free: list[C] = []
        self._lent: set[C] = set()
        self._reason: str | None = "not started"
        self._failure: GatewayError | None = None  # of the last attempt to connect
        self._is_idle = Event()
        self._is_idle.set()
        self.waiting = 0

    @property
    def free(self) -> int:
        """The number of connections without a caller."""
        return len(self._free)

    @property
    def lent(self) -> int:
        """The number of connections with a caller."""
        return len(self._lent)

    @property
    def is_busy(self) -> bool:
        """True if a caller would have to wait for a free connection now."""
        return self._slots.locked()

    def open(self) -> None:
        """Start to lend connections."""
        self._reason = self._failure = None

    def refuse(self, reason: str) -> None:
        """Stop lending; later callers get the reason. Lent connections stay open."""
        self._reason = reason

    @contextmanager
    def lease(self, lent: C | None = None) -> Iterator[C]:
        """Lend a connection for the duration of a `with`. `lent`: one that take() has lent.

        Blocks: up to backlog_timeout_s for a free one, and while a new one connects.
        Errors: GatewayError if there is none in time, or it can't be made.
        """
        connection = self._lend() if lent is None else lent
        is_well = False
        try:
            if lent is None:
                self._check_open()  # the pool may have been closed during the connect
            yield connection
            if self._reset is not None and connection.is_usable():
                self._reset(connection)
            is_well = True
        finally:
            self.give_back(connection, is_well=is_well)

    @property
    def has_free(self) -> bool:
        """True if take() would find a connection, provided that it is still usable."""
        return bool(self._free) and not self.waiting and self._reason is None

    def take(self) -> C | None:
        """Lend a free connection at once; None if none is free, or others wait. Never switches."""
        if not self.has_free or not self._slots.acquire(blocking=False):
            return None
        connection = self._usable()
        if connection is None:
            self._slots.release()
            return None
        self._note_lent(connection)
        return connection

    def give_back(self, connection: C, *, is_well: bool) -> None:
        """Take a lent connection back; close it unless it is well. Never switches."""
        try:
            self._take_back(connection, is_well=is_well)
        finally:
            self._slots.release()

    def warm(self) -> None:
        """Make sure that there is a connection. Blocks: while one connects. Errors: as connect."""
        self.prune()
        if self._free or self._lent:
            return
        if not self._slots.acquire(blocking=False):
            # All slots belong to callers that connect: the result of the last one counts for all.
            if self._failure is not None:
                raise self._failure.with_traceback(None)
            return
        try:
            connection = self._made()
            if self._reason is None:
                self._free.append(connection)
            else:
                connection.close()
        finally:
            self._slots.release()

    def prune(self) -> None:
        """Close free connections that are no longer usable. Never switches."""
        for connection in [one for one in self._free if not one.is_usable()]:
            self._free.remove(connection)
            connection.close()

    def drain(self, grace_s: float) -> None:
        """Wait until no connection is lent. Blocks: up to grace_s."""
        if self._lent:
            self._is_idle.wait(grace_s)

    def close(self, reason: str) -> None:
        """Close all connections; waiting callers and borrowers get an error. Never switches."""
        self._reason = reason
        free, self._free = self._free, []
        for connection in [*free, *self._lent]:
            connection.close()

    def _lend(self) -> C:
        self._take_slot()
        try:
            self._check_open()  # the pool may have been closed during the wait
            connection = self._usable() or self._made()
        except BaseException:
            self._slots.release()
            raise
        self._note_lent(connection)
        return connection

    def _note_lent(self, connection: C) -> None:
        self._lent.add(connection)
        self._is_idle.clear()

    def _take_slot(self) -> None:
        self._check_open()
        self.waiting += 1
        try:
            is_taken = self._slots.acquire(timeout=self._backlog_timeout_s)
        finally:
            self.waiting -= 1
        if not is_taken:
            raise GatewayError(
                f"no free connection within {self._backlog_timeout_s:g} s,"
                f" all {self._size} are in use"
            )

    def _check_open(self) -> None:
        if self._reason is not None:
            raise GatewayError(self._reason)

    def _made(self) -> C:
        try:
            connection = self._connect()
        except GatewayError as error:
            self._failure = error
            raise
        self._failure = None
        return connection

    def _usable(self) -> C | None:
        """Return the last used free connection that is still usable."""
        while self._free:
            connection = self._free.pop()
            if connection.is_usable():
                return connection
            connection.close()
        return None

    def _take_back(self, connection: C, *, is_well: bool) -> None:
        self._lent.discard(connection)
        if is_well and self._reason is None and connection.is_usable():
            self._free.append(connection)
        else:
            connection.close()
        if not self._lent:
            self._is_idle.set()
