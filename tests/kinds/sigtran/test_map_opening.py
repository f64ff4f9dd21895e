"""Information in MAP's dialogue portion, both ways; MAP 1, which has no dialogue portion."""

import pytest
from kinds.sigtran.map_scp import (
    ATI,
    IDLE,
    NUMBER,
    PUSSR,
    error,
    expect,
    register,
    registered,
    result,
    send,
)
from kinds.sigtran.map_scp import start as start
from support.scripted_scp import reason, sends

from tsvc.protocols.map.dialogue import encode_pdu
from tsvc.protocols.tcap.components import ReturnResult


def test_a_map_open_is_accepted_in_the_first_answer(start):
    daemon, scp = start()
    accepting = {"tcap": {"map_accept": {}}}
    run = daemon.execute(
        register(),
        expect("AnyTimeInterrogation", {"tcap": {"map_open": {"destination_reference_npi": 6}}}),
        send("AnyTimeInterrogationResult", {**IDLE, **accepting}, send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    opening = {"destination_reference_digits": "530010000000001", "destination_reference_npi": 6}
    scp.begin("AnyTimeInterrogation", ATI, opening=opening)
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    (answer,) = scp.pdus
    # An EXTERNAL of map-DialogueAS with an empty [1]: TS 29.002's MAP-AcceptInfo.
    assert answer.user_information == bytes.fromhex("280d 0607 04000001010101 a002 a100")


def test_a_map_accept_without_a_dialogue_request_aborts(start):
    daemon, scp = start()
    run = daemon.execute(
        register(22),
        expect(SRI, {"msisdn_digits": NUMBER}, variant="map1"),
        send(f"{SRI}Result", {**ROUTED, "tcap": {"map_accept": {}}}, variant="map1"),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin(SRI, {"msisdn_digits": NUMBER}, context=None, version="map1")
    outcome = daemon.finish(run)
    assert "user information needs a dialogue response" in reason(outcome)


def accepting(scp, dialogue, indication):
    """Answer a request and accept its MAP-Open."""
    result(PUSSR, {"ussdString_text": "1"})(scp, dialogue, indication)
    dialogue.end(user_information=encode_pdu({"map_accept": {}}))


@pytest.mark.parametrize(("accepted", "verdict"), [({}, "pass"), (None, "fail")])
def test_a_map_accept_of_the_scp_is_seen(start, accepted, verdict):
    daemon, _ = start(accepting)
    opening = {"map_open": {"destination_reference_digits": "530010000000001"}}
    outcome = daemon.run(
        send(PUSSR, {"ussdString_text": "*1#", "tcap": opening}),
        expect(f"{PUSSR}Result", {"tcap": {"map_accept": accepted}}),
        hlr_ac="ussd2",
    )
    assert outcome["verdict"] == verdict, reason(outcome)


def test_the_begin_of_a_registered_dialogue_is_kept_as_it_came(start):
    """The BEGIN has a length in three octets, which tsvc would write in one."""
    daemon, scp = start()
    run = daemon.execute(
        register(),
        expect("AnyTimeInterrogation"),
        send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
        trace_messages=1,
    )
    daemon.until(lambda: registered(daemon))
    sent = []

    def lengthened(octets, called, calling, now, route=None):
        assert octets[1] < 0x80
        sent.append(octets[:1] + b"\x82\x00" + octets[1:])
        return receive(sent[-1], called, calling, now, route)

    endpoint = daemon.gateway.endpoint
    receive, endpoint.receive = endpoint.receive, lengthened
    scp.begin("AnyTimeInterrogation", ATI)
    endpoint.receive = receive
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    first, *_ = outcome["first_call_summary"]["messages"]
    assert bytes.fromhex(first["hex"]) == sent[0]


# -- MAP 1 --------------------------------------------------------------------------------------

SRI = "SendRoutingInfo"
ROUTED = {"imsi_digits": "53001", "routingInfo": {"roamingNumber_digits": "6421"}}


def routing(scp, dialogue, indication):
    """Answer a SendRoutingInfo as MAP 1 and 2 do: imsi and routing info in a plain SEQUENCE."""
    octets = bytes.fromhex("300a 0403 3500f1 0403 914612")
    dialogue.answer(ReturnResult(0, 22, octets))
    dialogue.end()


@pytest.mark.parametrize(
    ("attributes", "context"),
    [
        ({"variant": "map1"}, "sri3"),
        ({"tcap_ac": "0.4.0.0.1.0.5.1"}, ""),
        ({"variant": "map1"}, "0.4.0.0.1.0.5.1"),
    ],
    ids=["variant", "context of the operation", "context of the run"],
)
def test_map_1_goes_without_a_dialogue_portion(start, attributes, context):
    daemon, scp = start(routing)
    outcome = daemon.run(
        send(SRI, {"msisdn_digits": NUMBER, "numberOfForwarding": 2}, **attributes),
        expect(f"{SRI}Result", ROUTED, tcap_ac=None),
        hlr_ac=context,
    )
    assert outcome["verdict"] == "pass", reason(outcome)
    assert scp.pdus == [None]
    ((_, (invoke,)),) = scp.received
    assert invoke.parameter == bytes.fromhex("300b 8006914612000010 820102")


def test_a_context_of_version_1_is_not_sent(start):
    daemon, scp = start(sends("end", error(8, bytes.fromhex("0a0103"))))
    update = {"imsi_digits": "53001", "vlr-Number_digits": "6422"}
    cause = {"roamingNotAllowedCause_name": "operatorDeterminedBarring"}
    outcome = daemon.run(
        send("UpdateLocation", {**update, "roamingNumber_digits": "6421"}),
        expect("UpdateLocationError", {"errorCode": 8, "parameter": cause}),
        hlr_ac="ul1",
    )
    assert outcome["verdict"] == "pass", reason(outcome)
    assert scp.pdus == [None]
    ((_, (invoke,)),) = scp.received
    assert invoke.parameter == bytes.fromhex("300f 0403 3500f1 8003 914612 0403 914622")


def test_map_1_has_no_members_of_later_versions(daemon):
    arguments = {"msisdn_digits": NUMBER, "interrogationType": 0}
    fields = daemon().refused(send(SRI, arguments, variant="map1"))
    assert "unknown argument" in str(fields)


def test_a_request_of_map_1_is_read_as_such(start):
    daemon, scp = start()
    run = daemon.execute(
        register(22),
        expect(SRI, {"msisdn_digits": NUMBER}, variant="map1"),
        send(f"{SRI}Result", ROUTED, variant="map1", send_and_close=True),
    )
    daemon.until(lambda: registered(daemon))
    scp.begin(SRI, {"msisdn_digits": NUMBER}, context=None, version="map1")
    outcome = daemon.finish(run)
    assert outcome["verdict"] == "pass", reason(outcome)
    ((_, (answer,)),) = scp.received
    assert answer.parameter == bytes.fromhex("300a 0403 3500f1 0403 914612")
    assert scp.pdus == [None]
