"""Service filtering: the SSP counts calls without asking the SCP (televoting), and reports.

Source: ETS 300 374-1 (INAP CS-1), Q.1248.2
"""

from tsvc.protocols.asn1 import Choice, Enumerated, Integer, Octets, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS, SCP, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, INFORMATION_TO_SEND
from tsvc.protocols.inap.parameters_cs2 import (
    DATE_AND_TIME,
    END_OF_PERIOD,
    INTEGER4,
)
from tsvc.protocols.party_number import CAUSE, GENERIC_DIGITS, GENERIC_NUMBER, LOCATION_NUMBER

FILTERING_CRITERIA = Choice(
    m("dialledNumber", 0, GENERIC_DIGITS),
    m("callingLineID", 1, GENERIC_DIGITS),
    m("serviceKey", 2, INTEGER4),
    m(
        "addressAndService",
        30,
        Sequence(
            m("calledAddressValue", 0, GENERIC_NUMBER, required=True),
            m("serviceKey", 1, INTEGER4, required=True),
            m("callingAddressValue", 2, GENERIC_NUMBER),
            m("locationNumber", 3, LOCATION_NUMBER),
        ),
    ),
)

FILTERED_CALL_TREATMENT = Sequence(
    m("sFBillingChargingCharacteristics", 0, Octets(), required=True),
    m("informationToSend", 1, INFORMATION_TO_SEND),
    m("maximumNumberOfCounters", 2, Integer(1, 100)),
    m("releaseCause", 3, CAUSE),
)
FILTERING_CHARACTERISTICS = Choice(
    m("interval", 0, Integer(-1, 32000, unit="s")), m("numberOfCalls", 1, INTEGER4)
)

declare(
    Operation(
        name="ActivateServiceFiltering",
        code=42,
        operation_class=1,
        sent_by=SCP,
        variants=CS,
        summary="count calls at the SSP without asking the SCP",
        argument=Sequence(
            m("filteredCallTreatment", 0, FILTERED_CALL_TREATMENT, required=True),
            m("filteringCharacteristics", 1, FILTERING_CHARACTERISTICS, required=True),
            m("filteringTimeOut", 2, END_OF_PERIOD, required=True),
            m("filteringCriteria", 3, FILTERING_CRITERIA, required=True),
            m("startTime", 4, DATE_AND_TIME),
            m("extensions", 5, EXTENSIONS),
        ),
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedParameter",
        ),
        example={
            "filteredCallTreatment": {
                "sFBillingChargingCharacteristics_hex": "01",
                "maximumNumberOfCounters": 10,
            },
            "filteringCharacteristics": {"numberOfCalls": 100},
            "filteringTimeOut": {"duration": 3600},
            "filteringCriteria": {"serviceKey": 45},
        },
    )
)

COUNTER = Sequence(
    m("counterID", 0, Integer(0, 99), required=True), m("counterValue", 1, INTEGER4, required=True)
)

declare(
    Operation(
        name="ServiceFilteringResponse",
        code=43,
        operation_class=4,
        sent_by=SSP,
        variants=CS,
        summary="report the counters of filtered calls",
        argument=Sequence(
            m("countersValue", 0, SequenceOf(COUNTER, 0, 100), required=True),
            m("filteringCriteria", 1, FILTERING_CRITERIA, required=True),
            m("extensions", 2, EXTENSIONS),
            m("responseCondition", 3, Enumerated({0: "intermediateResponse", 1: "lastResponse"})),
        ),
        can_begin=True,
        example={
            "countersValue": [{"counterID": 0, "counterValue": 17}],
            "filteringCriteria": {"serviceKey": 45},
            "responseCondition": 0,
        },
    )
)
