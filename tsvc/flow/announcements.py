"""Announcements: what a flow names (set and entry) and what a resource plays (a message id)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

AnnouncementTable = Mapping[str, Mapping[str, int]]  # message ids by set, then entry


@dataclass(frozen=True, slots=True)
class AnnouncementName:
    """An announcement as a flow writes it, not yet resolved; `further` = members we don't know."""

    set: str
    entry: str
    repetition: int = 1
    further: Mapping[str, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Announcement:
    """A playable announcement: elementary message id, played `repetition` times (1 = once)."""

    message_id: int
    repetition: int = 1
    name: AnnouncementName | None = None


def find_message_id(name: AnnouncementName, *tables: AnnouncementTable) -> int | None:
    """Return the message id of the first table that has the set and entry, or None."""
    for table in tables:
        message_id = table.get(name.set, {}).get(name.entry)
        if message_id is not None:
            return message_id
    return None
