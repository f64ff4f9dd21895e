"""smpp.* to ESMEs, through the whole service."""

import json

import gevent
import pytest
from kinds.smpp import service
from kinds.smpp.service import checks, expect, is_registered, reason, register, send
from support import undefined
from support.esme import RealEsme

from tsvc.protocols.smpp.commands import Command

smsc, esme = service.smsc, service.esme


# -- to the ESME ----------------------------------------------------------------------------------


def test_constant_expressions_are_checked_by_what_they_give(smsc, esme):
    path = "params.operations[0].arguments.parameters.source_addr_ton"
    refused = smsc.problems(send({"source_addr_ton": "{200 + 100}"}))
    assert refused[path] == "300 is not from 0 to 255"
    assert path not in smsc.problems(send({"source_addr_ton": "{2 + 3}"}))
    run_id = smsc.execute(send({"source_addr_ton": "{2 + 3}"}))
    request = esme.receive()
    assert request.parameters["source_addr_ton"] == 5
    esme.answer(request, 0)
    assert smsc.finish(run_id)["verdict"] == "pass"


def test_a_message_and_tests_of_its_answer(smsc, esme):
    status = {"kpath": "command_status", "type": "integer", "value": 0x64}
    run_id = smsc.execute(
        send({"source_addr": "{$v->{cli}}", "short_message": "hi"}, status),
        vars={"cli": "64211"},
    )
    request = esme.receive()
    assert request.parameters["source_addr"] == "64211"
    assert request.parameters["short_message"] == b"hi"
    esme.answer(request, 0x64)
    result = smsc.finish(run_id)
    assert result["verdict"] == "pass"
    assert checks(result) == [
        ("pass", "Received deliver_sm_resp"),
        ("pass", "command_status (integer)"),
    ]


@pytest.mark.parametrize(("refusals", "level"), [("note", "info"), ("fail", "fail")])
def test_a_refusal_that_nobody_looks_at(smsc, esme, refusals, level):
    run_id = smsc.execute(send({"short_message": "hi"}), refusals=refusals)
    esme.answer(esme.receive(), 0x64)
    result = smsc.finish(run_id)
    assert result["counts"]["unchecked_refusals"] == 1
    text = "refused with command_status 0x00000064; nobody looked"
    assert (level, text) in checks(result)
    assert result["verdict"] == ("fail" if level == "fail" else "pass")


def test_an_answer_is_seen_by_later_operations(smsc, esme):
    look = {
        "type": "eval",
        "expression": "$v->{seen} = $i->{deliver_sm_resp}{command_status_name}",
    }
    run_id = smsc.execute(send({"short_message": "hi"}), look)
    esme.answer(esme.receive(), 0x58)
    result = smsc.finish(run_id)
    assert result["first_call_summary"]["vars"]["seen"] == "ESME_RTHROTTLED"


def test_a_failed_test_fails(smsc, esme):
    status = {"kpath": "command_status", "type": "integer", "value": 0}
    run_id = smsc.execute(send({"short_message": "hi"}, status))
    esme.answer(esme.receive(), 0x64)
    assert smsc.finish(run_id)["verdict"] == "fail"


def test_a_lost_esme_aborts(smsc, esme):
    run_id = smsc.execute(send({"short_message": "hi"}))
    esme.receive()
    esme.close()
    result = smsc.finish(run_id)
    assert result["verdict"] == "abort"
    assert reason(result).startswith("SMSC: deliver_sm to ESME esme at 127.0.0.1:")
    assert reason(result).endswith("closed by peer")


def test_a_value_that_only_shows_to_be_wrong_when_it_runs(smsc, esme):
    run_id = smsc.execute(send({"source_addr": "{'1' x 30}", "short_message": "hi"}))
    assert reason(smsc.finish(run_id)).startswith("deliver_sm: source_addr: 30 octets")


def test_latency_is_recorded(smsc, esme):
    run_id = smsc.execute(send({"short_message": "hi"}))
    esme.answer(esme.receive())
    assert "deliver_sm" in json.dumps(smsc.finish(run_id))


# -- a run ----------------------------------------------------------------------------------------


def test_no_esme_no_run(smsc):
    request = {"run_id": "x", "operations": [send({"short_message": "hi"})]}
    error = smsc.ask("ExecuteTest", **request)["error"]
    assert (error["code"], error["data"]["kind"]) == (2003, "gateway.down")
    assert "no ESME is bound" in error["message"]


def test_a_conversation_with_a_real_esme(smsc):
    esme = RealEsme(smsc.gateway.port)
    esme.bind()
    run_id = smsc.execute(
        register("777"),
        expect({"short_message_text": "balance?"}, response={"fields": {"message_id": "9"}}),
        send(
            {
                "source_addr": "777",
                "destination_addr": "64211",
                "short_message_text": "{'your balance is ' . 'x' x 300}",
            },
            {"kpath": "command_status", "type": "integer", "value": 0},
        ),
        trace_messages=1,
    )
    smsc.until(is_registered(smsc))
    esme.submit(source_addr="64211", destination_addr="777", short_message=b"balance?")
    esme.read()
    esme.read()
    result = smsc.finish(run_id)
    esme.close()
    assert result["verdict"] == "pass", result["first_call_summary"]
    assert esme.answered[0].message_id == b"9"
    assert esme.delivered[0].message_payload.startswith(b"your balance is xxx")


def test_many_conversations_at_once(smsc, esme):
    def answer_all():
        while True:
            esme.answer(esme.receive())

    answering = gevent.spawn(answer_all)
    run_id = smsc.execute(
        send({"destination_addr": "{$r->{idx}}", "short_message": "hi"}),
        distribution={"type": "load", "total": 200, "backlog": 50},
    )
    result = smsc.finish(run_id)
    answering.kill()
    assert result["counts"]["passed"] == 200, result["counts"]


def test_an_undefined_value_in_a_message(smsc, esme):
    asked = send({"source_addr": undefined.SOURCE, "short_message": "hi"})
    place = "parameters.source_addr"

    def run(operation, **params):
        return smsc.finish(smsc.execute(operation, **params))

    undefined.aborts_if_strict(run, place, asked)
    run_id = smsc.execute(asked, vars=undefined.VARS)
    request = esme.receive()
    assert request.parameters["source_addr"] == ""
    esme.answer(request, 0)
    undefined.is_counted(smsc.finish(run_id), place)


def test_an_undefined_value_in_an_answer(smsc, esme):
    response = {"command_status": 0, "fields": {"message_id": undefined.SOURCE}}
    run_id = smsc.execute(register(), expect(response=response), vars=undefined.VARS, strict=1)
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777"})
    place = "operations[1].arguments.response.fields.message_id"
    assert reason(smsc.finish(run_id)) == f"{place}: {undefined.SOURCE} is undefined"
