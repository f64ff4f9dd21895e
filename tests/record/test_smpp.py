"""Short messages: recorded with an ESME, replayed by an ESME that sends the same messages."""

import gevent
import pytest
from kinds.smpp.service import Smsc, checks, expect, is_registered, reason, register, send
from kinds.smpp.testbed import links
from record.replayed import definition_of, trace
from support.capturing import OURS, THEIRS, fields, text2pcap
from support.esme import PlainEsme
from support.waiting import GUARD_S, until

from tsvc.protocols.smpp.commands import Command, Tlv
from tsvc.record.capture import dialogues_of, read_capture

SUBMIT = int(Command.SUBMIT_SM)
HEADER, NUMBER = 16, slice(12, 16)
LONG = 200  # octets of a PDU of which only some are changed
HELLO = {"source_addr": "6421000001", "destination_addr": "77777", "short_message": b"hello"}
RECEIPT = Tlv(0x001E, b"id 7\0")
FOREIGN = Tlv(0x1401, b"\x01\x02")
DELIVER = {"source_addr": "77777", "destination_addr": "6421000001"}

# What the ESME submits (parameters, TLVs), what the SMSC delivers, its response to the ESME.
CALLS = {
    "both ways": (
        (HELLO, ()),
        {**DELIVER, "short_message_text": "who?"},
        {"fields": {"message_id": "m1"}},
    ),
    "binary, with a header": (
        ({**HELLO, "esm_class": 0x40, "short_message": bytes.fromhex("050003010201ff80")}, ()),
        {**DELIVER, "data_coding": 4, "short_message_hex": "00ff80", "udh_hex": "050003010201"},
        {"fields": {"message_id": "17"}},
    ),
    "UCS2 and optional parameters": (
        (
            {**HELLO, "data_coding": 8, "short_message": "Ж€".encode("utf-16-be")},
            (RECEIPT, FOREIGN),
        ),
        {
            **DELIVER,
            "data_coding": 8,
            "short_message_text": "\\{Ж}",
            "receipted_message_id": "id 7",
            "message_state": 2,
            "tlv_1401_hex": "00",
        },
        {"fields": {"message_id": "0x7f"}},
    ),
    "a long one": (
        ({**HELLO, "short_message": b""}, (Tlv(0x0424, b"l" * 300),)),
        {**DELIVER, "short_message_text": "l" * 300},
        {"fields": {"message_id": "long"}},
    ),
    "refused": ((HELLO, ()), {**DELIVER, "short_message_text": ""}, {"command_status": 88}),
}


@pytest.fixture
def world(tmp_path):
    """An SMSC and an ESME that is bound to it."""
    daemon = Smsc(tmp_path)
    with PlainEsme(daemon.gateway.port) as esme:
        assert esme.bind().command_status == 0
        yield daemon, esme
    daemon.stop()


def recorded(world, name):
    """Run a conversation; return (its capture, its messages: (was it the SMSC, octets))."""
    daemon, esme = world
    (parameters, tlvs), delivered, response = CALLS[name]
    operations = (register("77777"), send(delivered), expect(response=response))
    run_id = daemon.execute(*operations)
    until(is_registered(daemon))
    esme.answer(esme.receive(), status=0)
    esme.send(SUBMIT, parameters, tlvs=tlvs)
    esme.receive()
    result = daemon.finish(run_id)
    assert result["verdict"] == "pass", reason(result)
    said = [
        (one["direction"] == "sent", bytes.fromhex(one["hex"]))
        for one in result["first_call_summary"]["messages"]
    ]
    return trace(daemon, run_id), said


def replay(world, made, said):
    """Run a definition; the ESME sends the recorded octets, in answers with the new numbers."""
    daemon, esme = world
    definition = dict(made)
    run_id = daemon.execute(*definition.pop("operations"), strict=1, **definition)
    until(is_registered(daemon))
    heard = []
    for is_smsc, octets in said:
        if is_smsc:
            heard.append(whole(esme))
            continue
        if octets[4] & 0x80:
            octets = octets[:12] + heard[-1][NUMBER] + octets[HEADER:]
        esme.socket.sendall(octets)
    return daemon.finish(run_id), heard


def whole(esme):
    """Return the octets of the next PDU, "" if none comes because the expectation failed."""
    while (octets := esme._stream.next_message()) is None:
        esme._stream.feed(esme.socket.recv(65536))
    return octets


