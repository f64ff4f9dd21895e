"""Short messages: the operations between an smsSSF and the SCP, in CAP v3 and v4.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Choice, Containing, Enumerated, Octets, Sequence, SequenceOf, m
from tsvc.protocols.inap.errors import USUAL_BUT_FAILURE, USUAL_ERRORS
from tsvc.protocols.inap.operation import SCP, SMS, SSP, Operation, declare
from tsvc.protocols.inap.operations.charging_data import FURNISH_CHARGING_ERRORS
from tsvc.protocols.inap.parameters import (
    APPEND_FREE_FORMAT_DATA,
    EXTENSIONS,
    LOCATION_INFORMATION,
    LOCATION_INFORMATION_GPRS,
    MISC_CALL_INFO,
    MS_CLASS,
    TIMER_ID,
    TIMER_VALUE,
)
from tsvc.protocols.inap.parameters_cs2 import INTEGER4, MONITOR_MODE
from tsvc.protocols.party_number import (
    CALLED_BCD_NUMBER,
    IMEI,
    IMSI,
    ISDN_ADDRESS,
    SMS_ADDRESS,
    TIME_AND_TIMEZONE,
)

EVENT_TYPE_SMS = Enumerated(
    {
        1: "sms-CollectedInfo",
        2: "o-smsFailure",
        3: "o-smsSubmission",
        11: "sms-DeliveryRequested",
        12: "t-smsFailure",
        13: "t-smsDelivery",
    }
)

# The members are those of the latest version; CAP v3 has fewer of them.
declare(
    Operation(
        name="InitialDPSMS",
        code=60,
        operation_class=2,
        sent_by=SSP,
        variants=SMS,
        summary="ask the SCP about a short message; opens the dialogue",
        argument=Sequence(
            m("serviceKey", 0, INTEGER4, required=True),
            m("destinationSubscriberNumber", 1, CALLED_BCD_NUMBER),
            m("callingPartyNumber", 2, SMS_ADDRESS),
            m("eventTypeSMS", 3, EVENT_TYPE_SMS),
            m("iMSI", 4, IMSI),
            m("locationInformationMSC", 5, LOCATION_INFORMATION),
            m("locationInformationGPRS", 6, LOCATION_INFORMATION_GPRS),
            m("sMSCAddress", 7, ISDN_ADDRESS),
            m("timeAndTimezone", 8, TIME_AND_TIMEZONE),
            m("tPShortMessageSpecificInfo", 9, Octets(1, 1)),
            m("tPProtocolIdentifier", 10, Octets(1, 1)),
            m("tPDataCodingScheme", 11, Octets(1, 1)),
            m("tPValidityPeriod", 12, Octets(1, 7)),
            m("extensions", 13, EXTENSIONS),
            m("smsReferenceNumber", 14, Octets(1, 8)),
            m("mscAddress", 15, ISDN_ADDRESS),
            m("sgsn-Number", 16, ISDN_ADDRESS),
            m("ms-Classmark2", 17, Octets(3, 3)),
            m("gPRSMSClass", 18, MS_CLASS),
            m("iMEI", 19, IMEI),
            m("calledPartyNumber", 20, ISDN_ADDRESS),
        ),
        errors=("missingCustomerRecord", *USUAL_ERRORS),
        can_begin=True,
        example={
            "serviceKey": 45,
            "destinationSubscriberNumber_digits": "6421000002",
            "callingPartyNumber_digits": "6421000001",
            "eventTypeSMS": 1,
            "iMSI_digits": "530011234567890",
        },
    )
)

SMS_EVENT = Sequence(
    m("eventTypeSMS", 0, EVENT_TYPE_SMS, required=True),
    m("monitorMode", 1, MONITOR_MODE, required=True),
)

declare(
    Operation(
        name="RequestReportSMSEvent",
        code=63,
        operation_class=2,
        sent_by=SCP,
        variants=SMS,
        summary="ask for events of the short message",
        argument=Sequence(
            m("sMSEvents", 0, SequenceOf(SMS_EVENT, 1, 10), required=True),
            m("extensions", 10, EXTENSIONS),
        ),
        errors=USUAL_ERRORS,
        example={
            "sMSEvents": [
                {"eventTypeSMS": 2, "monitorMode": 1},
                {"eventTypeSMS": 3, "monitorMode": 1},
            ]
        },
    )
)

EVENT_SPECIFIC_INFORMATION = Choice(
    m(
        "o-smsFailureSpecificInfo",
        0,
        Sequence(
            m(
                "failureCause",
                0,
                Enumerated(
                    {
                        0: "systemFailure",
                        1: "unexpectedDataValue",
                        2: "facilityNotSupported",
                        3: "sM-DeliveryFailure",
                        4: "releaseFromRadioInterface",
                    }
                ),
            )
        ),
    ),
    m("o-smsSubmissionSpecificInfo", 1, Sequence()),
    m("t-smsFailureSpecificInfo", 2, Sequence(m("failureCause", 0, Octets(1, 1)))),
    m("t-smsDeliverySpecificInfo", 3, Sequence()),
)

declare(
    Operation(
        name="EventReportSMS",
        code=64,
        operation_class=4,
        sent_by=SSP,
        variants=SMS,
        summary="report an event of the short message",
        argument=Sequence(
            m("eventTypeSMS", 0, EVENT_TYPE_SMS, required=True),
            m("eventSpecificInformationSMS", 1, EVENT_SPECIFIC_INFORMATION),
            m("miscCallInfo", 2, MISC_CALL_INFO),
            m("extensions", 10, EXTENSIONS),
        ),
        example={"eventTypeSMS": 3, "miscCallInfo": {"messageType": 1}},
    )
)

declare(
    Operation(
        name="ConnectSMS",
        code=62,
        operation_class=2,
        sent_by=SCP,
        variants=SMS,
        summary="deliver the short message to the addresses given",
        argument=Sequence(
            m("callingPartysNumber", 0, SMS_ADDRESS),
            m("destinationSubscriberNumber", 1, CALLED_BCD_NUMBER),
            m("sMSCAddress", 2, ISDN_ADDRESS),
            m("extensions", 10, EXTENSIONS),
        ),
        errors=USUAL_ERRORS,
        example={"destinationSubscriberNumber_digits": "6421000003"},
    )
)

declare(
    Operation(
        name="ContinueSMS",
        code=65,
        operation_class=4,
        sent_by=SCP,
        variants=SMS,
        summary="let the short message go on",
    )
)

# The argument is a bare OCTET STRING, `rPCause`.
declare(
    Operation(
        name="ReleaseSMS",
        code=66,
        operation_class=4,
        sent_by=SCP,
        variants=SMS,
        summary="refuse the short message, with an RP cause",
        argument=Choice(m("rPCause", None, Octets(1, 1))),
        example={"rPCause_hex": "15"},
    )
)

declare(
    Operation(
        name="ResetTimerSMS",
        code=67,
        operation_class=2,
        sent_by=SCP,
        variants=SMS,
        summary="restart the guard timer of a short message with another time",
        argument=Sequence(
            m("timerID", 0, TIMER_ID),
            m("timervalue", 1, TIMER_VALUE, required=True),
            m("extensions", 2, EXTENSIONS),
        ),
        errors=USUAL_BUT_FAILURE,
        example={"timervalue": 30},
    )
)

CHARGING_RECORD = Choice(
    m(
        "fCIBCCCAMELsequence1",
        0,
        Sequence(
            m("freeFormatData", 0, Octets(1, 160), required=True),
            m("appendFreeFormatData", 1, APPEND_FREE_FORMAT_DATA),
        ),
    )
)

# The argument is a bare OCTET STRING that contains BER.
declare(
    Operation(
        name="FurnishChargingInformationSMS",
        code=61,
        operation_class=2,
        sent_by=SCP,
        variants=SMS,
        summary="put data into the charging record of a short message",
        argument=Choice(
            m("fCISMSBillingChargingCharacteristics", None, Containing(CHARGING_RECORD))
        ),
        errors=FURNISH_CHARGING_ERRORS,
        example={
            "fCISMSBillingChargingCharacteristics": {
                "fCIBCCCAMELsequence1": {"freeFormatData_hex": "01020304"}
            }
        },
    )
)
