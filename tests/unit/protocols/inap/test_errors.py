"""Errors by name and number, and their parameters."""

import pytest

from tsvc.protocols.inap.errors import ERROR_CODES, ERROR_NAMES, decode_error
from tsvc.protocols.ros import error_code


def test_names_and_numbers() -> None:
    assert error_code("unexpectedDataValue", ERROR_CODES) == 15
    assert error_code(15, ERROR_CODES) == 15
    assert error_code("15", ERROR_CODES) == 15
    assert error_code(-3, ERROR_CODES) == -3
    assert ERROR_NAMES[11] == "systemFailure"
    assert len(ERROR_NAMES) == len(ERROR_CODES)


@pytest.mark.parametrize("value", ["noSuchError", None, "", 1.5])
def test_no_error(value: object) -> None:
    with pytest.raises(ValueError, match="is no error; known: canceled"):
        error_code(value, ERROR_CODES)


def test_parameters() -> None:
    assert decode_error(13, None) == {"errorCode": 13, "errorCode_name": "unavailableResource"}
    assert decode_error(11, bytes.fromhex("0a0104")) == {
        "errorCode": 11,
        "errorCode_name": "systemFailure",
        "parameter_hex": "0a0104",
        "parameter": 4,
        "parameter_name": "endUserFailure",
    }
    assert decode_error(12, bytes.fromhex("0a0109"))["parameter"] == 9
    assert decode_error(99, b"\x00") == {"errorCode": 99, "parameter_hex": "00"}


@pytest.mark.parametrize(
    "octets",
    [
        b"\x0a",
        b"\x0a\x00",
        b"\x0a\x01",
        b"\x0a\x01\x01\x00",
        b"\x02\x01\x01",
        b"\x0a\x82\x10\x00" + b"\x7f" * 4096,
    ],
    ids=["tag", "empty", "short", "more", "integer", "huge"],
)
def test_parameters_that_are_no_enumerated_stay_octets(octets: bytes) -> None:
    assert decode_error(11, octets) == {
        "errorCode": 11,
        "errorCode_name": "systemFailure",
        "parameter_hex": octets.hex(),
    }


def test_a_long_form_of_length_is_read() -> None:
    assert decode_error(11, bytes.fromhex("0a810104"))["parameter"] == 4
