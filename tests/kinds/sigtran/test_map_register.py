"""MAP dialogues that the SCP begins: the instance that gets them, and how they continue."""

import pytest
from kinds.sigtran.map_scp import (
    ATI,
    IDENTITY,
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
from support.scripted_scp import reason, sends, variables

from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.map.dialogue import encode_pdu
from tsvc.protocols.map.operation import OPERATIONS
from tsvc.protocols.tcap.dialogue import IndicationKind


def test_an_any_time_interrogation(start):
    daemon, scp = start()
    run = daemon.execute(
        register(),
        expect("AnyTimeInterrogationRequest", IDENTITY, tcap_ac="ati3", last_component=False),
        {
            "type": "eval",
            "expression": "$v->{who} = $i->{AnyTimeInterrogationRequest}{subscriberIdentity}"
            "{msisdn_digits}",
        },
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    assert variables(outcome)["who"] == NUMBER
    ((kind, (answer,)),) = scp.received
    assert kind is IndicationKind.END
    tree = OPERATIONS.get("AnyTimeInterrogation").decode_result(answer.parameter, "map3", [])
    assert tree == IDLE
    assert scp.pdus[0].application_context == BY_ALIAS["ati3"].octets
    assert registered(daemon) == 0
    daemon.until(lambda: daemon.open_dialogues == (0, 0))


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({"imsi_digits": "530010000000001"}, {"imsi_digits": "530010000000001"}),
        ({"msisdn_digits": NUMBER, "imsi_digits": "53001"}, {"imsi_digits": "53001"}),
        ({"msisdn_digits": ""}, {"msisdn_digits": "1234"}),
    ],
)
def test_registered_by_imsi_or_anyone(start, given, asked):
    daemon, scp = start()
    run = daemon.execute(
        register("AnyTimeInterrogation", **given),
        expect("AnyTimeInterrogation"),
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", {**ATI, "subscriberIdentity": asked})
    assert daemon.finish(run)["verdict"] == "pass"
    assert registered(daemon) == 0


def test_who_is_named_comes_before_anyone(start):
    daemon, scp = start()
    run = daemon.execute(
        {**register(opcode := 71, msisdn_digits=""), "dialogue": "anyone"},
        {**register(opcode), "dialogue": "named"},
        expect("AnyTimeInterrogation", dialogue="named"),
        send("AnyTimeInterrogationResult", IDLE, dialogue="named", send_and_close=True),
        expect("AnyTimeInterrogation", dialogue="anyone"),
        send("AnyTimeInterrogationResult", IDLE, dialogue="anyone", send_and_close=True),
    )
    daemon.until(lambda: registered(daemon) == 2)
    scp.begin("AnyTimeInterrogation", ATI)
    scp.begin("AnyTimeInterrogation", ATI)
    assert daemon.finish(run)["verdict"] == "pass"


def test_a_request_finds_its_own_dialogue_though_another_is_newer(start):
    daemon, scp = start(sends("end", result(PUSSR, {"ussdString_text": "ok"})))
    run = daemon.execute(
        register(),
        send(PUSSR, {"ussdString_text": "*1#"}, tcap_ac="ussd2"),
        expect("AnyTimeInterrogation"),
        expect(f"{PUSSR}Result"),
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
    )
    daemon.until(lambda: scp.received)
    scp.begin("AnyTimeInterrogation", ATI)
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)


