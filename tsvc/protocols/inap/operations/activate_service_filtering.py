"""ActivateServiceFiltering: count calls at the SSP without asking the SCP (televoting).

Empty result.

Source: ETS 300 374-1 (INAP CS-1), Q.1248.2
"""

from tsvc.protocols.asn1 import Choice, Integer, Octets, Sequence, m
from tsvc.protocols.inap.operation import CS, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, INFORMATION_TO_SEND
from tsvc.protocols.inap.parameters_cs2 import (
    DATE_AND_TIME,
    END_OF_PERIOD,
    FILTERING_CRITERIA,
    INTEGER4,
)
from tsvc.protocols.party_number import CAUSE

FILTERED_CALL_TREATMENT = Sequence(
    m("sFBillingChargingCharacteristics", 0, Octets(), required=True),
    m("informationToSend", 1, INFORMATION_TO_SEND),
    m("maximumNumberOfCounters", 2, Integer(1, 100)),
    m("releaseCause", 3, CAUSE),
)
FILTERING_CHARACTERISTICS = Choice(
    m("interval", 0, Integer(-1, 32000, unit="s")), m("numberOfCalls", 1, INTEGER4)
)
ARGUMENT = Sequence(
    m("filteredCallTreatment", 0, FILTERED_CALL_TREATMENT, required=True),
    m("filteringCharacteristics", 1, FILTERING_CHARACTERISTICS, required=True),
    m("filteringTimeOut", 2, END_OF_PERIOD, required=True),
    m("filteringCriteria", 3, FILTERING_CRITERIA, required=True),
    m("startTime", 4, DATE_AND_TIME),
    m("extensions", 5, EXTENSIONS),
)

ACTIVATE_SERVICE_FILTERING = declare(
    Operation(
        name="ActivateServiceFiltering",
        code=42,
        operation_class=1,
        sent_by=SCP,
        variants=CS,
        summary="count calls at the SSP without asking the SCP",
        argument=ARGUMENT,
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
