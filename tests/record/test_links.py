"""One call on every kind of link, whole and in segments: the definition is always the same."""

import random

import pytest
from record.calls import CALLS
from record.replayed import assert_passes, assert_tells_changes, definition_of, said_in, trace
from support.capturing import OURS, THEIRS, fields, text2pcap
from support.scripted_scp import INITIAL_DP, expect, operation, reason, send, sends
from support.segments import pcap

from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.sccp import messages as sccp
from tsvc.protocols.sccp.address import Address, GlobalTitle
from tsvc.protocols.sccp.reassembly import segment
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua.connectionless import DataTransfer
from tsvc.protocols.sua.params import ProtocolClass, Segmentation
from tsvc.record.capture import dialogues_of, read_capture

CALL = CALLS["CAP 2, armed, answered, released"]
# An InitialDP of 420 octets: service key, and an unknown member.
LONG = {**INITIAL_DP, "raw_hex": "3082019b" + "80012d" + "9f8768820190" + "64" * 0x190 + "9a00"}
LONG.pop("arguments")
SSP = Address(0, 146, gt=GlobalTitle(4, "6421000001", tt=0, np=1, noa=4))
SCP = Address(1, 146, pc=2)
IPV4 = ("-4", f"{OURS},{THEIRS}")


@pytest.fixture
def call(daemon):
    """Make a call in two dialogues; return (daemon, its definition, its messages)."""
    reactions = (
        sends("continue", operation("Connect", {"destinationRoutingAddress_digits": "4329100"})),
        sends("end", operation("ReleaseCall", {"initialCallSegment_cause": 31})),
    )
    answer = send("EventReportBCSM", {"eventTypeBCSM": "oAnswer"})
    tsvc = daemon(*reactions)
    operations = (LONG, expect("Connect"), answer, expect("ReleaseCall"))
    result = tsvc.run(*operations, run_id="run", ssp_ac="camel2")
    assert result["verdict"] == "pass", reason(result)
    return tsvc, definition_of(trace(tsvc, "run")), said_in(result)


def udts(is_ours, octets):
    called, calling = (SCP, SSP) if is_ours else (SSP, SCP)
    return [sccp.encode(sccp.ExtendedUnitdata(called, calling, octets, is_long=True))]


def segments(is_ours, octets):
    called, calling = (SCP, SSP) if is_ours else (SSP, SCP)
    whole = sccp.ExtendedUnitdata(called, calling, octets, protocol_class=1)
    reference = random.Random(octets).randrange(1 << 24)
    parts = segment(whole, reference, max_octets=90)
    return [sccp.encode(part, max_octets=4096) for part in parts]


def m3ua(shape):
    def carried(is_ours, octets):
        codes = (1, 2) if is_ours else (2, 1)
        return [encode_data(*codes, 3, 2, 0, 5, one) for one in shape(is_ours, octets)]

    return carried


def mtp3(shape):
    def carried(is_ours, octets):
        opc, dpc = (1, 2) if is_ours else (2, 1)
        label = (dpc | opc << 14 | 5 << 28).to_bytes(4, "little")
        return [b"\x83" + label + one for one in shape(is_ours, octets)]

    return carried


def sua(is_ours, octets):
    destination, source = (SCP, SSP) if is_ours else (SSP, SCP)
    pieces = [octets[at : at + 70] for at in range(0, len(octets), 70)]
    reference = random.Random(octets).randrange(1 << 24)
    found = []
    for at, piece in enumerate(pieces):
        part = Segmentation(at == 0, len(pieces) - 1 - at, reference)
        transfer = DataTransfer(
            source,
            destination,
            piece,
            ProtocolClass(1),
            segmentation=part if len(pieces) > 1 else None,
        )
        found.append(connectionless.encode(transfer))
    return found


def exchanged(said, carried):
    """Return the octets that a link carried for a dialogue: (is it ours, seconds, octets)."""
    found = []
    for number, (is_ours, octets) in enumerate(said):
        parts = carried(is_ours, octets)
        found += [(is_ours, number * 0.01 + at * 0.001, one) for at, one in enumerate(parts)]
    return found


