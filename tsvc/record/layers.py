"""The content of a packet's link layer: TCP and SCTP datagrams, or a message of a named protocol.

Links: Ethernet with VLANs, Linux cooked (both versions), BSD loopback, raw IP, MTP 2, MTP 3, SCCP
and exported PDUs. Fragments of IP are not reassembled: they are reported.

Source: RFC 791, RFC 8200; Wireshark's wsutil/exported_pdu_tlvs.h
"""

import struct
from ipaddress import ip_address
from typing import NamedTuple

from tsvc.errors import RemoteProtocolError
from tsvc.record.packets import Packet

TCP, SCTP = 6, 132

_ETHERNET, _NULL, _LOOP, _EXPORTED = 1, 0, 108, 252
_RAW = (12, 14, 101, 228, 229)
_COOKED, _COOKED_2, _BARE_SCTP = 113, 276, 248
_MTP2_PSEUDO, _MTP2 = 139, 140
_BY_LINK = {141: "mtp3", 142: "sccp"}
_MTP2_OCTETS, _MTP2_PSEUDO_OCTETS = 3, 4
_FILL_IN, _LINK_STATUS = 0, 2  # length indicators up to these carry no MTP 3

_VLANS = (0x8100, 0x88A8, 0x9100)
_IPV4, _IPV6 = 0x0800, 0x86DD
_EXTENSIONS, _FRAGMENT = (0, 43, 60), 44  # IPv6: extensions with a length field; the fragment's
_MOST_EXTENSIONS = 8

_END, _DISSECTOR, _HEURISTIC = 0, 12, 13  # tags of an exported PDU
_HOSTS, _PORTS = {20: 0, 21: 1, 22: 0, 23: 1}, {25: 0, 26: 1}
_PORT_TYPE = 24
_PORT_TYPES = {1: "sctp", 2: "tcp"}


