"""Streams of TCP and SCTP, segmented as networks do it: handwritten captures of raw IP."""

import socket
import struct
from collections.abc import Iterable

OURS, THEIRS = "10.0.0.1", "10.0.0.2"
SYN, ACK, PUSH = 0x02, 0x10, 0x08
FIRST, LAST = 2, 1
RAW_IP = 101


def pcap(packets: Iterable[tuple[float, bytes]], link_type: int = RAW_IP) -> bytes:
    """Return a capture of packets and their times in seconds."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link_type)]
    for seconds, octets in packets:
        whole, micros = divmod(round(seconds * 1e6), 1_000_000)
        parts += [struct.pack("<IIII", whole, micros, len(octets), len(octets)), octets]
    return b"".join(parts)


def ipv4(protocol: int, is_ours: bool, payload: bytes) -> bytes:
    source, destination = (OURS, THEIRS) if is_ours else (THEIRS, OURS)
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0)
    return head + socket.inet_aton(source) + socket.inet_aton(destination) + payload


def tcp(is_ours, number, payload=b"", flags=ACK | PUSH, ports=(40000, 2905)):
    source, destination = ports if is_ours else ports[::-1]
    head = struct.pack(
        ">HHIIBBHHH", source, destination, number % (1 << 32), 1, 5 << 4, flags, 0xFFFF, 0, 0
    )
    return ipv4(6, is_ours, head + payload)


def sctp(is_ours, *chunks, ports=(2906, 2905), tag=None):
    source, destination = ports if is_ours else ports[::-1]
    tag = (7 if is_ours else 8) if tag is None else tag
    head = struct.pack(">HHII", source, destination, tag, 0)
    return ipv4(132, is_ours, head + b"".join(chunks))


def data(tsn, stream, number, payload, *, flags=FIRST | LAST, payload_protocol=3):
    """A DATA chunk."""
    body = struct.pack(">IHHI", tsn % (1 << 32), stream, number, payload_protocol) + payload
    head = struct.pack(">BBH", 0, flags, 4 + len(body))
    return head + body + bytes(-len(body) % 4)


def exported(messages: Iterable[bytes], protocol: str) -> bytes:
    """Return a capture of exported PDUs, all with the same time and without addresses."""
    name = protocol.encode() + bytes(-len(protocol) % 4)
    head = struct.pack(">HH", 12, len(name)) + name + bytes(4)
    return pcap(((0.0, head + octets) for octets in messages), 252)
