"""CallInformationReport: the facts that CallInformationRequest asked for.

callStopTimeValue is a time in BCD, `_digits` YYYYMMDDHHMMSS in CAP, YYMMDDHHMMSS in INAP CS-1.

Source: TS 29.078 (CAP), ETS 300 374-1 and Q.1218 (INAP CS-1)
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Integer, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CAMEL, CS, NOT_CAMEL1, SSP, Operation, declare
from tsvc.protocols.inap.operations.call_information_request import INFORMATION_TYPE
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, RECEIVING_SIDE
from tsvc.protocols.party_number import CAUSE, GENERIC_NUMBER, TBCD

INFORMATION_VALUE = Choice(
    m("callAttemptElapsedTimeValue", 0, Integer(0, 255, unit="s")),
    m("callStopTimeValue", 1, TBCD),
    m("callConnectedElapsedTimeValue", 2, Integer(0, 2147483647, unit="100 ms")),
    m("calledAddressValue", 3, GENERIC_NUMBER, only=CS),
    m("releaseCauseValue", 30, CAUSE),
)
INFORMATION = Sequence(
    m("requestedInformationType", 0, INFORMATION_TYPE, required=True),
    m("requestedInformationValue", 1, INFORMATION_VALUE, required=True),
)
ARGUMENT = Sequence(
    m("requestedInformationList", 0, SequenceOf(INFORMATION, 1, 5), required=True),
    m("correlationID", 1, GENERIC_NUMBER, only=CS),
    m("extensions", 2, EXTENSIONS),
    m("legID", 3, ByVariant({CS: LEG_ID, CAMEL: RECEIVING_SIDE})),
)

CALL_INFORMATION_REPORT = declare(
    Operation(
        name="CallInformationReport",
        code=44,
        operation_class=4,
        sent_by=SSP,
        variants=NOT_CAMEL1,
        summary="report the facts about the call that were asked for",
        argument=ARGUMENT,
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
