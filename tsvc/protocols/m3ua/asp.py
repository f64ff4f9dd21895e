"""States of an ASP and of an Application Server (RFC 4666 section 4.3), as tables.

One Application Server is one routing context. An ASP has a state in each of them; a DOWN ASP is
down in all. The AS is on the side of the SGP, which sees all ASPs: `servers` uses its table.

IPSPs of double exchange both send requests: there are two states, and each has the table of one
side. MOVES has the state that a message changes. AspRequests leads the asking side to the state
that it wants: one request at a time, repeated after T(ack).
"""

from collections.abc import Mapping
from enum import Enum, IntEnum

from tsvc.protocols.m3ua.messages import (
    ASPAC,
    ASPAC_ACK,
    ASPDN,
    ASPDN_ACK,
    ASPIA,
    ASPIA_ACK,
    ASPUP,
    ASPUP_ACK,
    LAYOUTS,
    MessageId,
)
from tsvc.protocols.m3ua.params import Status
from tsvc.values import dataclass

RoutingContext = int | None  # None: the only one, never named in messages


class Role(Enum):
    """Our side of the association.

    An IPSP of single exchange has one state that either side may ask to change; of double
    exchange, both sides ask, and each direction has its own state.
    """

    ASP = "asp"
    SGP = "sgp"
    IPSP = "ipsp"


class AspState(IntEnum):
    """State of one ASP in one AS; a greater state can do more."""

    DOWN = 0
    INACTIVE = 1
    ACTIVE = 2


class Side(Enum):
    """The side to which a state belongs; the two differ only for IPSPs of double exchange.

    OWN: the state that the peer acknowledged to us; when ACTIVE, it may send us DATA. PEER: the
    state that we acknowledged to the peer; when ACTIVE, we may send it DATA.
    """

    OWN = "own"
    PEER = "peer"


class Strength(IntEnum):
    """The ASPs that an AS has: none up, none active, fewer active than it needs, enough active."""

    DOWN = 0
    INACTIVE = 1
    SHORT = 2
    ENOUGH = 3


class AsState(Enum):
    """State of an Application Server; PENDING: none active, T(r) runs."""

    DOWN = "AS-DOWN"
    INACTIVE = "AS-INACTIVE"
    ACTIVE = "AS-ACTIVE"
    PENDING = "AS-PENDING"


class Action(Enum):
    """An action for a received ASPSM or ASPTM message, in addition to the change of state."""

    ACKNOWLEDGE = "send the acknowledgement of this message"
    REFUSE = "send ERR, unexpected message"


Step = tuple[AspState, tuple[Action, ...]]
_DOWN, _INACTIVE, _ACTIVE = AspState
_ACK, _REFUSE = Action

# Requests, for the side that answers them.
ANSWERING: dict[tuple[AspState, MessageId], Step] = {
    (_DOWN, ASPUP): (_INACTIVE, (_ACK,)),
    (_INACTIVE, ASPUP): (_INACTIVE, (_ACK,)),
    # An active ASP that sends ASPUP has lost its state: it gets the acknowledgement and an ERR.
    (_ACTIVE, ASPUP): (_INACTIVE, (_ACK, _REFUSE)),
    (_DOWN, ASPDN): (_DOWN, (_ACK,)),
    (_INACTIVE, ASPDN): (_DOWN, (_ACK,)),
    (_ACTIVE, ASPDN): (_DOWN, (_ACK,)),
    (_DOWN, ASPAC): (_DOWN, (_REFUSE,)),
    (_INACTIVE, ASPAC): (_ACTIVE, (_ACK,)),
    (_ACTIVE, ASPAC): (_ACTIVE, (_ACK,)),
    (_DOWN, ASPIA): (_DOWN, (_REFUSE,)),
    (_INACTIVE, ASPIA): (_INACTIVE, (_ACK,)),
    (_ACTIVE, ASPIA): (_INACTIVE, (_ACK,)),
}

# Acknowledgements, for the side that asked. An acknowledgement counts even without a request; the
# next request (NEXT_REQUEST) then leads back to the wanted state.
ASKING: dict[tuple[AspState, MessageId], Step] = {
    (_DOWN, ASPUP_ACK): (_INACTIVE, ()),
    (_INACTIVE, ASPUP_ACK): (_INACTIVE, ()),
    (_ACTIVE, ASPUP_ACK): (_INACTIVE, (_REFUSE,)),
    (_DOWN, ASPDN_ACK): (_DOWN, ()),
    (_INACTIVE, ASPDN_ACK): (_DOWN, ()),
    (_ACTIVE, ASPDN_ACK): (_DOWN, ()),
    (_DOWN, ASPAC_ACK): (_DOWN, (_REFUSE,)),
    (_INACTIVE, ASPAC_ACK): (_ACTIVE, ()),
    (_ACTIVE, ASPAC_ACK): (_ACTIVE, ()),
    (_DOWN, ASPIA_ACK): (_DOWN, (_REFUSE,)),
    (_INACTIVE, ASPIA_ACK): (_INACTIVE, ()),
    (_ACTIVE, ASPIA_ACK): (_INACTIVE, ()),
}

# A message that is missing in a role's table is unexpected in that role.
TRANSITIONS: dict[Role, dict[tuple[AspState, MessageId], Step]] = {
    Role.ASP: ASKING,
    Role.SGP: ANSWERING,
    Role.IPSP: ANSWERING | ASKING,
}

ACKNOWLEDGEMENT: dict[MessageId, MessageId] = {
    ASPUP: ASPUP_ACK,
    ASPDN: ASPDN_ACK,
    ASPAC: ASPAC_ACK,
    ASPIA: ASPIA_ACK,
}

