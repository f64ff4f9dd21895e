"""MAP operations through Service, with an SCP that speaks MAP: what they send and receive."""

from kinds.sigtran.map_scp import (
    ATI,
    IDLE,
    NUMBER,
    PUSSR,
    error,
    expect,
    register,
    registered,
    request,
    result,
    send,
)
from kinds.sigtran.map_scp import start as start
from support.scripted_scp import checks, reason, sends, variables

from tsvc.operations.operation import OPERATION_TYPES
from tsvc.protocols.map.dialogue import encode_pdu
from tsvc.protocols.map.operation import OPERATIONS
from tsvc.protocols.tcap.components import Invoke, ReturnResult

MENU = "1: balance\n2: top up"


def texts(scp):
    """Return the USSD texts that the SCP received, in order."""
    found = []
    for _, components in scp.received:
        for one in components:
            if getattr(one, "parameter", None):
                operation = OPERATIONS.get("ProcessUnstructuredSSRequest")
                if isinstance(one, Invoke):
                    tree = operation.decode_argument(one.parameter, "map2", [])
                else:
                    tree = operation.decode_result(one.parameter, "map2", [])
                found.append(tree["ussdString_text"])
    return found


def test_a_whole_ussd_session(start):
    daemon, scp = start(
        sends("continue", request("UnstructuredSSRequest", {"ussdString_text": MENU})),
        sends("continue", request("UnstructuredSSNotify", {"ussdString_text": "wait…"})),
        sends("end", result(PUSSR, {"ussdString_text": "€12.50"})),
    )
    opening = {"destination_reference_digits": "530010000000001", "destination_reference_npi": 6}
    outcome = daemon.run(
        send(
            PUSSR,
            {"ussdString_text": "*100#", "msisdn_digits": NUMBER, "tcap": {"map_open": opening}},
        ),
        expect(
            "UnstructuredSSRequest",
            {"ussdString_text": MENU, "ussdDataCodingScheme_group": 0},
            tcap_ac="ussd2",
            last_component=False,
        ),
        send("UnstructuredSSRequestResult", {"ussdString_text": "1"}),
        expect("UnstructuredSSNotify", {"ussd-String_text": "wait…"}),
        send("UnstructuredSSNotifyResult"),
        expect(f"{PUSSR}Result", {"ussdString_text": "€12.50"}, last_component=True),
        {"type": "eval", "expression": f"$v->{{said}} = $i->{{{PUSSR}Result}}{{ussdString_text}}"},
        hlr_ac="ussd2",
    )
    assert outcome["verdict"] == "pass", reason(outcome)
    assert variables(outcome)["said"] == "€12.50"
    assert texts(scp) == ["*100#", "1"]
    assert scp.pdus[0].user_information == encode_pdu({"map_open": opening})
    assert scp.kinds == ["BEGIN", "CONTINUE", "CONTINUE"]
    daemon.until(lambda: daemon.open_dialogues == (0, 0))


def test_a_text_that_differs_fails(start):
    daemon, _ = start(sends("end", result(PUSSR, {"ussdString_text": "no"})))
    outcome = daemon.run(
        send(PUSSR, {"ussdString_text": "*100#"}),
        expect(f"{PUSSR}Result", {"ussdString_text": "yes", "ussdDataCodingScheme_encoding": 0}),
        hlr_ac="ussd2",
    )
    assert outcome["verdict"] == "fail"
    (failed,) = checks(outcome, "fail")
    assert failed.startswith("ussdString_text")


def test_the_network_goes_on_in_the_session_of_the_mobile(start):
    """The SCP plays the mobile's side, the tester asks in the same dialogue."""
    daemon, scp = start()
    answer = sends("continue", result("UnstructuredSSRequest", {"ussdString_text": "4711"}))
    run = daemon.execute(
        register(59),
        expect(PUSSR, {"tcap": {"map_open": {"origination_reference_digits": "64"}}}),
        send("UnstructuredSSRequest", {"ussdString_text": "PIN?"}),
        expect("UnstructuredSSRequestResult", {"ussdString_text": "4711"}),
        send(f"{PUSSR}Result", {"ussdString_text": "ok"}, send_and_close=True),
        hlr_ac="ussd2",
    )
    daemon.until(lambda: registered(daemon))
    opening = {"destination_reference_digits": NUMBER, "origination_reference_digits": "64"}
    scp.begin(PUSSR, {"ussdString_text": "*1#"}, "ussd2", opening, [answer])
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    assert scp.kinds == ["CONTINUE", "END"]


# -- sent and received --------------------------------------------------------------------------


