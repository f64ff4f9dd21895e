"""SCCP connectionless messages: UDT, UDTS, XUDT, XUDTS, LUDT and LUDTS (Q.713).

A message has its type, fixed octets, pointers, and variable parts to which the pointers lead.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.sccp.address import Address, Network, decode_address, encode_address
from tsvc.values import dataclass

# Pointers and variable parts of an SCCP message: called address, calling address, data, options.
#
# A pointer is 1 octet, in long messages 2 octets; it counts from itself (its last octet) to the
# length octet of its part; for the optional part 0 means that there is none.


LONG_MAX_DATA_OCTETS = 3952

Parts = tuple[Address, Address, bytes]


def encode_parts(
    called: bytes, calling: bytes, data: bytes, options: bytes | None, is_long: bool, path: str
) -> bytes:
    """Write pointers and parts; `options` None: the message has no pointer to them.

    Errors: LocalProtocolError naming the sizes if a length or a pointer does not fit.
    """
    width, most = (2, LONG_MAX_DATA_OCTETS) if is_long else (1, 0xFF)
    if len(data) > most:
        raise LocalProtocolError(f"{len(data)} octets of data, {most} fit", path=path)
    parts = [
        bytes((len(called),)) + called,
        bytes((len(calling),)) + calling,
        len(data).to_bytes(width, "little") + data,
    ]
    if options is not None:
        parts.append(options)
    pointers = b""
    target = width * len(parts)
    for index, part in enumerate(parts):
        pointer = target - (index * width + width - 1) if part else 0
        if pointer >> 8 * width:
            raise LocalProtocolError(
                f"{len(data)} octets of data push the optional part too far away", path=path
            )
        pointers += pointer.to_bytes(width, "little")
        target += len(part)
    return pointers + b"".join(parts)


def decode_short(octets: bytes, at: int, path: str, network: Network) -> Parts:
    """Read the three parts whose 1-octet pointers begin at `at`."""
    try:
        first, second, third = octets[at], octets[at + 1], octets[at + 2]
        called_at = at + first + 1
        calling_at = at + second + 2
        data_at = at + third + 3
        called_end = called_at + octets[called_at - 1]
        calling_end = calling_at + octets[calling_at - 1]
        data_end = data_at + octets[data_at - 1]
    except IndexError:
        raise RemoteProtocolError("a pointer leads outside", path=path, offset=at) from None
    size = len(octets)
    if called_end > size or calling_end > size or data_end > size:
        raise RemoteProtocolError("a part is cut off", path=path, offset=size)
    if not (first and second and third):
        raise RemoteProtocolError("a mandatory part has pointer 0", path=path, offset=at)
    try:
        called = decode_address(octets[called_at:called_end], network)
        calling = decode_address(octets[calling_at:calling_end], network)
    except RemoteProtocolError:
        _locate(octets, (called_at, called_end), (calling_at, calling_end), path, network)
        raise
    return called, calling, octets[data_at:data_end]


def decode_long(octets: bytes, at: int, path: str, network: Network) -> Parts:
    """Read the three parts whose 2-octet pointers begin at `at`."""
    starts = []
    for pointer_at in (at, at + 2, at + 4):
        pointer = int.from_bytes(octets[pointer_at : pointer_at + 2], "little")
        if not pointer or pointer_at + 1 + pointer >= len(octets):
            raise RemoteProtocolError(f"pointer {pointer}", path=path, offset=pointer_at)
        starts.append(pointer_at + 1 + pointer)
    called_at, calling_at, data_at = starts
    called_end = called_at + 1 + octets[called_at]
    calling_end = calling_at + 1 + octets[calling_at]
    data_end = data_at + 2 + int.from_bytes(octets[data_at : data_at + 2], "little")
    if max(called_end, calling_end, data_end) > len(octets):
        raise RemoteProtocolError("a part is cut off", path=path, offset=len(octets))
    spans = ((called_at + 1, called_end), (calling_at + 1, calling_end))
    called, calling = _locate(octets, *spans, path, network)
    return called, calling, octets[data_at + 2 : data_end]


def _locate(
    octets: bytes, called: tuple[int, int], calling: tuple[int, int], path: str, network: Network
) -> tuple[Address, Address]:
    """Decode both addresses; the error names the address, with its offset in the message."""
    found = []
    for name, (start, end) in (("calledPartyAddress", called), ("callingPartyAddress", calling)):
        try:
            found.append(decode_address(octets[start:end], network))
        except RemoteProtocolError as error:
            raise RemoteProtocolError(
                error.text, path=f"{path}.{name}", offset=start + (error.offset or 0)
            ) from None
    return found[0], found[1]


_SEGMENTATION = 0x10
_IMPORTANCE = 0x12
_END = 0x00


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The segmentation parameter.

    `remaining`: segments that follow, 0..15. `local_reference`: 24 bits. `spare`: bits 5 and 6.
    """

    is_first: bool
    in_sequence: bool
    remaining: int
    local_reference: int
    spare: int = 0


@dataclass(frozen=True, slots=True)
class OptionalPart:
    """Optional parameters in the order in which they are written; `others`: tag and octets.

    `importance` is the whole octet; its value is in the lower three bits.
    """

    segmentation: Segmentation | None = None
    importance: int | None = None
    others: tuple[tuple[int, bytes], ...] = ()