@pytest.mark.parametrize("name", CALLS)
def test_a_recorded_conversation(world, name):
    daemon, _ = world
    capture, said = recorded(world, name)
    made = definition_of(capture)
    result, heard = replay(world, made, said)
    assert result["verdict"] == "pass", (reason(result), checks(result))
    sent = [octets for is_smsc, octets in said if is_smsc]
    assert [without_number(one) for one in heard] == [without_number(one) for one in sent]
    until(lambda: not is_registered(daemon)())


def without_number(octets):
    return octets[:12] + octets[HEADER:]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CALLS)
def test_changes_are_told(world, name):
    """Each octet of the bodies and TLVs that the ESME sent is changed, one at a time."""
    daemon, esme = world
    capture, said = recorded(world, name)
    made = definition_of(capture)
    esme.close()
    until(lambda: not links(daemon.gateway))
    assert answered(daemon, made, said, GUARD_S)["verdict"] == "pass"
    passed = []
    for number, (is_smsc, octets) in enumerate(said):
        step = 1 if len(octets) < LONG else 11
        for place in [] if is_smsc else range(HEADER, len(octets), step):
            if destination(octets, place):
                continue  # it would be for another receiver
            other = bytearray(octets)
            other[place] ^= 0x01
            again = [*said[:number], (False, bytes(other)), *said[number + 1 :]]
            result = answered(daemon, made, again)
            if result["verdict"] == "pass":
                passed.append((number, place))
    assert passed == []


def answered(daemon, made, said, wait_s=0.2):
    """Run against a separate ESME: the SMSC may close the connection of an ESME that errs."""
    with PlainEsme(daemon.gateway.port) as esme:
        assert esme.bind().command_status == 0
        definition = dict(made)
        operations = definition.pop("operations")
        params = {**definition, "scp": {"tcap_timeout": wait_s}, "linger_ms": 0}
        run_id = daemon.execute(*operations, strict=1, **params)
        job = gevent.spawn(play, esme, said)
        result = daemon.finish(run_id)
        job.kill()
    until(lambda: not links(daemon.gateway) and not is_registered(daemon)())
    return result


def play(esme, said):
    heard = []
    for is_smsc, octets in said:
        if is_smsc:
            heard.append(whole(esme))
            continue
        if octets[4] & 0x80:
            octets = octets[:12] + heard[-1][NUMBER] + octets[HEADER:]
        esme.socket.sendall(octets)


def destination(octets, place):
    start = octets.index(b"77777\0") if b"77777\0" in octets else 0
    return start <= place < start + 6


@pytest.mark.parametrize("options", [("-T", "40000,2775"), ("-T", "40000,40001")])
def test_as_tshark_reads_it(tmp_path, world, options):
    _, said = recorded(world, "both ways")
    timed = [(not is_smsc, at * 0.01, octets) for at, (is_smsc, octets) in enumerate(said)]
    capture = text2pcap(tmp_path, timed, "-4", f"{OURS},{THEIRS}", *options)
    found = read_capture(capture)
    assert (found.remarks, [one.octets for one in found.messages]) == (
        [],
        [octets for _, octets in said],
    )
    shown = fields(tmp_path, capture, "smpp.command_id", "smpp.sequence_number")
    assert shown[0][0] in ("", "0x00000005")  # tshark recognises it by its port, or heuristically
    made = definition_of(capture)
    result, _ = replay(world, made, said)
    assert result["verdict"] == "pass", (reason(result), checks(result))


def test_what_a_test_can_not_have_is_told(tmp_path):
    query = bytes.fromhex("00000016 00000003 00000000 00000001 3700 0000 6100".replace(" ", ""))
    options = ("-4", f"{OURS},{THEIRS}", "-T", "40000,2775")
    (dialogue,) = dialogues_of(read_capture(text2pcap(tmp_path, [(True, 0.0, query)], *options)))
    assert dialogue.problems == ["packet 1: query_sm is nothing that a test can have"]


def test_addresses_become_variables(world):
    capture, _ = recorded(world, "both ways")
    made = definition_of(capture)
    assert made["vars"] == {"destination_addr": "77777", "source_addr": "6421000001"} or made[
        "vars"
    ] == {"source_addr": "77777", "destination_addr": "6421000001"}
    assert made["operations"][0]["arguments"]["destination_addr"].startswith("{$v->{")
