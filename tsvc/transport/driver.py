"""One driver for every sans-IO machine: reader, joining writer, timers.

A machine takes octets and time and queues what it wants sent (see protocols/). The driver owns
the socket and the greenlets; a call into the machine never spans a switch, so it needs no lock.
This is one of the few places where greenlets are born.
"""

from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, ClassVar, Protocol

import gevent
from gevent.event import Event
from gevent.socket import socket as Socket  # noqa: N812 - a class by its lower-case name

from tsvc.clock import Clock
from tsvc.deadline import LATE_S, READ_S
from tsvc.errors import reason
from tsvc.log import get_logger
from tsvc.results.records import Ends

log = get_logger("driver")

_READ_OCTETS = 16384  # what is handled without a switch
_MAX_JOINED_OCTETS = 262144
_LAST_WRITE_S = 1.0
_LONGEST_DELAY_S = 5.0  # of timers, after this process stood still
_LONGEST_TURN_S = 0.01  # of a reader, while its peer sends faster than it reads …
# … then others get theirs: by a timer, since after sleep(0) gevent may come back to this reader
# fifty times before it looks at sockets and timers.
_PAUSE_S = 0.001
_WAITED_S = 0.0001  # for octets: then others have had their turn
MAX_QUEUED = 100_000  # messages that wait for a peer which does not read …
MAX_QUEUED_OCTETS = 1 << 26  # … and how long they may be together


def ends_of(connection: Socket, transport: str = "tcp") -> Ends | None:
    """Return the ends of a connected socket, None if it is none of IP, or lost."""
    try:
        own, peer = connection.getsockname(), connection.getpeername()
    except OSError:
        return None
    if not isinstance(own, tuple) or not isinstance(peer, tuple):
        return None
    return Ends(transport, str(own[0]), int(own[1]), str(peer[0]), int(peer[1]))


class Machine(Protocol):
    """What every machine has, whatever the transport."""

    def data_to_send(self) -> list[bytes]: ...

    def next_timer(self) -> float | None: ...

    def handle_timer(self, now: float) -> Sequence[Any]: ...


class StreamMachine(Machine, Protocol):
    """A machine on a stream: what m3ua.Association, a Diameter peer, an SMPP session are."""

    def receive(self, octets: bytes, now: float) -> Sequence[Any]: ...


class MessageMachine(Machine, Protocol):
    """A machine on a transport that keeps messages apart."""

    def receive_message(self, octets: bytes, now: float, stream: int = ...) -> Sequence[Any]: ...


class Closable(Protocol):
    """A connection, as far as every driver needs it."""

    def close(self) -> None: ...


class MessageConnection(Closable, Protocol):
    """A connection that carries whole messages."""

    def send(self, octets: bytes) -> None:
        """Send one message. Blocks. Errors: OSError."""

    def receive(self) -> tuple[bytes, int]:
        """Return the next message and its stream. Blocks. Errors: ConnectionOver, OSError."""


class ConnectionOver(Exception):
    """A connection has ended; the text says why."""


def _never() -> None:
    return None


def _nobody(_: object) -> None:
    pass


class TimerLoop:
    """Calls `handle(now)` when `next_timer()` says so; touch() after anything may have changed."""

    def __init__(
        self,
        clock: Clock,
        next_timer: Callable[[], float | None],
        handle: Callable[[float], None],
    ) -> None:
        self._clock = clock
        self._next_timer = next_timer
        self._handle = handle
        self._changed = Event()
        self._due: float | None = None
        self._greenlet: gevent.Greenlet[..., None] | None = None

    def start(self) -> None:
        """Start the loop's greenlet; a second call changes nothing."""
        if self._greenlet is None:
            self._greenlet = gevent.spawn(self._run)

    def stop(self) -> None:
        """End the loop; safe from within its own handler."""
        greenlet = self._greenlet
        self._greenlet = None
        if greenlet is not None and greenlet is not gevent.getcurrent():
            greenlet.kill(block=False)

    def close(self) -> None:
        """End the loop for good, and forget whom it called."""
        self.stop()
        self._next_timer = _never
        self._handle = _nobody

    def touch(self) -> None:
        """Look again when the next timer is due."""
        due = self._next_timer()
        if due is not None and (self._due is None or due < self._due):
            self._changed.set()

    def _run(self) -> None:
        while self._greenlet is not None:
            self._changed.clear()
            self._due = self._next_timer()
            timeout = None if self._due is None else max(self._due - self._clock.now(), 0.0)
            began, is_told = monotonic(), False
            if timeout is None or timeout > 0:
                is_told = bool(self._changed.wait(timeout))
            if self._due is not None and self._due <= self._clock.now():
                # The loop may serve a timer before a socket that has something to read. What the
                # peer has sent in time is taken before a timer says that nothing came; and where
                # this process stood still, the peer has as long again (tsvc/deadline.py).
                late = 0.0 if is_told or timeout is None else monotonic() - began - timeout
                gevent.sleep(READ_S if late <= LATE_S else min(late, _LONGEST_DELAY_S))
                self._due = self._next_timer()
            now = self._clock.now()
            if self._due is not None and self._due <= now:
                try:
                    self._handle(now)
                except Exception as error:  # noqa: BLE001 - our bug must not stop all timers
                    log.failure("timer failed", error)


