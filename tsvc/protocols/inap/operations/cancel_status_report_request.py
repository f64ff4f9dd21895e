"""CancelStatusReportRequest: take back a request for status reports.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CS, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import RESOURCE_ID

ARGUMENT = Sequence(m("resourceID", 0, RESOURCE_ID), m("extensions", 1, EXTENSIONS))

CANCEL_STATUS_REPORT_REQUEST = declare(
    Operation(
        name="CancelStatusReportRequest",
        code=54,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="take back a request for status reports",
        argument=ARGUMENT,
        errors=(
            "cancelFailed",
            "missingParameter",
            "taskRefused",
        ),
        example={"resourceID": {"trunkGroupID": 7}},
    )
)
