"""The life cycle of a fake that is an HTTP server; its kind defines the answers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gevent import pywsgi, socket
from gevent.pool import Pool

from tsvc.gateways.fake import Observer

KEPT_REQUESTS = 1000
MAX_REQUEST_OCTETS = 1 << 20
_MOST_CONNECTIONS = 1000

StartResponse = Callable[[str, list[tuple[str, str]]], object]


class HttpFake:
    """A server; `serve()` is called for each request."""

    def __init__(self, host: str, port: int) -> None:
        self.on_request: Observer = lambda text: None
        self._listen = (host, port)
        self._server: _Server | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port, once it is started."""
        assert self._server is not None
        return self._listen[0], int(self._server.server_port or 0)

    def start(self) -> None:
        """Listen. Errors: OSError if it can't."""
        if self._server is None:
            # A pool of its own: stop() ends all greenlets in it, also those of idle connections.
            pool = Pool(_MOST_CONNECTIONS)
            server = _Server(self._listen, self.serve, log=None, error_log=None, spawn=pool)
            server.start()
            self._server = server

    def stop(self) -> None:
        """Close everything; a second call changes nothing."""
        server, self._server = self._server, None
        if server is not None:
            server.stop(timeout=0)

    def serve(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, as in WSGI."""
        raise NotImplementedError


class _Server(pywsgi.WSGIServer):
    """Sets TCP_NODELAY: otherwise later answers would wait for an acknowledgement."""

    def handle(self, sock: socket.socket, address: Any) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().handle(sock, address)


def header_fields(environ: Mapping[str, Any]) -> dict[str, str]:
    """Return the header fields of a request by their names in small letters."""
    found = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    return {**found, "content-type": str(environ.get("CONTENT_TYPE", ""))}
