"""CallInformationRequest: ask for facts about the call when it is over.

Source: TS 29.078 (CAP), ETS 300 374-1 and Q.1218 (INAP CS-1)
"""

from tsvc.protocols.asn1 import ByVariant, Enumerated, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CAMEL, CS, NOT_CAMEL1, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, SENDING_SIDE
from tsvc.protocols.party_number import GENERIC_NUMBER

_COMMON = {
    0: "callAttemptElapsedTime",
    1: "callStopTime",
    2: "callConnectedElapsedTime",
    30: "releaseCause",
}
INFORMATION_TYPE = ByVariant(
    {CS: Enumerated({**_COMMON, 3: "calledAddress"}), CAMEL: Enumerated(_COMMON)}
)

ARGUMENT = Sequence(
    m("requestedInformationTypeList", 0, SequenceOf(INFORMATION_TYPE, 1, 5), required=True),
    m("correlationID", 1, GENERIC_NUMBER, only=CS),
    m("extensions", 2, EXTENSIONS),
    m("legID", 3, ByVariant({CS: LEG_ID, CAMEL: SENDING_SIDE})),
)

CALL_INFORMATION_REQUEST = declare(
    Operation(
        name="CallInformationRequest",
        code=45,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="ask for facts about the call when it is over",
        argument=ARGUMENT,
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
