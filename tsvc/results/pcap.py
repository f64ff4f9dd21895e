"""Recorded messages as a capture file that Wireshark and tshark read.

The file contains nothing that was not recorded. A message of a SIGTRAN link is an exported PDU
(link type 252): the octets of M3UA or SUA as they were, with the addresses and ports of the link's
ends. Wireshark knows neither of them over TCP, so a TCP header would hide them. TCAP without a
link, on the loopback, is an exported PDU too. Messages that other protocols sent over plain TCP
are TCP over IP (link type 101) between the ends of their connection: the payload is as it was,
sequence numbers count the recorded octets. Messages that were encrypted, or are known only from a
driver's account, are exported PDUs.

The file is a classic pcap if one link type is enough, otherwise a pcapng with an interface for
each.
"""

import struct
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address

from tsvc import turns
from tsvc.errors import LocalProtocolError
from tsvc.kind import kinds
from tsvc.results.records import Ends, ExchangeRecord, Record

_FILE_HEADER = struct.Struct("<IHHiIII")
_PACKET_HEADER = struct.Struct("<IIII")
_MAGIC = 0xA1B2C3D4  # times in microseconds
_LONGEST = 0x40000
_LAST_SECOND = 0xFFFFFFFF

_EXPORTED_PDU, _RAW_IP = 252, 101  # link types

# Tags of an exported PDU: Wireshark's wsutil/exported_pdu_tlvs.h.
_END, _DISSECTOR, _IPV4, _IPV6, _PORT_TYPE, _PORTS = 0, 12, (20, 21), (22, 23), 24, (25, 26)
_PORT_TYPES = {"sctp": 1}
_TCP_PORTS = 2
_LINKS = ("m3ua", "sua")  # protocols that are not kinds of gateways
_UNKNOWN = "data"

_IPPROTO_TCP = 6
_PUSH_ACK = 0x18
_MOST_PAYLOAD = 65_000  # octets in one IP packet

_Packet = tuple[float, int, bool, bytes]  # time, link type, True if we sent it, octets


def write_pcap(records: Iterable[Record], start_wall: float = 0.0) -> bytes:
    """Return the capture file of records, which must be in the order of time.

    Units:   `start_wall`: when the instance started, seconds since the epoch; times have
             microseconds.
    Errors:  LocalProtocolError if there is nothing to write.
    """
    packets = list(_packets(records))
    if not packets:
        raise LocalProtocolError("no message was recorded that a capture could hold")
    link_types = list(dict.fromkeys(link_type for _, link_type, _, _ in packets))
    if len(link_types) == 1:
        return b"".join(_classic(packets, link_types[0], start_wall))
    return b"".join(_pcapng(packets, link_types, start_wall))


def _packets(records: Iterable[Record]) -> Iterator[_Packet]:
    streams: dict[Ends, list[int]] = {}
    for record in turns.over(records):
        if not isinstance(record, ExchangeRecord):
            if record.is_bare:
                octets = _exported("tcap", None, record.is_sent, record.octets)
                yield record.t, _EXPORTED_PDU, record.is_sent, octets
        elif record.protocol in _LINKS or record.ends is None or record.ends.transport != "tcp":
            kind = kinds().get(record.protocol)
            usual = kind.dissector if kind is not None and kind.dissector else _UNKNOWN
            dissector = record.protocol if record.protocol in _LINKS else usual
            octets = _exported(dissector, record.ends, record.is_sent, record.octets)
            yield record.t, _EXPORTED_PDU, record.is_sent, octets
        else:
            # The numbers of our next octet and of the peer's; they start at 1, as earlier octets
            # are not known.
            numbers = streams.setdefault(record.ends, [1, 1])
            for at in range(0, len(record.octets), _MOST_PAYLOAD):
                payload = record.octets[at : at + _MOST_PAYLOAD]
                packet = _tcp_packet(record.ends, record.is_sent, numbers, payload)
                yield record.t, _RAW_IP, record.is_sent, packet


# -- exported PDUs ------------------------------------------------------------------------------


