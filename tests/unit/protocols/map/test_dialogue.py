"""MAP-Open and the other dialogue PDUs as user information of TCAP."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols import ber
from tsvc.protocols.map.dialogue import (
    decode_user_information,
    encode_pdu,
    texts_of_user_information,
)


@pytest.mark.parametrize(
    ("given", "octets"),
    [
        (
            {"map_open": {"destination_reference_digits": "64210001"}},
            "2814060704000001010101a009a007800591461200" + "10",
        ),
        ({"map_accept": {}}, "280d060704000001010101a002a100"),
        ({"map_refuse": {"reason": 0}}, "2810060704000001010101a005a3030a0100"),
        (
            {"map_user_abort": {"choice": {"user_specific_reason": 1}}},
            "280f060704000001010101a004a4028000",
        ),
    ],
)
def test_both_ways(given: dict[str, Any], octets: str) -> None:
    assert encode_pdu(given).hex() == octets
    tree = decode_user_information(bytes.fromhex(octets))
    assert tree is not None
    assert set(tree) == set(given)
    assert encode_pdu(tree).hex() == octets


def test_references_are_addresses() -> None:
    given = {
        "map_open": {
            "destination_reference_digits": "530010000000001",
            "destination_reference_npi": 6,
            "origination_reference_hex": "914612",
        }
    }
    tree = decode_user_information(encode_pdu(given))
    assert tree is not None
    opened = tree["map_open"]
    assert opened["destination_reference_digits"] == "530010000000001"
    assert opened["destination_reference_npi"] == 6
    assert opened["destination_reference_noa"] == 1
    assert opened["origination_reference_digits"] == "6421"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"map_open": {"destination": "1"}}, "map_open.destination: no such member"),
        ({"map_open": {}, "map_accept": {}}, "exclude one another"),
        ({"map_open": {"destination_reference_digits": "1x"}}, "no digit"),
    ],
)
def test_what_can_not_be_sent(given: dict[str, Any], message: str) -> None:
    with pytest.raises(LocalProtocolError, match=message):
        encode_pdu(given)


def test_octet_aligned_form_is_read_too() -> None:
    pdu = bytes.fromhex("a302" + "0500")  # not a reason: noted by the table, not lost here
    identifier = ber.tlv(b"\x06", ber.encode_oid("0.4.0.0.1.1.1.1"))
    external = ber.tlv(b"\x28", identifier + ber.tlv(b"\x81", bytes.fromhex("a100")))
    assert decode_user_information(external) == {"map_accept": {}}
    strange = ber.tlv(b"\x28", identifier + ber.tlv(b"\xa0", pdu))
    tree = decode_user_information(strange)
    assert tree is not None
    assert tree["map_refuse"]["_unknown"] == [{"tag": "05", "hex": "", "at": 0}]


@pytest.mark.parametrize(
    "octets",
    [
        "",
        "28",
        "2805060704",
        "2810060704000001010102a005a3030a0100",  # another syntax
        "040100",
        "2809060704000001010101",  # not a PDU
    ],
)
def test_what_is_no_map_dialogue_pdu(octets: str) -> None:
    assert decode_user_information(bytes.fromhex(octets)) is None


def test_the_reason_of_a_cap_abort_is_read() -> None:
    """With the syntax and the names that pycrate has from TS 29.078."""
    module = pytest.importorskip("pycrate_asn1dir.TCAP_CAP").GLOBAL.MOD["CAP-U-ABORT-Data"]
    syntax = ber.encode_oid(".".join(map(str, module["id-CAP-U-ABORT-Reason"]._val)))
    for name, value in module["CAP-U-ABORT-REASON"]._cont.items():
        inner = ber.tlv(b"\x06", syntax) + ber.tlv(b"\xa0", bytes((0x0A, 1, value)))
        information = ber.tlv(b"\x28", inner)
        tree = decode_user_information(information)
        assert tree == {"cap_u_abort_reason": value, "cap_u_abort_reason_name": name}
        assert texts_of_user_information(information) == [f"CAP {name}"]
    assert texts_of_user_information(b"\x28\x05") == []
