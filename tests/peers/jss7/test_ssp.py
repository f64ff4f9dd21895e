"""jSS7 as the SSP of the embedded SCP: every path of ExtensionDialing that a caller can take."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from peers.jss7.bridge import JavaObject
from peers.jss7.calls import CONTEXTS, begin, released, take_prompt, until_prompted
from peers.jss7.stack import Cap

pytestmark = pytest.mark.e2e

IMPROPER_CALLER_RESPONSE = 4
ARMED = {
    "oAnswer": "notifyAndContinue",
    "oCalledPartyBusy": "interrupted",
    "oNoAnswer": "interrupted",
    "routeSelectFailure": "interrupted",
    "oAbandon": "notifyAndContinue",
}


@dataclass(frozen=True)
class Path:
    """The caller's answer to each prompt (None: no answer), and the further course of the call."""

    answers: tuple[str | None, ...]
    connected: str = ""  # the number of the Connect
    event: str = ""  # the event that is reported then
    cause: int = 0  # of the ReleaseCall, 0: there is none


PATHS = {
    "answer": Path(("100",), "4329100", "oAnswer"),
    "an extension of four digits": Path(("2012",), "43292012", "oAnswer"),
    "second try": Path(("1", "100"), "4329100", "oAnswer"),
    "third try": Path((None, "1", "199"), "4329199", "oAnswer"),
    "busy": Path(("101",), "4329101", "oCalledPartyBusy", 17),
    "no answer": Path(("102",), "4329102", "oNoAnswer", 17),
    "no route": Path(("103",), "4329103", "routeSelectFailure", 17),
    "the caller gives up": Path(("104",), "4329104", "oAbandon"),
    "too few digits": Path(("1", None, "12"), cause=28),
    "nothing dialled": Path((None, None, None), cause=28),
    "no match": Path(("999",), cause=1),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("phase", CONTEXTS)
@pytest.mark.parametrize("name", PATHS)
def test_a_path(ssp: Cap, name: str, phase: int) -> None:
    path = PATHS[name]
    dialog = begin(ssp, phase)
    prompt = until_prompted(ssp, dialog)
    for at, answer in enumerate(path.answers):
        if at:
            prompt = take_prompt(ssp, 102)
        if answer is None:
            error = ssp.make_error.createCAPErrorMessageParameterless(IMPROPER_CALLER_RESPONSE)
            dialog.sendErrorComponent(prompt.getInvokeId(), error)
        else:
            dialog.addPromptAndCollectUserInformationResponse_DigitsResponse(
                prompt.getInvokeId(), ssp.digits(answer)
            )
        dialog.send()
    ssp.take("DisconnectForwardConnectionRequest")
    if not path.connected:
        released(ssp, path.cause)
        return
    armed = ssp.take("RequestReportBCSMEventRequest").getBCSMEventList()
    assert {one.getEventTypeBCSM(): one.getMonitorMode() for one in armed} == ARMED
    (number,) = ssp.take("ConnectRequest").getDestinationRoutingAddress().getCalledPartyNumber()
    assert number.getCalledPartyNumber().getAddress() == path.connected
    ssp.take("DialogDelimiter")
    reports[path.event](ssp, dialog)
    dialog.send()
    if path.cause:
        released(ssp, path.cause)
    else:
        ssp.take("DialogClose")


def notifies(event: str, leg: int) -> Callable[[Cap, JavaObject], None]:
    return lambda ssp, dialog: ssp.report(dialog, event, leg, None, "notification")


reports: dict[str, Callable[[Cap, JavaObject], None]] = {
    "oAnswer": notifies("oAnswer", 2),
    "oAbandon": notifies("oAbandon", 1),
    "oCalledPartyBusy": lambda ssp, dialog: ssp.report(
        dialog,
        "oCalledPartyBusy",
        2,
        ssp.make.createOCalledPartyBusySpecificInfo(ssp.cause(17)),
        "request",
    ),
    "oNoAnswer": lambda ssp, dialog: ssp.report(
        dialog, "oNoAnswer", 2, ssp.make.createONoAnswerSpecificInfo(), "request"
    ),
    "routeSelectFailure": lambda ssp, dialog: ssp.report(
        dialog,
        "routeSelectFailure",
        2,
        ssp.make.createRouteSelectFailureSpecificInfo(ssp.cause(3)),
        "request",
    ),
}


@pytest.mark.parametrize("phase", CONTEXTS)
def test_the_caller_hangs_up_during_the_prompt(ssp: Cap, phase: int) -> None:
    dialog = begin(ssp, phase)
    until_prompted(ssp, dialog)
    ssp.report(dialog, "oAbandon", 1, None, "notification")
    dialog.send()
    ssp.take("DialogClose")
