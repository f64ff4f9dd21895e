"""ApplyChargingReportGPRS: report the volume or time used.

Empty result.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Boolean, Choice, Integer, Sequence, m
from tsvc.protocols.inap.operation import GPRS, SSP, Operation, declare
from tsvc.protocols.inap.parameters_gprs import PDP_ID, QUALITY_OF_SERVICE

_VOLUME = Integer(0, 4294967295, unit="octets")
_TIME = Integer(0, 86400, unit="s")
_ROLL_OVER = Integer(0, 255)
CHARGING_RESULT = Choice(
    m(
        "transferredVolume",
        0,
        Choice(
            m("volumeIfNoTariffSwitch", 0, _VOLUME),
            m(
                "volumeIfTariffSwitch",
                1,
                Sequence(
                    m("volumeSinceLastTariffSwitch", 0, _VOLUME, required=True),
                    m("volumeTariffSwitchInterval", 1, _VOLUME),
                ),
            ),
        ),
    ),
    m(
        "elapsedTime",
        1,
        Choice(
            m("timeGPRSIfNoTariffSwitch", 0, _TIME),
            m(
                "timeGPRSIfTariffSwitch",
                1,
                Sequence(
                    m("timeGPRSSinceLastTariffSwitch", 0, _TIME, required=True),
                    m("timeGPRSTariffSwitchInterval", 1, _TIME),
                ),
            ),
        ),
    ),
)
CHARGING_ROLL_OVER = Choice(
    m(
        "transferredVolumeRollOver",
        0,
        Choice(
            m("rO-VolumeIfNoTariffSwitch", 0, _ROLL_OVER),
            m(
                "rO-VolumeIfTariffSwitch",
                1,
                Sequence(
                    m("rO-VolumeSinceLastTariffSwitch", 0, _ROLL_OVER),
                    m("rO-VolumeTariffSwitchInterval", 1, _ROLL_OVER),
                ),
            ),
        ),
    ),
    m(
        "elapsedTimeRollOver",
        1,
        Choice(
            m("rO-TimeGPRSIfNoTariffSwitch", 0, _ROLL_OVER),
            m(
                "rO-TimeGPRSIfTariffSwitch",
                1,
                Sequence(
                    m("rO-TimeGPRSSinceLastTariffSwitch", 0, _ROLL_OVER),
                    m("rO-TimeGPRSTariffSwitchInterval", 1, _ROLL_OVER),
                ),
            ),
        ),
    ),
)
ARGUMENT = Sequence(
    m("chargingResult", 0, CHARGING_RESULT, required=True),
    m("qualityOfService", 1, QUALITY_OF_SERVICE),
    m("active", 2, Boolean()),
    m("pDPID", 3, PDP_ID),
    m("chargingRollOver", 4, CHARGING_ROLL_OVER),
)

APPLY_CHARGING_REPORT_GPRS = declare(
    Operation(
        name="ApplyChargingReportGPRS",
        code=72,
        operation_class=1,
        sent_by=SSP,
        variants=GPRS,
        summary="report the volume or time used",
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
        example={
            "chargingResult": {"transferredVolume": {"volumeIfNoTariffSwitch": 12345}},
            "active": 1,
            "pDPID_hex": "01",
        },
    )
)
