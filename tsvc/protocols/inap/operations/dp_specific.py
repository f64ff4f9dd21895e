"""DP-specific operations: one for each detection point, for systems that use one per report.

All have the same common parameters, followed by the parameters of the detection point. In the
standard the tags of the members follow their order, so the tags are derived from the order here.
The members are those of CS-4; CS-1 and CS-2 have fewer of them.

The operations of a TDP open a dialogue, those of an EDP are sent within one.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from tsvc.protocols.asn1 import Enumerated, Integer, Octets, Sequence, SequenceOf, Type, m
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE, USUAL_ERRORS
from tsvc.protocols.inap.operation import CS, CS2, SSP, Operation, declare
from tsvc.protocols.inap.parameters import (
    BEARER_CAPABILITY,
    EXTENSIONS,
    LEG_ID,
    MISC_CALL_INFO,
    SERVICE_INTERACTION_INDICATORS_TWO,
)
from tsvc.protocols.inap.parameters_cs2 import (
    ANY_INTEGER,
    CALL_SEGMENT,
    COMPONENT,
    COMPONENT_TYPE,
    ENTRY,
    FACILITY_GROUP,
    INTEGER4,
    IP_RELATED_INFORMATION,
    ROUTE_LIST,
    USI_INFORMATION,
    USI_SERVICE_INDICATOR,
)
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    CAUSE,
    GENERIC_DIGITS,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

TERMINAL_TYPE = Enumerated(
    {0: "unknown", 1: "dialPulse", 2: "dtmf", 3: "isdn", 4: "isdnNoDtmf", 16: "spare"}
)
TRIGGER_TYPE = Enumerated(
    {
        0: "featureActivation",
        1: "verticalServiceCode",
        2: "customizedAccess",
        3: "customizedIntercom",
        12: "emergencyService",
        13: "aFR",
        14: "sharedIOTrunk",
        17: "offHookDelay",
        18: "channelSetupPRI",
        25: "tNoAnswer",
        26: "tBusy",
        27: "oCalledPartyBusy",
        29: "oNoAnswer",
        30: "originationAttemptAuthorized",
        31: "oAnswer",
        32: "oDisconnect",
        33: "termAttemptAuthorized",
        34: "tAnswer",
        35: "tDisconnect",
        100: "oModifyRequest",
        101: "tModifyRequest",
    }
)
SERVICE_ADDRESS_INFORMATION = Sequence(
    m("serviceKey", 0, INTEGER4),
    m("miscCallInfo", 1, MISC_CALL_INFO, required=True),
    m("triggerType", 2, TRIGGER_TYPE),
)
DP_SPECIFIC_COMMON_PARAMETERS = Sequence(
    m("serviceAddressInformation", 0, SERVICE_ADDRESS_INFORMATION, required=True),
    m("bearerCapability", 1, BEARER_CAPABILITY),
    m("calledPartyNumber", 2, CALLED_PARTY_NUMBER),
    m("callingPartyNumber", 3, CALLING_PARTY_NUMBER),
    m("callingPartysCategory", 4, Octets(1, 1)),
    m("iPSSPCapabilities", 5, Octets(1, 10)),
    m("iPAvailable", 6, Octets(1, 10)),
    m("iSDNAccessRelatedInformation", 7, Octets(1, 128)),
    m(
        "cGEncountered",
        8,
        Enumerated({0: "noCGencountered", 1: "manualCGencountered", 2: "scpOverload"}),
    ),
    m("locationNumber", 9, LOCATION_NUMBER),
    m("serviceProfileIdentifier", 10, Octets()),
    m("terminalType", 11, TERMINAL_TYPE),
    m("extensions", 12, EXTENSIONS),
    m("chargeNumber", 13, LOCATION_NUMBER),
    m("servingAreaID", 14, LOCATION_NUMBER),
    m("serviceInteractionIndicators", 15, Octets(1, 127)),
    m("iNServiceCompatibilityIndication", 16, SequenceOf(ENTRY, 1, 127)),
    m("serviceInteractionIndicatorsTwo", 17, SERVICE_INTERACTION_INDICATORS_TWO),
    m("uSIServiceIndicator", 18, USI_SERVICE_INDICATOR),
    m("uSIInformation", 19, USI_INFORMATION),
    m("forwardGVNS", 20, Octets(1, 128)),
    m("createdCallSegmentAssociation", 21, ANY_INTEGER),
    m("ipRelatedInformation", 22, IP_RELATED_INFORMATION),
)

Part = tuple[str, Type]  # name and type of a member

_EXTENSIONS: Part = ("extensions", EXTENSIONS)
_LEG: Part = ("legID", LEG_ID)
_DIALLED: Part = ("dialledDigits", CALLED_PARTY_NUMBER)
_ORIGINAL_CALLED: Part = ("originalCalledPartyID", REDIRECTING_NUMBER)
_PREFIX: Part = ("prefix", GENERIC_DIGITS)
_ROUTES: Part = ("routeList", ROUTE_LIST)
_CLASS_MARK: Part = ("travellingClassMark", LOCATION_NUMBER)
_CARRIER: Part = ("carrier", Octets(1, 128))
_BUSY_CAUSE: Part = ("busyCause", CAUSE)
_RELEASE_CAUSE: Part = ("releaseCause", CAUSE)
_CONNECT_TIME: Part = ("connectTime", Integer(0, 2147483647, unit="100 ms"))
_FEATURE_REQUEST: Part = (
    "featureRequestIndicator",
    Enumerated({0: "hold", 1: "retrieve", 2: "featureActivation", 3: "spare1", 127: "sparen"}),
)
_CALLING_GROUP: Part = ("callingPartyBusinessGroupID", Octets(1, 20))
_CALLING_SUBADDRESS: Part = ("callingPartySubaddress", Octets(1, 21))
_CALLING = (
    _CALLING_GROUP,
    _CALLING_SUBADDRESS,
    ("callingFacilityGroup", FACILITY_GROUP),
    ("callingFacilityGroupMember", ANY_INTEGER),
)
_CALLED_PARTY = (
    ("calledPartyBusinessGroupID", Octets(1, 20)),
    ("calledPartySubaddress", Octets(1, 21)),
)
_CALLED = (
    *_CALLED_PARTY,
    ("calledFacilityGroup", FACILITY_GROUP),
    ("calledFacilityGroupMember", ANY_INTEGER),
)
_REDIRECTION = (
    ("redirectingPartyID", REDIRECTING_NUMBER),
    ("redirectionInformation", Octets(2, 2)),
)
_CODES = (("featureCode", LOCATION_NUMBER), ("accessCode", LOCATION_NUMBER))
_COMPONENT = (
    ("componentType", COMPONENT_TYPE),
    ("component", COMPONENT),
    ("componentCorrelationID", ANY_INTEGER),
)

_WITH_RANGE = ("missingCustomerRecord", *USUAL_ERRORS)
_WITHOUT_RANGE = ("missingCustomerRecord", *USUAL_BUT_RANGE)
_WITH_LEG = (*_WITHOUT_RANGE, "unknownLegID")

_COMMON_EXAMPLE = {
    "serviceAddressInformation": {"serviceKey": 45, "miscCallInfo": {"messageType": 0}},
    "callingPartyNumber_digits": "6421000001",
}


def _detection_point(
    name: str,
    code: int,
    summary: str,
    *parts: Part,
    variants: frozenset[str] = CS,
    errors: tuple[str, ...] = _WITH_RANGE,
    can_begin: bool = False,
    required: Collection[str] = (),
    example: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Declare the operation of a detection point: `parts` after the common parameters.

    `required`, `example`: names of parts that are mandatory, and values for them.
    """
    argument = Sequence(
        m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
        *(
            m(part, number, type_, required=part in required)
            for number, (part, type_) in enumerate(parts, start=1)
        ),
    )
    declare(
        Operation(
            name=name,
            code=code,
            operation_class=2,
            sent_by=SSP,
            variants=variants,
            summary=summary,
            argument=argument,
            errors=errors,
            can_begin=can_begin,
            example={"dpSpecificCommonParameters": _COMMON_EXAMPLE, **example},
        )
    )


