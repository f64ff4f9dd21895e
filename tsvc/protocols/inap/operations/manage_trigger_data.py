"""ManageTriggerData: switch a trigger on or off, or ask for its state.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Choice, Enumerated, Octets, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import (
    ACTION_PERFORMED,
    ANY_INTEGER,
    EVENT_TYPE_CS2,
    PROFILE_IDENTIFIER,
    TDP_IDENTIFIER,
)

TRIGGER_DATA_IDENTIFIER = Choice(
    m(
        "profileAndDP",
        1,
        Sequence(
            m("triggerID", 0, EVENT_TYPE_CS2, required=True),
            m("profile", 1, PROFILE_IDENTIFIER, required=True),
            m("extensions", 2, EXTENSIONS),
        ),
    ),
    m("profile", 5, PROFILE_IDENTIFIER),
)
TRIGGER_RESULT = Sequence(
    m("tDPIdentifer", 0, ANY_INTEGER, required=True),
    m("actionPerformed", 1, ACTION_PERFORMED, required=True),
    m("dPName", 2, EVENT_TYPE_CS2),
)
ARGUMENT = Sequence(
    m(
        "actionIndicator",
        0,
        Enumerated({1: "activate", 2: "deactivate", 3: "retrieve"}),
        required=True,
    ),
    m("triggerDataIdentifier", None, TRIGGER_DATA_IDENTIFIER, required=True),
    m("registratorIdentifier", 2, Octets()),
    m("extensions", 3, EXTENSIONS),
    m("tDPIdentifier", 4, TDP_IDENTIFIER),
)
RESULT = Choice(
    m(
        "oneTriggerResult",
        None,
        Sequence(
            m("actionPerformed", 0, ACTION_PERFORMED, required=True),
            m("extensions", 1, EXTENSIONS),
        ),
    ),
    m(
        "severalTriggerResult",
        1,
        Sequence(
            m("results", 0, SequenceOf(TRIGGER_RESULT, 1, 127), required=True),
            m("extensions", 1, EXTENSIONS),
        ),
    ),
)

MANAGE_TRIGGER_DATA = declare(
    Operation(
        name="ManageTriggerData",
        code=97,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="switch a trigger on or off, or ask for its state",
        argument=ARGUMENT,
        result=RESULT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={
            "actionIndicator": 1,
            "triggerDataIdentifier": {"profile": {"access_digits": "6421000001"}},
        },
    )
)
