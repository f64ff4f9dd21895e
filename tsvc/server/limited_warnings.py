"""Warnings that a client can cause as often as it likes, at most one a second for each reason."""

from typing import Any

from tsvc.clock import Clock
from tsvc.log import Logger

_EVERY_S = 1.0


class QuietLog:
    """Writes the first warning of a reason; the next one says how many it stands for."""

    def __init__(self, log: Logger, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._next_at: dict[str, float] = {}
        self._unsaid: dict[str, int] = {}

    def warning(self, event: str, **fields: Any) -> None:
        """Write an event, or count it. `event` is one of a few constants."""
        now = self._clock.now()
        if now < self._next_at.get(event, now):
            self._unsaid[event] = self._unsaid.get(event, 0) + 1
            return
        self._next_at[event] = now + _EVERY_S
        unsaid = self._unsaid.pop(event, 0)
        if unsaid:
            fields["also"] = unsaid
        self._log.warning(event, **fields)
