"""The SCTP transport of links: one-to-one sockets of the kernel, through gevent.

It uses plain socket calls and ancillary data, without a library. Numbers and structures are those
of RFC 6458 on Linux. A message of M3UA or SUA is one SCTP message. Management uses stream 0, user
data the stream of its signalling link (SLS) or sequence control, which keeps the order.
"""

import errno
import struct
from collections.abc import Callable, Sequence
from typing import Any

from gevent import socket
from gevent.server import StreamServer
from gevent.socket import socket as Socket  # noqa: N812 - a class by its lower-case name

from tsvc.clock import Clock
from tsvc.protocols.m3ua import messages
from tsvc.protocols.m3ua.data import decode_data
from tsvc.protocols.m3ua.messages import MAX_MESSAGE_OCTETS
from tsvc.protocols.sua.connectionless import sequence_control_of
from tsvc.results.records import Ends
from tsvc.ss7.links import LinkConfig, Listener
from tsvc.transport.driver import ConnectionOver, MessageDriver, MessageMachine, ends_of
from tsvc.values import dataclass

IPPROTO_SCTP = 132
NO_SCTP = "this kernel has no SCTP"
_STREAMS = 17  # stream 0 and one for each of 16 signalling links
_CONNECT_TIMEOUT_S = 5.0
_BACKLOG = 128
_ATTEMPTS = 4
_INIT_TIMEOUT_MS = 2000
_READ_OCTETS = 65536
_ANCILLARY_OCTETS = 256

# Socket options, ancillary data, flags and notifications.
_INITMSG, _NODELAY, _EVENTS, _STATUS, _RECVRCVINFO, _BINDX_ADD = 2, 3, 11, 14, 32, 100
_SNDINFO, _RCVINFO = 2, 3
_MSG_EOR, _MSG_NOTIFICATION = 0x80, 0x8000
_ASSOC_CHANGE, _SHUTDOWN_EVENT = 0x8001, 0x8005

_INIT = struct.Struct("=HHHH")  # streams out, most streams in, attempts, time limit in ms
_SEND = struct.Struct("=HHIII")  # stream, flags, PPID, context, association
_RECEIVED = struct.Struct("=HHHxxI")  # stream, sequence number, flags, PPID; TSNs follow
_STATUS_HEAD = struct.Struct("=IIIHHHH")  # association, state, window, 2 counts, streams in, out
_NOTIFICATION = struct.Struct("=HHI")  # type, flags, length
_CHANGE = struct.Struct("=H")  # state of the association, behind that
# One octet switches one kind of notification: the association's state, and its shutdown.
_WANTED_EVENTS = bytes((0, 1, 0, 0, 0, 1, 0, 0))

_LOST = {
    1: "connection lost",
    2: "the peer restarted the association",  # the data in transit is lost
    3: "closed by peer",
    4: "the association can't start",
}
_UNSUPPORTED = {errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT, errno.ENOPROTOOPT}


@dataclass(frozen=True, slots=True)
class Payload:
    """The properties of a protocol that SCTP needs: its PPID, and the order of messages.

    `order_of` returns the same number for messages that must stay in order, None for management.
    """

    ppid: int
    order_of: Callable[[bytes], int | None]


def _sls_of(octets: bytes) -> int | None:
    if octets[2:4] != bytes(messages.DATA):
        return None
    data = decode_data(octets)
    return 0 if data is None else data.sls


PAYLOADS = {"m3ua": Payload(3, _sls_of), "sua": Payload(4, sequence_control_of)}


class SctpConnection:
    """One association. One greenlet reads and one other greenlet writes."""

    def __init__(self, connection: Socket, payload: Payload) -> None:
        self._socket = connection
        self._payload = payload
        self._ppid = socket.htonl(payload.ppid)
        connection.setsockopt(IPPROTO_SCTP, _NODELAY, 1)
        _prepare_to_receive(connection)
        status = connection.getsockopt(IPPROTO_SCTP, _STATUS, _ANCILLARY_OCTETS)
        self._streams: int = _STATUS_HEAD.unpack_from(status)[-1]
        self.ends = ends_of(connection, "sctp")

    def send(self, octets: bytes) -> None:
        """Send one message. Blocks: while the kernel's buffer is full. Errors: OSError."""
        order = self._payload.order_of(octets)
        is_ordered = order is not None and self._streams > 1
        stream = 1 + (order or 0) % (self._streams - 1) if is_ordered else 0
        info = _SEND.pack(stream, 0, self._ppid, 0, 0)
        self._socket.sendmsg([octets], [(IPPROTO_SCTP, _SNDINFO, info)])

    def receive(self) -> tuple[bytes, int]:
        """Return the next message of the protocol and its stream. Blocks: until one is there.

        Errors: ConnectionOver if the association is over, or a message is too long; OSError.
        """
        parts: list[bytes] = []
        size = 0
        while True:
            octets, ancillary, flags, _ = self._socket.recvmsg(_READ_OCTETS, _ANCILLARY_OCTETS)
            if flags & _MSG_NOTIFICATION:
                _raise_if_lost(octets)
                continue
            if not octets:
                raise ConnectionOver("closed by peer")
            parts.append(octets)
            size += len(octets)
            if size > MAX_MESSAGE_OCTETS:
                raise ConnectionOver(f"a message is longer than {MAX_MESSAGE_OCTETS} octets")
            if flags & _MSG_EOR:
                stream, ppid = _stream_and_ppid(ancillary)
                # Messages with the PPID of another protocol are ignored; 0: the peer sets none.
                if ppid in (self._ppid, 0):
                    return b"".join(parts), stream
                parts, size = [], 0

    def close(self) -> None:
        """Close the socket; the kernel shuts the association down."""
        self._socket.close()


