"""Any octets: decoding never raises; without a note, encoding restores the octets."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from unit.protocols.asn1.octets import Known, check, flipped, shortest

from tsvc.protocols import ber
from tsvc.protocols.map import alphabet
from tsvc.protocols.map.dialogue import decode_user_information, encode_pdu
from tsvc.protocols.map.errors import ERROR_CODES, decode_error
from tsvc.protocols.map.operation import OPERATIONS, MapOperation

VALID = [
    (operation, max(operation.variants), octets)
    for operation in OPERATIONS
    if (octets := operation.encode_argument(operation.example, max(operation.variants)))
]
RESULTS = [
    (operation, variant)
    for operation in OPERATIONS
    for variant in sorted(operation.variants)
    if operation.result_in(variant) is not None
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


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(RESULTS), st.binary(min_size=1, max_size=60))
def test_random_results(known: tuple[MapOperation, str], octets: bytes) -> None:
    operation, variant = known
    notes: list[Any] = []
    tree = operation.decode_result(octets, variant, notes)
    if not notes:
        again = operation.encode_result(tree, variant)
        assert again is not None
        assert shortest(again) == shortest(octets)


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(sorted(ERROR_CODES.values())), st.binary(max_size=40))
def test_random_parameters_of_errors(code: int, parameter: bytes) -> None:
    tree = decode_error(code, parameter)
    assert tree["errorCode"] == code
    assert tree.get("parameter_hex", "") == parameter.hex()


@settings(max_examples=examples(400), deadline=None)
@given(st.integers(0, 12 * 8 - 1), st.binary(max_size=8))
def test_random_user_information(place: int, more: bytes) -> None:
    octets = bytearray(encode_pdu({"map_open": {"destination_reference_digits": "6421"}}))
    octets[place // 8] ^= 1 << place % 8
    decode_user_information(bytes(octets) + more)
    decode_user_information(more)


TEXTS = st.text(alphabet="".join(alphabet.text_of([code]) for code in range(128) if code != 0x1B))


@given(TEXTS)
def test_packed_text_comes_back(text: str) -> None:
    codes = alphabet.codes_of(text)
    unpacked = alphabet.unpack(alphabet.pack(codes))
    # A CR that ends on an octet boundary is sent twice, and a receiver shows both.
    doubled = len(codes) % 8 == 0 and text.endswith("\r")
    assert alphabet.text_of(unpacked) == text + "\r" * doubled


@given(st.binary(max_size=160))
def test_any_octets_are_some_text(octets: bytes) -> None:
    text = alphabet.text_of(alphabet.unpack(octets))
    assert alphabet.is_in_alphabet(text)
