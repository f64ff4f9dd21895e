"""Reassembly of TCP: the octets of each direction in order, once, with their packets.

Segments may come late, twice, or overlap: the octets that came first are used. Octets that were
never captured are reported and end their direction, because later octets can't be placed.

Source: RFC 9293
"""

import struct
from dataclasses import field
from typing import NamedTuple

from tsvc.record.layers import Datagram, End
from tsvc.record.packets import Packet, Remark, Tell
from tsvc.values import dataclass

_SYN, _ACK, _RST = 0x02, 0x10, 0x04
_MOST_HELD = 4096  # segments of a direction that wait for one before them
_HALF = 1 << 31


class Piece(NamedTuple):
    """Octets in order, with their sender, their packet and their time."""

    is_from_client: bool
    packet: int
    time: float
    octets: bytes


@dataclass(slots=True)
class _Direction:
    following: int | None = None  # sequence number of the next octet
    held: dict[int, tuple[Packet, bytes]] = field(default_factory=dict)
    is_lost: bool = False  # too many segments wait for octets that were not captured


@dataclass(slots=True)
class Connection:
    """One connection: its ends, the one that opened it first, and its octets in order of time."""

    client: End
    server: End
    pieces: list[Piece] = field(default_factory=list)
    _to_server: _Direction = field(default_factory=_Direction)
    _to_client: _Direction = field(default_factory=_Direction)

    def take(self, packet: Packet, number: int, octets: bytes, *, is_from_client: bool) -> None:
        """Add a segment: sequence number and payload."""
        direction = self._to_server if is_from_client else self._to_client
        if direction.following is None:
            direction.following = number
        if direction.is_lost or not octets:
            return
        known = direction.held.get(number)
        if len(octets) > len(known[1] if known else b""):
            direction.held[number] = packet, octets
        self._release(direction, packet, is_from_client)
        direction.is_lost = len(direction.held) >= _MOST_HELD

    def begin(self, number: int, *, is_from_client: bool) -> None:
        """Handle a SYN; the first octet after it has this number."""
        direction = self._to_server if is_from_client else self._to_client
        if direction.following is None:
            direction.following = number

    def _release(self, direction: _Direction, packet: Packet, is_from_client: bool) -> None:
        """Move the octets that are in order now to the pieces."""
        assert direction.following is not None
        while direction.held:
            number = min(direction.held, key=lambda one: _distance(direction.following, one))
            distance = _distance(direction.following, number)
            if distance > 0:
                return
            octets = direction.held.pop(number)[1][-distance:]
            if octets:
                self.pieces.append(Piece(is_from_client, packet.number, packet.time, octets))
                direction.following = (direction.following + len(octets)) % (1 << 32)

    def finish(self, tell: Tell) -> None:
        """Report missing octets."""
        for direction, source in ((self._to_server, self.client), (self._to_client, self.server)):
            if direction.held:
                number = min(direction.held, key=lambda one: _distance(direction.following, one))
                missing = _distance(direction.following, number)
                packet = direction.held[number][0]
                text = f"{missing} octets of TCP from {source} before it were not captured"
                tell(Remark(packet.number, 0, f"{text}: what follows is not read"))


def _distance(start: int | None, number: int) -> int:
    """Return how far a sequence number is ahead, below 0 if it is behind; the numbers wrap."""
    return (number - (start or 0) + _HALF) % (1 << 32) - _HALF


class Connections:
    """All connections of a capture."""

    def __init__(self) -> None:
        self.all: list[Connection] = []
        self._open: dict[frozenset[End], Connection] = {}

    def take(self, packet: Packet, datagram: Datagram, tell: Tell) -> None:
        """Add one segment to its connection."""
        octets = datagram.octets
        try:
            source_port, port, number, _, size, flags = struct.unpack_from(">HHIIBB", octets)
        except struct.error:
            tell(Remark(packet.number, datagram.offset, "TCP header is cut off"))
            return
        start = (size >> 4) * 4
        if not 20 <= start <= len(octets):
            tell(Remark(packet.number, datagram.offset + 12, "TCP header does not fit"))
            return
        source = End(datagram.source, source_port)
        destination = End(datagram.destination, port)
        key = frozenset((source, destination))
        is_opening = flags & (_SYN | _ACK) == _SYN
        connection = self._open.get(key)
        if connection is None or (is_opening and connection.pieces):
            ends = (source, destination)
            if flags & _SYN and flags & _ACK:
                ends = (destination, source)
            connection = self._open[key] = Connection(*ends)
            self.all.append(connection)
        is_from_client = source == connection.client
        if flags & _SYN:
            connection.begin((number + 1) % (1 << 32), is_from_client=is_from_client)
        elif not flags & _RST:
            connection.take(packet, number, octets[start:], is_from_client=is_from_client)

    def finish(self, tell: Tell) -> None:
        """Report the missing octets of all connections."""
        for connection in self.all:
            connection.finish(tell)
