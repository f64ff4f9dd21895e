"""smpp.* through the whole service, with ESMEs on the other side."""

import json
from itertools import count

import gevent
import pytest
from support.esme import GUARD_S, PlainEsme, RealEsme

from tsvc.config import Application, Config, Results, Rpc
from tsvc.config import Service as ServiceConfig
from tsvc.engine.service import Service
from tsvc.protocols.smpp.commands import RESPONSE, Command
from tsvc.server.dispatch import Dispatcher

SEND = "smpp.smsc_to_esme.Request"
REGISTER = "smpp.smsc_from_esme.Register"
EXPECT = "smpp.smsc_from_esme.Request"


class Smsc:
    """A service whose only application is an SMSC."""

    def __init__(self, folder, **members):
        applications = {"SMSC": Application("SMSC", "smpp", {"port": 0, **members}, "test")}
        config = Config(
            service=ServiceConfig(state_dir=folder),
            rpc=Rpc(),
            results=Results(),
            applications=applications,
        )
        self.service = Service(config)
        self.service.start()
        self._dispatcher = Dispatcher(self.service, config.rpc)
        self._ids = count(1)

    @property
    def gateway(self):
        return self.service.gateways.of_kind("smpp")[0]

    def ask(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return json.loads(self._dispatcher.dispatch(json.dumps(request).encode()))

    def call(self, method, **params):
        response = self.ask(method, **params)
        assert "error" not in response, response["error"]
        return response["result"]

    def execute(self, *operations, **params):
        run_id = f"run {next(self._ids)}"
        params = {"distribution": {"type": "single"}, **params}
        assert self.call("ExecuteTest", run_id=run_id, operations=list(operations), **params)
        return run_id

    def finish(self, run_id):
        result = self.call("QueryTest", run_id=run_id, wait_s=GUARD_S)
        assert result["completed"] == 1, "hangs"
        return result

    def problems(self, *operations):
        found = self.call("ValidateTest", operations=list(operations))["problems"]
        return {one["path"]: one["text"] for one in found if one["severity"] == "error"}

    def until(self, condition):
        with gevent.Timeout(GUARD_S):
            while not condition():
                gevent.sleep(0.002)


@pytest.fixture
def smsc(tmp_path):
    made = Smsc(tmp_path)
    yield made
    made.service.stop()


@pytest.fixture
def esme(smsc):
    with PlainEsme(smsc.gateway.port) as one:
        assert one.bind().command_status == 0
        yield one


def send(parameters, *tests, **arguments):
    given = {"pdu": "deliver_sm", "parameters": parameters, **arguments}
    return {"type": SEND, "arguments": given, "tests": list(tests)}


def register(address="777", pdu="submit_sm"):
    return {"type": REGISTER, "arguments": {"pdu": pdu, "destination_addr": address}}


def expect(parameters=None, *tests, **arguments):
    given = {"pdu": "submit_sm", **arguments}
    if parameters is not None:
        given["parameters"] = parameters
    return {"type": EXPECT, "arguments": given, "tests": list(tests)}


def checks(result):
    log = result["first_call_summary"]["check_log"]
    return [(entry["level"], entry["text"]) for entry in log]


def reason(result):
    return result["first_call_summary"]["reason"]


def is_registered(smsc):
    return lambda: len(smsc.gateway.registrations) > 0


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


# -- from the ESME --------------------------------------------------------------------------------


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


def test_the_last_esme_leaves(smsc, esme):
    run_id = smsc.execute(register(), expect(seconds=GUARD_S))
    smsc.until(is_registered(smsc))
    gevent.sleep(0.02)  # until it waits
    esme.close()
    assert reason(smsc.finish(run_id)).startswith("expected submit_sm, but SMSC: ESME esme at")


def test_a_message_that_nobody_took_aborts_and_is_refused(smsc, esme):
    run_id = smsc.execute(register(), {"type": "halt", "arguments": {"seconds": GUARD_S}})
    smsc.until(is_registered(smsc))
    esme.send(Command.SUBMIT_SM, {"destination_addr": "777"})
    smsc.until(lambda: smsc.gateway.status().counters["received"] == 1)
    smsc.call("ResumeInstance", run_id=run_id, instance_id="0")
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


# -- before a run ---------------------------------------------------------------------------------


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
    """Whether they can be sent is known when the gateway is: the instance says so."""
    assert smsc.problems(send({"short_message": "ê"})) == {}
    run_id = smsc.execute(send({"short_message": "ê"}))
    assert "is not in the GSM default alphabet" in reason(smsc.finish(run_id))


@pytest.mark.parametrize("spelling", ["smpp.smsc_FROM_esme.Request", "smpp.esme_to_smsc.Request"])
def test_spellings(smsc, spelling):
    assert smsc.problems({**expect(), "type": spelling}) == {}


def test_the_older_name_of_register(smsc):
    assert smsc.problems({**register(), "type": "smpp.smsc_to_esme.Register"}) == {}
