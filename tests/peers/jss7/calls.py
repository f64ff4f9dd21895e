"""A call to the embedded SCP, with jSS7 as the SSP, until its prompt."""

from peers.jss7.bridge import JavaObject
from peers.jss7.stack import Cap

CONTEXTS = {
    2: "CapV2_gsmSSF_to_gsmSCF",
    3: "CapV3_gsmSSF_scfGeneric",
    4: "CapV4_gsmSSF_scfGeneric",
}


def begin(ssp: Cap, phase: int, service_key: int = 45, called: str = "0800432900") -> JavaObject:
    """Begin a call; return its dialogue."""
    ssp.node.java.forget()
    dialog = ssp.begin(CONTEXTS[phase])
    ssp.initial_dp(dialog, service_key, called)
    dialog.send()
    return dialog


def take_prompt(ssp: Cap, message: int) -> JavaObject:
    """Take a PromptAndCollectUserInformation at the end of a message."""
    prompt = ssp.take("PromptAndCollectUserInformationRequest")
    collected = prompt.getCollectedInfo().getCollectedDigits()
    assert collected.getMinimumNbOfDigits() == 3
    assert collected.getMaximumNbOfDigits() == 4
    said = prompt.getInformationToSend().getInbandInfo().getMessageID()
    assert said.getElementaryMessageID() == message
    ssp.take("DialogDelimiter")
    return prompt


def until_prompted(ssp: Cap, dialog: JavaObject) -> JavaObject:
    """Take the first messages of the SCP; return the prompt."""
    ssp.take("DialogAccept")
    (armed,) = ssp.take("RequestReportBCSMEventRequest").getBCSMEventList()
    assert armed.getEventTypeBCSM() == "oAbandon"
    assert armed.getLegID().getSendingSideID() == "leg1"
    ssp.take("ConnectToResourceRequest")
    return take_prompt(ssp, 101)


def released(ssp: Cap, cause: int) -> None:
    """Assert that the call is released with a cause, in an END."""
    release = ssp.take("ReleaseCallRequest")
    assert release.getCause().getCauseIndicators().getCauseValue() == cause
    ssp.take("DialogClose")
