"""ConnectToResource: connect the call to a specialised resource for announcements and digits.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import Choice, Null, Octets, Sequence, Tree, m
from tsvc.protocols.facts import at
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE
from tsvc.protocols.inap.operation import CAMEL3_UP, CS, NOT_CAMEL1, SCP, Operation, declare
from tsvc.protocols.inap.parameters import (
    CALL_SEGMENT_ID,
    EXTENSIONS,
    LEG_ID,
    SERVICE_INTERACTION_INDICATORS_TWO,
)
from tsvc.protocols.party_number import CALLED_PARTY_NUMBER

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
    """Show where the resource is."""
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
