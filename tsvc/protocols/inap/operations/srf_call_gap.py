"""SrfCallGap: limit the rate of requests to the resource.

Source: Q.1248.3 (IN-SCF-SRF-ops-args)
"""

from tsvc.protocols.asn1 import Choice, Sequence, m
from tsvc.protocols.inap.operation import CS2, SRF, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import CODE, CONTROL_TYPE, GAP_INDICATORS
from tsvc.protocols.party_number import GENERIC_NUMBER

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
ARGUMENT = Sequence(
    m("sRFgapCriteria", 0, SRF_GAP_CRITERIA, required=True),
    m("gapIndicators", 1, GAP_INDICATORS, required=True),
    m("controlType", 2, CONTROL_TYPE),
    m("extensions", 30, EXTENSIONS),
)

SRF_CALL_GAP = declare(
    Operation(
        name="SrfCallGap",
        code=139,
        operation_class=4,
        sent_by=SRF,
        variants=CS2,
        summary="limit the rate of requests to the resource",
        argument=ARGUMENT,
        example={
            "sRFgapCriteria": {"iPAddressValue_digits": "64900"},
            "gapIndicators": {"duration": 60, "gapInterval": 500},
        },
    )
)
