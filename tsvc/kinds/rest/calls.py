"""Requests of an instance whose responses no operation has taken yet, in the order of sending."""

from collections import deque
from collections.abc import Callable

from tsvc.errors import GatewayError, ProtocolError
from tsvc.kinds.rest.gateway import RestGateway
from tsvc.operations.context import Session
from tsvc.operations.operation import Instance, tap_of
from tsvc.protocols.cookies import CookieJar
from tsvc.results.records import Tap
from tsvc.transport.http.message import Request, Response


class RestCall:
    """One request that is in progress, or its response."""

    __slots__ = ("_greenlet", "error", "name", "response", "seconds", "selection")

    def __init__(
        self,
        instance: Instance,
        selection: str,
        gateway: RestGateway,
        request: Request,
        jar: CookieJar | None,
    ) -> None:
        self.selection = selection
        self.name = request.name
        self.response: Response | None = None
        self.error: GatewayError | ProtocolError | None = None
        self.seconds = 0.0
        tap = tap_of(instance, "rest", gateway)
        # None: the request is over.
        self._greenlet = gateway.launch(self._run, instance, gateway, request, tap, jar)

    def _run(
        self,
        instance: Instance,
        gateway: RestGateway,
        request: Request,
        tap: Tap | None,
        jar: CookieJar | None,
    ) -> None:
        started = instance.clock.now()
        try:
            self.response = gateway.send(request, tap, jar, teller(instance))
        except (GatewayError, ProtocolError) as error:
            self.error = error
        self.seconds = instance.clock.now() - started

    @property
    def is_over(self) -> bool:
        """True if the response or an error is there."""
        return self.response is not None or self.error is not None

    @property
    def is_running(self) -> bool:
        """True if its greenlet still runs; it may hold a connection."""
        return self._greenlet is not None and not self._greenlet.dead

    def wait(self) -> Response:
        """Return the response. Blocks: until it is there. Errors: GatewayError, ProtocolError."""
        if self._greenlet is not None:
            self._greenlet.get()
        if self.error is not None:
            raise self.error
        assert self.response is not None
        return self.response

    def kill(self) -> None:
        """Cancel the request; its connection is closed."""
        if self._greenlet is not None:
            self._greenlet.kill(block=False)


class RestCalls(Session[RestCall]):
    """The requests of an instance, one of its dialogues: its end finds the leftovers.

    It also holds the cookies of the instance.
    """

    role = "rest"
    name = "REST"

    def __init__(self) -> None:
        self._calls: deque[RestCall] = deque()
        self._given_up: list[RestCall] = []
        self._jar = CookieJar()

    @classmethod
    def ensure(cls, instance: Instance) -> "RestCalls":
        """Return the calls of an instance; new ones if it has sent nothing."""
        calls = cls.of(instance)
        if calls is None:
            calls = cls()
            instance.dialogues.append(calls)
        return calls

    @classmethod
    def jar(cls, instance: Instance, gateway: RestGateway) -> CookieJar | None:
        """Return the cookies of an instance, None if the gateway keeps none."""
        return cls.ensure(instance)._jar if gateway.config.cookies else None

    @classmethod
    def of(cls, instance: Instance) -> "RestCalls | None":
        """Return the calls of an instance, None if it has sent nothing."""
        for dialogue in instance.dialogues:
            if isinstance(dialogue, cls):
                return dialogue
        return None

    def add(self, call: RestCall) -> None:
        """Add a request that has been sent."""
        self._calls.append(call)

    def take(self, selection: str) -> RestCall | None:
        """Remove and return the oldest request, of one selection unless that is "rest"."""
        for call in self._calls:
            if selection in ("rest", call.selection):
                self._calls.remove(call)
                return call
        return None

    @property
    def is_open(self) -> bool:
        """True if a request is still in progress."""
        return any(call.is_running for call in (*self._calls, *self._given_up))

    def leftovers(self) -> list[RestCall]:
        """Return the responses and failures that no operation took."""
        over = [call for call in self._calls if call.is_over]
        for call in over:
            self._calls.remove(call)
        return over

    def describe(self, call: RestCall) -> str:
        """Return a text that describes a response or failure."""
        if call.response is None:
            return f"failure of a REST request, {call.error},"
        return f"REST response {call.response.code} to {call.name}"

    def close(self) -> str | None:
        """Cancel all requests. Return how that is counted, None if all had been answered."""
        unanswered = [call for call in self._calls if not call.is_over]
        self.abort()
        return "giving up a REST request" if unanswered else None

    def abort(self) -> None:
        """Cancel all requests."""
        for call in self._calls:
            call.kill()
        self._given_up += self._calls
        self._calls.clear()


def teller(instance: Instance) -> Callable[[str], None]:
    """Return a function that logs in an instance that a request is sent again."""
    return lambda text: instance.entry(True, text, None, None)
