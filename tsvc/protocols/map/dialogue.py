"""User information in TCAP's dialogue portion: MAP's dialogue PDUs, and CAP's abort reasons.

An EXTERNAL of the abstract syntax map-DialogueAS contains one of open, accept, close, refuse, user
abort and provider abort. Members have test-definition names, such as
`map_open.destination_reference_digits`.

Source: TS 29.002 (MAP-DialogueInformation); of CAP's, see CAP_ABORT
"""

from collections.abc import Mapping
from typing import Any

from tsvc.errors import RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1 import (
    Choice,
    Enumerated,
    Null,
    ObjectIdentifier,
    Sequence,
    Tree,
    decode_value,
    encode_value,
    m,
)
from tsvc.protocols.facts import Fact, at, fact, texts_of
from tsvc.protocols.map.parameters import ADDRESS_STRING, EXTENSION_CONTAINER

DIALOGUE_AS = ber.encode_oid("0.4.0.0.1.1.1.1")

_EXTERNAL = 0x28
_SINGLE_ASN1_TYPE = 0xA0
_OCTET_ALIGNED = 0x81

_EXTENSION = m("extension_container", None, EXTENSION_CONTAINER)

OPEN = Sequence(
    m("destination_reference", 0, ADDRESS_STRING),
    m("origination_reference", 1, ADDRESS_STRING),
    _EXTENSION,
)
ACCEPT = Sequence(_EXTENSION)
_USER_ABORT_CHOICE = Choice(
    m("user_specific_reason", 0, Null()),
    m("user_resource_limitation", 1, Null()),
    m(
        "resource_unavailable",
        2,
        Enumerated({0: "shortTermResourceLimitation", 1: "longTermResourceLimitation"}),
    ),
    m(
        "application_procedure_cancellation",
        3,
        Enumerated(
            {
                0: "handoverCancellation",
                1: "radioChannelRelease",
                2: "networkPathRelease",
                3: "callRelease",
                4: "associatedProcedureFailure",
                5: "tandemDialogueRelease",
                6: "remoteOperationsFailure",
            }
        ),
    ),
)
PDU = Choice(
    m("map_open", 0, OPEN),
    m("map_accept", 1, ACCEPT),
    m("map_close", 2, Sequence(_EXTENSION)),
    m(
        "map_refuse",
        3,
        Sequence(
            m(
                "reason",
                None,
                Enumerated(
                    {
                        0: "noReasonGiven",
                        1: "invalidDestinationReference",
                        2: "invalidOriginatingReference",
                    }
                ),
                required=True,
            ),
            _EXTENSION,
            m("alternative_application_context", None, ObjectIdentifier()),
        ),
    ),
    m(
        "map_user_abort",
        4,
        Sequence(m("choice", None, _USER_ABORT_CHOICE, required=True), _EXTENSION),
    ),
    m(
        "map_provider_abort",
        5,
        Sequence(
            m("reason", None, Enumerated({0: "abnormalDialogue", 1: "invalidPDU"}), required=True),
            _EXTENSION,
        ),
    ),
)


# The abort reasons of CAP users (TS 29.078, CAP-U-ABORT-Data).
CAP_ABORT_AS = ber.encode_oid("0.4.0.0.1.1.2.2")
CAP_ABORT = Choice(
    m(
        "cap_u_abort_reason",
        None,
        Enumerated(
            {
                1: "no-reason-given",
                2: "application-timer-expired",
                3: "not-allowed-procedures",
                4: "abnormal-processing",
                5: "congestion",
                6: "invalid-reference",
                7: "missing-reference",
                8: "overlapping-dialogue",
            }
        ),
    ),
)
_SYNTAXES = {DIALOGUE_AS: PDU, CAP_ABORT_AS: CAP_ABORT}


def encode_pdu(given: Mapping[str, Any]) -> bytes:
    """Return the user information that carries one MAP dialogue PDU, as an EXTERNAL.

    Errors: LocalProtocolError with the path of the member.
    """
    pdu = encode_value(PDU, given)
    identifier = ber.tlv(b"\x06", DIALOGUE_AS)
    return ber.tlv(bytes((_EXTERNAL,)), identifier + ber.tlv(b"\xa0", pdu))


def decode_user_information(octets: bytes) -> Tree | None:
    """Return the MAP dialogue PDU, or the reason of a CAP abort, in user information.

    None if it holds neither. Never raises.
    """
    try:
        return _decoded(octets)
    except RemoteProtocolError:
        return None


def _decoded(octets: bytes) -> Tree | None:
    for tag, begin, end in ber.walk(octets, 0, len(octets)):
        if tag != _EXTERNAL:
            continue
        members = {tag: octets[start:stop] for tag, start, stop in ber.walk(octets, begin, end)}
        pdu = members.get(_SINGLE_ASN1_TYPE) or members.get(_OCTET_ALIGNED)
        syntax = _SYNTAXES.get(members.get(0x06, b""))
        if syntax is not None and pdu:
            return decode_value(syntax, pdu, [])
    return None


# -- for people ---------------------------------------------------------------------------------


def texts_of_pdu(tree: Tree) -> list[str]:
    """Return the facts of decoded user information as texts, [] if there are none."""
    return texts_of(_FACTS, tree)


def texts_of_user_information(octets: bytes) -> list[str]:
    """Return the facts of encoded user information as texts. Never raises."""
    return texts_of_pdu(decode_user_information(octets) or {})


def _user_abort(tree: Tree) -> list[str]:
    """Return why a user of MAP aborts."""
    choice = at(tree, "map_user_abort.choice")
    if not isinstance(choice, dict):
        return []
    names = [text for key, text in choice.items() if key.endswith("_name")]
    return names or [key.replace("_", " ") for key in choice][:1]


_FACTS: tuple[Fact, ...] = (
    fact("destination", "map_open.destination_reference_digits"),
    fact("origination", "map_open.origination_reference_digits"),
    fact("MAP-Refuse", "map_refuse.reason_name"),
    _user_abort,
    fact("MAP provider", "map_provider_abort.reason_name"),
    fact("CAP", "cap_u_abort_reason_name"),
)