_detection_point(
    "OriginationAttempt",
    81,
    "tell that somebody begins to make a call",
    *_CALLING,
    _CARRIER,
    _CLASS_MARK,
    _EXTENSIONS,
    *_COMPONENT[:2],
    ("componenttCorrelationID", ANY_INTEGER),
    variants=CS2,
    errors=_WITHOUT_RANGE,
    can_begin=True,
)
_detection_point(
    "OriginationAttemptAuthorized",
    1,
    "tell that a call may be made",
    _DIALLED,
    *_CALLING,
    _CLASS_MARK,
    _EXTENSIONS,
    _CARRIER,
    *_COMPONENT,
    can_begin=True,
)
_detection_point(
    "CollectedInformation",
    2,
    "tell that the digits are collected",
    _DIALLED,
    *_CALLING,
    _ORIGINAL_CALLED,
    _PREFIX,
    *_REDIRECTION,
    _CLASS_MARK,
    _EXTENSIONS,
    *_CODES,
    _CARRIER,
    *_COMPONENT,
    errors=_WITHOUT_RANGE,
    can_begin=True,
)
_detection_point(
    "AnalysedInformation",
    3,
    "tell that the digits are analysed",
    _DIALLED,
    *_CALLING,
    _ORIGINAL_CALLED,
    _PREFIX,
    *_REDIRECTION,
    _ROUTES,
    _CLASS_MARK,
    _EXTENSIONS,
    *_CODES,
    _CARRIER,
    *_COMPONENT,
    can_begin=True,
)
_detection_point(
    "RouteSelectFailure",
    4,
    "tell that no route was found",
    _DIALLED,
    *_CALLING,
    ("failureCause", CAUSE),
    _ORIGINAL_CALLED,
    _PREFIX,
    *_REDIRECTION,
    _ROUTES,
    _CLASS_MARK,
    _EXTENSIONS,
    _CARRIER,
)
_detection_point(
    "OCalledPartyBusy",
    5,
    "tell the originating side that the called party is busy",
    _BUSY_CAUSE,
    *_CALLING,
    _ORIGINAL_CALLED,
    _PREFIX,
    *_REDIRECTION,
    _ROUTES,
    _CLASS_MARK,
    _EXTENSIONS,
    _CARRIER,
)
_detection_point(
    "ONoAnswer",
    6,
    "tell the originating side that nobody answers",
    *_CALLING,
    _ORIGINAL_CALLED,
    _PREFIX,
    *_REDIRECTION,
    _ROUTES,
    _CLASS_MARK,
    _EXTENSIONS,
    _CARRIER,
)
_detection_point(
    "OAnswer",
    7,
    "tell the originating side of the answer",
    *_CALLING,
    _ORIGINAL_CALLED,
    *_REDIRECTION,
    _ROUTES,
    _CLASS_MARK,
    _EXTENSIONS,
)
_detection_point(
    "OMidCall",
    14,
    "tell the originating side of a request during the call",
    *_CALLED_PARTY,
    _CALLING_GROUP,
    _CALLING_SUBADDRESS,
    _FEATURE_REQUEST,
    _EXTENSIONS,
    _CARRIER,
    *_COMPONENT,
)
_detection_point(
    "OSuspended",
    84,
    "tell that the called party has suspended the call, to the originating side",
    _LEG,
    _EXTENSIONS,
    variants=CS2,
    errors=_WITH_LEG,
)
_detection_point(
    "ODisconnect",
    8,
    "tell the originating side of the disconnect",
    *_CALLING,
    _RELEASE_CAUSE,
    _ROUTES,
    _EXTENSIONS,
    _CARRIER,
    _CONNECT_TIME,
    *_COMPONENT,
)
_detection_point(
    "OAbandon",
    83,
    "tell that the caller has given up",
    ("callSegmentID", CALL_SEGMENT),
    _RELEASE_CAUSE,
    _EXTENSIONS,
    variants=CS2,
    errors=_WITH_LEG,
    required=("callSegmentID",),
    example={"callSegmentID": 1},
)
_detection_point(
    "TerminationAttempt",
    82,
    "tell that a call comes in",
    *_CALLED_PARTY,
    _CALLING_GROUP,
    _CALLING_SUBADDRESS,
    _ORIGINAL_CALLED,
    *_REDIRECTION,
    _ROUTES,
    _CLASS_MARK,
    _EXTENSIONS,
    variants=CS2,
    can_begin=True,
)
_detection_point(
    "TermAttemptAuthorized",
    9,
    "tell that a call may be taken",
    *_CALLED_PARTY,
    _CALLING_GROUP,
    _ORIGINAL_CALLED,
    *_REDIRECTION,
    _ROUTES,
    _CLASS_MARK,
    _EXTENSIONS,
    _CALLING_SUBADDRESS,
    can_begin=True,
)
_detection_point(
    "FacilitySelectedAndAvailable",
    80,
    "tell that a facility is selected",
    *_CALLED_PARTY,
    _CALLING_GROUP,
    ("callingPartyNumber", CALLING_PARTY_NUMBER),
    _ORIGINAL_CALLED,
    *_REDIRECTION,
    _ROUTES,
    _CLASS_MARK,
    _EXTENSIONS,
    *_COMPONENT,
    variants=CS2,
    errors=_WITHOUT_RANGE,
    can_begin=True,
)
_detection_point(
    "TBusy",
    10,
    "tell the terminating side that the party is busy",
    _BUSY_CAUSE,
    *_CALLED_PARTY,
    _ORIGINAL_CALLED,
    *_REDIRECTION,
    _ROUTES,
    _CLASS_MARK,
    _EXTENSIONS,
)
_detection_point(
    "TNoAnswer",
    11,
    "tell the terminating side that nobody answers",
    *_CALLED,
    _ORIGINAL_CALLED,
    *_REDIRECTION,
    _CLASS_MARK,
    _EXTENSIONS,
    *_COMPONENT,
)
_detection_point(
    "TAnswer",
    12,
    "tell the terminating side of the answer",
    *_CALLED,
    _EXTENSIONS,
    *_COMPONENT,
)
_detection_point(
    "TMidCall",
    15,
    "tell the terminating side of a request during the call",
    *_CALLED_PARTY,
    _CALLING_GROUP,
    _CALLING_SUBADDRESS,
    _FEATURE_REQUEST,
    _EXTENSIONS,
    _CARRIER,
    *_COMPONENT,
)
_detection_point(
    "TSuspended",
    85,
    "tell that the called party has suspended the call",
    _LEG,
    _EXTENSIONS,
    variants=CS2,
    errors=_WITHOUT_RANGE,
)
_detection_point(
    "TDisconnect",
    13,
    "tell the terminating side of the disconnect",
    *_CALLED,
    _RELEASE_CAUSE,
    _EXTENSIONS,
    _CONNECT_TIME,
    *_COMPONENT,
)
