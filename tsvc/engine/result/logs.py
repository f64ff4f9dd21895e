"""Logs of an instance that is kept in detail: its checks, and the trace of the first instance.

Both are bounded; only an abort is logged in any case.
"""

from collections.abc import Callable
from typing import Any

from tsvc.engine.result.copies import weighed_copy
from tsvc.matching.outcome import Outcome
from tsvc.results.records import MessageRecord

MAX_ENTRIES = 10_000

# (seconds since its start, operation index, step number, ok, text, expected, got, is abort)
CheckEntry = tuple[float, int, int, bool | None, str, Any, Any, bool]
# (seconds since its start, operation index, step number, findings)
CheckBlock = tuple[float, int, int, Outcome]
# (seconds since its start, operation index, level, text, detail)
TraceEntry = tuple[float, int, int, str, Any]

# (seconds since its start, operation index, step number)
Moment = tuple[float, int, int]


class CheckLog:
    """Checks in order; a whole comparison is one item."""

    __slots__ = ("_count", "_most_octets", "_octets", "items")

    def __init__(self, most_octets: int) -> None:
        self.items: list[CheckEntry | CheckBlock] = []
        self._most_octets = most_octets
        self._count = self._octets = 0

    @property
    def is_full(self) -> bool:
        """True if only an abort is still added."""
        return self._count >= MAX_ENTRIES or self._octets > self._most_octets

    def add(
        self,
        moment: Moment,
        ok: bool | None,
        text: str,
        expected: object,
        got: object,
        *,
        is_abort: bool,
    ) -> None:
        """Add one check; `ok` is None for an event that no check covers, as information."""
        if self.is_full and not is_abort:
            return
        wanted, found = weighed_copy(expected), weighed_copy(got)
        self._count += 1
        self._octets += len(text) + wanted[1] + found[1]
        self.items.append((*moment, ok, text, wanted[0], found[0], is_abort))

    def add_outcome(self, moment: Moment, outcome: Outcome) -> None:
        """Add all findings of a comparison; `kept` of the outcome must be set."""
        if not self.is_full:
            self._count += len(outcome.kept or ())
            self._octets += outcome.kept_octets
            self.items.append((*moment, outcome))


class TraceLog:
    """Trace entries up to a level, in order."""

    __slots__ = ("_level", "_most_octets", "_octets", "entries")

    def __init__(self, level: int, most_octets: int) -> None:
        self.entries: list[TraceEntry] = []
        self._level = level
        self._most_octets = most_octets
        self._octets = 0

    def add(
        self,
        t: float,
        position: int,
        level: int,
        text: str,
        detail: Callable[[], Any] | None,
    ) -> None:
        """Add an entry. `detail` is called only if it is added; a message is decoded later."""
        if level > self._level or self._octets > self._most_octets:
            return
        value = detail() if detail is not None else None
        octets = len(text) + 40
        if isinstance(value, MessageRecord):
            octets += len(repr(value))
        elif value is not None:
            value, weight = weighed_copy(value)
            octets += weight
        self._octets += octets
        if self._octets > self._most_octets:
            text, value = "trace cut here: engine.max_trace_octets is reached", None
        self.entries.append((t, position, level, text, value))
