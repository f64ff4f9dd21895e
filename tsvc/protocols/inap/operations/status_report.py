"""StatusReport: report the status of a line or trunk.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Enumerated, Sequence, m
from tsvc.protocols.inap.operation import CS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import RESOURCE_ID, RESOURCE_STATUS
from tsvc.protocols.party_number import GENERIC_DIGITS

ARGUMENT = Sequence(
    m("resourceStatus", 0, RESOURCE_STATUS),
    m("correlationID", 1, GENERIC_DIGITS),
    m("resourceID", 2, RESOURCE_ID),
    m("extensions", 3, EXTENSIONS),
    m("reportCondition", 4, Enumerated({0: "statusReport", 1: "timerExpired", 2: "canceled"})),
)

STATUS_REPORT = declare(
    Operation(
        name="StatusReport",
        code=40,
        operation_class=4,
        sent_by=SSP,
        variants=CS,
        summary="report the status of a line or trunk",
        argument=ARGUMENT,
        example={"resourceStatus": 1, "reportCondition": 0},
    )
)
