"""Diameter sessions: recorded with the fake OCS, replayed by an OCS with the same answers."""

import json
import random
import struct

import pytest
from kinds.diameter.credit import units
from kinds.diameter.testbed import VARS, World, ccr, checks, reason
from record.replayed import definition_of, trace
from support.capturing import OURS, THEIRS, fields, text2pcap
from support.segments import SYN, pcap, tcp
from support.waiting import until

from tsvc.record.capture import dialogues_of, read_capture

HEADER = 20
IDS = slice(12, 20)  # hop-by-hop and end-to-end identifier
EXPECT_RAR = {
    "type": "diameter.from_server.Request",
    "arguments": {
        "code": 258,
        "seconds": 20,
        "answer": {"result_code": 2002, "avps": [{"name": "User-Name", "value": "tester"}]},
    },
}
SESSION = (
    ccr(1, units("Requested-Service-Unit", 60)),
    ccr(2, units("Used-Service-Unit", 30), units("Requested-Service-Unit", 60)),
    ccr(3, units("Used-Service-Unit", 7)),
)
EVENT = ccr(4, units("Requested-Service-Unit", 1), {"name": "Requested-Action", "value": 0})
ODD = (
    {"name": "User-Name", "value": "with {braces} and €"},
    {"code": 4711, "vendor_id": 9999, "mandatory": 0, "value_hex": "0102ff"},
    {"name": "Event-Timestamp", "value": 3_900_000_000},
    {"name": "Service-Identifier", "value": 7, "mandatory": 0},
)


