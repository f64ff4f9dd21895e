"""PDUs as JSON trees: decoded for tests, and encoded from definitions.

In `parameters` every parameter has its name in the standard, optional ones too; TLVs without a
name are `tlv_<tag in hex>_hex`. The message itself, whichever parameter carries it, is
`short_message_text` (and `short_message`, the same) and `short_message_hex`, without its user data
header, which is `udh_hex`.
"""

from collections.abc import Mapping
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.protocols.smpp.commands import (
    LAYOUTS,
    MESSAGE_PAYLOAD,
    STATUS_NAMES,
    TLV_TYPES,
    TLVS_BY_NAME,
    Message,
    Number,
    Octets,
    Text,
    Tlv,
    TlvType,
    command_name,
    status_name,
)
from tsvc.protocols.smpp.pdus import Pdu, Value, encode_number, encode_text
from tsvc.protocols.smpp.text import DefaultAlphabet, decode_text, split_header
from tsvc.protocols.smpp.text import encode_text as encode_message
from tsvc.words import quoted

UDHI = 0x40
_HIDDEN = frozenset({"password"})
_TEXT = ("short_message_text", "short_message")
_MESSAGE_MEMBERS = (*_TEXT, "short_message_hex", "udh_hex")
_STATUSES = {name: status for status, name in STATUS_NAMES.items()}

Tree = dict[str, Any]


# -- PDU -> tree ----------------------------------------------------------------------------------


def tree_of(pdu: Pdu, default: DefaultAlphabet = DefaultAlphabet.GSM7) -> Tree:
    """Return a PDU as a tree.

    Shape:   command, command_status (number) and its name as command_status_name,
             sequence_number, parameters. A password is shown as stars.
    Errors:  none.
    """
    parameters: Tree = {}
    for name, value in pdu.parameters.items():
        if name in _HIDDEN:
            parameters[name] = "***" if value else ""
        elif isinstance(value, bytes):
            parameters["sm_length"] = len(value)
        else:
            parameters[name] = value
    for tlv in pdu.tlvs:
        _add_tlv(parameters, tlv)
    parameters |= _message_tree(pdu, default)
    return {
        "command": pdu.name,
        "command_status": pdu.command_status,
        "command_status_name": status_name(pdu.command_status),
        "sequence_number": pdu.sequence_number,
        "parameters": parameters,
    }


def _message_tree(pdu: Pdu, default: DefaultAlphabet) -> Tree:
    octets = message_of(pdu)
    if octets is None:
        return {}
    header, message = split_header(octets, _number_in(pdu, "esm_class"))
    found: Tree = {"short_message_hex": message.hex()}
    if header:
        found["udh_hex"] = header.hex()
    text = decode_text(message, _number_in(pdu, "data_coding"), default)
    if text is not None:
        found |= dict.fromkeys(_TEXT, text)
    return found


def message_of(pdu: Pdu) -> bytes | None:
    """Return the message of a PDU: short_message, or message_payload if that is empty.

    None if the PDU has neither.
    """
    short = pdu.parameters.get("short_message")
    payload = next((tlv.value for tlv in pdu.tlvs if tlv.tag == MESSAGE_PAYLOAD), None)
    if isinstance(short, bytes):
        return short or payload or b""
    return payload


def _number_in(pdu: Pdu, name: str) -> int:
    value = pdu.parameters.get(name)
    return value if isinstance(value, int) else 0


def _add_tlv(parameters: Tree, tlv: Tlv) -> None:
    """Add a TLV by its name; if it is repeated, the member becomes an array."""
    type_ = TLV_TYPES.get(tlv.tag)
    name = f"tlv_{tlv.tag:04x}" if type_ is None else type_.name
    value: int | str
    if (
        type_ is not None
        and isinstance(type_.kind, Number)
        and len(tlv.value) == type_.kind.octets
    ):
        value = int.from_bytes(tlv.value)
    elif type_ is not None and isinstance(type_.kind, Text) and tlv.value.endswith(b"\0"):
        value = tlv.value[:-1].decode("latin-1")
    else:
        name, value = f"{name}_hex", tlv.value.hex()
    if name not in parameters:
        parameters[name] = value
    elif isinstance(parameters[name], list):
        parameters[name].append(value)
    else:
        parameters[name] = [parameters[name], value]


# -- tree -> PDU ----------------------------------------------------------------------------------


def members_of(command_id: int) -> list[str]:
    """Return the members that `parameters` of a command may have, without unnamed TLVs."""
    found = [
        parameter.name
        for parameter in LAYOUTS[command_id]
        if not isinstance(parameter.kind, Message)
    ]
    if _carries_message(command_id):
        found += _MESSAGE_MEMBERS
    for type_ in TLVS_BY_NAME.values():
        found += [f"{type_.name}_hex"] if isinstance(type_.kind, Octets) else [type_.name]
        if not isinstance(type_.kind, Octets):
            found.append(f"{type_.name}_hex")
    return found


def is_member(command_id: int, name: str) -> bool:
    """Return True if `parameters` of a command may have a member of this name."""
    return _unnamed_tag(name) is not None or name in members_of(command_id)


def _carries_message(command_id: int) -> bool:
    return any(parameter.name == "data_coding" for parameter in LAYOUTS[command_id])


