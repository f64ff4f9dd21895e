"""States of an ASP and of an Application Server (RFC 4666 section 4.3), as tables.

One Application Server is one routing context. The ASP's state is kept for each of them; a DOWN
ASP is down in all. The AS lives on the SGP's side and sees all ASPs, hence `ApplicationServers`
is shared by the associations of one SGP.
"""

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Protocol

from tsvc.protocols.m3ua.messages import (
    ASPAC,
    ASPAC_ACK,
    ASPDN,
    ASPDN_ACK,
    ASPIA,
    ASPIA_ACK,
    ASPUP,
    ASPUP_ACK,
    MessageId,
)
from tsvc.protocols.m3ua.params import Status, TrafficMode

RoutingContext = int | None  # None: the only one, never named in messages


class Role(Enum):
    """Which side of the association we are; IPSP is single exchange: either side may ask."""

    ASP = "asp"
    SGP = "sgp"
    IPSP = "ipsp"


class AspState(IntEnum):
    """State of one ASP in one AS; in this order a greater one can do more."""

    DOWN = 0
    INACTIVE = 1
    ACTIVE = 2


class AsState(Enum):
    """State of an Application Server; PENDING: none active, T(r) runs."""

    DOWN = "AS-DOWN"
    INACTIVE = "AS-INACTIVE"
    ACTIVE = "AS-ACTIVE"
    PENDING = "AS-PENDING"


class Action(Enum):
    """What a received ASPSM or ASPTM message makes us do besides changing the state."""

    ACKNOWLEDGE = "send the acknowledgement of this message"
    REFUSE = "send ERR, unexpected message"


Step = tuple[AspState, tuple[Action, ...]]
_DOWN, _INACTIVE, _ACTIVE = AspState
_ACK, _REFUSE = Action

