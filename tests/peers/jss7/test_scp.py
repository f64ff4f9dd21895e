"""jSS7 as the SCP of a tester: calls by CAP, over M3UA and TCP.

jSS7 decodes our messages and we decode jSS7's: two decoders for each encoder.
"""

import pytest
from peers.jss7.testbed import IDP, Link, assert_passed, got, reason, send
from support.daemons import Params

pytestmark = pytest.mark.e2e

RELEASE: Params = {"initialCallSegment_cause": 17}
PHASES = {"camel1": 1, "camel2": 2, "camel3": 3, "camel4": 4}


def report(event: str, leg: str, **more: object) -> Params:
    """Return the report of an event of a leg."""
    arguments = {"eventTypeBCSM": event, "legID": {"receivingSideID_hex": leg}, **more}
    return send("EventReportBCSM", arguments)


@pytest.mark.parametrize("context", PHASES)
def test_a_call_is_released(scp: Link, context: str) -> None:
    run = scp.start(IDP, got("ReleaseCall", RELEASE, last_component=1), ssp_ac=context)
    dialog, request = scp.cap.take_begin("InitialDP")
    assert request.getServiceKey() == 45
    assert request.getCalledPartyNumber().getCalledPartyNumber().getAddress() == "0800432900"
    assert request.getCallingPartyNumber().getCallingPartyNumber().getAddress() == "6421000001"
    assert request.getEventTypeBCSM() == "collectedInfo"
    assert dialog.getApplicationContext().startswith(f"CapV{PHASES[context]}_gsmSSF")
    dialog.addReleaseCallRequest(scp.cap.cause(17))
    dialog.close(False)
    assert_passed(scp.finish(run))


@pytest.mark.parametrize("context", ["camel2", "camel3", "camel4"])
def test_a_call_is_connected_charged_and_released(scp: Link, context: str) -> None:
    phase = PHASES[context]
    active = "legActive" if phase == 4 else "callActive"
    charging = {
        "callResult": {
            "timeDurationChargingResult": {
                "partyToCharge": {"receivingSideID_hex": "01"},
                "timeInformation": {"timeIfNoTariffSwitch": 125},
                active: 0,
            }
        }
    }
    run = scp.start(
        IDP,
        got("RequestReportBCSMEvent"),
        got(
            "ApplyCharging",
            {
                "aChBillingChargingCharacteristics": {
                    "timeDurationCharging": {"maxCallPeriodDuration": 600}
                },
                "partyToCharge": {"sendingSideID_hex": "01"},
            },
        ),
        got("Connect", {"destinationRoutingAddress_digits": "4329100"}),
        report("oAnswer", "02", miscCallInfo={"messageType": "notification"}),
        send("ApplyChargingReport", charging),
        report("oDisconnect", "02", miscCallInfo={"messageType": "request"}),
        got("ReleaseCall", {"initialCallSegment_cause": 16}, last_component=1),
        ssp_ac=context,
    )
    cap = scp.cap
    dialog, _ = cap.take_begin("InitialDP")
    modes = {("oAnswer", 2): "notifyAndContinue", ("oDisconnect", 2): "interrupted"}
    dialog.addRequestReportBCSMEventRequest(cap.events(modes), None)
    cap.charge(dialog, 60, phase)
    cap.connect(dialog, "4329100")
    dialog.send()
    answered = cap.take("EventReportBCSMRequest")
    assert answered.getEventTypeBCSM() == "oAnswer"
    assert answered.getLegID().getReceivingSideID() == "leg2"
    cap.take("DialogDelimiter")
    charged = cap.take("ApplyChargingReportRequest").getTimeDurationChargingResult()
    assert charged.getTimeInformation().getTimeIfNoTariffSwitch() == 125
    assert charged.getPartyToCharge().getReceivingSideID() == "leg1"
    cap.take("DialogDelimiter")
    ended = cap.take("EventReportBCSMRequest")
    assert ended.getEventTypeBCSM() == "oDisconnect"
    assert ended.getMiscCallInfo().getMessageType() == "request"
    cap.take("DialogDelimiter")
    dialog.addReleaseCallRequest(cap.cause(16))
    dialog.close(False)
    assert_passed(scp.finish(run))


