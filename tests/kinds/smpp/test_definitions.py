"""smpp.* before a run: errors in a definition are found."""

import pytest
from kinds.smpp import service
from kinds.smpp.service import SEND, expect, reason, register, send

smsc, esme = service.smsc, service.esme


@pytest.mark.parametrize(
    ("operation", "path"),
    [
        (send({}, pdu="submit_sm"), "arguments.pdu"),
        ({"type": SEND, "arguments": {"parameters": {}}}, "arguments.pdu"),
        (send({"short_mesage": "hi"}), "arguments.parameters.short_mesage"),
        (send({"source_addr": "1" * 21}), "arguments.parameters.source_addr"),
        (send({"short_message_text": "Ж"}), "arguments.parameters.short_message_text"),
        (send("text"), None),
        (send([]), "arguments.parameters"),
        (send({}, seconds=1), "arguments.seconds"),
        (send({}, {"kpath": "x", "type": "nothing"}), "tests[0].type"),
        (register(pdu="deliver_sm"), "arguments.pdu"),
        (register(""), "arguments.destination_addr"),
        (expect({"mesage_id": "1"}), "arguments.parameters.mesage_id"),
        (expect({"!sm_length": 1}), None),
        (expect(response={"status": 1}), "arguments.response.status"),
        (expect(response={"command_status": "ESME_X"}), "arguments.response.command_status"),
        (expect(response={"command_status": "{1}"}), None),
        (
            expect(response={"fields": {"message_id": "m" * 65}}),
            "arguments.response.fields.message_id",
        ),
        (
            expect(response={"fields": {"short_message": ""}}),
            "arguments.response.fields.short_message",
        ),
        (expect(response=[]), "arguments.response"),
        (expect(wait=1), "arguments.wait"),
    ],
)
def test_what_is_found_before_a_run(smsc, operation, path):
    wanted = {} if path is None else {f"params.operations[0].{path}"}
    assert set(smsc.problems(operation)) == set(wanted)


def test_characters_of_one_default_alphabet_only(smsc, esme):
    """The alphabet is known only when the gateway is known: the instance reports the error."""
    assert smsc.problems(send({"short_message": "ê"})) == {}
    run_id = smsc.execute(send({"short_message": "ê"}))
    assert "is not in the GSM default alphabet" in reason(smsc.finish(run_id))


@pytest.mark.parametrize("spelling", ["smpp.smsc_FROM_esme.Request", "smpp.esme_to_smsc.Request"])
def test_spellings(smsc, spelling):
    assert smsc.problems({**expect(), "type": spelling}) == {}


def test_the_older_name_of_register(smsc):
    assert smsc.problems({**register(), "type": "smpp.smsc_to_esme.Register"}) == {}
