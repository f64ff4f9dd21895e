"""Reconnect: join the controlling leg with the legs on hold.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Integer, Octets, Sequence, Text, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT

ARGUMENT = Sequence(
    m("notificationDuration", 0, Integer(0, 2047, unit="s")),
    m("alertingPattern", 1, Octets(3, 3)),
    m("displayInformation", 2, Text(1, 127)),
    m("extensions", 3, EXTENSIONS),
    m("callSegmentID", 4, CALL_SEGMENT),
)

RECONNECT = declare(
    Operation(
        name="Reconnect",
        code=94,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="join the controlling leg with the legs on hold",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"notificationDuration": 10, "callSegmentID": 1},
    )
)
