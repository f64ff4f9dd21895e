"""Messages without the parts that differ from call to call: transaction ids and caller's number.

A message of the usual layout has ids of four octets, each after a fixed tag and length. The rest
is compared, or filled with other ids, without decoding. The position of the caller's digits in a
BEGIN is found by trial: other digits are written there. The general decoder must read exactly
these, and everything else unchanged.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from tsvc.protocols.tcap import frame as frames
from tsvc.protocols.tcap.messages import MessageType
from tsvc.values import dataclass

_DTID = b"\x49\x04"
_FEWEST_DIGITS = 4  # shorter ones are too often elsewhere by chance


class Apart(NamedTuple):
    """A message without its ids, which were at `at`. An END has no otid, a BEGIN no dtid."""

    otid: bytes | None
    dtid: bytes | None
    rest: bytes
    at: int


def apart(octets: bytes) -> Apart | None:
    """Return a BEGIN, CONTINUE or END without its transaction ids; None if it has another layout.

    Two messages with the same `rest` differ only in their ids.
    """
    frame = frames.read(octets)
    if frame is None or frame.kind == MessageType.ABORT:
        return None
    _, otid, otid_end, dtid, dtid_end = frame
    if (otid is not None and len(otid) != 4) or (dtid is not None and len(dtid) != 4):
        return None
    at = (otid_end or dtid_end) - 4
    return Apart(otid, dtid, octets[:at] + octets[dtid_end or otid_end :], at)


@dataclass(frozen=True, slots=True)
class Template:
    """A message to send: `head`, our id if `has_otid`, the peer's id, `tail`."""

    head: bytes
    tail: bytes
    has_otid: bool

    def fill(self, otid: bytes, dtid: bytes) -> bytes:
        """Return the message with these ids, of four octets each."""
        if self.has_otid:
            return self.head + otid + _DTID + dtid + self.tail
        return self.head + dtid + self.tail


def template_of(octets: bytes, otid: bytes, dtid: bytes) -> Template | None:
    """Return the template of a CONTINUE or END with these ids, None for another message."""
    found = apart(octets)
    if found is None or found.dtid != dtid or found.otid not in (None, otid):
        return None
    head, tail = found.rest[: found.at], found.rest[found.at :]
    return Template(head, tail, found.otid is not None)


class Hole(NamedTuple):
    """The position of digits in `rest` of a BEGIN, two per octet; the last may be alone."""

    start: int
    end: int
    is_odd: bool

    def without(self, rest: bytes) -> bytes | None:
        """Return the octets without the digits, None if there is something else."""
        there = rest[self.start : self.end]
        if not there.hex().isdigit() or (self.is_odd and there[-1] > 9):
            return None
        return rest[: self.start] + rest[self.end :]


def hole_of(octets: bytes, digits: str, read: Callable[[bytes, str], Any]) -> Hole | None:
    """Return the position of the caller's digits in `rest` of a BEGIN, None if it isn't certain.

    read: returns what the general decoder reads in such a message if the caller has these digits,
    without the digits themselves; None if the caller has others.
    """
    found = apart(octets)
    if found is None or not digits.isdecimal() or len(digits) < _FEWEST_DIGITS:
        return None
    packed, rest = _packed(digits), found.rest
    if rest.count(packed) != 1:
        return None
    hole = Hole(rest.index(packed), rest.index(packed) + len(packed), len(digits) % 2 == 1)
    offset = len(octets) - len(rest)  # the id is before it
    before = read(octets, digits)
    for step in (1, 4):
        others = "".join(str((int(digit) + step) % 10) for digit in digits)
        start, end = hole.start + offset, hole.end + offset
        if (
            before is None
            or read(octets[:start] + _packed(others) + octets[end:], others) != before
        ):
            return None
    return hole


def _packed(digits: str) -> bytes:
    """Return digits as Q.763 packs them, the first digit in the low nibble."""
    padded = digits + "0" * (len(digits) % 2)
    return bytes(
        int(low) | int(high) << 4 for low, high in zip(padded[::2], padded[1::2], strict=True)
    )
