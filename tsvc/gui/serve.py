"""The sockets of the GUI: listens, serves until it gets a signal, and stops."""

import signal
import socket
import ssl
from collections.abc import Callable
from types import TracebackType
from typing import Any

import gevent
from gevent.event import Event
from gevent.pool import Pool
from gevent.pywsgi import WSGIHandler, WSGIServer

from tsvc.gui.feed import MOST_VIEWERS
from tsvc.values import dataclass

MOST_CONNECTIONS = MOST_VIEWERS + 500
IDLE_S = 75.0  # a connection without any transfer for so long is closed
HANDSHAKE_S = 10.0
MOST_LOOKUPS = 128  # of names at once, so that an unanswered lookup blocks no other
SEND_OCTETS = 128 << 10  # in the kernel: events that wait there can't be replaced by a snapshot
_MOST_REST = 8 << 20


class _Handler(WSGIHandler):
    """One connection; it is not logged as an error if the browser stalls or breaks it."""

    def handle(self) -> None:
        self.socket.settimeout(IDLE_S)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_OCTETS)
        super().handle()

    def run_application(self) -> None:
        super().run_application()
        # Read this much of a refused body, so that the browser can read the refusal.
        rest: Any = self.wsgi_input
        for _ in range(_MOST_REST >> 16):
            if not rest.read(1 << 16):
                return
        self.close_connection = True
        rest.content_length, rest.chunked_input = rest.position, False

    def handle_error(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            self.close_connection = True
        else:
            super().handle_error(kind, error, trace)

    def _handle_client_error(self, error: BaseException) -> Any:
        if isinstance(error, OSError):
            return None
        return super()._handle_client_error(error)  # type: ignore[misc]  # not in the stubs


class _Server(WSGIServer):
    def wrap_socket_and_handle(self, client_socket: socket.socket, address: Any) -> Any:
        client_socket.settimeout(HANDSHAKE_S)
        return super().wrap_socket_and_handle(client_socket, address)


@dataclass(frozen=True, slots=True)
class Bind:
    """The address to listen on."""

    host: str
    port: int
    names: tuple[str, ...] = ()
    """Further names by which browsers may address this server."""

    context: ssl.SSLContext | None = None

    @property
    def scheme(self) -> str:
        """http or https."""
        return "http" if self.context is None else "https"

    @property
    def is_loopback(self) -> bool:
        """True if only this machine can connect."""
        return self.host in ("localhost", "::1") or self.host.startswith("127.")


def listening(bind: Bind) -> Any:
    """Return a socket that listens. Errors: OSError."""
    family = socket.AF_INET6 if ":" in bind.host else socket.AF_INET
    return WSGIServer.get_listener((bind.host, bind.port), backlog=256, family=family)


def hosts_of(bind: Bind, port: int) -> list[str]:
    """Return the allowed values of the header Host; the first one is shown to users."""
    names = [bind.host, *bind.names]
    if bind.is_loopback:
        names += ["localhost", "127.0.0.1", "::1"]
    shown = [f"[{name}]" if ":" in name else name.lower() for name in dict.fromkeys(names)]
    default = {"http": 80, "https": 443}[bind.scheme]
    return [f"{name}:{port}" for name in shown] + (shown if port == default else [])


def serve(
    listener: socket.socket, app: Any, context: ssl.SSLContext | None, on_ready: Callable[[], None]
) -> None:
    """Serve until SIGTERM or SIGINT. Blocks: until then."""
    options: dict[str, Any] = {} if context is None else {"ssl_context": context}
    server = _Server(
        listener,
        app,
        log=None,  # paths hold one-time tokens
        handler_class=_Handler,
        spawn=Pool(MOST_CONNECTIONS),
        **options,
    )
    gevent.get_hub().threadpool.maxsize = MOST_LOOKUPS
    is_over = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        gevent.signal_handler(number, is_over.set)
    server.start()
    on_ready()
    is_over.wait()
    server.stop(timeout=1)
