"""Errors of MAP: codes, names, and parameters of both versions."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.map.errors import ERROR_CODES, decode_error, encode_parameter
from tsvc.protocols.map.operation import OPERATIONS
from tsvc.protocols.ros import error_code


def test_codes_by_name_and_number() -> None:
    assert error_code("unknownSubscriber", ERROR_CODES) == 1
    assert error_code("ati-NotAllowed", ERROR_CODES) == 49
    assert error_code("34", ERROR_CODES) == 34
    assert error_code(200, ERROR_CODES) == 200
    with pytest.raises(ValueError, match="'nonsense' is no error; known: unknownSubscriber"):
        error_code("nonsense", ERROR_CODES)


def test_every_error_of_an_operation_has_a_code() -> None:
    for operation in OPERATIONS:
        assert set(operation.errors) <= set(ERROR_CODES)


@pytest.mark.parametrize(
    ("name", "variant", "parameter", "octets"),
    [
        ("systemFailure", "map2", {"networkResource": 1}, "0a0101"),
        ("systemFailure", "map3", {"networkResource": "hlr"}, "30030a0101"),
        ("callBarred", "map2", {"callBarringCause": 0}, "0a0100"),
        ("callBarred", "map3", {"callBarringCause": 0}, "30030a0100"),
        ("cug-Reject", "map2", {"cug-RejectCause": 1}, "0a0101"),
        ("absentSubscriber", "map2", {"mwd-Set": 1}, "0101ff"),
        ("absentSubscriber", "map3", {"absentSubscriberReason": 0}, "3003800100"),
        ("roamingNotAllowed", "map2", {"roamingNotAllowedCause": 3}, "0a0103"),
        ("roamingNotAllowed", "map3", {"roamingNotAllowedCause": 3}, "30030a0103"),
        ("dataMissing", "map3", {}, "3000"),
    ],
)
def test_parameters(name: str, variant: str, parameter: dict[str, Any], octets: str) -> None:
    code = ERROR_CODES[name]
    encoded = encode_parameter(code, {"parameter": parameter}, variant)
    assert encoded == bytes.fromhex(octets)
    tree = decode_error(code, encoded)
    assert tree["errorCode_name"] == name
    assert tree["parameter_hex"] == octets
    assert set(parameter) <= set(tree["parameter"])


def test_octets_go_as_they_are() -> None:
    assert encode_parameter(34, {"parameter_hex": "dead", "parameter": {}}) == b"\xde\xad"
    assert encode_parameter(34, {"parameter_hex": ""}) is None
    assert encode_parameter(34, {}) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"parameter": 3}, "parameter: must be an object"),
        ({"parameter": {"nonsense": 1}}, "parameter.nonsense: no such member"),
        ({"parameter_hex": "xy"}, "parameter_hex: 'xy' is not octets in hex"),
    ],
)
def test_what_can_not_be_sent(given: dict[str, Any], message: str) -> None:
    with pytest.raises(LocalProtocolError, match=message):
        encode_parameter(34, given)


def test_unknown_shapes_are_kept_as_octets() -> None:
    assert decode_error(34, b"\x05\x00") == {
        "errorCode": 34,
        "errorCode_name": "systemFailure",
        "parameter_hex": "0500",
    }
    assert decode_error(99, b"\x30\x00") == {"errorCode": 99, "parameter_hex": "3000"}
    assert decode_error(1, None) == {"errorCode": 1, "errorCode_name": "unknownSubscriber"}
    assert decode_error(1, b"\x30") == {
        "errorCode": 1,
        "errorCode_name": "unknownSubscriber",
        "parameter_hex": "30",
    }
