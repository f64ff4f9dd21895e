"""SendChargingInformationGPRS: give advice of charge to the user of a GPRS session.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Containing, Sequence, m
from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare
from tsvc.protocols.inap.operations.send_charging_information import AOC_SUBSEQUENT, CAI
from tsvc.protocols.inap.parameters_gprs import PDP_ID

CHARACTERISTICS = Sequence(
    m(
        "aOCGPRS",
        0,
        Sequence(m("aOCInitial", 0, CAI, required=True), m("aOCSubsequent", 1, AOC_SUBSEQUENT)),
        required=True,
    ),
    m("pDPID", 1, PDP_ID),
)
ARGUMENT = Sequence(
    m("sCIGPRSBillingChargingCharacteristics", 0, Containing(CHARACTERISTICS), required=True)
)

SEND_CHARGING_INFORMATION_GPRS = declare(
    Operation(
        name="SendChargingInformationGPRS",
        code=83,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="give advice of charge to the user of a GPRS session",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "unexpectedComponentSequence",
            "unexpectedParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedDataValue",
            "unknownPDPID",
        ),
        example={"sCIGPRSBillingChargingCharacteristics": {"aOCGPRS": {"aOCInitial": {"e1": 10}}}},
    )
)
