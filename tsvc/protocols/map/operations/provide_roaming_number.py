"""ProvideRoamingNumber: an HLR asks a VLR for a number to route a call to.

Source: TS 29.002 (MAP-CH-DataTypes)
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Null, Octets, Sequence, m
from tsvc.protocols.facts import fact
from tsvc.protocols.map.facts import IMSI_FACT, MSISDN_FACT
from tsvc.protocols.map.operation import (
    HLR_OR_SCP,
    MAP1_2,
    MAP3,
    TIMER_M_S,
    VERSIONS,
    InOrder,
    MapOperation,
    declare,
)
from tsvc.protocols.map.parameters import (
    CALL_PRIORITY,
    EXT_EXTERNAL_SIGNAL_INFO,
    EXTENSION_CONTAINER,
    EXTERNAL_SIGNAL_INFO,
    IMSI,
    LMSI,
    PAGING_AREA,
    BitString,
)
from tsvc.protocols.party_number import ISDN_ADDRESS

ARGUMENT_2 = Sequence(
    m("imsi", 0, IMSI, required=True),
    m("msc-Number", 1, ISDN_ADDRESS),
    m("msisdn", 2, ISDN_ADDRESS),
    m("previousRoamingNumber", 3, ISDN_ADDRESS),
    m("lmsi", 4, LMSI),
    m("gsm-BearerCapability", 5, EXTERNAL_SIGNAL_INFO),
    m("networkSignalInfo", 6, EXTERNAL_SIGNAL_INFO),
)
ARGUMENT = Sequence(
    m("imsi", 0, IMSI, required=True),
    m("msc-Number", 1, ISDN_ADDRESS, required=True),
    m("msisdn", 2, ISDN_ADDRESS),
    m("lmsi", 4, LMSI),
    m("gsm-BearerCapability", 5, EXTERNAL_SIGNAL_INFO),
    m("networkSignalInfo", 6, EXTERNAL_SIGNAL_INFO),
    m("suppressionOfAnnouncement", 7, Null()),
    m("gmsc-Address", 8, ISDN_ADDRESS),
    m("callReferenceNumber", 9, Octets(1, 8)),
    m("or-Interrogation", 10, Null()),
    m("extensionContainer", 11, EXTENSION_CONTAINER),
    m("alertingPattern", 12, Octets(1, 1)),
    m("ccbs-Call", 13, Null()),
    m("supportedCamelPhasesInInterrogatingNode", 15, BitString(2, 3)),
    m("additionalSignalInfo", 14, EXT_EXTERNAL_SIGNAL_INFO),
    m("orNotSupportedInGMSC", 16, Null()),
    m("pre-pagingSupported", 17, Null()),
    m("longFTN-Supported", 18, Null()),
    m("suppress-VT-CSI", 19, Null()),
    m("offeredCamel4CSIsInInterrogatingNode", 20, BitString(2, 3)),
    m("mtRoamingRetrySupported", 21, Null()),
    m("pagingArea", 22, PAGING_AREA),
    m("callPriority", 23, CALL_PRIORITY),
    m("mtrf-Indicator", 24, Null()),
    m("oldMSC-Number", 25, ISDN_ADDRESS),
    m("lastUsedLtePLMN-Id", 26, Octets(3, 3)),
)
RESULT = InOrder(
    m("roamingNumber", None, ISDN_ADDRESS, required=True),
    m("extensionContainer", None, EXTENSION_CONTAINER),
    m("releaseResourcesSupported", None, Null()),
    m("vmsc-Address", None, ISDN_ADDRESS),
)
RESULT_2 = Choice(m("roamingNumber", None, ISDN_ADDRESS))  # the number alone

PROVIDE_ROAMING_NUMBER = declare(
    MapOperation(
        name="ProvideRoamingNumber",
        short_name="PRN",
        code=4,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=VERSIONS,
        summary="ask a VLR for a roaming number",
        argument=ByVariant({MAP3: ARGUMENT, MAP1_2: ARGUMENT_2}),
        result=ByVariant({MAP3: RESULT, MAP1_2: RESULT_2}),
        errors=(
            "systemFailure",
            "dataMissing",
            "unexpectedDataValue",
            "facilityNotSupported",
            "or-NotAllowed",
            "absentSubscriber",
            "noRoamingNumberAvailable",
        ),
        timer_s=TIMER_M_S,
        can_begin=True,
        contexts={"map2": "prn2", "map3": "prn3"},
        facts=(IMSI_FACT, MSISDN_FACT, fact("MSC", "msc-Number_digits")),
        result_facts=(fact("roaming number", "roamingNumber_digits"),),
        example={"imsi_digits": "530010000000001", "msc-Number_digits": "6421000050"},
    )
)
