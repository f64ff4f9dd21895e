"""`inap.extensions`: values of extensions by their number, encoded and decoded."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.inap.extensions import TYPES, ExtensionTypes
from tsvc.protocols.inap.operation import OPERATIONS, Operation

# number, type, value given, TLV, value received
VALUES = [
    (400, "OCTET STRING", "\x01\xff", "040201ff", "\x01\xff"),
    (401, "octet  string", "ab", "04026162", "ab"),
    (402, "INTEGER", -129, "0202ff7f", -129),
    (403, "INTEGER", "7", "020107", 7),
    (404, "BOOLEAN", True, "0101ff", 1),
    (405, "ENUMERATED", 3, "0a0103", 3),
    (406, "IA5String", "hello", "160568656c6c6f", "hello"),
    (407, "UTF8String", "Zoë", "0c045a6fc3ab", "Zoë"),
    (408, "NULL", 1, "0500", 1),
    (409, "OBJECT IDENTIFIER", "0.4.0.1", "0603040001", "0.4.0.1"),
    (-5, "HEX", "01ff", "040201ff", "01ff"),
]
DECLARED = ExtensionTypes({str(number): name for number, name, *_ in VALUES})


def operation(name: str) -> Operation:
    found = OPERATIONS.required(name)
    return found


CONTINUE = operation("ContinueWithArgument")


def sent(types: ExtensionTypes, *extensions: Any) -> bytes:
    octets = CONTINUE.encode_argument(types.expand({"extensions": list(extensions)}), "cs2")
    assert octets is not None
    return octets


@pytest.mark.parametrize(("number", "name", "given", "tlv", "received"), VALUES)
def test_values_go_both_ways(number: int, name: str, given: Any, tlv: str, received: Any) -> None:
    octets = sent(DECLARED, {"type": number, "value_inner": given})
    assert octets == sent(DECLARED, {"type": number, "value_hex": tlv})
    notes: list[Any] = []
    tree = CONTINUE.decode_argument(octets, "cs2", notes)
    DECLARED.fill(tree)
    assert not notes
    (extension,) = tree["extensions"]
    assert extension["value_hex"] == tlv
    assert extension["value_inner"] == received
    # A received value can be sent again.
    assert CONTINUE.encode_argument(DECLARED.expand(tree), "cs2") == octets


def test_every_type_is_tried() -> None:
    assert {" ".join(name.upper().split()) for _, name, *_ in VALUES} == set(TYPES)


@pytest.mark.parametrize(
    "given",
    [{"value_hex": "020109"}, {"value": "\x02\x01\x09"}, {"value_hex": "020109", "type": 1}],
)
def test_octets_win(given: dict[str, Any]) -> None:
    args = {"type": 402, "value_inner": 1, **given}
    assert sent(DECLARED, args).hex().endswith("a103020109")


def test_extensions_are_found_at_any_depth() -> None:
    extension = {"type": 402, "value_inner": 5}
    args = {
        "aChBillingChargingCharacteristics": {
            "timeDurationCharging": {"maxCallPeriodDuration": 10, "extensions": [extension]}
        }
    }
    apply_charging = operation("ApplyCharging")
    octets = apply_charging.encode_argument(DECLARED.expand(args), "camel4")
    tree = apply_charging.decode_argument(octets, "camel4", [])
    DECLARED.fill(tree)
    period = tree["aChBillingChargingCharacteristics"]["timeDurationCharging"]
    assert period["extensions"][0]["value_inner"] == 5
    # The given value is not changed.
    assert extension == {"type": 402, "value_inner": 5}


def test_arguments_without_extensions_are_not_copied() -> None:
    args = {"alertingPattern_hex": "000001"}
    assert DECLARED.expand(args) is args


@pytest.mark.parametrize("octets", ["020105", "160580", "1601ff", "0c01ff", "", "16016100"])
def test_what_is_of_another_type_stays_octets(octets: str) -> None:
    types = ExtensionTypes({"1": "UTF8String"})
    tree = {"extensions": [{"type": 1, "value_hex": octets}, {"type": 2, "value_hex": "0500"}]}
    types.fill(tree)
    assert tree == {
        "extensions": [{"type": 1, "value_hex": octets}, {"type": 2, "value_hex": "0500"}]
    }


@pytest.mark.parametrize(
    ("extension", "path"),
    [
        ({"type": 1, "value_inner": 5}, "extensions[0].value_inner"),
        ({"type": "x", "value_inner": 5}, "extensions[0].value_inner"),
        ({"type": 402, "value_inner": "five"}, "extensions[0].value_inner"),
        ({"type": -5, "value_inner": "f"}, "extensions[0].value_inner"),
    ],
)
def test_what_cannot_be_sent_is_said(extension: dict[str, Any], path: str) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        sent(DECLARED, extension)
    assert caught.value.path == path


def test_an_inner_value_never_gets_lost() -> None:
    with pytest.raises(LocalProtocolError, match=r"inap\.extensions") as caught:
        CONTINUE.encode_argument({"extensions": [{"type": 402, "value_inner": 5}]}, "cs2")
    assert caught.value.path == "extensions[0].value_inner"


@pytest.mark.parametrize("declared", [{"x": "INTEGER"}, {"1": "REAL"}, {"1": ""}])
def test_wrong_declarations_are_refused(declared: dict[str, str]) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        ExtensionTypes(declared)
    assert caught.value.path in declared
