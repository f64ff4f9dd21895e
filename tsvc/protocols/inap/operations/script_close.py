"""ScriptClose: end a script of user interaction.

What only the script knows is an open type: its TLV stays opaque.

Source: Q.1248.3 (IN-SCF-SRF-ops-args)
"""

from tsvc.protocols.asn1 import OpenType, Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, SCRIPT_ID

ARGUMENT = Sequence(
    SCRIPT_ID,
    m("uIScriptSpecificInfo", 0, OpenType()),
    m("extensions", 1, EXTENSIONS),
    m("callSegmentID", 2, CALL_SEGMENT),
)

SCRIPT_CLOSE = declare(
    Operation(
        name="ScriptClose",
        code=111,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="end a script of user interaction",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unavailableResource",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"uIScriptId": {"local": 1}, "callSegmentID": 1},
    )
)
