"""EstablishTemporaryConnection: connect the call to an assisting SSP or an external resource.

The address is a generic number in all variants; the correlation identity is generic digits in
CAP and a generic number in INAP.

Source: TS 29.078 (CAP), ETS 300 374-1 and Q.1218 (INAP CS-1)
"""

from tsvc.protocols.asn1 import ByVariant, Integer, Octets, Sequence, m
from tsvc.protocols.facts import fact
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE
from tsvc.protocols.inap.operation import (
    CAMEL,
    CAMEL3_UP,
    CAMEL4,
    CS,
    NOT_CAMEL1,
    SCP,
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import (
    EXTENSIONS,
    LEG_ID,
    SERVICE_INTERACTION_INDICATORS_TWO,
)
from tsvc.protocols.party_number import (
    CALLING_PARTY_NUMBER,
    GENERIC_DIGITS,
    GENERIC_NUMBER,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

ARGUMENT = Sequence(
    m("assistingSSPIPRoutingAddress", 0, GENERIC_NUMBER, required=True),
    m("correlationID", 1, ByVariant({CS: GENERIC_NUMBER, CAMEL: GENERIC_DIGITS})),
    m("legID", 2, LEG_ID, only=CS),
    m("scfID", 3, Octets(1, 128)),
    m("extensions", 4, EXTENSIONS),
    m("carrier", 5, Octets(1, 128), only=CS | CAMEL3_UP),
    m("serviceInteractionIndicators", 30, Octets(1, 127), only=CS),
    m(
        "serviceInteractionIndicatorsTwo",
        6,
        SERVICE_INTERACTION_INDICATORS_TWO,
        only=CAMEL3_UP,
    ),
    m("callSegmentID", 7, Integer(1, 127), only=CAMEL4),
    m("naOliInfo", 50, Octets(1, 1), only=CAMEL3_UP),
    m("chargeNumber", 51, LOCATION_NUMBER, only=CAMEL3_UP),
    m("originalCalledPartyID", 52, REDIRECTING_NUMBER, only=CAMEL4),
    m("callingPartyNumber", 53, CALLING_PARTY_NUMBER, only=CAMEL4),
)

ESTABLISH_TEMPORARY_CONNECTION = declare(
    Operation(
        name="EstablishTemporaryConnection",
        short_name="ETC",
        code=17,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="connect the call to an assisting SSP or an external resource",
        argument=ARGUMENT,
        errors=("eTCFailed", *USUAL_BUT_RANGE, "unknownCSID"),
        timer_s=60.0,
        facts=(
            fact("to", "assistingSSPIPRoutingAddress_digits"),
            fact("correlation", "correlationID_digits"),
            fact("SCF", "scfID_hex"),
        ),
        example={"assistingSSPIPRoutingAddress_digits": "64900", "correlationID_digits": "1234"},
    )
)
