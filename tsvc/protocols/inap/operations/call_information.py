"""Call information: the SCP asks for facts about the call; the SSP reports them when it is over.

Source: TS 29.078 (CAP), ETS 300 374-1 and Q.1218 (INAP CS-1)
"""

from tsvc.protocols.asn1 import (
    ByVariant,
    Choice,
    Enumerated,
    Integer,
    Sequence,
    SequenceOf,
    Type,
    m,
)
from tsvc.protocols.inap.operation import CAMEL, CS, NOT_CAMEL1, SCP, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, RECEIVING_SIDE, SENDING_SIDE
from tsvc.protocols.party_number import CAUSE, GENERIC_NUMBER, TBCD

_COMMON = {
    0: "callAttemptElapsedTime",
    1: "callStopTime",
    2: "callConnectedElapsedTime",
    30: "releaseCause",
}
INFORMATION_TYPE = ByVariant(
    {CS: Enumerated({**_COMMON, 3: "calledAddress"}), CAMEL: Enumerated(_COMMON)}
)


def _list_of(element: Type) -> Type:
    """Return the type of a list of information, of which INAP has five kinds and CAP four."""
    return ByVariant({CS: SequenceOf(element, 1, 5), CAMEL: SequenceOf(element, 1, 4)})


declare(
    Operation(
        name="CallInformationRequest",
        short_name="CIRq",
        code=45,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="ask for facts about the call when it is over",
        argument=Sequence(
            m(
                "requestedInformationTypeList",
                0,
                _list_of(INFORMATION_TYPE),
                required=True,
            ),
            m("correlationID", 1, GENERIC_NUMBER, only=CS),
            m("extensions", 2, EXTENSIONS),
            m("legID", 3, ByVariant({CS: LEG_ID, CAMEL: SENDING_SIDE})),
        ),
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "requestedInfoError",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownLegID",
        ),
        example={"requestedInformationTypeList": [0, 2, 30]},
    )
)

INFORMATION_VALUE = Choice(
    m("callAttemptElapsedTimeValue", 0, Integer(0, 255, unit="s")),
    m("callStopTimeValue", 1, TBCD.sized(7, 7)),
    m("callConnectedElapsedTimeValue", 2, Integer(0, 2147483647, unit="100 ms")),
    m("calledAddressValue", 3, GENERIC_NUMBER, only=CS),
    m("releaseCauseValue", 30, CAUSE),
)
INFORMATION = Sequence(
    m("requestedInformationType", 0, INFORMATION_TYPE, required=True),
    m("requestedInformationValue", 1, INFORMATION_VALUE, required=True),
)

# callStopTimeValue is a time in BCD, `_digits` YYYYMMDDHHMMSS in CAP, YYMMDDHHMMSS in INAP CS-1.
declare(
    Operation(
        name="CallInformationReport",
        short_name="CIRp",
        code=44,
        operation_class=4,
        sent_by=SSP,
        variants=NOT_CAMEL1,
        summary="report the facts about the call that were asked for",
        argument=Sequence(
            m(
                "requestedInformationList",
                0,
                _list_of(INFORMATION),
                required=True,
            ),
            m("correlationID", 1, GENERIC_NUMBER, only=CS),
            m("extensions", 2, EXTENSIONS),
            m("legID", 3, ByVariant({CS: LEG_ID, CAMEL: RECEIVING_SIDE})),
        ),
        example={
            "requestedInformationList": [
                {
                    "requestedInformationType": 0,
                    "requestedInformationValue": {"callAttemptElapsedTimeValue": 5},
                },
                {
                    "requestedInformationType": 2,
                    "requestedInformationValue": {"callConnectedElapsedTimeValue": 600},
                },
                {
                    "requestedInformationType": 30,
                    "requestedInformationValue": {"releaseCauseValue_cause": 16},
                },
            ]
        },
    )
)
