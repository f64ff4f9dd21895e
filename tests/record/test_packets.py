"""Files and links: files written by Wireshark's programs are read as tshark reads them."""

import random
import struct

import pytest
from support.capturing import OURS, THEIRS, editcap, fields, text2pcap
from support.segments import exported

from tsvc.errors import RemoteProtocolError
from tsvc.record.capture import read_capture
from tsvc.record.layers import Datagram, inside
from tsvc.record.packets import Packet, read_packets

BEGIN = bytes.fromhex("6206480400001001")
CONTINUE = bytes.fromhex("650c480460000000490400001001")
END = bytes.fromhex("6406490460000000")
DIALOGUE = [(True, 1.25, BEGIN), (False, 2.5, CONTINUE), (True, 3.75, END)]
UDT = bytes.fromhex("0900030507 02429202 4292".replace(" ", ""))


def m3ua(octets, opc=1, dpc=2):
    """Return M3UA DATA with a UDT between subsystems 146, encoded by hand."""
    udt = bytes.fromhex("0900030507024292024292") + bytes((len(octets),)) + octets
    data = struct.pack(">IIBBBB", opc, dpc, 3, 2, 0, 0) + udt
    data = struct.pack(">HH", 0x0210, len(data) + 4) + data + bytes(-len(data) % 4)
    return struct.pack(">BBBBI", 1, 0, 1, 1, len(data) + 8) + data


CARRIED = [
    (ours, at, m3ua(octets, *((1, 2) if ours else (2, 1)))) for ours, at, octets in DIALOGUE
]
IPV4 = ("-4", f"{OURS},{THEIRS}")
IPV6 = ("-6", "2001:db8::1,2001:db8::2")
SCTP = ("-S", "2905,2906,3")
TCP = ("-T", "40000,2905")


def told(capture_octets):
    """Return the contents of a capture: (time, protocol, source, destination, octets)."""
    found = read_capture(capture_octets)
    assert found.remarks == []
    return [
        (
            round(one.time, 6),
            one.protocol,
            str(one.source) if one.source else None,
            str(one.destination) if one.destination else None,
            one.octets,
        )
        for one in found.messages
    ]


@pytest.mark.parametrize(
    ("options", "ours", "theirs"),
    [
        ((*IPV4, *SCTP), f"{OURS}:2905", f"{THEIRS}:2906"),
        ((*IPV6, *SCTP), "[2001:db8::1]:2905", "[2001:db8::2]:2906"),
        ((*IPV4, *TCP), f"{OURS}:40000", f"{THEIRS}:2905"),
        ((*IPV6, *TCP), "[2001:db8::1]:40000", "[2001:db8::2]:2905"),
        ((*IPV4, *TCP, "-E", "rawip4"), f"{OURS}:40000", f"{THEIRS}:2905"),
    ],
)
@pytest.mark.parametrize("form", ["pcapng", "pcap", "nsecpcap"])
def test_what_carried_it(tmp_path, options, ours, theirs, form):
    made = editcap(tmp_path, text2pcap(tmp_path, CARRIED, *options), "-F", form)
    ends = {True: (ours, theirs), False: (theirs, ours)}
    assert told(made) == [(at, "m3ua", *ends[is_ours], octets) for is_ours, at, octets in CARRIED]


@pytest.mark.parametrize("tags", [b"\x81\x00\x00\x07", b"\x88\xa8\x00\x01\x81\x00\x00\x07"])
def test_vlans(tmp_path, tags):
    made = editcap(tmp_path, text2pcap(tmp_path, CARRIED, *IPV4, *SCTP), "-F", "pcap")
    tagged, at = made[:24], 24
    while at < len(made):
        header, size = made[at : at + 16], struct.unpack_from("<I", made, at + 8)[0]
        packet = made[at + 16 : at + 16 + size]
        tagged += header[:8] + struct.pack("<II", size + len(tags), size + len(tags))
        tagged += packet[:12] + tags + packet[12:]
        at += 16 + size
    shown = fields(tmp_path, tagged, "m3ua.protocol_data_opc")
    assert [int(row[0]) for row in shown] == [1, 2, 1]
    assert [one[4] for one in told(tagged)] == [octets for *_, octets in CARRIED]


