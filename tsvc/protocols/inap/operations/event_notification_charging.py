"""EventNotificationCharging: report a charging event that was asked for.

Source: ETS 300 374-1 (INAP CS-1), Q.1248.2
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.inap.operation import CS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import MONITOR_MODE

ARGUMENT = Sequence(
    m("eventTypeCharging", 0, Octets(), required=True),
    m("eventSpecificInformationCharging", 1, Octets()),
    m("legID", 2, LEG_ID),
    m("extensions", 3, EXTENSIONS),
    m("monitorMode", 30, MONITOR_MODE),
)

EVENT_NOTIFICATION_CHARGING = declare(
    Operation(
        name="EventNotificationCharging",
        code=26,
        operation_class=4,
        sent_by=SSP,
        variants=CS,
        summary="report a charging event",
        argument=ARGUMENT,
        example={
            "eventTypeCharging_hex": "01",
            "eventSpecificInformationCharging_hex": "0a0b",
            "legID": {"receivingSideID_hex": "02"},
            "monitorMode": 1,
        },
    )
)
