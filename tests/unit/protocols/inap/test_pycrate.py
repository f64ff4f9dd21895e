"""CAP arguments agree with pycrate's compiled TS 29.078: octet for octet, member for member."""

from typing import Any

import pytest
from unit.protocols.inap.by_pycrate import (
    BARE,
    NOT_INVOKED,
    argument_by_pycrate,
    decoded_by_pycrate,
    plain,
    renamed,
    tcap_cap,
    wrapped,
)
from unit.protocols.inap.conftest import own_vectors as all_vectors

from tsvc.protocols.asn1 import Structure
from tsvc.protocols.inap.operation import CAP
from tsvc.protocols.inap.operations import charging_data

# Shapes of CAP v2 and v3 that v4 changed; pycrate has v4 only. Octets inside an OCTET STRING are
# compared all the same.
OLDER = {("SpecializedResourceReport", "null"), ("InitialDP", "extension-cap2")}


def theirs_of(one: Any) -> Any:
    argument = one.encode(one.given)
    if one.operation.name in NOT_INVOKED:
        return plain(argument_by_pycrate(one.operation.name, argument))
    message = wrapped(one.operation.code, argument, one.component)
    return plain(decoded_by_pycrate(message, one.component))


def ours_of(one: Any, portray: Any) -> Any:
    argument = one.encode(one.given)
    if argument is None:
        return None
    tree = one.decode(argument, [])
    if tree.get("legID_defaulted"):
        del tree["legID"]  # our own addition
    type_ = (
        one.operation.result_in(one.variant)
        if one.component == "result"
        else one.operation.argument_in(one.variant)
    )
    assert isinstance(type_, Structure)
    ours = renamed(portray(type_, tree))
    if one.operation.name in BARE:
        (ours,) = ours.values()
    return ours


COMPARED = [
    pytest.param(one, id=f"{one.operation.name}-{one.id}-{one.variant}")
    for one in all_vectors()
    if one.variant in CAP and (one.operation.name, one.id) not in OLDER
]


@pytest.mark.parametrize("one", COMPARED)
def test_pycrate_sees_the_same(one: Any, portray: Any) -> None:
    assert ours_of(one, portray) == theirs_of(one)


def test_faults_are_still_there(own_vectors: Any, portray: Any) -> None:
    seen = set()
    for one in own_vectors:
        if (one.operation.name, one.id) in OLDER and one.variant in CAP:
            assert ours_of(one, portray) != theirs_of(one), (one.operation.name, one.id)
            seen.add((one.operation.name, one.id))
    assert seen == OLDER


def test_pycrate_reads_what_the_octets_of_send_charging_information_hold(
    own_vectors: Any, portray: Any
) -> None:
    name = "sCIBillingChargingCharacteristics"
    reader = tcap_cap.CAP_datatypes.CAMEL_SCIBillingChargingCharacteristics
    found = 0
    for one in own_vectors:
        if one.operation.name == "SendChargingInformation" and one.variant == "camel4":
            tree = one.decode(one.octets, [])
            reader.from_ber(bytes.fromhex(tree[name + "_hex"]))
            type_ = charging_data.ADVICE_CHARACTERISTICS
            assert portray(type_, tree[name]) == plain(reader.get_val())
            found += 1
    assert found == 2
