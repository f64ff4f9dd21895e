"""smpp.* from ESMEs, through the whole service: registering, expecting and answering."""

from kinds.smpp import service
from kinds.smpp.service import checks, expect, is_registered, reason, register
from support.esme import GUARD_S
from support.waiting import idle

from tsvc.protocols.smpp.commands import RESPONSE, Command

smsc, esme = service.smsc, service.esme


def test_a_message_that_is_expected_and_answered(smsc, esme):
    coding = {"kpath": "parameters.data_coding", "type": "integer", "value": 0}
    length = {"kpath": "parameters.sm_length", "type": "integer", "value": 5}
    run_id = smsc.execute(
        register(),
        expect(
            {"destination_addr": "777", "source_addr": "64211", "short_message_text": "hello"},
            coding,
            length,
            response={"command_status": 0, "fields": {"message_id": "m-{1 + 1}"}},
        ),
    )
    smsc.until(is_registered(smsc))
    parameters = {"destination_addr": "777", "source_addr": "64211", "short_message": b"hello"}
    esme.send(Command.SUBMIT_SM, parameters)
    answer = esme.receive()
    assert (answer.command_status, answer.parameters) == (0, {"message_id": "m-{1 + 1}"})
    result = smsc.finish(run_id)
    assert result["verdict"] == "pass", result["first_call_summary"]
    assert [level for level, _ in checks(result)] == ["pass"] * 6
    assert ("pass", "parameters.short_message_text") in checks(result)


def test_the_response_may_tell_of_the_message(smsc, esme):
    text = "{$i->{submit_sm}{parameters}{short_message}}"
    response = {"command_status": "{1 + 1}", "fields": {"message_id": text}}
    run_id = smsc.execute(register(), expect(response=response))
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777", "short_message": b"abc"})
    answer = esme.receive()
    assert (answer.command_status, answer.parameters["message_id"]) == (2, "abc")
    assert smsc.finish(run_id)["verdict"] == "pass"


def test_without_a_response_it_is_accepted_under_a_new_id(smsc, esme):
    run_id = smsc.execute(register(), expect(), expect())
    smsc.until(is_registered(smsc))
    for _ in range(2):
        esme.send(Command.SUBMIT_SM, {"destination_addr": "777"})
    answers = [esme.receive() for _ in range(2)]
    assert [answer.command_status for answer in answers] == [0, 0]
    assert len({answer.parameters["message_id"] for answer in answers}) == 2
    assert smsc.finish(run_id)["verdict"] == "pass"


def test_fields_of_a_response_that_turn_out_to_be_no_object(smsc, esme):
    given = {"type": "eval", "expression": "$v->{f} = 5"}
    run_id = smsc.execute(given, register(), expect(response={"fields": "{$v->{f}}"}))
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777"})
    assert esme.receive().command_status == 8
    assert reason(smsc.finish(run_id)) == "submit_sm_resp: response.fields: must be an object"


def test_a_refusal_has_no_body(smsc, esme):
    run_id = smsc.execute(register(), expect(response={"command_status": "ESME_RMSGQFUL"}))
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777"})
    answer = esme.receive()
    assert (answer.command_status, answer.parameters) == (0x14, {})
    assert smsc.finish(run_id)["verdict"] == "pass"


def test_a_difference_fails(smsc, esme):
    run_id = smsc.execute(register(), expect({"short_message_text": "other"}))
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777", "short_message": b"hello"})
    assert esme.receive().command_status == 0
    result = smsc.finish(run_id)
    assert result["verdict"] == "fail"
    assert ("fail", "parameters.short_message_text differs") in checks(result)


def test_negations_and_absence(smsc, esme):
    wanted = {"!source_addr": "65", "user_message_reference": None, "sm_length": 2}
    run_id = smsc.execute(register(), expect(wanted))
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777", "short_message": b"hi"})
    assert esme.receive().command_status == 0
    assert smsc.finish(run_id)["verdict"] == "pass"


