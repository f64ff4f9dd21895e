"""OMidCall: tell the originating side of a request during the call.

For systems that have an operation for each detection point. Sent within a dialogue. The members
are those of CS-4; CS-1 and CS-2 have fewer of them.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Enumerated, Octets, Sequence, m
from tsvc.protocols.inap.operation import CS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import (
    ANY_INTEGER,
    COMPONENT,
    COMPONENT_TYPE,
    DP_SPECIFIC_COMMON_PARAMETERS,
)

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("calledPartyBusinessGroupID", 1, Octets(1, 20)),
    m("calledPartySubaddress", 2, Octets(1, 21)),
    m("callingPartyBusinessGroupID", 3, Octets(1, 20)),
    m("callingPartySubaddress", 4, Octets(1, 21)),
    m(
        "featureRequestIndicator",
        5,
        Enumerated({0: "hold", 1: "retrieve", 2: "featureActivation", 3: "spare1", 127: "sparen"}),
    ),
    m("extensions", 6, EXTENSIONS),
    m("carrier", 7, Octets(1, 128)),
    m("componentType", 8, COMPONENT_TYPE),
    m("component", 9, COMPONENT),
    m("componentCorrelationID", 10, ANY_INTEGER),
)

O_MID_CALL = declare(
    Operation(
        name="OMidCall",
        code=14,
        operation_class=2,
        sent_by=SSP,
        variants=CS,
        summary="tell the originating side of a request during the call",
        argument=ARGUMENT,
        errors=(
            "missingCustomerRecord",
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={
            "dpSpecificCommonParameters": {
                "serviceAddressInformation": {
                    "serviceKey": 45,
                    "miscCallInfo": {"messageType": 0},
                },
                "callingPartyNumber_digits": "6421000001",
            }
        },
    )
)