@pytest.mark.parametrize("context", ["camel2", "camel3", "camel4"])
def test_digits_are_collected(scp: Link, context: str) -> None:
    run = scp.start(
        IDP,
        got("ConnectToResource", {"resourceAddress": {"none": 1}}),
        got(
            "PromptAndCollectUserInformation",
            {
                "collectedInfo": {
                    "collectedDigits": {"minimumNbOfDigits": 3, "maximumNbOfDigits": 3}
                },
                "informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 101}}},
            },
        ),
        send("PromptAndCollectUserInformationResult", {"digitsResponse_digits": "100"}),
        got("DisconnectForwardConnection"),
        got("Continue"),
        ssp_ac=context,
    )
    cap = scp.cap
    dialog, _ = cap.take_begin("InitialDP")
    dialog.addConnectToResourceRequest(None, True, None, None, None)
    cap.prompt(dialog, 101, 3)
    dialog.send()
    digits = cap.take("PromptAndCollectUserInformationResponse").getDigitsResponse()
    assert digits.getGenericDigits().getDecodedDigits() == "100"
    cap.take("DialogDelimiter")
    dialog.addDisconnectForwardConnectionRequest()
    dialog.addContinueRequest()
    dialog.close(False)
    assert_passed(scp.finish(run))


@pytest.mark.parametrize("context", ["camel2", "camel3", "camel4"])
def test_an_assisting_ssp_plays_an_announcement(scp: Link, context: str) -> None:
    """Two dialogues of one call: one from the SSP, one from the assisting resource."""
    played = {"informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 7}}}}
    run = scp.start(
        IDP,
        got(
            "EstablishTemporaryConnection",
            {"assistingSSPIPRoutingAddress_digits": "64210000700", "correlationID_digits": "12"},
        ),
        {
            "type": "inap.srf_to_scp.AssistRequestInstructions",
            "arguments": {"correlationID_digits": "12", "iPSSPCapabilities_hex": "00"},
            "tcap_ac": f"{context}-assist",
        },
        {"type": "inap.srf_from_scp.PlayAnnouncement", "arguments": played},
        {"type": "inap.srf_to_scp.SpecializedResourceReport"},
        {"type": "tcap.srf_from_scp.End"},
        got("DisconnectForwardConnection"),
        got("ReleaseCall", RELEASE, last_component=1),
        ssp_ac=context,
    )
    cap = scp.cap
    call, _ = cap.take_begin("InitialDP")
    # TS 29.078, Digits: generic digits in EstablishTemporaryConnection, otherwise generic numbers
    to, correlation = cap.generic_number("64210000700"), cap.digits("12")
    call.addEstablishTemporaryConnectionRequest(to, correlation, *[None] * 9)
    call.send()
    assist, request = cap.take_begin("AssistRequestInstructions")
    assert "assist" in assist.getApplicationContext().lower()
    assert request.getCorrelationID().getGenericNumber().getAddress() == "12"
    said = cap.make.createInbandInfo(cap.make.createMessageID(7), 1, None, None)
    information = cap.make.createInformationToSend(said)
    assist.addPlayAnnouncementRequest(information, True, True, None, None, None)
    assist.send()
    cap.take("SpecializedResourceReportRequest")
    cap.take("DialogDelimiter")
    assist.close(False)
    call.addDisconnectForwardConnectionRequest()
    call.addReleaseCallRequest(cap.cause(17))
    call.close(False)
    assert_passed(scp.finish(run))


def test_an_assistance_without_capabilities_is_rejected(scp: Link) -> None:
    """CAP requires them, INAP and our table do not: a definition may leave them out."""
    run = scp.start(
        {
            "type": "inap.srf_to_scp.AssistRequestInstructions",
            "arguments": {"correlationID_digits": "12"},
            "tcap_ac": "camel2-assist",
        },
        {"type": "inap.srf_from_scp.PlayAnnouncement"},
    )
    dialog = scp.cap.take("DialogRequest")
    scp.cap.take("RejectComponent")
    scp.cap.take("DialogDelimiter")
    dialog.close(False)
    assert reason(scp.finish(run)) == (
        "expected PlayAnnouncement, got Reject: invoke problem mistypedParameter"
    )
