"""RequestNotificationChargingEvent: ask for charging events that other nodes send.

The argument is a bare list, `chargingEvents`.

Source: ETS 300 374-1 (INAP CS-1), Q.1248.2
"""

from tsvc.protocols.asn1 import Choice, Octets, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS, SCP, Operation, declare
from tsvc.protocols.inap.parameters import LEG_ID
from tsvc.protocols.inap.parameters_cs2 import MONITOR_MODE

CHARGING_EVENT = Sequence(
    m("eventTypeCharging", 0, Octets(), required=True),
    m("monitorMode", 1, MONITOR_MODE, required=True),
    m("legID", 2, LEG_ID),
)
ARGUMENT = Choice(m("chargingEvents", None, SequenceOf(CHARGING_EVENT, 1, 127)))

REQUEST_NOTIFICATION_CHARGING_EVENT = declare(
    Operation(
        name="RequestNotificationChargingEvent",
        code=25,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="ask for charging events that other nodes send",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
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
