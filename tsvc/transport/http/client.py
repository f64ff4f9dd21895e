"""An HTTP/1.1 client of one server: pooled connections, deadlines, bounds. No cookies."""

import select
import socket as plain_socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

import gevent
from gevent import monkey, socket, ssl
from geventhttpclient._parser import HTTPParseError

from tsvc.errors import GatewayError, reason
from tsvc.results.records import Tap
from tsvc.transport.driver import ends_of
from tsvc.transport.http.message import (
    MAX_HEAD_OCTETS,
    Request,
    Response,
    ResponseReader,
    ResponseTooLarge,
)
from tsvc.transport.http.settings import DEFAULT_PORTS, HttpConfig, Server, server_of
from tsvc.transport.pool import Pool

# RFC 9110 9.2.2: sent twice, they do what they do when sent once.
IDEMPOTENT: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
_KEPT: Final = "/?%:@!$&'()*+,;=~-._"  # RFC 3986 3.3, 3.4; % may encode already
_REDIRECTIONS: Final = frozenset({301, 302, 303, 307, 308})
_READ_OCTETS = 65536
_LONGEST_TURN = 16  # packets of a server that sends faster than they are read …
_PAUSE_S = 0.001  # … and the pause for others; sleep(0) would not let timers run
# RFC 9112 7.1: an octet of content takes six in a chunk of its own; the rest is for interim
# responses and extensions of chunks, which are bounded by nothing else.
_WIRE_FACTOR = 8
# A look that must not switch, whether or not the process is patched.
_poll: Callable[[], Any] = monkey.get_original("select", "poll")


class ConnectFailed(GatewayError):
    """There is no connection to be had: the server is down, or its certificate is refused."""


class _Stale(Exception):
    """A connection that had been used before ended without an octet of an answer."""


class HttpClient:
    """Requests to one server; every call has its deadlines, each connection one request.

    Nothing is sent before `pool` is open. `context`: of TLS.
    """

    def __init__(self, config: HttpConfig, context: ssl.SSLContext | None = None) -> None:
        self.config = config
        self.server = server_of(config)
        self.context = context
        self.pool: Pool[HttpConnection] = Pool(
            self._connect, config.num_client_connections, config.backlog_timeout_s
        )
        self.counters = {"requests": 0, "responses": 0, "failures": 0, "connects": 0, "resent": 0}

    def close(self, reason: str) -> None:
        """Close all connections; who waits for an answer gets an error. Never switches."""
        self.pool.close(reason)

    def send(self, request: Request, tap: Tap | None = None) -> Response:
        """Send a request and return its response, whatever its code.

        Blocks: up to backlog_timeout_s for a free connection, connect_timeout_s for a new one and
        server_timeout_s for the whole response; so often again as redirections are followed.
        Errors: LocalProtocolError for what HTTP can't carry, ConnectFailed, GatewayError.
        """
        response = self._send_one(request, tap)
        for _ in range(self.config.max_redirects):
            following = self._redirected(request, response)
            if following is None:
                break
            request = following
            response = self._send_one(request, tap)
        return response

    def _send_one(self, request: Request, tap: Tap | None) -> Response:
        octets = request.octets()
        self.counters["requests"] += 1
        try:
            try:
                response = self._converse(request, octets, tap)
            except _Stale:
                if request.method not in IDEMPOTENT:
                    text = f"{request.name}: the server closed the connection without an answer"
                    raise GatewayError(text) from None
                # What else is idle is as old: the server may have been restarted.
                self.pool.prune()
                self.counters["resent"] += 1
                response = self._converse(request, octets, tap)
        except _Stale:
            self.counters["failures"] += 1
            text = f"{request.name}: the server closed the connection twice without an answer"
            raise GatewayError(text) from None
        except GatewayError:
            self.counters["failures"] += 1
            raise
        self.counters["responses"] += 1
        return response

    def _converse(self, request: Request, octets: bytes, tap: Tap | None) -> Response:
        with self.pool.lease() as connection:
            if tap is None:
                return connection.ask(request, octets, self.config)
            tap(True, request.shown_octets(), connection.ends)
            received: list[bytes] = []
            try:
                return connection.ask(request, octets, self.config, received)
            finally:
                # What came of a response that is not whole, too.
                if received:
                    tap(False, b"".join(received), connection.ends)

    def _redirected(self, request: Request, response: Response) -> Request | None:
        """Return the request that a redirection asks for; None if it leads to another server."""
        location = response.field("location")
        if response.code not in _REDIRECTIONS or not location:
            return None
        scheme, host, port = self.server.origin
        here = f"{scheme}://{self.server.authority}{request.target}"
        try:
            parts = urlsplit(urljoin(here, location))
            there_port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
        except ValueError:
            return None
        if (parts.scheme, parts.hostname, there_port) != (scheme, host, port):
            return None
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        # Servers write blanks and octets as they are; here an octet is a sign of Latin-1.
        target = quote(target, safe=_KEPT, encoding="latin-1", errors="replace")
        # RFC 9110 15.4: 303 always becomes a GET; a POST does with 301 and 302, as everywhere.
        is_repeated = response.code in (307, 308) or request.method in IDEMPOTENT
        if response.code == 303 and request.method != "HEAD":
            is_repeated = False
        if is_repeated:
            return Request(request.method, target, request.fields, request.body)
        content = ("content-type", "content-length")
        fields = tuple(field for field in request.fields if field[0].lower() not in content)
        return Request("GET", target, fields)

    def _connect(self) -> "HttpConnection":
        config, server = self.config, self.server
        where = f"{server.host}:{server.port}"
        timeout = gevent.Timeout.start_new(config.connect_timeout_s)
        try:
            connection = HttpConnection(server, config, self.context)
        except gevent.Timeout as raised:
            if raised is not timeout:
                raise
            text = f"{where}: no connection within {config.connect_timeout_s:g} s"
            raise ConnectFailed(text) from None
        except (OSError, UnicodeError) as error:
            raise ConnectFailed(f"{where}: {_reason(error)}") from None
        finally:
            timeout.close()
        self.counters["connects"] += 1
        return connection


