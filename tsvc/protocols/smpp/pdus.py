"""PDUs of SMPP 3.4: header, mandatory parameters by the tables, TLVs unchanged."""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import field

from tsvc.errors import LocalProtocolError, RemoteProtocolError, as_value
from tsvc.protocols.framed import FramedStream
from tsvc.protocols.smpp.commands import (
    GENERIC_NACK,
    LAYOUTS,
    TLV_TYPES,
    Number,
    Parameter,
    Status,
    Text,
    Tlv,
    command_name,
    is_response,
)
from tsvc.values import dataclass
from tsvc.words import quoted

HEADER_OCTETS = 16
MAX_SEQUENCE_NUMBER = 0x7FFF_FFFF
_HEADER = struct.Struct(">IIII")
_TLV_HEADER = struct.Struct(">HH")

Value = int | str | bytes


class Refused(RemoteProtocolError):
    """A PDU that can't be read; `status` is the command_status for the error."""

    def __init__(self, status: Status, text: str, *, path: str = "") -> None:
        super().__init__(text, path=path)
        self.status = status


@dataclass(frozen=True, slots=True)
class Header:
    """The four integers at the start of every PDU."""

    command_length: int
    command_id: int
    command_status: int
    sequence_number: int


@dataclass(frozen=True, slots=True)
class Pdu:
    """One PDU. `parameters`: the mandatory ones by name, none if the body is left out.

    Numbers are int, C-octet strings str (one character per octet), short_message bytes.
    """

    command_id: int
    sequence_number: int
    command_status: int = 0
    parameters: Mapping[str, Value] = field(default_factory=dict)
    tlvs: tuple[Tlv, ...] = ()

    @property
    def name(self) -> str:
        """The command's name, such as "submit_sm_resp"."""
        return command_name(self.command_id)


def decode_header(octets: bytes) -> Header:
    """Return the header of a PDU of 16 octets or more. Errors: Refused if it is shorter."""
    if len(octets) < HEADER_OCTETS:
        raise Refused(Status.ESME_RINVCMDLEN, f"{len(octets)} octets are no PDU")
    return Header(*_HEADER.unpack_from(octets))


@dataclass(frozen=True, slots=True)
class Reading:
    """A PDU as far as it can be read, and notes about malformed parts.

    `refused`: why the rest of it can't be read, None if everything could be read.
    """

    pdu: Pdu
    notes: tuple[str, ...] = ()
    refused: Refused | None = None


def decode(octets: bytes) -> Pdu:
    """Return the PDU of exactly these octets.

    A response may come without a body, whatever its command_status: some peers do that.
    Errors: Refused, with the status for the response to such a request.
    """
    reading = read(octets)
    if reading.refused is not None:
        raise reading.refused
    return reading.pdu


def read(octets: bytes) -> Reading:
    """Return the PDU in octets, with notes about parts that break the standard.

    Errors: Refused if the length is wrong or the command is unknown.
    """
    header = decode_header(octets)
    if header.command_length != len(octets):
        text = f"command_length {header.command_length} of {len(octets)} octets"
        raise Refused(Status.ESME_RINVCMDLEN, text)
    layout = LAYOUTS.get(header.command_id)
    if layout is None:
        text = f"unknown command_id 0x{header.command_id:08x}"
        raise Refused(Status.ESME_RINVCMDID, text)
    parameters: dict[str, Value] = {}
    tlvs: tuple[Tlv, ...] = ()
    refused = None
    at = HEADER_OCTETS
    try:
        if at < len(octets) or not is_response(header.command_id):
            for parameter in layout:
                parameters[parameter.name], at = _decode(parameter, octets, at)
        tlvs = _decode_tlvs(octets, at)
    except Refused as error:
        refused = as_value(error)
    pdu = Pdu(header.command_id, header.sequence_number, header.command_status, parameters, tlvs)
    return Reading(pdu, _notes(pdu, layout, refused), refused)


