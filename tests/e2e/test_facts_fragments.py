"""The example fragments of the published documentation, restated: each runs or validates.

And where its pages contradict themselves: one test for each slip, named for what is decided.
"""

import json
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from support.applications import as_toml
from support.daemons import FLOW, Daemon
from support.restartable import configure, launch

pytestmark = pytest.mark.e2e

SSP, SRF, HLR = "inap.ssp_", "inap.srf_", "map.hlr_"
IDP = {
    "type": "inap.ssp_to_scp.InitialDP",
    "arguments": {"serviceKey": 45, "calledPartyNumber_digits": "0800432900", "eventTypeBCSM": 3},
}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with the sample flow and an application of every kind."""
    folder = tmp_path_factory.mktemp("facts")
    loopback = f'[scp]\nflows = ["{FLOW}"]\n[application.SIGTRAN]\nmodule = "sigtran"\n'
    started = launch(folder, configure(folder, loopback + as_toml()))
    yield started
    started.stop()


def problems(daemon: Daemon, *operations: dict[str, Any], **params: Any) -> list[dict[str, str]]:
    found = daemon.result("ValidateTest", {"operations": list(operations), **params})
    return [
        {**one, "path": one["path"].removeprefix("params.")}
        for one in found["problems"]
        if one["severity"] == "error"
    ]


# -- fragments that run ------------------------------------------------------------------------


def test_the_request_of_the_overview(daemon: Daemon) -> None:
    params = {
        "run_id": "tr_9538",
        "distribution": {"type": "single"},
        "operations": [
            {
                "type": "inap.ssp_to_scp.InitialDP",
                "arguments": {
                    "serviceKey": 45,
                    "eventTypeBCSM": 3,
                    "callingPartyNumber_digits": "6421000001",
                    "callingPartyNumber_noa": 3,
                },
            }
        ],
    }
    assert daemon.result("ExecuteTest", params) == "ok"
    result = daemon.result("QueryTest", {"run_id": "tr_9538", "wait_s": 60})
    assert (result["completed"], result["run_id"]) == (1, "tr_9538")


def test_eval_branch_and_the_suffix_of_a_number(daemon: Daemon) -> None:
    """Extensions, vars, a loop that adds 3 to 22 until it is 30 or more, and an expression."""
    result = daemon.run(
        {
            "inap": {"extensions": {"400": "OCTET STRING", "401": "OCTET STRING"}},
            "ssp_ac": "camel2",
            "vars": {"suffix": "432900", "cli": "0211234567"},
            "operations": [
                {"type": "eval", "expression": "$v->{cause} = 22"},
                {"type": "eval", "expression": "$v->{cause} = $v->{cause} + 3", "label": "add"},
                {"type": "branch", "expression": "$v->{cause} < 30", "on_true": "add"},
                {
                    "type": "eval",
                    "expression": "1",
                    "tests": [{"kpath": "cause", "type": "integer", "value": 31}],
                },
                {
                    "type": "inap.ssp_to_scp.InitialDP",
                    "arguments": {
                        "serviceKey": 45,
                        "calledPartyNumber_digits": "{'1800' . $v->{suffix}}",
                        "callingPartyNumber_digits": "{$v->{cli}}",
                        "eventTypeBCSM": 2,
                    },
                },
                {
                    "type": "inap.ssp_from_scp.RequestReportBCSMEvent",
                    "arguments": {"oAbandon": 1},
                },
                {"type": "inap.ssp_from_scp.ConnectToResource"},
                {"type": "inap.ssp_from_scp.PromptAndCollectUserInformation"},
            ],
        }
    )
    assert result["verdict"] == "pass", result["first_call_summary"]


def test_a_literal_brace(daemon: Daemon) -> None:
    result = daemon.run(
        {
            "vars": {"text": "\\{no expression}"},
            "operations": [
                {
                    "type": "eval",
                    "expression": "1",
                    "tests": [{"kpath": "text", "value": "\\{no expression}"}],
                }
            ],
        }
    )
    assert result["verdict"] == "pass"


KPATH_ROWS = {"rows": [{"a": 1}, {"a": 2}, {"a": 3}], "one": [{"name": "N", "value": "V"}]}


@pytest.mark.parametrize(
    ("kpath", "value"),
    [
        ("returned.rows.[2].a", "3"),
        ("returned.one.[name=N].value", "V"),
        ("returned.one.[name=N].[0].value", "V"),
        ("returned.list.split(',').[1]", "b"),
        ("returned.nothing.default('x')", "x"),
        ("returned.nothing.default(10)", "10"),
        ("returned.num\\.started.[0]", "7"),
        ("returned.one.value", "V"),
        ("returned.nothing", None),
    ],
)
def test_kpath(daemon: Daemon, kpath: str, value: str | None) -> None:
    returned = {**KPATH_ROWS, "list": "a,b,c", "num.started": 7}
    test = {"kpath": kpath, "type": "string", "value": value, "abort_on_fail": 1}
    result = daemon.run(
        {
            "vars": {"returned": returned},
            "operations": [{"type": "eval", "expression": "1", "tests": [test]}],
        }
    )
    assert result["verdict"] == "pass", result["first_call_summary"]


def test_halt_and_resume(daemon: Daemon) -> None:
    halt = {"type": "halt", "arguments": {"seconds": 60, "comment": "look at the switch"}}
    assert daemon.result("ExecuteTest", {"run_id": "halted", "operations": [halt]}) == "ok"
    while not (found := daemon.result("QueryTest", {"run_id": "halted"})["halted"]):
        pass
    assert found[0]["comment"] == "look at the switch"
    params = {"run_id": "halted", "instance_id": found[0]["instance_id"]}
    assert daemon.result("ResumeInstance", params) == {"resumed": 1}
    result = daemon.result("QueryTest", {"run_id": "halted", "wait_s": 60})
    assert result["verdict"] == "pass"


# -- fragments that validate -------------------------------------------------------------------

FRAGMENTS: dict[str, dict[str, Any]] = {
    "wait": {"type": "wait", "arguments": {"seconds": "5"}},
    "initial dp": {
        "type": "inap.ssp_to_scp.InitialDP",
        "tcap_ac": "04000101010003",
        "arguments": {
            "serviceKey": "341",
            "locationNumber_digits": "6421",
            "locationNumber_noa": 4,
            "callingPartysCategory_hex": "0a",
            "mscAddress_digits": "6421999",
            "mscAddress_noa": 1,
            "eventTypeBCSM": "2",
        },
    },
    "event report": {
        "type": "inap.scp_from_ssp.EventReportBCSM",
        "arguments": {
            "eventTypeBCSM": 9,
            "eventSpecificInformationBCSM": {
                "oDisconnectSpecificInfo": {"releaseCause_cause": 16}
            },
            "legID": {"receivingSideID_hex": "01"},
        },
    },
    "event report by name": {
        "type": "inap.ssp_to_scp.EventReportBCSM",
        "arguments": {"eventTypeBCSM_name": "oDisconnectLeg1"},
    },
    "apply charging report, camel": {
        "type": "inap.ssp_to_scp.ApplyChargingReport",
        "variant": "camel",
        "arguments": {
            "timeDurationChargingResult": {
                "callActive": 1,
                "timeInformation": {"timeIfNoTariffSwitch": 300},
                "partyToCharge": {"receivingSideID_hex": "01"},
            }
        },
    },
    "apply charging report, octets": {
        "type": "inap.ssp_to_scp.ApplyChargingReport",
        "variant": "cs1",
        "arguments": {"CallResult_hex": "8001ff"},
    },
    "call information report": {
        "type": "inap.ssp_to_scp.CallInformationReport",
        "arguments": {
            "requestedInformationList": [
                {
                    "requestedInformationType": 0,
                    "requestedInformationValue": {"callAttemptElapsedTimeValue": 3},
                },
                {
                    "requestedInformationType": 2,
                    "requestedInformationValue": {"callConnectedElapsedTimeValue": 30},
                },
                {
                    "requestedInformationType": 30,
                    "requestedInformationValue": {"releaseCauseValue_cause": 16},
                },
            ]
        },
    },
    "activity test result": {"type": "inap.ssp_to_scp.ActivityTestResult"},
    "collected digits": {
        "type": "inap.ssp_to_scp.PromptAndCollectUserInformationResult",
        "arguments": {"digitsResponse_digits": "1234", "digitsResponse_type": 0},
    },
    "announcement error": {
        "type": "inap.srp_to_scp.PlayAnnouncementError",
        "arguments": {"errorCode": 13},
    },
    "assist": {
        "type": "inap.srp_to_scp.AssistRequestInstructions",
        "arguments": {
            "correlationID_digits": "{$i->{EstablishTemporaryConnection}{correlationID_digits}}",
            "correlationID_noa": 3,
            "correlationID_nqi": 0,
        },
    },
    "connect": {
        "type": "inap.scp_to_ssp.Connect",
        "variant": "cs1",
        "arguments": {
            "destinationRoutingAddress_digits": "1234",
            "destinationRoutingAddress_noa": 3,
            "cutAndPaste": None,
            "!alertingPattern": None,
        },
    },
    "release call": {
        "type": "inap.ssp_from_scp.ReleaseCall",
        "arguments": {"initialCallSegment_cause": 31, "initialCallSegment_location": 0},
        "last_component": 1,
    },
    "extensions": {
        "type": "inap.ssp_from_scp.ContinueWithArgument",
        "variant": "cs2",
        "arguments": {
            "extensions": [{"type": 400, "criticality": 0}],
            "legID": {"sendingSideID_hex": "01"},
        },
    },
    "send charging information": {"type": "inap.ssp_from_scp.SendChargingInformation"},
    "armed events": {
        "type": "inap.ssp_from_scp.RequestReportBCSMEvent",
        "arguments": {
            "oCalledPartyBusy": 1,
            "routeSelectFailure": 1,
            "oNoAnswer": 1,
            "oNoAnswer_timer": 300,
            "oDisconnectLeg1": 1,
            "oDisconnectLeg2": 1,
            "oAbandon": 1,
        },
    },
    "apply charging, camel": {
        "type": "inap.ssp_from_scp.ApplyCharging",
        "variant": "camel",
        "arguments": {
            "aChBillingChargingCharacteristics": {
                "timeDurationCharging": {
                    "maxCallPeriodDuration": 3000,
                    "releaseIfdurationExceeded": 1,
                    "tone": 1,
                }
            }
        },
    },
    "furnish charging, octets": {
        "type": "inap.ssp_from_scp.FurnishChargingInformation",
        "variant": "cs1",
        "arguments": {"FCIBillingChargingCharacteristics_hex": "0102"},
    },
    "connect to resource": {
        "type": "inap.ssp_from_scp.ConnectToResource",
        "arguments": {"resourceAddress": {"none": 1}},
    },
    "temporary connection": {
        "type": "inap.ssp_from_scp.EstablishTemporaryConnection",
        "arguments": {"assistingSSPIPRoutingAddress_digits": "64900"},
    },
    "announcement": {
        "type": "inap.scp_to_srp.PlayAnnouncement",
        "arguments": {
            "informationToSend": {
                "inbandInfo": {
                    "messageID": {
                        "variableMessage": {
                            "elementaryMessageID": 12,
                            "variableParts": [{"number_digits": "123"}],
                        }
                    }
                }
            }
        },
    },
    "announcement in words": {
        "type": "inap.ssp_from_scp.PlayAnnouncement",
        "arguments": {
            "informationToSend": {
                "inbandInfo": {"messageID": {"text": {"messageContent": "hello"}}}
            }
        },
    },
    "prompt": {
        "type": "inap.srf_from_scp.PromptAndCollectUserInformation",
        "arguments": {
            "collectedInfo": {
                "collectedDigits": {"minimumNbOfDigits": 1, "maximumNbOfDigits": "4"}
            }
        },
    },
    "abort by the provider": {"type": "tcap.ssp_to_scp.Abort", "arguments": {"p_cause": 4}},
    "expected abort": {
        "type": "tcap.ssp_from_scp.Abort",
        "tcap_result": 1,
        "tcap_result_diagnostic_user": 2,
        "tcap_result_diagnostic_provider": None,
        "arguments": {"u_source": 0},
    },
    "register": {
        "type": "map.hlr_from_scp.Register",
        "arguments": {"opcode": 71, "msisdn_digits": "6421000001"},
    },
    "any time interrogation": {
        "type": "map.hlr_from_scp.AnyTimeInterrogationRequest",
        "arguments_not_used": 1,
    },
    "ussd": {
        "type": "map.hlr_to_scp.ProcessUnstructuredSSRequest",
        "tcap_ac": "ussd2",
        "arguments": {
            "ussdString_text": "*100#",
            "msisdn_digits": "6421000001",
            "tcap": {"map_open": {"destination_reference_digits": "530011234"}},
        },
    },
    "diameter": {
        "type": "diameter.Request",
        "arguments": {
            "name": "Credit-Control-Request",
            "avps": [
                {"name": "Session-Id_auto", "value": 1},
                {"name": "CC-Request-Type", "value": "1"},
            ],
        },
        "tests": [{"kpath": "response.avps.[name=Origin-Host].value", "value": "ocs"}],
    },
    "diameter from the server": {
        "type": "diameter.from_server.Request",
        "arguments": {"code": 258, "seconds": 10},
    },
    "pi": {
        "type": "ocncc.pi.Request",
        "arguments": {
            "command": "CCSCD1=QRY",
            "parameters": {"MSISDN": "6421000001"},
            "status": "ACK",
        },
        "tests": [{"kpath": "info", "type": "regex", "pattern": "BALANCE"}],
    },
    "osd": {
        "type": "ocncc.osd.Request",
        "arguments": {
            "action": "query",
            "wsdl_url": "http://127.0.0.1/osd.wsdl",
            "operation": "Query",
            "parameters": {"msisdn": "6421000001"},
        },
        "tests": [{"kpath": "returned.rows.[2].a", "value": "1"}],
    },
    "db": {
        "type": "db.smf.CcsAcctExists",
        "arguments": {"be_acct_id": "17"},
        "tests": [{"kpath": "rows.Exists", "type": "integer", "value": 1}],
    },
    "rest": {
        "type": "rest.SendRequest",
        "arguments": {
            "path": "/balance",
            "method": "POST",
            "content_type": "application/json",
            "content": {"id": 1},
            "http_headers": [{"name": "X-A", "value": "1"}],
        },
    },
    "rest answer": {
        "type": "rest.ExpectResponse",
        "tests": [
            {"kpath": "rest.code", "type": "integer", "value": 200},
            {"kpath": "rest.http_headers.[name=Server].[0].value", "value": "x"},
        ],
    },
    "smpp": {
        "type": "smpp.smsc_to_esme.Request",
        "arguments": {
            "pdu": "deliver_sm",
            "parameters": {"source_addr": "64211", "short_message": "hi"},
        },
        "tests": [{"kpath": "command_status", "type": "integer", "value": 0}],
    },
}


@pytest.mark.parametrize("name", FRAGMENTS)
def test_fragment(daemon: Daemon, name: str) -> None:
    fragment = FRAGMENTS[name]
    # what an answer needs before it: a dialogue of the role, whatever happens in it
    hlr_ac = "ussd2" if fragment["type"].startswith("map.") else None
    assert problems(daemon, fragment, ssp_ac="", hlr_ac=hlr_ac) == []


# -- slips, as the facts number them -----------------------------------------------------------


def test_slip_1_completed_is_1_when_it_is(daemon: Daemon) -> None:
    assert daemon.run({"operations": [{"type": "pass"}]})["completed"] == 1
    params = {"run_id": "going on", "operations": [{"type": "halt"}]}
    assert daemon.result("ExecuteTest", params) == "ok"
    assert daemon.result("QueryTest", {"run_id": "going on"})["completed"] == 0
    daemon.result("CancelTest", {"run_id": "going on"})


@pytest.mark.parametrize("given", [1, "2", "x"])
def test_slip_2_the_id_is_echoed_as_it_came(daemon: Daemon, given: Any) -> None:
    request = {"jsonrpc": "2.0", "method": "QueryAllTests", "params": {}, "id": given}
    assert daemon.request(json.dumps(request).encode())["id"] == given


def test_slip_3_params_is_an_object_and_may_be_missing(daemon: Daemon) -> None:
    with daemon.connect() as sock:
        body = json.dumps({"jsonrpc": "2.0", "method": "QueryAllTests", "id": 1}).encode()
        sock.sendall(struct.pack("!I", len(body)) + body)
        assert b'"tests"' in sock.makefile("rb").read()
    assert daemon.call("QueryAllTests", "a string")["error"]["code"] == 1000


def test_slip_4_mirrored_names_mean_the_same(daemon: Daemon) -> None:
    idp = {**IDP, "type": "inap.scp_from_ssp.InitialDP"}
    expected = {"type": "inap.scp_to_ssp.RequestReportBCSMEvent", "arguments": {"oAbandon": 1}}
    result = daemon.run({"ssp_ac": "camel2", "operations": [idp, expected]})
    texts = [check["text"] for check in result["first_call_summary"]["check_log"]]
    assert "Received RequestReportBCSMEvent" in texts


@pytest.mark.parametrize("role", ["srp", "srf"])
def test_slip_5_srp_and_srf_are_one(daemon: Daemon, role: str) -> None:
    begin = {
        "type": f"inap.{role}_to_scp.AssistRequestInstructions",
        "arguments": {"correlationID_digits": "12345678"},
    }
    expected = {"type": f"inap.{role}_from_scp.PlayAnnouncement"}
    assert problems(daemon, begin, expected) == []


def test_slip_6_branch_is_of_type_branch(daemon: Daemon) -> None:
    entries = [
        {"type": "branch", "expression": "1", "on_true": "end"},
        {"type": "abort"},
        {"type": "pass", "label": "end"},
    ]
    assert daemon.run({"operations": entries})["verdict"] == "pass"
    wrong = {"type": "eval", "expression": "1", "on_true": "end"}
    assert problems(daemon, wrong)[0]["path"] == "operations[0].on_true"


def test_slip_7_capitals_in_a_type_do_not_matter(daemon: Daemon) -> None:
    entry = {"type": "inap.ssp_FROM_scp.Continue"}
    assert problems(daemon, IDP, entry) == []
    register = {"pdu": "submit_sm", "destination_addr": "777"}
    receive = {"pdu": "submit_sm"}
    assert problems(daemon, {"type": "smpp.smsc_FROM_esme.Request", "arguments": receive}) == []
    for direction in ("from", "to"):
        type_ = f"smpp.smsc_{direction}_esme.Register"
        assert problems(daemon, {"type": type_, "arguments": register}) == []


def test_slip_8_smpp_fields_are_in_parameters(daemon: Daemon) -> None:
    given = {"pdu": "deliver_sm", "parameters": {"short_message": "hi"}}
    assert problems(daemon, {"type": "smpp.smsc_to_esme.Request", "arguments": given}) == []


def test_slip_9_a_test_without_a_type_compares_texts(daemon: Daemon) -> None:
    def verdict(value: str) -> Any:
        test = {"kpath": "x", "value": value}
        entry = {"type": "eval", "expression": "$v->{x} = '7'", "tests": [test]}
        return daemon.run({"operations": [entry]})["verdict"]

    assert (verdict("7"), verdict("07")) == ("pass", "fail")


def test_slip_10_resumed_is_a_number(daemon: Daemon) -> None:
    assert daemon.result("ExecuteTest", {"run_id": "r10", "operations": [{"type": "halt"}]})
    while not daemon.result("QueryTest", {"run_id": "r10"})["halted"]:
        pass
    answer = daemon.result("ResumeInstance", {"run_id": "r10", "instance_id": "0"})
    assert answer == {"resumed": 1}
    assert type(answer["resumed"]) is int


def test_slip_11_a_name_steps_into_a_list_of_one(daemon: Daemon) -> None:
    test = {"kpath": "rows.Exists", "type": "integer", "value": 1}
    entry = {"type": "eval", "expression": "$v->{rows} = [{Exists => 1}]", "tests": [test]}
    assert daemon.run({"operations": [entry]})["verdict"] == "pass"


def test_slip_12_numbers_may_be_strings(daemon: Daemon) -> None:
    arguments = {**IDP["arguments"], "serviceKey": "45", "eventTypeBCSM": "2"}  # type: ignore[dict-item]
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


def test_slip_13_the_method_is_execute_test(daemon: Daemon) -> None:
    error = daemon.call("ExecuteReport", {"operations": [{"type": "pass"}]})["error"]
    assert error["code"] == 1001
    assert "ExecuteReport" in error["message"]


# -- hostile definitions, and a run beside them -------------------------------------------------

HOSTILE = {
    "a loop without end": {
        "operations": [{"type": "branch", "label": "a", "expression": "1", "on_true": "a"}]
    },
    "a text without end": {
        "operations": [
            {"type": "eval", "expression": "$v->{x} = 'x' x 1000"},
            {"type": "eval", "label": "a", "expression": "$v->{x} .= $v->{x}"},
            {"type": "branch", "expression": "1", "on_true": "a"},
        ]
    },
    "a repetition": {"operations": [{"type": "eval", "expression": "('x' x 1000000) x 1000000"}]},
    "a pattern": {
        "operations": [
            {"type": "eval", "expression": "('a' x 3000000) =~ /^(a+)+$/ ? 1 : 0; 'x' x 99999999"}
        ]
    },
    "a list of lists": {
        "operations": [
            {"type": "eval", "expression": "join ',', map { join ',', (1) x 100000 } (1) x 100000"}
        ]
    },
    "itself": {
        "operations": [
            {"type": "eval", "expression": "$v->{x} = $v; push @{$v->{l}}, $v->{l}, $v"},
            {"type": "eval", "label": "a", "expression": "$v->{y} = {x => $v->{x}, y => $v->{y}}"},
            {"type": "branch", "expression": "1", "on_true": "a"},
        ]
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_definition_ends_and_disturbs_nobody(daemon: Daemon, name: str) -> None:
    """Counts, not times: every start of the run beside it is made, and every one passes."""
    neighbour = {
        "run_id": f"beside {name}",
        "operations": [{"type": "eval", "expression": "$g->{n} += 1"}],
        "distribution": {"type": "linear", "total": 60, "backlog": 60, "cps": 60},
    }
    assert daemon.result("ExecuteTest", neighbour) == "ok"
    result = daemon.run(HOSTILE[name])
    first = result["first_call_summary"]
    assert (result["verdict"], bool(first["reason"])) == ("abort", True), first
    beside = daemon.result("QueryTest", {"run_id": neighbour["run_id"], "wait_s": 60})
    counts = beside["counts"]
    assert (counts["planned"], counts["passed"]) == (60, 60), counts
    assert beside["globals"] == {"n": 60}


@pytest.mark.parametrize(
    "expression",
    ["(" * 5000 + "1" + ")" * 5000, "[" * 3000, "!" * 20000 + "1", "1+" * 200000 + "1"],
    ids=["brackets", "open", "not", "long"],
)
def test_a_hostile_expression_is_refused_at_once(daemon: Daemon, expression: str) -> None:
    found = problems(daemon, {"type": "eval", "expression": expression})
    assert [one["path"] for one in found] == ["operations[0].expression"]
    assert len(found[0]["text"].split("\n")[0]) < 100