# (state, wanted state) -> the next request.
NEXT_REQUEST: dict[tuple[AspState, AspState], MessageId] = {
    (_DOWN, _INACTIVE): ASPUP,
    (_DOWN, _ACTIVE): ASPUP,
    (_INACTIVE, _ACTIVE): ASPAC,
    (_INACTIVE, _DOWN): ASPDN,
    (_ACTIVE, _INACTIVE): ASPIA,
    (_ACTIVE, _DOWN): ASPIA,
}

# The side whose state a message changes: a request the peer's, an acknowledgement ours.
MOVES: dict[MessageId, Side] = {
    **dict.fromkeys(ACKNOWLEDGEMENT, Side.PEER),
    **dict.fromkeys(ACKNOWLEDGEMENT.values(), Side.OWN),
}

# (state of the AS, its ASPs) -> new state of the AS. An AS becomes active with the number of ASPs
# that it needs, and stays active with any number.
AS_TRANSITIONS: dict[tuple[AsState, Strength], AsState] = {
    (AsState.DOWN, Strength.DOWN): AsState.DOWN,
    (AsState.DOWN, Strength.INACTIVE): AsState.INACTIVE,
    (AsState.DOWN, Strength.SHORT): AsState.INACTIVE,
    (AsState.DOWN, Strength.ENOUGH): AsState.ACTIVE,
    (AsState.INACTIVE, Strength.DOWN): AsState.DOWN,
    (AsState.INACTIVE, Strength.INACTIVE): AsState.INACTIVE,
    (AsState.INACTIVE, Strength.SHORT): AsState.INACTIVE,
    (AsState.INACTIVE, Strength.ENOUGH): AsState.ACTIVE,
    (AsState.ACTIVE, Strength.DOWN): AsState.PENDING,
    (AsState.ACTIVE, Strength.INACTIVE): AsState.PENDING,
    (AsState.ACTIVE, Strength.SHORT): AsState.ACTIVE,
    (AsState.ACTIVE, Strength.ENOUGH): AsState.ACTIVE,
    (AsState.PENDING, Strength.DOWN): AsState.PENDING,
    (AsState.PENDING, Strength.INACTIVE): AsState.PENDING,
    (AsState.PENDING, Strength.SHORT): AsState.ACTIVE,
    (AsState.PENDING, Strength.ENOUGH): AsState.ACTIVE,
}

# The state after T(r) ran out in PENDING: no ASP is active, so the inactive ones decide.
AFTER_RECOVERY: dict[Strength, AsState] = {
    Strength.DOWN: AsState.DOWN,
    Strength.INACTIVE: AsState.INACTIVE,
}

STATE_CHANGE, OTHER = 1, 2  # types of Status
INSUFFICIENT_ASPS = Status(OTHER, 1)
ALTERNATE_ASP_ACTIVE = Status(OTHER, 2)
ASP_FAILURE = Status(OTHER, 3)
# AS-DOWN has no code: no ASP is up that could be notified.
NOTIFIED: dict[AsState, Status] = {
    AsState.INACTIVE: Status(STATE_CHANGE, 2),
    AsState.ACTIVE: Status(STATE_CHANGE, 3),
    AsState.PENDING: Status(STATE_CHANGE, 4),
}
# The statuses after which an ASP that stands by asks for traffic again.
NEEDS_ASPS = frozenset({NOTIFIED[AsState.INACTIVE], NOTIFIED[AsState.PENDING], INSUFFICIENT_ASPS})
STATUS_TEXTS: dict[Status, str] = {
    **{status: state.value for state, status in NOTIFIED.items()},
    INSUFFICIENT_ASPS: "insufficient ASP resources active in AS",
    ALTERNATE_ASP_ACTIVE: "alternate ASP active",
    ASP_FAILURE: "ASP failure",
}


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
        self.refusal = ""  # the ERR of the peer to the open request, in words

    def advance(self, states: Mapping[RoutingContext, AspState], now: float) -> Request | None:
        """Return the request to send now; None if a request is open, or none is needed."""
        request = self._lacking(states)
        if request is None:
            self.stop()
            return None
        if request.id == self.asked:
            return None
        self._attempts = 0
        self.refusal = ""
        return self._again(request, now)

    def repeat(self, states: Mapping[RoutingContext, AspState], now: float) -> Request | None:
        """Return the request to repeat after T(ack), None if it was repeated often enough."""
        request = self._lacking(states)
        if request is None or self._attempts >= self._limit:
            return None
        return self._again(request, now)

    @property
    def failure(self) -> str:
        """The reason why the open request is given up, in words."""
        name = LAYOUTS[self.asked or ASPUP].name
        return (
            f"{name} is refused: {self.refusal}"
            if self.refusal
            else (f"{name} is not acknowledged")
        )

    def stop(self) -> None:
        """Forget the open request."""
        self.asked = None
        self.deadline = None

    def give_up(self, states: Mapping[RoutingContext, AspState]) -> tuple[RoutingContext, ...]:
        """Give up the open request; return its routing contexts, which stand by from now on."""
        request = self._lacking(states)
        contexts = request.contexts if request else ()
        self._standing_by.update(contexts)
        self.stop()
        return contexts

    def stand_by(self, contexts: tuple[RoutingContext, ...]) -> None:
        """Stop asking for traffic in these contexts: another ASP has it (override)."""
        self._standing_by.update(contexts)

    def resume(self, contexts: tuple[RoutingContext, ...]) -> None:
        """Ask again for traffic in these contexts: no ASP has it."""
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
