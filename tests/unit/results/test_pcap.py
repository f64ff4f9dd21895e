"""Capture files: their octets, and what tshark makes of them with its own defaults."""

import os
import shutil
import struct
import subprocess
from xml.etree import ElementTree

import pytest

from tsvc.protocols.m3ua.data import decode_data
from tsvc.protocols.sccp import messages as sccp
from tsvc.protocols.sccp.address import Address
from tsvc.results.pcap import write_pcap
from tsvc.results.records import MessageRecord

TSHARK = shutil.which("tshark")
MUST_RUN = os.environ.get("TSVC_REQUIRE_PEERS") == "1"
needs_tshark = pytest.mark.skipif(
    TSHARK is None and not MUST_RUN, reason="tshark is not installed"
)


def packets_of(capture):
    """Return (seconds, microseconds, dissector, octets) of each packet."""
    magic, major, minor, _, _, _, linktype = struct.unpack_from("<IHHiIII", capture)
    assert (magic, major, minor, linktype) == (0xA1B2C3D4, 2, 4, 252)
    at, found = 24, []
    while at < len(capture):
        seconds, micros, kept, length = struct.unpack_from("<IIII", capture, at)
        assert kept == length
        packet = capture[at + 16 : at + 16 + length]
        tag, size, name, end, empty = struct.unpack_from(">HH4sHH", packet)
        assert (tag, size, end, empty) == (12, 4, 0, 0)
        found.append((seconds, micros, name.decode(), packet[12:]))
        at += 16 + length
    assert at == len(capture)
    return found


def test_each_record_is_wrapped_with_its_addresses(assisted_records):
    packets = packets_of(write_pcap(assisted_records, 101, 202, 1_700_000_000.25))
    assert len(packets) == len(assisted_records)
    for record, (seconds, micros, dissector, octets) in zip(
        assisted_records, packets, strict=True
    ):
        assert dissector == "m3ua"
        expected = round((1_700_000_000.25 + record.t) * 1e6)
        assert seconds * 1_000_000 + micros == expected
        data = decode_data(octets)
        assert (data.opc, data.dpc) == ((101, 202) if record.is_sent else (202, 101))
        assert (data.si, data.ni) == (3, 2)
        unitdata = sccp.decode(data.user_data)
        assert isinstance(unitdata, sccp.Unitdata)
        assert unitdata.called_party_address == record.called
        assert unitdata.calling_party_address == record.calling
        assert unitdata.data == record.octets


@pytest.mark.parametrize(
    ("size", "type_"),
    [(255, sccp.MessageType.UDT), (256, sccp.MessageType.LUDT), (3952, sccp.MessageType.LUDT)],
)
def test_long_messages_travel_in_ludt(size, type_):
    octets = bytes(size)
    ((_, _, _, packet),) = packets_of(write_pcap([MessageRecord(0, "S", "ssp", True, octets)]))
    unitdata = sccp.decode(decode_data(packet).user_data)
    assert sccp.type_of(unitdata) is type_
    assert unitdata.data == octets


@pytest.mark.parametrize(
    "record",
    [
        MessageRecord(0.0, "S", "ssp", True, bytes(3953)),
        MessageRecord(0.0, "S", "ssp", True, b"\x01", Address(ssn=300), Address(ssn=1)),
    ],
)
def test_what_sccp_cannot_carry_is_bare_tcap(record):
    ((_, _, dissector, octets),) = packets_of(write_pcap([record]))
    assert (dissector, octets) == ("tcap", record.octets)


def test_no_records_make_a_file_without_packets():
    assert packets_of(write_pcap([])) == []


def dissect(tmp_path, capture):
    assert TSHARK, "TSVC_REQUIRE_PEERS is 1 and tshark is not installed"
    path = tmp_path / "instance.pcap"
    path.write_bytes(capture)
    done = subprocess.run(
        [TSHARK, "-r", str(path), "-T", "pdml"],
        capture_output=True,
        check=True,
        timeout=300,
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(tmp_path)},
    )
    return ElementTree.fromstring(done.stdout).findall("packet")


def complaints(packet):
    names = [item.get("name", "") for item in [*packet.iter("field"), *packet.iter("proto")]]
    return [name for name in names if name.startswith(("_ws.", "ber.error"))]


def values(packet, *names):
    fields = packet.iter("field")
    return [item.get("show") for item in fields if item.get("name") in names]


@needs_tshark
def test_tshark_reads_a_call_without_settings(tmp_path, extension_records):
    packets = dissect(tmp_path, write_pcap(extension_records, 101, 202, 1_700_000_000))
    assert len(packets) == len(extension_records)
    assert not [found for packet in packets for found in complaints(packet)]
    codes = [values(packet, "camel.local") for packet in packets]
    assert codes == [["0"], ["23", "19", "48"], ["48"], ["18", "23", "20"], ["24"], ["22"]]
    times = [float(values(packet, "frame.time_epoch")[0]) for packet in packets]
    assert times[0] == 1_700_000_000
    assert times[1] - times[0] == pytest.approx(0.0021, abs=1e-6)
    assert values(packets[0], "m3ua.protocol_data_opc") == ["101"]
    assert values(packets[1], "m3ua.protocol_data_opc") == ["202"]
    assert values(packets[0], "sccp.called.digits") == ["64210002"]
    assert "0800123456" in values(packets[0], "e164.called_party_number.digits")


@needs_tshark
def test_tshark_reads_assist_dialogues_and_aborts(tmp_path, assisted_records):
    packets = dissect(tmp_path, write_pcap(assisted_records))
    assert not [found for packet in packets for found in complaints(packet)]
    codes = [values(packet, "camel.local") for packet in packets[:5]]
    assert codes[:4] == [["0"], ["17"], ["16"], ["47", "48"]]
    assert codes[4][0] == "49"
    assert values(packets[6], "tcap.p_abortCause") == ["4"]


@needs_tshark
def test_tshark_reads_long_messages(tmp_path, make_call):
    call = make_call()
    ssp = call.open()
    for _ in range(12):
        call.invoke(
            ssp,
            "InitialDP",
            {"serviceKey": 45, "callingPartyNumber_digits": "6421000001", "eventTypeBCSM": 2},
        )
    call.begin(ssp)
    assert len(call.records[0].octets) > 255
    (packet,) = dissect(tmp_path, write_pcap(call.records))
    assert not complaints(packet)
    assert values(packet, "sccp.message_type") == ["0x13"]
    assert values(packet, "camel.local") == ["0"] * 12
