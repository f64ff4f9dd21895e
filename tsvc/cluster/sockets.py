"""ZeroMQ sockets in place of Locust's own, with keys, bounds, and sending that never waits.

Locust makes its sockets with `rpc.Server(host, port)` and `rpc.Client(host, port, identity)`. Here
the host is a whole `Listen` or `Call`, from which the Server and Client of this module are made.
The wire format is Locust's: MessagePack of [type, data, identity]. Unlike in Locust, nothing in
`data` is read as a date or an object id, so that it arrives as it was sent. Unreadable messages
are dropped and counted, instead of ending the reader.
"""

import errno
from typing import Any

import gevent
import msgpack
import zmq.green as zmq
from locust.exception import RPCError
from locust.rpc import Message
from zmq.utils import z85
from zmq.utils.monitor import parse_monitor_message

from tsvc.cluster.curve import HubKeys, SpokeKeys
from tsvc.cluster.errors import MAX_OCTETS, LinkError
from tsvc.values import dataclass

_OVERHEAD_OCTETS = 1024  # of CURVE and of the frame, at most
_LINGER_MS = 200  # in which a last message can still be sent
_HANDSHAKE_MS = 5000  # after which a connection without a handshake is closed
_RECONNECT_MS, _RECONNECT_MAX_MS = 100, 1000
_IN_A_ROW = 16  # messages that are read before other greenlets run
_DOOR = "inproc://zeromq.zap.01"  # where libzmq asks if a key is allowed (RFC 27)


@dataclass
class Listen:
    """The address where a coordinator listens; its port is real as soon as there is a socket."""

    host: str  # an IP address, "[::1]" in brackets; "*" for all
    port: int  # 0: any free port
    keys: HubKeys | None


@dataclass(frozen=True)
class Call:
    """The address that a worker connects to."""

    host: str  # an IP address, in brackets if it is of version 6
    port: int
    keys: SpokeKeys | None


class Received(Message):
    """A message from a worker, with the identity of its connection, not the one it contains."""

    def __init__(self, kind: str, data: object, node_id: str, key: str) -> None:
        super().__init__(kind, data, node_id)
        self.key = key  # the public key of the connection, "" without keys


def _reason(error: zmq.ZMQError) -> str:
    return zmq.strerror(error.errno or 0)


def _packed(message: Message) -> bytes:
    """Return a message's octets. Errors: LinkError."""
    try:
        octets: bytes = msgpack.packb((message.type, message.data, message.node_id))
    except (TypeError, ValueError, OverflowError) as error:
        raise LinkError(f"can't be sent: {error}") from None
    if len(octets) > MAX_OCTETS:
        raise LinkError(f"{len(octets)} octets are more than the {MAX_OCTETS} of a message")
    return octets


def _unpacked(octets: bytes) -> tuple[str, object] | None:
    """Return the type and data of a message, None if it is not a message."""
    try:
        parts = msgpack.unpackb(octets, strict_map_key=False)
    except (ValueError, TypeError):
        return None
    if not isinstance(parts, list) or len(parts) != 3 or not isinstance(parts[0], str):
        return None
    return parts[0], parts[1]


class _Socket:
    """The base of both sides: a context of its own, bounds, fair reading."""

    def __init__(self, form: int) -> None:
        self.context = zmq.Context()
        self.socket = self.context.socket(form)
        self.socket.setsockopt(zmq.LINGER, _LINGER_MS)
        self.socket.setsockopt(zmq.MAXMSGSIZE, MAX_OCTETS + _OVERHEAD_OCTETS)
        self.socket.setsockopt(zmq.HANDSHAKE_IVL, _HANDSHAKE_MS)
        self.socket.setsockopt(zmq.TCP_KEEPALIVE, 1)
        self.socket.setsockopt(zmq.TCP_KEEPALIVE_IDLE, 30)
        self.dropped = 0  # messages that could not be read
        self._in_a_row = 0

    def _frames(self) -> list[zmq.Frame]:
        """Return the frames of a message. Blocks: until there is one. Errors: RPCError."""
        self._in_a_row += 1
        if self._in_a_row >= _IN_A_ROW:
            # Reading never waits while messages are there: a busy sender would block all others.
            self._in_a_row = 0
            gevent.sleep(0)
        try:
            frames: list[zmq.Frame] = self.socket.recv_multipart(copy=False)
        except zmq.ZMQError as error:
            raise RPCError(f"the socket is gone: {_reason(error)}") from error
        return frames

    def _put(self, frames: list[bytes]) -> bool:
        """Send frames. Return False if the peer is not there, or there is no room. Never waits."""
        try:
            self.socket.send_multipart(frames, zmq.NOBLOCK)
        except zmq.ZMQError as error:
            if error.errno in (errno.EAGAIN, errno.EHOSTUNREACH):
                return False
            raise RPCError(f"the socket is gone: {_reason(error)}") from error
        return True

    def close(self, linger: int | None = None) -> None:
        """Close; messages not yet sent have _LINGER_MS. Blocks: the greenlet, for as long."""
        self.socket.close(linger)
        gevent.get_hub().threadpool.apply(self.context.term)  # it would block the event loop