class End(NamedTuple):
    """One end of a connection: IP address as text, and port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Datagram(NamedTuple):
    """The content of an IP packet: protocol number, hosts, octets, and the offset of these."""

    protocol: int
    source: str
    destination: str
    octets: bytes
    offset: int


class Exported(NamedTuple):
    """A message of a named protocol without its lower layers; ends are None if they are unknown.

    `transport`: "tcp" or "sctp", "" if it is unknown.
    """

    protocol: str
    source: End | None
    destination: End | None
    octets: bytes
    transport: str = ""


Inside = Datagram | Exported | None


def inside(packet: Packet) -> Inside:
    """Return the content of a packet, None if it is of no use (ARP, UDP, fill-in units).

    Errors: RemoteProtocolError with the octet, if it is cut or the link type is not known.
    """
    octets, link_type = packet.octets, packet.link_type
    if len(octets) < packet.length:
        text = f"cut off: {len(octets)} of {packet.length} octets were captured"
        raise RemoteProtocolError(text, offset=len(octets))
    try:
        if link_type == _EXPORTED:
            return _exported(octets)
        if link_type in _BY_LINK:
            return Exported(_BY_LINK[link_type], None, None, octets)
        if link_type in (_MTP2, _MTP2_PSEUDO):
            return _mtp2(octets, _MTP2_PSEUDO_OCTETS if link_type == _MTP2_PSEUDO else 0)
        if link_type == _BARE_SCTP:
            return Datagram(SCTP, "", "", octets, 0)
        at = _start_of_ip(octets, link_type)
        return None if at is None else _ip(octets, at)
    except (struct.error, IndexError):
        raise RemoteProtocolError("ends within a header", offset=len(octets)) from None


def _start_of_ip(octets: bytes, link_type: int) -> int | None:
    """Return where IP begins, None if the packet has none."""
    if link_type in _RAW:
        return 0
    if link_type in (_NULL, _LOOP):
        return 4  # skip the family, whose byte order is unknown: IP has its own version
    if link_type in (_COOKED, _COOKED_2):
        at, size = (14, 16) if link_type == _COOKED else (0, 20)
        return size if _number(octets, at) in (_IPV4, _IPV6) else None
    if link_type != _ETHERNET:
        raise RemoteProtocolError(f"link type {link_type} is not known", offset=0)
    at = 12
    while (ether_type := _number(octets, at)) in _VLANS:
        at += 4
    return at + 2 if ether_type in (_IPV4, _IPV6) else None


def _number(octets: bytes, at: int) -> int:
    found: int = struct.unpack_from(">H", octets, at)[0]
    return found


def _ip(octets: bytes, at: int) -> Datagram | None:
    version = octets[at] >> 4
    if version == 4:
        return _ipv4(octets, at)
    if version == 6:
        return _ipv6(octets, at)
    raise RemoteProtocolError(f"IP of version {version}", offset=at)


def _ipv4(octets: bytes, at: int) -> Datagram | None:
    size = (octets[at] & 0x0F) * 4
    total, flags = _number(octets, at + 2), _number(octets, at + 6)
    protocol = octets[at + 9]
    if protocol not in (TCP, SCTP):
        return None
    if flags & 0x3FFF:
        raise RemoteProtocolError("fragment of IP, which is not put together", offset=at + 6)
    # The length is 0 if the network card segments: the capture then doesn't know it.
    end = at + total if total else len(octets)
    if size < 20 or end > len(octets) or at + size > end:
        raise RemoteProtocolError(f"IP of {total} octets does not fit", offset=at + 2)
    source, destination = octets[at + 12 : at + 16], octets[at + 16 : at + 20]
    start = at + size
    return Datagram(protocol, _host(source), _host(destination), octets[start:end], start)


def _ipv6(octets: bytes, at: int) -> Datagram | None:
    size, following = _number(octets, at + 4), octets[at + 6]
    start = at + 40
    end = start + size if size else len(octets)
    if end > len(octets):
        raise RemoteProtocolError(f"IPv6 of {size} octets does not fit", offset=at + 4)
    for _ in range(_MOST_EXTENSIONS):
        if following not in _EXTENSIONS:
            break
        following, start = octets[start], start + 8 + 8 * octets[start + 1]
    if following == _FRAGMENT and octets[start] in (TCP, SCTP):
        raise RemoteProtocolError("fragment of IP, which is not put together", offset=start)
    if following not in (TCP, SCTP):
        return None
    source, destination = octets[at + 8 : at + 24], octets[at + 24 : at + 40]
    return Datagram(following, _host(source), _host(destination), octets[start:end], start)


def _host(octets: bytes) -> str:
    return str(ip_address(octets))


def _mtp2(octets: bytes, at: int) -> Exported | None:
    indicator = octets[at + 2] & 0x3F
    if _FILL_IN <= indicator <= _LINK_STATUS:
        return None
    return Exported("mtp3", None, None, octets[at + _MTP2_OCTETS :])


def _exported(octets: bytes) -> Exported:
    """Return the content of an exported PDU: its tags up to their end, then the message."""
    at, name, transport = 0, "", ""
    hosts, ports = ["", ""], [0, 0]
    while True:
        tag, size = struct.unpack_from(">HH", octets, at)
        value = octets[at + 4 : at + 4 + size]
        at += 4 + size
        if at > len(octets):
            raise RemoteProtocolError("a tag runs past the end", offset=at - size - 4)
        if tag == _END:
            break
        if tag in (_DISSECTOR, _HEURISTIC):
            name = value.rstrip(b"\0").decode("ascii", "replace")
        elif tag in _HOSTS and size in (4, 16):
            hosts[_HOSTS[tag]] = _host(value)
        elif tag in _PORTS:
            ports[_PORTS[tag]] = int.from_bytes(value)
        elif tag == _PORT_TYPE:
            transport = _PORT_TYPES.get(int.from_bytes(value), "")
    ends = [End(host, port) if host else None for host, port in zip(hosts, ports, strict=True)]
    return Exported(name, ends[0], ends[1], octets[at:], transport)