def raw_packets(tmp_path):
    made = editcap(tmp_path, text2pcap(tmp_path, CARRIED, *IPV4, *SCTP), "-F", "pcap")
    return list(read_packets(made, pytest.fail))


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("link_type", "head"),
    [
        (113, bytes(14) + b"\x08\x00"),
        (276, b"\x08\x00" + bytes(18)),
        (0, struct.pack("<I", 2)),
        (0, struct.pack(">I", 2)),
        (108, struct.pack(">I", 2)),
        (101, b""),
        (228, b""),
    ],
)
@pytest.mark.parametrize("order", "<>")
def test_other_links_and_byte_orders(tmp_path, link_type, head, order):
    """A file of the other byte order is made by hand, since no program at hand writes it."""
    file = struct.pack(f"{order}IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
    for packet in raw_packets(tmp_path):
        octets = head + packet.octets[14:]
        seconds, micros = divmod(round(packet.time * 1e6), 1_000_000)
        file += struct.pack(f"{order}IIII", seconds, micros, len(octets), len(octets)) + octets
    shown = fields(tmp_path, file, "frame.time_epoch", "m3ua.protocol_data_opc")
    found = told(file)
    assert [f"{one[0]:.9f}" for one in found] == [row[0] for row in shown]
    assert [int.from_bytes(one[4][12:16]) for one in found] == [int(row[1]) for row in shown]
    assert [one[4] for one in found] == [octets for *_, octets in CARRIED]


def test_a_pcapng_of_the_other_byte_order(tmp_path):
    """Section, interface with nanoseconds, an enhanced and a simple packet."""

    def block(kind, body):
        body += bytes(-len(body) % 4)
        size = struct.pack(">I", len(body) + 12)
        return struct.pack(">I", kind) + size + body + size

    first, second, _ = (packet.octets for packet in raw_packets(tmp_path))
    made = block(0x0A0D0D0A, struct.pack(">IHHq", 0x1A2B3C4D, 1, 0, -1))
    made += block(1, struct.pack(">HHI", 1, 0, 0) + struct.pack(">HHB3xI", 9, 1, 9, 0))
    nanoseconds = 1_250_000_001
    head = struct.pack(">IIIII", 0, 0, nanoseconds, len(first), len(first))
    flags = struct.pack(">HHII", 2, 4, 2, 0)
    made += block(6, head + first + bytes(-len(first) % 4) + flags)
    made += block(3, struct.pack(">I", len(second)) + second)
    assert len(fields(tmp_path, made, "frame.number")) == 2
    packets = list(read_packets(made, pytest.fail))
    assert [packet.octets for packet in packets] == [first, second]
    assert (packets[0].time, packets[0].is_sent) == (pytest.approx(1.250000001, abs=1e-9), True)


def test_exported_pdus():
    found = read_capture(exported([BEGIN], "tcap"))
    (message,) = found.messages
    assert (message.protocol, message.octets, message.source) == ("tcap", BEGIN, None)


@pytest.mark.parametrize(
    ("link_type", "head", "protocol"),
    [(141, b"", "mtp3"), (140, bytes((0x80, 0x80, 0x3F)), "mtp3"), (142, b"", "sccp")],
)
def test_signalling_links(link_type, head, protocol):
    packet = Packet(1, 0.0, link_type, head + UDT, len(head + UDT))
    assert inside(packet)[:1] + inside(packet)[3:4] == (protocol, UDT)


# -- what can't be used ---------------------------------------------------------------------------


def remarks(octets):
    return [str(remark) for remark in read_capture(octets).remarks]


@pytest.mark.parametrize("octets", [b"", b"\n\r\r", b"PK\x03\x04", b"\xd4\xc3\xb2\xa1"])
def test_no_capture(octets):
    with pytest.raises(RemoteProtocolError, match="neither pcap nor pcapng"):
        read_capture(octets)


def test_a_file_that_is_cut(tmp_path):
    made = editcap(tmp_path, text2pcap(tmp_path, CARRIED, *IPV4, *SCTP), "-F", "pcap")
    assert remarks(made[:-5])[0].startswith("packet 3, octet ")
    assert remarks(made[:-5])[0].endswith("the file ends within it")
    assert len(read_capture(made[:-5]).messages) == 2


def test_packets_that_are_cut(tmp_path):
    made = editcap(tmp_path, text2pcap(tmp_path, CARRIED, *IPV4, *SCTP), "-s", "60")
    first = remarks(made)[0]
    assert first.startswith("packet 1, octet 60: cut off: 60 of ")


def test_fragments_of_ip_are_told(tmp_path):
    made = bytearray(editcap(tmp_path, text2pcap(tmp_path, CARRIED, *IPV4, *SCTP), "-F", "pcap"))
    made[24 + 16 + 14 + 6] = 0x20  # more fragments
    assert remarks(bytes(made))[0] == (
        "packet 1, octet 20: fragment of IP, which is not put together"
    )


def test_a_link_that_is_not_known(tmp_path):
    made = editcap(tmp_path, text2pcap(tmp_path, CARRIED, "-l", "195"), "-F", "pcap")
    assert remarks(made)[0] == "packet 1, octet 0: link type 195 is not known"


def test_nothing_but_remarks_of_damaged_files(tmp_path):
    """Whatever octet is changed, reading ends without an exception."""
    chance = random.Random("damage")
    for options in ((*IPV4, *SCTP), (*IPV6, *TCP)):
        for form in ("pcap", "pcapng"):
            made = editcap(tmp_path, text2pcap(tmp_path, CARRIED, *options), "-F", form)
            for _ in range(500):
                other = bytearray(made)
                for _ in range(chance.randrange(1, 4)):
                    other[chance.randrange(24, len(other))] = chance.randrange(256)
                read_capture(bytes(other[: chance.randrange(24, len(other) + 1)]))


def test_what_is_of_no_interest_is_passed_over(tmp_path):
    made = text2pcap(tmp_path, CARRIED, *IPV4, "-u", "53,53")
    found = read_capture(made)
    assert (found.messages, found.remarks, found.packets) == ([], [], 3)
    assert not isinstance(inside(next(read_packets(made, pytest.fail))), Datagram)
