"""EventReportFacility: report a facility component that the user sent.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CS2, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import ANY_INTEGER, COMPONENT, COMPONENT_TYPE

ARGUMENT = Sequence(
    m("componentType", 0, COMPONENT_TYPE),
    m("component", 1, COMPONENT),
    m("legID", 2, LEG_ID),
    m("componentCorrelationID", 3, ANY_INTEGER),
    m("extensions", 4, EXTENSIONS),
)

EVENT_REPORT_FACILITY = declare(
    Operation(
        name="EventReportFacility",
        code=104,
        operation_class=4,
        sent_by=SSP,
        variants=CS2,
        summary="report a facility component that the user sent",
        argument=ARGUMENT,
        example={
            "componentType": 2,
            "component": {"componentInfo_hex": "0102"},
            "legID": {"receivingSideID_hex": "01"},
        },
    )
)
