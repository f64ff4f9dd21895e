"""CollectInformation: let the SSP collect more digits.

In CAP v4 the argument has extensions only.

Source: TS 29.078 (CAP), Q.1248.2
"""

from tsvc.protocols.asn1 import ByVariant, Octets, Sequence, m
from tsvc.protocols.inap.operation import CAMEL4, CS, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, SERVICE_INTERACTION_INDICATORS_TWO
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, ENTRY
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

ARGUMENT = ByVariant(
    {
        CAMEL4: Sequence(m("extensions", 0, EXTENSIONS)),
        CS: Sequence(
            m("alertingPattern", 0, Octets(3, 3)),
            m("numberingPlan", 1, Octets(1, 1)),
            m("originalCalledPartyID", 2, REDIRECTING_NUMBER),
            m("travellingClassMark", 3, LOCATION_NUMBER),
            m("extensions", 4, EXTENSIONS),
            m("callingPartyNumber", 5, CALLING_PARTY_NUMBER),
            m("dialledDigits", 6, CALLED_PARTY_NUMBER),
            m("serviceInteractionIndicators", 7, Octets(1, 127)),
            m("iNServiceCompatibilityResponse", 8, ENTRY, only=CS2),
            m("forwardGVNS", 9, Octets(1, 128), only=CS2),
            m("backwardGVNS", 10, Octets(1, 128), only=CS2),
            m("serviceInteractionIndicatorsTwo", 11, SERVICE_INTERACTION_INDICATORS_TWO, only=CS2),
            m("callSegmentID", 12, CALL_SEGMENT, only=CS2),
            m("legToBeCreated", 13, LEG_ID, only=CS2),
        ),
    }
)

COLLECT_INFORMATION = declare(
    Operation(
        name="CollectInformation",
        code=27,
        operation_class=2,
        sent_by=SCP,
        variants=CS | CAMEL4,
        summary="let the SSP collect more digits",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"extensions": [{"type": 1, "value_hex": "020105"}]},
    )
)
