"""ScriptEvent: report what a script has found out.

What only the script knows is an open type: its TLV stays opaque.

Source: Q.1248.3 (IN-SCF-SRF-ops-args)
"""

from tsvc.protocols.asn1 import Boolean, OpenType, Sequence, m
from tsvc.protocols.inap.operation import CS2, SSP_OR_SRF, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, SCRIPT_ID

ARGUMENT = Sequence(
    SCRIPT_ID,
    m("uIScriptResult", 0, OpenType()),
    m("extensions", 1, EXTENSIONS),
    m("callSegmentID", 2, CALL_SEGMENT),
    m("lastEventIndicator", 3, Boolean()),
)

SCRIPT_EVENT = declare(
    Operation(
        name="ScriptEvent",
        code=109,
        operation_class=4,
        sent_by=SSP_OR_SRF,
        variants=CS2,
        summary="report what a script has found out",
        argument=ARGUMENT,
        example={"uIScriptId": {"local": 1}, "callSegmentID": 1},
    )
)