class Driver:
    """Runs one machine over one connection until either side ends it.

    `on_indication` gets each indication, in order, and must not switch. run() blocks until the
    connection is over and returns why; everything queued before a close is written first. A peer
    that makes us answer and does not read is given up.
    """

    full_reason: ClassVar[str] = "the peer does not read: send queue is full"

    def __init__(
        self,
        machine: Machine,
        connection: Closable,
        clock: Clock,
        on_indication: Callable[[Any], None],
    ) -> None:
        self.machine = machine
        self._connection = connection
        self._clock = clock
        self._on_indication = on_indication
        self._queue: deque[bytes] = deque()
        self._queued_octets = 0
        self._turn_began_at = 0.0
        self._is_handling = False
        self._has_data = Event()
        self._close_reason: str | None = None
        self._over = Event()
        self._timers = TimerLoop(clock, machine.next_timer, self._on_timer)

    def flush(self) -> None:
        """Take what the machine wants sent and wake the writer; never switches.

        What is queued while indications are passed on is taken after the last of them.
        """
        if self._is_handling:
            return
        messages = self.machine.data_to_send()
        if messages:
            self._queue.extend(messages)
            self._queued_octets += sum(map(len, messages))
            self._has_data.set()
            if len(self._queue) > MAX_QUEUED or self._queued_octets > MAX_QUEUED_OCTETS:
                self.close(self.full_reason)
                self._drop_queued()
        self._timers.touch()

    def close(self, reason: str) -> None:
        """End the connection after what is queued has been written; never switches."""
        if self._close_reason is None:
            self._close_reason = reason
            self._has_data.set()
            self._over.set()

    @property
    def queued(self) -> int:
        """How many messages wait to be written."""
        return len(self._queue)

    def _drop_queued(self) -> None:
        self._queue.clear()
        self._queued_octets = 0

    def _take_queued(self) -> bytes:
        octets = self._queue.popleft()
        self._queued_octets -= len(octets)
        return octets

    def _begin_turn(self, asked_at: float) -> float:
        """Return the time; the reader has been asking for octets since `asked_at`."""
        now = self._clock.now()
        if now - asked_at > _WAITED_S:
            self._turn_began_at = now
        return now

    def _end_turn(self) -> None:
        """Let others run if this reader has not waited for long: its peer may never let it."""
        now = self._clock.now()
        if now - self._turn_began_at > _LONGEST_TURN_S:
            gevent.sleep(_PAUSE_S)
            self._turn_began_at = self._clock.now()

    def run(self) -> str:
        """Drive until the connection is over. Blocks; returns the reason."""
        self._timers.start()
        # The first of the two to end, ends the connection.
        reader = gevent.spawn(self._read)
        writer = gevent.spawn(self._write)
        reader.rawlink(lambda _: self._over.set())
        writer.rawlink(lambda _: self._over.set())
        try:
            self._over.wait()
            if self._close_reason is not None:
                writer.join(timeout=_LAST_WRITE_S)
                return self._close_reason
            return str(reader.value or "connection lost")
        finally:
            self._timers.close()
            self._on_indication = _nobody  # who knows us: all of it goes when the owner lets go
            gevent.killall([reader, writer], block=False)
            self._connection.close()

    def handle(self, indications: Sequence[Any]) -> None:
        """Pass indications on, then send what came of them."""
        was_handling, self._is_handling = self._is_handling, True
        for indication in indications:
            try:
                self._on_indication(indication)
            except Exception as error:  # noqa: BLE001 - our bug must not cost the connection
                log.failure("indication failed", error)
        self._is_handling = was_handling
        self.flush()

    def _on_timer(self, now: float) -> None:
        self.handle(self.machine.handle_timer(now))

    def _read(self) -> str:
        """Read until the connection is over; return the reason."""
        raise NotImplementedError

    def _write(self) -> None:
        queue = self._queue
        while True:
            if queue:
                try:
                    self._write_queued()
                except OSError:
                    return
            elif self._close_reason is not None:
                return
            else:
                self._has_data.clear()
                self._has_data.wait()

    def _write_queued(self) -> None:
        """Write at least one message of a queue that has some. Blocks. Errors: OSError."""
        raise NotImplementedError


class StreamDriver(Driver):
    """A driver on a connected stream socket: what is queued is joined before it is written.

    `is_joining` False: each message is written alone, as SCTP keeps apart what is written apart.
    """

    machine: StreamMachine

    def __init__(
        self,
        machine: StreamMachine,
        connection: Socket,
        clock: Clock,
        on_indication: Callable[[Any], None],
        *,
        is_joining: bool = True,
    ) -> None:
        super().__init__(machine, connection, clock, on_indication)
        self._socket = connection
        self._most_joined = _MAX_JOINED_OCTETS if is_joining else 0

    def _read(self) -> str:
        while True:
            asked_at = self._clock.now()
            try:
                octets = self._socket.recv(_READ_OCTETS)
            except OSError as error:
                return f"connection lost: {reason(error)}"
            if not octets:
                return "closed by peer"
            self.handle(self.machine.receive(octets, self._begin_turn(asked_at)))
            self._end_turn()

    def _write_queued(self) -> None:
        joined = [self._take_queued()]
        size = len(joined[0])
        while self._queue and size < self._most_joined:
            joined.append(self._take_queued())
            size += len(joined[-1])
        self._socket.sendall(b"".join(joined))


class MessageDriver(Driver):
    """A driver on a connection that keeps messages apart: nothing is joined or cut."""

    machine: MessageMachine

    def __init__(
        self,
        machine: MessageMachine,
        connection: MessageConnection,
        clock: Clock,
        on_indication: Callable[[Any], None],
    ) -> None:
        super().__init__(machine, connection, clock, on_indication)
        self._messages = connection

    def _read(self) -> str:
        while True:
            asked_at = self._clock.now()
            try:
                octets, stream = self._messages.receive()
            except ConnectionOver as over:
                return str(over)
            except OSError as error:
                return f"connection lost: {reason(error)}"
            now = self._begin_turn(asked_at)
            self.handle(self.machine.receive_message(octets, now, stream))
            self._end_turn()

    def _write_queued(self) -> None:
        self._messages.send(self._take_queued())