SCTP_M3UA = (*IPV4, "-S", "2906,2905,3")
LINKS = {
    "M3UA, SCTP": (m3ua(udts), SCTP_M3UA),
    "M3UA, SCTP, segments": (m3ua(segments), SCTP_M3UA),
    "M3UA, SCTP, no payload protocol": (m3ua(udts), (*IPV4, "-S", "2906,2905,0")),
    "M3UA, TCP": (m3ua(udts), (*IPV4, "-T", "40000,2905")),
    "M3UA, TCP, segments, IPv6": (
        m3ua(segments),
        ("-6", "2001:db8::1,2001:db8::2", "-T", "40000,2905"),
    ),
    "SUA, SCTP, segments": (sua, (*IPV4, "-S", "14002,14001,4")),
    "SUA, TCP, segments": (sua, (*IPV4, "-T", "40000,14001")),
    "MTP 3": (mtp3(udts), ("-l", "141")),
    "MTP 3, segments": (mtp3(segments), ("-l", "141")),
    "SCCP": (segments, ("-l", "142")),
}
UNKNOWN_TO_TSHARK = ("TCP",)  # M3UA and SUA over TCP


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", LINKS)
def test_a_link(tmp_path, call, name):
    daemon, made, said = call
    carried, options = LINKS[name]
    capture = text2pcap(tmp_path, exchanged(said[0], carried), *options)
    assert_passes(daemon, definition_of(capture), said)
    of_link = definition_of(capture)
    assert without_waits(of_link["operations"]) == without_waits(made["operations"])
    if not any(word in name for word in UNKNOWN_TO_TSHARK):
        shown = fields(tmp_path, capture, "tcap.otid", "tcap.dtid")
        theirs = [row for row in shown if any(row)]
        assert theirs == ids_of(said[0])


def without_waits(operations):
    return [entry for entry in operations if entry["type"] != "wait"]


def ids_of(said):
    """Return the transaction ids of messages, from their first members."""
    found = []
    for _, octets in said:
        at = 2 + (octets[1] & 0x7F if octets[1] & 0x80 else 0)
        ids = {octets[at]: octets[at + 2 : at + 6].hex()}
        if octets[at + 6] == 0x49:
            ids[0x49] = octets[at + 8 : at + 12].hex()
        found.append([ids.get(0x48, ""), ids.get(0x49, "")])
    return found


def test_changes_of_a_segmented_call_are_told(tmp_path, call):
    daemon, _, said = call
    capture = text2pcap(tmp_path, exchanged(said[0], m3ua(segments)), *SCTP_M3UA)
    assert_tells_changes(daemon, definition_of(capture), said)


def test_both_links_of_a_relay(tmp_path, call):
    """A capture on a signalling transfer point has each message twice."""
    _, made, said = call
    messages = exchanged(said[0], m3ua(udts))
    twice = []
    for is_ours, seconds, octets in messages:
        twice += [(is_ours, seconds, octets), (is_ours, seconds + 0.0005, octets)]
    capture = text2pcap(tmp_path, twice, *SCTP_M3UA)
    assert len(read_capture(capture).messages) == 2 * len(messages)
    assert definition_of(capture)["operations"] == made["operations"]


def test_a_pause_of_ours_is_kept(tmp_path, call):
    _, _, said = call
    messages = exchanged(said[0], m3ua(udts))
    late = [
        (ours, at if number < 2 else at + 0.25, one)
        for number, (ours, at, one) in enumerate(messages)
    ]
    made = definition_of(text2pcap(tmp_path, late, *SCTP_M3UA))
    waits = [(at, one) for at, one in enumerate(made["operations"]) if one["type"] == "wait"]
    assert waits == [(2, {"type": "wait", "arguments": {"seconds": 0.26}})]


def test_a_pause_of_theirs_lengthens_the_wait(tmp_path, call):
    _, _, said = call
    messages = exchanged(said[0], m3ua(udts))
    late = [(ours, at + 8 * (number > 0), one) for number, (ours, at, one) in enumerate(messages)]
    made = definition_of(text2pcap(tmp_path, late, *SCTP_M3UA))
    assert made["operations"][1]["seconds"] == 17


def test_a_segment_that_was_not_captured_is_told(tmp_path, call):
    _, _, said = call
    messages = exchanged(said[0], m3ua(segments))
    capture = text2pcap(tmp_path, [messages[0], *messages[2:]], *SCTP_M3UA)
    found = read_capture(capture)
    dialogues_of(found)
    assert found.remarks[0].packet == 2
    assert "segments of SCCP" in found.remarks[0].text


def test_a_dialogue_without_its_begin_is_told(tmp_path, call):
    _, _, said = call
    capture = text2pcap(tmp_path, exchanged(said[0], m3ua(udts))[1:], *SCTP_M3UA)
    found = read_capture(capture)
    assert dialogues_of(found) == []
    assert str(found.remarks[0]) == (
        "packet 1, octet 0: TCAP: CONTINUE of a dialogue whose BEGIN was not captured"
    )


def test_octets_that_are_no_tcap_are_told(tmp_path):
    carried = m3ua(udts)(True, b"\x62\x05nothing")
    found = read_capture(text2pcap(tmp_path, [(True, 0.0, carried[0])], *SCTP_M3UA))
    assert dialogues_of(found) == []
    assert [remark.packet for remark in found.remarks] == [1]


def test_captures_of_raw_signalling(call):
    _, made, said = call
    parts = exchanged(said[0], mtp3(udts))
    assert definition_of(pcap([(at, one) for _, at, one in parts], 141)) == made
