"""Parameters of M3UA messages (RFC 4666): one declaration each, tag -> name and type.

A received parameter stays raw (`Parameter`: tag and octets) until its value is needed, so an
unknown or broken parameter is never lost and never stops the decoding of the others.
"""

import struct
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, Generic, TypeVar

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.values import dataclass

T = TypeVar("T")

_HEADER = struct.Struct(">HH")
_U32 = struct.Struct(">I")
_ROUTING_LABEL = struct.Struct(">IIBBBB")
_PAIR = struct.Struct(">HH")
_MAX_VALUE_OCTETS = 0xFFFF - 4


class TrafficMode(IntEnum):
    """The way an AS distributes its traffic over its ASPs."""

    OVERRIDE = 1
    LOADSHARE = 2
    BROADCAST = 3


class ErrorCode(IntEnum):
    """Values of the parameter Error Code."""

    INVALID_VERSION = 0x01
    UNSUPPORTED_MESSAGE_CLASS = 0x03
    UNSUPPORTED_MESSAGE_TYPE = 0x04
    UNSUPPORTED_TRAFFIC_MODE_TYPE = 0x05
    UNEXPECTED_MESSAGE = 0x06
    PROTOCOL_ERROR = 0x07
    INVALID_STREAM_IDENTIFIER = 0x09
    REFUSED_MANAGEMENT_BLOCKING = 0x0D
    ASP_IDENTIFIER_REQUIRED = 0x0E
    INVALID_ASP_IDENTIFIER = 0x0F
    INVALID_PARAMETER_VALUE = 0x11
    PARAMETER_FIELD_ERROR = 0x12
    UNEXPECTED_PARAMETER = 0x13
    DESTINATION_STATUS_UNKNOWN = 0x14
    INVALID_NETWORK_APPEARANCE = 0x15
    MISSING_PARAMETER = 0x16
    INVALID_ROUTING_CONTEXT = 0x19
    NO_CONFIGURED_AS_FOR_ASP = 0x1A


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as received or to be sent: its octets without header and padding."""

    tag: int
    octets: bytes


@dataclass(frozen=True, slots=True)
class ProtocolData:
    """The MTP3 routing label and the user's octets of a DATA message."""

    opc: int
    dpc: int
    si: int
    ni: int
    mp: int
    sls: int
    user_data: bytes


@dataclass(frozen=True, slots=True)
class PointCode:
    """A point code with its mask: the number of low bits that are wild (0 = exactly this one)."""

    pc: int
    mask: int = 0

    def holds(self, pc: int) -> bool:
        """Return True if it includes this point code."""
        return self.pc >> self.mask == pc >> self.mask

    def overlaps(self, other: "PointCode") -> bool:
        """Return True if both include a same point code."""
        mask = max(self.mask, other.mask)
        return self.pc >> mask == other.pc >> mask


@dataclass(frozen=True, slots=True)
class Status:
    """Status of NTFY: type 1 = AS state change, type 2 = other."""

    status_type: int
    information: int


@dataclass(frozen=True, slots=True)
class UserCause:
    """User/Cause of DUPU: cause 0 unknown, 1 unequipped, 2 inaccessible; user = the SI."""

    cause: int
    user: int


@dataclass(frozen=True, slots=True)
class Coding(Generic[T]):
    """The coding of a parameter's value; decode raises ValueError with the reason."""

    decode: Callable[[bytes], T]
    encode: Callable[[T], bytes]


@dataclass(frozen=True, slots=True)
class ParameterType(Generic[T]):
    """Declaration of one parameter."""

    tag: int
    name: str
    kind: Coding[T]

    def of(self, value: T) -> Parameter:
        """Return the parameter with a value. Errors: LocalProtocolError if it can't be encoded."""
        try:
            octets = self.kind.encode(value)
        except (OverflowError, ValueError, struct.error) as error:
            raise LocalProtocolError(str(error), path=self.name) from error
        if len(octets) > _MAX_VALUE_OCTETS:
            raise LocalProtocolError(f"{len(octets)} octets do not fit", path=self.name)
        return Parameter(self.tag, octets)

    def value_of(self, parameter: Parameter) -> T:
        """Return the value of a parameter. Errors: RemoteProtocolError if it can't be decoded."""
        try:
            return self.kind.decode(parameter.octets)
        except ValueError as error:
            raise RemoteProtocolError(str(error), path=self.name) from error
        except RemoteProtocolError as error:  # from a nested list
            path = f"{self.name}.{error.path}".rstrip(".")
            raise RemoteProtocolError(error.text, path=path, offset=error.offset) from error


