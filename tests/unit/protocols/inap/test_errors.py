"""Errors by name and number, and their parameters."""

import pytest

from tsvc.protocols.inap.errors import ERROR_CODES, ERROR_NAMES, decode_error, error_code


def test_names_and_numbers() -> None:
    assert error_code("unexpectedDataValue") == 15
    assert error_code(15) == 15
    assert error_code("15") == 15
    assert error_code(-3) == -3
    assert ERROR_NAMES[11] == "systemFailure"
    assert len(ERROR_NAMES) == len(ERROR_CODES)


@pytest.mark.parametrize("value", ["noSuchError", None, "", 1.5])
def test_no_error(value: object) -> None:
    with pytest.raises(ValueError, match="is no error; known: canceled"):
        error_code(value)


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
    assert decode_error(11, b"\x0a")["parameter"] == -1
