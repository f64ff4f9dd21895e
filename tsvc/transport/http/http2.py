"""HTTP/2 (RFC 9113): many requests at the same time on one connection. The h2 package implements
the protocol without input or output; the socket, the deadlines and the limits are here."""

from contextlib import suppress
from typing import Any

import gevent
from gevent import socket
from gevent.event import Event
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    RemoteSettingsChanged,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
    WindowUpdated,
)
from h2.exceptions import FrameTooLargeError, H2Error
from h2.settings import SettingCodes, Settings

from tsvc import turns
from tsvc.deadline import Deadline
from tsvc.errors import GatewayError, RemoteProtocolError, reason
from tsvc.protocols.content_coding import ContentTooLarge, codings_of, decoded
from tsvc.results.records import Ends
from tsvc.transport.http.failures import ConnectionLost, Stale, late
from tsvc.transport.http.message import (
    MAX_HEAD_OCTETS,
    WITHOUT_CONTENT,
    Fields,
    Request,
    Response,
    first_value,
)
from tsvc.transport.http.settings import HttpConfig

_READ_OCTETS = 65536
_LONGEST_TURN = 16  # packets of a server that sends faster than they are read …
_PAUSE_S = 0.001  # … and the pause for others
_WINDOW = 1 << 20  # octets of a stream and of a connection that may come unacknowledged
_SETTINGS = {
    SettingCodes.INITIAL_WINDOW_SIZE: _WINDOW,
    SettingCodes.ENABLE_PUSH: 0,
    SettingCodes.MAX_HEADER_LIST_SIZE: MAX_HEAD_OCTETS,
}
_FRAME_HEAD, _GOAWAY = 9, 7  # RFC 9113 4.1 and 6.8
# RFC 9113 8.2.2: fields of a connection are forbidden; :authority replaces Host.
_OF_CONNECTIONS = frozenset(
    {"connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade", "host"}
)


class _Stream:
    """One request and its response. `over` is set when there is a response, or a problem."""

    def __init__(self, request: Request, max_octets: int) -> None:
        self.request = request
        self.max_octets = max_octets
        self.headers: list[tuple[str, str]] = []
        self.body = bytearray()
        self.problem: Exception | None = None
        self.is_sent = not request.body
        self.over = Event()
        self.window = Event()

    def end(self, problem: Exception | None = None) -> None:
        self.problem = problem
        self.over.set()
        self.window.set()


