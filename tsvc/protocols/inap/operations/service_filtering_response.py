"""ServiceFilteringResponse: report the counters of filtered calls, in a dialogue of its own.

Source: ETS 300 374-1 (INAP CS-1), Q.1248.2
"""

from tsvc.protocols.asn1 import Enumerated, Integer, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import FILTERING_CRITERIA, INTEGER4

COUNTER = Sequence(
    m("counterID", 0, Integer(0, 99), required=True), m("counterValue", 1, INTEGER4, required=True)
)
ARGUMENT = Sequence(
    m("countersValue", 0, SequenceOf(COUNTER, 0, 100), required=True),
    m("filteringCriteria", 1, FILTERING_CRITERIA, required=True),
    m("extensions", 2, EXTENSIONS),
    m("responseCondition", 3, Enumerated({0: "intermediateResponse", 1: "lastResponse"})),
)

SERVICE_FILTERING_RESPONSE = declare(
    Operation(
        name="ServiceFilteringResponse",
        code=43,
        operation_class=4,
        sent_by=SSP,
        variants=CS,
        summary="report the counters of filtered calls",
        argument=ARGUMENT,
        can_begin=True,
        example={
            "countersValue": [{"counterID": 0, "counterValue": 17}],
            "filteringCriteria": {"serviceKey": 45},
            "responseCondition": 0,
        },
    )
)
