"""The problems of each connection, for status, refusals of runs and the log.

A connection has one state text, and beside it the last complaints of its peer: ERR, NTFY, refused
routing keys. Each change of an association is a log line, at most one per second for each kind
and connection. A text that a peer repeats is logged only once.
"""

from collections.abc import Iterable

from tsvc.clock import Clock
from tsvc.log import QuietLog, get_logger
from tsvc.protocols.m3ua.asp import NOTIFIED, AsState
from tsvc.protocols.m3ua.indications import (
    ActiveInd,
    DestinationInd,
    DownInd,
    ErrorInd,
    InactiveInd,
    NotifyInd,
    RegistrationInd,
)
from tsvc.protocols.m3ua.params import Status

_MOST_NAMED = 8  # point codes in one line
_SHOWN_S = 60.0  # how long an ERR is shown while the association is active
_STATE, _NOTIFY, _ERROR, _KEYS = "state", "notify", "error", "keys"  # in the order of a text
_TOPICS = (_STATE, _NOTIFY, _ERROR, _KEYS)


class ConnectionHealth:
    """The health of one configured connection, with all its associations."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.name = name
        self._clock = clock
        self._log = QuietLog(get_logger("ss7").bind(connection=name), clock)
        self._texts: dict[str, str] = {}
        self._refused: tuple[int, ...] = ()  # the routing contexts of the last ERR
        self._error_until: float | None = None  # None: until the association is active

    @property
    def text(self) -> str:
        """The problems on one line; empty if there are none."""
        if self._error_until is not None and self._clock.now() > self._error_until:
            self._texts.pop(_ERROR, None)
        texts = [self._texts[topic] for topic in _TOPICS if topic in self._texts]
        # The reason of a lost association repeats the ERR.
        return "; ".join(
            one for one in texts if not any(one in two for two in texts if two != one)
        )

    def unreachable(self, text: str) -> None:
        """Record that there is no connection, and the reason."""
        is_new = self._texts.get(_STATE) != text
        self._texts = {_STATE: text}
        if is_new:
            self._log.warning("no connection", reason=text)

    def up(self, peer: str) -> None:
        """Record that the transport is connected."""
        self._log.info("association up", peer=peer)

    def lost(self, peer: str, reason: str, *, is_ours: bool, state: str | None) -> None:
        """Record that the transport is lost; `state`: its state text from now on."""
        write = self._log.info if is_ours else self._log.warning
        write("association lost", peer=peer, reason=reason)
        if state is not None:
            self._texts = {**self._texts, _STATE: state}
            self._texts.pop(_NOTIFY, None)

    def active(self, found: ActiveInd, peer: str) -> None:
        """Record that data can be sent, at least in these routing contexts."""
        named = [context for context in found.routing_contexts if context is not None]
        self._texts.pop(_STATE, None)
        self._texts.pop(_NOTIFY, None)
        if not (named and self._refused and {*self._refused}.isdisjoint(named)):
            self._texts.pop(_ERROR, None)
        contexts = {"routing_context": ",".join(map(str, named))} if named else {}
        self._log.info("association active", peer=peer, **contexts)

    def inactive(self, found: InactiveInd | DownInd, peer: str, *, was_active: bool) -> None:
        """Record that no data can be sent, at least for some routing context."""
        state = "down" if isinstance(found, DownInd) else "not active"
        self._texts[_STATE] = f"{state} ({found.reason})"
        if was_active:
            self._log.warning("association inactive", peer=peer, reason=found.reason)

    def notified(self, found: NotifyInd, peer: str) -> None:
        """Record a notification of the peer about an Application Server."""
        status = Status(found.status_type, found.information)
        if status == NOTIFIED[AsState.ACTIVE]:
            self._texts.pop(_NOTIFY, None)
        else:
            self._say(_NOTIFY, f"NTFY {found.text}")
        self._log.info("notified", peer=peer, text=found.text)

    def refused(self, found: ErrorInd, peer: str, *, is_active: bool) -> None:
        """Record an ERR of the peer."""
        self._refused = found.routing_contexts
        self._error_until = self._clock.now() + _SHOWN_S if is_active else None
        if self._say(_ERROR, found.words):
            self._log.warning("refused by the peer", peer=peer, text=found.words)

    def registered(self, found: RegistrationInd, peer: str) -> None:
        """Record the registration result of a routing key."""
        if found.routing_context is not None:
            self._texts.pop(_KEYS, None)
        elif self._say(_KEYS, f"routing key of point code {found.key.dpc.pc}: {found.text}"):
            self._log.warning("routing key refused", peer=peer, text=found.text)

    def destination(self, found: DestinationInd, peer: str) -> None:
        """Log a peer's report about destinations; Destinations stores it."""
        codes = ", ".join(str(code.pc) for code in found.point_codes[:_MOST_NAMED])
        more = ", …" if len(found.point_codes) > _MOST_NAMED else ""
        self._log.info(found.status.value, peer=peer, point_code=f"{codes}{more}")

    def at_fault(self, text: str, peer: str) -> None:
        """Log a violation of the protocol by the peer."""
        self._log.warning("protocol error", peer=peer, text=text)

    def _say(self, topic: str, text: str) -> bool:
        """Store a text. Return True if it is new."""
        is_new = self._texts.get(topic) != text
        self._texts[topic] = text
        return is_new


def texts(connections: Iterable[ConnectionHealth]) -> list[str]:
    """Return a line for each connection that has a problem."""
    return [f"{one.name}: {text}" for one in connections if (text := one.text)]