NO_OPTIONS = OptionalPart()


def encode_optional(part: OptionalPart) -> bytes:
    """Write the parameters and the end mark; no octets if there is no parameter.

    Errors: LocalProtocolError if a value does not fit.
    """
    parameters: list[tuple[int, bytes]] = []
    if part.segmentation is not None:
        parameters.append((_SEGMENTATION, _encode_segmentation(part.segmentation)))
    try:
        if part.importance is not None:
            parameters.append((_IMPORTANCE, part.importance.to_bytes(1)))
        parameters.extend(part.others)
        octets = b"".join(bytes((tag, len(value))) + value for tag, value in parameters)
    except (OverflowError, ValueError) as error:
        raise LocalProtocolError(str(error), path="optional part") from error
    return octets + bytes((_END,)) if octets else b""


def decode_optional(octets: bytes, start: int, path: str) -> OptionalPart:
    """Read the optional part of a message that begins at `start`.

    Errors: RemoteProtocolError if it is cut off, has no end mark, or a length is wrong.
    """
    segmentation: Segmentation | None = None
    importance: int | None = None
    others: list[tuple[int, bytes]] = []
    at = start
    while at < len(octets) and octets[at] != _END:
        tag = octets[at]
        end = at + 2 + octets[at + 1] if at + 1 < len(octets) else len(octets) + 1
        if end > len(octets):
            raise RemoteProtocolError(f"parameter 0x{tag:02x} is cut off", path=path, offset=at)
        value = octets[at + 2 : end]
        if tag == _SEGMENTATION and segmentation is None:
            _require(value, 4, "segmentation", path, at)
            segmentation = _decode_segmentation(value)
        elif tag == _IMPORTANCE and importance is None:
            _require(value, 1, "importance", path, at)
            importance = value[0]
        else:
            others.append((tag, value))
        at = end
    if at >= len(octets):
        raise RemoteProtocolError("the optional part has no end", path=path, offset=at)
    return OptionalPart(segmentation, importance, tuple(others))


def _encode_segmentation(value: Segmentation) -> bytes:
    if not (
        0 <= value.remaining <= 15
        and 0 <= value.spare <= 3
        and 0 <= value.local_reference <= 0xFFFFFF
    ):
        raise LocalProtocolError(f"{value} does not fit", path="segmentation")
    first = value.is_first << 7 | value.in_sequence << 6 | value.spare << 4 | value.remaining
    return bytes((first,)) + value.local_reference.to_bytes(3, "little")


def _decode_segmentation(value: bytes) -> Segmentation:
    first = value[0]
    return Segmentation(
        bool(first & 0x80),
        bool(first & 0x40),
        first & 0x0F,
        int.from_bytes(value[1:], "little"),
        first >> 4 & 3,
    )


def _require(value: bytes, size: int, name: str, path: str, at: int) -> None:
    if len(value) != size:
        raise RemoteProtocolError(f"{len(value)} octets of {name}", path=path, offset=at)


RETURN_ON_ERROR = 0x8  # message handling in the upper half of the protocol class octet
# The octets of a 272-octet MTP signal unit that are left for SCCP after the routing label.
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


_TYPES = frozenset(bytes((one,)) for one in MessageType)
SERVICES = frozenset(
    bytes((one,)) for one in (MessageType.UDTS, MessageType.XUDTS, MessageType.LUDTS)
)


class ReturnCause(IntEnum):
    """The reason for which a message is returned."""

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
    """UDT. `handling`: 0 no special options, 8 return on error, other values spare."""

    called_party_address: Address
    calling_party_address: Address
    data: bytes
    protocol_class: int = 0
    handling: int = 0


@dataclass(frozen=True, slots=True)
class UnitdataService:
    """UDTS: a UDT that came back; called and calling address are swapped."""

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

    Units:   `max_octets`: of the whole message, the limit on the way to the destination.
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
    """Return the message that returns this one to its sender; the addresses are swapped."""
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


class Readable(NamedTuple):
    """The readable parts of a message that may be cut off or wrong elsewhere."""

    data: bytes
    called: Address | None
    calling: Address | None


def readable(octets: bytes, network: Network = Network.ITU) -> Readable | None:
    """Return the readable parts of any of the messages; None for other octets."""
    if octets[:1] not in _TYPES:
        return None
    message_type = MessageType(octets[0])
    is_long = message_type in (MessageType.LUDT, MessageType.LUDTS)
    at = 2 if message_type in (MessageType.UDT, MessageType.UDTS) else 3
    width = 2 if is_long else 1
    called, calling = (_part(octets, at + index * width, width, 1) for index in (0, 1))
    data = _part(octets, at + 2 * width, width, width)
    return Readable(data, _address(called, network), _address(calling, network))


def _part(octets: bytes, pointer_at: int, width: int, length_octets: int) -> bytes:
    """Return the part to which a pointer leads, as far as its octets are there."""
    pointer = int.from_bytes(octets[pointer_at : pointer_at + width], "little")
    start = pointer_at + width - 1 + pointer
    at = start + length_octets
    size = int.from_bytes(octets[start:at], "little")
    return octets[at : at + size] if pointer else b""


def _address(octets: bytes, network: Network) -> Address | None:
    try:
        return decode_address(octets, network)
    except RemoteProtocolError:
        return None


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
    # The fourth pointer, after the three that decode_parts read.
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
