"""ocncc.pi.Request through the whole service, against the fake Provisioning Interface."""

import json

import pytest
from support import undefined
from support.daemons import Daemon
from support.waiting import GUARD_S, until

from tsvc.kinds.pi.fake import PiFake

MSISDN = "6421000001"


@pytest.fixture
def fake():
    fake = PiFake(
        username="admin", password="s3cret", subscribers={MSISDN: {"General Cash": 1450}}
    )
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def daemon(fake, tmp_path):
    """A service with one PI application."""
    members = {
        "remote_host": fake.address[0],
        "remote_port": fake.address[1],
        "username": "admin",
        "password": "s3cret",
        "server_timeout_s": 2,
    }
    made = Daemon(tmp_path, {"PI-1": ("pi", members)})
    made.until_up()
    yield made
    made.stop()


@pytest.fixture
def ask(daemon):
    return daemon.ask


@pytest.fixture
def run(daemon):
    """Execute operations and return the result of the run."""
    return daemon.run


def request(command="CCSCD1=QRY", tests=None, **arguments):
    arguments = {"command": command, "parameters": {"MSISDN": MSISDN}, **arguments}
    return {"type": "ocncc.pi.Request", "arguments": arguments, "tests": tests or []}


def checks(result):
    log = result["first_call_summary"]["check_log"]
    return [(check["level"].lower(), check["text"]) for check in log]


def test_expected_status_and_tests_of_the_answer(run):
    tests = [
        {"kpath": "status", "value": "ACK"},
        {"kpath": "info", "type": "regex", "pattern": "BALANCE=1450$"},
        {"kpath": "fields.BALANCE", "type": "integer", "value": 1450},
        {"kpath": "parameters.BALANCE_TYPE", "value": "General Cash"},
        {"kpath": "raw", "type": "regex", "pattern": "^CCSCD1=QRY:ACK:"},
    ]
    result = run(request(status="ack", tests=tests))
    assert (result["verdict"], [level for level, _ in checks(result)]) == ("pass", ["pass"] * 7)
    assert checks(result)[:2] == [("pass", "Received ACK"), ("pass", "status")]


def test_a_refusal_is_data(run):
    parameters = {"MSISDN": "1"}
    expected = request(parameters=parameters, status="NACK", info="88-1 DOES NOT EXIST")
    unexpected = request(parameters=parameters, status="ACK")
    result = run(expected, unexpected, {"type": "pass"})
    assert checks(result) == [
        ("pass", "Received NACK"),
        ("pass", "status"),
        ("pass", "info"),
        ("pass", "Received NACK"),
        ("fail", "status differs"),
        ("pass", "pass"),
    ]


def test_negations(run):
    arguments = {"!status": "ACK", "!info": ""}
    assert checks(run(request(**arguments))) == [
        ("pass", "Received ACK"),
        ("fail", "status must be something else"),
        ("pass", "!info"),
    ]


def test_the_other_spelling(run):
    assert run({**request(), "type": "pi.Request"})["verdict"] == "pass"


def test_expressions_arrays_and_what_later_operations_see(run, fake):
    change = request(
        "CCSCD1=CHG",
        parameters={
            "MSISDN": "{$v->{number}}",
            "BALANCE": "{$i->{PI}{fields}{BALANCE} + 50}",
            "X": ["a", "{1 + 1}", 3, True],
        },
        status="ACK",
    )
    look = {
        "type": "eval",
        "expression": "$v->{got} = $v->{__INBOUND}{PI}{fields}{BALANCE}",
        "tests": [{"kpath": "got", "type": "integer", "value": 1500}],
    }
    result = run(request(), change, look, vars={"number": MSISDN})
    assert result["verdict"] == "pass"
    assert fake.received[1] == f"CCSCD1=CHG:MSISDN={MSISDN},BALANCE=1500,X=a,X=2,X=3,X=1"
    assert fake.subscribers[MSISDN] == {"General Cash": 1500}