def test_an_error_with_its_parameter(start):
    daemon, scp = start()
    run = daemon.execute(
        register(),
        expect("AnyTimeInterrogation"),
        send(
            "AnyTimeInterrogationError",
            {"errorCode": "systemFailure", "parameter": {"networkResource": "hlr"}},
            send_and_close=True,
        ),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    assert daemon.finish(run)["verdict"] == "pass"
    ((_, (answer,)),) = scp.received
    assert (answer.code, answer.parameter.hex()) == (34, "30030a0101")


def test_a_begin_without_components_is_answered_at_once(start):
    """A short message too long for a BEGIN with a dialogue portion comes in a CONTINUE."""
    deliver = OPERATIONS.get("MT-ForwardSM").example
    daemon, scp = start()
    run = daemon.execute(
        register(44, imsi_digits="530010000000001"),
        expect("MT-ForwardSM", {"sm-RP-DA": {"imsi_digits": "530010000000001"}}),
        send("MT-ForwardSMResult", {}, send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    opening = {"destination_reference_digits": "530010000000001"}
    message = sends("continue", request("MT-ForwardSM", deliver))
    scp.begin(context="mtsm3", opening=opening, reactions=[message])
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    assert scp.kinds == ["CONTINUE", "END"]
    assert scp.pdus[0].user_information == encode_pdu({"map_accept": {}})


UPDATE = {
    "imsi_digits": "530010000000001",
    "msc-Number_digits": "6421000050",
    "vlr-Number_digits": "6421000051",
}


@pytest.mark.parametrize(
    ("context", "version", "octets"),
    [
        (None, "map1", "0406914612000006"),  # the number alone
        ("ul2", "map2", "30080406914612000006"),
        ("ul3", "map3", "30080406914612000006"),
    ],
)
def test_a_location_update(start, context, version, octets):
    daemon, scp = start()
    run = daemon.execute(
        register(2, imsi_digits="530010000000001"),
        expect("UpdateLocation", UPDATE, tcap_ac=context, variant=version),
        send(
            "UpdateLocationResult",
            {"hlrNumber_digits": "6421000060"},
            variant=version,
            send_and_close=True,
        ),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("UpdateLocation", UPDATE, context, version=version)
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    ((kind, (answer,)),) = scp.received
    assert kind is IndicationKind.END
    assert answer.parameter == bytes.fromhex(octets)


def test_tcap_operations_work_on_registered_dialogues(start):
    daemon, scp = start()
    run = daemon.execute(
        register(),
        expect("AnyTimeInterrogation"),
        {"type": "tcap.hlr_to_scp.Abort", "arguments": {"u_source": 0}},
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    assert daemon.finish(run)["verdict"] == "pass"
    assert scp.kinds == ["U-ABORT"]


def test_a_load_in_which_each_instance_owns_its_number(start):
    """Each instance asks for routing information, which makes the SCP ask for its subscriber."""

    def ask_back(scp, dialogue, indication):
        operation = OPERATIONS.get("SendRoutingInfo")
        tree = operation.decode_argument(indication.components[0].parameter, "map3", [])
        identity = {"subscriberIdentity": {"msisdn_digits": tree["msisdn_digits"]}}
        scp.begin("AnyTimeInterrogation", {**ATI, **identity})

    reaction = sends("end", error(1))
    daemon, _ = start(lambda *given: (reaction(*given), ask_back(*given)))
    number = "{'64' . (21000000 + $r->{idx})}"
    routing = {
        "msisdn_digits": number,
        "interrogationType": "basicCall",
        "gmsc-OrGsmSCF-Address_digits": "6421000099",
    }
    outcome = daemon.run(
        register(msisdn_digits=number),
        send("SendRoutingInfo", routing, tcap_ac="sri3"),
        expect("SendRoutingInfoError", {"errorCode": 1}),
        expect("AnyTimeInterrogation", {"subscriberIdentity": {"msisdn_digits": number}}),
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
        distribution={"type": "load", "total": 60, "backlog": 20},
    )
    assert outcome["counts"]["passed"] == 60, outcome["counts"]
    assert registered(daemon) == 0
    daemon.until(lambda: daemon.open_dialogues == (0, 0))


# -- what goes wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize("context", ["ati3", None])
def test_a_begin_that_nobody_registered_is_aborted(start, context):
    daemon, scp = start()
    run = daemon.execute(
        register(msisdn_digits="6421000002"),
        expect("AnyTimeInterrogation"),
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI, context)
    assert scp.kinds == ["U-ABORT"]
    assert registered(daemon) == 1
    identity = {"subscriberIdentity": {"msisdn_digits": "6421000002"}}
    scp.begin("AnyTimeInterrogation", {**ATI, **identity})
    assert daemon.finish(run)["verdict"] == "pass"


def test_registrations_end_with_the_instance(start):
    daemon, scp = start()
    assert daemon.run(register())["verdict"] == "pass"
    assert registered(daemon) == 0
    scp.begin("AnyTimeInterrogation", ATI)
    assert scp.kinds == ["U-ABORT"]
    assert daemon.run(register())["verdict"] == "pass"


def test_a_cancelled_run_leaves_no_registration(start):
    daemon, _ = start()
    run = daemon.execute(register(), expect("AnyTimeInterrogation", seconds=60))
    daemon.until(lambda: registered(daemon))
    daemon.call("CancelTest", run_id=run)
    daemon.until(lambda: registered(daemon) == 0)


def test_one_number_is_registered_once(start):
    daemon, _ = start()
    outcome = daemon.run(register(), register(59), register())
    assert outcome["verdict"] == "abort"
    assert reason(outcome) == f"Register: msisdn {NUMBER} is registered already for operation 71"
    assert registered(daemon) == 0
    outcome = daemon.run(register(msisdn_digits=""), register(msisdn_digits=""))
    assert "any subscriber is registered already" in reason(outcome)


def test_nothing_comes(start):
    daemon, _ = start()
    outcome = daemon.run(register(), expect("AnyTimeInterrogation", seconds=0.01))
    assert reason(outcome) == "expected AnyTimeInterrogation, nothing came within 0.01 s"
    outcome = daemon.run(register(), expect("AnyTimeInterrogation", seconds=0.01, optional=True))
    assert outcome["verdict"] == "pass"


def test_an_unanswered_request_is_aborted_at_the_end(start):
    daemon, scp = start()
    run = daemon.execute(register(), expect("AnyTimeInterrogation"))
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    assert daemon.finish(run)["verdict"] == "pass"
    daemon.until(lambda: scp.received)
    assert scp.kinds == ["U-ABORT"]


def test_a_request_that_no_operation_takes(start):
    daemon, scp = start()
    run = daemon.execute(register(), {"type": "halt", "arguments": {"seconds": 60}})
    daemon.until(lambda: registered(daemon))
    scp.begin("AnyTimeInterrogation", ATI)
    daemon.resume(run)
    outcome = daemon.finish(run)
    assert reason(outcome) == "unexpected AnyTimeInterrogation at the end of the instance"


def test_the_scp_aborts_what_it_began(start):
    daemon, scp = start()
    run = daemon.execute(
        register(59),
        expect(PUSSR),
        send("UnstructuredSSNotify", {"ussdString_text": "hi"}),
        {"type": "tcap.hlr_from_scp.Abort", "arguments": {"u_source": 0}},
    )
    daemon.until(lambda: registered(daemon))
    arguments = {"ussdString_text": "*1#", "msisdn_digits": NUMBER}
    scp.begin(PUSSR, arguments, "ussd2", reactions=[sends("abort")])
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
