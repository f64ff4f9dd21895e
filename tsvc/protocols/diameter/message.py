"""Messages and AVPs as octets: the header, the framing of a stream, the raw AVP list.

Nothing here knows the meaning of an AVP: tree.py has it from a dictionary.
"""

import struct
from enum import IntFlag
from typing import NamedTuple

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.framed import FramedStream

VERSION = 1
HEADER_OCTETS = 20
MAX_MESSAGE_OCTETS = 65536  # our cap; the length field itself has 24 bits
_AVP_HEADER_OCTETS = 8
_VENDOR_OCTETS = 4
_FIRST_DATA = HEADER_OCTETS + _AVP_HEADER_OCTETS  # where the data of the first AVP begin
_LENGTH_MASK = 0xFFFFFF

_HEADER = struct.Struct(">IIIII")
_AVP_HEADER = struct.Struct(">II")
_VENDOR_HEADER = struct.Struct(">III")
_WORD = struct.Struct(">I")


class CommandFlag(IntFlag):
    """Flags of a message."""

    REQUEST = 0x80
    PROXIABLE = 0x40
    ERROR = 0x20
    RETRANSMITTED = 0x10


class AvpFlag(IntFlag):
    """Flags of an AVP."""

    VENDOR = 0x80
    MANDATORY = 0x40
    PROTECTED = 0x20


_SESSION_ID, _PROXY_INFO = 263, 284
_REQUEST = int(CommandFlag.REQUEST)
_VENDOR = int(AvpFlag.VENDOR)


class Header(NamedTuple):
    """The twenty octets before the AVPs; `length` includes them."""

    command_code: int
    flags: int
    application_id: int
    hop_by_hop_id: int
    end_to_end_id: int
    length: int = HEADER_OCTETS

    @property
    def is_request(self) -> bool:
        """True for a request, False for an answer."""
        return bool(self.flags & _REQUEST)

    @property
    def is_proxiable(self) -> bool:
        """True if the message may be relayed (P)."""
        return bool(self.flags & CommandFlag.PROXIABLE)

    @property
    def is_error(self) -> bool:
        """True if the answer reports a protocol error (E)."""
        return bool(self.flags & CommandFlag.ERROR)


# One AVP: code, vendor (None: V is clear), flags, start and stop of its data in the message. A
# plain tuple for speed: one is made for every received AVP.
RawAvp = tuple[int, int | None, int, int, int]


def encode_message(header: Header, avps: bytes) -> bytes:
    """Return the whole message; `header.length` is ignored.

    Errors: LocalProtocolError if the message is too long for the length field.
    """
    length = HEADER_OCTETS + len(avps)
    if length > _LENGTH_MASK:
        raise LocalProtocolError(f"a message of {length} octets")
    return (
        _HEADER.pack(
            VERSION << 24 | length,
            header.flags << 24 | header.command_code,
            header.application_id,
            header.hop_by_hop_id,
            header.end_to_end_id,
        )
        + avps
    )


def decode_header(octets: bytes) -> Header:
    """Return the header of a message.

    Errors: RemoteProtocolError for less than 20 octets or another version.
    """
    if len(octets) < HEADER_OCTETS:
        raise RemoteProtocolError(f"a message of {len(octets)} octets", offset=len(octets))
    first, second, application_id, hop_by_hop_id, end_to_end_id = _HEADER.unpack_from(octets)
    if first >> 24 != VERSION:
        raise RemoteProtocolError(f"version {first >> 24}", offset=0)
    return Header(
        second & _LENGTH_MASK,
        second >> 24,
        application_id,
        hop_by_hop_id,
        end_to_end_id,
        first & _LENGTH_MASK,
    )


def whole_header(octets: bytes) -> Header:
    """Return the header of octets that are exactly one message. Errors: RemoteProtocolError."""
    header = decode_header(octets)
    if header.length != len(octets) or header.length % 4:
        raise RemoteProtocolError(
            f"length {header.length} in a message of {len(octets)} octets", offset=1
        )
    return header


