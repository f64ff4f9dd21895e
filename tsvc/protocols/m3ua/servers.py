"""The Application Servers of one SGP: states, NTFY, the ASP for each message, AS-PENDING.

They need to know all ASPs, so the associations of one SGP share one `ApplicationServers`. The
tables are in `asp`.
"""

from collections import deque
from dataclasses import field
from typing import Any, Protocol

from tsvc.errors import LocalProtocolError
from tsvc.protocols.m3ua.asp import (
    AFTER_RECOVERY,
    ALTERNATE_ASP_ACTIVE,
    AS_TRANSITIONS,
    ASP_FAILURE,
    INSUFFICIENT_ASPS,
    NOTIFIED,
    AspState,
    AsState,
    RoutingContext,
    Strength,
)
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.params import Status, TrafficMode
from tsvc.values import dataclass

MAX_PENDING = 10_000


@dataclass(frozen=True, slots=True)
class Transfer:
    """An MTP-TRANSFER request: user data with its routing label.

    `trail`: passed to the recorder of the association that carries it; None: not needed.
    """

    opc: int
    dpc: int
    si: int
    ni: int
    mp: int
    sls: int
    user_data: bytes
    trail: Any = field(default=None, compare=False)

    def data(
        self,
        context: int | None,
        network_appearance: int | None,
        correlation_id: int | None = None,
    ) -> bytes:
        """Return the DATA that carries it. Errors: LocalProtocolError: too long."""
        return encode_data(
            self.opc,
            self.dpc,
            self.si,
            self.ni,
            self.mp,
            self.sls,
            self.user_data,
            routing_context=context,
            network_appearance=network_appearance,
            correlation_id=correlation_id,
        )


class Recorder(Protocol):
    """Keeps the messages of an association as octets."""

    def managed(self, is_sent: bool, octets: bytes) -> None:
        """Keep a message that carries no user data, or none that can be read."""

    def carried(self, trail: Any, octets: bytes) -> None:
        """Keep a queued DATA whose transfer has a trail."""


class Member(Protocol):
    """An ASP from the view of its AS: the SGP's end of one association."""

    @property
    def asp_identifier(self) -> int | None:
        """The ASP Identifier of its ASPUP, None if it had none."""

    def notify(
        self, context: RoutingContext, status: Status, asp_identifier: int | None = None
    ) -> None:
        """Queue a NTFY; `asp_identifier`: the ASP that it is about."""

    def stand_by(self, context: RoutingContext) -> None:
        """Become inactive, because another ASP took the traffic over (override)."""

    def transfer(
        self, context: RoutingContext, transfer: Transfer, correlation_id: int | None = None
    ) -> None:
        """Queue DATA."""


@dataclass(slots=True)
class _ApplicationServer:
    state: AsState = AsState.DOWN
    recovery_deadline: float | None = None
    members: dict[Member, AspState] = field(default_factory=dict)
    pending: deque[Transfer] = field(default_factory=deque)
    correlation_id: int = 0

    def active(self) -> list[Member]:
        return [member for member, state in self.members.items() if state is AspState.ACTIVE]

    def strength(self, needed: int) -> Strength:
        if not self.members:
            return Strength.DOWN
        active = len(self.active())
        if not active:
            return Strength.INACTIVE
        return Strength.ENOUGH if active >= needed else Strength.SHORT


