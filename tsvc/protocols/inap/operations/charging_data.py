"""Charging data: data for the call's record, advice of charge, charging events of other nodes.

FurnishChargingInformation is a bare OCTET STRING. In CAP the octets contain BER:
fCIBCCCAMELsequence1, which may be given directly; in INAP the operator defines them. The spelling
FCIBillingChargingCharacteristics is accepted too. In INAP its value may be a list of {tag_hex,
value_hex}, as Genband uses it: the octets are then these TLVs, one after the other. The list is
filled in on receipt if the octets consist of TLVs only.

SendChargingInformation gives advice of charge to the user, or charges towards the network; its
characteristics are BER in CAP and octets that the operator defines in INAP. The SCP can ask for
the charging events that other nodes send; the SSP reports them.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1), Q.1248.2
"""

from collections.abc import Mapping
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1 import (
    ByVariant,
    Choice,
    Containing,
    Enumerated,
    Integer,
    Octets,
    Sequence,
    SequenceOf,
    Tree,
    m,
)
from tsvc.protocols.asn1.base import hex_octets
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE
from tsvc.protocols.inap.operation import (
    CAMEL,
    CAMEL3_UP,
    CS,
    NOT_CAMEL1,
    SCP,
    SSP,
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, SENDING_SIDE, renamed
from tsvc.protocols.inap.parameters_cs2 import MONITOR_MODE

# Also for the operations for GPRS and short messages; each adds its own errors after these.
FURNISH_CHARGING_ERRORS = (
    "missingParameter",
    "taskRefused",
    "unexpectedComponentSequence",
    "unexpectedDataValue",
    "unexpectedParameter",
)

CHARACTERISTICS = Choice(
    m(
        "fCIBCCCAMELsequence1",
        0,
        Sequence(
            m("freeFormatData", 0, Octets(1, 160), required=True),
            m("partyToCharge", 1, SENDING_SIDE),
            m(
                "appendFreeFormatData",
                2,
                Enumerated({0: "overwrite", 1: "append"}),
                only=CAMEL3_UP,
            ),
        ),
    )
)
_KEY = "fCIBillingChargingCharacteristics"
ARGUMENT = Choice(m(_KEY, None, ByVariant({CS: Octets(), CAMEL: Containing(CHARACTERISTICS)})))

_SEQUENCE = "fCIBCCCAMELsequence1"
_SPELLING = "FCIBillingChargingCharacteristics"


def expand(tree: Tree) -> Tree:
    """Put a value that was given directly, or as a list, under the argument's own name."""
    if isinstance(tree.get(_SPELLING), list):
        tree[_KEY + "_hex"] = _octets_of(tree.pop(_SPELLING)).hex()
    return expand_expected(tree)


def expand_expected(tree: Tree) -> Tree:
    """Put a value given directly under the argument's own name; a list is compared as it is."""
    if not isinstance(tree.get(_SPELLING), list):
        tree = renamed(tree, {_SPELLING: _KEY})
    if tree.get(_SEQUENCE) is None:
        return tree
    sequence = tree.pop(_SEQUENCE)
    if tree.get(_KEY) is None and tree.get(_KEY + "_hex") is None:
        tree[_KEY] = {_SEQUENCE: sequence}
    return tree


def _octets_of(items: list[Any]) -> bytes:
    parts = []
    for at, item in enumerate(items):
        path = f"{_SPELLING}[{at}]"
        if not isinstance(item, Mapping):
            raise LocalProtocolError("must be an object", path=path)
        tag = hex_octets(item.get("tag_hex"), f"{path}.tag_hex")
        parts.append(ber.tlv(tag, hex_octets(item.get("value_hex"), f"{path}.value_hex")))
    return b"".join(parts)


def fill(tree: Tree) -> None:
    """Add the other spellings of the received value."""
    if _KEY + "_hex" in tree:
        tree[_SPELLING + "_hex"] = tree[_KEY + "_hex"]
    characteristics = tree.get(_KEY)
    if isinstance(characteristics, dict):
        if _SEQUENCE in characteristics:
            tree[_SEQUENCE] = characteristics[_SEQUENCE]
    elif isinstance(characteristics, str) and characteristics:
        _fill_list(tree, characteristics.encode("latin-1"))


def _fill_list(tree: Tree, octets: bytes) -> None:
    try:
        found = ber.walk(octets, 0, len(octets))
    except RemoteProtocolError:
        return
    items = [
        {"tag_hex": ber.tag_octets(tag).hex(), "value_hex": octets[at:end].hex()}
        for tag, at, end in found
    ]
    if _octets_of(items) == octets:
        tree[_SPELLING] = items


FURNISH_CHARGING_INFORMATION = declare(
    Operation(
        name="FurnishChargingInformation",
        short_name="FCI",
        code=34,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="put data into the call's charging record",
        argument=ARGUMENT,
        errors=(*FURNISH_CHARGING_ERRORS, "unknownLegID"),
        expand=expand,
        expand_expected=expand_expected,
        fill=fill,
        shorthands=frozenset({_SEQUENCE, _SPELLING, _SPELLING + "_hex"}),
        # freeFormatData 01020304 for leg 1: raw, so that it is valid in INAP too.
        example={"fCIBillingChargingCharacteristics_hex": "a00b800401020304a103800101"},
    )
)


# Also for SendChargingInformationGPRS; each adds its own errors after these.
SEND_CHARGING_ERRORS = (
    "missingParameter",
    "unexpectedComponentSequence",
    "unexpectedParameter",
    "parameterOutOfRange",
    "systemFailure",
    "taskRefused",
    "unexpectedDataValue",
)

CAI = Sequence(*(m(f"e{number}", number - 1, Integer(0, 8191)) for number in range(1, 8)))
AOC_SUBSEQUENT = Sequence(
    m("cAI-GSM0224", 0, CAI, required=True),
    m("tariffSwitchInterval", 1, Integer(1, 86400, unit="s")),
)
ADVICE_CHARACTERISTICS = Choice(
    m(
        "aOCBeforeAnswer",
        0,
        Sequence(m("aOCInitial", 0, CAI, required=True), m("aOCSubsequent", 1, AOC_SUBSEQUENT)),
    ),
    m("aOCAfterAnswer", 1, AOC_SUBSEQUENT),
    m("aOC-extension", 2, Sequence()),
)
ADVICE = Sequence(
    m(
        "sCIBillingChargingCharacteristics",
        0,
        ByVariant({CS: Octets(), CAMEL: Containing(ADVICE_CHARACTERISTICS)}),
        required=True,
    ),
    m("partyToCharge", 1, ByVariant({CS: LEG_ID, CAMEL: SENDING_SIDE}), required=True),
    m("extensions", 2, EXTENSIONS),
)

SEND_CHARGING_INFORMATION = declare(
    Operation(
        name="SendChargingInformation",
        short_name="SCI",
        code=46,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="give advice of charge to the user",
        argument=ADVICE,
        errors=(*SEND_CHARGING_ERRORS, "unknownLegID"),
        # aOCAfterAnswer with e1 = 10: raw, so that it is valid in INAP too.
        example={
            "sCIBillingChargingCharacteristics_hex": "a105a00380010a",
            "partyToCharge": {"sendingSideID_hex": "01"},
        },
    )
)


CHARGING_EVENT = Sequence(
    m("eventTypeCharging", 0, Octets(), required=True),
    m("monitorMode", 1, MONITOR_MODE, required=True),
    m("legID", 2, LEG_ID),
)

# The argument is a bare list, `chargingEvents`.
declare(
    Operation(
        name="RequestNotificationChargingEvent",
        code=25,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="ask for charging events that other nodes send",
        argument=Choice(m("chargingEvents", None, SequenceOf(CHARGING_EVENT, 1, 127))),
        errors=USUAL_BUT_RANGE,
        example={
            "chargingEvents": [
                {
                    "eventTypeCharging_hex": "01",
                    "monitorMode": 1,
                    "legID": {"sendingSideID_hex": "01"},
                }
            ]
        },
    )
)

declare(
    Operation(
        name="EventNotificationCharging",
        code=26,
        operation_class=4,
        sent_by=SSP,
        variants=CS,
        summary="report a charging event",
        argument=Sequence(
            m("eventTypeCharging", 0, Octets(), required=True),
            m("eventSpecificInformationCharging", 1, Octets()),
            m("legID", 2, LEG_ID),
            m("extensions", 3, EXTENSIONS),
            m("monitorMode", 30, MONITOR_MODE),
        ),
        example={
            "eventTypeCharging_hex": "01",
            "eventSpecificInformationCharging_hex": "0a0b",
            "legID": {"receivingSideID_hex": "02"},
            "monitorMode": 1,
        },
    )
)