def places(octets: bytes) -> Iterator[tuple[str | int, int, int]]:
    """Yield (name, or tag of a TLV, first octet, number of octets) of a PDU's parameters.

    Errors: Refused where octets can't be read, after the parameters before them.
    """
    at = HEADER_OCTETS
    for parameter in LAYOUTS.get(decode_header(octets).command_id, ()):
        if at == len(octets):
            return
        begin = at
        _, at = _decode(parameter, octets, at)
        yield parameter.name, begin, at - begin
    while at < len(octets):
        (tlv,) = _decode_tlvs(octets[: at + 4 + int.from_bytes(octets[at + 2 : at + 4])], at)
        yield tlv.tag, at + 4, len(tlv.value)
        at += 4 + len(tlv.value)


def _notes(pdu: Pdu, layout: tuple[Parameter, ...], refused: Refused | None) -> tuple[str, ...]:
    notes = [] if refused is None else [str(refused)]
    if not 0 < pdu.sequence_number <= MAX_SEQUENCE_NUMBER and not _is_nack(pdu):
        notes.append(f"sequence_number {pdu.sequence_number} is not from 1 to 7fffffff in hex")
    if not is_response(pdu.command_id):
        if pdu.command_status:
            notes.append(f"command_status {pdu.command_status} in a request")
    elif layout and not (pdu.parameters or pdu.command_status or refused):
        # Only responses that refuse may be without a body.
        notes.append(f"{layout[0].name} is missing")
    for parameter in layout:
        kind, value = parameter.kind, pdu.parameters.get(parameter.name)
        if not isinstance(kind, Text) or kind.form is None or not isinstance(value, str):
            continue
        if value and not kind.form.fullmatch(value):
            notes.append(f"{parameter.name}: {quoted(value)} is no {kind.noun}")
    if pdu.tlvs:
        notes += _tlv_notes(pdu.tlvs)
    return tuple(notes)


def _is_nack(pdu: Pdu) -> bool:
    # It answers a PDU whose sequence_number could not be read.
    return pdu.command_id == GENERIC_NACK and pdu.sequence_number == 0


def _tlv_notes(tlvs: tuple[Tlv, ...]) -> list[str]:
    notes: list[str] = []
    seen: set[int] = set()
    for tlv in tlvs:
        type_ = TLV_TYPES.get(tlv.tag)
        if type_ is None:
            continue
        if tlv.tag in seen and not type_.may_repeat:
            notes.append(f"{type_.name} occurs again")
        seen.add(tlv.tag)
        problem = type_.problem(tlv.value)
        if problem:
            notes.append(f"{type_.name}: {problem}")
    return notes


def _decode(parameter: Parameter, octets: bytes, at: int) -> tuple[Value, int]:
    """Return the value that begins at an offset, and where the next value begins."""
    kind = parameter.kind
    if isinstance(kind, Text):
        end = octets.find(0, at, at + kind.max_octets)
        if end < 0:
            text = f"is not ended within {kind.max_octets} octets"
            raise Refused(parameter.status, text, path=parameter.name)
        return octets[at:end].decode("latin-1"), end + 1
    if isinstance(kind, Number):
        size = kind.octets
        _require(at + size <= len(octets), parameter.name, "is missing")
        return int.from_bytes(octets[at : at + size]), at + size
    _require(at < len(octets), "sm_length", "is missing")
    end = at + 1 + octets[at]
    if octets[at] > kind.max_octets or end > len(octets):
        text = f"{octets[at]} octets, {len(octets) - at - 1} are there"
        raise Refused(parameter.status, text, path="sm_length")
    return octets[at + 1 : end], end


def _require(is_so: bool, name: str, text: str) -> None:
    if not is_so:
        raise Refused(Status.ESME_RINVCMDLEN, text, path=name)


def _decode_tlvs(octets: bytes, at: int) -> tuple[Tlv, ...]:
    found: list[Tlv] = []
    while at < len(octets):
        if at + _TLV_HEADER.size > len(octets):
            raise Refused(Status.ESME_RINVOPTPARSTREAM, "an optional parameter is cut off")
        tag, length = _TLV_HEADER.unpack_from(octets, at)
        at += _TLV_HEADER.size
        if at + length > len(octets):
            text = f"optional parameter 0x{tag:04x} is longer than the PDU"
            raise Refused(Status.ESME_RINVOPTPARSTREAM, text)
        found.append(Tlv(tag, octets[at : at + length]))
        at += length
    return tuple(found)