def test_something_else_comes(start):
    daemon, scp = start(
        sends("continue", request("UnstructuredSSNotify", {"ussdString_text": "1"}))
    )
    outcome = daemon.run(
        send(PUSSR, {"ussdString_text": "*1#"}),
        expect(f"{PUSSR}Result"),
        hlr_ac="ussd2",
    )
    assert reason(outcome) == f"expected {PUSSR}Result, got UnstructuredSSNotify"
    assert scp.kinds == ["BEGIN", "U-ABORT"]


def test_an_error_comes_where_a_result_is_expected(start):
    daemon, _ = start(sends("end", error(72)))
    outcome = daemon.run(
        send("UnstructuredSSNotify", {"ussdString_text": "hi"}),
        expect("UnstructuredSSNotifyResult"),
        hlr_ac="ussd2",
    )
    assert reason(outcome) == (
        "expected UnstructuredSSNotifyResult, got UnstructuredSSNotifyError ussd-Busy"
    )


def test_an_expected_error(start):
    daemon, _ = start(sends("end", error(34, bytes.fromhex("30030a0101"))))
    wanted = {"errorCode": 34, "errorCode_name": "systemFailure"}
    outcome = daemon.run(
        send("AnyTimeInterrogation", ATI),
        expect(
            "AnyTimeInterrogationError", {**wanted, "parameter": {"networkResource_name": "hlr"}}
        ),
        hlr_ac="ati3",
    )
    assert outcome["verdict"] == "pass", reason(outcome)


def test_there_is_nothing_to_answer(start):
    daemon, _ = start()
    outcome = daemon.run(send("AnyTimeInterrogationResult", IDLE))
    assert reason(outcome) == "no dialogue as HLR has been opened"
    outcome = daemon.run(register(), send("AnyTimeInterrogationError", {"errorCode": 1}))
    assert reason(outcome) == "no dialogue as HLR has been opened"


def test_octets_as_they_are(start):
    daemon, scp = start()
    daemon.run(send("UnstructuredSSNotify", raw_hex="0402dead"), hlr_ac="ussd2")
    (invoke,) = scp.components(0)
    assert invoke.parameter == bytes.fromhex("0402dead")


def test_held_components_go_together(start):
    daemon, scp = start(
        sends("continue", request("UnstructuredSSRequest", {"ussdString_text": "?"}))
    )
    outcome = daemon.run(
        send(PUSSR, {"ussdString_text": "*1#"}),
        expect("UnstructuredSSRequest"),
        send("UnstructuredSSRequestResult", {"ussdString_text": "1"}, send_with_next=True),
        send("UnstructuredSSNotify", {"ussdString_text": "2"}, invoke_id=7),
        hlr_ac="ussd2",
    )
    assert outcome["verdict"] == "pass", reason(outcome)
    first, second = scp.components(1)
    assert isinstance(first, ReturnResult)
    assert (second.code, second.invoke_id) == (61, 7)


def test_spellings_of_types_and_members(start):
    daemon, _ = start(sends("end", result("UnstructuredSSRequest", {"ussdString_text": "1"})))
    outcome = daemon.run(
        {
            "type": "map.scp_from_hlr.UnstructuredSSRequestRequest",
            "arguments": {"ussd-String_text": "?"},
        },
        {"type": "map.scp_to_hlr.UnstructuredSSRequestResult", "arguments": {"ussdString": "1"}},
        hlr_ac="ussd2",
    )
    assert outcome["verdict"] == "pass", reason(outcome)


def test_members_of_an_older_version_are_taken(start):
    daemon, scp = start(sends("end", error(1)))
    argument = {
        "msisdn_digits": NUMBER,
        "sm-RP-PRI": 1,
        "serviceCentreAddress_digits": "6421",
        "teleservice_hex": "21",
    }
    outcome = daemon.run(
        send("SendRoutingInfoForSM", argument),
        expect("SendRoutingInfoForSMError"),
        hlr_ac="srism2",
    )
    assert outcome["verdict"] == "pass", reason(outcome)
    assert scp.components(0)[0].parameter.endswith(bytes.fromhex("850121"))


def test_catalogue(daemon):
    found = daemon().call("DescribeService")
    assert found
    for name in OPERATION_TYPES.names():
        if name.startswith("map."):
            described = OPERATION_TYPES.get(name).describe()
            assert described["summary"]
            assert described["example"]["type"] == name
    names = [name for name in OPERATION_TYPES.names() if name.startswith("map.")]
    assert len(names) == 1 + len(OPERATIONS.names()) * 6
