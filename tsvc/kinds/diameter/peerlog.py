"""Log lines about Diameter peers: each change of a peer is one line.

A lasting fault does not fill the log. The same line about the same peer is repeated after one
second at the earliest. The next intervals are two seconds, four and so on, up to a minute. A
repeated line shows how many lines were left out (`also`). All lines together are limited to a few
at once and then one per second, because a listening node can't choose its peers.
"""

from tsvc.clock import Clock
from tsvc.log import get_logger
from tsvc.values import dataclass

_FIRST_S, _LONGEST_S = 1.0, 60.0
_MOST_AT_ONCE = 20  # lines, of all events and peers
_MOST_KNOWN = 1000  # pairs of event and peer


@dataclass(slots=True)
class _Line:
    """The last line of an event and peer, and how often it was left out since."""

    fields: dict[str, object]
    interval_s: float
    again_at: float
    withheld: int = 0


class PeerLog:
    """The lines of one gateway. `peer`: host and port of the peer, or only its host."""

    def __init__(self, name: str, clock: Clock) -> None:
        self._log = get_logger("diameter").bind(gateway=name)
        self._clock = clock
        self._lines: dict[tuple[str, str], _Line] = {}
        self._tried: set[str] = set()
        self._budget = float(_MOST_AT_ONCE)
        self._budget_at = clock.now()

    def connecting(self, peer: str, transport: str) -> None:
        """Log that a first attempt begins; later attempts are not logged until one succeeds."""
        if peer not in self._tried:
            self._tried.add(peer)
            self.info("connecting", peer, transport=transport)

    def up(self, peer: str, **agreed: str) -> None:
        """Log that requests can be sent, and what was agreed."""
        self._tried.discard(peer)
        self.info("peer up", peer, **agreed)

    def info(self, event: str, peer: str, **fields: object) -> None:
        """Log a normal event. `event` is one of a few constants."""
        self._write(event, peer, fields, is_warning=False)

    def warning(self, event: str, peer: str, **fields: object) -> None:
        """Log an event that somebody should look at."""
        self._write(event, peer, fields, is_warning=True)

    def _write(
        self, event: str, peer: str, fields: dict[str, object], *, is_warning: bool
    ) -> None:
        now = self._clock.now()
        key = (event, peer)
        line = self._lines.get(key)
        interval_s, withheld = _FIRST_S, 0
        if line is not None:
            withheld = line.withheld
            if line.fields == fields:
                if now < line.again_at:
                    line.withheld += 1
                    return
                if now < line.again_at + _LONGEST_S:
                    interval_s = min(2 * line.interval_s, _LONGEST_S)
        self._budget += now - self._budget_at
        self._budget = min(self._budget, float(_MOST_AT_ONCE))
        self._budget_at = now
        if len(self._lines) > _MOST_KNOWN:
            self._lines = {}
        if self._budget < 1:
            self._lines[key] = _Line({}, _FIRST_S, now, withheld + 1)
            return
        self._budget -= 1
        self._lines[key] = _Line(fields, interval_s, now + interval_s)
        more = {"also": withheld} if withheld else {}
        write = self._log.warning if is_warning else self._log.info
        write(event, peer=peer, **fields, **more)
