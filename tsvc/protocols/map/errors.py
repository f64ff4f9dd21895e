"""Errors that MAP operations return: local codes, and the types of their parameters.

A parameter is a SEQUENCE in MAP 3, and often a bare value in MAP 1 and 2. The tag of a received
parameter shows its shape; a sent parameter has the shape of the dialogue's version.

Source: TS 29.002 (MAP-Errors, MAP-ER-DataTypes)
"""

from collections.abc import Mapping
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1 import (
    Boolean,
    Choice,
    Enumerated,
    Integer,
    Note,
    Notes,
    Null,
    Octets,
    Sequence,
    Structure,
    Tree,
    decode_value,
    encode_value,
    m,
)
from tsvc.protocols.asn1.base import hex_octets, prefix_notes
from tsvc.protocols.map.operation import DEFAULT_VARIANT, MAP1_2
from tsvc.protocols.map.parameters import EXTENSION_CONTAINER, IMSI

ERROR_CODES = {
    "unknownSubscriber": 1,
    "unknownMSC": 3,
    "unidentifiedSubscriber": 5,
    "absentSubscriberSM": 6,
    "unknownEquipment": 7,
    "roamingNotAllowed": 8,
    "illegalSubscriber": 9,
    "bearerServiceNotProvisioned": 10,
    "teleserviceNotProvisioned": 11,
    "illegalEquipment": 12,
    "callBarred": 13,
    "forwardingViolation": 14,
    "cug-Reject": 15,
    "illegalSS-Operation": 16,
    "ss-ErrorStatus": 17,
    "ss-NotAvailable": 18,
    "ss-SubscriptionViolation": 19,
    "ss-Incompatibility": 20,
    "facilityNotSupported": 21,
    "ongoingGroupCall": 22,
    "noHandoverNumberAvailable": 25,
    "subsequentHandoverFailure": 26,
    "absentSubscriber": 27,
    "incompatibleTerminal": 28,
    "shortTermDenial": 29,
    "longTermDenial": 30,
    "subscriberBusyForMT-SMS": 31,
    "sm-DeliveryFailure": 32,
    "messageWaitingListFull": 33,
    "systemFailure": 34,
    "dataMissing": 35,
    "unexpectedDataValue": 36,
    "pw-RegistrationFailure": 37,
    "negativePW-Check": 38,
    "noRoamingNumberAvailable": 39,
    "tracingBufferFull": 40,
    "targetCellOutsideGroupCallArea": 42,
    "numberOfPW-AttemptsViolation": 43,
    "numberChanged": 44,
    "busySubscriber": 45,
    "noSubscriberReply": 46,
    "forwardingFailed": 47,
    "or-NotAllowed": 48,
    "ati-NotAllowed": 49,
    "noGroupCallNumberAvailable": 50,
    "resourceLimitation": 51,
    "unauthorizedRequestingNetwork": 52,
    "unauthorizedLCSClient": 53,
    "positionMethodFailure": 54,
    "unknownOrUnreachableLCSClient": 58,
    "mm-EventNotSupported": 59,
    "atsi-NotAllowed": 60,
    "atm-NotAllowed": 61,
    "informationNotAvailable": 62,
    "unknownAlphabet": 71,
    "ussd-Busy": 72,
}
ERROR_NAMES = {code: name for name, code in ERROR_CODES.items()}

_EXTENSION = m("extensionContainer", None, EXTENSION_CONTAINER)
_ONLY_EXTENSIONS = (Sequence(_EXTENSION),)

_NETWORK_RESOURCE = m(
    "networkResource",
    None,
    Enumerated(
        {
            0: "plmn",
            1: "hlr",
            2: "vlr",
            3: "pvlr",
            4: "controllingMSC",
            5: "vmsc",
            6: "eir",
            7: "rss",
        }
    ),
)
_ADDITIONAL_RESOURCE = Enumerated(
    {0: "sgsn", 1: "ggsn", 2: "gmlc", 3: "gsmSCF", 4: "nplr", 5: "auc", 6: "ue", 7: "mme"}
)
_BARRING_CAUSE = m(
    "callBarringCause", None, Enumerated({0: "barringServiceActive", 1: "operatorBarring"})
)
_CUG_CAUSE = m(
    "cug-RejectCause",
    None,
    Enumerated(
        {
            0: "incomingCallsBarredWithinCUG",
            1: "subscriberNotMemberOfCUG",
            5: "requestedBasicServiceViolatesCUG-Constraints",
            7: "calledPartySS-InteractionViolation",
        }
    ),
)
_DELIVERY_CAUSE = Enumerated(
    {
        0: "memoryCapacityExceeded",
        1: "equipmentProtocolError",
        2: "equipmentNotSM-Equipped",
        3: "unknownServiceCentre",
        4: "sc-Congestion",
        5: "invalidSME-Address",
        6: "subscriberNotSC-Subscriber",
    }
)
_ROAMING_CAUSE = Enumerated({0: "plmnRoamingNotAllowed", 3: "operatorDeterminedBarring"})
_ABSENT_REASON = Enumerated(
    {
        0: "imsiDetach",
        1: "restrictedArea",
        2: "noPageResponse",
        3: "purgedMS",
        4: "mtRoamingRetry",
        5: "busySubscriber",
    }
)
_UNKNOWN_SUBSCRIBER_DIAGNOSTIC = Enumerated(
    {0: "imsiUnknown", 1: "gprs-eps-SubscriptionUnknown", 2: "npdbMismatch"}
)

