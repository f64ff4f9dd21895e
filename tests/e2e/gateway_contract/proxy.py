"""A TCP proxy between a gateway and its real peer; it disturbs answers as peers may do."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import gevent
from gevent import socket
from gevent.server import StreamServer

# It ends like a line of PI: otherwise the gateway waits for the rest, as it must.
GARBAGE = b"\xff\xfe no protocol that anybody speaks \xff\x00" * 4 + b";\r\n"


class Mode(Enum):
    """The proxy's treatment of the answers."""

    PASS = "passed on"
    HOLD = "held back until they are passed on"
    CUT = "the next one is cut in two, and the connection closed after its first half"
    GARBAGE = "garbage in place of the next one"


@dataclass
class Wire:
    """The octets that one connection has carried while the answers were passed on."""

    gateway: tuple[str, int]
    peer: tuple[str, int]
    asked: bytes = b""
    answered: bytes = b""


class _Pair:
    """A connection of the requesting side, with that of the answering side."""

    def __init__(self, proxy: "Proxy", asking: Any, answering: Any) -> None:
        self._proxy = proxy
        self.asking = asking
        self._answering = answering
        self._held: list[bytes] = []
        self.wire = Wire(asking.getpeername()[:2], asking.getsockname()[:2])
        proxy.wires.append(self.wire)
        self._greenlets = [
            gevent.spawn(self._pump, answering, self._answer),
            gevent.spawn(self._pump, asking, self._ask),
        ]

    def _pump(self, source: Any, take: Any) -> None:
        try:
            while octets := source.recv(65536):
                take(octets)
        except OSError:
            pass
        self.close()

    def _ask(self, octets: bytes) -> None:
        self._proxy.requests += 1
        self.wire.asked += octets
        self._answering.sendall(octets)

    def _answer(self, octets: bytes) -> None:
        mode = self._proxy.mode
        if mode is Mode.HOLD:
            self._held.append(octets)
            self._proxy.held += 1
            return
        self._proxy.mode = Mode.PASS
        if mode is Mode.CUT:
            self.asking.sendall(octets[: max(1, len(octets) // 2)])
            self.close()
        elif mode is Mode.GARBAGE:
            self.asking.sendall(GARBAGE)
        else:
            self.wire.answered += octets
            self.asking.sendall(octets)

    def join(self) -> None:
        """Blocks: until both directions are over."""
        gevent.joinall(self._greenlets)

    def release(self) -> None:
        held, self._held = self._held, []
        for octets in held:
            self.asking.sendall(octets)

    def close(self) -> None:
        self.asking.close()
        self._answering.close()
        self._proxy.pairs.discard(self)


class Proxy:
    """A proxy that listens on its own port; `is_reversed`: the side that connects is the one that
    answers.

    `requests` counts the messages of the requesting side, `held` the answers held back.
    """

    def __init__(self, target: tuple[str, int], *, is_reversed: bool) -> None:
        self._target = target
        self._is_reversed = is_reversed
        self.mode = Mode.PASS
        self.requests = 0
        self.held = 0
        self.accepted = 0
        self.pairs: set[_Pair] = set()
        self.wires: list[Wire] = []
        self.port = 0
        self._server: StreamServer | None = None

    def start(self) -> None:
        """Listen, always on the same port."""
        self._server = StreamServer(("127.0.0.1", self.port), self._serve)
        self._server.start()
        self.port = self._server.server_port or 0

    def stop(self) -> None:
        """Close everything, like a process that ends."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.drop()

    def drop(self) -> None:
        """Close all connections."""
        for pair in list(self.pairs):
            pair.close()

    def pass_on(self) -> None:
        """Pass on the answers that are held back, and all later ones."""
        self.mode = Mode.PASS
        for pair in list(self.pairs):
            try:
                pair.release()
            except OSError:
                pair.close()

    def _serve(self, connection: Any, _: Any) -> None:
        try:
            other = socket.create_connection(self._target)
        except OSError:
            connection.close()
            return
        if self._server is None:  # stopped while this connection was being accepted
            connection.close()
            other.close()
            return
        self.accepted += 1
        asking, answering = (other, connection) if self._is_reversed else (connection, other)
        pair = _Pair(self, asking, answering)
        self.pairs.add(pair)
        pair.join()  # the server closes the connection when this returns
