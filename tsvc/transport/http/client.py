"""An HTTP client of one server: pooled connections, deadlines, limits, a proxy.

send() sends a request, and sends it again for a redirection to the same server. Each time it
leases a connection of the pool, which connects if none is free: to the server or through a proxy,
with TLS for https. With HTTP/2 the lease is a slot on a connection that requests share (http2.py).
The connection writes the request and reads until the response is complete (message.py), within one
deadline. If the connection turns out to be closed, the request may be sent again: if the server
has not processed the request, or once if sending it twice does no harm. begin() and finish() do
the same without a greenlet that waits.
"""

import errno
import select
import socket as plain_socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urljoin, urlsplit

import gevent
from gevent import monkey, socket, ssl
from gevent.lock import BoundedSemaphore

from tsvc import turns
from tsvc.deadline import Deadline
from tsvc.errors import GatewayError, reason
from tsvc.protocols.content_coding import ContentTooLarge
from tsvc.results.records import Ends, Tap
from tsvc.transport.driver import ends_of
from tsvc.transport.http.failures import ConnectFailed, ConnectionLost, Stale, late
from tsvc.transport.http.message import (
    MAX_HEAD_OCTETS,
    Fields,
    Request,
    Response,
    ResponseReader,
    ResponseTooLarge,
    UnreadableResponse,
)
from tsvc.transport.http.settings import (
    DEFAULT_PORTS,
    HttpConfig,
    Server,
    basic,
    proxy_of,
    server_of,
)
from tsvc.transport.pool import Pool

if TYPE_CHECKING:
    from tsvc.transport.http.http2 import Http2Connection, Http2Lease

# RFC 9110 9.2.2: sent twice, they do what they do when sent once.
IDEMPOTENT: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
_KEPT: Final = "/?%:@!$&'()*+,;=~-._"  # RFC 3986 3.3, 3.4; % may encode already
_REDIRECTIONS: Final = frozenset({301, 302, 303, 307, 308})
_MOST_UNTOUCHED = 16  # connections in a row that a server closes before it processes the request
_READ_OCTETS = 65536
_NOTHING_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
_READ = 1  # event of a loop watcher
_LONGEST_TURN = 16  # packets of a server that sends faster than they are read …
_PAUSE_S = 0.001  # … and the pause for others; sleep(0) would not let timers run
# RFC 9112 7.1: an octet of content takes six octets in a chunk of its own. The rest is for interim
# responses and chunk extensions, which have no other limit.
_WIRE_FACTOR = 8
# Polls once without a switch, whether or not the process is patched.
_poll: Callable[[], Any] = monkey.get_original("select", "poll")


Through = Callable[[Request, Tap | None], Response]
# Called with all that has come on a connection: octets, b"" at its end, an error.
Came = list["bytes | OSError"]
Heard = Callable[[Came], None]


