"""Types that several INAP and CAP operations share.

Source: TS 29.078 (CAP-datatypes), ETS 300 374-1 (IN-CS1-DataTypes)
"""

from collections.abc import Mapping
from typing import Any

from tsvc import turns
from tsvc.errors import LocalProtocolError
from tsvc.protocols.asn1 import (
    Boolean,
    ByVariant,
    Choice,
    Enumerated,
    Integer,
    Null,
    ObjectIdentifier,
    Octets,
    OpenType,
    Sequence,
    SequenceOf,
    Text,
    Tree,
    m,
)
from tsvc.protocols.asn1.base import given_octets
from tsvc.protocols.inap.bcsm import EVENT_NAMES, LEG_EVENT_NAMES
from tsvc.protocols.inap.operation import CAMEL, CAMEL4, CAP, CS
from tsvc.protocols.party_number import GENERIC_DIGITS, ISDN_ADDRESS, LOCATION_NUMBER

EVENT_TYPE = Enumerated(EVENT_NAMES)
EVENT_AND_LEG = Enumerated(EVENT_NAMES, LEG_EVENT_NAMES)

LEG_ID = Choice(m("sendingSideID", 0, Octets(1, 1)), m("receivingSideID", 1, Octets(1, 1)))
SENDING_SIDE = Choice(m("sendingSideID", 0, Octets(1, 1)))
RECEIVING_SIDE = Choice(m("receivingSideID", 1, Octets(1, 1)))

# Variants of INAP, where the network defines the sizes, and those with the bounds of CAP (TS
# 29.078, cAPSpecificBoundSet).
_FREE = CS | {"camel1"}
_BOUNDED = CAP - _FREE
IP_SSP_CAPABILITIES = ByVariant({_FREE: Octets(1, 10), _BOUNDED: Octets(1, 4)})
SCF_ID = ByVariant({_FREE: Octets(1, 128), _BOUNDED: Octets(2, 25)})
CARRIER = ByVariant({_FREE: Octets(1, 128), _BOUNDED: Octets(4, 4)})

CALL_SEGMENT_ID = m("callSegmentID", 50, Integer(1, 127), only=CAMEL4)


# The type is a local INTEGER (`type`) or an OBJECT IDENTIFIER (`globalType`); the value is a TLV
# of that type, with an explicit tag.
class ExtensionValue(OpenType):
    """The value of an extension; extensions.py encodes `value_inner` by the extension's number."""

    suffixes = ("", "_hex", "_inner")

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        if given_octets(args, name) is None and args.get(name + "_inner") is not None:
            raise LocalProtocolError(
                "needs a type for this extension in inap.extensions", path=name + "_inner"
            )
        return super().encode(args, name)


EXTENSION = Sequence(
    m("type", None, Integer(-(2**31), 2**31 - 1)),
    m("globalType", None, ObjectIdentifier()),
    m("criticality", None, Enumerated({0: "ignore", 1: "abort"})),
    m("value", 1, ExtensionValue()),
)
EXTENSIONS = SequenceOf(EXTENSION, 1, 10)

BEARER_CAPABILITY = Choice(m("bearerCap", 0, Octets(2, 11)), m("tmr", 1, Octets(1, 1), only=CS))

# MAP's container of private extensions: what is inside stays opaque.
EXTENSION_CONTAINER = OpenType()

