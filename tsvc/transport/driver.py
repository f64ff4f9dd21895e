"""One driver for every sans-IO machine: reader, joining writer, timers.

A machine receives octets and time, and queues the octets to send (see protocols/). The driver owns
the socket and the greenlets. A call into the machine never spans a switch, so it needs no lock.
This is one of the few modules that create greenlets.
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

_READ_OCTETS = 16384  # handled without a switch
_MAX_JOINED_OCTETS = 262144
_LAST_WRITE_S = 1.0
_LONGEST_DELAY_S = 5.0  # of timers, after this process was suspended
_LONGEST_TURN_S = 0.01  # of a reader, while its peer sends faster than it reads …
# … then others run: for this pause, because after sleep(0) gevent may return to this reader
# fifty times before it checks sockets and timers.
_PAUSE_S = 0.001
_WAITED_S = 0.0001  # for octets: then others have had a chance to run
MAX_QUEUED = 100_000  # messages for a peer which does not read …
MAX_QUEUED_OCTETS = 1 << 26  # … and their total length


def ends_of(connection: Socket, transport: str = "tcp") -> Ends | None:
    """Return the ends of a connected socket, None if it does not use IP, or is lost."""
    try:
        own, peer = connection.getsockname(), connection.getpeername()
    except OSError:
        return None
    if not isinstance(own, tuple) or not isinstance(peer, tuple):
        return None
    return Ends(transport, str(own[0]), int(own[1]), str(peer[0]), int(peer[1]))


class Machine(Protocol):
    """The interface that every machine has, on any transport."""

    def data_to_send(self) -> list[bytes]: ...

    def next_timer(self) -> float | None: ...

    def handle_timer(self, now: float) -> Sequence[Any]: ...


class StreamMachine(Machine, Protocol):
    """A machine on a stream, such as m3ua.Association, a Diameter peer, an SMPP session."""

    def receive(self, octets: bytes, now: float) -> Sequence[Any]: ...


class MessageMachine(Machine, Protocol):
    """A machine on a transport that keeps message boundaries."""

    def receive_message(self, octets: bytes, now: float, stream: int = ...) -> Sequence[Any]: ...


class Closable(Protocol):
    """The part of a connection that every driver needs."""

    def close(self) -> None: ...


class MessageConnection(Closable, Protocol):
    """A connection that carries whole messages."""

    def send(self, octets: bytes) -> None:
        """Send one message. Blocks. Errors: OSError."""

    def receive(self) -> tuple[bytes, int]:
        """Return the next message and its stream. Blocks. Errors: ConnectionOver, OSError."""


class ConnectionOver(Exception):
    """A connection has ended; the text is the reason."""


def _never() -> None:
    return None


def _nobody(_: object) -> None:
    pass


class TimerLoop:
    """Calls `handle(now)` when `next_timer()` is due; call touch() after any change."""

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
        """End the loop for good, and drop the references to its callbacks."""
        self.stop()
        self._next_timer = _never
        self._handle = _nobody

    def touch(self) -> None:
        """Check again when the next timer is due."""
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
                # The event loop may serve a timer before a readable socket. So read first what the
                # peer has sent in time, before a timer reports a timeout. If this process was
                # suspended, the peer gets that time in addition (tsvc/deadline.py).
                late = 0.0 if is_told or timeout is None else monotonic() - began - timeout
                gevent.sleep(READ_S if late <= LATE_S else min(late, _LONGEST_DELAY_S))
                self._due = self._next_timer()
            now = self._clock.now()
            if self._due is not None and self._due <= now:
                try:
                    self._handle(now)
                except Exception as error:  # noqa: BLE001 - a fault must not stop all timers
                    log.failure("timer failed", error)


class Driver:
    """Runs one machine over one connection until either side ends it.

    `on_indication` is called with each indication, in order, and must not switch. run() blocks
    until the connection is over and returns the reason. All that is queued before a close is
    written first. A peer that causes answers and does not read them is disconnected.
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
        """Queue the machine's octets for the writer and wake it; never switches.

        While indications are passed on, this is done after the last of them.
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
        """End the connection after the queued octets have been written; never switches."""
        if self._close_reason is None:
            self._close_reason = reason
            self._has_data.set()
            self._over.set()

    @property
    def queued(self) -> int:
        """The number of messages that wait to be written."""
        return len(self._queue)

    def _drop_queued(self) -> None:
        self._queue.clear()
        self._queued_octets = 0

    def _take_queued(self) -> bytes:
        octets = self._queue.popleft()
        self._queued_octets -= len(octets)
        return octets

    def _begin_turn(self, asked_at: float) -> float:
        """Return the time; the reader has been waiting for octets since `asked_at`."""
        now = self._clock.now()
        if now - asked_at > _WAITED_S:
            self._turn_began_at = now
        return now

    def _end_turn(self) -> None:
        """Pause if this reader has not waited for long, as with a fast peer: others must run."""
        now = self._clock.now()
        if now - self._turn_began_at > _LONGEST_TURN_S:
            gevent.sleep(_PAUSE_S)
            self._turn_began_at = self._clock.now()

    def run(self) -> str:
        """Drive until the connection is over. Blocks; returns the reason."""
        self._timers.start()
        # The first of the two that ends, ends the connection.
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
            self._on_indication = _nobody  # break the reference cycle
            gevent.killall([reader, writer], block=False)
            self._connection.close()

    def handle(self, indications: Sequence[Any]) -> None:
        """Pass indications on, then send the resulting octets."""
        was_handling, self._is_handling = self._is_handling, True
        for indication in indications:
            try:
                self._on_indication(indication)
            except Exception as error:  # noqa: BLE001 - a fault must not end the connection
                log.failure("indication failed", error)
        self._is_handling = was_handling
        self.flush()

    def _on_timer(self, now: float) -> None:
        self.handle(self.machine.handle_timer(now))

    def _read(self) -> str:
        """Read until the connection is over. Return the reason."""
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
        """Write at least one message of a nonempty queue. Blocks. Errors: OSError."""
        raise NotImplementedError


class StreamDriver(Driver):
    """A driver on a connected stream socket: queued messages are joined before they are written.

    `is_joining` False: each message is written alone, because SCTP keeps the boundaries.
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
    """A driver on a connection that keeps message boundaries: nothing is joined or cut."""

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
