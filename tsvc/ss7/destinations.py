"""Reports of the peers about destinations: DUNA, DAVA, DRST, SCON, DUPU.

A report applies only to its own link: another link may still reach the same point code. A report
is valid until another one comes, the link is lost, or (a user part) user data comes from it.
"""

from enum import IntEnum

from tsvc.protocols.m3ua.indications import DestinationInd, DestinationStatus
from tsvc.protocols.m3ua.params import PointCode, UserCause
from tsvc.values import dataclass

SCCP_USER = 3  # of User/Cause in DUPU, as the service indicator
CAUSES = {0: "unknown", 1: "unequipped remote user", 2: "inaccessible remote user"}


class Reach(IntEnum):
    """The reachability of a destination; a greater value is better."""

    UNAVAILABLE = 0
    RESTRICTED = 1
    AVAILABLE = 2


@dataclass(frozen=True, slots=True)
class Destination:
    """The known state of a destination; the defaults mean that nothing restricts it."""

    reach: Reach = Reach.AVAILABLE
    congestion_level: int = 0
    user_cause: int | None = None  # of SCCP, if SCCP can't be reached
    said_at: float = 0.0

    @property
    def is_usual(self) -> bool:
        """True if nothing restricts it."""
        return self.reach is Reach.AVAILABLE and not self.congestion_level and self.accepts_sccp

    @property
    def accepts_sccp(self) -> bool:
        """True if its SCCP can be reached, as far as DUPU reports."""
        return self.user_cause is None

    @property
    def can_take(self) -> bool:
        """True if messages can be sent to it."""
        return self.reach > Reach.UNAVAILABLE and self.accepts_sccp

    def text(self, pc: int) -> str:
        """Return a text about its problem, for the reason of an aborted instance."""
        if not self.accepts_sccp:
            cause = CAUSES.get(self.user_cause or 0, str(self.user_cause))
            return f"point code {pc}: SCCP is not available ({cause})"
        if self.congestion_level:
            return f"point code {pc}: congested, level {self.congestion_level}"
        return f"point code {pc}: {self.reach.name.lower()}"


USUAL = Destination()

_REACHES = {
    DestinationStatus.AVAILABLE: Reach.AVAILABLE,
    DestinationStatus.UNAVAILABLE: Reach.UNAVAILABLE,
    DestinationStatus.RESTRICTED: Reach.RESTRICTED,
}
STATUSES = {reach: status for status, reach in _REACHES.items()}
COUNTED = {
    DestinationStatus.AVAILABLE: "available",
    DestinationStatus.UNAVAILABLE: "unavailable",
    DestinationStatus.RESTRICTED: "restricted",
    DestinationStatus.CONGESTED: "congested",
    DestinationStatus.USER_PART_UNAVAILABLE: "user_part_unavailable",
}


