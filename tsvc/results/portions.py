"""Portions of a long trace: some of its messages, without reading all messages before them.

To decode a message, earlier messages of its dialogue may be needed: results and errors have the
names of the operations that were invoked. So the messages of dialogues that are open at the start
of a portion are read too, from their BEGIN on, and no others.
"""

from collections.abc import Sequence

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.tcap.messages import decode
from tsvc.results.arrow import arrow_json
from tsvc.results.exchanges import Decoded, arrow_of, read_messages
from tsvc.results.layout import lifelines_of
from tsvc.results.records import MessageRecord, Record

MOST_OCTETS = 256 * 1024  # of the messages of a portion; a longer message is its own portion
_BEGIN = b"\x62"
_SUMMARY = ("protocol", "t", "dialogue", "peer", "direction", "hex")
_ENDS = {"result": "Result", "error": "Error"}  # suffixes of the operations that receive them


def end_of(records: Sequence[Record], first: int, count: int) -> int:
    """Return the end of a portion of at most `count` records that begins with the record `first`.

    It has fewer records if they are long.
    """
    end = min(first + count, len(records))
    octets = 0
    for number in range(first, end):
        octets += len(records[number].octets)
        if octets > MOST_OCTETS:
            return max(number, first + 1)
    return max(end, first)


def read_portion(
    records: Sequence[Record], first: int, end: int, *, is_summary: bool = False
) -> tuple[list[Decoded], dict[str, list[str]]]:
    """Return the messages of records[first:end] that a ladder shows, and their lifelines.

    Shape:   messages with `index`, the number of the record, and `arrow`; otherwise as
             decode_messages() returns them, with spans. A summary has only the members that are
             needed to draw and search a ladder: protocol, t, direction, dialogue or peer, hex; for
             TCAP also `operations`: for each component the end of the type of an operation that
             receives it, "" if it is not known.
    Errors:  none, whatever the octets.
    """
    numbers = [*_context(records, first, end), *range(first, end)]
    read = read_messages((records[at] for at in numbers), with_spans=not is_summary)
    found, arrows = [], []
    for number, message in zip(numbers, read, strict=True):
        if number < first or message is None:
            continue
        arrow = arrow_of(message)
        arrows.append(arrow)
        shown = _summary(message) if is_summary else message
        found.append({"index": number, **shown, "arrow": arrow_json(arrow)})
    roles, peers = lifelines_of(arrows) if arrows else ([], [])
    return found, {"roles": roles, "peers": peers}


def _summary(message: Decoded) -> Decoded:
    summary = {name: message[name] for name in _SUMMARY if name in message}
    if "components" in message:
        summary["operations"] = [_receiver(component) for component in message["components"]]
    return summary


def _receiver(component: Decoded) -> str:
    """Return the end of the type of an operation that receives a component."""
    if component["operation"] is None:
        return ""
    return str(component["operation"]) + _ENDS.get(component["component"], "")


def _context(records: Sequence[Record], first: int, end: int) -> list[int]:
    """Return the numbers of the records before a portion that its dialogues need."""
    needed: set[str] = set()
    begun: set[str] = set()
    for record in records[first:end]:
        if isinstance(record, MessageRecord) and record.dialogue not in begun:
            begun.add(record.dialogue)
            if not _begins(record):
                needed.add(record.dialogue)
    found = []
    at = first
    while needed and at:
        at -= 1
        record = records[at]
        if isinstance(record, MessageRecord) and record.dialogue in needed:
            found.append(at)
            if _begins(record):
                needed.discard(record.dialogue)
    return found[::-1]


def _begins(record: MessageRecord) -> bool:
    """Return True if a message does not need earlier messages."""
    if not record.octets.startswith(_BEGIN):
        return False
    try:
        decode(record.octets)
    except RemoteProtocolError:  # it is shown as octets, and begins no dialogue
        return False
    return True