def test_data_sm(smsc, esme):
    run_id = smsc.execute(register(pdu="data_sm"), expect(pdu="data_sm"))
    smsc.until(is_registered(smsc))
    esme.send(Command.DATA_SM, {"destination_addr": "777"})
    assert esme.receive().command_id == RESPONSE | Command.DATA_SM
    assert smsc.finish(run_id)["verdict"] == "pass"


def test_another_kind_than_expected_aborts(smsc, esme):
    run_id = smsc.execute(register(), expect())
    smsc.until(is_registered(smsc))
    esme.send(Command.DATA_SM, {"destination_addr": "777"})
    assert esme.receive().command_status == 8
    assert reason(smsc.finish(run_id)) == "expected submit_sm, got data_sm to 777 from ESME esme"


def test_nothing_comes(smsc, esme):
    result = smsc.finish(smsc.execute(register(), expect(seconds=0.02)))
    assert reason(result) == "expected submit_sm, nothing came within 0.02 s"


def test_an_undefined_wait_is_no_usual_one(smsc, esme):
    result = smsc.finish(smsc.execute(register(), expect(seconds="{$v->{nobody}}")))
    assert reason(result) == "seconds: undef is no number of seconds from 0 to 1e+07"


def test_the_last_esme_leaves(smsc, esme):
    run_id = smsc.execute(register(), expect(seconds=GUARD_S))
    smsc.until(is_registered(smsc))
    idle()
    esme.close()
    assert reason(smsc.finish(run_id)).startswith("expected submit_sm, but SMSC: ESME esme at")


def test_a_message_that_nobody_took_aborts_and_is_refused(smsc, esme):
    run_id = smsc.execute(register(), {"type": "halt", "arguments": {"seconds": GUARD_S}})
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777"})
    smsc.until(lambda: smsc.gateway.status().counters["received"] == 1)
    smsc.resume(run_id)
    result = smsc.finish(run_id)
    assert result["verdict"] == "abort"
    assert reason(result) == (
        "unexpected submit_sm to 777 from ESME esme at the end of the instance"
    )
    assert esme.receive().command_status == 8
    assert len(smsc.gateway.registrations) == 0


def test_a_cancelled_run_leaves_nothing(smsc, esme):
    run_id = smsc.execute(register(), register("778"), expect(seconds=GUARD_S))
    smsc.until(lambda: len(smsc.gateway.registrations) == 2)
    smsc.call("CancelTest", run_id=run_id)
    smsc.finish(run_id)
    assert len(smsc.gateway.registrations) == 0
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777"})
    assert esme.receive().command_status == 0x0B


def test_expecting_without_a_registration_aborts(smsc, esme):
    result = smsc.finish(smsc.execute(expect()))
    assert reason(result) == "expected submit_sm, but no Register came before"


def test_twice_in_one_instance_is_once(smsc, esme):
    run_id = smsc.execute(register(), register(), register("778"))
    assert smsc.finish(run_id)["verdict"] == "pass"


def test_registered_by_another_instance_aborts(smsc, esme):
    halt = {"type": "halt", "arguments": {"seconds": GUARD_S}}
    first = smsc.execute(register(), halt)
    smsc.until(is_registered(smsc))
    second = smsc.finish(smsc.execute(register()))
    assert reason(second) == "Register: 777 is registered already by another instance"
    assert len(smsc.gateway.registrations) == 1
    smsc.call("CancelTest", run_id=first)
    smsc.finish(first)


def test_a_wrong_response_aborts_and_is_refused(smsc, esme):
    response = {"fields": {"message_id": "{'m' x 70}"}}
    run_id = smsc.execute(register(), expect(response=response))
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777"})
    assert esme.receive().command_status == 8
    assert reason(smsc.finish(run_id)).startswith("submit_sm_resp: message_id: 70 octets")
