"""Every declaration: code, class, sender, variants and errors as in the standards' lists."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.inap.errors import ERROR_CODES
from tsvc.protocols.inap.operation import (
    CAMEL,
    OPERATIONS,
    VARIANTS,
    Operation,
    by_code,
    variant_named,
)


def everything() -> list[Any]:
    return [pytest.param(operation, id=operation.name) for operation in OPERATIONS]


@pytest.mark.parametrize("operation", everything())
def test_of_every_declaration(operation: Operation) -> None:
    assert operation.summary
    assert operation.summary[0].islower()
    assert not operation.summary.endswith(".")
    assert operation.operation_class in (1, 2, 3, 4)
    assert set(operation.errors) <= set(ERROR_CODES)
    assert not (operation.errors and operation.operation_class in (3, 4))
    assert not (operation.result and operation.operation_class in (2, 4))
    assert all(OPERATIONS.get(name) for name in operation.linked_to)


@pytest.mark.parametrize("operation", everything())
def test_example_encodes_in_every_variant(operation: Operation) -> None:
    for variant in operation.variants:
        octets = operation.encode_argument(operation.example, variant)
        type_ = operation.argument_in(variant)
        assert (octets is None) is (type_ is None)
        if octets is not None and type_ is not None:
            notes: list[Any] = []
            tree = operation.decode_argument(octets, variant, notes)
            assert not notes
            assert operation.encode_argument(tree, variant) == octets
            assert type_.describe()["members"]


@pytest.mark.parametrize("operation", everything())
def test_every_key_decoded_is_known(operation: Operation) -> None:
    for variant in operation.variants:
        type_ = operation.argument_in(variant)
        if type_ is not None:
            octets = operation.encode_argument(operation.example, variant)
            tree = operation.decode_argument(octets, variant, [])
            assert set(tree) <= set(type_.known_keys()) | operation.shorthands


@pytest.mark.parametrize("operation", everything())
def test_found_by_code(operation: Operation) -> None:
    for variant in VARIANTS:
        found = by_code(variant, operation.code)
        assert (found is operation) is (variant in operation.variants)


def test_codes_are_not_shared() -> None:
    for variant in VARIANTS:
        codes = [one.code for one in OPERATIONS if variant in one.variants]
        assert len(codes) == len(set(codes))


def test_cap_v1_is_seven_operations() -> None:
    codes = sorted(one.code for one in OPERATIONS if "camel1" in one.variants)
    assert codes == [0, 20, 22, 23, 24, 31, 55]


def test_nothing_unknown_is_found() -> None:
    assert by_code("camel2", 96) is None
    assert by_code("camel2", -1) is None
    assert by_code("nothing", 0) is None


def test_variant_names() -> None:
    assert variant_named("camel") == "camel3"
    assert variant_named("etsi") == "cs1"
    assert variant_named("camel4") == "camel4"
    assert variant_named("cs9") is None


def test_raw_hex_is_sent_as_it_is() -> None:
    for operation in OPERATIONS:
        for variant in operation.variants:
            assert operation.encode_argument({"raw_hex": "dead"}, variant) == b"\xde\xad"


@pytest.mark.parametrize("raw", ["xy", "abc", 5, ["00"]])
def test_raw_hex_that_is_none_is_refused(raw: Any) -> None:
    for name in ("InitialDP", "Continue"):
        operation = OPERATIONS.required(name)
        with pytest.raises(LocalProtocolError) as caught:
            operation.encode_argument({"raw_hex": raw}, "camel2")
        assert caught.value.path == "raw_hex"


def test_octets_where_nothing_is_due_are_noted_and_kept() -> None:
    for operation in OPERATIONS:
        for variant in operation.variants:
            if operation.argument_in(variant) is None:
                notes: list[Any] = []
                tree = operation.decode_argument(b"\x05\x00", variant, notes)
                assert [str(note) for note in notes] == [
                    "argument at octet 0: 2 octets where nothing is due"
                ]
                assert operation.encode_argument(tree, variant) == b"\x05\x00"


def test_specialized_resource_report_needs_nothing_given() -> None:
    report = OPERATIONS.required("SpecializedResourceReport")
    assert report.encode_argument({}, "cs1") == bytes.fromhex("0500")
    assert report.encode_argument({}, "camel3") == bytes.fromhex("0500")
    assert report.encode_argument({}, "camel4") == bytes.fromhex("9f3200")
    with pytest.raises(LocalProtocolError):
        report.encode_argument({"firstAnnouncementStarted": 1}, "camel3")


@pytest.mark.parametrize("variant", sorted(CAMEL - {"camel1"}))
def test_shape_of_the_charging_period_by_version(variant: str) -> None:
    operation = OPERATIONS.required("ApplyCharging")
    given = {
        "camel2": {"releaseIfdurationExceeded": {"tone": 1}},
        "camel3": {"releaseIfdurationExceeded": 1, "tone": 1},
        "camel4": {"releaseIfdurationExceeded": 1, "audibleIndicator": {"tone": 1}},
    }
    octets = {
        "camel2": "300c800aa00880010aa1030101ff",
        "camel3": "300d800ba0098001" + "0a8101ff8301ff",
        "camel4": "300f800da00b8001" + "0a8101ffa3030101ff",
    }
    args = {
        "aChBillingChargingCharacteristics": {
            "timeDurationCharging": {"maxCallPeriodDuration": 10, **given[variant]}
        }
    }
    assert operation.encode_argument(args, variant) == bytes.fromhex(octets[variant])
    others = [given[other] for other in given if other != variant]
    for other in others:
        args["aChBillingChargingCharacteristics"]["timeDurationCharging"] = {
            "maxCallPeriodDuration": 10,
            **other,
        }
        with pytest.raises(LocalProtocolError):
            operation.encode_argument(args, variant)