class ApplicationServers:
    """The Application Servers of one SGP by routing context, with T(r) of each.

    `needed_asps`: n of n+k redundancy: the number of active ASPs that an AS needs to start; with
    fewer, the inactive ones are notified. An AS of override needs one.
    `max_pending`: messages that an AS in PENDING keeps until T(r) ends.
    """

    def __init__(
        self,
        traffic_mode: TrafficMode | None = None,
        recovery_timeout_s: float = 2.0,
        *,
        needed_asps: int = 1,
        max_pending: int = MAX_PENDING,
    ) -> None:
        self._traffic_mode = traffic_mode
        self._recovery_timeout_s = recovery_timeout_s
        self._needed = 1 if traffic_mode is TrafficMode.OVERRIDE else needed_asps
        self._max_pending = max_pending
        self._servers: dict[RoutingContext, _ApplicationServer] = {}
        self._dropped: list[Transfer] = []
        self.is_blocked = False  # by the management: no ASP may come up

    def identifiers(self, apart_from: Member) -> set[int]:
        """Return the ASP Identifiers that are in use by others."""
        found = {member for server in self._servers.values() for member in server.members}
        return {
            member.asp_identifier
            for member in found
            if member is not apart_from and member.asp_identifier is not None
        }

    def state(self, context: RoutingContext, now: float) -> AsState:
        """Return the state of the AS; AS-DOWN if no ASP ever was up for it."""
        self.handle_timer(now)
        server = self._servers.get(context)
        return server.state if server else AsState.DOWN

    def update(
        self,
        member: Member,
        context: RoutingContext,
        asp: AspState,
        now: float,
        *,
        is_failure: bool = False,
    ) -> None:
        """Update the state of one ASP, then the state of its AS; notify the ASPs.

        Call it after the acknowledgement is queued: NTFY follows it. `is_failure`: the ASP is gone
        without having left properly.
        """
        self.handle_timer(now)
        server = self._servers.setdefault(context, _ApplicationServer())
        came_up = asp > AspState.DOWN and member not in server.members
        before = server.strength(self._needed)
        if asp is AspState.DOWN:
            server.members.pop(member, None)
        else:
            server.members[member] = asp
        if asp is AspState.ACTIVE and self._traffic_mode is TrafficMode.OVERRIDE:
            self._override(server, member, context)
        if is_failure:
            for other in server.members:
                other.notify(context, ASP_FAILURE, member.asp_identifier)
        strength = server.strength(self._needed)
        changed = self._move(server, context, AS_TRANSITIONS[server.state, strength], now)
        if came_up and not changed:
            member.notify(context, NOTIFIED[server.state])
        if strength is Strength.SHORT and before is Strength.ENOUGH:
            self._tell_standing_by(server, context)

    def transfer(self, context: RoutingContext, transfer: Transfer, now: float) -> None:
        """Send user data to the AS: to one ASP by SLS, to the only one, or to all (broadcast).

        It is kept while the AS is pending. Errors: LocalProtocolError when the AS has no active
        ASP, or keeps as many messages as it may.
        """
        self.handle_timer(now)
        server = self._servers.get(context)
        if server is not None and server.state is AsState.ACTIVE:
            self._spread(server, context, transfer)
            return
        if server is None or server.state is not AsState.PENDING:
            state = AsState.DOWN if server is None else server.state
            raise LocalProtocolError(f"the Application Server is {state.value}", path="DATA")
        if len(server.pending) >= self._max_pending:
            text = f"the Application Server is AS-PENDING and keeps {self._max_pending} messages"
            raise LocalProtocolError(text, path="DATA")
        server.pending.append(transfer)

    def take_dropped(self) -> list[Transfer]:
        """Return the messages kept for an AS that did not recover, and forget them."""
        dropped, self._dropped = self._dropped, []
        return dropped

    @property
    def is_pending(self) -> bool:
        """True if an AS waits for an ASP and keeps messages."""
        return any(server.state is AsState.PENDING for server in self._servers.values())

    def pending(self) -> int:
        """Return the number of messages that are kept now."""
        return sum(len(server.pending) for server in self._servers.values())

    def next_timer(self) -> float | None:
        """Return when the first T(r) runs out, None if none runs."""
        running = (server.recovery_deadline for server in self._servers.values())
        return min((deadline for deadline in running if deadline is not None), default=None)

    def handle_timer(self, now: float) -> None:
        """End the AS-PENDING of every AS whose T(r) ran out."""
        for context, server in self._servers.items():
            deadline = server.recovery_deadline
            if deadline is not None and now >= deadline:
                self._dropped.extend(server.pending)
                server.pending.clear()
                strength = server.strength(self._needed)
                self._move(server, context, AFTER_RECOVERY[strength], now)

    def _spread(
        self, server: _ApplicationServer, context: RoutingContext, transfer: Transfer
    ) -> None:
        active = server.active()
        if self._traffic_mode is not TrafficMode.BROADCAST:
            active[transfer.sls % len(active)].transfer(context, transfer)
            return
        # All active ASPs get it; the same Correlation Id shows them that it is one message.
        server.correlation_id = (server.correlation_id + 1) & 0xFFFFFFFF
        for member in active:
            member.transfer(context, transfer, server.correlation_id)

    def _override(
        self, server: _ApplicationServer, member: Member, context: RoutingContext
    ) -> None:
        for other, state in list(server.members.items()):
            if other is not member and state is AspState.ACTIVE:
                server.members[other] = AspState.INACTIVE
                other.stand_by(context)
                other.notify(context, ALTERNATE_ASP_ACTIVE, member.asp_identifier)

    def _tell_standing_by(self, server: _ApplicationServer, context: RoutingContext) -> None:
        for member, state in server.members.items():
            if state is AspState.INACTIVE:
                member.notify(context, INSUFFICIENT_ASPS)

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
        if state is AsState.ACTIVE:
            while server.pending:
                self._spread(server, context, server.pending.popleft())
        return True
