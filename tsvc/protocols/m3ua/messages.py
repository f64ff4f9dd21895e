"""M3UA messages (RFC 4666): the common header, and the parameters that each message may carry.

A message of an unknown class or type is decoded like any other; the association decides whether
to refuse it.
"""

import struct
from typing import Any, TypeVar

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.framed import FramedStream
from tsvc.protocols.m3ua import params
from tsvc.protocols.m3ua.params import Parameter, ParameterType
from tsvc.values import dataclass

T = TypeVar("T")

VERSION = 1
HEADER_OCTETS = 8
_HEADER = struct.Struct(">BBBBI")

MessageId = tuple[int, int]  # message class, message type

ERR: MessageId = (0, 0)
NTFY: MessageId = (0, 1)
DATA: MessageId = (1, 1)
DUNA: MessageId = (2, 1)
DAVA: MessageId = (2, 2)
DAUD: MessageId = (2, 3)
SCON: MessageId = (2, 4)
DUPU: MessageId = (2, 5)
DRST: MessageId = (2, 6)
ASPUP: MessageId = (3, 1)
ASPDN: MessageId = (3, 2)
BEAT: MessageId = (3, 3)
ASPUP_ACK: MessageId = (3, 4)
ASPDN_ACK: MessageId = (3, 5)
BEAT_ACK: MessageId = (3, 6)
ASPAC: MessageId = (4, 1)
ASPIA: MessageId = (4, 2)
ASPAC_ACK: MessageId = (4, 3)
ASPIA_ACK: MessageId = (4, 4)
REG_REQ: MessageId = (9, 1)
REG_RSP: MessageId = (9, 2)
DEREG_REQ: MessageId = (9, 3)
DEREG_RSP: MessageId = (9, 4)

