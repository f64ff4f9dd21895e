"""GPRS: the operations between a gprsSSF and the SCP, in CAP v3.

Each is about the session, or about one PDP context of it that is named in pDPID. The codes are
those of a separate package: 80 to 83 mean something else in CS-2 (ADR 0009).

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import (
    Boolean,
    Choice,
    Containing,
    Enumerated,
    Integer,
    Null,
    Octets,
    Sequence,
    SequenceOf,
    m,
)
from tsvc.protocols.inap.errors import USUAL_BUT_FAILURE, USUAL_ERRORS
from tsvc.protocols.inap.operation import GPRS, SCP, SSP, Operation, declare
from tsvc.protocols.inap.operations.apply_charging import APPLY_CHARGING_ERRORS
from tsvc.protocols.inap.operations.charging_data import (
    AOC_SUBSEQUENT,
    CAI,
    FURNISH_CHARGING_ERRORS,
    SEND_CHARGING_ERRORS,
)
from tsvc.protocols.inap.parameters import (
    ACCESS_POINT_NAME,
    APPEND_FREE_FORMAT_DATA,
    CHARGING_ID,
    END_USER_ADDRESS,
    EVENT_TYPE_GPRS,
    EXTENSIONS,
    GGSN_ADDRESS,
    INITIATION_TYPE,
    LOCATION_INFORMATION_GPRS,
    MISC_CALL_INFO,
    MS_CLASS,
    PDP_ID,
    QUALITY_OF_SERVICE,
    TIMER_ID,
    TIMER_VALUE,
)
from tsvc.protocols.inap.parameters_cs2 import INTEGER4, MONITOR_MODE
from tsvc.protocols.party_number import IMEI, IMSI, ISDN_ADDRESS, TIME_AND_TIMEZONE

_SESSION_ERRORS = ("missingParameter", "taskRefused", "unknownPDPID")

declare(
    Operation(
        name="InitialDPGPRS",
        code=78,
        operation_class=2,
        sent_by=SSP,
        variants=GPRS,
        summary="ask the SCP about a GPRS session; opens the dialogue",
        argument=Sequence(
            m("serviceKey", 0, INTEGER4, required=True),
            m("gPRSEventType", 1, EVENT_TYPE_GPRS, required=True),
            m("mSISDN", 2, ISDN_ADDRESS, required=True),
            m("iMSI", 3, IMSI, required=True),
            m("timeAndTimeZone", 4, TIME_AND_TIMEZONE, required=True),
            m("gPRSMSClass", 5, MS_CLASS),
            m("endUserAddress", 6, END_USER_ADDRESS),
            m("qualityOfService", 7, QUALITY_OF_SERVICE),
            m("accessPointName", 8, ACCESS_POINT_NAME),
            m("routeingAreaIdentity", 9, Octets(6, 6)),
            m("chargingID", 10, CHARGING_ID),
            m("sGSNCapabilities", 11, Octets(1, 1)),
            m("locationInformationGPRS", 12, LOCATION_INFORMATION_GPRS),
            m("pDPInitiationType", 13, INITIATION_TYPE),
            m("extensions", 14, EXTENSIONS),
            m("gGSNAddress", 15, GGSN_ADDRESS),
            m("secondaryPDP-context", 16, Null()),
            m("iMEI", 17, IMEI),
        ),
        errors=("missingCustomerRecord", *USUAL_ERRORS),
        can_begin=True,
        example={
            "serviceKey": 45,
            "gPRSEventType": 11,
            "mSISDN_digits": "6421000001",
            "iMSI_digits": "530011234567890",
            "timeAndTimeZone_digits": "2026112109261242",
            "accessPointName_hex": "03746573",
        },
    )
)

GPRS_EVENT = Sequence(
    m("gPRSEventType", 0, EVENT_TYPE_GPRS, required=True),
    m("monitorMode", 1, MONITOR_MODE, required=True),
)

declare(
    Operation(
        name="RequestReportGPRSEvent",
        code=81,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="ask for events of a GPRS session",
        argument=Sequence(
            m("gPRSEvent", 0, SequenceOf(GPRS_EVENT, 1, 10), required=True), m("pDPID", 1, PDP_ID)
        ),
        errors=(*USUAL_ERRORS, "unknownPDPID"),
        example={
            "gPRSEvent": [
                {"gPRSEventType": 12, "monitorMode": 0},
                {"gPRSEventType": 13, "monitorMode": 1},
            ]
        },
    )
)

_ENTITY = Enumerated({0: "mobileStation", 1: "sgsn", 2: "hlr", 3: "ggsn"})
_END = Sequence(m("initiatingEntity", 0, _ENTITY), m("routeingAreaUpdate", 1, Null()))
EVENT_SPECIFIC_INFORMATION = Choice(
    m(
        "attachChangeOfPositionSpecificInformation",
        0,
        Sequence(m("locationInformationGPRS", 0, LOCATION_INFORMATION_GPRS)),
    ),
    m(
        "pdp-ContextchangeOfPositionSpecificInformation",
        1,
        Sequence(
            m("accessPointName", 0, ACCESS_POINT_NAME),
            m("chargingID", 1, CHARGING_ID),
            m("locationInformationGPRS", 2, LOCATION_INFORMATION_GPRS),
            m("endUserAddress", 3, END_USER_ADDRESS),
            m("qualityOfService", 4, QUALITY_OF_SERVICE),
            m("timeAndTimeZone", 5, TIME_AND_TIMEZONE),
            m("gGSNAddress", 6, GGSN_ADDRESS),
        ),
    ),
    m("detachSpecificInformation", 2, _END),
    m("disconnectSpecificInformation", 3, _END),
    m(
        "pDPContextEstablishmentSpecificInformation",
        4,
        Sequence(
            m("accessPointName", 0, ACCESS_POINT_NAME),
            m("endUserAddress", 1, END_USER_ADDRESS),
            m("qualityOfService", 2, QUALITY_OF_SERVICE),
            m("locationInformationGPRS", 3, LOCATION_INFORMATION_GPRS),
            m("timeAndTimeZone", 4, TIME_AND_TIMEZONE),
            m("pDPInitiationType", 5, INITIATION_TYPE),
            m("secondaryPDP-context", 6, Null()),
        ),
    ),
    m(
        "pDPContextEstablishmentAcknowledgementSpecificInformation",
        5,
        Sequence(
            m("accessPointName", 0, ACCESS_POINT_NAME),
            m("chargingID", 1, CHARGING_ID),
            m("endUserAddress", 2, END_USER_ADDRESS),
            m("qualityOfService", 3, QUALITY_OF_SERVICE),
            m("locationInformationGPRS", 4, LOCATION_INFORMATION_GPRS),
            m("timeAndTimeZone", 5, TIME_AND_TIMEZONE),
            m("gGSNAddress", 6, GGSN_ADDRESS),
        ),
    ),
)

declare(
    Operation(
        name="EventReportGPRS",
        code=80,
        operation_class=1,
        sent_by=SSP,
        variants=GPRS,
        summary="report an event of a GPRS session",
        argument=Sequence(
            m("gPRSEventType", 0, EVENT_TYPE_GPRS, required=True),
            m("miscGPRSInfo", 1, MISC_CALL_INFO),
            m("gPRSEventSpecificInformation", 2, EVENT_SPECIFIC_INFORMATION),
            m("pDPID", 3, PDP_ID),
        ),
        errors=("unknownPDPID",),
        example={"gPRSEventType": 13, "miscGPRSInfo": {"messageType": 1}, "pDPID_hex": "01"},
    )
)

declare(
    Operation(
        name="EntityReleasedGPRS",
        code=76,
        operation_class=1,
        sent_by=SSP,
        variants=GPRS,
        summary="report that the session or a PDP context is gone",
        argument=Sequence(m("gPRSCause", 0, Octets(1, 1), required=True), m("pDPID", 1, PDP_ID)),
        errors=_SESSION_ERRORS,
        example={"gPRSCause_hex": "01"},
    )
)

declare(
    Operation(
        name="ConnectGPRS",
        code=74,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="set the access point of a PDP context",
        argument=Sequence(
            m("accessPointName", 0, ACCESS_POINT_NAME, required=True), m("pdpID", 1, PDP_ID)
        ),
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "unknownPDPID",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"accessPointName_hex": "03746573"},
    )
)

declare(
    Operation(
        name="ContinueGPRS",
        code=75,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="let the GPRS session or PDP context go on",
        argument=Sequence(m("pDPID", 0, PDP_ID)),
        errors=("missingParameter", "unknownPDPID", "unexpectedDataValue"),
        example={"pDPID_hex": "01"},
    )
)

declare(
    Operation(
        name="ReleaseGPRS",
        code=79,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="end the session or a PDP context, with a cause",
        argument=Sequence(m("gprsCause", 0, Octets(1, 1), required=True), m("pDPID", 1, PDP_ID)),
        errors=_SESSION_ERRORS,
        example={"gprsCause_hex": "01"},
    )
)

declare(
    Operation(
        name="CancelGPRS",
        code=73,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="take back what was asked of a GPRS session",
        argument=Sequence(m("pDPID", 0, PDP_ID)),
        errors=_SESSION_ERRORS,
        example={"pDPID_hex": "01"},
    )
)

declare(
    Operation(
        name="ResetTimerGPRS",
        code=82,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="restart the guard timer of a GPRS session with another time",
        argument=Sequence(
            m("timerID", 0, TIMER_ID), m("timervalue", 1, TIMER_VALUE, required=True)
        ),
        errors=(*USUAL_BUT_FAILURE, "unknownPDPID"),
        example={"timervalue": 30},
    )
)

declare(
    Operation(
        name="ActivityTestGPRS",
        code=70,
        operation_class=3,
        sent_by=SCP,
        variants=GPRS,
        summary="ask whether a GPRS dialogue still exists",
    )
)

CHARGING_CHARACTERISTICS = Choice(
    m("maxTransferredVolume", 0, Integer(1, 4294967295, unit="octets")),
    m("maxElapsedTime", 1, Integer(1, 86400, unit="s")),
)

declare(
    Operation(
        name="ApplyChargingGPRS",
        code=71,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="grant volume or time and ask for a report",
        argument=Sequence(
            m("chargingCharacteristics", 0, CHARGING_CHARACTERISTICS, required=True),
            m("tariffSwitchInterval", 1, Integer(1, 86400, unit="s")),
            m("pDPID", 2, PDP_ID),
        ),
        errors=(*APPLY_CHARGING_ERRORS, "unknownPDPID"),
        example={"chargingCharacteristics": {"maxTransferredVolume": 1000000}, "pDPID_hex": "01"},
    )
)

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

declare(
    Operation(
        name="ApplyChargingReportGPRS",
        code=72,
        operation_class=1,
        sent_by=SSP,
        variants=GPRS,
        summary="report the volume or time used",
        argument=Sequence(
            m("chargingResult", 0, CHARGING_RESULT, required=True),
            m("qualityOfService", 1, QUALITY_OF_SERVICE),
            m("active", 2, Boolean()),
            m("pDPID", 3, PDP_ID),
            m("chargingRollOver", 4, CHARGING_ROLL_OVER),
        ),
        errors=(*APPLY_CHARGING_ERRORS, "unknownPDPID"),
        example={
            "chargingResult": {"transferredVolume": {"volumeIfNoTariffSwitch": 12345}},
            "active": 1,
            "pDPID_hex": "01",
        },
    )
)

CHARGING_RECORD = Sequence(
    m(
        "fCIBCCCAMELsequence1",
        0,
        Sequence(
            m("freeFormatData", 0, Octets(1, 160), required=True),
            m("pDPID", 1, PDP_ID),
            m("appendFreeFormatData", 2, APPEND_FREE_FORMAT_DATA),
        ),
        required=True,
    )
)

# The argument is a bare OCTET STRING that contains BER.
declare(
    Operation(
        name="FurnishChargingInformationGPRS",
        code=77,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="put data into the charging record of a GPRS session",
        argument=Choice(
            m("fCIGPRSBillingChargingCharacteristics", None, Containing(CHARGING_RECORD))
        ),
        errors=(*FURNISH_CHARGING_ERRORS, "unknownPDPID"),
        example={
            "fCIGPRSBillingChargingCharacteristics": {
                "fCIBCCCAMELsequence1": {"freeFormatData_hex": "01020304"}
            }
        },
    )
)

ADVICE_OF_CHARGE = Sequence(
    m(
        "aOCGPRS",
        0,
        Sequence(m("aOCInitial", 0, CAI, required=True), m("aOCSubsequent", 1, AOC_SUBSEQUENT)),
        required=True,
    ),
    m("pDPID", 1, PDP_ID),
)

declare(
    Operation(
        name="SendChargingInformationGPRS",
        code=83,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="give advice of charge to the user of a GPRS session",
        argument=Sequence(
            m(
                "sCIGPRSBillingChargingCharacteristics",
                0,
                Containing(ADVICE_OF_CHARGE),
                required=True,
            )
        ),
        errors=(*SEND_CHARGING_ERRORS, "unknownPDPID"),
        example={"sCIGPRSBillingChargingCharacteristics": {"aOCGPRS": {"aOCInitial": {"e1": 10}}}},
    )
)
