"""Our own vectors: every operation, in every variant, decoded and encoded."""

from typing import Any

from support.each import each
from unit.protocols.asn1.readings import check_octets_come_back, contains
from unit.protocols.inap.conftest import of_known_variants

from tsvc.protocols.inap.operation import OPERATIONS


@each("own_vector", of_known_variants)
def test_encodes_to_the_octets(own_vector: Any) -> None:
    assert own_vector.encode(own_vector.given) == own_vector.octets


@each("own_vector", of_known_variants)
def test_octets_come_back_from_what_they_decode_to(own_vector: Any) -> None:
    check_octets_come_back(own_vector)


# Lists given by parts or names are decoded to octets or numbers.
OTHER_FORMS = {
    ("Connect", "redirected"),
    ("Connect", "q1218"),
    ("Connect", "cap"),
    ("ContinueWithArgument", "cap"),
    ("CallInformationRequest", "all"),
    ("EventReportBCSM", "oDisconnectLeg1"),
    ("EventReportBCSM", "tDisconnectLeg2"),
}


@each("own_vector", of_known_variants)
def test_decodes_to_what_was_given(own_vector: Any) -> None:
    tree = own_vector.decode(own_vector.octets, [])
    is_other = (own_vector.operation.name, own_vector.id) in OTHER_FORMS
    assert contains(tree, own_vector.given) is not is_other


def test_every_operation_has_a_vector_in_every_variant(own_vectors: Any) -> None:
    have = {(one.operation.name, one.variant) for one in own_vectors}
    due = {(operation.name, variant) for operation in OPERATIONS for variant in operation.variants}
    assert have == due


def test_every_result_has_a_vector(own_vectors: Any) -> None:
    have = {one.operation.name for one in own_vectors if one.component == "result"}
    assert have == {operation.name for operation in OPERATIONS if operation.result is not None}
