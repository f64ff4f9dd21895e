"""Charging events: the SCP asks for those that other nodes send, the SSP reports them.

Source: ETS 300 374-1 (INAP CS-1), Q.1248.2
"""

from tsvc.protocols.asn1 import Choice, Octets, Sequence, SequenceOf, m
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE
from tsvc.protocols.inap.operation import CS, SCP, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import MONITOR_MODE

CHARGING_EVENT = Sequence(
    m("eventTypeCharging", 0, Octets(), required=True),
    m("monitorMode", 1, MONITOR_MODE, required=True),
    m("legID", 2, LEG_ID),
)

# The argument is a bare list, `chargingEvents`.
declare(
    Operation(
        name="RequestNotificationChargingEvent",
        code=25,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="ask for charging events that other nodes send",
        argument=Choice(m("chargingEvents", None, SequenceOf(CHARGING_EVENT, 1, 127))),
        errors=USUAL_BUT_RANGE,
        example={
            "chargingEvents": [
                {
                    "eventTypeCharging_hex": "01",
                    "monitorMode": 1,
                    "legID": {"sendingSideID_hex": "01"},
                }
            ]
        },
    )
)

declare(
    Operation(
        name="EventNotificationCharging",
        code=26,
        operation_class=4,
        sent_by=SSP,
        variants=CS,
        summary="report a charging event",
        argument=Sequence(
            m("eventTypeCharging", 0, Octets(), required=True),
            m("eventSpecificInformationCharging", 1, Octets()),
            m("legID", 2, LEG_ID),
            m("extensions", 3, EXTENSIONS),
            m("monitorMode", 30, MONITOR_MODE),
        ),
        example={
            "eventTypeCharging_hex": "01",
            "eventSpecificInformationCharging_hex": "0a0b",
            "legID": {"receivingSideID_hex": "02"},
            "monitorMode": 1,
        },
    )
)
