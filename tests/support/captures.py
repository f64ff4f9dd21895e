"""A reader of capture files that is independent of the code that writes them."""

import ipaddress
import struct
from collections.abc import Iterator
from dataclasses import dataclass

Place = tuple[str, int]  # address and port


@dataclass(frozen=True)
class Packet:
    """A packet of a capture.

    `protocol`: the dissector of an exported PDU; "tcp" for TCP over IP. `octets`: the PDU or the
    payload. Source and destination: None if a PDU does not have them.
    """

    time: float
    protocol: str
    source: Place | None
    destination: Place | None
    octets: bytes
    sequence: int = 0
    acknowledged: int = 0


def read(capture: bytes) -> list[Packet]:
    """Return the packets of a pcap or pcapng of link types 252 and 101."""
    blocks = _pcapng(capture) if capture[:4] == b"\n\r\r\n" else _classic(capture)
    return [
        {252: _exported, 101: _ip}[link_type](time, octets) for time, link_type, octets in blocks
    ]


def _classic(capture: bytes) -> Iterator[tuple[float, int, bytes]]:
    magic, major, minor, _, _, _, link_type = struct.unpack_from("<IHHiIII", capture)
    assert (magic, major, minor) == (0xA1B2C3D4, 2, 4)
    at = 24
    while at < len(capture):
        seconds, micros, kept, length = struct.unpack_from("<IIII", capture, at)
        assert kept == length
        yield seconds + micros / 1e6, link_type, capture[at + 16 : at + 16 + length]
        at += 16 + length
    assert at == len(capture)


def _pcapng(capture: bytes) -> Iterator[tuple[float, int, bytes]]:
    link_types, at = [], 0
    while at < len(capture):
        kind, length = struct.unpack_from("<II", capture, at)
        assert length % 4 == 0
        assert struct.unpack_from("<I", capture, at + length - 4) == (length,)
        if kind == 1:
            link_types.append(struct.unpack_from("<H", capture, at + 8)[0])
        elif kind == 6:
            interface, high, low, kept, size = struct.unpack_from("<IIIII", capture, at + 8)
            assert kept == size
            time = ((high << 32) + low) / 1e6
            yield time, link_types[interface], capture[at + 28 : at + 28 + size]
        at += length
    assert at == len(capture)


def _exported(time: float, octets: bytes) -> Packet:
    tags, at = {}, 0
    while True:
        tag, size = struct.unpack_from(">HH", octets, at)
        at += 4
        if tag == 0:
            break
        tags[tag] = octets[at : at + size]
        at += size
    source = destination = None
    if 25 in tags:
        source, destination = (
            (str(ipaddress.ip_address(tags.get(four) or tags[six])), int.from_bytes(tags[port]))
            for four, six, port in ((20, 22, 25), (21, 23, 26))
        )
    protocol = tags[12].rstrip(b"\0").decode()
    return Packet(time, protocol, source, destination, octets[at:])


def _ip(time: float, octets: bytes) -> Packet:
    if octets[0] >> 4 == 4:
        head, size, protocol = 20, struct.unpack_from(">H", octets, 2)[0], octets[9]
        hosts = octets[12:16], octets[16:20]
        assert _sum(octets[:20]) == 0xFFFF, "checksum of the header"
    else:
        head, size, protocol = 40, 40 + struct.unpack_from(">H", octets, 4)[0], octets[6]
        hosts = octets[8:24], octets[24:40]
    assert (size, protocol) == (len(octets), 6)
    segment = octets[head:]
    pseudo = b"".join(hosts) + struct.pack(">II", len(segment), 6)
    assert _sum(pseudo + segment) == 0xFFFF, "checksum of TCP"
    port, peer_port, sequence, acknowledged = struct.unpack_from(">HHII", segment)
    source, destination = (str(ipaddress.ip_address(host)) for host in hosts)
    payload = segment[(segment[12] >> 4) * 4 :]
    return Packet(
        time, "tcp", (source, port), (destination, peer_port), payload, sequence, acknowledged
    )


def _sum(octets: bytes) -> int:
    octets += bytes(len(octets) % 2)
    found = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while found >> 16:
        found = (found & 0xFFFF) + (found >> 16)
    return found
