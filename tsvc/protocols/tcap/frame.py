"""The transaction ids of a TCAP message and their positions, without the rest of the message.

For code that needs nothing but the ids: the fast path, the SCP's memory of usual calls, relays,
and segments that the network returns. The octets after the ids are not read, so the first segment
of a message is enough. Pure.

Source: Q.773 §4.2.1 (06/97)
"""

from typing import NamedTuple

from tsvc.protocols.tcap.messages import MessageType, Unreadable, decode_any

_OTID, _DTID = 0x48, 0x49
_MOST_OCTETS = 4  # of a transaction id
# As plain numbers: an enumeration compares more slowly.
_WITH_OTID = (int(MessageType.CONTINUE), int(MessageType.BEGIN))
_WITH_DTID = (int(MessageType.CONTINUE), int(MessageType.END), int(MessageType.ABORT))


class Frame(NamedTuple):
    """The ids of a message, and where they end; None and 0 for an id that is absent."""

    kind: int
    otid: bytes | None
    otid_end: int
    dtid: bytes | None
    dtid_end: int


def read(octets: bytes) -> Frame | None:
    """Return the ids of a BEGIN, CONTINUE, END or ABORT; None if they are not where they belong.

    The lengths of the message may have any definite form.
    """
    otid = dtid = None
    otid_end = dtid_end = 0
    try:
        kind, length = octets[0], octets[1]
        at = 2 if length < 0x80 else 2 + (length & 0x7F)
        if kind in _WITH_OTID:
            length = octets[at + 1]
            otid_end = at + 2 + length
            if octets[at] != _OTID or not 0 < length <= _MOST_OCTETS or otid_end > len(octets):
                return None
            otid = octets[at + 2 : otid_end]
            at = otid_end
        if kind in _WITH_DTID:
            length = octets[at + 1]
            dtid_end = at + 2 + length
            if octets[at] != _DTID or not 0 < length <= _MOST_OCTETS or dtid_end > len(octets):
                return None
            dtid = octets[at + 2 : dtid_end]
    except IndexError:
        return None
    return None if otid is None and dtid is None else Frame(kind, otid, otid_end, dtid, dtid_end)


def originating_id(octets: bytes) -> bytes | None:
    """Return the otid of a BEGIN or CONTINUE of ours, None for anything else.

    The first segment is enough: the network returns segments as they were sent.
    """
    frame = read(octets)
    return None if frame is None else frame.otid


def destination_id(octets: bytes) -> bytes | None:
    """Return the dtid of a CONTINUE, END or ABORT, None for anything else.

    The first segment is enough; the members of a whole message may have any order.
    """
    frame = read(octets)
    if frame is not None:
        return frame.dtid
    try:
        return decode_any(octets).dtid
    except Unreadable as error:
        return error.dtid
