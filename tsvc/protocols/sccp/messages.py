"""SCCP connectionless messages: UDT, UDTS, XUDT, XUDTS, LUDT and LUDTS (Q.713).

A message is its type, fixed octets, pointers, and the variable parts where the pointers say.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.sccp.address import Address, Network, encode_address
from tsvc.protocols.sccp.optional import NO_OPTIONS, OptionalPart, decode_optional, encode_optional
from tsvc.protocols.sccp.variable_parts import decode_long, decode_short, encode_parts

RETURN_ON_ERROR = 0x8  # message handling in the upper half of the protocol class octet
# What a 272-octet MTP signal unit leaves for SCCP behind the routing label.
MTP_MAX_OCTETS = 268
MAX_HOPS = 15


class MessageType(IntEnum):
    """First octet of a message."""

    UDT = 0x09
    UDTS = 0x0A
    XUDT = 0x11
    XUDTS = 0x12
    LUDT = 0x13
    LUDTS = 0x14


class ReturnCause(IntEnum):
    """Why a message came back."""

    NO_TRANSLATION_FOR_NATURE = 0
    NO_TRANSLATION_FOR_ADDRESS = 1
    SUBSYSTEM_CONGESTION = 2
    SUBSYSTEM_FAILURE = 3
    UNEQUIPPED_USER = 4
    MTP_FAILURE = 5
    NETWORK_CONGESTION = 6
    UNQUALIFIED = 7
    ERROR_IN_MESSAGE_TRANSPORT = 8
    ERROR_IN_LOCAL_PROCESSING = 9
    DESTINATION_CANNOT_REASSEMBLE = 10
    SCCP_FAILURE = 11
    HOP_COUNTER_VIOLATION = 12
    SEGMENTATION_NOT_SUPPORTED = 13
    SEGMENTATION_FAILURE = 14


@dataclass(frozen=True, slots=True)
class Unitdata:
    """UDT. `handling`: 0 no special options, 8 return on error, else spare."""

    called_party_address: Address
    calling_party_address: Address
    data: bytes
    protocol_class: int = 0
    handling: int = 0


@dataclass(frozen=True, slots=True)
class UnitdataService:
    """UDTS: a UDT that came back; the addresses have changed places."""

    called_party_address: Address
    calling_party_address: Address
    data: bytes
    return_cause: int


@dataclass(frozen=True, slots=True)
class ExtendedUnitdata:
    """XUDT, or LUDT if `is_long`."""

    called_party_address: Address
    calling_party_address: Address
    data: bytes
    protocol_class: int = 0
    handling: int = 0
    hop_counter: int = MAX_HOPS
    options: OptionalPart = NO_OPTIONS
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class ExtendedUnitdataService:
    """XUDTS, or LUDTS if `is_long`: an XUDT or LUDT that came back."""

    called_party_address: Address
    calling_party_address: Address
    data: bytes
    return_cause: int
    hop_counter: int = MAX_HOPS
    options: OptionalPart = NO_OPTIONS
    is_long: bool = False


Connectionless = Unitdata | UnitdataService | ExtendedUnitdata | ExtendedUnitdataService


def encode_udt(
    called: Address,
    calling: Address,
    data: bytes,
    protocol_class: int = 0,
    return_on_error: bool = False,
    *,
    network: Network = Network.ITU,
    max_octets: int = MTP_MAX_OCTETS,
) -> bytes:
    """Write a UDT.

    Units:   `max_octets`: of the whole message, as the way to the destination allows.
    Errors:  LocalProtocolError naming the sizes if the data do not fit; then XUDT may segment.
    """
    to = encode_address(called, network)
    of = encode_address(calling, network)
    to_size, of_size = len(to), len(of)
    limit = udt_data_limit(to_size, of_size, max_octets)
    if len(data) > limit:
        raise LocalProtocolError(f"{len(data)} octets of data, {limit} fit", path="UDT")
    if not 0 <= protocol_class <= 0x0F:
        raise LocalProtocolError(f"protocol class {protocol_class} does not fit", path="UDT")
    second = protocol_class | (RETURN_ON_ERROR << 4 if return_on_error else 0)
    head = (0x09, second, 3, 3 + to_size, 3 + to_size + of_size, to_size)
    return b"%b%b%c%b%c%b" % (bytes(head), to, of_size, of, len(data), data)


def udt_data_limit(called_octets: int, calling_octets: int, max_octets: int) -> int:
    """Return how many data octets a UDT between addresses of these sizes can carry."""
    return min(0xFF, max_octets - 8 - called_octets - calling_octets)


def encode(
    message: Connectionless,
    network: Network = Network.ITU,
    max_octets: int = MTP_MAX_OCTETS,
) -> bytes:
    """Write any of the messages; `max_octets` does not limit LUDT and LUDTS.

    Errors: LocalProtocolError naming the sizes if something does not fit.
    """
    message_type = type_of(message)
    if isinstance(message, Unitdata | ExtendedUnitdata):
        if not (0 <= message.protocol_class <= 0x0F and 0 <= message.handling <= 0x0F):
            raise LocalProtocolError("protocol class or handling", path=message_type.name)
        fixed = [message_type, message.handling << 4 | message.protocol_class]
    else:
        fixed = [message_type, message.return_cause]
    options = None
    if isinstance(message, ExtendedUnitdata | ExtendedUnitdataService):
        fixed.append(message.hop_counter)
        options = encode_optional(message.options)
    if not all(0 <= octet <= 0xFF for octet in fixed):
        raise LocalProtocolError("a fixed octet does not fit", path=message_type.name)
    is_long = message_type in (MessageType.LUDT, MessageType.LUDTS)
    called = encode_address(message.called_party_address, network)
    calling = encode_address(message.calling_party_address, network)
    parts = encode_parts(called, calling, message.data, options, is_long, message_type.name)
    octets = bytes(fixed) + parts
    if len(octets) > max_octets and not is_long:
        raise LocalProtocolError(
            f"{len(octets)} octets with {len(message.data)} of data, {max_octets} fit",
            path=message_type.name,
        )
    return octets


def type_of(message: Connectionless) -> MessageType:
    """Return the type that a message has on the wire."""
    match message:
        case Unitdata():
            return MessageType.UDT
        case UnitdataService():
            return MessageType.UDTS
        case ExtendedUnitdata():
            return MessageType.LUDT if message.is_long else MessageType.XUDT
        case ExtendedUnitdataService():
            return MessageType.LUDTS if message.is_long else MessageType.XUDTS


def returned(
    message: Unitdata | ExtendedUnitdata, cause: int
) -> UnitdataService | ExtendedUnitdataService:
    """Return the message that brings this one back to its sender: addresses change places."""
    called, calling = message.calling_party_address, message.called_party_address
    if isinstance(message, Unitdata):
        return UnitdataService(called, calling, message.data, cause)
    return ExtendedUnitdataService(
        called,
        calling,
        message.data,
        cause,
        options=message.options,
        is_long=message.is_long,
    )


def decode(octets: bytes, network: Network = Network.ITU) -> Connectionless:
    """Read one message.

    Errors: RemoteProtocolError with path and offset; an unknown message type is one of them.
    """
    decoder = _DECODERS.get(octets[0]) if octets else None
    if decoder is None:
        text = f"message type 0x{octets[0]:02x} is not connectionless" if octets else "no octets"
        raise RemoteProtocolError(text, path="SCCP", offset=0)
    return decoder(octets, network)


def _decode_udt(octets: bytes, network: Network) -> Unitdata:
    called, calling, data = decode_short(octets, 2, "UDT", network)
    second = octets[1]
    return Unitdata(called, calling, data, second & 0x0F, second >> 4)


def _decode_udts(octets: bytes, network: Network) -> UnitdataService:
    called, calling, data = decode_short(octets, 2, "UDTS", network)
    return UnitdataService(called, calling, data, octets[1])


def _decode_extended(octets: bytes, network: Network) -> Connectionless:
    message_type = MessageType(octets[0])
    is_long = message_type in (MessageType.LUDT, MessageType.LUDTS)
    decode_parts = decode_long if is_long else decode_short
    called, calling, data = decode_parts(octets, 3, message_type.name, network)
    options = _decode_options(octets, is_long, message_type.name)
    second, hops = octets[1], octets[2]
    if message_type in (MessageType.XUDT, MessageType.LUDT):
        protocol_class, handling = second & 0x0F, second >> 4
        return ExtendedUnitdata(
            called, calling, data, protocol_class, handling, hops, options, is_long
        )
    return ExtendedUnitdataService(called, calling, data, second, hops, options, is_long)


def _decode_options(octets: bytes, is_long: bool, path: str) -> OptionalPart:
    # The fourth pointer, behind those that decode_parts followed.
    at, end = (9, 11) if is_long else (6, 7)
    if end > len(octets):
        raise RemoteProtocolError("the pointers are cut off", path=path, offset=len(octets))
    pointer = int.from_bytes(octets[at:end], "little")
    return decode_optional(octets, end - 1 + pointer, path) if pointer else NO_OPTIONS


_DECODERS: dict[int, Callable[[bytes, Network], Connectionless]] = {
    MessageType.UDT: _decode_udt,
    MessageType.UDTS: _decode_udts,
    MessageType.XUDT: _decode_extended,
    MessageType.XUDTS: _decode_extended,
    MessageType.LUDT: _decode_extended,
    MessageType.LUDTS: _decode_extended,
}