class Server(_Socket):
    """The coordinator's socket. Errors: LinkError if it can't listen there."""

    def __init__(self, listen: Listen, _port: int) -> None:
        super().__init__(zmq.ROUTER)
        self._door: Door | None = None
        self.socket.setsockopt(zmq.ROUTER_MANDATORY, 1)  # sending to an unknown peer is an error
        # A worker may connect again before its old connection is known to be dead.
        self.socket.setsockopt(zmq.ROUTER_HANDOVER, 1)
        if listen.host.startswith("["):
            self.socket.setsockopt(zmq.IPV6, 1)
        if listen.keys is not None:
            self._door = Door(self.context, listen.keys.allowed)  # before anyone can connect
            self.socket.setsockopt(zmq.CURVE_SERVER, 1)
            self.socket.setsockopt(zmq.CURVE_SECRETKEY, listen.keys.secret.encode())
        try:
            self.socket.bind(f"tcp://{listen.host}:{listen.port or '*'}")
        except zmq.ZMQError as error:
            self.close(0)
            raise LinkError(
                f"can't listen on {listen.host}:{listen.port}: {_reason(error)}"
            ) from None
        listen.port = int(self.socket.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2])

    def allow(self, keys: frozenset[str]) -> None:
        """Admit only these keys, from the next message on."""
        if self._door is not None:
            self._door.allowed = keys

    @property
    def refused(self) -> int:
        """The number of refused keys."""
        return 0 if self._door is None else self._door.refused

    def send_to_client(self, message: Message) -> bool:
        """Send to the identity in `node_id`. Return False if it is not there or has no room.

        Errors: LinkError, RPCError.
        """
        return self._put([message.node_id.encode(), _packed(message)])

    def recv_from_client(self) -> tuple[str, Received]:
        """Return the identity and the message. Blocks: until there is one. Errors: RPCError."""
        while True:
            frames = self._frames()
            message = self._read(frames)
            if message is not None:
                return message.node_id, message
            self.dropped += 1

    def _read(self, frames: list[zmq.Frame]) -> Received | None:
        key = ""
        if self._door is not None:
            key = str(frames[-1].get("User-Id"))
            if key not in self._door.allowed:
                return None  # the key was allowed when it connected, but is not now
        parts = _unpacked(frames[1].bytes) if len(frames) == 2 else None
        if parts is None:
            return None
        try:
            identity = frames[0].bytes.decode()
        except UnicodeDecodeError:
            return None
        return Received(*parts, identity, key)

    def close(self, linger: int | None = None) -> None:
        if self._door is not None:
            self._door.close()
        super().close(linger)


class Door:
    """Answers libzmq, which asks for each connection if its key is allowed."""

    def __init__(self, context: "zmq.Context[Any]", allowed: frozenset[str]) -> None:
        self.allowed = allowed
        self.refused = 0
        self._socket = context.socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.bind(_DOOR)
        self._greenlet = gevent.spawn(self._serve)

    def _serve(self) -> None:
        while True:
            version, request, *_, mechanism, credential = self._socket.recv_multipart()
            key = z85.encode(credential) if mechanism == b"CURVE" else b""
            is_in = key.decode() in self.allowed
            self.refused += not is_in
            verdict = [b"200", b"", key] if is_in else [b"400", b"not allowed", b""]
            self._socket.send_multipart([version, request, *verdict, b""])

    def close(self) -> None:
        self._greenlet.kill()
        self._socket.close(0)


class Client(_Socket):
    """A worker's socket, which connects in the background, and reconnects when necessary."""

    def __init__(self, call: Call, _port: int, identity: str) -> None:
        super().__init__(zmq.DEALER)
        self.socket.setsockopt(zmq.IDENTITY, identity.encode())
        self.socket.setsockopt(zmq.RECONNECT_IVL, _RECONNECT_MS)
        self.socket.setsockopt(zmq.RECONNECT_IVL_MAX, _RECONNECT_MAX_MS)
        if call.host.startswith("["):
            self.socket.setsockopt(zmq.IPV6, 1)
        if call.keys is not None:
            self.socket.setsockopt(zmq.CURVE_SERVERKEY, call.keys.server_public.encode())
            self.socket.setsockopt(zmq.CURVE_PUBLICKEY, call.keys.public.encode())
            self.socket.setsockopt(zmq.CURVE_SECRETKEY, call.keys.secret.encode())
        self._trouble = ("nobody listens there", False)
        self._events: zmq.Socket[bytes] | None = self.socket.get_monitor_socket(_TOLD)
        try:
            self.socket.connect(f"tcp://{call.host}:{call.port}")
        except zmq.ZMQError as error:
            self.close(0)
            raise LinkError(f"can't call {call.host}:{call.port}: {_reason(error)}") from None

    def trouble(self) -> tuple[str, bool]:
        """Return the trouble of the connection, and True if it is final."""
        while self._events is not None:
            try:
                event = parse_monitor_message(self._events.recv_multipart(zmq.NOBLOCK))
            except zmq.Again:
                break
            self._trouble = _WORDS[zmq.Event(event["event"])]
        return self._trouble

    def unwatch(self) -> None:
        """Stop watching the connection."""
        if self._events is not None:
            self.socket.disable_monitor()
            self._events.close(0)
            self._events = None

    def send(self, message: Message) -> bool:
        """Send. Return False if there is no room because the coordinator does not read.

        Errors: LinkError, RPCError.
        """
        return self._put([_packed(message)])

    def recv(self) -> Message:
        """Return a message. Blocks: until there is one. Errors: RPCError."""
        while True:
            frames = self._frames()
            parts = _unpacked(frames[0].bytes) if len(frames) == 1 else None
            if parts is not None:
                return Message(*parts, "")
            self.dropped += 1

    def close(self, linger: int | None = None) -> None:
        self.unwatch()
        super().close(linger)


# (trouble, True if it is final). Other trouble comes and goes while a coordinator starts.
_WORDS = {
    zmq.EVENT_CONNECTED: ("it is connected, and gets no answer", False),
    zmq.EVENT_HANDSHAKE_FAILED_AUTH: ("this key is not allowed there", True),
    zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL: ("the other side speaks otherwise: no keys?", False),
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL: ("the other side hangs up: other keys?", False),
}
_TOLD = sum(_WORDS)
