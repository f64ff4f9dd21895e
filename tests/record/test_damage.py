"""Whatever octets a capture has, it is read to its end: remarks and problems, no exception."""

import json
import random
import struct

import pytest
from kinds.sigtran.map_scp import MapScp
from record.calls import CALLS
from record.replayed import trace
from support.segments import exported, pcap, tcp

from tsvc.record.capture import dialogues_of, read_capture
from tsvc.record.definition import make_definition
from tsvc.record.packets import read_packets

ROUNDS = 400


def avp(code, data):
    return struct.pack(">II", code, 0x40 << 24 | 8 + len(data)) + data + bytes(-len(data) % 4)


AVPS = (
    avp(263, b"tester;1;2")
    + avp(416, b"\0\0\0\1")
    + avp(443, avp(450, bytes(4)) + avp(444, b"64"))
)
DIAMETER = struct.pack(">IIIII", 1 << 24 | 20 + len(AVPS), 0xC0000110, 4, 1, 1) + AVPS
SMPP_BODY = b"\0\0\x0064211\0\0\x00777\0\0\0\0\0\0\0\0\0\0\x02hi" + b"\x04\x24\0\x01x"
SMPP = struct.pack(">IIII", 16 + len(SMPP_BODY), 4, 0, 1) + SMPP_BODY
HTTP = (
    b"POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10"
    b'\r\n\r\n{"n": [7]}'
)


def read_through(octets):
    """Read a capture, and make definitions from it where possible."""
    found = read_capture(octets)
    for side in (None, "server"):
        dialogues = dialogues_of(found, side)
        if dialogues:
            json.dumps(make_definition(dialogues, "damaged"))


def damaged(chance, octets):
    other = bytearray(octets)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(other))
        match chance.randrange(3):
            case 0:
                other[at] = chance.randrange(256)
            case 1:
                del other[at : at + chance.randrange(1, 5)]
            case _:
                other[at:at] = chance.randbytes(chance.randrange(1, 5))
        other = other or bytearray(1)
    return bytes(other)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", CALLS)
def test_tcap(tmp_path, daemon, name):
    call = CALLS[name]
    if call.begins is not None:
        return
    scp = MapScp(*call.reactions)
    tsvc = daemon(scp=scp)
    scp.attach(tsvc)
    tsvc.run(*call.operations, run_id="run", **call.params)
    packets = list(read_packets(trace(tsvc, "run"), pytest.fail))
    messages = [packet.octets[packet.octets.index(b"\0\0\0\0") + 4 :] for packet in packets]
    chance = random.Random(name)
    for _ in range(ROUNDS // 4):
        others = [damaged(chance, one) if chance.random() < 0.5 else one for one in messages]
        read_through(exported(others, "tcap"))


@pytest.mark.parametrize(
    ("protocol", "octets"),
    [("diameter", DIAMETER), ("smpp", SMPP), ("http", HTTP), ("m3ua", b"\1\0\1\1" + bytes(40))],
)
def test_others(protocol, octets):
    chance = random.Random(protocol)
    for _ in range(ROUNDS):
        others = [damaged(chance, octets) for _ in range(3)]
        read_through(exported([*others, octets], protocol))


@pytest.mark.parametrize("octets", [DIAMETER, SMPP, HTTP])
def test_streams(octets):
    chance = random.Random(octets)
    for _ in range(ROUNDS):
        stream = b"".join(damaged(chance, octets) for _ in range(3))
        read_through(pcap([(0.0, tcp(True, 1, octets + stream)), (0.1, tcp(False, 1, stream))]))