class HttpClient:
    """Requests to one server; every call has its deadlines, each connection one request at a time.

    Nothing is sent before `pool` is open. `context`: of TLS.
    """

    def __init__(self, config: HttpConfig, context: ssl.SSLContext | None = None) -> None:
        self.config = config
        self.server = server_of(config)
        self.proxy = proxy_of(config)
        self.context = context
        self._shared: list[Http2Connection] = []
        self._making = BoundedSemaphore()
        self.pool: Pool[HttpConnection | Http2Lease] = Pool(
            self._connect, config.num_client_connections, config.backlog_timeout_s
        )
        self.counters = {"requests": 0, "responses": 0, "failures": 0, "connects": 0, "resent": 0}

    def close(self, reason: str) -> None:
        """Close all connections; waiting callers get an error. Never switches."""
        self.pool.close(reason)
        for connection in self._shared:
            connection.close()
        self._shared.clear()

    def send(
        self, request: Request, tap: Tap | None = None, through: Through | None = None
    ) -> Response:
        """Send a request and return its response, whatever its code.

        `through`: called instead of ask(), which it uses itself; redirections included.
        Blocks: up to backlog_timeout_s for a free connection, connect_timeout_s for a new one and
        server_timeout_s for the whole response; the same again for each redirection followed.
        Errors: LocalProtocolError if HTTP can't carry the request, ConnectFailed, GatewayError.
        """
        ask = through or self.ask
        response = ask(request, tap)
        for _ in range(self.config.max_redirects):
            following = self._redirected(request, response)
            if following is None:
                break
            request = following
            response = ask(request, tap)
        return response

    def ask(
        self, request: Request, tap: Tap | None, lent: "HttpConnection | None" = None
    ) -> Response:
        """Send one request and return its response, as send() does without redirections.

        `lent`: a connection on which begin() has sent the request.
        """
        if self.proxy is not None and self.context is None:
            request = self._by_proxy(request)
        octets = request.octets()
        if lent is None:
            self.counters["requests"] += 1
        try:
            response = self._converse_again(request, octets, tap, lent)
        except GatewayError:
            self.counters["failures"] += 1
            raise
        self.counters["responses"] += 1
        return response

    def begin(self, octets: bytes, heard: "Heard") -> "HttpConnection | None":
        """Send a request on a free connection; `heard` is called with the octets that come.

        None if no connection is free. finish(), ask() or give_up() ends it. Never switches.
        """
        connection = self.pool.take()
        if not isinstance(connection, HttpConnection):
            if connection is not None:
                self.pool.give_back(connection, is_well=True)
            return None
        self.counters["requests"] += 1
        connection.begin(octets, heard)
        return connection

    def finish(self, connection: "HttpConnection") -> None:
        """End a request that has its whole response; keep its connection. Never switches."""
        self.counters["responses"] += 1
        connection.finish()
        self.pool.give_back(connection, is_well=True)

    def give_up(self, connection: "HttpConnection") -> None:
        """Close a connection on which a request was begun. Never switches."""
        self.pool.give_back(connection, is_well=False)

    def _converse_again(
        self, request: Request, octets: bytes, tap: Tap | None, lent: "HttpConnection | None"
    ) -> Response:
        """Send a request and return its response. Repeat it if the server reports that it has not
        processed the request, and once if sending it twice does no harm."""
        untouched = lost = 0
        while True:
            try:
                return self._converse(request, octets, tap, lent)
            except Stale as stale:
                lent = None
                text = f"{request.name}: the server closed the connection"
                if stale.is_untouched:
                    untouched += 1
                elif request.method in IDEMPOTENT:
                    lost += 1
                else:
                    raise ConnectionLost(f"{text} without an answer") from None
                if untouched > _MOST_UNTOUCHED or lost > 1:
                    often = "twice" if untouched + lost == 2 else f"{untouched + lost} times"
                    raise ConnectionLost(f"{text} {often} without an answer") from None
                # Other idle connections are as old: the server may have been restarted.
                self.pool.prune()
                self.counters["resent"] += 1

    def _converse(
        self, request: Request, octets: bytes, tap: Tap | None, lent: "HttpConnection | None"
    ) -> Response:
        with self.pool.lease(lent) as connection:
            if tap is None:
                return connection.ask(request, octets, self.config)
            with turns.given(pause):
                shown = connection.shown(request)
            tap(True, shown, connection.ends)
            received: list[bytes] = []
            try:
                return connection.ask(request, octets, self.config, received)
            finally:
                # Also the received part of an incomplete response.
                if received:
                    tap(False, b"".join(received), connection.ends)

    def _redirected(self, request: Request, response: Response) -> Request | None:
        """Return the request for a redirection; None if there is none, or to another server."""
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
        # Servers write blanks and octets without encoding; here each octet is a character of
        # Latin-1.
        target = quote(target, safe=_KEPT, encoding="latin-1", errors="replace")
        # RFC 9110 15.4: 303 always becomes a GET; a POST does with 301 and 302, as everywhere.
        is_repeated = response.code in (307, 308) or request.method in IDEMPOTENT
        if response.code == 303 and request.method != "HEAD":
            is_repeated = False
        if is_repeated:
            return Request(request.method, target, request.fields, request.body, request.secrets)
        content = ("content-type", "content-length")
        fields = tuple(field for field in request.fields if field[0].lower() not in content)
        return Request("GET", target, fields, secrets=request.secrets)

    def _by_proxy(self, request: Request) -> Request:
        """Return the request in the form for a proxy (RFC 9112 3.2.2): with the whole URI."""
        target = f"http://{self.server.authority}{request.target}"
        fields = (*request.fields, *_proxy_authorization(self.config))
        return replace(request, target=target, fields=fields)

    def _connect(self) -> "HttpConnection | Http2Lease":
        config, server = self.config, self.server
        there = server if self.proxy is None else self.proxy
        where = f"{'' if self.proxy is None else 'proxy '}{there.host}:{there.port}"
        text = f"{where}: no connection within {config.connect_timeout_s:g} s"
        try:
            with Deadline(config.connect_timeout_s, lambda: ConnectFailed(text)):
                if config.http_version == "1.1":
                    return HttpConnection(*self._open_socket())
                return self._connect_to_share()
        except UnreadableResponse as error:
            raise ConnectFailed(f"{where}: {error}") from None
        except (OSError, UnicodeError) as error:
            raise ConnectFailed(f"{where}: {_reason(error)}") from None

    def _connect_to_share(self) -> "HttpConnection | Http2Lease":
        """Return a slot on an HTTP/2 connection; a new connection only if none has room.

        Blocks and fails as connecting does; with "auto", a server may choose HTTP/1.1.
        """
        with self._making:
            self._shared = [one for one in self._shared if one.is_open]
            for shared in self._shared:
                if shared.has_room:
                    return shared.lease()
            sock, ends = self._open_socket()
            if self.context is None:
                is_http2 = self.config.http_version == "2"
            else:
                is_http2 = sock.selected_alpn_protocol() == "h2"
                if not is_http2 and self.config.http_version == "2":
                    sock.close()
                    raise UnreadableResponse("the server does not offer HTTP/2 (ALPN)")
            if not is_http2:
                return HttpConnection(sock, ends)
            # Imported only if it is needed: h2 is an extra.
            from tsvc.transport.http.http2 import Http2Connection

            shared = Http2Connection(sock, ends, self.server.scheme)
            self._shared.append(shared)
            return shared.lease()

    def _open_socket(self) -> tuple[Any, Ends | None]:
        """Return a connected socket, by the proxy if there is one, and its ends.

        Blocks. Errors: OSError, UnicodeError for an invalid name, UnreadableResponse if the proxy
        makes no tunnel.
        """
        config, server, proxy, context = self.config, self.server, self.proxy, self.context
        source = (config.local_host, 0) if config.local_host else None
        there = proxy or server
        sock: Any = socket.create_connection((there.host, there.port), source_address=source)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if proxy is not None and context is not None:
                _make_tunnel(sock, server, config)
            if context is not None:
                name = config.ssl_server_name or server.host
                sock = context.wrap_socket(sock, server_hostname=name)
        except BaseException:
            sock.close()
            raise
        self.counters["connects"] += 1
        return sock, ends_of(sock, "tcp" if context is None else "tls")


