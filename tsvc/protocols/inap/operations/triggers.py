"""Triggers: the SCP creates, removes and switches the triggers at which the SSP asks it.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Choice, Enumerated, Octets, OpenType, Sequence, SequenceOf, m
from tsvc.protocols.inap.errors import USUAL_BUT_FAILURE, USUAL_ERRORS
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import (
    ANY_INTEGER,
    EVENT_TYPE_CS2,
    FACILITY_GROUP,
    GAP_TREATMENT,
    INTEGER4,
)
from tsvc.protocols.party_number import CALLED_PARTY_NUMBER

PROFILE_IDENTIFIER = Choice(m("access", 0, CALLED_PARTY_NUMBER), m("group", 1, FACILITY_GROUP))
TRIGGER = Sequence(
    m("tDPIdentifier", 0, ANY_INTEGER, required=True), m("dpName", 1, EVENT_TYPE_CS2)
)
TDP_IDENTIFIER = Choice(
    m("oneTrigger", None, ANY_INTEGER), m("triggers", 1, SequenceOf(TRIGGER, 1, 127))
)
ACTION_PERFORMED = Enumerated(
    {
        1: "activated",
        2: "deactivated",
        3: "alreadyActive",
        4: "alreadyInactive",
        5: "isActive",
        6: "isInactive",
        7: "tDPunknown",
    }
)

TRIGGER_DATA = Sequence(
    m("triggerId", 0, OpenType(), required=True), m("triggerPar", 1, OpenType(), required=True)
)
DEFAULT_FAULT_HANDLING = Sequence(
    m("action", 0, Enumerated({0: "resumeCallProcessing", 1: "releaseCall"}), required=True),
    m("treatment", 1, GAP_TREATMENT),
)

# The trigger's own parameters are open types: their TLVs stay opaque.
declare(
    Operation(
        name="CreateOrRemoveTriggerData",
        code=135,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="make or remove a trigger",
        argument=Sequence(
            m("createOrRemove", 0, Enumerated({0: "create", 1: "remove"})),
            m("dPName", 1, EVENT_TYPE_CS2),
            m("triggerDPType", 2, Enumerated({0: "tdp-r", 1: "tdp-n"})),
            m("serviceKey", 3, INTEGER4),
            m("profile", 4, PROFILE_IDENTIFIER),
            m("triggerData", 5, TRIGGER_DATA),
            m("defaultFaultHandling", 6, DEFAULT_FAULT_HANDLING),
            m("tDPIdentifier", 7, TDP_IDENTIFIER),
            m("extensions", 30, EXTENSIONS),
        ),
        result=Sequence(
            m(
                "triggerStatus",
                0,
                Enumerated({0: "created", 1: "alreadyExist", 2: "deleted", 3: "unknownTrigger"}),
                required=True,
            ),
            m("tDPIdentifier", 1, TDP_IDENTIFIER, required=True),
            m("registratorIdentifier", 2, Octets()),
            m("extensions", 30, EXTENSIONS),
        ),
        errors=(
            "missingParameter",
            "missingCustomerRecord",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={
            "createOrRemove": 0,
            "dPName": 3,
            "serviceKey": 45,
            "profile": {"access_digits": "6421000001"},
        },
    )
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

declare(
    Operation(
        name="ManageTriggerData",
        code=97,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="switch a trigger on or off, or ask for its state",
        argument=Sequence(
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
        ),
        result=Choice(
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
        ),
        errors=USUAL_ERRORS,
        example={
            "actionIndicator": 1,
            "triggerDataIdentifier": {"profile": {"access_digits": "6421000001"}},
        },
    )
)

IN_PROFILE = Sequence(
    m("actionOnProfile", 0, Enumerated({0: "activate", 1: "deactivate"}), required=True),
    m("tDPIdentifier", 1, TDP_IDENTIFIER, required=True),
    m("dPName", 2, EVENT_TYPE_CS2),
    m("extensions", 3, EXTENSIONS),
)

declare(
    Operation(
        name="SetServiceProfile",
        code=136,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="switch triggers of one party on or off during a call",
        argument=Sequence(
            m("iNprofiles", 0, SequenceOf(IN_PROFILE, 1, 127), required=True),
            m("extensions", 30, EXTENSIONS),
        ),
        errors=USUAL_BUT_FAILURE,
        example={"iNprofiles": [{"actionOnProfile": 0, "tDPIdentifier": {"oneTrigger": 7}}]},
    )
)
