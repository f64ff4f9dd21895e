"""Facility components (of Q.932) between the user and the SCP, by way of the SSP.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Enumerated, Sequence, SequenceOf, m
from tsvc.protocols.inap.errors import USUAL_ERRORS
from tsvc.protocols.inap.operation import CS2, SCP, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import ANY_INTEGER, COMPONENT, COMPONENT_TYPE, DURATION

declare(
    Operation(
        name="RequestReportFacilityEvent",
        code=103,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="ask for facility components that the user sends",
        argument=Sequence(
            m("componentTypes", 0, SequenceOf(COMPONENT_TYPE, 1, 3)),
            m("legID", 1, LEG_ID),
            m("componentCorrelationID", 2, ANY_INTEGER),
            m("monitorDuration", 3, DURATION, required=True),
            m("extensions", 4, EXTENSIONS),
        ),
        errors=(*USUAL_ERRORS, "unknownLegID"),
        example={"componentTypes": [1], "monitorDuration": 60},
    )
)

declare(
    Operation(
        name="EventReportFacility",
        code=104,
        operation_class=4,
        sent_by=SSP,
        variants=CS2,
        summary="report a facility component that the user sent",
        argument=Sequence(
            m("componentType", 0, COMPONENT_TYPE),
            m("component", 1, COMPONENT),
            m("legID", 2, LEG_ID),
            m("componentCorrelationID", 3, ANY_INTEGER),
            m("extensions", 4, EXTENSIONS),
        ),
        example={
            "componentType": 2,
            "component": {"componentInfo_hex": "0102"},
            "legID": {"receivingSideID_hex": "01"},
        },
    )
)

declare(
    Operation(
        name="SendFacilityInformation",
        code=102,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="send a facility component to the user",
        argument=Sequence(
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
        ),
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
