"""The past of REST requests, as it is replayed to an ordinary instance.

The gateways of the instance swallow the requests that were already sent, and return the responses
that already came. Where the past ends, the instance continues the pending request, with its
connection and the octets received so far, and it is live. From there on these gateways only
forward calls.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tsvc.errors import LocalProtocolError
from tsvc.kinds.rest.gateway import RestGateway
from tsvc.operations.fast_path.replay import Replay
from tsvc.operations.fast_path.request_response import ExchangeReplay
from tsvc.results.records import Ends, Tap
from tsvc.transport.http.client import HttpConnection
from tsvc.transport.http.message import Request, Response, ResponseReader


class Asked(NamedTuple):
    """A request that was sent.

    octets: the whole request; if `is_shown`, as it is shown to users, with secrets masked.
    """

    sent_at: float
    octets: bytes
    ends: Ends | None
    is_shown: bool = False


class Past(NamedTuple):
    """The past of an instance.

    answers: (when, octets), in the order of requests. The last request may have no answer: then
             the answer has to come on `connection`.
    """

    requests: Sequence[Asked]
    answers: Sequence[tuple[float, bytes]]
    connection: HttpConnection | None = None


class Swallowed(NamedTuple):
    """A request that an instance has sent while its past was replayed."""

    gateway: RestGateway
    request: Request
    octets: bytes


class RequestReplay(ExchangeReplay):
    """The past of the requests of an instance."""

    past: Past

    def __init__(self, past: Past, whole: Replay) -> None:
        super().__init__(past, whole)
        self.sent: list[Swallowed] = []
        self.connection = past.connection  # None once take_connection() has returned it
        self._asked_at: float | None = None

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""
        return {
            name: _Gateway(one, self) if type(one) is RestGateway else one
            for name, one in real.items()
        }

    @property
    def is_answered(self) -> bool:
        """True if the response to the next request came in the past."""
        return len(self.sent) < len(self.past.answers)

    @property
    def is_sent(self) -> bool:
        """True if the next request was sent in the past."""
        return len(self.sent) < len(self.past.requests)

    def swallow(self, request: Request, gateway: RestGateway) -> Asked:
        """Return a request that was sent in the past. Errors: LocalProtocolError if it was not."""
        if not self.is_live and not self.whole.sends(self):
            raise LocalProtocolError("the fast path went wrong: it had sent nothing")
        asked = self.past.requests[len(self.sent)]
        octets = request.octets()
        if (request.shown_octets() if asked.is_shown else octets) != asked.octets:
            raise LocalProtocolError("the fast path went wrong: it had sent something else")
        self.sent.append(Swallowed(gateway, request, octets))
        self.waits.append(gateway.config.server_timeout_s)
        self.whole.time.at = self._asked_at = asked.sent_at
        return asked

    def answer(self) -> bytes:
        """Return the next response that came in the past."""
        number = self.fed
        self.whole.current = self
        self.whole.bring_for(self)
        if self.fed == number:
            raise LocalProtocolError("the fast path went wrong: nothing had come")
        return self.past.answers[number][1]

    def leave(self) -> float:
        """Make all live; return how long ago the last request was sent.

        Errors: the error by which the instance has to end.
        """
        if self.whole.is_over:
            raise LocalProtocolError("the fast path went wrong: it was over")
        if not self.is_live:
            self._end_here()
        return self.whole.leave_past(self._asked_at)

    def launch(self) -> None:
        """Make all live: a request of another greenlet is pending. Errors: as of leave()."""
        self.whole.sends(self)
        self._end_here()

    def _end_here(self) -> None:
        self.whole.finish()
        if not self.is_live:
            raise LocalProtocolError("the fast path went wrong: more was sent")

    def take_connection(self) -> HttpConnection | None:
        """Return the connection of the pending request; None when called again."""
        connection, self.connection = self.connection, None
        return connection


class _Gateway:
    """A gateway, as the instance sees it."""

    def __init__(self, gateway: RestGateway, replay: RequestReplay) -> None:
        self._gateway = gateway
        self._replay = replay

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def send(self, request: Request, tap: Tap | None = None, *more: Any) -> Response:
        """Return the response of the past; if there is none, send the request unless it was sent,
        and wait for the response. Errors: those of RestGateway.send()."""
        replay, gateway = self._replay, self._gateway
        if replay.is_answered:
            return self._answered(request, tap)
        if not replay.is_sent:
            replay.leave()
            return gateway.send(request, tap, *more)
        replay.swallow(request, gateway)
        connection = replay.take_connection()
        if connection is None:
            raise LocalProtocolError("the fast path went wrong: it has no connection")
        return gateway.resume(request, tap, connection)

    def _answered(self, request: Request, tap: Tap | None) -> Response:
        replay = self._replay
        asked = replay.swallow(request, self._gateway)
        if tap is not None:
            tap(True, request.shown_octets(), asked.ends)
        octets = replay.answer()
        reader = ResponseReader(request.method, self._gateway.config.max_response_octets)
        reader.feed(octets)
        response = reader.response(octets)
        if tap is not None:
            tap(False, octets, asked.ends)
        return response

    def launch(self, job: Callable[..., None], *arguments: object) -> Any:
        """Run a job that sends a request: at once if it was answered then, else in a greenlet."""
        replay, gateway = self._replay, self._gateway
        if replay.is_answered:
            job(*arguments)
            return None
        if not replay.is_sent:
            replay.leave()
        elif not replay.is_live:
            try:
                replay.launch()
            except BaseException:
                self._give_up()
                raise
        return gateway.launch(job, *arguments)

    def let_go_out(self) -> None:
        """Switch, once live, so that launched requests go out. Blocks: for a round of the loop."""
        if self._replay.is_live:
            self._gateway.let_go_out()

    def _give_up(self) -> None:
        connection = self._replay.take_connection()
        if connection is not None:
            self._gateway.client.give_up(connection)
