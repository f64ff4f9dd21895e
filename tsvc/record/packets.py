"""Capture files: reads packets from pcap and pcapng, of either byte order, with times of any unit.

Source: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import NamedTuple

from tsvc.errors import RemoteProtocolError
from tsvc.values import dataclass

MOST_PACKETS = 1_000_000

_MAGICS = {  # by the first octets: byte order, units of a second
    b"\xd4\xc3\xb2\xa1": ("<", 1_000_000),
    b"\xa1\xb2\xc3\xd4": (">", 1_000_000),
    b"\x4d\x3c\xb2\xa1": ("<", 1_000_000_000),
    b"\xa1\xb2\x3c\x4d": (">", 1_000_000_000),
}
_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6
_IF_TSRESOL, _IF_TSOFFSET, _EPB_FLAGS = 9, 14, 2
_FILE_HEADER_OCTETS, _PACKET_HEADER_OCTETS, _BLOCK_OCTETS = 24, 16, 12
_LINK_TYPE_BITS = 0xFFFF  # of the header's field; the other bits describe a frame check sequence


class Packet(NamedTuple):
    """One packet: number from 1, seconds since the epoch, link type, octets.

    `is_sent`: True if the capturing host sent it; None: the file does not say. `length`: on the
    link, in octets.
    """

    number: int
    time: float
    link_type: int
    octets: bytes
    length: int
    is_sent: bool | None = None


class Remark(NamedTuple):
    """A remark about an unusable part: number of the packet, octet in it, text."""

    packet: int
    offset: int
    text: str

    def __str__(self) -> str:
        return f"packet {self.packet}, octet {self.offset}: {self.text}"


Tell = Callable[[Remark], None]


def read_packets(octets: bytes, tell: Tell) -> Iterator[Packet]:
    """Yield the packets of a capture file, in their order.

    If the file is cut or wrong further on, `tell` gets a remark, after the packets before that.
    Errors: RemoteProtocolError for octets that are neither pcap nor pcapng.
    """
    order = _MAGICS.get(octets[:4])
    if order is not None and len(octets) >= _FILE_HEADER_OCTETS:
        return _classic(octets, *order, tell)
    if octets[:4] == _SECTION.to_bytes(4):
        return _pcapng(octets, tell)
    raise RemoteProtocolError("neither pcap nor pcapng", offset=0)


def _classic(octets: bytes, order: str, units: int, tell: Tell) -> Iterator[Packet]:
    header = struct.Struct(f"{order}IIII")
    (link_type,) = struct.unpack_from(f"{order}I", octets, 20)
    at, number = _FILE_HEADER_OCTETS, 0
    while at < len(octets):
        number += 1
        start = at + _PACKET_HEADER_OCTETS
        if start > len(octets):
            tell(Remark(number, 0, f"the file ends within its header, at octet {at} of the file"))
            return
        seconds, fraction, kept, length = header.unpack_from(octets, at)
        at = start + kept
        if at > len(octets):
            tell(Remark(number, len(octets) - start, "the file ends within it"))
            return
        if number > MOST_PACKETS:
            tell(Remark(number, 0, f"more than {MOST_PACKETS} packets: the rest is not read"))
            return
        time = seconds + fraction / units
        yield Packet(number, time, link_type & _LINK_TYPE_BITS, octets[start:at], length)


@dataclass(slots=True)
class _Interface:
    link_type: int
    longest: int
    units: int = 1_000_000
    offset_s: int = 0


@dataclass(slots=True)
class _Section:
    """The byte order and the interfaces of a section of a pcapng so far."""

    order: str
    interfaces: list[_Interface] = field(default_factory=list)


def _pcapng(octets: bytes, tell: Tell) -> Iterator[Packet]:
    section = _Section("<")
    at, number = 0, 0
    while at < len(octets):
        if octets[at : at + 4] == _SECTION.to_bytes(4):
            section = _Section("<" if octets[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">")
        start = at + 8
        if start > len(octets):
            tell(Remark(number + 1, 0, f"the file ends within a block, at octet {at} of the file"))
            return
        kind, size = struct.unpack_from(f"{section.order}II", octets, at)
        if size < _BLOCK_OCTETS or size % 4 or at + size > len(octets):
            text = f"a block of {size} octets does not fit, at octet {at} of the file"
            tell(Remark(number + 1, 0, text))
            return
        body = octets[start : at + size - 4]
        at += size
        try:
            if kind == _INTERFACE:
                section.interfaces.append(_interface(body, section.order))
                continue
            if kind not in (_ENHANCED, _SIMPLE):
                continue
            number += 1
            if number > MOST_PACKETS:
                tell(Remark(number, 0, f"more than {MOST_PACKETS} packets: the rest is not read"))
                return
            read = _enhanced if kind == _ENHANCED else _simple
            yield read(body, number, section)
        except (struct.error, IndexError):
            tell(Remark(max(number, 1), 0, f"a block of type {kind} can't be read"))


def _interface(body: bytes, order: str) -> _Interface:
    link_type, _, longest = struct.unpack_from(f"{order}HHI", body)
    found = _Interface(link_type, longest or 0xFFFFFFFF)
    for code, value in _options(body, 8, order):
        if code == _IF_TSRESOL and value:
            base = 2 if value[0] & 0x80 else 10
            found.units = base ** (value[0] & 0x7F)
        elif code == _IF_TSOFFSET and len(value) == 8:
            (found.offset_s,) = struct.unpack(f"{order}q", value)
    return found


def _enhanced(body: bytes, number: int, section: _Section) -> Packet:
    index, high, low, kept, length = struct.unpack_from(f"{section.order}IIIII", body)
    interface = section.interfaces[index]
    is_sent = None
    for code, value in _options(body, 20 + kept + -kept % 4, section.order):
        if code == _EPB_FLAGS and len(value) == 4:
            direction = struct.unpack(f"{section.order}I", value)[0] & 3
            is_sent = {1: False, 2: True}.get(direction)
    time = interface.offset_s + (high << 32 | low) / interface.units
    octets = body[20 : 20 + kept]
    return Packet(number, time, interface.link_type, octets, length, is_sent)


def _simple(body: bytes, number: int, section: _Section) -> Packet:
    interface = section.interfaces[0]
    (length,) = struct.unpack_from(f"{section.order}I", body)
    octets = body[4 : 4 + min(length, interface.longest)]
    return Packet(number, 0.0, interface.link_type, octets, length)


def _options(body: bytes, at: int, order: str) -> Iterator[tuple[int, bytes]]:
    while at + 4 <= len(body):
        code, size = struct.unpack_from(f"{order}HH", body, at)
        if code == 0:
            return
        yield code, body[at + 4 : at + 4 + size]
        at += 4 + size + -size % 4
