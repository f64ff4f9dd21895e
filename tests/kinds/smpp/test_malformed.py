"""PDUs that are malformed, or come twice: through the whole service."""

import pytest
from kinds.smpp import service
from kinds.smpp.service import checks, expect, is_registered, reason, register, send

from tsvc.protocols.smpp.commands import RESPONSE, Command, Tlv
from tsvc.protocols.smpp.pdus import Pdu, encode

smsc, esme = service.smsc, service.esme
DELIVER = send({"short_message": "hi"})
WAIT = {"type": "wait", "arguments": {"seconds": 0.1}}


def deliver_sm_resp(number, body):
    octets = bytes.fromhex(f"80000005 00000000 {number:08x}") + body
    return (len(octets) + 4).to_bytes(4) + octets


BODIES = {
    "message_id: is not ended within 65 octets": b"abc",
    "message_id is missing": b"",
    "user_message_reference: 3 octets, where 2 are due": b"\0" + bytes.fromhex("02040003010203"),
    "an optional parameter is cut off": b"\0\2",
    "receipted_message_id: is not ended by its only NUL": b"\0" + bytes.fromhex("001e000141"),
}


@pytest.mark.parametrize("text", BODIES)
def test_a_malformed_answer_fails(smsc, esme, text):
    run_id = smsc.execute(DELIVER)
    esme.socket.sendall(deliver_sm_resp(esme.receive().sequence_number, BODIES[text]))
    result = smsc.finish(run_id)
    assert result["verdict"] == "fail", reason(result)
    assert ("fail", f"malformed answer: {text}") in checks(result)
    assert result["counts"]["malformed"] == 1


@pytest.mark.parametrize(("malformed", "verdict"), [("note", "pass"), ("abort", "abort")])
def test_the_attribute_malformed(smsc, esme, malformed, verdict):
    run_id = smsc.execute({**DELIVER, "malformed": malformed})
    esme.socket.sendall(deliver_sm_resp(esme.receive().sequence_number, b""))
    result = smsc.finish(run_id)
    assert (result["verdict"], result["counts"]["malformed"]) == (verdict, 1)


def test_malformed_answers_in_a_load(smsc, esme):
    load = {"type": "load", "total": 10, "backlog": 2}
    run_id = smsc.execute(DELIVER, distribution=load)
    for _ in range(10):
        esme.socket.sendall(deliver_sm_resp(esme.receive().sequence_number, b""))
    counts = smsc.finish(run_id)["counts"]
    assert counts["failed"] == counts["malformed"] == 10


@pytest.mark.parametrize(("malformed", "verdict"), [("fail", "fail"), ("note", "pass")])
def test_a_malformed_message_is_answered_and_fails(smsc, esme, malformed, verdict):
    run_id = smsc.execute(register(), {**expect(), "malformed": malformed})
    smsc.until(is_registered(smsc))
    tlv = Tlv(0x0204, b"\1")
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777"}, tlvs=(tlv,))
    assert esme.receive().command_status == 0
    result = smsc.finish(run_id)
    assert (result["verdict"], result["counts"]["malformed"]) == (verdict, 1)


def test_a_message_that_can_not_be_read_to_its_end(smsc, esme):
    run_id = smsc.execute(register(), expect())
    smsc.until(is_registered(smsc))
    whole = encode(Pdu(Command.SUBMIT_SM, 9, 0, {"destination_addr": "777"}))
    cut = whole[:-1]
    esme.socket.sendall(len(cut).to_bytes(4) + cut[4:])
    assert esme.receive().sequence_number == 9
    result = smsc.finish(run_id)
    assert ("fail", "malformed message: sm_length: is missing") in checks(result)


@pytest.mark.parametrize("following", [WAIT, DELIVER], ids=["at the end", "before another one"])
def test_a_second_answer_aborts(smsc, esme, following):
    run_id = smsc.execute(DELIVER, WAIT, following)
    number = esme.receive().sequence_number
    for status in (0, 0x64):
        esme.send(RESPONSE | Command.DELIVER_SM, {"message_id": ""}, number=number, status=status)
    result = smsc.finish(run_id)
    assert result["verdict"] == "abort"
    assert reason(result).startswith(
        f"unexpected second deliver_sm_resp with sequence_number {number}"
    )
    (link,) = smsc.gateway._node._links
    assert link.asked == {}


def test_a_message_whose_number_is_in_use_aborts(smsc, esme):
    run_id = smsc.execute(register(), WAIT, expect(), WAIT)
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777"}, number=3, times=2)
    result = smsc.finish(run_id)
    assert result["verdict"] == "abort"
    assert "another submit_sm with sequence_number 3" in reason(result)
