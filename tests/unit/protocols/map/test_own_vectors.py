"""Our own vectors: every operation, in every version, decoded and encoded."""

from typing import Any

from support.each import each
from unit.protocols.asn1.readings import check_octets_come_back, contains
from unit.protocols.map.conftest import own_vectors as all_vectors

from tsvc.protocols.map.operation import OPERATIONS


@each("own_vector", all_vectors)
def test_encodes_to_the_octets(own_vector: Any) -> None:
    assert own_vector.encode(own_vector.given) == own_vector.octets


@each("own_vector", all_vectors)
def test_octets_come_back_from_what_they_decode_to(own_vector: Any) -> None:
    check_octets_come_back(own_vector)


@each("own_vector", all_vectors)
def test_decodes_to_what_was_given(own_vector: Any) -> None:
    assert contains(own_vector.decode(own_vector.octets, []), own_vector.given)


def test_every_operation_has_a_vector_in_every_version(own_vectors: Any) -> None:
    have = {(one.operation.name, one.variant) for one in own_vectors if one.component == "invoke"}
    due = {(operation.name, variant) for operation in OPERATIONS for variant in operation.variants}
    assert have == due


def test_every_result_has_a_vector(own_vectors: Any) -> None:
    have = {(one.operation.name, one.variant) for one in own_vectors if one.component == "result"}
    due = {
        (operation.name, variant)
        for operation in OPERATIONS
        for variant in operation.variants
        if operation.result_in(variant) is not None
    }
    assert have == due
