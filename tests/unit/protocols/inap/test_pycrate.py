"""CAP arguments agree with pycrate's compiled TS 29.078, by octets and by members."""

from typing import Any

import pytest
from support.each import each
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
from unit.protocols.inap.waivers import WAIVERS
from unit.protocols.waivers import is_at_odds

from tsvc.protocols.asn1 import Structure
from tsvc.protocols.inap.operation import CAP
from tsvc.protocols.inap.operations import charging_data


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
    if one.variant in CAP and not is_at_odds(one, "pycrate", WAIVERS)
]


@each("one", COMPARED)
def test_pycrate_sees_the_same(one: Any, portray: Any) -> None:
    assert ours_of(one, portray) == theirs_of(one)


def test_what_is_waived_differs(own_vectors: Any, portray: Any) -> None:
    waived = [
        one for one in own_vectors if one.variant in CAP and is_at_odds(one, "pycrate", WAIVERS)
    ]
    assert waived
    for one in waived:
        assert ours_of(one, portray) != theirs_of(one), (one.operation.name, one.id)


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
