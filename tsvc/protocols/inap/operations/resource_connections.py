"""Connections of a call to a resource, the assist dialogue, and disconnection.

ConnectToResource connects a specialised resource, EstablishTemporaryConnection an assisting SSP or
an external resource. That side asks for instructions with AssistRequestInstructions, which opens
its own dialogue, with the assist or SRF application context. DisconnectForwardConnection releases
the resource or temporary connection.

The address of a temporary connection is a generic number in all variants; its correlation identity
is generic digits in CAP and a generic number in INAP.

Source: TS 29.078 (CAP), ETS 300 374-1 and Q.1218 (INAP CS-1), Q.1248.2
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Integer, Null, Octets, Sequence, Tree, m
from tsvc.protocols.facts import at, fact
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE
from tsvc.protocols.inap.operation import (
    CAMEL,
    CAMEL3_UP,
    CAMEL4,
    CS,
    CS2,
    NOT_CAMEL1,
    SCP,
    SSP_OR_SRF,
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import (
    CALL_SEGMENT_ID,
    CARRIER,
    EXTENSIONS,
    IP_SSP_CAPABILITIES,
    LEG_ID,
    SCF_ID,
    SERVICE_INTERACTION_INDICATORS_TWO,
)
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, USI_INFORMATION, USI_SERVICE_INDICATOR
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    GENERIC_DIGITS,
    GENERIC_NUMBER,
    GENERIC_NUMBER_IN_DIGITS,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

RESOURCE_ADDRESS = Choice(
    m("ipRoutingAddress", 0, CALLED_PARTY_NUMBER),
    m("legID", 1, LEG_ID, only=CS),
    m(
        "both",
        2,
        Sequence(
            m("ipRoutingAddress", 0, CALLED_PARTY_NUMBER, required=True),
            m("legID", 1, LEG_ID, required=True),
        ),
        only=CS,
    ),
    m("none", 3, Null()),
)
ARGUMENT = Sequence(
    m("resourceAddress", None, RESOURCE_ADDRESS, required=True),
    m("extensions", 4, EXTENSIONS),
    m("serviceInteractionIndicators", 30, Octets(1, 127), only=CS),
    m(
        "serviceInteractionIndicatorsTwo",
        7,
        SERVICE_INTERACTION_INDICATORS_TWO,
        only=CAMEL3_UP,
    ),
    CALL_SEGMENT_ID,
)


def resource(tree: Tree) -> list[str]:
    """Return the address of the resource, or that it is in the switch."""
    for path in ("resourceAddress.ipRoutingAddress", "resourceAddress.both.ipRoutingAddress"):
        digits = at(tree, path + "_digits")
        if digits is not None:
            return [f"resource {digits}"]
    return ["resource in the switch"] if at(tree, "resourceAddress.none") else []


CONNECT_TO_RESOURCE = declare(
    Operation(
        name="ConnectToResource",
        short_name="CTR",
        code=19,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="connect the call to a specialised resource",
        argument=ARGUMENT,
        errors=(*USUAL_BUT_RANGE, "unknownCSID"),
        facts=(resource,),
        example={"resourceAddress": {"ipRoutingAddress_digits": "64900"}},
    )
)


TEMPORARY = Sequence(
    m("assistingSSPIPRoutingAddress", 0, GENERIC_NUMBER_IN_DIGITS, required=True),
    m("correlationID", 1, ByVariant({CS: GENERIC_NUMBER, CAMEL: GENERIC_DIGITS})),
    m("legID", 2, LEG_ID, only=CS),
    m("scfID", 3, SCF_ID),
    m("extensions", 4, EXTENSIONS),
    m("carrier", 5, CARRIER, only=CS | CAMEL3_UP),
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
        argument=TEMPORARY,
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


ASSISTANCE = Sequence(
    m("correlationID", 0, GENERIC_NUMBER_IN_DIGITS, required=True),
    m("iPAvailable", 1, Octets(1, 10), only=CS),
    m("iPSSPCapabilities", 2, IP_SSP_CAPABILITIES),
    m("extensions", 3, EXTENSIONS),
)

ASSIST_REQUEST_INSTRUCTIONS = declare(
    Operation(
        name="AssistRequestInstructions",
        short_name="ARI",
        code=16,
        operation_class=2,
        sent_by=SSP_OR_SRF,
        variants=NOT_CAMEL1,
        summary="ask the SCP for instructions as an assisting SSP or resource",
        argument=ASSISTANCE,
        errors=("missingCustomerRecord", *USUAL_BUT_RANGE),
        can_begin=True,
        facts=(fact("correlation", "correlationID_digits"),),
        example={"correlationID_digits": "1234", "iPSSPCapabilities_hex": "00"},
    )
)


declare(
    Operation(
        name="DisconnectForwardConnection",
        short_name="DFC",
        code=18,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="take down the connection to a resource or an assisting SSP",
        errors=("systemFailure", "taskRefused", "unexpectedComponentSequence"),
    )
)

PARTY = Choice(m("legID", 0, LEG_ID), m("callSegmentID", 1, CALL_SEGMENT))

# The code's formal name is dFCWithArgument.
declare(
    Operation(
        name="DisconnectForwardConnectionWithArgument",
        code=86,
        operation_class=2,
        sent_by=SCP,
        variants=CS2 | CAMEL4,
        summary="disconnect a resource from one leg or call segment",
        argument=ByVariant(
            {
                CAMEL4: Sequence(
                    m("callSegmentID", 1, CALL_SEGMENT), m("extensions", 2, EXTENSIONS)
                ),
                CS2: Sequence(
                    m("partyToDisconnect", None, PARTY, required=True),
                    m("extensions", 2, EXTENSIONS),
                    m("uSIServiceIndicator", 3, USI_SERVICE_INDICATOR),
                    m("uSIInformation", 4, USI_INFORMATION),
                ),
            }
        ),
        errors=(*USUAL_BUT_RANGE, "unknownCSID"),
        # callSegmentID 1: raw, so that it is valid in every variant.
        example={"_hex": "3003810101"},
    )
)
