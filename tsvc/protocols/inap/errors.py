"""Errors that operations may return: local codes and the type of their parameter.

Source: TS 29.078 (CAP-errorcodes, CAP-errortypes); CS-1's unknownResource from Q.1218.
"""

from typing import Any

from tsvc.errors import RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1.leaves import LONGEST_INTEGER

ERROR_CODES = {
    "canceled": 0,
    "cancelFailed": 1,
    "eTCFailed": 3,
    "improperCallerResponse": 4,
    "missingCustomerRecord": 6,
    "missingParameter": 7,
    "parameterOutOfRange": 8,
    "requestedInfoError": 10,
    "systemFailure": 11,
    "taskRefused": 12,
    "unavailableResource": 13,
    "unexpectedComponentSequence": 14,
    "unexpectedDataValue": 15,
    "unexpectedParameter": 16,
    "unknownLegID": 17,
    "unknownResource": 18,
    "unknownPDPID": 50,
    "unknownCSID": 51,
}
ERROR_NAMES = {code: name for name, code in ERROR_CODES.items()}

# What the standards list for one operation after another; each adds its own few before or behind.
USUAL_ERRORS = (
    "missingParameter",
    "parameterOutOfRange",
    "systemFailure",
    "taskRefused",
    "unexpectedComponentSequence",
    "unexpectedDataValue",
    "unexpectedParameter",
)
USUAL_BUT_RANGE = tuple(name for name in USUAL_ERRORS if name != "parameterOutOfRange")
USUAL_BUT_FAILURE = tuple(name for name in USUAL_ERRORS if name != "systemFailure")

_ENUMERATED_PARAMETERS = {
    "requestedInfoError": {1: "unknownRequestedInfo", 2: "requestedInfoNotAvailable"},
    "systemFailure": {
        0: "unavailableResources",
        1: "componentFailure",
        2: "basicCallProcessingException",
        3: "resourceStatusFailure",
        4: "endUserFailure",
    },
    "taskRefused": {0: "generic", 1: "unobtainable", 2: "congestion"},
}


def error_code(value: object) -> int:
    """Return the code of an error given as name or number; ValueError in words otherwise."""
    if isinstance(value, str) and value in ERROR_CODES:
        return ERROR_CODES[value]
    try:
        return int(str(value), 10)
    except ValueError:
        raise ValueError(f"{value!r} is no error; known: {', '.join(ERROR_CODES)}") from None


def decode_error(code: int, parameter: bytes | None) -> dict[str, Any]:
    """Return the test-definition form of a ReturnError: errorCode, its name, its parameter."""
    tree: dict[str, Any] = {"errorCode": code}
    name = ERROR_NAMES.get(code)
    if name is not None:
        tree["errorCode_name"] = name
    if parameter:
        tree["parameter_hex"] = parameter.hex()
        labels = _ENUMERATED_PARAMETERS.get(name or "")
        value = None if labels is None else _enumerated(parameter)
        if labels is not None and value is not None:
            tree["parameter"] = value
            if value in labels:
                tree["parameter_name"] = labels[value]
    return tree


def _enumerated(parameter: bytes) -> int | None:
    """Return the value of an ENUMERATED, None if the octets are none, or of absurd size."""
    try:
        tag, start, stop, after = ber.read(parameter, 0, len(parameter))
    except RemoteProtocolError:
        return None
    is_one = tag == 0x0A and after == len(parameter) and 0 < stop - start <= LONGEST_INTEGER
    return ber.decode_integer(parameter[start:stop]) if is_one else None


__all__ = [
    "ERROR_CODES",
    "ERROR_NAMES",
    "USUAL_BUT_FAILURE",
    "USUAL_BUT_RANGE",
    "USUAL_ERRORS",
    "decode_error",
    "error_code",
]