class Http2Connection:
    """A connection and its streams; `is_open` while it accepts new streams."""

    def __init__(self, sock: socket.socket, ends: Ends | None, scheme: str) -> None:
        """`sock` is connected. Never blocks: the preface is sent with the first request."""
        self._sock = sock
        self._scheme = scheme
        self.ends = ends
        self.leases = 0
        self.is_open = True
        self._is_closed = False
        self._streams: dict[int, _Stream] = {}
        self._pending = b""  # the incomplete frame at the end
        self._wake = Event()
        self._room = Event()
        config = H2Configuration(client_side=True, header_encoding="latin-1")
        self._h2 = H2Connection(config)
        self._h2.local_settings = Settings(client=True, initial_values=_SETTINGS)
        self._h2.initiate_connection()
        self._h2.increment_flow_control_window(_WINDOW)
        self._wake.set()
        self._reader = gevent.spawn(self._read)
        self._writer = gevent.spawn(self._write)

    @property
    def has_room(self) -> bool:
        """True if the server allows one more request at the same time."""
        return self.is_open and self.leases < self._h2.remote_settings.max_concurrent_streams

    def lease(self) -> "Http2Lease":
        """Return a slot for one request at a time. Never blocks."""
        self.leases += 1
        return Http2Lease(self)

    def begin(self, request: Request, max_octets: int) -> tuple[int, _Stream]:
        """Send the head of a request; blocks while the server allows no more streams.

        Errors: Stale if the connection accepts no more requests.
        """
        while True:
            if not self.is_open:
                raise Stale(is_untouched=True)
            most = self._h2.remote_settings.max_concurrent_streams
            if self._h2.open_outbound_streams < most:
                break
            self._room.clear()
            self._room.wait()
        stream = _Stream(request, max_octets)
        try:
            number = self._h2.get_next_available_stream_id()
            head = self._head(request)
            self._h2.send_headers(number, head, end_stream=not request.body)
        except H2Error as error:
            raise GatewayError(f"{request.name}: {error}") from None
        self._streams[number] = stream
        self._wake.set()
        return number, stream

    def send_body(self, number: int, stream: _Stream) -> None:
        """Send the content of a request as the server's windows allow. Blocks for them."""
        left = memoryview(stream.request.body)
        while left and not stream.over.is_set():
            window = self._h2.local_flow_control_window(number)
            size = min(window, self._h2.max_outbound_frame_size, len(left))
            if size <= 0:
                stream.window.clear()
                stream.window.wait()
                continue
            stream.is_sent = size == len(left)
            self._h2.send_data(number, bytes(left[:size]), end_stream=stream.is_sent)
            left = left[size:]
            self._wake.set()

    def forget(self, number: int) -> None:
        """End a stream; an unfinished one is cancelled. Never switches."""
        stream = self._streams.pop(number, None)
        if stream is not None and not self._is_closed:
            with suppress(H2Error):  # both sides have ended it
                self._h2.reset_stream(number, ErrorCodes.CANCEL)
            self._wake.set()
        self._see_to_end()

    def close(self) -> None:
        """Close the connection, even under waiting callers. Never switches, never raises."""
        self._fail(None)

    # -- sending -----------------------------------------------------------------------------

    def _head(self, request: Request) -> list[tuple[str, str]]:
        authority = first_value(request.fields, "host") or ""
        return [
            (":method", request.method),
            (":scheme", self._scheme),
            (":authority", authority),
            (":path", request.target),
            *(
                (name.lower(), value)
                for name, value in request.fields
                if name.lower() not in _OF_CONNECTIONS
            ),
        ]

    def _write(self) -> None:
        """Send the octets of h2 in an own greenlet: a caller may be killed within a frame."""
        try:
            while not self._is_closed:
                self._wake.wait()
                self._wake.clear()
                while octets := self._h2.data_to_send():
                    self._sock.sendall(octets)
        except OSError as error:
            self._fail(error)

    # -- receiving ---------------------------------------------------------------------------

    def _read(self) -> None:
        packets = 0
        try:
            while not self._is_closed:
                octets = self._sock.recv(_READ_OCTETS)
                if not octets:
                    raise ConnectionResetError(0, "closed by the server")
                self._receive(octets)
                packets += 1
                if packets % _LONGEST_TURN == 0:
                    gevent.sleep(_PAUSE_S)
        except OSError as error:
            self._fail(error)
        except H2Error as error:
            self._wake.set()  # h2 has queued a GOAWAY with the reason
            gevent.sleep(0)
            self._fail(GatewayError(f"malformed response: {error}"))

    def _receive(self, octets: bytes) -> None:
        """Feed h2 all complete frames except GOAWAY. After a GOAWAY h2 would not read the streams
        that the server still answers (RFC 9113 6.8)."""
        octets = self._pending + octets
        at = begun = 0
        while len(octets) - at >= _FRAME_HEAD:
            end = at + _FRAME_HEAD + int.from_bytes(octets[at : at + 3], "big")
            if end > len(octets):
                break
            if octets[at + 3] == _GOAWAY:
                self._feed(octets[begun:at])
                self._go_away(octets[at + _FRAME_HEAD : end])
                begun = end
            at = end
        if len(octets) - at >= 3:
            size = int.from_bytes(octets[at : at + 3], "big")
            if size > self._h2.max_inbound_frame_size:  # h2 would wait for all of it
                is_other = octets[at:].startswith(b"HTTP/1"[: len(octets) - at])
                text = "it is in HTTP/1" if is_other else f"a frame of {size} octets"
                raise FrameTooLargeError(text)
        self._pending = octets[at:]
        self._feed(octets[begun:at])

    def _feed(self, octets: bytes) -> None:
        if not octets:
            return
        for event in self._h2.receive_data(octets):
            if isinstance(event, WindowUpdated | RemoteSettingsChanged):
                self._room.set()
                for one in self._streams.values():
                    one.window.set()
                continue
            number = getattr(event, "stream_id", None)
            stream = self._streams.get(number) if number is not None else None
            if isinstance(event, DataReceived):
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if stream is not None and number is not None:
                self._take(event, number, stream)
        self._wake.set()
        self._see_to_end()

    def _take(self, event: Any, number: int, stream: _Stream) -> None:
        if isinstance(event, ResponseReceived | TrailersReceived):
            stream.headers += [(str(name), str(value)) for name, value in event.headers]
        elif isinstance(event, DataReceived):
            if len(stream.body) + len(event.data) > stream.max_octets:
                text = f"the content is larger than {stream.max_octets} octets"
                self._end(number, GatewayError(f"malformed response: {text}"), is_reset=True)
                return
            stream.body += event.data
        elif isinstance(event, StreamEnded):
            self._end(number, None)
        elif isinstance(event, StreamReset):
            code = event.error_code
            if code == ErrorCodes.REFUSED_STREAM:  # RFC 9113 8.7
                self._end(number, Stale(is_untouched=True))
            else:
                name = code.name if isinstance(code, ErrorCodes) else str(code)
                self._end(number, ConnectionLost(f"the server reset the stream: {name}"))

    def _end(self, number: int, problem: Exception | None, *, is_reset: bool = False) -> None:
        stream = self._streams.pop(number)
        stream.end(problem)
        if is_reset or not (problem or stream.is_sent):
            # Or the response came before the whole request was sent (RFC 9113 8.1).
            with suppress(H2Error):
                self._h2.reset_stream(number, ErrorCodes.CANCEL)
        self._room.set()

    def _go_away(self, payload: bytes) -> None:
        """Accept no new streams; those above the last id were not processed (RFC 9113 6.8)."""
        self.is_open = False
        last = int.from_bytes(payload[:4], "big") & 0x7FFFFFFF
        code = int.from_bytes(payload[4:8], "big")
        for number in [one for one in self._streams if one > last]:
            self._streams.pop(number).end(Stale(is_untouched=True))
        if code:
            name = next((one.name for one in ErrorCodes if one == code), str(code))
            words = payload[8:100].decode("ascii", "replace")
            text = f"the server ends the connection: {name} {words}".strip()
            self._fail(ConnectionLost(text))
        self._room.set()
        self._see_to_end()

    def _see_to_end(self) -> None:
        if not self.is_open and not self._streams and not self._is_closed:
            self._fail(None)

    def _fail(self, problem: Exception | None) -> None:
        """Close it. Waiting callers get the problem, an OSError as a lost connection."""
        if self._is_closed:
            return
        self._is_closed, self.is_open = True, False
        streams, self._streams = self._streams, {}
        for stream in streams.values():
            if problem is None or isinstance(problem, OSError):
                words = "closed" if problem is None else reason(problem)
                stream.end(ConnectionLost(f"connection lost: {words}"))
            else:
                stream.end(problem)
        self._room.set()
        self._wake.set()
        with suppress(OSError):
            self._sock.close()


