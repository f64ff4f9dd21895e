"""Gapping: limits on the rate of calls, or of requests.

Source: TS 29.078 (CAP), Q.1248.2, Q.1248.3
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Enumerated, Integer, Null, Octets, Sequence, m
from tsvc.protocols.inap.errors import USUAL_ERRORS
from tsvc.protocols.inap.operation import (
    CAMEL,
    CAMEL3_UP,
    CS,
    CS1,
    CS2,
    SCP,
    SRF,
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import EXTENSIONS, SCF_ID
from tsvc.protocols.inap.parameters_cs2 import (
    CODE,
    DURATION,
    EVENT_TYPE_CS2,
    GAP_TREATMENT,
    INTEGER4,
)
from tsvc.protocols.party_number import GENERIC_NUMBER, GENERIC_NUMBER_IN_DIGITS, LOCATION_NUMBER

GAP_INDICATORS = Sequence(
    m("duration", 0, DURATION, required=True),
    m("gapInterval", 1, Integer(-1, 60000, unit="ms"), required=True),
)
_CONTROL_TYPES = {0: "sCPOverloaded", 1: "manuallyInitiated"}
CONTROL_TYPE = ByVariant(
    {
        CS: Enumerated({**_CONTROL_TYPES, 2: "destinationOverload"}),
        CAMEL: Enumerated(_CONTROL_TYPES),
    }
)

BASIC_GAP_CRITERIA = Choice(
    m("calledAddressValue", 0, GENERIC_NUMBER_IN_DIGITS),
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
            m("calledAddressValue", 0, GENERIC_NUMBER_IN_DIGITS, required=True),
            m("serviceKey", 1, INTEGER4, required=True),
        ),
    ),
    m(
        "callingAddressAndService",
        30,
        Sequence(
            m("callingAddressValue", 0, GENERIC_NUMBER_IN_DIGITS, required=True),
            m("serviceKey", 1, INTEGER4, required=True),
            m("locationNumber", 2, LOCATION_NUMBER, only=CS2),
        ),
    ),
)
COMPOUND_GAP_CRITERIA = Sequence(
    m("basicGapCriteria", 0, BASIC_GAP_CRITERIA, required=True), m("scfID", 1, SCF_ID)
)
GAP_CRITERIA = Choice(
    m("basicGapCriteria", None, BASIC_GAP_CRITERIA),
    m("compoundGapCriteria", None, COMPOUND_GAP_CRITERIA),
)

# In CS-1 the criteria are directly in `gapCriteria`, in other variants in `basicGapCriteria` or
# `compoundGapCriteria` inside it.
declare(
    Operation(
        name="CallGap",
        code=41,
        operation_class=4,
        sent_by=SCP,
        variants=CS | CAMEL3_UP,
        summary="limit the rate of calls that ask the SCP",
        argument=Sequence(
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
        ),
        # gapOnService {serviceKey 45}: raw, so that it is valid in every variant.
        example={
            "gapCriteria_hex": "a20380012d",
            "gapIndicators": {"duration": 60, "gapInterval": 500},
        },
    )
)

declare(
    Operation(
        name="CallFiltering",
        code=145,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="limit the rate of calls to a destination",
        argument=Sequence(
            m("destinationIndex", 0, Octets(), required=True),
            m("gapIndicators", 1, GAP_INDICATORS, required=True),
            m("registratorIdentifier", 2, Octets()),
            m("extensions", 3, EXTENSIONS),
        ),
        errors=USUAL_ERRORS,
        example={
            "destinationIndex_hex": "01",
            "gapIndicators": {"duration": 60, "gapInterval": 500},
        },
    )
)

SRF_GAP_CRITERIA = Choice(
    m("iPAddressValue", 1, GENERIC_NUMBER),
    m("gapOnResource", 2, CODE),
    m(
        "iPAddressAndresource",
        3,
        Sequence(
            m("iPAddressValue", 1, GENERIC_NUMBER, required=True),
            m("gapOnResource", 2, CODE, required=True),
        ),
    ),
)

declare(
    Operation(
        name="SrfCallGap",
        code=139,
        operation_class=4,
        sent_by=SRF,
        variants=CS2,
        summary="limit the rate of requests to the resource",
        argument=Sequence(
            m("sRFgapCriteria", 0, SRF_GAP_CRITERIA, required=True),
            m("gapIndicators", 1, GAP_INDICATORS, required=True),
            m("controlType", 2, CONTROL_TYPE),
            m("extensions", 30, EXTENSIONS),
        ),
        example={
            "sRFgapCriteria": {"iPAddressValue_digits": "64900"},
            "gapIndicators": {"duration": 60, "gapInterval": 500},
        },
    )
)