def test_what_is_sent_is_evaluated_once_and_what_is_expected_afterwards(run, fake):
    operation = request(
        parameters={"MSISDN": MSISDN, "N": "{$v->{n} += 1}"},
        info="{$i->{PI}{info} . ($v->{n} - 1 ? '!' : '')}",
    )
    result = run(operation, vars={"n": 0})
    assert list(fake.received) == [f"CCSCD1=QRY:MSISDN={MSISDN},N=1"]
    assert checks(result)[1] == ("pass", "info")


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"A": "{'1;' . 'DROP=1'}"}, "arguments.parameters.A: ';' would break the line"),
        ({"A": "{'1,B=2'}"}, "arguments.parameters.A: ',' would break the line"),
        ({"A": "{undef}"}, "PI: parameter A must be a text or a number, or a list of them"),
        ({"A": "{[[1]]}"}, "PI: parameter A must be a text or a number, or a list of them"),
    ],
)
def test_what_can_not_be_sent_aborts(run, fake, parameters, text):
    result = run(request(parameters=parameters))
    assert result["verdict"] == "abort"
    assert text in result["first_call_summary"]["reason"]
    assert list(fake.received) == []


@pytest.mark.parametrize("value", ["5", "[1, 2]", "'A=1'"])
def test_parameters_that_turn_out_to_be_no_object(run, fake, value):
    given = {"type": "eval", "expression": f"$v->{{p}} = {value}"}
    result = run(given, request(parameters="{$v->{p}}"))
    assert (
        result["first_call_summary"]["reason"]
        == "PI: parameters must be an object of values by name"
    )
    assert not fake.received


def test_a_server_that_does_not_answer_aborts_the_instance(run, fake):
    fake.replies = PiFake(replies=[{"command": "CCSCD1=QRY", "is_silent": True}]).replies
    result = run(request())
    assert result["verdict"] == "abort"
    assert result["first_call_summary"]["reason"] == "PI-1: no answer within 2 s"


def test_a_cancelled_run_waits_for_no_answer(ask, fake):
    fake.replies = PiFake(replies=[{"command": "CCSCD1=QRY", "is_silent": True}]).replies
    assert ask("ExecuteTest", run_id="c", operations=[request()])["result"] == "ok"
    until(lambda: fake.received)
    ask("CancelTest", run_id="c")
    result = ask("QueryTest", run_id="c", wait_s=GUARD_S)["result"]
    assert (result["completed"], result["counts"]["cancelled"]) == (1, 1)
    gateways = ask("DescribeService")["result"]["gateways"]
    assert gateways[0]["counters"]["in_use"] == 0


@pytest.mark.parametrize(
    ("arguments", "place", "text"),
    [
        ({"parameters": {}}, "command", "must be a command"),
        ({"command": ""}, "command", "must be a command"),
        ({"command": "A=B", "parameter": {}}, "parameter", "did you mean"),
        ({"command": "A=B", "status": "OK"}, "status", "neither ACK nor NACK"),
        ({"command": "A=B", "parameters": []}, "parameters", "must be an object"),
        ({"command": "A=B", "parameters": {"synstamp": "1"}}, "parameters.synstamp", "gateway"),
        ({"command": "A=B", "parameters": {"MAC": "1"}}, "parameters.MAC", "gateway"),
        ({"command": "A=B", "parameters": {"X": "1\n2"}}, "parameters.X", "line end"),
        ({"command": "A=B", "parameters": {"X": [{}]}}, "parameters.X", "a list of them"),
    ],
)
def test_mistakes_are_found_before_a_run(ask, arguments, place, text):
    operation = {"type": "ocncc.pi.Request", "arguments": arguments}
    problems = ask("ValidateTest", operations=[operation])["result"]["problems"]
    found = {one["path"].removeprefix("params."): one["text"] for one in problems}
    assert text in found[f"operations[0].arguments.{place}"]


def test_the_run_needs_a_pi_application(ask):
    refused = ask("ExecuteTest", run_id="x", operations=[request()], pi="PI-2")
    assert refused["error"]["code"] == 2002
    assert "PI-2" in refused["error"]["message"]


def test_latency_is_counted_by_command(run):
    result = run(request(), request("CCSCD1=CHG", parameters={"MSISDN": MSISDN, "BALANCE": 1}))
    assert "PI CCSCD1=CHG" in json.dumps(result)


def test_messages_are_kept_and_told(run):
    result = run(request(), trace_messages=1)
    told = json.dumps(result)
    assert "CCSCD1=QRY" in told
    assert b"CCSCD1=QRY:MSISDN=6421000001;".hex() in told
    assert "s3cret" not in told


def test_an_undefined_parameter(run):
    asked = request(parameters={"MSISDN": MSISDN, "X": undefined.SOURCE})
    undefined.aborts_if_strict(run, "parameters.X", asked)
