"""The messages that an instance keeps for its detail, with those of links that carried them.

Links are those of M3UA and SUA that carry TCAP. All is kept as octets and tuples, because most of
it is never read.
"""

from collections.abc import Reversible, Sequence
from typing import Protocol

from tsvc import turns
from tsvc.results.records import ExchangeRecord, MessageRecord, Record

MAX_MESSAGES = 10_000  # and as many of links that carry them
MAX_MESSAGE_OCTETS = 1 << 24  # after so many no further message is kept


class Carrier(Protocol):
    """Carries messages of dialogues: a link, or the state of a link at some moment."""

    @property
    def log(self) -> Reversible[ExchangeRecord]:
        """Its messages that belong to no dialogue, in the order of time."""

    @property
    def frames(self) -> Sequence[ExchangeRecord]:
        """Its messages that contained the message being delivered."""

    def frame(self, is_sent: bool, octets: bytes) -> ExchangeRecord:
        """Return the record of a message of the link."""


class Carriers:
    """Messages that links have carried for an instance, with times of the clock."""

    __slots__ = ("_frames", "_logs", "_most", "_octets_left")

    def __init__(self, most: int, most_octets: int) -> None:
        self._most = most
        self._octets_left = most_octets
        self._frames: list[ExchangeRecord] = []
        self._logs: list[Reversible[ExchangeRecord]] = []

    def received(self, link: Carrier) -> None:
        """Keep the messages of a link that brought one for a dialogue."""
        self._note(link)
        if self._has_room:
            self._frames += link.frames
            self._octets_left -= sum(len(frame.octets) for frame in link.frames)

    def note_sent(self, link: Carrier, octets: bytes) -> None:
        """Keep the octets that a link sends for a dialogue."""
        self._note(link)
        if self._has_room:
            self._frames.append(link.frame(True, octets))
            self._octets_left -= len(octets)

    @property
    def _has_room(self) -> bool:
        return len(self._frames) < self._most and self._octets_left > 0

    def _note(self, link: Carrier) -> None:
        if not any(log is link.log for log in self._logs):
            self._logs.append(link.log)

    def take(self, began: float, until: float) -> list[ExchangeRecord]:
        """Return the messages with times relative to `began`, in any order.

        Messages of no dialogue between the two moments, on the same links, are included: links
        keep the last of them.
        """
        found = [frame.since(began) for frame in turns.over(self._frames)]
        for log in self._logs:
            for frame in reversed(log):
                if frame.t < began:
                    break
                if frame.t <= until:
                    found.append(frame.since(began))
        return found


class KeptMessages:
    """The messages of one instance, up to a bound. `records`: in the order of their recording."""

    __slots__ = ("_carriers", "_octets", "records")

    def __init__(self, *, with_links: bool) -> None:
        self.records: list[Record] = []
        self._octets = 0
        self._carriers = Carriers(MAX_MESSAGES, MAX_MESSAGE_OCTETS) if with_links else None

    def keep(self, record: Record) -> None:
        """Keep a message, if there is room."""
        if len(self.records) < MAX_MESSAGES and self._octets < MAX_MESSAGE_OCTETS:
            self.records.append(record)
            self._octets += len(record.octets)

    def take_back(self, record: MessageRecord) -> None:
        """Forget a message that could not be sent."""
        if record in self.records:
            self.records.remove(record)
            self._octets -= len(record.octets)

    def note_received(self, link: Carrier) -> None:
        """Keep the messages of a link that brought one for a dialogue."""
        if self._carriers is not None:
            self._carriers.received(link)

    def note_sent(self, link: Carrier, octets: bytes) -> None:
        """Keep the octets that a link sends for a dialogue."""
        if self._carriers is not None:
            self._carriers.note_sent(link, octets)

    def between(self, began: float, until: float) -> list[Record]:
        """Return all messages in the order of time; those of links between two moments."""
        found = list(self.records)
        if self._carriers is not None:
            found += self._carriers.take(began, until)
        found.sort(key=lambda record: record.t)
        return found

    def settle(self, began: float, until: float) -> None:
        """Store messages that links would forget, once the instance is over and is kept."""
        if self._carriers is not None:
            self.records, self._carriers = self.between(began, until), None
