"""Call processing by points in call: where the SSP resumes a call, and with which data.

Source: Q.1248.2 (IN-SSF-SCF-ops-args), TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Null, Octets, Sequence, SequenceOf, Text, m
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE, USUAL_ERRORS
from tsvc.protocols.inap.operation import CAMEL4, CS, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import (
    CARRIER,
    EXTENSIONS,
    LEG_ID,
    SCF_ID,
    SERVICE_INTERACTION_INDICATORS_TWO,
)
from tsvc.protocols.inap.parameters_cs2 import (
    ANY_INTEGER,
    CALL_SEGMENT,
    ENTRY,
    FACILITY_GROUP,
    IP_RELATED_INFORMATION,
    ROUTE_LIST,
)
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    GENERIC_DIGITS,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

# In CAP v4 the argument has extensions only.
declare(
    Operation(
        name="CollectInformation",
        code=27,
        operation_class=2,
        sent_by=SCP,
        variants=CS | CAMEL4,
        summary="let the SSP collect more digits",
        argument=ByVariant(
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
                    m(
                        "serviceInteractionIndicatorsTwo",
                        11,
                        SERVICE_INTERACTION_INDICATORS_TWO,
                        only=CS2,
                    ),
                    m("callSegmentID", 12, CALL_SEGMENT, only=CS2),
                    m("legToBeCreated", 13, LEG_ID, only=CS2),
                ),
            }
        ),
        errors=USUAL_ERRORS,
        example={"extensions": [{"type": 1, "value_hex": "020105"}]},
    )
)

declare(
    Operation(
        name="AnalyseInformation",
        code=28,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="analyse the digits given",
        argument=Sequence(
            m(
                "destinationRoutingAddress",
                0,
                SequenceOf(CALLED_PARTY_NUMBER, 1, 3),
                required=True,
            ),
            m("alertingPattern", 1, Octets(3, 3)),
            m("iSDNAccessRelatedInformation", 2, Octets(1, 128)),
            m("originalCalledPartyID", 3, REDIRECTING_NUMBER),
            m("extensions", 4, EXTENSIONS),
            m("callingPartyNumber", 5, CALLING_PARTY_NUMBER),
            m("callingPartysCategory", 6, Octets(1, 1)),
            m("calledPartyNumber", 7, CALLED_PARTY_NUMBER),
            m("chargeNumber", 8, LOCATION_NUMBER),
            m("travellingClassMark", 9, LOCATION_NUMBER),
            m("carrier", 10, CARRIER),
            m("serviceInteractionIndicators", 11, Octets(1, 127)),
            m("iNServiceCompatibilityResponse", 12, ENTRY, only=CS2),
            m("forwardGVNS", 13, Octets(1, 128), only=CS2),
            m("backwardGVNS", 14, Octets(1, 128), only=CS2),
            m("serviceInteractionIndicatorsTwo", 15, SERVICE_INTERACTION_INDICATORS_TWO, only=CS2),
            m("correlationID", 16, GENERIC_DIGITS, only=CS2),
            m("scfID", 17, SCF_ID, only=CS2),
            m("callSegmentID", 18, CALL_SEGMENT, only=CS2),
            m("legToBeCreated", 19, LEG_ID, only=CS2),
        ),
        errors=USUAL_ERRORS,
        example={"destinationRoutingAddress_digits": "6421000002"},
    )
)

declare(
    Operation(
        name="SelectRoute",
        code=29,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="select a route for the call",
        argument=Sequence(
            m(
                "destinationRoutingAddress",
                0,
                SequenceOf(CALLED_PARTY_NUMBER, 1, 3),
                required=True,
            ),
            m("alertingPattern", 1, Octets(3, 3)),
            m("correlationID", 2, GENERIC_DIGITS),
            m("iSDNAccessRelatedInformation", 3, Octets(1, 128)),
            m("originalCalledPartyID", 4, REDIRECTING_NUMBER),
            m("routeList", 5, ROUTE_LIST),
            m("scfID", 6, SCF_ID),
            m("travellingClassMark", 7, LOCATION_NUMBER),
            m("extensions", 8, EXTENSIONS),
            m("carrier", 9, CARRIER),
            m("serviceInteractionIndicators", 10, Octets(1, 127)),
            m("iNServiceCompatibilityResponse", 11, ENTRY, only=CS2),
            m("forwardGVNS", 12, Octets(1, 128), only=CS2),
            m("backwardGVNS", 13, Octets(1, 128), only=CS2),
            m("serviceInteractionIndicatorsTwo", 14, SERVICE_INTERACTION_INDICATORS_TWO, only=CS2),
            m("callSegmentID", 15, CALL_SEGMENT, only=CS2),
            m("legToBeCreated", 16, LEG_ID, only=CS2),
            m("ipRelatedInformation", 17, IP_RELATED_INFORMATION, only=CS2),
        ),
        errors=USUAL_ERRORS,
        example={"destinationRoutingAddress_digits": "6421000002"},
    )
)

declare(
    Operation(
        name="SelectFacility",
        code=30,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="select a line or trunk for the call",
        argument=Sequence(
            m("alertingPattern", 0, Octets(3, 3)),
            m("destinationNumberRoutingAddress", 1, CALLED_PARTY_NUMBER),
            m("iSDNAccessRelatedInformation", 2, Octets(1, 128)),
            m("calledFacilityGroup", 3, FACILITY_GROUP),
            m("calledFacilityGroupMember", 4, ANY_INTEGER),
            m("originalCalledPartyID", 5, REDIRECTING_NUMBER),
            m("extensions", 6, EXTENSIONS),
            m("displayInformation", 7, Text(1, 127), only=CS2),
            m("serviceInteractionIndicators", 8, Octets(1, 127)),
            m("iNServiceCompatibilityResponse", 9, ENTRY, only=CS2),
            m("forwardGVNS", 10, Octets(1, 128), only=CS2),
            m("backwardGVNS", 11, Octets(1, 128), only=CS2),
            m("serviceInteractionIndicatorsTwo", 12, SERVICE_INTERACTION_INDICATORS_TWO, only=CS2),
            m("correlationID", 13, GENERIC_DIGITS, only=CS2),
            m("scfID", 14, SCF_ID, only=CS2),
            m("callSegmentID", 15, CALL_SEGMENT, only=CS2),
            m("legToBeCreated", 16, LEG_ID, only=CS2),
            m("ipRelatedInformation", 17, IP_RELATED_INFORMATION, only=CS2),
        ),
        errors=USUAL_ERRORS,
        example={"destinationNumberRoutingAddress_digits": "6421000002"},
    )
)

declare(
    Operation(
        name="AuthorizeTermination",
        code=87,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="let the SSP go on at the terminating side",
        argument=Sequence(
            m("alertingPattern", 0, Octets(3, 3)),
            m("callingPartyNumber", 1, CALLING_PARTY_NUMBER),
            m("destinationNumberRoutingAddress", 2, CALLED_PARTY_NUMBER),
            m("displayInformation", 3, Text(1, 127)),
            m("iSDNAccessRelatedInformation", 4, Octets(1, 128)),
            m("originalCalledPartyID", 5, REDIRECTING_NUMBER),
            m("travellingClassMark", 6, LOCATION_NUMBER),
            m("extensions", 7, EXTENSIONS),
            m("iNServiceCompatibilityResponse", 8, ENTRY),
            m("forwardGVNS", 9, Octets(1, 128)),
            m("backwardGVNS", 10, Octets(1, 128)),
            m("legID", 11, LEG_ID),
            m("serviceInteractionIndicatorsTwo", 12, SERVICE_INTERACTION_INDICATORS_TWO),
            m("scfID", 13, SCF_ID),
        ),
        errors=USUAL_BUT_RANGE,
        example={"callingPartyNumber_digits": "6421000001"},
    )
)

# The argument is a bare choice.
declare(
    Operation(
        name="HoldCallInNetwork",
        code=21,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="keep the call waiting during its set-up",
        argument=Choice(m("holdcause", 0, Octets()), m("empty", 1, Null())),
        errors=USUAL_BUT_RANGE,
        example={"empty": 1},
    )
)