class Http2Lease:
    """A slot on a connection: one request at a time, as a pool lends it."""

    def __init__(self, connection: Http2Connection) -> None:
        self._connection = connection
        self._number: int | None = None
        self._is_closed = False
        self.ends = connection.ends

    def ask(
        self,
        request: Request,
        octets: bytes,
        config: HttpConfig,
        received: list[bytes] | None = None,
    ) -> Response:
        """Send a request and return its response; `received` gets the response in HTTP/1.1 form.

        Blocks: up to server_timeout_s. Errors: GatewayError; Stale if the server has not processed
        the request.
        """
        connection, seconds = self._connection, config.server_timeout_s
        with Deadline(seconds, lambda: late(request.name, seconds)):
            self._number, stream = connection.begin(request, config.max_response_octets)
            connection.send_body(self._number, stream)
            stream.over.wait()
            self._number = None
        if isinstance(stream.problem, GatewayError):
            raise type(stream.problem)(f"{request.name}: {stream.problem}")
        if stream.problem is not None:
            raise stream.problem
        try:
            with turns.given(lambda: gevent.sleep(_PAUSE_S)):
                response = _response(stream, config.max_response_octets)
        except ContentTooLarge as error:
            raise GatewayError(f"{request.name}: {error}") from None
        if received is not None:
            received.append(response.octets)
        return response

    @staticmethod
    def shown(request: Request) -> bytes:
        """Return a request for traces, in HTTP/1.1 form."""
        return request.shown_octets().replace(b" HTTP/1.1\r\n", b" HTTP/2\r\n", 1)

    def is_usable(self) -> bool:
        """Return True if the connection accepts more requests. Never switches."""
        return not self._is_closed and self._connection.is_open

    def close(self) -> None:
        """Return the slot; a request in progress is cancelled. Never switches, never raises."""
        if not self._is_closed:
            self._is_closed = True
            self._connection.leases -= 1
            if self._number is not None:
                self._connection.forget(self._number)


def _response(stream: _Stream, max_octets: int) -> Response:
    status = first_value(stream.headers, ":status") or "0"
    fields: Fields = tuple(one for one in stream.headers if not one[0].startswith(":"))
    code, body, problem = int(status), bytes(stream.body), ""
    lines = [f"HTTP/2 {status}", *(f"{name}: {value}" for name, value in fields), "", ""]
    octets = "\r\n".join(lines).encode("latin-1", "replace") + body
    codings = codings_of(fields)
    if codings and stream.request.method != "HEAD" and code not in WITHOUT_CONTENT:
        try:
            body = decoded(body, codings, max_octets)
        except RemoteProtocolError as error:
            problem = error.text
    return Response(code, "", fields, body, octets, problem)
