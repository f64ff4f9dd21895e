"""ApplyChargingGPRS: grant volume or time and ask for a report.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Choice, Integer, Sequence, m
from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare
from tsvc.protocols.inap.parameters_gprs import PDP_ID

CHARGING_CHARACTERISTICS = Choice(
    m("maxTransferredVolume", 0, Integer(1, 4294967295, unit="octets")),
    m("maxElapsedTime", 1, Integer(1, 86400, unit="s")),
)
ARGUMENT = Sequence(
    m("chargingCharacteristics", 0, CHARGING_CHARACTERISTICS, required=True),
    m("tariffSwitchInterval", 1, Integer(1, 86400, unit="s")),
    m("pDPID", 2, PDP_ID),
)

APPLY_CHARGING_GPRS = declare(
    Operation(
        name="ApplyChargingGPRS",
        code=71,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="grant volume or time and ask for a report",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "unexpectedComponentSequence",
            "unexpectedParameter",
            "unexpectedDataValue",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unknownPDPID",
        ),
        example={"chargingCharacteristics": {"maxTransferredVolume": 1000000}, "pDPID_hex": "01"},
    )
)
