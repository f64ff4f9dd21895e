"""UpdateLocation: a VLR reports to the HLR that a subscriber is in its area.

Source: TS 29.002 (MAP-MS-DataTypes)
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Null, Octets, Sequence, SequenceOf, m
from tsvc.protocols.facts import fact
from tsvc.protocols.map.facts import IMSI_FACT
from tsvc.protocols.map.operation import (
    HLR_OR_SCP,
    MAP1,
    MAP1_2,
    MAP2,
    MAP3,
    TIMER_M_S,
    VERSIONS,
    InOrder,
    MapOperation,
    declare,
)
from tsvc.protocols.map.parameters import (
    EXTENSION_CONTAINER,
    IMSI,
    IST_SUPPORT_INDICATOR,
    LMSI,
    NETWORK_NODE_DIAMETER_ADDRESS,
    PAGING_AREA,
    BitString,
)
from tsvc.protocols.party_number import IMEI, ISDN_ADDRESS

SUPER_CHARGER_INFO = Choice(
    m("sendSubscriberData", 0, Null()), m("subscriberDataStored", 1, Octets(1, 6))
)
VLR_CAPABILITY = Sequence(
    m("supportedCamelPhases", 0, BitString(2, 3)),
    m("extensionContainer", None, EXTENSION_CONTAINER),
    m("solsaSupportIndicator", 2, Null()),
    m("istSupportIndicator", 1, IST_SUPPORT_INDICATOR),
    m("superChargerSupportedInServingNetworkEntity", 3, SUPER_CHARGER_INFO),
    m("longFTN-Supported", 4, Null()),
    m("supportedLCS-CapabilitySets", 5, BitString(2, 3)),
    m("offeredCamel4CSIs", 6, BitString(2, 3)),
    m("supportedRAT-TypesIndicator", 7, BitString(2, 2)),
    m("longGroupID-Supported", 8, Null()),
    m("mtRoamingForwardingSupported", 9, Null()),
    m("msisdn-lessOperation-Supported", 10, Null()),
    m("reset-ids-Supported", 11, Null()),
)
ADD_INFO = Sequence(m("imeisv", 0, IMEI, required=True), m("skipSubscriberDataUpdate", 1, Null()))

# In MAP 1 and 2 the first two numbers are alternatives of a CHOICE, locationInfo.
ARGUMENT = InOrder(
    m("imsi", None, IMSI, required=True),
    m("roamingNumber", 0, ISDN_ADDRESS, only=MAP1_2),
    m("msc-Number", 1, ISDN_ADDRESS, only=MAP1_2),
    m("msc-Number", 1, ISDN_ADDRESS, required=True, only=MAP3),
    m("vlr-Number", None, ISDN_ADDRESS, required=True),
    m("lmsi", 10, LMSI),
    m("extensionContainer", None, EXTENSION_CONTAINER, only=MAP3),
    m("vlr-Capability", 6, VLR_CAPABILITY, only=MAP3),
    m("informPreviousNetworkEntity", 11, Null(), only=MAP3),
    m("cs-LCS-NotSupportedByUE", 12, Null(), only=MAP3),
    m("v-gmlc-Address", 2, Octets(5, 17), only=MAP3),
    m("add-info", 13, ADD_INFO, only=MAP3),
    m("pagingArea", 14, PAGING_AREA, only=MAP3),
    m("skipSubscriberDataUpdate", 15, Null(), only=MAP3),
    m("restorationIndicator", 16, Null(), only=MAP3),
    m("eplmn-List", 3, SequenceOf(Octets(3, 3), 1, 50), only=MAP3),
    m("mme-DiameterAddress", 4, NETWORK_NODE_DIAMETER_ADDRESS, only=MAP3),
)
RESULT = Sequence(
    m("hlr-Number", None, ISDN_ADDRESS, required=True),
    m("extensionContainer", None, EXTENSION_CONTAINER),
    m("add-Capability", None, Null()),
    m("pagingArea-Capability", 0, Null()),
)
RESULT_2 = Sequence(m("hlr-Number", None, ISDN_ADDRESS, required=True))
RESULT_1 = Choice(m("hlr-Number", None, ISDN_ADDRESS))  # the number alone

UPDATE_LOCATION = declare(
    MapOperation(
        name="UpdateLocation",
        short_name="UL",
        code=2,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=VERSIONS,
        summary="tell that a subscriber is in the area of a VLR",
        argument=ARGUMENT,
        result=ByVariant({MAP3: RESULT, MAP2: RESULT_2, MAP1: RESULT_1}),
        errors=(
            "systemFailure",
            "dataMissing",
            "unexpectedDataValue",
            "unknownSubscriber",
            "roamingNotAllowed",
        ),
        timer_s=TIMER_M_S,
        can_begin=True,
        contexts={"map1": "ul1", "map2": "ul2", "map3": "ul3"},
        facts=(
            IMSI_FACT,
            fact("VLR", "vlr-Number_digits"),
            fact("MSC", "msc-Number_digits"),
            fact("roaming number", "roamingNumber_digits"),
        ),
        result_facts=(fact("HLR", "hlr-Number_digits"),),
        example={
            "imsi_digits": "530010000000001",
            "msc-Number_digits": "6421000050",
            "vlr-Number_digits": "6421000050",
        },
    )
)
