"""Any octets: decoding never raises; without a note, encoding restores the octets."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from unit.protocols.asn1.octets import Known, check, flipped, shortest

from tsvc.protocols import ber
from tsvc.protocols.inap.operation import OPERATIONS

VALID = [
    (operation, variant, octets)
    for operation in OPERATIONS
    for variant in sorted(operation.variants)
    if (octets := operation.encode_argument(operation.example, variant)) is not None
]


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(VALID), st.binary(min_size=1, max_size=60))
def test_random_octets(known: Known, octets: bytes) -> None:
    operation, variant, _ = known
    check(operation, variant, octets)


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(VALID), st.binary(max_size=60))
def test_random_contents(known: Known, contents: bytes) -> None:
    operation, variant, valid = known
    check(operation, variant, ber.tlv(valid[:1], contents))


@settings(max_examples=examples(1500), deadline=None)
@given(st.sampled_from(VALID), st.data())
def test_flipped_bits(known: Known, data: st.DataObject) -> None:
    operation, variant, valid = known
    check(operation, variant, data.draw(flipped(valid)))


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from(VALID), st.data())
def test_cut_or_lengthened(known: Known, data: st.DataObject) -> None:
    operation, variant, valid = known
    place = data.draw(st.integers(0, len(valid)))
    check(operation, variant, (valid[:place] + data.draw(st.binary(max_size=8)))[:-1] + b"\x00")


@settings(max_examples=examples(300), deadline=None)
@given(st.binary(min_size=1, max_size=60))
def test_random_results(octets: bytes) -> None:
    for operation in OPERATIONS:
        for variant in operation.variants:
            if operation.result_in(variant) is not None:
                notes: list[Any] = []
                tree = operation.decode_result(octets, variant, notes)
                if not notes and shortest(octets) == octets:
                    assert operation.encode_result(tree, variant) == octets
