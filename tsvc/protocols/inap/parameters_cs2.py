"""Types shared by operations of Q.1218 and CS-2; bounds that the operator defines are wide.

The members are those of the latest modules, Q.1248.2 (CS-4); CS-1 and CS-2 have subsets of them.

Source: Q.1248.2 (IN-SSF-SCF-datatypes), Q.1248.3 (IN-SCF-SRF-datatypes)
"""

from tsvc.protocols.asn1 import (
    Choice,
    Enumerated,
    Integer,
    ObjectIdentifier,
    Octets,
    OpenType,
    Sequence,
    SequenceOf,
    Text,
    m,
)
from tsvc.protocols.inap.bcsm import EVENT_NAMES
from tsvc.protocols.inap.operation import CS
from tsvc.protocols.inap.parameters import (
    INFORMATION_TO_SEND,
)
from tsvc.protocols.party_number import (
    CAUSE,
    TBCD,
)

ANY_INTEGER = Integer(-(2**31), 2**31 - 1)
INTEGER4 = Integer(0, 2147483647)
CALL_SEGMENT = Integer(1, 127)
DURATION = Integer(-2, 86400, unit="s")  # -1 forever, -2 as configured in the network
DATE_AND_TIME = TBCD  # YYMMDDHHMMSS

EVENT_TYPE_CS2 = Enumerated(
    {
        **EVENT_NAMES,
        20: "oSuspend",
        21: "tSuspend",
        22: "origAttempt",
        23: "termAttempt",
        24: "oReAnswer",
        25: "tReAnswer",
        26: "facilitySelectedAndAvailable",
        28: "authorizeRouteFailure",
        29: "originationAttemptDenied",
        30: "terminationAttemptDenied",
        100: "oModifyRequest",
        101: "oModifyResult",
        102: "tModifyRequest",
        103: "tModifyResult",
    }
)
MONITOR_MODE = Enumerated({0: "interrupted", 1: "notifyAndContinue", 2: "transparent"})

# An identifier of the Remote Operations modules: a number or an object identifier.
CODE = Choice(m("local", None, ANY_INTEGER), m("global", None, ObjectIdentifier()))
ENTRY = Choice(m("agreements", 0, ObjectIdentifier()), m("networkSpecific", 1, INTEGER4))
FACILITY_GROUP = Choice(
    m("trunkGroupID", 0, ANY_INTEGER),
    m("privateFacilityID", 1, ANY_INTEGER),
    m("huntGroup", 2, Octets()),
    m("routeIndex", 3, Octets()),
)
ROUTE = Octets(1, 128)
ROUTE_LIST = SequenceOf(ROUTE, 1, 3)

COMPONENT_TYPE = Enumerated({0: "any", 1: "invoke", 2: "rResult", 3: "rError", 4: "rReject"})
# relayedComponent is an EMBEDDED PDV: what is inside stays opaque.
COMPONENT = Choice(m("componentInfo", 0, Octets(1, 118)), m("relayedComponent", 1, OpenType()))
USI_SERVICE_INDICATOR = Choice(
    m("global", None, ObjectIdentifier()), m("local", None, Octets(1, 128))
)
USI_INFORMATION = Octets(1, 255)

IDENTITIES = SequenceOf(Choice(m("url", 0, Text(1, 512))), 1, 127)
IP_RELATED_INFORMATION = Sequence(
    m("alternativeCalledPartyIds", 0, IDENTITIES),
    m("alternativeOriginatingPartyIds", 1, IDENTITIES),
    m("alternativeOriginalCalledPartyIds", 2, IDENTITIES),
    m("alternativeRedirectingPartyIds", 3, IDENTITIES),
)

GAP_TREATMENT = Choice(
    m("informationToSend", 0, INFORMATION_TO_SEND),
    m("releaseCause", 1, CAUSE),
    m(
        "both",
        2,
        Sequence(
            m("informationToSend", 0, INFORMATION_TO_SEND, required=True),
            m("releaseCause", 1, CAUSE, required=True),
        ),
        only=CS,
    ),
)
END_OF_PERIOD = Choice(m("duration", 0, DURATION), m("stopTime", 1, DATE_AND_TIME))