def encode(pdu: Pdu) -> bytes:
    """Return the octets of a PDU; parameters that are not given are 0 or empty.

    A response without parameters and TLVs has no body unless its command_status is 0.
    Errors: LocalProtocolError with the parameter's name if a value does not fit.
    """
    layout = LAYOUTS[pdu.command_id]
    parts: list[bytes] = []
    is_refusal = is_response(pdu.command_id) and pdu.command_status != 0
    if pdu.parameters or pdu.tlvs or not is_refusal:
        parts += [_encode(parameter, pdu.parameters) for parameter in layout]
    parts += [_encode_tlv(tlv) for tlv in pdu.tlvs]
    body = b"".join(parts)
    length = HEADER_OCTETS + len(body)
    head = (length, pdu.command_id, pdu.command_status, pdu.sequence_number)
    return _HEADER.pack(*head) + body


def _encode(parameter: Parameter, values: Mapping[str, Value]) -> bytes:
    kind = parameter.kind
    name = parameter.name
    value = values.get(name)
    if isinstance(kind, Number):
        return encode_number(value or 0, kind.octets, name)
    if isinstance(kind, Text):
        return encode_text(value or "", kind.max_octets, name)
    octets = value or b""
    if not isinstance(octets, bytes):
        raise LocalProtocolError("must be octets", path=name)
    if len(octets) > kind.max_octets:
        text = f"{len(octets)} octets are more than {kind.max_octets}"
        raise LocalProtocolError(text, path=name)
    return bytes((len(octets),)) + octets


def encode_number(value: object, size: int, name: str) -> bytes:
    """Return an unsigned integer of `size` octets. Errors: LocalProtocolError."""
    highest = (1 << 8 * size) - 1
    if not isinstance(value, int) or not 0 <= value <= highest:
        raise LocalProtocolError(f"{quoted(value)} is not from 0 to {highest}", path=name)
    return value.to_bytes(size)


def encode_text(value: object, max_octets: int, name: str) -> bytes:
    """Return a C-octet string with its NUL. Errors: LocalProtocolError."""
    if not isinstance(value, str) or "\0" in value:
        raise LocalProtocolError(f"{quoted(value)} is no text without NUL", path=name)
    try:
        octets = value.encode("latin-1")
    except UnicodeEncodeError:
        text = f"{quoted(value)} has characters of more than one octet"
        raise LocalProtocolError(text, path=name) from None
    if len(octets) >= max_octets:
        text = f"{len(octets)} octets are more than {max_octets - 1}"
        raise LocalProtocolError(text, path=name)
    return octets + b"\0"


def _encode_tlv(tlv: Tlv) -> bytes:
    if len(tlv.value) > 0xFFFF:
        raise LocalProtocolError("is longer than 65535 octets", path=f"tlv_{tlv.tag:04x}")
    return _TLV_HEADER.pack(tlv.tag, len(tlv.value)) + tlv.value


# A TLV holds up to 64 KiB; no message needs more than one of that size.
MAX_PDU_OCTETS = 0x2_0000
_LENGTH_OCTETS = 4


class PduStream(FramedStream):
    """PDUs from a byte stream, framed by command_length."""

    def __init__(self) -> None:
        super().__init__(MAX_PDU_OCTETS)

    def length_at(self, octets: bytearray, at: int, left: int) -> int | None:
        """Return command_length, None if too few octets are there.

        Errors: Refused if command_length can't be right.
        """
        if left < _LENGTH_OCTETS:
            return None
        length = int.from_bytes(octets[at : at + _LENGTH_OCTETS])
        if not HEADER_OCTETS <= length <= self._max_octets:
            text = f"command_length {length} is not from {HEADER_OCTETS} to {self._max_octets}"
            raise Refused(Status.ESME_RINVCMDLEN, text)
        return length
