"""InitialDPGPRS: ask the SCP about a GPRS session; opens the dialogue.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Null, Octets, Sequence, m
from tsvc.protocols.inap.operation import GPRS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import INTEGER4
from tsvc.protocols.inap.parameters_gprs import (
    ACCESS_POINT_NAME,
    CHARGING_ID,
    END_USER_ADDRESS,
    EVENT_TYPE_GPRS,
    GGSN_ADDRESS,
    INITIATION_TYPE,
    LOCATION_INFORMATION_GPRS,
    MS_CLASS,
    QUALITY_OF_SERVICE,
)
from tsvc.protocols.party_number import ISDN_ADDRESS, TBCD

ARGUMENT = Sequence(
    m("serviceKey", 0, INTEGER4, required=True),
    m("gPRSEventType", 1, EVENT_TYPE_GPRS, required=True),
    m("mSISDN", 2, ISDN_ADDRESS, required=True),
    m("iMSI", 3, TBCD, required=True),
    m("timeAndTimeZone", 4, TBCD, required=True),
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
    m("iMEI", 17, TBCD),
)

INITIAL_DP_GPRS = declare(
    Operation(
        name="InitialDPGPRS",
        code=78,
        operation_class=2,
        sent_by=SSP,
        variants=GPRS,
        summary="ask the SCP about a GPRS session; opens the dialogue",
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
