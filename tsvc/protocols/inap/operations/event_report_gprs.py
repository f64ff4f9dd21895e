"""EventReportGPRS: report an event of a GPRS session.

Empty result.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Choice, Enumerated, Null, Sequence, m
from tsvc.protocols.inap.operation import GPRS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import MISC_CALL_INFO
from tsvc.protocols.inap.parameters_gprs import (
    ACCESS_POINT_NAME,
    CHARGING_ID,
    END_USER_ADDRESS,
    EVENT_TYPE_GPRS,
    GGSN_ADDRESS,
    INITIATION_TYPE,
    LOCATION_INFORMATION_GPRS,
    PDP_ID,
    QUALITY_OF_SERVICE,
)
from tsvc.protocols.party_number import TBCD

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
            m("timeAndTimeZone", 5, TBCD),
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
            m("timeAndTimeZone", 4, TBCD),
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
            m("timeAndTimeZone", 5, TBCD),
            m("gGSNAddress", 6, GGSN_ADDRESS),
        ),
    ),
)
ARGUMENT = Sequence(
    m("gPRSEventType", 0, EVENT_TYPE_GPRS, required=True),
    m("miscGPRSInfo", 1, MISC_CALL_INFO),
    m("gPRSEventSpecificInformation", 2, EVENT_SPECIFIC_INFORMATION),
    m("pDPID", 3, PDP_ID),
)

EVENT_REPORT_GPRS = declare(
    Operation(
        name="EventReportGPRS",
        code=80,
        operation_class=1,
        sent_by=SSP,
        variants=GPRS,
        summary="report an event of a GPRS session",
        argument=ARGUMENT,
        errors=("unknownPDPID",),
        example={"gPRSEventType": 13, "miscGPRSInfo": {"messageType": 1}, "pDPID_hex": "01"},
    )
)
