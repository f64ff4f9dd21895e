"""CallFiltering: limit the rate of calls to a destination.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import GAP_INDICATORS

ARGUMENT = Sequence(
    m("destinationIndex", 0, Octets(), required=True),
    m("gapIndicators", 1, GAP_INDICATORS, required=True),
    m("registratorIdentifier", 2, Octets()),
    m("extensions", 3, EXTENSIONS),
)

CALL_FILTERING = declare(
    Operation(
        name="CallFiltering",
        code=145,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="limit the rate of calls to a destination",
        argument=ARGUMENT,
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
            "destinationIndex_hex": "01",
            "gapIndicators": {"duration": 60, "gapInterval": 500},
        },
    )
)
