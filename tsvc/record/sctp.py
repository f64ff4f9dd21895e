"""Messages of SCTP associations: DATA chunks reassembled by TSN, in the order of their streams.

Source: RFC 9260
"""

import struct
from dataclasses import field
from typing import NamedTuple

from tsvc.record.layers import Datagram, End
from tsvc.record.packets import Packet, Remark, Tell
from tsvc.values import dataclass

_DATA, _I_DATA = 0, 64
_LAST, _FIRST, _UNORDERED = 1, 2, 4  # flags of a DATA chunk
_HEADER_OCTETS, _DATA_OCTETS = 12, 16
_MOST_HELD = 4096  # chunks, or messages, of a direction that wait for others


class SctpMessage(NamedTuple):
    """One user message: ends, payload protocol identifier, octets, and when it was complete."""

    packet: int
    time: float
    source: End
    destination: End
    payload_protocol: int
    octets: bytes


class _Chunk(NamedTuple):
    packet: Packet
    flags: int
    stream: int
    number: int  # of the message in its stream
    payload_protocol: int
    octets: bytes


@dataclass(slots=True)
class _Direction:
    source: End
    destination: End
    tag: int
    seen: set[int] = field(default_factory=set)  # TSNs
    parts: dict[int, _Chunk] = field(default_factory=dict)  # of incomplete messages, by TSN
    following: dict[int, int] = field(default_factory=dict)  # next number, by stream
    held: dict[tuple[int, int], _Chunk] = field(default_factory=dict)


class Associations:
    """The messages of all associations of a capture, as they become complete."""

    def __init__(self) -> None:
        self.messages: list[SctpMessage] = []
        self.clients: dict[frozenset[End], End] = {}  # the sender of the first captured packet
        self._directions: dict[tuple[End, End], _Direction] = {}
        self._untold = {_I_DATA}

    def take(self, packet: Packet, datagram: Datagram, tell: Tell) -> None:
        """Read one packet of chunks."""
        octets = datagram.octets
        if len(octets) < _HEADER_OCTETS:
            tell(Remark(packet.number, datagram.offset, "SCTP header is cut off"))
            return
        source_port, port, tag = struct.unpack_from(">HHI", octets)
        source, destination = End(datagram.source, source_port), End(datagram.destination, port)
        self.clients.setdefault(frozenset((source, destination)), source)
        at = _HEADER_OCTETS
        while at + 4 <= len(octets):
            kind, flags, size = struct.unpack_from(">BBH", octets, at)
            if size < 4 or at + size > len(octets):
                text = f"chunk of {size} octets does not fit"
                tell(Remark(packet.number, datagram.offset + at, text))
                return
            if kind == _DATA and size > _DATA_OCTETS:
                chunk = octets[at + 4 : at + size]
                self._data(self._direction(source, destination, tag), packet, flags, chunk, tell)
            elif kind in self._untold:
                self._untold.remove(kind)
                tell(Remark(packet.number, datagram.offset + at, "I-DATA chunks are not read"))
            at += size + -size % 4

    def _direction(self, source: End, destination: End, tag: int) -> _Direction:
        """Return the direction of an association; a new tag is a new association of these ends."""
        found = self._directions.get((source, destination))
        if found is None or found.tag != tag:
            found = self._directions[source, destination] = _Direction(source, destination, tag)
        return found

    def _data(
        self, direction: _Direction, packet: Packet, flags: int, octets: bytes, tell: Tell
    ) -> None:
        tsn, stream, number, payload_protocol = struct.unpack_from(">IHHI", octets)
        if tsn in direction.seen:
            return  # a retransmission
        direction.seen.add(tsn)
        chunk = _Chunk(packet, flags, stream, number, payload_protocol, octets[12:])
        if flags & _FIRST and flags & _LAST:
            self._order(direction, chunk)
            return
        if len(direction.parts) >= _MOST_HELD:
            tell(Remark(packet.number, 0, "too many parts of SCTP messages wait for others"))
            return
        direction.parts[tsn] = chunk
        whole = _joined(direction.parts, tsn)
        if whole is not None:
            self._order(direction, whole._replace(packet=packet))

    def _order(self, direction: _Direction, chunk: _Chunk) -> None:
        """Deliver a whole message when those before it in its stream are delivered."""
        if chunk.flags & _UNORDERED:
            self._let_out(direction, chunk, chunk.packet)
            return
        stream = chunk.stream
        following = direction.following.setdefault(stream, chunk.number)
        behind = (chunk.number - following) % 0x10000
        if behind > _MOST_HELD:  # before the first one that was captured
            self._let_out(direction, chunk, chunk.packet)
            return
        direction.held[stream, chunk.number] = chunk
        while (ready := direction.held.pop((stream, following), None)) is not None:
            self._let_out(direction, ready, chunk.packet)
            following = (following + 1) % 0x10000
        direction.following[stream] = following

    def _let_out(self, direction: _Direction, chunk: _Chunk, packet: Packet) -> None:
        self.messages.append(
            SctpMessage(
                packet.number,
                packet.time,
                direction.source,
                direction.destination,
                chunk.payload_protocol,
                chunk.octets,
            )
        )

    def finish(self, tell: Tell) -> None:
        """Report missing messages, and deliver the messages that waited for them."""
        for direction in self._directions.values():
            if direction.parts:
                first = min(chunk.packet.number for chunk in direction.parts.values())
                text = f"a part of an SCTP message from {direction.source} was not captured"
                tell(Remark(first, 0, text))
            for chunk in direction.held.values():
                text = f"an SCTP message from {direction.source} before it was not captured"
                tell(Remark(chunk.packet.number, 0, text))
                self._let_out(direction, chunk, chunk.packet)
            direction.held.clear()


def _joined(parts: dict[int, _Chunk], tsn: int) -> _Chunk | None:
    """Return the message that a part completes, and remove its parts; None if one is missing."""
    first = tsn
    while not parts[first].flags & _FIRST:
        first = (first - 1) % (1 << 32)
        if first not in parts:
            return None
    last = tsn
    while not parts[last].flags & _LAST:
        last = (last + 1) % (1 << 32)
        if last not in parts:
            return None
    found = []
    at = first
    while True:
        found.append(parts.pop(at))
        if at == last:
            break
        at = (at + 1) % (1 << 32)
    return found[0]._replace(octets=b"".join(part.octets for part in found))
