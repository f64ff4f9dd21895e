"""AssistRequestInstructions: an assisting SSP or a resource asks for instructions.

It opens its own dialogue, on the assist or SRF application context.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.facts import fact
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE
from tsvc.protocols.inap.operation import CS, NOT_CAMEL1, SSP_OR_SRF, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.party_number import GENERIC_NUMBER

ARGUMENT = Sequence(
    m("correlationID", 0, GENERIC_NUMBER, required=True),
    m("iPAvailable", 1, Octets(1, 10), only=CS),
    m("iPSSPCapabilities", 2, Octets(1, 10)),
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
        argument=ARGUMENT,
        errors=("missingCustomerRecord", *USUAL_BUT_RANGE),
        can_begin=True,
        facts=(fact("correlation", "correlationID_digits"),),
        example={"correlationID_digits": "1234", "iPSSPCapabilities_hex": "00"},
    )
)
