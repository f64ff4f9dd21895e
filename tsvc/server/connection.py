"""One connection in one greenlet: read a frame, answer it, half-close, drain, close.

Whatever the client sends or doesn't send, it gets one response with a reason, unless the
connection itself is lost. The drain after the half-close allows the client to read that response:
a socket closed with unread octets would be reset, and the response lost with it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gevent
from gevent import socket
from gevent.hub import get_hub
from greenlet import greenlet

from tsvc.deadline import Deadline, at_most
from tsvc.errors import RequestError, TsvcError
from tsvc.log import get_logger
from tsvc.rpc.framing import FrameDecoder, FrameState, pieces_of_frame
from tsvc.server.admission import Admission, Counters
from tsvc.server.dispatch import Dispatcher

log = get_logger("rpc")

DRAIN_S = 1.0
_PORTION_OCTETS = 65536

Secure = Callable[[socket.socket], socket.socket]
"""Puts a TLS socket around an accepted one, without the handshake."""


_URGENT_OCTETS = 4096  # of a request that is read in the reserve
_URGENT_S = 2.0
_TCP_ESTABLISHED = 1  # any other state: the client has ended, whatever is still to be read
_LOOK_S = 0.25  # time between checks of a client that sends more than its request


class Evicted(Exception):
    """Thrown into a connection that waits for its request, when others need its place."""


class ClientLeft(Exception):
    """Thrown into a waiting request when its client has ended the connection."""


class Connection:
    """Serves one accepted socket and closes it. Made in the greenlet that serves."""

    def __init__(
        self,
        sock: socket.socket,
        peer: str,
        *,
        client: str,
        dispatcher: Dispatcher,
        admission: Admission,
        counters: Counters,
        secure: Secure | None = None,
    ) -> None:
        self._sock: Any = sock  # a plain socket, then the TLS socket around it
        self._peer = peer
        self._client = client
        self._dispatcher = dispatcher
        self._admission = admission
        self._counters = counters
        self._secure = secure
        self._timeout_s = dispatcher.config.request_timeout_s
        self._max_octets = dispatcher.config.max_request_octets
        self._decoder = FrameDecoder(self._max_octets)
        self._greenlet = gevent.getcurrent()
        self._eviction: Any = None
        # Before the TLS handshake no answer can be sent.
        self._can_answer = secure is None

    def serve(
        self, denial: TsvcError | None = None, shortage: RequestError | None = None
    ) -> TsvcError | None:
        """Serve the connection to its end; with a denial, answer that without reading a request.

        With a shortage there is no place for it, only one of the reserve. Return why it was
        refused if there was no place.
        Blocks: up to the request timeout, the deadline of the method, the request timeout again
        (for a client that reads slowly), and the drain.
        """
        refused: TsvcError | None = None
        try:
            body, refused = self._response(denial, shortage)
            if self._can_answer:
                self._answer(body)
        except OSError as error:  # TLS errors are OSErrors too
            self._counters.lost += 1
            log.debug("connection lost", peer=self._peer, reason=error)
        finally:
            self._stop_eviction()
            self._admission.leave(self)
            self._sock.close()
        return refused

    def evict(self) -> None:
        """Make serve() answer a refusal instead of waiting longer. Does not switch."""
        loop = get_hub().loop
        self._eviction = loop.run_callback(self._greenlet.throw, Evicted)

    def _response(
        self, denial: TsvcError | None, shortage: RequestError | None
    ) -> tuple[bytes, TsvcError | None]:
        """Return the response, and why there was no place."""
        if denial is not None:
            return self._dispatcher.refusal(denial), None
        no_place = self._admission.enter(self, self._client, shortage)
        if no_place is not None:
            self._timeout_s = min(self._timeout_s, _URGENT_S)
            self._decoder = FrameDecoder(min(_URGENT_OCTETS, self._max_octets))
        problem = self._read_request()
        if problem is not None:
            self._admission.leave(self)
            return self._dispatcher.refusal(no_place or problem), no_place
        no_place = self._admission.request_is_complete(self)
        if no_place is None:
            self._timeout_s = self._dispatcher.config.request_timeout_s
        elif self not in self._admission:
            return self._dispatcher.refusal(no_place), no_place
        body = self._decoder.body
        return self._dispatcher.dispatch(body, self._client, self.waiting, no_place), no_place

    @contextmanager
    def waiting(self, may_end: bool) -> Iterator[None]:
        """Free the place while the block waits.

        `may_end`: the end of the connection also ends the block. Then too many waiting requests
        are an error (RequestError), and others run at the end: many may wait for the same event.
        """
        is_without_place = self._admission.may_wait(self)
        if not may_end:
            yield
            return
        if not is_without_place:
            raise RequestError(
                "too many requests wait already: ask again with wait_s 0",
                kind="waiting.too_many",
                limit=self._admission.most_waiting,
            )
        lookout = _Lookout(self._sock, self._greenlet)
        try:
            yield
        except ClientLeft:
            self._counters.left += 1
        finally:
            lookout.close()
        gevent.sleep(0)

    def _read_request(self) -> TsvcError | None:
        """Read until the frame is complete; return why it never will be, or None.

        No eviction is pending when this returns.
        """
        problem: TsvcError | None = None
        try:
            with Deadline(self._timeout_s, self._timed_out):
                self._handshake()
                self._fill_frame()
        except Evicted:
            pass
        except RequestError as refused:
            problem = refused.with_traceback(None)  # break its reference cycle with this frame
        return self._evicted() if self._stop_eviction() else problem

    def _handshake(self) -> None:
        if self._secure is not None:
            self._sock = self._secure(self._sock)
            self._sock.do_handshake()
            self._can_answer = True

    def _fill_frame(self) -> None:
        decoder = self._decoder
        while decoder.state is not FrameState.COMPLETE:
            octets = self._sock.recv(_PORTION_OCTETS)
            if not octets:
                self._counters.incomplete += 1
                raise RequestError(
                    f"the connection ended after {decoder.progress()}", kind="request.incomplete"
                )
            try:
                decoder.feed(octets)
            except RequestError:
                self._counters.refused_frames += 1
                raise
        self._counters.surplus_octets += decoder.surplus_octets

    def _timed_out(self) -> RequestError:
        self._counters.timed_out += 1
        return RequestError(
            f"the request is not complete after {self._timeout_s:g} s:"
            f" {self._decoder.progress()} came",
            kind="request.timeout",
        )

    def _evicted(self) -> RequestError:
        self._counters.evicted += 1
        return RequestError(
            "too many connections: this one waited longest for its request",
            kind="connections.evicted",
        )

    def _stop_eviction(self) -> bool:
        """Return True if this connection was evicted; its exception is then no longer thrown."""
        if self._eviction is None:
            return False
        self._eviction.stop()
        return True

    def _answer(self, body: bytes) -> None:
        is_sent = False
        with at_most(self._timeout_s):
            for piece in pieces_of_frame(body):
                self._sock.sendall(piece)
            is_sent = True
        self._admission.leave(self)  # the rest needs no place
        if not is_sent:
            self._counters.lost += 1
            log.debug("response not taken", peer=self._peer, seconds=self._timeout_s)
            return
        self._counters.answered += 1
        if self._admission.may_drain():
            try:
                with at_most(DRAIN_S):
                    self._half_close_and_drain()
            except OSError:
                pass  # the client has its response and has closed, as expected
            finally:
                self._admission.has_drained()

    def _half_close_and_drain(self) -> None:
        if self._secure is not None:
            self._sock = self._sock.unwrap()  # TLS has a half-close of its own
        self._sock.shutdown(socket.SHUT_WR)
        while octets := self._sock.recv(_PORTION_OCTETS):
            self._counters.surplus_octets += len(octets)


class _Lookout:
    """Throws ClientLeft into a greenlet when the client closes its side."""

    def __init__(self, sock: socket.socket, waiting: greenlet) -> None:
        loop = get_hub().loop
        self._sock, self._greenlet = sock, waiting
        self._readable, self._later = loop.io(sock.fileno(), 1), loop.timer(_LOOK_S)
        self._watch()

    def _watch(self) -> None:
        self._readable.start(self._look)

    def _look(self) -> None:
        self._readable.stop()
        if _has_ended(self._sock):
            self._greenlet.throw(ClientLeft)
        else:
            self._later.start(self._watch)

    def close(self) -> None:
        for watcher in (self._readable, self._later):
            watcher.stop()
            watcher.close()


def _has_ended(sock: socket.socket) -> bool:
    """Return True if the client has ended its side, even if unread octets come before the end."""
    try:
        return bool(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != _TCP_ESTABLISHED)
    except OSError:  # not TCP
        return not sock.recv(1, socket.MSG_PEEK)
