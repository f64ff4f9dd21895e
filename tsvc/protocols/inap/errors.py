"""Errors that operations may return: local codes and the type of their parameter.

Source: TS 29.078 (CAP-errorcodes, CAP-errortypes); CS-1's unknownResource from Q.1218.
"""

from tsvc.errors import RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1 import Enumerated, Integer, Note, Notes, Sequence, Tree, Type, m

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

# Errors that the standards list for most operations; each adds a few before or after them.
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

# Errors with a parameter, which is mandatory; all other errors have none.
_PARAMETERS: dict[str, Type] = {
    "cancelFailed": Sequence(
        m(
            "problem",
            0,
            Enumerated({0: "unknownOperation", 1: "tooLate", 2: "operationNotCancellable"}),
            required=True,
        ),
        m("operation", 1, Integer(-128, 127), required=True),
    ),
    "requestedInfoError": Enumerated({1: "unknownRequestedInfo", 2: "requestedInfoNotAvailable"}),
    "systemFailure": Enumerated(
        {
            0: "unavailableResources",
            1: "componentFailure",
            2: "basicCallProcessingException",
            3: "resourceStatusFailure",
            4: "endUserFailure",
        }
    ),
    "taskRefused": Enumerated({0: "generic", 1: "unobtainable", 2: "congestion"}),
}


def decode_error(code: int, parameter: bytes | None, notes: Notes | None = None) -> Tree:
    """Return the test-definition form of a ReturnError: errorCode, its name, its parameter.

    Deviations are added to `notes`; an unknown error has none.
    """
    notes = [] if notes is None else notes
    tree: Tree = {"errorCode": code}
    name = ERROR_NAMES.get(code)
    if name is not None:
        tree["errorCode_name"] = name
    if parameter:
        tree["parameter_hex"] = parameter.hex()
    if name in _PARAMETERS:
        _decode_parameter(_PARAMETERS[name], parameter or b"", tree, notes)
    elif parameter and name is not None:
        notes.append(Note("parameter", 0, f"{len(parameter)} octets where nothing is due"))
    return tree


def _decode_parameter(type_: Type, octets: bytes, tree: Tree, notes: Notes) -> None:
    """Put the only TLV of an error's parameter into its tree."""
    since = len(notes)
    try:
        tag, start, stop, after = ber.read(octets, 0, len(octets))
    except RemoteProtocolError as error:
        text = error.text if octets else "nothing where a parameter is due"
        notes.append(Note("parameter", 0, text))
        return
    if tag != type_.tag or after != len(octets):
        text = (
            f"tag {tag:x} where {type_.tag:x} is due"
            if tag != type_.tag
            else (f"{len(octets) - after} octets after the value")
        )
        notes.append(Note("parameter", 0, text))
        return
    found: Tree = {}
    type_.decode(octets, start, stop, found, "parameter", notes)
    if "parameter" in found:
        tree |= {key: value for key, value in found.items() if not key.endswith("_hex")}
    assert all(note.path for note in notes[since:])


__all__ = [
    "ERROR_CODES",
    "ERROR_NAMES",
    "USUAL_BUT_FAILURE",
    "USUAL_BUT_RANGE",
    "USUAL_ERRORS",
    "decode_error",
]