def encode_raw(code: int, vendor_id: int | None, flags: int, data: bytes) -> bytes:
    """Return one AVP, padded. V is set if and only if there is a vendor_id; `flags` do not count.

    Errors: LocalProtocolError if a number does not fit its field.
    """
    size = len(data)
    try:
        if vendor_id is None:
            word = (flags & ~_VENDOR) << 24 | (size + _AVP_HEADER_OCTETS)
            head = _AVP_HEADER.pack(code, word)
        else:
            word = (flags | _VENDOR) << 24 | (size + _AVP_HEADER_OCTETS + _VENDOR_OCTETS)
            head = _VENDOR_HEADER.pack(code, word, vendor_id)
    except struct.error:
        raise LocalProtocolError(f"code {code} or vendor {vendor_id} has over 32 bits") from None
    if size > _LENGTH_MASK - _AVP_HEADER_OCTETS - _VENDOR_OCTETS:
        raise LocalProtocolError(f"an AVP of {size} octets")
    return head + data + bytes(-size % 4)


def read_avps(
    octets: bytes, start: int, stop: int, notes: list[str] | None = None
) -> list[RawAvp]:
    """Return the AVPs in octets[start:stop], one level.

    Errors: RemoteProtocolError with the offset of the AVP that is cut off or too short. With
            `notes` the error is added there, and the AVPs before it are returned.
    """
    found: list[RawAvp] = []
    at = start
    unpack = _AVP_HEADER.unpack_from
    while at < stop:
        if stop - at < _AVP_HEADER_OCTETS:
            _cut(f"{stop - at} octets where an AVP begins", at, notes)
            break
        code, word = unpack(octets, at)
        flags, length = word >> 24, word & _LENGTH_MASK
        data = at + _AVP_HEADER_OCTETS
        vendor_id = None
        if flags & _VENDOR:
            data += _VENDOR_OCTETS
            if data <= stop:
                vendor_id = _WORD.unpack_from(octets, at + _AVP_HEADER_OCTETS)[0]
        end = at + length
        padded = at + (length + 3 & ~3)
        if end < data or padded > stop:
            _cut(f"AVP {code} says {length} octets, {stop - at} are there", at, notes)
            break
        found.append((code, vendor_id, flags, data, end))
        at = padded
    return found


def _cut(text: str, at: int, notes: list[str] | None) -> None:
    if notes is None:
        raise RemoteProtocolError(text, offset=at)
    notes.append(text)


def session_id_of(octets: bytes) -> str | None:
    """Return the Session-Id of a message, None if there is no readable one."""
    if len(octets) >= _FIRST_DATA:
        code, word = _AVP_HEADER.unpack_from(octets, HEADER_OCTETS)
        stop = HEADER_OCTETS + (word & _LENGTH_MASK)
        if code == _SESSION_ID and not word >> 24 & _VENDOR and _FIRST_DATA <= stop <= len(octets):
            return octets[_FIRST_DATA:stop].decode("utf-8", "replace")
    for code, vendor_id, _, start, stop in read_avps(octets, HEADER_OCTETS, len(octets), []):
        if code == _SESSION_ID and not vendor_id:
            return octets[start:stop].decode("utf-8", "replace")
    return None


def echoed(request: bytes) -> tuple[bytes, bytes]:
    """Return the AVPs that an answer repeats: Session-Id, which comes first, and Proxy-Info.

    If the request can't be read, both are empty.
    """
    try:
        raws = read_avps(request, HEADER_OCTETS, len(request))
    except RemoteProtocolError:
        return b"", b""
    return _copied(raws, request, _SESSION_ID), _copied(raws, request, _PROXY_INFO)


def _copied(raws: list[RawAvp], octets: bytes, wanted: int) -> bytes:
    return b"".join(
        encode_raw(code, vendor_id, flags, octets[start:stop])
        for code, vendor_id, flags, start, stop in raws
        if code == wanted and not vendor_id
    )


class MessageStream(FramedStream):
    """Messages from a byte stream."""

    def __init__(self, max_octets: int = MAX_MESSAGE_OCTETS) -> None:
        super().__init__(max_octets)

    def length_at(self, octets: bytearray, at: int, left: int) -> int | None:
        """Return the length in the header, None if too few octets are there.

        Errors: RemoteProtocolError if the stream can't be Diameter; it can't be used again.
        """
        if left < _WORD.size:
            return None
        (first,) = _WORD.unpack_from(octets, at)
        length: int = first & _LENGTH_MASK
        if first >> 24 != VERSION:
            raise RemoteProtocolError(f"version {first >> 24}")
        if length < HEADER_OCTETS or length % 4:
            raise RemoteProtocolError(f"a message of {length} octets")
        if length > self._max_octets:
            raise RemoteProtocolError(
                f"a message of {length} octets, more than {self._max_octets}"
            )
        return length