class HttpConnection:
    """One connection, for one request at a time.

    begin() sends a request and returns. `heard` gets the octets that come, until the response is
    complete and finish() is called, or until an event for which ask() must take over.
    """

    __slots__ = (
        "_came",
        "_has_served",
        "_heard",
        "_is_spoilt",
        "_live",
        "_poll",
        "_sent",
        "_socket",
        "_watcher",
        "ends",
    )

    def __init__(self, sock: socket.socket, ends: Ends | None) -> None:
        self._socket = sock
        self.ends = ends
        self._has_served = self._is_spoilt = False
        self._poll = _poll()
        self._poll.register(sock.fileno(), select.POLLIN)
        # Of a request that was begun: the number of octets sent, and what has come.
        self._sent = 0
        self._came: Came = []
        self._heard: Heard | None = None
        self._live: Callable[[], float] | None = None
        self._watcher: Any = None

    # -- begun requests ----------------------------------------------------------------------

    def begin(self, octets: bytes, heard: Heard) -> None:
        """Send a request; `heard` is called with what comes, if `hears` is true: all was sent.

        Never switches.
        """
        self._socket.settimeout(0.0)
        try:
            self._sent = self._socket.send(octets)
        except OSError:
            self._sent = 0  # ask() raises it again
        if self._sent < len(octets):
            self._socket.settimeout(None)
            return
        self._heard = heard
        if self._watcher is None:
            self._watcher = gevent.get_hub().loop.io(self._socket.fileno(), _READ)
        self._watcher.start(self._read)

    @property
    def hears(self) -> bool:
        """True if received octets are passed to a callback."""
        return self._heard is not None

    def _read(self) -> None:
        came = self._came
        before = len(came)
        try:
            came.append(self._socket.recv(_READ_OCTETS))
            while came[-1] and self._is_pending():
                came.append(self._socket.recv(_READ_OCTETS))
        except _NOTHING_YET:
            pass
        except OSError as error:
            came.append(error)
        if self._heard is not None and len(came) > before:
            self._heard(came)

    def _is_pending(self) -> bool:
        """Return True if TLS has octets that were not read yet."""
        pending = getattr(self._socket, "pending", None)
        return pending is not None and pending() > 0

    def finish(self) -> None:
        """Accept the received octets as a whole response, after which the connection is kept."""
        self._hear_no_more()
        self._came = []
        self._sent = 0
        self._has_served = True

    def hand_over(self, live: Callable[[], float]) -> None:
        """Make the next ask() continue the request that was begun.

        `live`: called before ask() waits; it returns the seconds since the start. It may raise.
        """
        self._hear_no_more()
        self._live = live

    def _hear_no_more(self) -> None:
        if self._heard is not None:
            self._heard = None
            self._watcher.stop()
            self._socket.settimeout(None)

    # -- waiting requests --------------------------------------------------------------------

    def ask(
        self,
        request: Request,
        octets: bytes,
        config: HttpConfig,
        received: list[bytes] | None = None,
    ) -> Response:
        """Send a request and return its response; `received` collects the octets as they come.

        Blocks: up to server_timeout_s. Errors: GatewayError; Stale if the server had closed the
        idle connection, before it can have processed the request.
        """
        live, self._live = self._live, None
        spent = 0.0 if live is None else live()
        reader = ResponseReader(request.method, config.max_response_octets)
        parts = [] if received is None else received
        seconds = config.server_timeout_s
        try:
            with Deadline(max(seconds - spent, 0.0), lambda: late(request.name, seconds)):
                self._exchange(octets, reader, parts, config.max_response_octets)
        except UnreadableResponse as error:
            # Octets after a whole response are not part of it; the connection is not used again.
            if not reader.is_complete:
                class_ = GatewayError if parts and parts[-1] else ConnectionLost
                raise class_(f"{request.name}: {_parse_reason(error, parts)}") from None
        except OSError as error:
            if self._has_served and not parts and not self._is_spoilt:
                raise Stale() from None
            raise ConnectionLost(f"{request.name}: connection lost: {_reason(error)}") from None
        finally:
            if not reader.is_complete:
                reader.close()
        if not reader.is_kept:
            self._is_spoilt = True
        self._has_served = True
        whole = parts[0] if len(parts) == 1 else b"".join(parts)
        try:
            with turns.given(pause):
                return reader.response(whole)
        except ContentTooLarge as error:
            raise GatewayError(f"{request.name}: {error}") from None

    def _exchange(
        self, octets: bytes, reader: ResponseReader, parts: list[bytes], max_octets: int
    ) -> None:
        sock = self._socket
        left = _WIRE_FACTOR * max_octets + MAX_HEAD_OCTETS
        # A server may refuse a long request and close before reading all: read its response.
        came, self._came = self._came, []
        sent, self._sent = self._sent, 0
        with suppress(BrokenPipeError, ConnectionResetError):
            if sent < len(octets):
                sock.sendall(octets[sent:])
        while not reader.is_complete:
            received = came.pop(0) if came else sock.recv(_READ_OCTETS)
            if isinstance(received, OSError):
                raise received
            if not received and not parts:
                raise ConnectionResetError(0, "closed by the server")
            parts.append(received)
            left -= len(received)
            if left < 0:
                raise ResponseTooLarge("it is much longer than the content that is allowed")
            reader.feed(received)
            if len(parts) % _LONGEST_TURN == 0:
                pause()

    @staticmethod
    def shown(request: Request) -> bytes:
        """Return a request for traces."""
        return request.shown_octets()

    def is_usable(self) -> bool:
        """Return True if it is open, and silent since the last response. Never switches."""
        if self._is_spoilt:
            return False
        return not self._poll.poll(0) and not self._is_pending()

    def close(self) -> None:
        """Close it, even while a greenlet waits on it. Never switches, never raises."""
        self._is_spoilt = True
        heard = self._heard
        if heard is not None or self._live is not None:
            # The text that gevent gives to a greenlet which waits on a closed socket.
            text = "File descriptor was closed in another greenlet"
            self._came.append(OSError(errno.EBADF, text))
        self._hear_no_more()
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None
        with suppress(OSError):
            self._socket.close()
        if heard is not None:
            heard(self._came)


