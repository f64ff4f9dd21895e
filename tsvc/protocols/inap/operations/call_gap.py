"""CallGap: limit the rate of calls that ask the SCP.

In CS-1 the criteria stand directly under `gapCriteria`, elsewhere under `basicGapCriteria` or
`compoundGapCriteria`.

Source: TS 29.078 (CAP), Q.1248.2
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Null, Octets, Sequence, m
from tsvc.protocols.inap.operation import CAMEL3_UP, CS, CS1, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import (
    CONTROL_TYPE,
    EVENT_TYPE_CS2,
    GAP_INDICATORS,
    GAP_TREATMENT,
    INTEGER4,
)
from tsvc.protocols.party_number import GENERIC_NUMBER, LOCATION_NUMBER

BASIC_GAP_CRITERIA = Choice(
    m("calledAddressValue", 0, GENERIC_NUMBER),
    m(
        "gapOnService",
        2,
        Sequence(
            m("serviceKey", 0, INTEGER4, required=True),
            m("dpCriteria", 1, EVENT_TYPE_CS2, only=CS),
        ),
    ),
    m("gapAllInTraffic", 3, Null(), only=CS2),
    m(
        "calledAddressAndService",
        29,
        Sequence(
            m("calledAddressValue", 0, GENERIC_NUMBER, required=True),
            m("serviceKey", 1, INTEGER4, required=True),
        ),
    ),
    m(
        "callingAddressAndService",
        30,
        Sequence(
            m("callingAddressValue", 0, GENERIC_NUMBER, required=True),
            m("serviceKey", 1, INTEGER4, required=True),
            m("locationNumber", 2, LOCATION_NUMBER, only=CS2),
        ),
    ),
)
COMPOUND_GAP_CRITERIA = Sequence(
    m("basicGapCriteria", 0, BASIC_GAP_CRITERIA, required=True), m("scfID", 1, Octets(1, 128))
)
GAP_CRITERIA = Choice(
    m("basicGapCriteria", None, BASIC_GAP_CRITERIA),
    m("compoundGapCriteria", None, COMPOUND_GAP_CRITERIA),
)
ARGUMENT = Sequence(
    m(
        "gapCriteria",
        0,
        ByVariant({CS1: BASIC_GAP_CRITERIA, CS2 | CAMEL3_UP: GAP_CRITERIA}),
        required=True,
    ),
    m("gapIndicators", 1, GAP_INDICATORS, required=True),
    m("controlType", 2, CONTROL_TYPE),
    m("gapTreatment", 3, GAP_TREATMENT),
    m("extensions", 4, EXTENSIONS),
)

CALL_GAP = declare(
    Operation(
        name="CallGap",
        code=41,
        operation_class=4,
        sent_by=SCP,
        variants=CS | CAMEL3_UP,
        summary="limit the rate of calls that ask the SCP",
        argument=ARGUMENT,
        # gapOnService {serviceKey 45}: raw, so that it is valid in every variant.
        example={
            "gapCriteria_hex": "a20380012d",
            "gapIndicators": {"duration": 60, "gapInterval": 500},
        },
    )
)