CELL_OR_LAI = Choice(
    m("cellGlobalIdOrServiceAreaIdFixedLength", 0, Octets(7, 7)),
    m("laiFixedLength", 1, Octets(5, 5)),
)
USER_CSG_INFORMATION = Sequence(
    m("csg-Id", 0, Octets(5, 5), required=True),
    m("extensionContainer", 1, EXTENSION_CONTAINER),
    m("accessMode", 2, Octets(1, 1)),
    m("cmi", 3, Octets(1, 1)),
)
LOCATION_INFORMATION = Sequence(
    m("ageOfLocationInformation", None, Integer(0, 32767, unit="min")),
    m("geographicalInformation", 0, Octets(8, 8)),
    m("vlr-number", 1, ISDN_ADDRESS),
    m("locationNumber", 2, LOCATION_NUMBER),
    m("cellGlobalIdOrServiceAreaIdOrLAI", 3, CELL_OR_LAI),
    m("extensionContainer", 4, EXTENSION_CONTAINER),
    m("selectedLSA-Id", 5, Octets(3, 3)),
    m("msc-Number", 6, ISDN_ADDRESS),
    m("geodeticInformation", 7, Octets(10, 10)),
    m("currentLocationRetrieved", 8, Null()),
    m("sai-Present", 9, Null()),
    m(
        "locationInformationEPS",
        10,
        Sequence(
            m("e-utranCellGlobalIdentity", 0, Octets(7, 7)),
            m("trackingAreaIdentity", 1, Octets(5, 5)),
            m("extensionContainer", 2, EXTENSION_CONTAINER),
            m("geographicalInformation", 3, Octets(8, 8)),
            m("geodeticInformation", 4, Octets(10, 10)),
            m("currentLocationRetrieved", 5, Null()),
            m("ageOfLocationInformation", 6, Integer(0, 32767, unit="min")),
            m("mme-Name", 7, Octets(9, 255)),
        ),
    ),
    m("userCSGInformation", 11, USER_CSG_INFORMATION),
)

MISC_CALL_INFO = Sequence(
    m("messageType", 0, Enumerated({0: "request", 1: "notification"}), required=True),
    m("dpAssignment", 1, Enumerated({0: "individualLine", 1: "groupBased", 2: "officeBased"})),
)

BASIC_SERVICE = Choice(
    m("ext-BearerService", 2, Octets(1, 5)), m("ext-Teleservice", 3, Octets(1, 5))
)

SERVICE_INTERACTION_INDICATORS_TWO = Sequence(
    m(
        "forwardServiceInteractionInd",
        0,
        Sequence(
            m("conferenceTreatmentIndicator", 1, Octets(1, 1)),
            m("callDiversionTreatmentIndicator", 2, Octets(1, 1)),
            m("callOfferingTreatmentIndicator", 3, Octets(1, 1), only=CS),
            m("callingPartyRestrictionIndicator", 4, Octets(1, 1), only=CAMEL),
            m("callWaitingTreatmentIndicator", 5, Octets(1, 1), only=CS),
            m("holdTreatmentIndicator", 6, Octets(1, 1), only=CS),
            m("ectTreatmentIndicator", 7, Octets(1, 1), only=CS),
        ),
    ),
    m(
        "backwardServiceInteractionInd",
        1,
        Sequence(
            m("conferenceTreatmentIndicator", 1, Octets(1, 1)),
            m("callCompletionTreatmentIndicator", 2, Octets(1, 1)),
            m("holdTreatmentIndicator", 3, Octets(1, 1), only=CS),
            m("ectTreatmentIndicator", 4, Octets(1, 1), only=CS),
        ),
    ),
    m(
        "bothwayThroughConnectionInd",
        2,
        Enumerated({0: "bothwayPathRequired", 1: "bothwayPathNotRequired"}),
    ),
    m("suspendTimer", 3, Integer(0, 120, unit="s"), only=CS),
    m(
        "connectedNumberTreatmentInd",
        4,
        Enumerated(
            {
                0: "noINImpact",
                1: "presentationRestricted",
                2: "presentCalledINNumber",
                3: "presentCallINNumberRestricted",
            }
        ),
    ),
    m("suppressCallDiversionNotification", 5, Boolean(), only=CS),
    m("suppressCallTransferNotification", 6, Boolean(), only=CS),
    m("allowCdINNoPresentationInd", 7, Boolean(), only=CS),
    m("userDialogueDurationInd", 8, Boolean(), only=CS),
    m("overrideLineRestrictions", 9, Boolean(), only=CS),
    m("suppressVPNAPP", 10, Boolean(), only=CS),
    m("calledINNumberOverriding", 11, Boolean(), only=CS),
    m(
        "redirectServiceTreatmentInd",
        12,
        Sequence(m("redirectReason", 0, Octets(1, 1))),
        only=CS,
    ),
    m("nonCUGCall", 13, Null()),
    m("holdTreatmentIndicator", 50, Octets(1, 1), only=CAMEL),
    m("cwTreatmentIndicator", 51, Octets(1, 1), only=CAMEL),
    m("ectTreatmentIndicator", 52, Octets(1, 1), only=CAMEL),
)