# Requests, as the side that answers them sees them.
ANSWERING: dict[tuple[AspState, MessageId], Step] = {
    (_DOWN, ASPUP): (_INACTIVE, (_ACK,)),
    (_INACTIVE, ASPUP): (_INACTIVE, (_ACK,)),
    # An active ASP that says ASPUP has lost its state: it is answered, and told so.
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

# Acknowledgements, as the side that asked sees them. The peer's word counts even when it was
# not asked for; the next request (NEXT_REQUEST) then leads back to what is wanted.
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

# (state of the AS, state of its best ASP) -> new state of the AS.
AS_TRANSITIONS: dict[tuple[AsState, AspState], AsState] = {
    (AsState.DOWN, _DOWN): AsState.DOWN,
    (AsState.DOWN, _INACTIVE): AsState.INACTIVE,
    (AsState.DOWN, _ACTIVE): AsState.ACTIVE,
    (AsState.INACTIVE, _DOWN): AsState.DOWN,
    (AsState.INACTIVE, _INACTIVE): AsState.INACTIVE,
    (AsState.INACTIVE, _ACTIVE): AsState.ACTIVE,
    (AsState.ACTIVE, _DOWN): AsState.PENDING,
    (AsState.ACTIVE, _INACTIVE): AsState.PENDING,
    (AsState.ACTIVE, _ACTIVE): AsState.ACTIVE,
    (AsState.PENDING, _DOWN): AsState.PENDING,
    (AsState.PENDING, _INACTIVE): AsState.PENDING,
    (AsState.PENDING, _ACTIVE): AsState.ACTIVE,
}

# T(r) ran out in PENDING: what the best ASP decides.
AFTER_RECOVERY: dict[AspState, AsState] = {
    _DOWN: AsState.DOWN,
    _INACTIVE: AsState.INACTIVE,
}

STATE_CHANGE, OTHER = 1, 2  # types of Status
ALTERNATE_ASP_ACTIVE = Status(OTHER, 2)
# AS-DOWN has no code: nobody is up to be told.
NOTIFIED: dict[AsState, Status] = {
    AsState.INACTIVE: Status(STATE_CHANGE, 2),
    AsState.ACTIVE: Status(STATE_CHANGE, 3),
    AsState.PENDING: Status(STATE_CHANGE, 4),
}
WITHOUT_TRAFFIC = frozenset({NOTIFIED[AsState.INACTIVE], NOTIFIED[AsState.PENDING]})
STATUS_TEXTS: dict[Status, str] = {
    **{status: state.value for state, status in NOTIFIED.items()},
    Status(OTHER, 1): "insufficient ASP resources active in AS",
    ALTERNATE_ASP_ACTIVE: "alternate ASP active",
    Status(OTHER, 3): "ASP failure",
}


class Member(Protocol):
    """An ASP as its AS sees it: the SGP's end of one association."""

    def notify(self, context: RoutingContext, status: Status) -> None:
        """Queue a NTFY."""

    def stand_by(self, context: RoutingContext) -> None:
        """Take notice that another ASP took the traffic over (override)."""


@dataclass(slots=True)
class _ApplicationServer:
    state: AsState = AsState.DOWN
    recovery_deadline: float | None = None
    members: dict[Member, AspState] = field(default_factory=dict)

    def best(self) -> AspState:
        return max(self.members.values(), default=AspState.DOWN)


class ApplicationServers:
    """The Application Servers of one SGP by routing context, with T(r) of each."""

    def __init__(
        self, traffic_mode: TrafficMode | None = None, recovery_timeout_s: float = 2.0
    ) -> None:
        self._traffic_mode = traffic_mode
        self._recovery_timeout_s = recovery_timeout_s
        self._servers: dict[RoutingContext, _ApplicationServer] = {}

    def state(self, context: RoutingContext, now: float) -> AsState:
        """Return the state of the AS; AS-DOWN if no ASP ever was up for it."""
        self.handle_timer(now)
        server = self._servers.get(context)
        return server.state if server else AsState.DOWN

    def update(self, member: Member, context: RoutingContext, asp: AspState, now: float) -> None:
        """Take the new state of one ASP in; its AS and the other ASPs get to know.

        Call it after the acknowledgement is queued: NTFY follows it.
        """
        self.handle_timer(now)
        server = self._servers.setdefault(context, _ApplicationServer())
        came_up = asp > AspState.DOWN and member not in server.members
        if asp is AspState.DOWN:
            server.members.pop(member, None)
        else:
            server.members[member] = asp
        if asp is AspState.ACTIVE and self._traffic_mode is TrafficMode.OVERRIDE:
            self._override(server, member, context)
        changed = self._move(server, context, AS_TRANSITIONS[server.state, server.best()], now)
        if came_up and not changed:
            member.notify(context, NOTIFIED[server.state])

    def next_timer(self) -> float | None:
        """Return when the first T(r) runs out, None if none runs."""
        running = (server.recovery_deadline for server in self._servers.values())
        return min((deadline for deadline in running if deadline is not None), default=None)

    def handle_timer(self, now: float) -> None:
        """End the AS-PENDING of every AS whose T(r) ran out."""
        for context, server in self._servers.items():
            deadline = server.recovery_deadline
            if deadline is not None and now >= deadline:
                self._move(server, context, AFTER_RECOVERY[server.best()], now)

    def _override(
        self, server: _ApplicationServer, member: Member, context: RoutingContext
    ) -> None:
        for other, state in list(server.members.items()):
            if other is not member and state is AspState.ACTIVE:
                server.members[other] = AspState.INACTIVE
                other.stand_by(context)
                other.notify(context, ALTERNATE_ASP_ACTIVE)

    def _move(
        self, server: _ApplicationServer, context: RoutingContext, state: AsState, now: float
    ) -> bool:
        if state is server.state:
            return False
        server.state = state
        is_pending = state is AsState.PENDING
        server.recovery_deadline = now + self._recovery_timeout_s if is_pending else None
        if state in NOTIFIED:
            for member in server.members:
                member.notify(context, NOTIFIED[state])
        return True
