"""jSS7 and a tester with MAP 2 and 3: ATI, SRI, USSD and short messages, in both directions."""

import pytest
from peers.jss7.bridge import JavaObject
from peers.jss7.stack import SS7
from peers.jss7.testbed import Link, assert_passed, reason
from support.daemons import Params

pytestmark = pytest.mark.e2e

NUMBER = "6421000001"
SCF = "6421000099"
IMSI = "530010000000001"
PUSSR = "ProcessUnstructuredSSRequest"
CENTRE = "64210000555"
USSD_OPEN = {"map_open": {"destination_reference_digits": IMSI, "destination_reference_npi": 6}}
HLR: Params = {"scp": {"dpc": 2, "dssn": 6}}


def send(name: str, arguments: Params | None = None, **more: object) -> Params:
    """Return the entry of a definition that sends an operation."""
    return {"type": f"map.hlr_to_scp.{name}", "arguments": arguments or {}, **more}


def got(name: str, arguments: Params | None = None, **more: object) -> Params:
    """Return the entry of a definition that expects an operation."""
    entry: Params = {"type": f"map.hlr_from_scp.{name}", **more}
    return entry if arguments is None else {**entry, "arguments": arguments}


def test_jss7_answers_an_interrogation(scp: Link) -> None:
    asked = {
        "subscriberIdentity": {"msisdn_digits": NUMBER},
        "requestedInfo": {"locationInformation": 1, "subscriberState": 1},
        "gsmSCF-Address_digits": SCF,
    }
    state = {"subscriberInfo": {"subscriberState": {"assumedIdle": 1}}}
    run = scp.start(
        send("AnyTimeInterrogation", asked),
        got("AnyTimeInterrogationResult", state, last_component=1),
        hlr_ac="ati3",
        **HLR,
    )
    dialog, request = scp.map.take_begin("AnyTimeInterrogation")
    assert request.getSubscriberIdentity().getMSISDN().getAddress() == NUMBER
    assert request.getGsmSCFAddress().getAddress() == SCF
    wanted = request.getRequestedInfo()
    assert (wanted.getLocationInformation(), wanted.getSubscriberState()) == (True, True)
    make = scp.map.make
    info = make.createSubscriberInfo(
        None, make.createSubscriberState("assumedIdle", None), *[None] * 7
    )
    dialog.addAnyTimeInterrogationResponse(request.getInvokeId(), info, None)
    dialog.close(False)
    assert_passed(scp.finish(run))


def test_jss7_interrogates(scp: Link) -> None:
    identity = {"subscriberIdentity": {"msisdn_digits": NUMBER}}
    run = scp.start(
        {
            "type": "map.hlr_from_scp.Register",
            "arguments": {"opcode": 71, "msisdn_digits": NUMBER},
        },
        got("AnyTimeInterrogation", {**identity, "requestedInfo": {"subscriberState": 1}}),
        send(
            "AnyTimeInterrogationResult",
            {"subscriberInfo": {"subscriberState": {"camelBusy": 1}}},
            send_and_close=True,
        ),
        hlr_ac="ati3",
    )
    scp.until_started(run)
    dialog = scp.map.begin("Mobility", "anyTimeEnquiryContext", 3)
    make = scp.map.make
    dialog.addAnyTimeInterrogationRequest(
        make.createSubscriberIdentity(scp.map.number(NUMBER)),
        make.createRequestedInfo(False, True, None, False, None, False, False, False),
        scp.map.number(SCF),
        None,
    )
    dialog.send()
    scp.map.take("DialogAccept")
    answer = scp.map.take("AnyTimeInterrogationResponse")
    assert (
        answer.getSubscriberInfo().getSubscriberState().getSubscriberStateChoice() == "camelBusy"
    )
    scp.map.take("DialogClose")
    assert_passed(scp.finish(run))


