"""Digits of a number in the octets of a message: where they are, and other ones in their place."""

import random

import pytest
from support.scripted_scp import INITIAL_DP

from tsvc.operations import digits
from tsvc.protocols.inap.operation import OPERATIONS


@pytest.mark.parametrize("width", [2, 3, 9, 10, 15])
def test_digits_are_found_and_written(width: int) -> None:
    idp = OPERATIONS.required("InitialDP")

    def encode(text: str) -> bytes | None:
        given = {**INITIAL_DP["arguments"], "callingPartyNumber_digits": text}
        return idp.encode_argument(given, "camel2")

    found = digits.find(encode, width)
    assert found is not None
    chance = random.Random(width)
    for _ in range(50):
        text = "".join(chance.choice("0123456789") for _ in range(width))
        octets = encode(text)
        assert octets is not None
        assert octets[found.first : found.first + found.octets] == found.of(text)
    for wrong in ("1" * (width + 1), "1" * (width - 1), "a" * width, "-" + "1" * (width - 1)):
        with pytest.raises(ValueError, match="other digits"):
            found.of(wrong)


def test_digits_are_not_found_where_they_are_none() -> None:
    text = digits.find(lambda text: b"\0" + text.encode(), 5)
    assert text is not None
    assert text.of("90210") == b"90210"
    assert digits.find(lambda text: bytes((len(text),)) + bytes.fromhex(text * 2), 4) is None
    assert digits.find(lambda text: int(text).to_bytes(8, "big"), 6) is None
    assert digits.find(lambda text: None, 6) is None

    def checked(text: str) -> bytes:
        return bytes.fromhex(text) + bytes((sum(map(int, text)) % 10,))

    assert digits.find(checked, 6) is None
