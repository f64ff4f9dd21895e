"""FurnishChargingInformation: data for the call's charging record. A bare OCTET STRING.

In CAP the octets hold BER: fCIBCCCAMELsequence1, which may be given directly; in INAP they are the
operator's own. The spelling FCIBillingChargingCharacteristics is taken too.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import (
    ByVariant,
    Choice,
    Containing,
    Enumerated,
    Octets,
    Sequence,
    Tree,
    m,
)
from tsvc.protocols.inap._base import (
    CAMEL,
    CAMEL3_UP,
    CS,
    NOT_CAMEL1,
    SCP,
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import SENDING_SIDE, renamed

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
    """Put what was given directly under the argument's own name."""
    tree = renamed(tree, {_SPELLING: _KEY})
    if tree.get(_SEQUENCE) is None:
        return tree
    sequence = tree.pop(_SEQUENCE)
    if tree.get(_KEY) is None and tree.get(_KEY + "_hex") is None:
        tree[_KEY] = {_SEQUENCE: sequence}
    return tree


def fill(tree: Tree) -> None:
    """Add the other spellings of what was received."""
    if _KEY + "_hex" in tree:
        tree[_SPELLING + "_hex"] = tree[_KEY + "_hex"]
    characteristics = tree.get(_KEY)
    if isinstance(characteristics, dict) and _SEQUENCE in characteristics:
        tree[_SEQUENCE] = characteristics[_SEQUENCE]


FURNISH_CHARGING_INFORMATION = declare(
    Operation(
        name="FurnishChargingInformation",
        code=34,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="put data into the call's charging record",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownLegID",
        ),
        expand=expand,
        fill=fill,
        shorthands=frozenset({_SEQUENCE, _SPELLING, _SPELLING + "_hex"}),
        # freeFormatData 01020304 for leg 1: raw, so that it is valid in INAP too.
        example={"fCIBillingChargingCharacteristics_hex": "a00b800401020304a103800101"},
    )
)
