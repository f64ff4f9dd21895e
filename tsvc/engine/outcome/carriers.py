"""What links have carried for an instance: messages of M3UA and SUA around those of TCAP."""

from typing import Any

from tsvc.results.records import ExchangeRecord


class Carriers:
    """Keeps messages of links as they are, times by the clock: most of them nobody reads."""

    __slots__ = ("_frames", "_logs", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._frames: list[ExchangeRecord] = []
        self._logs: list[Any] = []

    def received(self, route: Any) -> None:
        """Keep what a link has received for a dialogue."""
        self._note(route)
        if len(self._frames) < self._most:
            self._frames += route.frames

    def sent(self, link: Any, octets: bytes) -> None:
        """Keep what a link sends for a dialogue."""
        self._note(link)
        if len(self._frames) < self._most:
            self._frames.append(link.frame(True, octets))

    def _note(self, link: Any) -> None:
        if not any(log is link.log for log in self._logs):
            self._logs.append(link.log)

    def taken(self, began: float, until: float) -> list[ExchangeRecord]:
        """Return them with times from a moment on, in any order.

        With those of no dialogue that fell in between, on the same connections: links keep the
        last of them.
        """
        found = [frame.since(began) for frame in self._frames]
        for log in self._logs:
            for frame in reversed(log):
                if frame.t < began:
                    break
                if frame.t <= until:
                    found.append(frame.since(began))
        return found