Declared = tuple[ParameterType[Any], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The parameters that one message may carry, in the order in which we write them."""

    name: str
    mandatory: Declared = ()
    optional: Declared = ()


_NETWORK: Declared = (params.NETWORK_APPEARANCE, params.ROUTING_CONTEXT)
_INFO: Declared = (params.INFO_STRING,)
_DESTINATIONS: Declared = (params.AFFECTED_POINT_CODE,)
_ACTIVATION: Declared = (params.TRAFFIC_MODE_TYPE, params.ROUTING_CONTEXT, params.INFO_STRING)
_ROUTING_INFO: Declared = (params.ROUTING_CONTEXT, params.INFO_STRING)

LAYOUTS: dict[MessageId, Layout] = {
    ERR: Layout(
        "ERR",
        (params.ERROR_CODE,),
        (*_NETWORK, params.AFFECTED_POINT_CODE, params.DIAGNOSTIC_INFORMATION),
    ),
    NTFY: Layout("NTFY", (params.STATUS,), (params.ASP_IDENTIFIER, *_ROUTING_INFO)),
    DATA: Layout("DATA", (params.PROTOCOL_DATA,), (*_NETWORK, params.CORRELATION_ID)),
    DUNA: Layout("DUNA", _DESTINATIONS, _NETWORK + _INFO),
    DAVA: Layout("DAVA", _DESTINATIONS, _NETWORK + _INFO),
    DAUD: Layout("DAUD", _DESTINATIONS, _NETWORK + _INFO),
    SCON: Layout(
        "SCON",
        _DESTINATIONS,
        (
            *_NETWORK,
            params.CONCERNED_DESTINATION,
            params.CONGESTION_INDICATIONS,
            params.INFO_STRING,
        ),
    ),
    DUPU: Layout("DUPU", (*_DESTINATIONS, params.USER_CAUSE), _NETWORK + _INFO),
    DRST: Layout("DRST", _DESTINATIONS, _NETWORK + _INFO),
    ASPUP: Layout("ASPUP", (), (params.ASP_IDENTIFIER, params.INFO_STRING)),
    ASPDN: Layout("ASPDN", (), _INFO),
    BEAT: Layout("BEAT", (), (params.HEARTBEAT_DATA,)),
    ASPUP_ACK: Layout("ASPUP_ACK", (), (params.ASP_IDENTIFIER, params.INFO_STRING)),
    ASPDN_ACK: Layout("ASPDN_ACK", (), _INFO),
    BEAT_ACK: Layout("BEAT_ACK", (), (params.HEARTBEAT_DATA,)),
    ASPAC: Layout("ASPAC", (), _ACTIVATION),
    ASPIA: Layout("ASPIA", (), _ROUTING_INFO),
    ASPAC_ACK: Layout("ASPAC_ACK", (), _ACTIVATION),
    ASPIA_ACK: Layout("ASPIA_ACK", (), _ROUTING_INFO),
    REG_REQ: Layout("REG_REQ", (params.ROUTING_KEY,)),
    REG_RSP: Layout("REG_RSP", (params.REGISTRATION_RESULT,)),
    DEREG_REQ: Layout("DEREG_REQ", (params.ROUTING_CONTEXT,)),
    DEREG_RSP: Layout("DEREG_RSP", (params.DEREGISTRATION_RESULT,)),
}
CLASSES = frozenset(message_class for message_class, _ in LAYOUTS)


@dataclass(frozen=True, slots=True)
class Message:
    """One M3UA message; its parameters in the order of the octets."""

    message_class: int
    message_type: int
    parameters: tuple[Parameter, ...] = ()

    @property
    def id(self) -> MessageId:
        """Class and type as one key, as the tables use it."""
        return self.message_class, self.message_type

    @property
    def name(self) -> str:
        """The message's short name, or its numbers when it has none."""
        layout = LAYOUTS.get(self.id)
        return layout.name if layout else f"message {self.message_class}/{self.message_type}"

    def get(self, declared: ParameterType[T]) -> T | None:
        """Return the value of the first such parameter, None if there is none.

        Errors: RemoteProtocolError if its octets are not such a value.
        """
        return params.first(self.parameters, declared)

    def get_all(self, declared: ParameterType[T]) -> tuple[T, ...]:
        """Return the values of all such parameters. Errors: RemoteProtocolError."""
        return tuple(
            declared.value_of(parameter)
            for parameter in self.parameters
            if parameter.tag == declared.tag
        )

    def missing(self) -> str | None:
        """Return the name of the first mandatory parameter that is absent, if any."""
        layout = LAYOUTS.get(self.id)
        tags = {parameter.tag for parameter in self.parameters}
        for declared in layout.mandatory if layout else ():
            if declared.tag not in tags:
                return declared.name
        return None


def message(message_id: MessageId, *parameters: Parameter | None) -> Message:
    """Build a message; parameters that are None are left out, the others keep their order."""
    present = tuple(parameter for parameter in parameters if parameter is not None)
    return Message(*message_id, present)


def encode(value: Message) -> bytes:
    """Write a message; the last parameter is padded, and the length includes the padding."""
    body = params.encode_parameters(value.parameters)
    length = HEADER_OCTETS + len(body)
    try:
        return _HEADER.pack(VERSION, 0, value.message_class, value.message_type, length) + body
    except struct.error as error:
        raise LocalProtocolError(str(error), path=value.name) from error


def decode(octets: bytes) -> Message:
    """Read one whole message.

    Shape:   8-octet header, then parameters; the reserved octet and padding are ignored.
    Errors:  RemoteProtocolError with the offset: cut off, not version 1, length not that of
             the octets (only the last parameter's padding may be missing from it), or a
             parameter's length is impossible.
    """
    if len(octets) < HEADER_OCTETS:
        raise RemoteProtocolError(f"{len(octets)} octets are no message", offset=0)
    version, _, message_class, message_type, length = _HEADER.unpack_from(octets)
    if version != VERSION:
        raise RemoteProtocolError(f"version {version} is not supported", offset=0)
    if not HEADER_OCTETS <= length <= len(octets) < length + 4:
        raise RemoteProtocolError(f"length {length} for {len(octets)} octets", offset=4)
    parameters = params.decode_parameters(octets[:length], HEADER_OCTETS)
    return Message(message_class, message_type, parameters)


# Protocol Data is at most 64 KiB; only lists of SSNM and RKM could make a message longer.
MAX_MESSAGE_OCTETS = 0x1_0100


class MessageStream(FramedStream):
    """M3UA messages from a byte stream (TCP), framed by the length in the common header."""

    def __init__(self, max_octets: int = MAX_MESSAGE_OCTETS) -> None:
        super().__init__(max_octets)

    def length_at(self, octets: bytearray, at: int, left: int) -> int | None:
        """Return the length in the header, None if too few octets are there.

        Errors: RemoteProtocolError: another version, or a length under 8 or above the limit.
        """
        if octets[at] != VERSION:
            raise RemoteProtocolError(f"version {octets[at]} is not supported", offset=0)
        if left < HEADER_OCTETS:
            return None
        length = int.from_bytes(octets[at + 4 : at + 8])
        if not HEADER_OCTETS <= length <= self._max_octets:
            raise RemoteProtocolError(
                f"length {length} is not within {HEADER_OCTETS} and {self._max_octets}", offset=4
            )
        return length

    def unread(self) -> bytes:
        """Return the octets that are not yet a message; an ERR may quote them."""
        return bytes(self._buffer[self._at :])
