"""Notes, and the forms in which definitions give octets and numbers."""

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.asn1 import Note
from tsvc.protocols.asn1.base import given_octets, hex_octets, number_of, prefix_notes


def test_notes_read_well() -> None:
    assert str(Note("a.b", 7, "is odd")) == "a.b at octet 7: is odd"
    assert str(Note("", 0, "is odd")) == "argument at octet 0: is odd"


def test_prefixes_go_before_new_notes_only() -> None:
    notes = [Note("old", 0, ""), Note("new", 1, ""), Note("", 2, "")]
    prefix_notes(notes, 1, "up")
    assert [note.path for note in notes] == ["old", "up.new", "up"]


def test_octets_given() -> None:
    assert given_octets({"x": "\x00\xff"}, "x") == b"\x00\xff"
    assert given_octets({"x_hex": "00 FF"}, "x") == b"\x00\xff"
    assert given_octets({"x": None}, "x") is None
    assert given_octets({"x": 5}, "x") is None


@pytest.mark.parametrize("text", ["0", "0g", 12, None])
def test_no_hex(text: object) -> None:
    with pytest.raises(LocalProtocolError):
        hex_octets(text, "x")


@pytest.mark.parametrize(
    ("value", "number"), [(5, 5), ("5", 5), (" -7 ", -7), (5.0, 5), (True, 1)]
)
def test_numbers(value: object, number: int) -> None:
    assert number_of(value, "x") == number


@pytest.mark.parametrize("value", ["", "0x5", 5.5, None, [5], "5.0", float("inf"), float("nan")])
def test_no_numbers(value: object) -> None:
    with pytest.raises(LocalProtocolError):
        number_of(value, "x")
