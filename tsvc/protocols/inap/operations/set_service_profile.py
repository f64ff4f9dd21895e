"""SetServiceProfile: switch triggers of one party on or off during a call.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Enumerated, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import EVENT_TYPE_CS2, TDP_IDENTIFIER

IN_PROFILE = Sequence(
    m("actionOnProfile", 0, Enumerated({0: "activate", 1: "deactivate"}), required=True),
    m("tDPIdentifier", 1, TDP_IDENTIFIER, required=True),
    m("dPName", 2, EVENT_TYPE_CS2),
    m("extensions", 3, EXTENSIONS),
)
ARGUMENT = Sequence(
    m("iNprofiles", 0, SequenceOf(IN_PROFILE, 1, 127), required=True),
    m("extensions", 30, EXTENSIONS),
)

SET_SERVICE_PROFILE = declare(
    Operation(
        name="SetServiceProfile",
        code=136,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="switch triggers of one party on or off during a call",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"iNprofiles": [{"actionOnProfile": 0, "tDPIdentifier": {"oneTrigger": 7}}]},
    )
)