@pytest.mark.parametrize(("context", "version"), [("sri2", 2), ("sri3", 3)])
def test_jss7_tells_where_a_call_goes(scp: Link, context: str, version: int) -> None:
    asked = {"msisdn_digits": NUMBER}
    if version == 3:
        asked |= {"interrogationType": 0, "gmsc-OrGsmSCF-Address_digits": SCF}
    run = scp.start(
        send("SendRoutingInfo", asked),
        got("SendRoutingInfoResult", {"imsi_digits": IMSI}, last_component=1),
        hlr_ac=context,
        **HLR,
    )
    dialog, request = scp.map.take_begin("SendRoutingInformation")
    assert request.getMsisdn().getAddress() == NUMBER
    assert request.getMapProtocolVersion() == version
    make = scp.map.make
    imsi = make.createIMSI(IMSI)
    routing = make.createRoutingInfo(scp.map.number("64210000777"))
    id = request.getInvokeId()
    if version == 2:
        dialog.addSendRoutingInformationResponse(id, imsi, None, routing)
    else:
        extended = make.createExtendedRoutingInfo(routing)
        nothing = [None, False, None, None, None, False, *[None] * 14, False, None]
        dialog.addSendRoutingInformationResponse(id, imsi, extended, *nothing)
    dialog.close(False)
    assert_passed(scp.finish(run))


def test_a_mobile_asks_by_ussd_and_jss7_asks_back(scp: Link) -> None:
    run = scp.start(
        send(PUSSR, {"ussdString_text": "*100#", "tcap": USSD_OPEN}),
        got("UnstructuredSSRequest", {"ussdString_text": "1: balance"}, last_component=False),
        send("UnstructuredSSRequestResult", {"ussdString_text": "1"}),
        got(f"{PUSSR}Result", {"ussdString_text": "12.50 £"}, last_component=1),
        hlr_ac="ussd2",
        **HLR,
    )
    dialog = scp.map.take("DialogRequest")
    request = scp.map.take("ProcessUnstructuredSSRequest")
    scp.map.take("DialogDelimiter")
    assert request.getUSSDString().getString(None) == "*100#"
    dialog.addUnstructuredSSRequest(*scp.map.text("1: balance"), None, None)
    dialog.send()
    answer = scp.map.take("UnstructuredSSResponse")
    assert answer.getUSSDString().getString(None) == "1"
    scp.map.take("DialogDelimiter")
    dialog.addProcessUnstructuredSSResponse(request.getInvokeId(), *scp.map.text("12.50 £"))
    dialog.close(False)
    assert_passed(scp.finish(run))


def test_jss7_asks_and_notifies_by_ussd(scp: Link) -> None:
    run = scp.start(
        {"type": "map.hlr_from_scp.Register", "arguments": {"opcode": 60}},
        got("UnstructuredSSRequest", {"ussdString_text": "PIN?"}),
        send("UnstructuredSSRequestResult", {"ussdString_text": "4711"}),
        got("UnstructuredSSNotify", {"ussdString_text": "right"}),
        send("UnstructuredSSNotifyResult"),
        {"type": "tcap.hlr_from_scp.End"},
        hlr_ac="ussd2",
    )
    scp.until_started(run)
    dialog = scp.map.begin("Supplementary", "networkUnstructuredSsContext", 2)
    dialog.addUnstructuredSSRequest(*scp.map.text("PIN?"), None, scp.map.number(NUMBER))
    dialog.send()
    scp.map.take("DialogAccept")
    answer = scp.map.take("UnstructuredSSResponse")
    assert answer.getUSSDString().getString(None) == "4711"
    scp.map.take("DialogDelimiter")
    dialog.addUnstructuredSSNotifyRequest(*scp.map.text("right"), None, None)
    dialog.send()
    scp.map.take("UnstructuredSSNotifyResponse")
    scp.map.take("DialogDelimiter")
    dialog.close(False)
    assert_passed(scp.finish(run))


@pytest.mark.parametrize(("context", "version"), [("srism2", 2), ("srism3", 3)])
def test_jss7_tells_where_a_short_message_goes(scp: Link, context: str, version: int) -> None:
    run = scp.start(
        send(
            "SendRoutingInfoForSM",
            {"msisdn_digits": NUMBER, "sm-RP-PRI": 1, "serviceCentreAddress_digits": CENTRE},
        ),
        got("SendRoutingInfoForSMResult", {"imsi_digits": IMSI}, last_component=1),
        hlr_ac=context,
        **HLR,
    )
    dialog, request = scp.map.take_begin("SendRoutingInfoForSM")
    assert request.getMsisdn().getAddress() == NUMBER
    assert request.getServiceCentreAddress().getAddress() == CENTRE
    make = scp.map.make
    where = make.createLocationInfoWithLMSI(scp.map.number("64210000777"), None, None, False, None)
    dialog.addSendRoutingInfoForSMResponse(
        request.getInvokeId(), make.createIMSI(IMSI), where, None, None, None
    )
    dialog.close(False)
    assert_passed(scp.finish(run))


