"""Our own vectors: every operation, in every version, both ways."""

from typing import Any

from tsvc.protocols.map._base import OPERATIONS


def contains(tree: Any, given: Any) -> bool:
    """Tell whether everything given is in the tree, lists element by element."""
    if isinstance(given, dict):
        return isinstance(tree, dict) and all(
            key in tree and contains(tree[key], value) for key, value in given.items()
        )
    if isinstance(given, list):
        return (
            isinstance(tree, list)
            and len(tree) == len(given)
            and all(contains(left, right) for left, right in zip(tree, given, strict=True))
        )
    return bool(tree == given)


def test_encodes_to_the_octets(own_vector: Any) -> None:
    assert own_vector.encode(own_vector.given) == own_vector.octets


def test_octets_come_back_from_what_they_decode_to(own_vector: Any) -> None:
    notes: list[Any] = []
    tree = own_vector.decode(own_vector.octets, notes)
    assert not notes
    assert own_vector.encode(tree) == own_vector.octets


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