def _exported(dissector: str, ends: Ends | None, is_sent: bool, octets: bytes) -> bytes:
    parts = [_tag(_DISSECTOR, dissector.encode("ascii"))]
    if ends is not None:
        (source, port), (destination, peer_port) = _directed(ends, is_sent)
        tags = _IPV4 if source.version == 4 else _IPV6
        parts += [_tag(tags[0], source.packed), _tag(tags[1], destination.packed)]
        parts.append(_tag(_PORT_TYPE, _PORT_TYPES.get(ends.transport, _TCP_PORTS).to_bytes(4)))
        parts += [_tag(_PORTS[0], port.to_bytes(4)), _tag(_PORTS[1], peer_port.to_bytes(4))]
    return b"".join((*parts, struct.pack(">HH", _END, 0), octets))


def _tag(tag: int, value: bytes) -> bytes:
    value += bytes(-len(value) % 4)
    return struct.pack(">HH", tag, len(value)) + value


_Host = IPv4Address | IPv6Address


def _directed(ends: Ends, is_sent: bool) -> tuple[tuple[_Host, int], tuple[_Host, int]]:
    """Return the source and the destination of a message."""
    ours = _host(ends.host), ends.port
    theirs = _host(ends.peer_host), ends.peer_port
    return (ours, theirs) if is_sent else (theirs, ours)


def _host(text: str) -> _Host:
    """Return an address as it was on the wire; an IPv6 socket may use IPv4."""
    found = ip_address(text.partition("%")[0])
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


# -- TCP ----------------------------------------------------------------------------------------


def _tcp_packet(ends: Ends, is_sent: bool, numbers: list[int], payload: bytes) -> bytes:
    """Return an IP packet, and count its octets in `numbers`, which has ours first."""
    (source, port), (destination, peer_port) = _directed(ends, is_sent)
    own, other = (0, 1) if is_sent else (1, 0)
    number, acknowledged = numbers[own], numbers[other]
    numbers[own] = (number + len(payload)) & 0xFFFFFFFF
    ports = struct.pack(">HHII", port, peer_port, number, acknowledged)
    segment = ports + struct.pack(">BBHHH", 5 << 4, _PUSH_ACK, 0xFFFF, 0, 0) + payload
    addresses = source.packed + destination.packed
    checksum = _checksum(addresses + struct.pack(">II", len(segment), _IPPROTO_TCP) + segment)
    segment = segment[:16] + checksum + segment[18:]
    if source.version == 6:
        head = struct.pack(">IHBB", 6 << 28, len(segment), _IPPROTO_TCP, 64) + addresses
        return head + segment
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(segment), 0, 0x4000, 64, _IPPROTO_TCP, 0)
    checksum = _checksum(head + addresses)
    return head[:10] + checksum + addresses + segment


def _checksum(octets: bytes) -> bytes:
    """Return the Internet checksum (RFC 1071)."""
    # The sum of 16-bit words with the carry added is the number itself modulo 2 ** 16 - 1.
    rest = int.from_bytes(octets + bytes(len(octets) % 2)) % 0xFFFF
    return (0xFFFF - rest).to_bytes(2)


# -- files --------------------------------------------------------------------------------------


def _microseconds(t: float, start_wall: float) -> int:
    return min(max(round((start_wall + t) * 1_000_000), 0), _LAST_SECOND * 1_000_000)


def _classic(packets: Iterable[_Packet], link_type: int, start_wall: float) -> Iterator[bytes]:
    yield _FILE_HEADER.pack(_MAGIC, 2, 4, 0, 0, _LONGEST, link_type)
    for t, _, _, octets in packets:
        seconds, microseconds = divmod(_microseconds(t, start_wall), 1_000_000)
        yield _PACKET_HEADER.pack(seconds, microseconds, len(octets), len(octets)) + octets


def _pcapng(
    packets: Iterable[_Packet], link_types: list[int], start_wall: float
) -> Iterator[bytes]:
    yield _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    for link_type in link_types:
        yield _block(1, struct.pack("<HHI", link_type, 0, _LONGEST))
    for t, link_type, is_sent, octets in packets:
        high, low = divmod(_microseconds(t, start_wall), 1 << 32)
        size = len(octets)
        head = struct.pack("<IIIII", link_types.index(link_type), high, low, size, size)
        # Option epb_flags: inbound or outbound.
        flags = struct.pack("<HHIHH", 2, 4, 2 if is_sent else 1, 0, 0)
        yield _block(6, head + octets + bytes(-size % 4) + flags)


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size