# -- what goes wrong -----------------------------------------------------------------------------


def refused(scp: Link, run: str, text: str) -> None:
    result = scp.finish(run)
    assert (result["verdict"], reason(result)) == ("abort", text)


def test_ussd_without_an_open_is_aborted(scp: Link) -> None:
    """jSS7 requires a MAP-OPEN with references in this context."""
    asked = send(PUSSR, {"ussdString_text": "*1#"})
    run = scp.start(asked, got(f"{PUSSR}Result"), hlr_ac="ussd2", **HLR)
    refused(
        scp,
        run,
        f"expected {PUSSR}Result, got TC-U-ABORT (ABRT, source dialogue service user,"
        " MAP provider abnormalDialogue)",
    )


def test_jss7_does_not_know_the_context(scp: Link) -> None:
    asked = {
        "subscriberIdentity": {"msisdn_digits": NUMBER},
        "requestedInfo": {"subscriberState": 1},
        "gsmSCF-Address_digits": SCF,
    }
    run = scp.start(
        send("AnyTimeInterrogation", asked),
        got("AnyTimeInterrogationResult"),
        hlr_ac="0.4.0.0.1.0.29.7",
        **HLR,
    )
    refused(
        scp,
        run,
        "expected AnyTimeInterrogationResult, got TC-U-ABORT (AARE reject-permanent, diagnostic of"
        " the dialogue service user: 2 (application-context-name-not-supported), context"
        " 0.4.0.0.1.0.29.7, MAP-Refuse noReasonGiven)",
    )


def begin(scp: Link) -> tuple[str, JavaObject, JavaObject]:
    """Begin a SendRoutingInfo of the tester; return its run, and jSS7's dialogue and request."""
    run = scp.start(
        send("SendRoutingInfo", {"msisdn_digits": NUMBER}),
        got("SendRoutingInfoResult"),
        hlr_ac="sri2",
        **HLR,
    )
    return run, *scp.map.take_begin("SendRoutingInformation")


def test_jss7_answers_by_an_error(scp: Link) -> None:
    run, dialog, request = begin(scp)
    error = scp.map.make_error.createMAPErrorMessageSystemFailure(2, "hlr", None, None)
    dialog.sendErrorComponent(request.getInvokeId(), error)
    dialog.close(False)
    refused(scp, run, "expected SendRoutingInfoResult, got SendRoutingInfoError systemFailure")


@pytest.mark.parametrize("why", ["invalidDestinationReference", "invalidOriginatingReference"])
def test_jss7_refuses_the_dialogue(scp: Link, why: str) -> None:
    run, dialog, _ = begin(scp)
    dialog.refuse(why)
    refused(
        scp,
        run,
        "expected SendRoutingInfoResult, got TC-U-ABORT (AARE reject-permanent, diagnostic of the"
        f" dialogue service user: 1 (no-reason-given), context 0.4.0.0.1.0.5.2, MAP-Refuse {why})",
    )


@pytest.mark.parametrize(
    ("setter", "args", "why"),
    [
        ("setUserSpecificReason", (), "user specific reason"),
        ("setUserResourceLimitation", (), "user resource limitation"),
        (
            "setResourceUnavailableReason",
            ("longTermResourceLimitation",),
            "longTermResourceLimitation",
        ),
        ("setProcedureCancellationReason", ("callRelease",), "callRelease"),
    ],
)
def test_jss7_aborts(scp: Link, setter: str, args: tuple[str, ...], why: str) -> None:
    run, dialog, _ = begin(scp)
    choice = scp.java.cls(f"{SS7}.map.dialog.MAPUserAbortChoiceImpl")()
    getattr(choice, setter)(*args)
    dialog.abort(choice)
    refused(
        scp,
        run,
        "expected SendRoutingInfoResult, got TC-U-ABORT (ABRT, source dialogue service user,"
        f" {why})",
    )