def encode_parameters(parameters: Iterable[Parameter]) -> bytes:
    """Write parameters one after the other, each padded with zeros to a multiple of 4 octets."""
    parts: list[bytes] = []
    for parameter in parameters:
        size = len(parameter.octets)
        parts.append(_HEADER.pack(parameter.tag, size + 4))
        parts.append(parameter.octets)
        if size & 3:
            parts.append(bytes(-size & 3))
    return b"".join(parts)


def decode_parameters(octets: bytes, start: int = 0) -> tuple[Parameter, ...]:
    """Read all parameters from `start` to the end; the last one's padding may be absent.

    Errors: RemoteProtocolError with the offset of a parameter whose length is impossible.
    """
    found: list[Parameter] = []
    at, end = start, len(octets)
    while at < end:
        if end - at < 4:
            raise RemoteProtocolError("a parameter header is cut off", offset=at)
        tag, length = _HEADER.unpack_from(octets, at)
        if length < 4 or at + length > end:
            raise RemoteProtocolError(
                f"parameter 0x{tag:04x} has length {length}, {end - at} octets are left", offset=at
            )
        found.append(Parameter(tag, octets[at + 4 : at + length]))
        at += length + (-length & 3)
    return tuple(found)


def readable_parameters(octets: bytes, start: int = 0) -> list[Parameter]:
    """Read all parameters, of the last one as much as is there; never raises."""
    found: list[Parameter] = []
    at = start
    while at + _HEADER.size <= len(octets):
        tag, length = _HEADER.unpack_from(octets, at)
        found.append(Parameter(tag, octets[at + 4 : at + max(length, 4)]))
        at += max(length, 4) + (-length & 3)
    return found


def first(parameters: Iterable[Parameter], declared: ParameterType[T]) -> T | None:
    """Return the value of the first parameter of a kind, None if there is none.

    Errors: RemoteProtocolError if its octets are not such a value.
    """
    for parameter in parameters:
        if parameter.tag == declared.tag:
            return declared.value_of(parameter)
    return None


def _exactly(octets: bytes, size: int) -> bytes:
    if len(octets) != size:
        raise ValueError(f"{len(octets)} octets where {size} are required")
    return octets


def _words(octets: bytes) -> tuple[int, ...]:
    if not octets or len(octets) & 3:
        raise ValueError(f"{len(octets)} octets are no list of 4-octet values")
    return struct.unpack(f">{len(octets) >> 2}I", octets)


def _encode_words(values: tuple[int, ...]) -> bytes:
    if not values:
        raise ValueError("the list is empty")
    return struct.pack(f">{len(values)}I", *values)


def _point_code(word: int) -> PointCode:
    return PointCode(word & 0xFFFFFF, word >> 24)


def _word_of(point_code: PointCode) -> int:
    if not 0 <= point_code.pc <= 0xFFFFFF or not 0 <= point_code.mask <= 0xFF:
        raise ValueError(f"{point_code} does not fit")
    return point_code.mask << 24 | point_code.pc


def _decode_protocol_data(octets: bytes) -> ProtocolData:
    if len(octets) < 12:
        raise ValueError(f"{len(octets)} octets hold no routing label")
    opc, dpc, si, ni, mp, sls = _ROUTING_LABEL.unpack_from(octets)
    return ProtocolData(opc, dpc, si, ni, mp, sls, octets[12:])


def _encode_protocol_data(data: ProtocolData) -> bytes:
    label = _ROUTING_LABEL.pack(data.opc, data.dpc, data.si, data.ni, data.mp, data.sls)
    return label + data.user_data


def _decode_u32(octets: bytes) -> int:
    return int.from_bytes(_exactly(octets, 4))


