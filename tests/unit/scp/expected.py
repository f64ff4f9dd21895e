"""Operations and messages to expect, as the bench reads them."""

ABANDON = ("oAbandon", "notify", 1, None)
T_ABANDON = ("tAbandon", "notify", 1, None)
CTR = ("ConnectToResource", ["none"])
DFC = ("DisconnectForwardConnection",)
END = ("END",)


def rrbe(*events):
    return ("RequestReportBCSMEvent", list(events))


def prompt(message=101, repetition=1, **changes):
    expected = {
        "minimumNbOfDigits": 3,
        "maximumNbOfDigits": 4,
        "endOfReplyDigit_hex": "0c",
        "cancelDigit_hex": "0b",
        "firstDigitTimeOut": 10,
        "interDigitTimeOut": 5,
        "errorTreatment": 0,
        "interruptableAnnInd": 1,
        "forbidden": 1,
        "message": (message, repetition),
        **changes,
    }
    expected = {key: value for key, value in expected.items() if value is not None}
    return ("PromptAndCollectUserInformation", expected)


REPROMPT = prompt(102, 2)


def connect(digits, noa=2, npi=1):
    return ("Connect", (digits, noa, npi))


def released(cause):
    return ("ReleaseCall", cause)


def watched(ring_s=20):
    """Return the events that are armed before a Connect of the originating half."""
    return rrbe(
        ("oAnswer", "notify", 2, None),
        ("oCalledPartyBusy", "interrupted", 2, None),
        ("oNoAnswer", "interrupted", 2, ring_s),
        ("routeSelectFailure", "interrupted", 2, None),
        ABANDON,
    )


FIRST = ("CONTINUE", rrbe(ABANDON), CTR, prompt())