def parameters_of(
    command_id: int, given: Mapping[str, Any], default: DefaultAlphabet = DefaultAlphabet.GSM7
) -> tuple[dict[str, Value], tuple[Tlv, ...]]:
    """Return mandatory parameters and TLVs from a tree's `parameters`; null is left out.

    A message that is too long for short_message is put into message_payload.
    Errors: LocalProtocolError with the member's name.
    """
    parameters: dict[str, Value] = {}
    tlvs: list[Tlv] = []
    left = {name: value for name, value in given.items() if value is not None}
    for parameter in LAYOUTS[command_id]:
        name = parameter.name
        if isinstance(parameter.kind, Message) or name not in left:
            continue
        if isinstance(parameter.kind, Number):
            number = number_of(left.pop(name), name)
            encode_number(number, parameter.kind.octets, name)
            parameters[name] = number
        else:
            text = text_of(left.pop(name), name)
            encode_text(text, parameter.kind.max_octets, name)
            parameters[name] = text
    if _carries_message(command_id):
        _put_message(command_id, left, parameters, tlvs, default)
    for name, value in left.items():
        if not is_member(command_id, name):
            raise LocalProtocolError(f"{command_name(command_id)} has no such member", path=name)
        tlvs += [_tlv_of(name, one) for one in (value if isinstance(value, list) else [value])]
    return parameters, tuple(tlvs)


def _put_message(
    command_id: int,
    left: dict[str, Any],
    parameters: dict[str, Value],
    tlvs: list[Tlv],
    default: DefaultAlphabet,
) -> None:
    """Remove the members of the message from `left`, and put it into a parameter or a TLV."""
    given = {name: left.pop(name) for name in _MESSAGE_MEMBERS if name in left}
    if not given:
        return
    message = _message_octets(given, parameters, default)
    if "udh_hex" in given:
        message = octets_of(given["udh_hex"], "udh_hex") + message
        if "esm_class" not in parameters:
            parameters["esm_class"] = UDHI
    for parameter in LAYOUTS[command_id]:
        if isinstance(parameter.kind, Message) and len(message) <= parameter.kind.max_octets:
            parameters[parameter.name] = message
            return
    if "message_payload_hex" in left:
        raise LocalProtocolError("the message goes there already", path="message_payload_hex")
    if len(message) > 0xFFFF:
        raise LocalProtocolError("is longer than 65535 octets", path=next(iter(given)))
    tlvs.append(Tlv(MESSAGE_PAYLOAD, message))


def _message_octets(
    given: Mapping[str, Any], parameters: Mapping[str, Value], default: DefaultAlphabet
) -> bytes:
    if "short_message_hex" in given:
        return octets_of(given["short_message_hex"], "short_message_hex")
    name = next((name for name in _TEXT if name in given), None)
    if name is None:
        return b""
    coding = parameters.get("data_coding", 0)
    assert isinstance(coding, int)
    try:
        return encode_message(text_of(given[name], name), coding, default)
    except LocalProtocolError as error:
        raise LocalProtocolError(error.text, path=name) from None


def _tlv_of(name: str, value: Any) -> Tlv:
    tag = _unnamed_tag(name)
    if tag is not None:
        return Tlv(tag, octets_of(value, name))
    type_: TlvType | None = TLVS_BY_NAME.get(name)
    if type_ is None:
        return Tlv(TLVS_BY_NAME[name.removesuffix("_hex")].tag, octets_of(value, name))
    if isinstance(type_.kind, Number):
        return Tlv(type_.tag, encode_number(number_of(value, name), type_.kind.octets, name))
    assert isinstance(type_.kind, Text)
    return Tlv(type_.tag, encode_text(text_of(value, name), type_.kind.max_octets, name))


def _unnamed_tag(name: str) -> int | None:
    """Return the tag of `tlv_<tag>_hex`, None if a name does not have that form."""
    tag = name.removeprefix("tlv_").removesuffix("_hex")
    if name != f"tlv_{tag}_hex" or len(tag) != 4 or not tag.isalnum():
        return None
    try:
        return int(tag, 16)
    except ValueError:
        return None


# -- values ---------------------------------------------------------------------------------------


def status_of(value: object, name: str = "command_status") -> int:
    """Return a command_status given as a number, in hex, or by name.

    Errors: LocalProtocolError.
    """
    if isinstance(value, str) and value in _STATUSES:
        return _STATUSES[value]
    number = number_of(value, name)
    encode_number(number, 4, name)
    return number


def number_of(value: object, name: str) -> int:
    """Return an integer given as a number, or as text in decimal or 0x hex.

    Errors: LocalProtocolError.
    """
    if isinstance(value, str):
        try:
            return int(value, 16 if value.lower().startswith("0x") else 10)
        except ValueError:
            pass
    elif isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise LocalProtocolError(f"{quoted(value)} is no integer", path=name)


def octets_of(value: object, name: str) -> bytes:
    """Return the octets of a hex text, blanks allowed. Errors: LocalProtocolError."""
    try:
        if isinstance(value, str):
            return bytes.fromhex(value)
    except ValueError:
        pass
    raise LocalProtocolError(f"{quoted(value)} is no hex of whole octets", path=name)


def text_of(value: object, name: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Numbers are written as in expressions.
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    raise LocalProtocolError(f"{quoted(value)} is no text", path=name)
