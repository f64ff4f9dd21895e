"""CreateOrRemoveTriggerData: make or remove a trigger.

The trigger's own parameters are open types: their TLVs stay opaque.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Enumerated, Octets, OpenType, Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import (
    EVENT_TYPE_CS2,
    GAP_TREATMENT,
    INTEGER4,
    PROFILE_IDENTIFIER,
    TDP_IDENTIFIER,
)

TRIGGER_DATA = Sequence(
    m("triggerId", 0, OpenType(), required=True), m("triggerPar", 1, OpenType(), required=True)
)
DEFAULT_FAULT_HANDLING = Sequence(
    m("action", 0, Enumerated({0: "resumeCallProcessing", 1: "releaseCall"}), required=True),
    m("treatment", 1, GAP_TREATMENT),
)
ARGUMENT = Sequence(
    m("createOrRemove", 0, Enumerated({0: "create", 1: "remove"})),
    m("dPName", 1, EVENT_TYPE_CS2),
    m("triggerDPType", 2, Enumerated({0: "tdp-r", 1: "tdp-n"})),
    m("serviceKey", 3, INTEGER4),
    m("profile", 4, PROFILE_IDENTIFIER),
    m("triggerData", 5, TRIGGER_DATA),
    m("defaultFaultHandling", 6, DEFAULT_FAULT_HANDLING),
    m("tDPIdentifier", 7, TDP_IDENTIFIER),
    m("extensions", 30, EXTENSIONS),
)
RESULT = Sequence(
    m(
        "triggerStatus",
        0,
        Enumerated({0: "created", 1: "alreadyExist", 2: "deleted", 3: "unknownTrigger"}),
        required=True,
    ),
    m("tDPIdentifier", 1, TDP_IDENTIFIER, required=True),
    m("registratorIdentifier", 2, Octets()),
    m("extensions", 30, EXTENSIONS),
)

CREATE_OR_REMOVE_TRIGGER_DATA = declare(
    Operation(
        name="CreateOrRemoveTriggerData",
        code=135,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="make or remove a trigger",
        argument=ARGUMENT,
        result=RESULT,
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
