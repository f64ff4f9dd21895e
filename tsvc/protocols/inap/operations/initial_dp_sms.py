"""InitialDPSMS: ask the SCP about a short message; opens the dialogue.

The members are those of the last version; CAP v3 has fewer of them.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.inap.operation import SMS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LOCATION_INFORMATION
from tsvc.protocols.inap.parameters_cs2 import INTEGER4
from tsvc.protocols.inap.parameters_gprs import EVENT_TYPE_SMS, LOCATION_INFORMATION_GPRS, MS_CLASS
from tsvc.protocols.party_number import ISDN_ADDRESS, TBCD

ARGUMENT = Sequence(
    m("serviceKey", 0, INTEGER4, required=True),
    m("destinationSubscriberNumber", 1, ISDN_ADDRESS),
    m("callingPartyNumber", 2, ISDN_ADDRESS),
    m("eventTypeSMS", 3, EVENT_TYPE_SMS),
    m("iMSI", 4, TBCD),
    m("locationInformationMSC", 5, LOCATION_INFORMATION),
    m("locationInformationGPRS", 6, LOCATION_INFORMATION_GPRS),
    m("sMSCAddress", 7, ISDN_ADDRESS),
    m("timeAndTimezone", 8, TBCD),
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
    m("iMEI", 19, TBCD),
    m("calledPartyNumber", 20, ISDN_ADDRESS),
)

INITIAL_DP_SMS = declare(
    Operation(
        name="InitialDPSMS",
        code=60,
        operation_class=2,
        sent_by=SSP,
        variants=SMS,
        summary="ask the SCP about a short message; opens the dialogue",
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
            "destinationSubscriberNumber_digits": "6421000002",
            "callingPartyNumber_digits": "6421000001",
            "eventTypeSMS": 1,
            "iMSI_digits": "530011234567890",
        },
    )
)
