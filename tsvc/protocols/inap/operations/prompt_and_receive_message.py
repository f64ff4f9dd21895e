"""PromptAndReceiveMessage: play a prompt and record a message.

Source: Q.1248.3 (IN-SCF-SRF-ops-args)
"""

from tsvc.protocols.asn1 import Boolean, Enumerated, Integer, Octets, Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, INFORMATION_TO_SEND
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, INTEGER4
from tsvc.protocols.party_number import GENERIC_NUMBER

_DIGIT = Octets(1, 2)
CONTROL_DIGITS = Sequence(
    m("endOfRecordingDigit", 0, _DIGIT),
    m("cancelDigit", 1, _DIGIT),
    m("replayDigit", 2, _DIGIT),
    m("restartRecordingDigit", 3, _DIGIT),
    m("restartAllowed", 4, Boolean()),
    m("replayAllowed", 5, Boolean()),
)
INFORMATION_TO_RECORD = Sequence(
    m("messageID", 0, INTEGER4),
    m("messageDeletionTimeOut", 1, Integer(1, 3600, unit="h")),
    m("timeToRecord", 3, Integer(0, 2147483647, unit="s")),
    m("controlDigits", 4, CONTROL_DIGITS, required=True),
)
ARGUMENT = Sequence(
    m("disconnectFromIPForbidden", 0, Boolean()),
    m("informationToSend", 1, INFORMATION_TO_SEND),
    m("extensions", 3, EXTENSIONS),
    m("subscriberID", 4, GENERIC_NUMBER),
    m("mailBoxID", 5, Octets()),
    m("informationToRecord", 6, INFORMATION_TO_RECORD, required=True),
    m("media", 7, Enumerated({0: "voiceMail", 1: "faxGroup3", 2: "faxGroup4"})),
    m("callSegmentID", 8, CALL_SEGMENT),
)
RESULT = Sequence(
    m(
        "receivedStatus",
        0,
        Enumerated({0: "messageComplete", 1: "messageInterrupted", 2: "messageTimeOut"}),
        required=True,
    ),
    m("recordedMessageID", 1, INTEGER4),
    m("recordedMessageUnits", 2, Integer(1, 2147483647)),
    m("extensions", 3, EXTENSIONS),
)

PROMPT_AND_RECEIVE_MESSAGE = declare(
    Operation(
        name="PromptAndReceiveMessage",
        code=107,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="play a prompt and record a message",
        argument=ARGUMENT,
        result=RESULT,
        errors=(
            "canceled",
            "improperCallerResponse",
            "missingParameter",
            "parameterOutOfRange",
            "taskRefused",
            "systemFailure",
            "unavailableResource",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        timer_s=1800.0,
        example={
            "informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 1001}}},
            "informationToRecord": {
                "timeToRecord": 60,
                "controlDigits": {"endOfRecordingDigit_hex": "0c"},
            },
        },
    )
)