def _proxy_authorization(config: HttpConfig) -> Fields:
    if not config.proxy_username:
        return ()
    return (("Proxy-Authorization", basic(config.proxy_username, config.proxy_password)),)


def _make_tunnel(sock: socket.socket, server: Server, config: HttpConfig) -> None:
    """Make a proxy connect to the server (RFC 9110 9.3.6).

    Blocks. Errors: OSError; UnreadableResponse with the proxy's answer.
    """
    host = f"[{server.host}]" if ":" in server.host else server.host
    authority = f"{host}:{server.port}"
    fields = (("Host", authority), *_proxy_authorization(config))
    sock.sendall(Request("CONNECT", authority, fields).octets())
    reader = ResponseReader("HEAD", 0)  # the octets after the header belong to the tunnel
    while not reader.is_complete:
        reader.feed(sock.recv(_READ_OCTETS))
    answer = reader.response(b"")
    if answer.code // 100 != 2:
        raise UnreadableResponse(f"no tunnel to {authority}: HTTP {answer.code} {answer.reason}")


def pause() -> None:
    """Sleep briefly, so that others, including timers, run. Blocks: for a millisecond."""
    gevent.sleep(_PAUSE_S)


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate refused: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    if isinstance(error, plain_socket.gaierror):
        return f"host not found: {reason(error)}"
    return reason(error)


def _parse_reason(error: UnreadableResponse, parts: list[bytes]) -> str:
    """Return what is wrong with a response: the text of the parser."""
    if parts and not parts[-1]:
        return "the server closed the connection in the middle of its response"
    return f"malformed response: {error}"
