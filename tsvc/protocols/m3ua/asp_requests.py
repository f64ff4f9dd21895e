"""The asking side's way to the state it wants: one request at a time, repeated after T(ack)."""

from collections.abc import Mapping
from dataclasses import dataclass

from tsvc.protocols.m3ua.asp import NEXT_REQUEST, AspState, RoutingContext
from tsvc.protocols.m3ua.messages import MessageId


@dataclass(frozen=True, slots=True)
class Request:
    """An ASPSM or ASPTM request and the routing contexts that it is for."""

    id: MessageId
    contexts: tuple[RoutingContext, ...]


class AspRequests:
    """The wanted state, the open request, and when to repeat it."""

    def __init__(self, ack_timeout_s: float, ack_attempts: int) -> None:
        self._timeout_s = ack_timeout_s
        self._limit = ack_attempts
        self._attempts = 0
        self._standing_by: set[RoutingContext] = set()
        self.wanted = AspState.DOWN
        self.asked: MessageId | None = None
        self.deadline: float | None = None

    def advance(self, states: Mapping[RoutingContext, AspState], now: float) -> Request | None:
        """Return the request to send now; None if one is open already, or none is needed."""
        request = self._lacking(states)
        if request is None:
            self.stop()
            return None
        if request.id == self.asked:
            return None
        self._attempts = 0
        return self._again(request, now)

    def repeat(self, states: Mapping[RoutingContext, AspState], now: float) -> Request | None:
        """T(ack) ran out: return the request to repeat, None if it was repeated enough."""
        request = self._lacking(states)
        if request is None or self._attempts >= self._limit:
            return None
        return self._again(request, now)

    def stop(self) -> None:
        """Forget the open request."""
        self.asked = None
        self.deadline = None

    def give_up(self, states: Mapping[RoutingContext, AspState]) -> tuple[RoutingContext, ...]:
        """Stop to ask for what is lacking; return those routing contexts."""
        request = self._lacking(states)
        contexts = request.contexts if request else ()
        self._standing_by.update(contexts)
        self.stop()
        return contexts

    def stand_by(self, contexts: tuple[RoutingContext, ...]) -> None:
        """Do not ask for traffic in these contexts: another ASP has it (override)."""
        self._standing_by.update(contexts)

    def resume(self, contexts: tuple[RoutingContext, ...]) -> None:
        """Ask again for traffic in these contexts: nobody has it."""
        self._standing_by.difference_update(contexts)

    def _again(self, request: Request, now: float) -> Request:
        self.asked = request.id
        self._attempts += 1
        self.deadline = now + self._timeout_s
        return request

    def _lacking(self, states: Mapping[RoutingContext, AspState]) -> Request | None:
        asks: dict[MessageId, list[RoutingContext]] = {}
        # The most active contexts first: ASPIA has to come before ASPDN.
        for context in sorted(states, key=lambda context: -states[context]):
            limit = AspState.INACTIVE if context in self._standing_by else AspState.ACTIVE
            request_id = NEXT_REQUEST.get((states[context], min(self.wanted, limit)))
            if request_id is not None:
                asks.setdefault(request_id, []).append(context)
        for request_id, contexts in asks.items():
            return Request(request_id, tuple(contexts))
        return None
