"""Reassembly of TCP and SCTP, however the network cut, repeated and reordered the octets."""

import random
import struct

import pytest
from support.capturing import fields
from support.segments import FIRST, LAST, SYN, data, pcap, sctp, tcp

from tsvc.record.capture import read_capture

SHUFFLES = range(40)


def message(chance, at):
    """Return a HEARTBEAT of M3UA, which may contain any octets, with its number."""
    value = struct.pack(">I", at) + chance.randbytes(chance.randrange(200))
    body = struct.pack(">HH", 9, len(value) + 4) + value + bytes(-len(value) % 4)
    return struct.pack(">BBBBI", 1, 0, 3, 3, len(body) + 8) + body


def messages(chance, count=12):
    return [message(chance, at) for at in range(count)]


def read(file):
    found = read_capture(file)
    return [one.octets for one in found.messages], [str(one) for one in found.remarks]


def displaced(chance, items, reach):
    """Return the same items, each at most a few positions from its original one."""
    ordered = sorted(enumerate(items), key=lambda one: one[0] + chance.random() * reach)
    return [item for _, item in ordered]


def segments_of(chance, stream, first):
    """Return segments of a stream: cut anywhere, some repeated, some overlapping earlier ones."""
    found, at = [], 0
    while at < len(stream):
        end = min(len(stream), at + chance.randrange(1, 120))
        start = max(0, at - chance.choice((0, 0, 0, 7, 40)))
        found.append((first + start, stream[start:end]))
        if chance.random() < 0.1:
            found.append(found[-1])
        at = end
    return found


@pytest.mark.parametrize("seed", SHUFFLES)
def test_tcp(seed):
    chance = random.Random(seed)
    first = chance.choice((1, 77, (1 << 32) - 300))  # sequence numbers wrap
    sent = messages(chance)
    packets = [tcp(True, first - 1, flags=SYN)]
    parts = segments_of(chance, b"".join(sent), first)
    packets += [tcp(True, *part) for part in displaced(chance, parts, 6)]
    assert read(pcap((at / 1000, one) for at, one in enumerate(packets))) == (sent, [])


def test_messages_have_the_time_of_the_packet_that_completed_them():
    chance = random.Random("time")
    first, second = messages(chance, 2)
    stream = first + second
    cut = len(first) - 3
    file = pcap([(1.0, tcp(True, 1, stream[:cut])), (2.5, tcp(True, 1 + cut, stream[cut:]))])
    found = read_capture(file).messages
    assert [(one.packet, one.time) for one in found] == [(2, 2.5), (2, 2.5)]


def test_what_tcp_lacks_is_told_by_place():
    chance = random.Random("gap")
    first, second, third = messages(chance, 3)
    later = 1 + len(first) + len(second)
    file = pcap([(0.0, tcp(True, 1, first)), (0.1, tcp(True, later, third))])
    found, remarks = read(file)
    assert found == [first]
    assert remarks == [
        f"packet 2, octet 0: {len(second)} octets of TCP from 10.0.0.1:40000 before it were not"
        " captured: what follows is not read"
    ]


def test_a_connection_after_the_other_from_the_same_port():
    chance = random.Random("again")
    first, second = messages(chance, 2)
    packets = [
        tcp(True, 10, flags=SYN),
        tcp(True, 11, first),
        tcp(True, 5000, flags=SYN),
        tcp(True, 5001, second),
    ]
    assert read(pcap((at, one) for at, one in enumerate(packets))) == ([first, second], [])


def test_a_protocol_that_nobody_knows_is_told():
    file = pcap([(0.0, tcp(True, 1, b"\xff\xfe\xfd nobody knows this"))])
    assert read(file) == (
        [],
        ["packet 1, octet 0: TCP between 10.0.0.1:40000 and 10.0.0.2:2905: no protocol is known"],
    )


def test_octets_that_are_no_message_end_the_stream():
    chance = random.Random("lost")
    first, second = messages(chance, 2)
    file = pcap([(0.0, tcp(True, 1, first + b"\xff" * 20 + second))])
    found, remarks = read(file)
    assert found == [first]
    assert remarks == [
        "packet 1, octet 0: no message of m3ua from 10.0.0.1:40000: what follows is not read"
    ]


CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunked(size):
    """Return a response in chunks of 1000 octets, and a capture of it with its request."""
    chunk = b"3e8\r\n" + b"x" * 1000 + b"\r\n"
    stream = CHUNKS + chunk * (size // 1000) + b"0\r\n\r\n"
    parts = range(0, len(stream), 1460)
    answers = [tcp(False, 1 + at, stream[at : at + 1460], ports=(40000, 80)) for at in parts]
    request = tcp(True, 1, b"GET / HTTP/1.1\r\n\r\n", ports=(40000, 80))
    return stream, pcap((at / 1e6, one) for at, one in enumerate([request, *answers]))


def test_a_long_message_without_a_length():
    """It is not parsed again with each segment, and yet it is complete in the end."""
    stream, file = chunked(2_000_000)
    found, remarks = read(file)
    assert (found[1:], remarks) == ([stream], [])


def test_a_message_beyond_all_bounds_is_told():
    _, file = chunked(20_000_000)
    found, remarks = read(file)
    assert len(found) == 1
    assert [text.partition(": ")[2] for text in remarks] == [
        "no message of http from 10.0.0.2:80: what follows is not read"
    ]


# -- SCTP -----------------------------------------------------------------------------------------


def chunks_of(chance, sent, first):
    """Return DATA chunks of two streams: whole messages and parts of them, with TSNs that wrap."""
    found, numbers, tsn = [], {1: 0, 2: 0}, first
    for octets in sent:
        stream = chance.choice((1, 2))
        size = chance.choice((len(octets), 50))
        cuts = range(0, len(octets), size)
        for at in cuts:
            flags = FIRST * (at == 0) | LAST * (at == cuts[-1])
            part = octets[at : at + size]
            found.append((stream, data(tsn, stream, numbers[stream], part, flags=flags)))
            tsn += 1
        numbers[stream] += 1
    return found


@pytest.mark.parametrize("seed", SHUFFLES)
def test_sctp(tmp_path, seed):
    chance = random.Random(seed)
    sent = messages(chance)
    chunks = [chunk for _, chunk in chunks_of(chance, sent, chance.choice((1, (1 << 32) - 5)))]
    packets = []
    while chunks:
        count = chance.randrange(1, 4)
        packets.append(sctp(True, *chunks[:count]))
        chunks = chunks[count:]
    again = [one for packet in packets for one in [packet] * chance.choice((1, 1, 1, 2))]
    found, remarks = read(pcap((at / 1000, one) for at, one in enumerate(again)))
    assert (found, remarks) == (sent, [])


@pytest.mark.parametrize("seed", SHUFFLES)
def test_sctp_in_disorder(seed):
    """Messages of one stream come in the order of their numbers, whenever they arrived."""
    chance = random.Random(seed)
    sent = messages(chance)
    chunks = [data(at, 1, at, octets) for at, octets in enumerate(sent)]
    packets = [
        sctp(True, chunks[0]),
        *(sctp(True, one) for one in displaced(chance, chunks[1:], 5)),
    ]
    assert read(pcap((at / 1000, one) for at, one in enumerate(packets))) == (sent, [])


def test_sctp_as_tshark_puts_it_together(tmp_path):
    chance = random.Random("tshark")
    sent = messages(chance)
    chunks = [chunk for _, chunk in chunks_of(chance, sent, 1)]
    file = pcap((at / 1000, sctp(True, one)) for at, one in enumerate(chunks))
    shown = fields(tmp_path, file, "frame.number", "m3ua.heartbeat_data")
    theirs = [(int(number), text.replace(":", "")) for number, text in shown if text]
    found = read_capture(file).messages
    assert [(one.packet, value_of(one.octets)) for one in found] == theirs


def value_of(octets):
    length = int.from_bytes(octets[10:12])
    return octets[12 : 8 + length].hex()


def test_what_sctp_lacks_is_told_by_place():
    chance = random.Random("gap")
    first, second, third = messages(chance, 3)
    packets = [
        sctp(True, data(1, 1, 0, first)),
        sctp(True, data(2, 1, 1, second[:30], flags=FIRST)),
        sctp(True, data(4, 1, 2, third)),
    ]
    found, remarks = read(pcap((at, one) for at, one in enumerate(packets)))
    assert found == [first, third]
    assert remarks == [
        "packet 2, octet 0: a part of an SCTP message from 10.0.0.1:2906 was not captured",
        "packet 3, octet 0: an SCTP message from 10.0.0.1:2906 before it was not captured",
    ]


def test_a_new_association_between_the_same_ends():
    chance = random.Random("new")
    first, second = messages(chance, 2)
    packets = [sctp(True, data(1, 0, 0, first), tag=5), sctp(True, data(1, 0, 0, second), tag=6)]
    assert read(pcap((at, one) for at, one in enumerate(packets))) == ([first, second], [])


def test_a_payload_protocol_that_nobody_knows_is_told():
    packets = [sctp(True, data(1, 0, 0, b"what is this", payload_protocol=18))]
    assert read(pcap([(0.0, packets[0])])) == (
        [],
        ["packet 1, octet 0: SCTP payload protocol 18 is not known"],
    )


def test_a_payload_protocol_that_is_not_said_is_recognized():
    octets = message(random.Random("none"), 1)
    packets = [sctp(True, data(1, 0, 0, octets, payload_protocol=0))]
    assert read(pcap([(0.0, packets[0])])) == ([octets], [])