class HttpConnection:
    """One connection, for one request at a time."""

    __slots__ = ("_has_served", "_is_spoilt", "_poll", "_socket", "ends")

    def __init__(self, server: Server, config: HttpConfig, context: ssl.SSLContext | None) -> None:
        """Connect. Blocks. Errors: OSError, UnicodeError for a name that can't be one."""
        source = (config.local_host, 0) if config.local_host else None
        sock: Any = socket.create_connection((server.host, server.port), source_address=source)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context is not None:
                name = config.ssl_server_name or server.host
                sock = context.wrap_socket(sock, server_hostname=name)
        except BaseException:
            sock.close()
            raise
        self._socket = sock
        self.ends = ends_of(sock, "tcp" if context is None else "tls")
        self._has_served = self._is_spoilt = False
        self._poll = _poll()
        self._poll.register(sock.fileno(), select.POLLIN)

    def ask(
        self,
        request: Request,
        octets: bytes,
        config: HttpConfig,
        received: list[bytes] | None = None,
    ) -> Response:
        """Send a request and return its response; `received` gets the octets as they come.

        Blocks: up to server_timeout_s. Errors: GatewayError; _Stale if the server had closed the
        connection, idle since the last response, before it can have seen the request.
        """
        reader = ResponseReader(request.method, config.max_response_octets)
        parts = [] if received is None else received
        timeout = gevent.Timeout.start_new(config.server_timeout_s)
        try:
            self._exchange(octets, reader, parts, config.max_response_octets)
        except gevent.Timeout as raised:
            if raised is not timeout:
                raise
            text = f"{request.name}: no response within {config.server_timeout_s:g} s"
            raise GatewayError(text) from None
        except HTTPParseError as error:
            # What follows a whole response is not part of it; the connection is not used again.
            if not reader.is_complete:
                raise GatewayError(f"{request.name}: {_parse_reason(error, parts)}") from None
        except OSError as error:
            if self._has_served and not parts and not self._is_spoilt:
                raise _Stale from None
            raise GatewayError(f"{request.name}: connection lost: {_reason(error)}") from None
        finally:
            timeout.close()
        is_kept = reader.should_keep_alive() and not reader.has_excess
        if not is_kept or reader.parser_failed():
            self._is_spoilt = True
        self._has_served = True
        return reader.response(parts[0] if len(parts) == 1 else b"".join(parts))

    def _exchange(
        self, octets: bytes, reader: ResponseReader, parts: list[bytes], max_octets: int
    ) -> None:
        sock = self._socket
        left = _WIRE_FACTOR * max_octets + MAX_HEAD_OCTETS
        # A server may refuse a long request and close before it has read it: look what it says.
        with suppress(BrokenPipeError, ConnectionResetError):
            sock.sendall(octets)
        while not reader.is_complete:
            received = sock.recv(_READ_OCTETS)
            if not received and not parts:
                raise ConnectionResetError(0, "closed by the server")
            parts.append(received)
            left -= len(received)
            if left < 0:
                raise ResponseTooLarge("it is much longer than the content that is allowed")
            reader.feed(received)
            if len(parts) % _LONGEST_TURN == 0:
                gevent.sleep(_PAUSE_S)

    def is_usable(self) -> bool:
        """Whether it is open and nothing has come since the last response. Never switches."""
        if self._is_spoilt:
            return False
        pending = getattr(self._socket, "pending", None)
        return not self._poll.poll(0) and not (pending is not None and pending())

    def close(self) -> None:
        """Close it, also under somebody who waits in it. Never switches, never raises."""
        self._is_spoilt = True
        with suppress(OSError):
            self._socket.close()


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate refused: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    if isinstance(error, plain_socket.gaierror):
        return f"host not found: {reason(error)}"
    return reason(error)


def _parse_reason(error: HTTPParseError, parts: list[bytes]) -> str:
    """Say what is wrong with a response: the parser's words, beside its number."""
    if parts and not parts[-1]:
        return "the server closed the connection in the middle of its response"
    words = error.args[0] if error.args else "unreadable"
    return f"malformed response: {words}"
