"""Dialogues of the tests with a scripted SCP, so that there are messages to record."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kinds.sigtran.map_scp import ATI, IDLE, NUMBER, PUSSR, MapScp, register, request, result
from kinds.sigtran.map_scp import error as map_error
from kinds.sigtran.map_scp import expect as map_expect
from kinds.sigtran.map_scp import send as map_send
from support.scripted_scp import (
    CONTINUE,
    END,
    INITIAL_DP,
    expect,
    operation,
    p_abort,
    refused,
    return_error,
    send,
    sends,
)

CONNECT = {"destinationRoutingAddress_digits": "4329100"}
EVENTS = {"oAnswer": 1, "oNoAnswer_timer": 20, "oDisconnectLeg1": 1, "oDisconnectLeg2": 1}
CHARGE = {
    "aChBillingChargingCharacteristics": {
        "timeDurationCharging": {"maxCallPeriodDuration": 600, "releaseIfdurationExceeded": 1}
    },
    "partyToCharge": {"sendingSideID_hex": "01"},
}
ANSWER = send("EventReportBCSM", {"eventTypeBCSM": "oAnswer"})
CONTROL = sends(
    "continue", operation("RequestReportBCSMEvent", EVENTS), operation("Connect", CONNECT)
)
RELEASE = sends("end", operation("ReleaseCall", {"initialCallSegment_cause": 31}))
SRI_SM = {"msisdn_digits": NUMBER, "sm-RP-PRI": 1, "serviceCentreAddress_digits": "6421"}
PROMPT = {
    "collectedInfo": {"collectedDigits": {"maximumNbOfDigits": 4}},
    "informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 101}}},
}


@dataclass(frozen=True)
class Call:
    """The SCP's reactions and the tester's operations; `begins`: by it the SCP begins."""

    reactions: tuple[Any, ...]
    operations: tuple[dict[str, Any], ...]
    params: dict[str, Any] = field(default_factory=dict)
    begins: Callable[[MapScp], object] | None = None


def named(entry, name):
    return {**entry, "dialogue": name}


CALLS = {
    "CAP 2, armed, answered, released": Call(
        (CONTROL, RELEASE),
        (
            INITIAL_DP,
            expect("RequestReportBCSMEvent"),
            expect("Connect"),
            ANSWER,
            expect("ReleaseCall"),
        ),
        {"ssp_ac": "camel2"},
    ),
    "CAP 3, charged": Call(
        (
            sends("continue", operation("ApplyCharging", CHARGE), operation("Continue")),
            RELEASE,
        ),
        (
            INITIAL_DP,
            expect("ApplyCharging"),
            expect("Continue"),
            send("ApplyChargingReport", raw_hex="040fa00da003810101a1038001648201ff"),
            expect("ReleaseCall"),
        ),
        {"ssp_ac": "camel3"},
    ),
    "CAP 4": Call(
        (CONTROL, END),
        (
            INITIAL_DP,
            expect("RequestReportBCSMEvent"),
            expect("Connect"),
            send("EventReportBCSM", {"eventTypeBCSM": "oCalledPartyBusy"}),
            {"type": "tcap.ssp_from_scp.End"},
        ),
        {"ssp_ac": "camel4"},
    ),
    "INAP CS-1": Call(
        (CONTROL, RELEASE),
        (
            INITIAL_DP,
            expect("RequestReportBCSMEvent"),
            expect("Connect"),
            ANSWER,
            expect("ReleaseCall"),
        ),
        {"ssp_ac": "cs1"},
    ),
    "no application context": Call(
        (sends("end", operation("Connect", CONNECT)),),
        (INITIAL_DP, expect("Connect")),
        {"ssp_ac": None},
    ),
    "digits asked for": Call(
        (
            sends("continue", operation("PromptAndCollectUserInformation", PROMPT)),
            RELEASE,
        ),
        (
            INITIAL_DP,
            expect("PromptAndCollectUserInformation"),
            send("PromptAndCollectUserInformationResult", {"digitsResponse_digits": "12"}),
            expect("ReleaseCall"),
        ),
    ),
    "a prompt is refused": Call(
        (
            sends("continue", operation("PromptAndCollectUserInformation", PROMPT)),
            RELEASE,
        ),
        (
            INITIAL_DP,
            expect("PromptAndCollectUserInformation"),
            send("PromptAndCollectUserInformationError", {"errorCode": "unavailableResource"}),
            expect("ReleaseCall"),
        ),
    ),
    "activity is tested": Call(
        (sends("continue", operation("ActivityTest")), RELEASE),
        (
            INITIAL_DP,
            expect("ActivityTest"),
            send("ActivityTestResult"),
            expect("ReleaseCall"),
        ),
    ),
    "the SCP errs": Call(
        (sends("end", return_error(6)),),
        (INITIAL_DP, expect("InitialDPError")),
    ),
    "the SCP aborts": Call((sends("abort"),), (INITIAL_DP, {"type": "tcap.ssp_from_scp.Abort"})),
    "the SCP's transactions fail": Call(
        (p_abort(4),), (INITIAL_DP, {"type": "tcap.ssp_from_scp.Abort"})
    ),
    "the context is refused": Call(
        (refused(2),), (INITIAL_DP, {"type": "tcap.ssp_from_scp.Abort"})
    ),
    "the tester aborts": Call(
        (CONTROL,),
        (
            INITIAL_DP,
            expect("RequestReportBCSMEvent"),
            expect("Connect"),
            {"type": "tcap.ssp_to_scp.Abort", "arguments": {"u_info_0_octets_hex": "800103"}},
        ),
    ),
    "two calls interleaved": Call(
        (CONTROL, RELEASE),
        (
            named(INITIAL_DP, "A"),
            named({**INITIAL_DP, "tcap_ac": "camel3"}, "B"),
            named(expect("RequestReportBCSMEvent"), "A"),
            named(expect("Connect"), "A"),
            named(expect("RequestReportBCSMEvent"), "B"),
            named(expect("Connect"), "B"),
            named(ANSWER, "B"),
            named(ANSWER, "A"),
            named(expect("ReleaseCall"), "A"),
            named(expect("ReleaseCall"), "B"),
        ),
    ),
    "MAP, location asked for": Call(
        (sends("end", result("AnyTimeInterrogation", IDLE)),),
        (map_send("AnyTimeInterrogation", ATI), map_expect("AnyTimeInterrogationResult")),
        {"hlr_ac": "ati3"},
    ),
    "MAP, an error": Call(
        (sends("end", map_error(34, bytes.fromhex("30030a0101"))),),
        (map_send("AnyTimeInterrogation", ATI), map_expect("AnyTimeInterrogationError")),
        {"hlr_ac": "ati3"},
    ),
    "MAP, a USSD session": Call(
        (
            sends(
                "continue", request("UnstructuredSSRequest", {"ussdString_text": "1: {balance}"})
            ),
            sends("end", result(PUSSR, {"ussdString_text": "12.50"})),
        ),
        (
            map_send(
                PUSSR,
                {
                    "ussdString_text": "*100#",
                    "tcap": {"map_open": {"destination_reference_digits": NUMBER}},
                },
            ),
            map_expect("UnstructuredSSRequest"),
            map_send("UnstructuredSSRequestResult", {"ussdString_text": "1"}),
            map_expect(f"{PUSSR}Result"),
        ),
        {"hlr_ac": "ussd2"},
    ),
    "MAP, the SCP begins": Call(
        (),
        (
            register(71),
            map_expect("AnyTimeInterrogation"),
            map_send("AnyTimeInterrogationResult", IDLE, send_and_close=True),
        ),
        begins=lambda scp: scp.begin("AnyTimeInterrogation", ATI, "ati3"),
    ),
    "MAP 1, the SCP begins": Call(
        (),
        (
            register(45),
            map_expect("SendRoutingInfoForSM", variant="map1"),
            map_send(
                "SendRoutingInfoForSMError",
                {"errorCode": "unknownSubscriber"},
                send_and_close=True,
            ),
        ),
        begins=lambda scp: scp.begin("SendRoutingInfoForSM", SRI_SM, None, version="map1"),
    ),
    "nothing to say": Call((CONTINUE,), (INITIAL_DP, expect("Continue")), {"ssp_ac": "camel1"}),
}