class SctpTransport:
    """SCTP of the kernel, IPv4 or IPv6; the local end may have several addresses (multihoming)."""

    def connect(self, config: LinkConfig) -> SctpConnection:
        """Return an association. Blocks: up to 5 s. Errors: OSError, also without SCTP."""
        family, address = _resolved(config.host, config.port)
        hosts = [host for host in (config.local_host, *config.more_hosts) if host]
        if hosts or config.local_port:
            any_host = "0.0.0.0" if family == socket.AF_INET else "::"
            connection = _bound(hosts or [any_host], config.local_port)
        else:
            connection = _socket(family)
        try:
            connection.settimeout(_CONNECT_TIMEOUT_S)
            connection.connect(address)
            connection.settimeout(None)
            return SctpConnection(connection, PAYLOADS[config.kind])
        except BaseException:
            connection.close()
            raise

    def listen(self, config: LinkConfig, serve: Callable[[Any, str], None]) -> Listener:
        """Serve each association in a greenlet of its own. Errors: OSError, also without SCTP."""
        listening = _bound([config.host, *config.more_hosts], config.port)
        payload = PAYLOADS[config.kind]

        def accept(accepted: Socket, address: tuple[Any, ...]) -> None:
            try:
                connection = SctpConnection(accepted, payload)
            except OSError:
                accepted.close()  # it ended before it could be used
                return
            serve(connection, f"{address[0]}:{address[1]}")

        try:
            # Notifications are needed from the first octet on: accepted sockets inherit these
            # options.
            _prepare_to_receive(listening)
            listening.listen(_BACKLOG)
            server = StreamServer(listening, accept)
            server.start()
        except OSError:
            listening.close()
            raise
        return Listener(server)

    def ends(self, connection: SctpConnection) -> Ends | None:
        """Return the ends of an association: of several addresses, the primary ones."""
        return connection.ends

    def driver(
        self,
        machine: MessageMachine,
        connection: SctpConnection,
        clock: Clock,
        on_indication: Callable[[object], None],
    ) -> MessageDriver:
        """Return the driver of an association."""
        return MessageDriver(machine, connection, clock, on_indication)


def _resolved(host: str, port: int) -> tuple[int, Any]:
    """Return family and socket address. Blocks: if `host` is a name. Errors: OSError."""
    family, _, _, _, address = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)[0]
    return family, address


def _socket(family: int) -> Socket:
    try:
        created = Socket(family, socket.SOCK_STREAM, IPPROTO_SCTP)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            raise OSError(error.errno, NO_SCTP) from None
        raise
    wanted = _INIT.pack(_STREAMS, _STREAMS, _ATTEMPTS, _INIT_TIMEOUT_MS)
    created.setsockopt(IPPROTO_SCTP, _INITMSG, wanted)
    return created


def _bound(hosts: Sequence[str], port: int) -> Socket:
    """Return a socket bound to all these addresses. Errors: OSError."""
    # An IPv6 socket accepts IPv4 addresses too, if the first address is IPv6.
    addresses = sorted((_resolved(host, port) for host in hosts), reverse=True)
    bound = _socket(addresses[0][0])
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(addresses[0][1])
        chosen = bound.getsockname()[1]
        for family, address in addresses[1:]:
            packed = _sockaddr(family, address[0], chosen)
            bound.setsockopt(IPPROTO_SCTP, _BINDX_ADD, packed)
    except OSError:
        bound.close()
        raise
    return bound


def _sockaddr(family: int, host: str, port: int) -> bytes:
    """Return a struct sockaddr_in or sockaddr_in6."""
    start = struct.pack("=H", family) + struct.pack(">H", port)
    octets = socket.inet_pton(family, host)
    if family == socket.AF_INET:
        return start + octets + bytes(8)
    return start + bytes(4) + octets + bytes(4)


def _prepare_to_receive(connection: Socket) -> None:
    connection.setsockopt(IPPROTO_SCTP, _RECVRCVINFO, 1)
    connection.setsockopt(IPPROTO_SCTP, _EVENTS, _WANTED_EVENTS)


def _stream_and_ppid(ancillary: list[tuple[int, int, bytes]]) -> tuple[int, int]:
    for level, kind, data in ancillary:
        if level == IPPROTO_SCTP and kind == _RCVINFO and len(data) >= _RECEIVED.size:
            stream, _, _, ppid = _RECEIVED.unpack_from(data)
            return stream, ppid
    return 0, 0


def _raise_if_lost(notification: bytes) -> None:
    if len(notification) < _NOTIFICATION.size:
        return
    kind, _, _ = _NOTIFICATION.unpack_from(notification)
    if kind == _SHUTDOWN_EVENT:
        raise ConnectionOver("closed by peer")
    if kind == _ASSOC_CHANGE and len(notification) >= _NOTIFICATION.size + _CHANGE.size:
        (state,) = _CHANGE.unpack_from(notification, _NOTIFICATION.size)
        if state in _LOST:
            raise ConnectionOver(_LOST[state])