U32: Coding[int] = Coding(_decode_u32, _U32.pack)
U32_LIST: Coding[tuple[int, ...]] = Coding(_words, _encode_words)
OCTETS: Coding[bytes] = Coding(bytes, bytes)
OCTET_LIST: Coding[tuple[int, ...]] = Coding(tuple, bytes)
TEXT: Coding[str] = Coding(
    lambda octets: octets.decode("utf-8", "surrogateescape"),
    lambda text: text.encode("utf-8", "surrogateescape"),
)
PROTOCOL_DATA_VALUE: Coding[ProtocolData] = Coding(_decode_protocol_data, _encode_protocol_data)
POINT_CODE: Coding[PointCode] = Coding(
    lambda octets: _point_code(_decode_u32(octets)), lambda value: _U32.pack(_word_of(value))
)
POINT_CODES: Coding[tuple[PointCode, ...]] = Coding(
    lambda octets: tuple(_point_code(word) for word in _words(octets)),
    lambda values: _encode_words(tuple(_word_of(value) for value in values)),
)
STATUS_VALUE: Coding[Status] = Coding(
    lambda octets: Status(*_PAIR.unpack(_exactly(octets, 4))),
    lambda value: _PAIR.pack(value.status_type, value.information),
)
USER_CAUSE_VALUE: Coding[UserCause] = Coding(
    lambda octets: UserCause(*_PAIR.unpack(_exactly(octets, 4))),
    lambda value: _PAIR.pack(value.cause, value.user),
)
# Three reserved octets come first; a receiver ignores them.
LEVEL: Coding[int] = Coding(
    lambda octets: _exactly(octets, 4)[3], lambda value: bytes((0, 0, 0, value))
)
NESTED: Coding[tuple[Parameter, ...]] = Coding(decode_parameters, encode_parameters)

INFO_STRING = ParameterType(0x0004, "info_string", TEXT)
ROUTING_CONTEXT = ParameterType(0x0006, "routing_context", U32_LIST)
DIAGNOSTIC_INFORMATION = ParameterType(0x0007, "diagnostic_information", OCTETS)
HEARTBEAT_DATA = ParameterType(0x0009, "heartbeat_data", OCTETS)
TRAFFIC_MODE_TYPE = ParameterType(0x000B, "traffic_mode_type", U32)
ERROR_CODE = ParameterType(0x000C, "error_code", U32)
STATUS = ParameterType(0x000D, "status", STATUS_VALUE)
ASP_IDENTIFIER = ParameterType(0x0011, "asp_identifier", U32)
AFFECTED_POINT_CODE = ParameterType(0x0012, "affected_point_code", POINT_CODES)
CORRELATION_ID = ParameterType(0x0013, "correlation_id", U32)
NETWORK_APPEARANCE = ParameterType(0x0200, "network_appearance", U32)
USER_CAUSE = ParameterType(0x0204, "user_cause", USER_CAUSE_VALUE)
CONGESTION_INDICATIONS = ParameterType(0x0205, "congestion_indications", LEVEL)
CONCERNED_DESTINATION = ParameterType(0x0206, "concerned_destination", POINT_CODE)
ROUTING_KEY = ParameterType(0x0207, "routing_key", NESTED)
REGISTRATION_RESULT = ParameterType(0x0208, "registration_result", NESTED)
DEREGISTRATION_RESULT = ParameterType(0x0209, "deregistration_result", NESTED)
LOCAL_ROUTING_KEY_IDENTIFIER = ParameterType(0x020A, "local_routing_key_identifier", U32)
DESTINATION_POINT_CODE = ParameterType(0x020B, "destination_point_code", POINT_CODE)
SERVICE_INDICATORS = ParameterType(0x020C, "service_indicators", OCTET_LIST)
ORIGINATING_POINT_CODE_LIST = ParameterType(0x020E, "originating_point_code_list", POINT_CODES)
PROTOCOL_DATA = ParameterType(0x0210, "protocol_data", PROTOCOL_DATA_VALUE)
REGISTRATION_STATUS = ParameterType(0x0212, "registration_status", U32)
DEREGISTRATION_STATUS = ParameterType(0x0213, "deregistration_status", U32)

# The value types differ from one declaration to the next, hence Any.
PARAMETER_TYPES: dict[int, ParameterType[Any]] = {
    declared.tag: declared
    for declared in list(globals().values())
    if isinstance(declared, ParameterType)
}
