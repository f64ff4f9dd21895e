"""Which texts are keys, and that no secret is shown."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from zmq.utils import z85

from tsvc.cluster.curve import HubKeys, SpokeKeys, checked_keys, new_pair, public_of
from tsvc.config.link_key import checked_key

GOOD = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"  # from ZeroMQ's page about CURVE


@given(st.binary(min_size=32, max_size=32))
def test_every_32_octets_are_a_key(octets: bytes) -> None:
    text = z85.encode(octets).decode()
    assert checked_key(text, "key") == text


@given(st.text("09azAZ#%", min_size=38, max_size=42))
def test_a_key_is_what_the_library_reads(text: str) -> None:
    try:
        is_key = len(text) == 40 and z85.encode(z85.decode(text)).decode() == text
    except (ValueError, struct.error):  # struct.error: a group of digits is too large
        is_key = False
    if is_key:
        assert checked_key(text, "key") == text
    else:
        with pytest.raises(ValueError, match="key is no key"):
            checked_key(text, "key")


@pytest.mark.parametrize("text", [None, 5, b"0" * 40, "", GOOD[1:], GOOD + "0", GOOD[1:] + "ß"])
def test_what_is_no_key_is_not_told(text: object) -> None:
    with pytest.raises(ValueError, match=r"allow\[1\] is no key: those are 40 characters") as told:
        checked_keys([GOOD, text], "allow")
    assert GOOD[1:] not in str(told.value)


def test_a_group_that_is_too_much_is_named_by_its_place() -> None:
    with pytest.raises(ValueError, match="secret is no key: characters 6 to 10 are too much"):
        checked_key("0" * 5 + "#" * 5 + "0" * 30, "secret")


def test_a_pair() -> None:
    public, secret = new_pair()
    assert public_of(secret) == public != secret
    assert new_pair() != (public, secret)


def test_secrets_are_in_no_repr() -> None:
    public, secret = new_pair()
    for keys in (HubKeys(public, secret), SpokeKeys(public, secret, GOOD)):
        assert public in repr(keys)
        assert secret not in repr(keys)


def test_all_keys_are_looked_at() -> None:
    public, secret = new_pair()
    for make in (
        lambda: HubKeys("x", secret),
        lambda: HubKeys(public, "x"),
        lambda: HubKeys(public, secret, frozenset({"x"})),
        lambda: SpokeKeys("x", secret, public),
        lambda: SpokeKeys(public, "x", public),
        lambda: SpokeKeys(public, secret),
    ):
        with pytest.raises(ValueError, match="is no key"):
            make()