@pytest.fixture
def world(tmp_path):
    made = []

    def make(**settings):
        folder = tmp_path / f"world {len(made)}"
        folder.mkdir()
        made.append(World(folder, {}, settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def avps_of(octets):
    """Return the AVPs of a message, decoded by hand: (code, octets, (start, end) of the data)."""
    found, at = [], HEADER
    while at < len(octets):
        code, word = struct.unpack_from(">II", octets, at)
        length, start = word & 0xFFFFFF, at + (12 if word >> 31 else 8)
        found.append((code, octets[at : at + length], (start, at + length)))
        at += length + -length % 4
    return found


def with_ids(recorded, actual):
    """Return a recorded answer with the identifiers and the Session-Id of the actual answer."""
    body = bytearray()
    session = next(whole for code, whole, _ in avps_of(actual) if code == 263)
    for code, whole, _ in avps_of(recorded):
        octets = session if code == 263 else whole
        body += octets + bytes(-len(octets) % 4)
    head = recorded[:1] + (HEADER + len(body)).to_bytes(3) + recorded[4:12] + actual[IDS]
    return head + bytes(body)


def said_in(result):
    """Return the messages of the first instance: (is it ours, octets)."""
    return [
        (one["direction"] == "sent", bytes.fromhex(one["hex"]))
        for one in result["first_call_summary"]["messages"]
    ]


def is_request(octets):
    return bool(octets[4] & 0x80)


def replay(daemon, made, answers):
    """Run a definition against an OCS that gives these answers: answer n to request n."""
    left = list(answers)
    daemon.ocs.twist = lambda octets: [with_ids(left.pop(0), octets) if left else octets]
    definition = dict(made)
    operations = definition.pop("operations")
    return daemon.run(*operations, strict=1, linger_ms=0, **definition)


NODES = {264, 296, 283, 293, 263}  # the AVPs for nodes and session


def essence(octets):
    """Return the contents of our message, without the AVPs for nodes and session."""
    return octets[4:12], [whole for code, whole, _ in avps_of(octets) if code not in NODES]


CALLS = {
    "a session": SESSION,
    "an event": (EVENT,),
    "two sessions, one after the other": (*SESSION, *SESSION),
    "AVPs of all kinds": (ccr(1, *ODD, units("Requested-Service-Unit", 5)),),
    "refused": (ccr(2, arguments={"answer": {"result_code": 5002}}.items()),),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CALLS)
def test_a_recorded_session(world, name):
    daemon = world(validity_time_s=3600)
    result = daemon.run(*CALLS[name], run_id="recorded", vars=VARS)
    assert result["counts"]["aborted"] == 0, reason(result)
    made = definition_of(trace(daemon, "recorded"))
    said = said_in(result)
    answers = [octets for is_ours, octets in said if not is_ours]
    again = replay(daemon, made, answers)
    assert again["verdict"] == "pass", (reason(again), checks(again))
    sent = [essence(octets) for is_ours, octets in said if is_ours]
    assert [essence(octets) for is_ours, octets in said_in(again) if is_ours] == sent
    assert checked(daemon, made, answers) >= 16


def checked(daemon, made, answers):
    """Change each octet of each AVP's data, except of nodes: no test passes. Return the count."""
    count, passed = 0, []
    for number, octets in enumerate(answers):
        for code, _, (start, stop) in avps_of(octets):
            for place in [] if code in NODES else range(start, stop):
                other = bytearray(octets)
                other[place] ^= 0xFF
                changed = [*answers[:number], bytes(other), *answers[number + 1 :]]
                count += 1
                if replay(daemon, made, changed)["verdict"] == "pass":
                    passed.append((number, code, place))
    assert passed == []
    return count


def test_a_request_of_the_server(world):
    daemon = world()
    register = {"type": "diameter.from_server.Register"}
    operations = (ccr(1), register, EXPECT_RAR, ccr(3))
    daemon.start(*operations, run_id="recorded", vars=VARS)
    asked = ask(daemon)
    result = daemon.finish("recorded")
    assert asked["avp"]["User-Name"] == "tester"
    made = definition_of(trace(daemon, "recorded"))
    assert made["operations"][0] == register
    (expected,) = [one for one in made["operations"] if one["type"] == EXPECT_RAR["type"]]
    assert {"name": "Re-Auth-Request-Type", "value": "AUTHORIZE_ONLY"} in (
        expected["arguments"]["avps"]
    )
    assert result["verdict"] == "pass", reason(result)
    definition = dict(made)
    daemon.start(*definition.pop("operations"), run_id="again", strict=1, **definition)
    again_asked = ask(daemon)
    again = daemon.finish("again")
    assert again["verdict"] == "pass", (reason(again), checks(again))
    assert again_asked["avp"]["User-Name"] == "tester"
    assert again_asked["avp"]["Result-Code"] == 2002


def ask(daemon):
    """Make the OCS send a Re-Auth-Request once a session has begun, and return the answer."""
    until(lambda: daemon.gateway.sessions._registered and daemon.ocs._origins)
    (session_id,) = daemon.gateway.sessions._registered
    until(lambda: session_id in daemon.ocs._origins)
    return daemon.ocs.request("Re-Auth-Request", session_id)


def recorded_session(world):
    daemon = world()
    result = daemon.run(*SESSION, run_id="recorded", vars=VARS)
    return daemon, said_in(result)


@pytest.mark.parametrize(
    "options",
    [
        ("-4", f"{OURS},{THEIRS}", "-T", "40000,3868"),
        ("-4", f"{OURS},{THEIRS}", "-S", "3868,3868,46"),
        ("-6", "2001:db8::1,2001:db8::2", "-T", "40000,3868"),
    ],
)
def test_what_carried_it(tmp_path, world, options):
    _, said = recorded_session(world)
    timed = [(is_ours, at * 0.01, octets) for at, (is_ours, octets) in enumerate(said)]
    capture = text2pcap(tmp_path, timed, *options)
    found = read_capture(capture)
    assert found.remarks == []
    assert [one.octets for one in found.messages] == [octets for _, octets in said]
    shown = fields(tmp_path, capture, "diameter.hopbyhopid", "diameter.cmd.code")
    assert [[row[0], int(row[1])] for row in shown] == [
        [f"0x{int.from_bytes(octets[12:16]):08x}", int.from_bytes(octets[5:8])]
        for _, octets in said
    ]


def test_segments_that_tshark_puts_together_too(tmp_path, world):
    _, said = recorded_session(world)
    chance = random.Random("diameter")
    packets = [
        tcp(True, 0, flags=SYN, ports=(40000, 3868)),
        tcp(False, 0, flags=SYN | 0x10, ports=(40000, 3868)),
    ]
    numbers = {True: 1, False: 1}
    for is_ours, octets in said:
        at = 0
        while at < len(octets):
            part = octets[at : at + chance.randrange(20, 90)]
            packets.append(tcp(is_ours, numbers[is_ours], part, ports=(40000, 3868)))
            numbers[is_ours] += len(part)
            at += len(part)
    capture = pcap((at / 1000, one) for at, one in enumerate(packets))
    found = read_capture(capture)
    assert [one.octets for one in found.messages] == [octets for _, octets in said]
    shown = fields(tmp_path, capture, "frame.number", "diameter.hopbyhopid")
    theirs = [(int(number), ids) for number, ids in shown if ids]
    assert [
        (one.packet, f"0x{int.from_bytes(one.octets[12:16]):08x}") for one in found.messages
    ] == theirs


def test_sessions_at_once_have_their_own_ids(tmp_path, world):
    """The tester's Session-Id serves one session at a time: overlapping ones get a variable."""
    daemon, said = recorded_session(world)
    other = [
        (is_ours, octets.replace(b"tester.example.net;", b"tester.example.com;"))
        for is_ours, octets in said
    ]
    timed = []
    for at, (one, two) in enumerate(zip(said, other, strict=True)):
        timed += [(one[0], at * 0.01, one[1])]
        changed = two[1][:12] + bytes((two[1][12] ^ 0x40,)) + two[1][13:]
        timed += [(two[0], at * 0.01 + 0.001, changed)]
    made = definition_of(
        text2pcap(tmp_path, timed, "-4", f"{OURS},{THEIRS}", "-S", "3868,3868,46")
    )
    sessions = [entry["arguments"]["avps"][0] for entry in made["operations"]]
    assert [one["name"] for one in sessions] == ["Session-Id_auto", "Session-Id"] * 3
    assert {one["value"] for one in sessions[1::2]} == {"{$v->{session_id}}"}
    definition = json.loads(json.dumps(made))
    again = daemon.run(*definition.pop("operations"), strict=1, **definition)
    assert again["counts"]["aborted"] == 0, reason(again)


def test_what_has_no_answer_is_told(world, tmp_path):
    _, said = recorded_session(world)
    capture = text2pcap(
        tmp_path, [(True, 0.0, said[0][1])], "-4", f"{OURS},{THEIRS}", "-T", "40000,3868"
    )
    (dialogue,) = dialogues_of(read_capture(capture))
    assert dialogue.problems == ["packet 1: Credit-Control-Request has no answer in the capture"]


def test_an_answer_without_its_request_is_told(world, tmp_path):
    _, said = recorded_session(world)
    options = ("-4", f"{OURS},{THEIRS}", "-T", "40000,3868")
    found = read_capture(text2pcap(tmp_path, [(False, 0.0, said[1][1])], *options))
    assert dialogues_of(found) == []
    assert str(found.remarks[0]) == (
        "packet 1, octet 0: Diameter: an answer whose request was not captured"
    )
