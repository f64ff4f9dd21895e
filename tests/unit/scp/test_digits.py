"""Keys in both directions."""

import pytest

from tsvc.flow.call import EnteredDigits as Digits
from tsvc.scp.telephony import entered_digits, key_octets_hex


@pytest.mark.parametrize(
    ("key", "octets"),
    [("0", "00"), ("9", "09"), ("A", "0a"), ("*", "0b"), ("#", "0c"), ("F", "0f"), ("e", "0e")],
)
def test_key_octets(key, octets):
    assert key_octets_hex(key) == octets


@pytest.mark.parametrize(
    ("result", "start", "end", "text"),
    [
        ({"digitsResponse_digits": "12abcdef"}, "", "", "12A*#DEF"),
        ({"digitsResponse_digits": "b12c"}, "*", "#", "12"),
        ({"digitsResponse_digits": "b12c"}, "", "", "*12#"),
        ({"digitsResponse_digits": "12c3"}, "", "#", "12#3"),
        ({"digitsResponse_digits": "c"}, "", "#", ""),
        ({"iA5Response": "12#"}, "", "#", "12"),
        ({}, "*", "#", ""),
    ],
)
def test_entered_digits(result, start, end, text):
    assert entered_digits(result, start, end) == Digits(text)
