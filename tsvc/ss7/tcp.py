"""The TCP transport of links: the common header of M3UA and SUA frames the messages."""

from collections.abc import Callable
from typing import Any

from gevent import socket
from gevent.server import StreamServer

from tsvc.clock import Clock
from tsvc.results.records import Ends
from tsvc.ss7.links import LinkConfig, Listener, Machine
from tsvc.transport.driver import StreamDriver, ends_of

_CONNECT_TIMEOUT_S = 5.0
MAX_CONNECTIONS = 256  # of a listening port


class TcpTransport:
    """Plain TCP, IPv4 or IPv6 by the host."""

    def connect(self, config: LinkConfig) -> socket.socket:
        """Return a connected socket. Blocks: up to 5 s. Errors: OSError."""
        source = (config.local_host or "", config.local_port)
        connection = socket.create_connection(
            (config.host, config.port),
            timeout=_CONNECT_TIMEOUT_S,
            source_address=source if any(source) else None,
        )
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def listen(self, config: LinkConfig, serve: Callable[[Any, str], None]) -> Listener:
        """Serve each connection in a greenlet of its own. Errors: OSError."""

        live: set[socket.socket] = set()

        def accept(connection: socket.socket, address: tuple[Any, ...]) -> None:
            if len(live) >= MAX_CONNECTIONS:
                connection.close()
                return
            live.add(connection)
            try:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                serve(connection, f"{address[0]}:{address[1]}")
            finally:
                live.discard(connection)

        server = StreamServer((config.host, config.port), accept)
        server.start()
        return Listener(server)

    def ends(self, connection: socket.socket) -> Ends | None:
        """Return the ends of a connected socket."""
        return ends_of(connection)

    def driver(
        self,
        machine: Machine,
        connection: socket.socket,
        clock: Clock,
        on_indication: Callable[[object], None],
    ) -> StreamDriver:
        """Return the driver of a connected socket."""
        return StreamDriver(machine, connection, clock, on_indication)


class UnixTransport(TcpTransport):
    """A stream between processes of one machine; the host of a link is the path of its socket."""

    def connect(self, config: LinkConfig) -> socket.socket:
        """Return a connected socket. Errors: OSError."""
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(config.host)
        except OSError:
            connection.close()
            raise
        return connection

    def listen(self, config: LinkConfig, serve: Callable[[Any, str], None]) -> Listener:
        """Serve each connection in a greenlet of its own. Errors: OSError."""
        listening = socket.socket(socket.AF_UNIX)
        try:
            listening.bind(config.host)
            listening.listen(MAX_CONNECTIONS)
        except OSError:
            listening.close()
            raise
        server = StreamServer(listening, lambda accepted, _: serve(accepted, "process"))
        server.start()
        return Listener(server)
