"""Scripts of user interaction: the SCP runs them in a resource, which reports their results.

Information that only a script can read is an open type: its TLV stays opaque.

Source: Q.1248.3 (IN-SCF-SRF-ops-args)
"""

from tsvc.protocols.asn1 import Boolean, OpenType, Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, SSP_OR_SRF, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, CODE

SCRIPT_ID = m("uIScriptId", None, CODE, required=True)

_ERRORS = (
    "missingParameter",
    "systemFailure",
    "taskRefused",
    "unavailableResource",
    "unexpectedComponentSequence",
    "unexpectedDataValue",
    "unexpectedParameter",
)
_EXAMPLE = {"uIScriptId": {"local": 1}, "callSegmentID": 1}

declare(
    Operation(
        name="ScriptRun",
        code=110,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="run a script of user interaction",
        argument=Sequence(
            SCRIPT_ID,
            m("uIScriptSpecificInfo", 0, OpenType()),
            m("extensions", 1, EXTENSIONS),
            m("disconnectFromIPForbidden", 2, Boolean()),
            m("callSegmentID", 3, CALL_SEGMENT),
        ),
        errors=_ERRORS,
        example=_EXAMPLE,
    )
)

declare(
    Operation(
        name="ScriptInformation",
        code=108,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="give a running script more information",
        argument=Sequence(
            SCRIPT_ID,
            m("uIScriptSpecificInfo", 0, OpenType()),
            m("extensions", 1, EXTENSIONS),
            m("callSegmentID", 2, CALL_SEGMENT),
        ),
        errors=_ERRORS,
        example=_EXAMPLE,
    )
)

declare(
    Operation(
        name="ScriptEvent",
        code=109,
        operation_class=4,
        sent_by=SSP_OR_SRF,
        variants=CS2,
        summary="report what a script has found out",
        argument=Sequence(
            SCRIPT_ID,
            m("uIScriptResult", 0, OpenType()),
            m("extensions", 1, EXTENSIONS),
            m("callSegmentID", 2, CALL_SEGMENT),
            m("lastEventIndicator", 3, Boolean()),
        ),
        example=_EXAMPLE,
    )
)

declare(
    Operation(
        name="ScriptClose",
        code=111,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="end a script of user interaction",
        argument=Sequence(
            SCRIPT_ID,
            m("uIScriptSpecificInfo", 0, OpenType()),
            m("extensions", 1, EXTENSIONS),
            m("callSegmentID", 2, CALL_SEGMENT),
        ),
        errors=_ERRORS,
        example=_EXAMPLE,
    )
)
