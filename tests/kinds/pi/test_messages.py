"""PI lines as the ladder shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.kinds.pi.messages import decode


@pytest.mark.parametrize(
    ("octets", "is_sent", "title", "facts", "is_failure"),
    [
        (b"CCSCD1=QRY:MSISDN=21,A=x y;", True, "CCSCD1=QRY", ("MSISDN=21, A=x y",), False),
        (b"CCSCD1=QRY;", True, "CCSCD1=QRY", (), False),
        (b"CCSCD1=QRY:ACK:BALANCE=5;", False, "ACK", ("BALANCE=5",), False),
        (b"CCSCD1=QRY:ACK;", False, "ACK", (), False),
        (b"CCSCD1=QRY:NACK:88-21 DOES NOT EXIST;", False, "NACK", ("88-21 DOES NOT EXIST",), True),
        (b"<answer/>", False, "answer", ("<answer/>",), False),
    ],
)
def test_lines(octets, is_sent, title, facts, is_failure):
    found = decode(octets, is_sent)
    assert (found.title, found.facts, found.is_failure) == (title, facts, is_failure)


def test_the_whole_message_is_there():
    assert decode(b"A=B:C=1,C=2;", True).content == {
        "command": "A=B",
        "parameters": {"C": ["1", "2"]},
        "raw": "A=B:C=1,C=2",
    }
    assert decode(b"A=B:ACK:C=1;", False).content["fields"] == {"C": "1"}


@given(st.binary(max_size=300), st.booleans())
def test_it_never_raises_and_stays_short(octets, is_sent):
    found = decode(octets, is_sent)
    assert len(found.title) <= 40
    assert all(len(fact) <= 120 for fact in found.facts)
