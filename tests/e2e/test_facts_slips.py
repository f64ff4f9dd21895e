"""Contradictions in the published documentation: a test for each, numbered as there.

Each test is named for the decision.
"""

import json
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from e2e.facts_daemon import daemon_in, problems
from support.daemons import DaemonProcess

pytestmark = pytest.mark.e2e

IDP: dict[str, Any] = {
    "type": "inap.ssp_to_scp.InitialDP",
    "arguments": {"serviceKey": 45, "calledPartyNumber_digits": "0800432900", "eventTypeBCSM": 3},
}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    yield from daemon_in(tmp_path_factory.mktemp("facts"))


def test_slip_1_completed_is_1_when_it_is(daemon: DaemonProcess) -> None:
    assert daemon.run({"operations": [{"type": "pass"}]})["completed"] == 1
    params = {"run_id": "going on", "operations": [{"type": "halt"}]}
    assert daemon.result("ExecuteTest", params) == "ok"
    assert daemon.result("QueryTest", {"run_id": "going on"})["completed"] == 0
    daemon.result("CancelTest", {"run_id": "going on"})


@pytest.mark.parametrize("given", [1, "2", "x"])
def test_slip_2_the_id_is_echoed_as_it_came(daemon: DaemonProcess, given: Any) -> None:
    request = {"jsonrpc": "2.0", "method": "QueryAllTests", "params": {}, "id": given}
    assert daemon.request(json.dumps(request).encode())["id"] == given


def test_slip_3_params_is_an_object_and_may_be_missing(daemon: DaemonProcess) -> None:
    with daemon.connect() as sock:
        body = json.dumps({"jsonrpc": "2.0", "method": "QueryAllTests", "id": 1}).encode()
        sock.sendall(struct.pack("!I", len(body)) + body)
        assert b'"tests"' in sock.makefile("rb").read()
    assert daemon.call("QueryAllTests", "a string")["error"]["code"] == 1000


def test_slip_4_mirrored_names_mean_the_same(daemon: DaemonProcess) -> None:
    idp = {**IDP, "type": "inap.scp_from_ssp.InitialDP"}
    expected = {"type": "inap.scp_to_ssp.RequestReportBCSMEvent", "arguments": {"oAbandon": 1}}
    result = daemon.run({"ssp_ac": "camel2", "operations": [idp, expected]})
    texts = [check["text"] for check in result["first_call_summary"]["check_log"]]
    assert "Received RequestReportBCSMEvent" in texts


@pytest.mark.parametrize("role", ["srp", "srf"])
def test_slip_5_srp_and_srf_are_one(daemon: DaemonProcess, role: str) -> None:
    begin = {
        "type": f"inap.{role}_to_scp.AssistRequestInstructions",
        "arguments": {"correlationID_digits": "12345678"},
    }
    expected = {"type": f"inap.{role}_from_scp.PlayAnnouncement"}
    assert problems(daemon, begin, expected) == []


def test_slip_6_branch_is_of_type_branch(daemon: DaemonProcess) -> None:
    entries = [
        {"type": "branch", "expression": "1", "on_true": "end"},
        {"type": "abort"},
        {"type": "pass", "label": "end"},
    ]
    assert daemon.run({"operations": entries})["verdict"] == "pass"
    wrong = {"type": "eval", "expression": "1", "on_true": "end"}
    assert problems(daemon, wrong)[0]["path"] == "operations[0].on_true"


def test_slip_7_capitals_in_a_type_do_not_matter(daemon: DaemonProcess) -> None:
    entry = {"type": "inap.ssp_FROM_scp.Continue"}
    assert problems(daemon, IDP, entry) == []
    register = {"pdu": "submit_sm", "destination_addr": "777"}
    receive = {"pdu": "submit_sm"}
    assert problems(daemon, {"type": "smpp.smsc_FROM_esme.Request", "arguments": receive}) == []
    for direction in ("from", "to"):
        type_ = f"smpp.smsc_{direction}_esme.Register"
        assert problems(daemon, {"type": type_, "arguments": register}) == []


def test_slip_8_smpp_fields_are_in_parameters(daemon: DaemonProcess) -> None:
    given = {"pdu": "deliver_sm", "parameters": {"short_message": "hi"}}
    assert problems(daemon, {"type": "smpp.smsc_to_esme.Request", "arguments": given}) == []


def test_slip_9_a_test_without_a_type_compares_texts(daemon: DaemonProcess) -> None:
    def verdict(value: str) -> Any:
        test = {"kpath": "x", "value": value}
        entry = {"type": "eval", "expression": "$v->{x} = '7'", "tests": [test]}
        return daemon.run({"operations": [entry]})["verdict"]

    assert (verdict("7"), verdict("07")) == ("pass", "fail")


def test_slip_10_resumed_is_a_number(daemon: DaemonProcess) -> None:
    assert daemon.result("ExecuteTest", {"run_id": "r10", "operations": [{"type": "halt"}]})
    while not daemon.result("QueryTest", {"run_id": "r10"})["halted"]:
        pass
    answer = daemon.result("ResumeInstance", {"run_id": "r10", "instance_id": "0"})
    assert answer == {"resumed": 1}
    assert type(answer["resumed"]) is int


def test_slip_11_a_name_steps_into_a_list_of_one(daemon: DaemonProcess) -> None:
    test = {"kpath": "rows.Exists", "type": "integer", "value": 1}
    entry = {"type": "eval", "expression": "$v->{rows} = [{Exists => 1}]", "tests": [test]}
    assert daemon.run({"operations": [entry]})["verdict"] == "pass"


def test_slip_12_numbers_may_be_strings(daemon: DaemonProcess) -> None:
    arguments = {**IDP["arguments"], "serviceKey": "45", "eventTypeBCSM": "2"}
    idp = {**IDP, "arguments": arguments}
    wait = {"type": "wait", "arguments": {"seconds": "0"}}
    armed = {
        "type": "inap.ssp_from_scp.RequestReportBCSMEvent",
        "arguments": {"bcsmEvents": [{"eventTypeBCSM": "10", "monitorMode": "1"}]},
    }
    result = daemon.run({"ssp_ac": "camel2", "trace_level": "1", "operations": [idp, wait, armed]})
    checks = result["first_call_summary"]["check_log"]
    assert [check["level"].lower() for check in checks if "bcsmEvents" in check["text"]]
    assert not [check for check in checks if check["level"].lower() == "fail"]


def test_slip_13_the_method_is_execute_test(daemon: DaemonProcess) -> None:
    error = daemon.call("ExecuteReport", {"operations": [{"type": "pass"}]})["error"]
    assert error["code"] == 1001
    assert "ExecuteReport" in error["message"]
