"""Octets that would make Python itself fail must end in a Note."""

import pytest

from tsvc.errors import RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1 import Enumerated, Integer, Note


@pytest.mark.parametrize("type_", [Integer(0, 10), Enumerated({0: "zero"})])
def test_huge_integer_is_kept_as_octets(type_: Integer | Enumerated) -> None:
    octets = b"\x7f" * 3000
    out: dict[str, object] = {}
    notes: list[Note] = []
    type_.decode(octets, 0, len(octets), out, "n", notes)
    assert out == {"n_hex": octets.hex()}
    assert str(notes[0]) == "n at octet 0: integer of 3000 octets"
    assert type_.encode(out, "n") == octets


def test_huge_object_identifier_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="3000 octets"):
        ber.decode_oid(b"\xff" * 2999 + b"\x01")
