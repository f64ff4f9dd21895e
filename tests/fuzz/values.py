"""Decoders of INAP, CAP and MAP as fuzz targets: a decoded value can be printed and encoded again.

A decoded value, with deviations, and RemoteProtocolError are allowed; anything else is a finding.
"""

import json
from collections.abc import Callable
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.inap.errors import ERROR_CODES as INAP_ERRORS
from tsvc.protocols.inap.errors import decode_error as decode_inap_error
from tsvc.protocols.inap.extensions import TYPES, ExtensionTypes
from tsvc.protocols.inap.operation import OPERATIONS as INAP_OPERATIONS
from tsvc.protocols.map.dialogue import decode_user_information
from tsvc.protocols.map.errors import ERROR_CODES as MAP_ERRORS
from tsvc.protocols.map.errors import decode_error as decode_map_error
from tsvc.protocols.map.operation import OPERATIONS as MAP_OPERATIONS
from tsvc.protocols.ros import Operation

Read = Callable[[bytes, list[Any]], dict[str, Any]]
Write = Callable[[dict[str, Any]], bytes | None]


def _forms(operations: Any) -> list[tuple[Read, Write]]:
    """Return the reader and writer of every argument and result, in every variant."""
    found: list[tuple[Read, Write]] = []
    for operation in operations:
        for variant in sorted(operation.variants):
            found.append(_argument_form(operation, variant))
            if operation.result_in(variant) is not None:
                found.append(_result_form(operation, variant))
    return found


def _argument_form(operation: Operation, variant: str) -> tuple[Read, Write]:
    return (
        lambda octets, notes: operation.decode_argument(octets, variant, notes),
        lambda tree: operation.encode_argument(tree, variant),
    )


def _result_form(operation: Operation, variant: str) -> tuple[Read, Write]:
    return (
        lambda octets, notes: operation.decode_result(octets, variant, notes),
        lambda tree: operation.encode_result(tree, variant),
    )


INAP_FORMS = _forms(INAP_OPERATIONS)
MAP_FORMS = _forms(MAP_OPERATIONS)
_EXTENSIONS = ExtensionTypes({str(number): name for number, name in enumerate(TYPES)})


def shortest(octets: bytes, depth: int = 0) -> bytes:
    """Return the octets with every length in its shortest form, as far as they are BER."""
    if depth > ber.MAX_DEPTH:
        return octets
    try:
        found = ber.walk(octets, 0, len(octets))
    except RemoteProtocolError:
        return octets
    return b"".join(
        ber.tlv(ber.tag_octets(tag), shortest(octets[at:end], depth + 1)) for tag, at, end in found
    )


def _read_as(octets: bytes, form: tuple[Read, Write]) -> None:
    """Read a value; if it has no deviations, its encoding may differ only in forms of lengths."""
    read, write = form
    notes: list[Any] = []
    tree = read(octets, notes)
    for note in notes:
        assert 0 <= note.offset <= len(octets)
        assert note.text
    json.dumps(tree)
    if octets and not notes:
        again = write(tree)
        assert again is not None
        assert shortest(again) == shortest(octets)


def inap(octets: bytes) -> None:
    """Decode an argument, result or error parameter of INAP or CAP; two octets select which."""
    _component(octets, INAP_FORMS, sorted(INAP_ERRORS.values()), decode_inap_error)
    _EXTENSIONS.fill(INAP_FORMS[0][0](octets[2:], []))


def gsm_map(octets: bytes) -> None:
    """Do the same for MAP, and decode the rest as user information of a dialogue portion."""
    _component(octets, MAP_FORMS, sorted(MAP_ERRORS.values()), decode_map_error)
    json.dumps(decode_user_information(octets[2:]))


def _component(
    octets: bytes,
    forms: list[tuple[Read, Write]],
    errors: list[int],
    read_error: Callable[[int, bytes], dict[str, Any]],
) -> None:
    if len(octets) < 2:
        return
    which = int.from_bytes(octets[:2], "big") % (len(forms) + len(errors))
    if which < len(forms):
        _read_as(octets[2:], forms[which])
        return
    tree = read_error(errors[which - len(forms)], octets[2:])
    assert tree.get("parameter_hex", "") == octets[2:].hex()
    json.dumps(tree)


def _value_seeds(operations: Any, error_count: int) -> list[bytes]:
    """Return every operation's example in every variant, and the parameters of some errors."""
    found, number = [], 0
    for operation in operations:
        for variant in sorted(operation.variants):
            try:
                octets = operation.encode_argument(operation.example, variant)
            except LocalProtocolError:
                octets = None  # the example belongs to another version
            found.append(number.to_bytes(2, "big") + (octets or b""))
            number += 1 + (operation.result_in(variant) is not None)
    parameters = (b"\x0a\x01\x01", b"\x30\x03\x80\x01\x01")
    errors = range(error_count)
    return found + [(number + one).to_bytes(2, "big") + parameters[one % 2] for one in errors]


TARGETS: dict[str, Callable[[bytes], None]] = {"inap": inap, "map": gsm_map}
SEEDS: dict[str, list[bytes]] = {
    "inap": _value_seeds(INAP_OPERATIONS, len(INAP_ERRORS)),
    "map": _value_seeds(MAP_OPERATIONS, len(MAP_ERRORS)),
}
