"""BEAT supervision: when to send a BEAT, and when the peer counts as lost (RFC 4666)."""


class Heartbeat:
    """One BEAT every `period_s`; the peer is lost if a BEAT is unanswered for two periods."""

    def __init__(self, period_s: float | None) -> None:
        self._period_s = period_s
        self._count = 0
        self._due: float | None = None
        self._unanswered: dict[bytes, float] = {}

    def start(self, now: float) -> None:
        """Begin to supervise, unless already begun or without a period."""
        if self._period_s is not None and self._due is None:
            self._due = now + self._period_s

    def stop(self) -> None:
        """Forget everything until the next start."""
        self._due = None
        self._unanswered.clear()

    def next_timer(self) -> float | None:
        """Return when `handle_timer` is due, None if it is not."""
        return self._due

    def is_lost(self, now: float) -> bool:
        """Return True if the oldest unanswered BEAT is two periods old."""
        if self._period_s is None or not self._unanswered:
            return False
        return now - min(self._unanswered.values()) >= 2 * self._period_s

    def handle_timer(self, now: float) -> bytes | None:
        """Return the Heartbeat Data to send now, None if it is not yet time."""
        if self._period_s is None or self._due is None or now < self._due:
            return None
        self._due = now + self._period_s
        self._count += 1
        data = self._count.to_bytes(8)
        self._unanswered[data] = now
        return data

    def acknowledge(self, data: bytes) -> bool:
        """Process a BEAT ACK, which answers older BEATs too; False if no BEAT has its data."""
        if data not in self._unanswered:
            return False
        self._unanswered = {key: sent for key, sent in self._unanswered.items() if key > data}
        return True
