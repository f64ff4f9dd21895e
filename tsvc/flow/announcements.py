"""Announcements: the name in a flow (set and entry), and the message id that a resource plays."""

from collections.abc import Mapping
from dataclasses import field

from tsvc.values import dataclass

Part = tuple[str, int | str]  # ("integer", 5), ("number", "4329100"): spoken values
MAX_PARTS = 5


@dataclass(frozen=True, slots=True)
class VariableMessage:
    """A message with parts that the resource speaks: numbers and counts."""

    message_id: int
    parts: tuple[Part, ...]


Message = int | VariableMessage
AnnouncementTable = Mapping[str, Mapping[str, Message]]  # messages by set, then entry


@dataclass(frozen=True, slots=True)
class AnnouncementName:
    """An announcement as written in a flow, not yet resolved; `further` = unknown members."""

    set: str
    entry: str
    repetition: int = 1
    further: Mapping[str, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Announcement:
    """A playable announcement: message id, played `repetition` times (1 = once).

    With `parts` it is a variable message, otherwise an elementary one.
    """

    message_id: int
    repetition: int = 1
    name: AnnouncementName | None = None
    parts: tuple[Part, ...] = ()


def find_message(name: AnnouncementName, *tables: AnnouncementTable) -> Message | None:
    """Return the message of the first table that has the set and entry, or None."""
    for table in tables:
        message = table.get(name.set, {}).get(name.entry)
        if message is not None:
            return message
    return None
