"""PromptAndCollectUserInformation: play a prompt and collect the user's digits.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import (
    Boolean,
    ByVariant,
    Choice,
    Enumerated,
    Integer,
    Octets,
    Sequence,
    Text,
    Tree,
    m,
)
from tsvc.protocols.facts import Fact, at, fact, flag
from tsvc.protocols.inap.facts import announcement, repetitions
from tsvc.protocols.inap.operation import CAMEL, CAMEL4, CS, NOT_CAMEL1, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, INFORMATION_TO_SEND
from tsvc.protocols.party_number import GENERIC_DIGITS

_NUMBER_OF_DIGITS = ByVariant({CS: Integer(1, 127), CAMEL: Integer(1, 30)})

COLLECTED_DIGITS = Sequence(
    m("minimumNbOfDigits", 0, _NUMBER_OF_DIGITS),
    m("maximumNbOfDigits", 1, _NUMBER_OF_DIGITS, required=True),
    m("endOfReplyDigit", 2, Octets(1, 2)),
    m("cancelDigit", 3, Octets(1, 2)),
    m("startDigit", 4, Octets(1, 2)),
    m("firstDigitTimeOut", 5, Integer(1, 127, unit="s")),
    m("interDigitTimeOut", 6, Integer(1, 127, unit="s")),
    m(
        "errorTreatment",
        7,
        Enumerated({0: "stdErrorAndInfo", 1: "help", 2: "repeatPrompt"}),
    ),
    m("interruptableAnnInd", 8, Boolean()),
    m("voiceInformation", 9, Boolean()),
    m("voiceBack", 10, Boolean()),
)
COLLECTED_INFO = Choice(
    m("collectedDigits", 0, COLLECTED_DIGITS), m("iA5Information", 1, Boolean(), only=CS)
)
ARGUMENT = Sequence(
    m("collectedInfo", 0, COLLECTED_INFO, required=True),
    m("disconnectFromIPForbidden", 1, Boolean()),
    m("informationToSend", 2, INFORMATION_TO_SEND),
    m("extensions", 3, EXTENSIONS),
    m("callSegmentID", 4, Integer(1, 127), only=CAMEL4),
    m("requestAnnouncementStartedNotification", 51, Boolean(), only=CAMEL4),
)
# Flows accept an answer without any digit; CAP requires two octets, and has an error for this.
DIGITS_RESPONSE = GENERIC_DIGITS.sized(1, 16)
RESULT = Choice(
    m("digitsResponse", 0, DIGITS_RESPONSE), m("iA5Response", 1, Text(1, 127), only=CS)
)

_DIGITS = "collectedInfo.collectedDigits."
_KEYS = {"0b": "*", "0c": "#"}


def key(label: str, path: str) -> Fact:
    """Return the fact of a telephone key, with * and # as printed on a telephone."""

    def texts(tree: Tree) -> list[str]:
        octets = at(tree, path)
        return [f"{label} {_KEYS.get(octets, octets)}"] if octets else []

    return texts


def wanted_digits(tree: Tree) -> list[str]:
    """Return how many digits are wanted."""
    low, high = at(tree, _DIGITS + "minimumNbOfDigits"), at(tree, _DIGITS + "maximumNbOfDigits")
    if high is None:
        return []
    return [f"{high} digits" if low in (None, high) else f"{low}-{high} digits"]


PROMPT_AND_COLLECT_USER_INFORMATION = declare(
    Operation(
        name="PromptAndCollectUserInformation",
        short_name="PC",
        code=48,
        operation_class=1,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="play a prompt and collect digits",
        argument=ARGUMENT,
        result=RESULT,
        errors=(
            "canceled",
            "improperCallerResponse",
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unavailableResource",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownCSID",
        ),
        timer_s=1800.0,
        facts=(
            announcement,
            wanted_digits,
            key("end", _DIGITS + "endOfReplyDigit_hex"),
            key("cancel", _DIGITS + "cancelDigit_hex"),
            fact("first digit", _DIGITS + "firstDigitTimeOut", "s"),
            fact("next digit", _DIGITS + "interDigitTimeOut", "s"),
            repetitions,
            flag("may disconnect", "disconnectFromIPForbidden", 0),
        ),
        result_facts=(
            fact("digits", "digitsResponse_digits"),
            fact("text", "iA5Response"),
        ),
        example={
            "collectedInfo": {
                "collectedDigits": {
                    "minimumNbOfDigits": 1,
                    "maximumNbOfDigits": 10,
                    "endOfReplyDigit_hex": "0c",
                    "firstDigitTimeOut": 10,
                    "interDigitTimeOut": 5,
                }
            },
            "disconnectFromIPForbidden": 1,
            "informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 1002}}},
        },
    )
)
