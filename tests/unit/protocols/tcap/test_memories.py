"""Memories of messages are small: long messages, which any peer may send, are not kept."""

import sys

import pytest

from tsvc.protocols.tcap import components
from tsvc.protocols.tcap.components import Invoke
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.protocols.tcap.dialogue_portion import decode as decode_portion
from tsvc.protocols.tcap.dialogue_portion import encode as encode_portion

CONTEXT = bytes.fromhex("0400000100320100")


def parameter_of(size):
    return b"\x04\x82" + size.to_bytes(2) + bytes(size)


def is_kept(use, octets):
    """Return True if octets are still referenced after use, when its result is gone."""
    before = sys.getrefcount(octets)
    use(octets)
    return sys.getrefcount(octets) > before


def test_a_long_argument_is_not_kept():
    assert is_kept(lambda it: components.encode_invoke(1, 20, it, None), parameter_of(100))
    assert not is_kept(lambda it: components.encode_invoke(1, 20, it, None), parameter_of(1000))


def test_a_long_argument_is_encoded_as_a_short_one():
    for size in (100, 1000):
        invoke = Invoke(-3, 20, parameter_of(size), 7)
        for _ in range(2):
            octets = components.encode_invoke(-3, 20, invoke.parameter, 7)
            assert octets == components.encode(invoke)


@pytest.mark.parametrize(
    "pdu_of",
    [
        lambda information: Aarq(CONTEXT, information),
        lambda information: Aare(CONTEXT, user_information=information),
        lambda information: Abrt(0, information),
    ],
)
def test_long_user_information_is_not_kept(pdu_of):
    for size, expected in ((100, True), (1000, False)):
        information = b"\x28\x82" + size.to_bytes(2) + bytes(size)
        assert is_kept(lambda it: encode_portion(pdu_of(it)), information) is expected
        contents = encode_portion(pdu_of(information))
        contents = contents[2 + (contents[1] & 0x7F if contents[1] & 0x80 else 0) :]
        assert is_kept(decode_portion, contents) is expected
        assert decode_portion(contents) == pdu_of(information)
