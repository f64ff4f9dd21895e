"""SendFacilityInformation: send a facility component to the user.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Enumerated, Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import ANY_INTEGER, COMPONENT, COMPONENT_TYPE

ARGUMENT = Sequence(
    m("componentType", 0, COMPONENT_TYPE, required=True),
    m("legID", 1, LEG_ID),
    m("componentCorrelationID", 2, ANY_INTEGER),
    m("component", 3, COMPONENT, required=True),
    m(
        "callProcessingOperation",
        4,
        Enumerated(
            {
                1: "aLERTing",
                5: "sETUP",
                7: "cONNect",
                69: "dISConnect",
                77: "rELease",
                90: "rELeaseCOMPlete",
                98: "fACility",
            }
        ),
    ),
    m("extensions", 5, EXTENSIONS),
)

SEND_FACILITY_INFORMATION = declare(
    Operation(
        name="SendFacilityInformation",
        code=102,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="send a facility component to the user",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "unexpectedComponentSequence",
            "unexpectedParameter",
            "unexpectedDataValue",
            "systemFailure",
            "taskRefused",
            "unknownLegID",
        ),
        example={
            "componentType": 1,
            "component": {"componentInfo_hex": "0102"},
            "callProcessingOperation": 98,
        },
    )
)