# The shape of MAP 3, then the shape of MAP 1 and 2 if it differs. Names without an entry have a
# SEQUENCE with at most an extension container.
_PARAMETERS: dict[str, tuple[Structure, ...]] = {
    "unknownSubscriber": (
        Sequence(
            _EXTENSION, m("unknownSubscriberDiagnostic", None, _UNKNOWN_SUBSCRIBER_DIAGNOSTIC)
        ),
    ),
    "absentSubscriber": (
        Sequence(_EXTENSION, m("absentSubscriberReason", 0, _ABSENT_REASON)),
        Choice(m("mwd-Set", None, Boolean())),
    ),
    "absentSubscriberSM": (
        Sequence(
            m("absentSubscriberDiagnosticSM", None, Integer(0, 255)),
            _EXTENSION,
            m("additionalAbsentSubscriberDiagnosticSM", 0, Integer(0, 255)),
            m("imsi", 1, IMSI),
            m("requestedRetransmissionTime", 2, Octets(4, 4)),
            m("userIdentifierAlert", 3, IMSI),
        ),
    ),
    "callBarred": (
        Sequence(
            _BARRING_CAUSE,
            _EXTENSION,
            m("unauthorisedMessageOriginator", 1, Null()),
            m("anonymousCallRejection", 2, Null()),
        ),
        Choice(_BARRING_CAUSE),
    ),
    "cug-Reject": (Sequence(_CUG_CAUSE, _EXTENSION), Choice(_CUG_CAUSE)),
    "facilityNotSupported": (
        Sequence(
            _EXTENSION,
            m("shapeOfLocationEstimateNotSupported", 0, Null()),
            m("neededLcsCapabilityNotSupportedInServingNode", 1, Null()),
        ),
    ),
    "roamingNotAllowed": (
        Sequence(
            m("roamingNotAllowedCause", None, _ROAMING_CAUSE, required=True),
            _EXTENSION,
            m(
                "additionalRoamingNotAllowedCause",
                0,
                Enumerated({0: "supportedRAT-TypesNotAllowed"}),
            ),
        ),
        Choice(m("roamingNotAllowedCause", None, _ROAMING_CAUSE)),
    ),
    "sm-DeliveryFailure": (
        Sequence(
            m("sm-EnumeratedDeliveryFailureCause", None, _DELIVERY_CAUSE, required=True),
            m("diagnosticInfo", None, Octets(1, 200)),
            _EXTENSION,
        ),
    ),
    "systemFailure": (
        Sequence(
            _NETWORK_RESOURCE,
            _EXTENSION,
            m("additionalNetworkResource", 0, _ADDITIONAL_RESOURCE),
            m(
                "failureCauseParam",
                1,
                Enumerated({0: "limitReachedOnNumberOfConcurrentLocationRequests"}),
            ),
        ),
        Choice(_NETWORK_RESOURCE),
    ),
}


# Errors whose parameter is mandatory.
_WITH_PARAMETER = frozenset({"roamingNotAllowed", "sm-DeliveryFailure"})


def shapes_of(name: str) -> tuple[Structure, ...]:
    """Return the shapes that an error's parameter may have."""
    return _PARAMETERS.get(name, _ONLY_EXTENSIONS)


def encode_parameter(
    code: int, given: Mapping[str, Any], variant: str = DEFAULT_VARIANT
) -> bytes | None:
    """Return the parameter given as `parameter_hex` or `parameter` (an object), None if neither.

    Errors: LocalProtocolError with the path of the member.
    """
    raw = given.get("parameter_hex")
    if raw is not None:
        return hex_octets(raw, "parameter_hex") or None
    value = given.get("parameter")
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise LocalProtocolError("must be an object", path="parameter")
    shapes = shapes_of(ERROR_NAMES.get(code, ""))
    try:
        return encode_value(shapes[-1] if variant in MAP1_2 else shapes[0], value)
    except LocalProtocolError as error:
        path = f"parameter.{error.path}" if error.path else "parameter"
        raise LocalProtocolError(error.text, path=path) from None


def decode_error(code: int, parameter: bytes | None, notes: Notes | None = None) -> Tree:
    """Return the test-definition form of a ReturnError: errorCode, its name, its parameter.

    Deviations are added to `notes`; an unknown error has none.
    """
    notes = [] if notes is None else notes
    tree: Tree = {"errorCode": code}
    name = ERROR_NAMES.get(code)
    if name is not None:
        tree["errorCode_name"] = name
    if parameter:
        tree["parameter_hex"] = parameter.hex()
        shape = _shape_received(name, parameter)
        since = len(notes)
        if shape is not None:
            tree["parameter"] = decode_value(shape, parameter, notes)
            prefix_notes(notes, since, "parameter")
        elif name is not None:
            notes.append(Note("parameter", 0, f"{parameter.hex()} is none that {name} may have"))
    elif name in _WITH_PARAMETER:
        notes.append(Note("parameter", 0, "nothing where a parameter is due"))
    return tree


def _shape_received(name: str | None, parameter: bytes) -> Structure | None:
    """Return the shape of a parameter by its tag, None if no known shape has that tag."""
    if name is None:
        return None
    try:
        tag = ber.read(parameter, 0, len(parameter))[0]
    except RemoteProtocolError:
        return None
    for shape in shapes_of(name):
        tags = [shape.tag] if shape.tag is not None else [one.tag for one in shape.members]
        if tag in tags:
            return shape
    return None
