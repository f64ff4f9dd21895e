"""Recorded messages, decoded for people and drawn: each as its protocol says."""

from collections.abc import Callable, Iterable
from typing import Any

from tsvc.results.arrow import Arrow
from tsvc.results.exchanges import Decoded, presentation_of
from tsvc.results.records import Record


def decode_messages(records: Iterable[Record]) -> list[Decoded]:
    """Return one dict per message, in the order recorded.

    Shape:   protocol, and what its presentation gives; of an exchange t (seconds), peer,
             direction, title, facts, content, is_failure, hex.
    Errors:  none, whatever the octets.
    """
    readers: dict[str, Callable[[Any], Decoded]] = {}
    decoded = []
    for record in records:
        reader = readers.get(record.protocol)
        if reader is None:
            reader = readers[record.protocol] = presentation_of(record.protocol).reader()
        decoded.append(reader(record))
    return decoded


def arrows_of(decoded: Iterable[Decoded]) -> list[Arrow]:
    """Return the arrows of decoded messages, in their order."""
    return [presentation_of(message["protocol"]).arrow(message) for message in decoded]