class Destinations:
    """All known states, by connection and point code."""

    def __init__(self, audit_s: float) -> None:
        self._audit_s = audit_s
        self._known: dict[str, dict[PointCode, Destination]] = {}
        self.counters = dict.fromkeys(COUNTED.values(), 0)

    def of(self, connection: str, pc: int) -> Destination:
        """Return the state that one connection's peer has reported for a point code."""
        known = self._known.get(connection)
        if not known:
            return USUAL
        exact = known.get(PointCode(pc))
        if exact is not None:
            return exact
        holding = [code for code in known if code.holds(pc)]
        return known[min(holding, key=lambda code: code.mask)] if holding else USUAL

    def note(self, connection: str, notice: DestinationInd, now: float) -> None:
        """Store a report of a peer; a question (DAUD) changes nothing."""
        counter = COUNTED.get(notice.status)
        if counter is None:
            return
        self.counters[counter] += 1
        known = self._known.setdefault(connection, {})
        for code in notice.point_codes:
            before = self.of(connection, code.pc)
            # A range replaces the reports about point codes in it.
            for part in [part for part in known if part.mask <= code.mask and code.holds(part.pc)]:
                del known[part]
            after = _changed(before, notice, now)
            # A usual state is stored only if a wider range would hide it.
            if not after.is_usual or any(wider.holds(code.pc) for wider in known):
                known[code] = after

    def heard_from(self, connection: str, pc: int) -> None:
        """Handle user data from a point code: its SCCP is available."""
        known = self._known.get(connection)
        destination = known.get(PointCode(pc)) if known else None
        if known and destination is not None and not destination.accepts_sccp:
            del known[PointCode(pc)]

    def forget(self, connection: str) -> None:
        """Remove the reports of a connection's peer: the connection is lost."""
        self._known.pop(connection, None)

    def best(self, pc: int, *, except_by: str) -> Destination | None:
        """Return the best state of a point code on other connections, None if they have no report.

        A connection without an unusual report has none, because no peer reports "available".
        """
        states = [
            found
            for name in self._known
            if name != except_by and (found := self.of(name, pc)) is not USUAL
        ]
        return max(states, key=lambda item: item.reach) if states else None

    def notices(self, connection: str) -> list[DestinationInd]:
        """Return the notices that report the state of one connection to another peer."""
        found = []
        for name, code, item in self._unusual():
            statuses: list[tuple[DestinationStatus, int | None, UserCause | None]] = []
            if name == connection and item.reach is not Reach.AVAILABLE:
                statuses.append((STATUSES[item.reach], None, None))
            if name == connection and item.congestion_level:
                statuses.append((DestinationStatus.CONGESTED, item.congestion_level, None))
            if name == connection and not item.accepts_sccp:
                cause = UserCause(item.user_cause or 0, SCCP_USER)
                statuses.append((DestinationStatus.USER_PART_UNAVAILABLE, None, cause))
            found += [
                DestinationInd(status, (code,), (), None, level, None, cause)
                for status, level, cause in statuses
            ]
        return found

    def next_audit(self) -> float | None:
        """Return when the next destination must be audited (DAUD)."""
        times = [item.said_at + self._audit_s for _, _, item in self._unusual()]
        return min(times, default=None)

    def take_audits(self, now: float) -> dict[str, tuple[PointCode, ...]]:
        """Return the point codes to audit now, by connection; they become due again later.

        A user part without an answer for that long is tried again instead.
        """
        due: dict[str, tuple[PointCode, ...]] = {}
        for connection, code, item in self._unusual():
            if now < item.said_at + self._audit_s:
                continue
            if item.accepts_sccp:
                due[connection] = (*due.get(connection, ()), code)
                again = Destination(item.reach, item.congestion_level, None, now)
                self._known[connection][code] = again
            else:
                del self._known[connection][code]
        return due

    def gauges(self) -> dict[str, int]:
        """Return the number of destinations that are not usual now, and the worst congestion."""
        unusual = [item for _, _, item in self._unusual()]
        return {
            "destinations_unavailable": sum(not item.can_take for item in unusual),
            "destinations_restricted": sum(item.reach is Reach.RESTRICTED for item in unusual),
            "congestion_level": max((item.congestion_level for item in unusual), default=0),
        }

    def texts(self) -> list[str]:
        """Return a text for each destination that is not usual, by connection."""
        return [f"{name}: {item.text(code.pc)}" for name, code, item in self._unusual()]

    def _unusual(self) -> list[tuple[str, PointCode, Destination]]:
        return [
            (name, code, item)
            for name, known in self._known.items()
            for code, item in known.items()
            if not item.is_usual
        ]


def _changed(before: Destination, notice: DestinationInd, now: float) -> Destination:
    if notice.status is DestinationStatus.CONGESTED:
        # Without a level: the peer's network has only one level of congestion.
        level = 1 if notice.congestion_level is None else notice.congestion_level
        return Destination(before.reach, level, before.user_cause, now)
    if notice.status is DestinationStatus.USER_PART_UNAVAILABLE:
        is_sccp = notice.user_cause is not None and notice.user_cause.user == SCCP_USER
        cause = notice.user_cause.cause if notice.user_cause and is_sccp else before.user_cause
        return Destination(before.reach, before.congestion_level, cause, now)
    reach = _REACHES[notice.status]
    # Available resets the user part; otherwise congestion and user part stay unchanged.
    if reach is Reach.AVAILABLE:
        return Destination(reach, before.congestion_level, None, now)
    return Destination(reach, before.congestion_level, before.user_cause, now)
