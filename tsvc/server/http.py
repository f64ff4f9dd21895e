"""A small, read-only HTTP server for metrics and health.

Anything but a GET or HEAD of a known path is refused, no body is ever read, and each connection
carries one request: a scrape every few seconds needs no more.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from gevent import socket
from gevent.pool import Pool

from tsvc.deadline import at_most
from tsvc.log import get_logger
from tsvc.server.sockets import AcceptingServer, listening_socket
from tsvc.values import dataclass

log = get_logger("http")

MOST_CONNECTIONS = 64
MOST_HEAD_OCTETS = 8192
DEADLINE_S = 10.0  # for a request to come and its response to be read
DRAIN_S = 1.0
_TEXT = "text/plain; charset=utf-8"
_REASONS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


@dataclass(frozen=True, slots=True)
class Page:
    """The answer to a path."""

    text: str
    status: int = 200
    content_type: str = _TEXT


class HttpServer:
    """Answers GET and HEAD of a few paths. Call bind(), start(), then stop()."""

    def __init__(self, listen: str, pages: Mapping[str, Callable[[], Page]]) -> None:
        """`listen` is HOST:PORT, an IPv6 host in brackets; `pages` makes the page of a path."""
        parts = urlsplit(f"//{listen}")
        self._host, self._port = parts.hostname or "", parts.port or 0
        self._pages = pages
        self._connections = Pool()
        self._server: AcceptingServer | None = None
        self.address = ("", 0)

    def bind(self) -> None:
        """Bind the address. Errors: OSError naming it."""
        sock = listening_socket(self._host, self._port, backlog=MOST_CONNECTIONS)
        self.address = sock.getsockname()[:2]
        self._server = AcceptingServer(
            sock, self._handle, self._handle, lambda: None, spawn=self._connections
        )
        log.info("listening", host=self.address[0], port=self.address[1])

    def start(self) -> None:
        """Start to serve the address of bind()."""
        if self._server is None:
            raise RuntimeError("bind() comes before start()")
        self._server.start()

    def stop(self) -> None:
        """Accept no more connections and cut off the open ones."""
        if self._server is not None:
            self._server.close()
        self._connections.kill()

    def _handle(self, sock: socket.socket, _address: tuple[Any, ...]) -> None:
        try:
            with at_most(DEADLINE_S):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.sendall(self._response(sock))
                sock.shutdown(socket.SHUT_WR)
            # Unread octets would turn the response into a reset; accepted if there are too many.
            with at_most(DRAIN_S):
                while len(self._connections) <= MOST_CONNECTIONS and sock.recv(MOST_HEAD_OCTETS):
                    pass
        except OSError as error:
            log.debug("connection lost", reason=error)
        finally:
            sock.close()

    def _response(self, sock: socket.socket) -> bytes:
        if len(self._connections) > MOST_CONNECTIONS:
            page, has_body = Page("too many connections\n", 503), True
        else:
            page, has_body = self._page(_head(sock))
        body = page.text.encode()
        head = (
            f"HTTP/1.1 {page.status} {_REASONS[page.status]}\r\n"
            f"Content-Type: {page.content_type}\r\n"
            f"Content-Length: {len(body)}\r\n"
            + ("Allow: GET, HEAD\r\n" if page.status == 405 else "")
            + "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            "Connection: close\r\n\r\n"
        ).encode()
        return head + body if has_body else head

    def _page(self, head: bytes | None) -> tuple[Page, bool]:
        """Return the page for a head (None: too long), and True if its text must be sent."""
        if head is None:
            return Page("the head of the request is too long\n", 431), True
        words = head.partition(b"\r\n")[0].split(b" ")
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            return Page("not an HTTP/1 request\n", 400), True
        method, target, _ = words
        if method not in (b"GET", b"HEAD"):
            return Page("only GET and HEAD\n", 405), True
        make = self._pages.get(target.partition(b"?")[0].decode("ascii", "replace"))
        if make is None:
            return Page("the paths are " + ", ".join(self._pages) + "\n", 404), True
        try:
            page = make()
        except Exception as error:  # noqa: BLE001 - a page must not end the server
            log.failure("page failed", error)
            page = Page("failed, see the log\n", 500)
        return page, method == b"GET"


def _head(sock: socket.socket) -> bytes | None:
    """Return the octets up to the empty line, or to the client's end; None if there is no end."""
    head = b""
    while b"\r\n\r\n" not in head:
        if len(head) > MOST_HEAD_OCTETS:
            return None
        portion = sock.recv(MOST_HEAD_OCTETS)
        if not portion:
            break
        head += portion
    return head