_INTEGER4 = Integer(0, 2147483647)

VARIABLE_PART = Choice(
    m("integer", 0, _INTEGER4),
    m("number", 1, GENERIC_DIGITS),
    m("time", 2, Octets(2, 2)),
    m("date", 3, ByVariant({CS: Octets(3, 3), CAMEL: Octets(4, 4)})),
    m("price", 4, Octets(4, 4)),
)
MESSAGE_ID = Choice(
    m("elementaryMessageID", 0, _INTEGER4),
    m(
        "text",
        1,
        Sequence(
            m("messageContent", 0, Text(1, 127), required=True),
            m("attributes", 1, Octets(2, 10)),
        ),
    ),
    m("elementaryMessageIDs", 29, SequenceOf(_INTEGER4, 1, 16)),
    m(
        "variableMessage",
        30,
        Sequence(
            m("elementaryMessageID", 0, _INTEGER4, required=True),
            m("variableParts", 1, SequenceOf(VARIABLE_PART, 1, 5), required=True),
        ),
    ),
)
INBAND_INFO = Sequence(
    m("messageID", 0, MESSAGE_ID, required=True),
    m("numberOfRepetitions", 1, Integer(1, 127)),
    m("duration", 2, Integer(0, 32767, unit="s")),
    m("interval", 3, Integer(0, 32767, unit="s")),
)
TONE = Sequence(
    m("toneID", 0, _INTEGER4, required=True), m("duration", 1, Integer(0, 2147483647, unit="s"))
)
INFORMATION_TO_SEND = Choice(
    m("inbandInfo", 0, INBAND_INFO),
    m("tone", 1, TONE),
    m("displayInformation", 2, Text(1, 127), only=CS),
)

BURSTS = Sequence(
    m("numberOfBursts", 0, Integer(1, 3)),
    m("burstInterval", 1, Integer(1, 1200, unit="100 ms")),
    m("numberOfTonesInBurst", 2, Integer(1, 3)),
    m("toneDuration", 3, Integer(1, 20, unit="100 ms")),
    m("toneInterval", 4, Integer(1, 20, unit="100 ms")),
)

CHARGING_ADDRESS = Choice(m("legID", 2, LEG_ID), m("srfConnection", 50, Integer(1, 127)))


def renamed(tree: Tree, names: Mapping[str, str]) -> Tree:
    """Return the tree with alternative spellings of keys replaced by the usual ones.

    A usual name that is given takes precedence. Forms (`X_hex`, `X_name` …) and negations (`!X`)
    are renamed too.
    """
    result: Tree = {}
    for key, value in turns.over(tree.items()):
        usual = _usual(key, names)
        if usual == key or usual not in tree:
            result[usual] = value
    return result


def _usual(key: str, names: Mapping[str, str]) -> str:
    name = key.removeprefix("!")
    for spelling, usual in names.items():
        if name == spelling or name.startswith(spelling + "_"):
            return key.replace(spelling, usual, 1)
    return key


# Types that several CAP operations for SMS and GPRS share.
#
# Source: TS 29.078 (CAP-datatypes)


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
        13: "disonnect",  # spelt like this in the standard
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
