"""A TCP proxy in threads: it decides what happens to a peer's answers to the gateway."""

import contextlib
import socket
import threading
from collections.abc import Callable

# (the gateway's connection, octets of an answer): sends a replacement. Errors: OSError.
Become = Callable[[socket.socket, bytes], None]

_READ_OCTETS = 65536


def pass_on(gateway: socket.socket, octets: bytes) -> None:
    """Send the octets unchanged."""
    gateway.sendall(octets)


def end(connection: socket.socket) -> None:
    """Close, and wake the thread that reads from it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


class Proxy:
    """A proxy that listens on its own port and connects to `target`; `become` may change at any
    time.

    `is_reversed`: the gateway is the target, and its peer connects. While `hears` is not set, the
    octets from the gateway are not read.
    """

    def __init__(self, target: int, *, is_reversed: bool = False) -> None:
        self.target = target
        self.become: Become = pass_on
        self.hears = threading.Event()
        self.hears.set()
        self._is_reversed = is_reversed
        self.accepted = 0
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def drop(self) -> None:
        """Close all connections; new connections are served."""
        for pair in list(self._pairs):
            self._end(pair)

    def close(self) -> None:
        end(self._listener)
        self.drop()

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            try:
                connected = socket.create_connection(("127.0.0.1", self.target), timeout=10)
            except OSError:
                end(accepted)
                continue
            connected.settimeout(None)
            for connection in (accepted, connected):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = (connected, accepted) if self._is_reversed else (accepted, connected)
            self._pairs.add(pair)
            for pump in (self._ask, self._answer):
                threading.Thread(target=self._pump, args=(pump, pair), daemon=True).start()

    def _pump(
        self,
        pump: Callable[[socket.socket, socket.socket], None],
        pair: tuple[socket.socket, socket.socket],
    ) -> None:
        with contextlib.suppress(OSError):
            pump(*pair)
        self._end(pair)

    def _ask(self, gateway: socket.socket, peer: socket.socket) -> None:
        while self.hears.wait() and (octets := gateway.recv(_READ_OCTETS)):
            peer.sendall(octets)

    def _answer(self, gateway: socket.socket, peer: socket.socket) -> None:
        while octets := peer.recv(_READ_OCTETS):
            self.become(gateway, octets)

    def _end(self, pair: tuple[socket.socket, socket.socket]) -> None:
        self._pairs.discard(pair)
        for connection in pair:
            end(connection)
