"""Types that several CAP operations for SMS and GPRS share.

Source: TS 29.078 (CAP-datatypes)
"""

from tsvc.protocols.asn1 import Choice, Enumerated, Integer, Null, Octets, Sequence, m
from tsvc.protocols.inap.parameters import EXTENSION_CONTAINER, USER_CSG_INFORMATION
from tsvc.protocols.party_number import ISDN_ADDRESS

PDP_ID = Octets(1, 1)
ACCESS_POINT_NAME = Octets(1, 100)
CHARGING_ID = Octets(4, 4)
GGSN_ADDRESS = Octets(5, 17)

EVENT_TYPE_GPRS = Enumerated(
    {
        1: "attach",
        2: "attachChangeOfPosition",
        3: "detached",
        11: "pdp-ContextEstablishment",
        12: "pdp-ContextEstablishmentAcknowledgement",
        13: "disonnect",  # so in the standard
        14: "pdp-ContextChangeOfPosition",
    }
)
APPEND_FREE_FORMAT_DATA = Enumerated({0: "overwrite", 1: "append"})

LOCATION_INFORMATION_GPRS = Sequence(
    m("cellGlobalIdOrServiceAreaIdOrLAI", 0, Octets(5, 7)),
    m("routeingAreaIdentity", 1, Octets(6, 6)),
    m("geographicalInformation", 2, Octets(8, 8)),
    m("sgsn-Number", 3, ISDN_ADDRESS),
    m("selectedLSAIdentity", 4, Octets(3, 3)),
    m("extensionContainer", 5, EXTENSION_CONTAINER),
    m("sai-Present", 6, Null()),
    m("userCSGInformation", 7, USER_CSG_INFORMATION),
)
MS_CLASS = Sequence(
    m("mSNetworkCapability", 0, Octets(1, 8), required=True),
    m("mSRadioAccessCapability", 1, Octets(1, 50)),
)
END_USER_ADDRESS = Sequence(
    m("pDPTypeOrganization", 0, Octets(1, 1), required=True),
    m("pDPTypeNumber", 1, Octets(1, 1), required=True),
    m("pDPAddress", 2, Octets(1, 63)),
)
INITIATION_TYPE = Enumerated({0: "mSInitiated", 1: "networkInitiated"})

_QOS = Choice(m("short-QoS-format", 0, Octets(3, 3)), m("long-QoS-format", 1, Octets(1, 9)))
_QOS_EXTENSION = Sequence(
    m("supplement-to-long-QoS-format", 0, Octets(1, 3), required=True),
    m("additionalSupplement", 1, Octets(1, 2)),
)
QUALITY_OF_SERVICE = Sequence(
    m("requested-QoS", 0, _QOS),
    m("subscribed-QoS", 1, _QOS),
    m("negotiated-QoS", 2, _QOS),
    m("requested-QoS-Extension", 3, _QOS_EXTENSION),
    m("subscribed-QoS-Extension", 4, _QOS_EXTENSION),
    m("negotiated-QoS-Extension", 5, _QOS_EXTENSION),
)

TIMER_ID = Enumerated({0: "tssf"})
TIMER_VALUE = Integer(0, 2147483647, unit="s")
