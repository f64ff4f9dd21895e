"""Status reports: the SCP asks whether a line or trunk is busy, once or at every change.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Choice, Enumerated, Sequence, m
from tsvc.protocols.inap.errors import USUAL_ERRORS
from tsvc.protocols.inap.operation import CS, SCP, SSP, Operation, declare
from tsvc.protocols.inap.parameters import BEARER_CAPABILITY, EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import ANY_INTEGER, DURATION, FACILITY_GROUP
from tsvc.protocols.party_number import GENERIC_DIGITS

RESOURCE_ID = Choice(
    m("lineID", 0, GENERIC_DIGITS),
    m("facilityGroupID", 1, FACILITY_GROUP),
    m("facilityGroupMemberID", 2, ANY_INTEGER),
    m("trunkGroupID", 3, ANY_INTEGER),
)
RESOURCE_STATUS = Enumerated({0: "busy", 1: "idle"})

_REQUEST_ERRORS = (*USUAL_ERRORS, "unknownResource")

# The argument is a bare choice.
declare(
    Operation(
        name="RequestCurrentStatusReport",
        code=37,
        operation_class=1,
        sent_by=SCP,
        variants=CS,
        summary="ask whether a line or trunk is busy now",
        argument=RESOURCE_ID,
        result=Sequence(
            m("resourceStatus", 0, RESOURCE_STATUS, required=True),
            m("resourceID", 1, RESOURCE_ID),
            m("extensions", 2, EXTENSIONS),
        ),
        errors=_REQUEST_ERRORS,
        example={"trunkGroupID": 7},
    )
)

declare(
    Operation(
        name="RequestEveryStatusChangeReport",
        code=38,
        operation_class=1,
        sent_by=SCP,
        variants=CS,
        summary="ask for every change of a line or trunk",
        argument=Sequence(
            m("resourceID", 0, RESOURCE_ID, required=True),
            m("correlationID", 1, GENERIC_DIGITS),
            m("monitorDuration", 2, DURATION),
            m("extensions", 3, EXTENSIONS),
        ),
        errors=_REQUEST_ERRORS,
        example={"resourceID": {"trunkGroupID": 7}, "monitorDuration": 60},
    )
)

declare(
    Operation(
        name="RequestFirstStatusMatchReport",
        code=39,
        operation_class=1,
        sent_by=SCP,
        variants=CS,
        summary="ask for the first time that a line or trunk has a status",
        argument=Sequence(
            m("resourceID", 0, RESOURCE_ID),
            m("resourceStatus", 1, RESOURCE_STATUS),
            m("correlationID", 2, GENERIC_DIGITS),
            m("monitorDuration", 3, DURATION),
            m("extensions", 4, EXTENSIONS),
            m("bearerCapability", 5, BEARER_CAPABILITY),
        ),
        errors=_REQUEST_ERRORS,
        example={"resourceID": {"trunkGroupID": 7}, "resourceStatus": 1},
    )
)

declare(
    Operation(
        name="CancelStatusReportRequest",
        code=54,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="take back a request for status reports",
        argument=Sequence(m("resourceID", 0, RESOURCE_ID), m("extensions", 1, EXTENSIONS)),
        errors=("cancelFailed", "missingParameter", "taskRefused"),
        example={"resourceID": {"trunkGroupID": 7}},
    )
)

declare(
    Operation(
        name="StatusReport",
        code=40,
        operation_class=4,
        sent_by=SSP,
        variants=CS,
        summary="report the status of a line or trunk",
        argument=Sequence(
            m("resourceStatus", 0, RESOURCE_STATUS),
            m("correlationID", 1, GENERIC_DIGITS),
            m("resourceID", 2, RESOURCE_ID),
            m("extensions", 3, EXTENSIONS),
            m(
                "reportCondition",
                4,
                Enumerated({0: "statusReport", 1: "timerExpired", 2: "canceled"}),
            ),
        ),
        example={"resourceStatus": 1, "reportCondition": 0},
    )
)
