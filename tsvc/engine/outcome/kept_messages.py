"""What links have carried for an instance: messages of M3UA and SUA around those of TCAP."""

from typing import Any

from tsvc import turns
from tsvc.results.records import ExchangeRecord


class Carriers:
    """Keeps messages of links as they are, times by the clock: most of them nobody reads."""

    __slots__ = ("_frames", "_logs", "_most", "_octets_left")

    def __init__(self, most: int, most_octets: int) -> None:
        self._most = most
        self._octets_left = most_octets
        self._frames: list[ExchangeRecord] = []
        self._logs: list[Any] = []

    def received(self, route: Any) -> None:
        """Keep what a link has received for a dialogue."""
        self._note(route)
        if self._has_room:
            self._frames += route.frames
            self._octets_left -= sum(len(frame.octets) for frame in route.frames)

    def note_sent(self, link: Any, octets: bytes) -> None:
        """Keep what a link sends for a dialogue."""
        self._note(link)
        if self._has_room:
            self._frames.append(link.frame(True, octets))
            self._octets_left -= len(octets)

    @property
    def _has_room(self) -> bool:
        return len(self._frames) < self._most and self._octets_left > 0

    def _note(self, link: Any) -> None:
        if not any(log is link.log for log in self._logs):
            self._logs.append(link.log)

    def take(self, began: float, until: float) -> list[ExchangeRecord]:
        """Return them with times from a moment on, in any order.

        With those of no dialogue that fell in between, on the same connections: links keep the
        last of them.
        """
        found = [frame.since(began) for frame in turns.over(self._frames)]
        for log in self._logs:
            for frame in reversed(log):
                if frame.t < began:
                    break
                if frame.t <= until:
                    found.append(frame.since(began))
        return found
