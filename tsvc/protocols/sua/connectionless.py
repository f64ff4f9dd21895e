"""CLDT and CLDR (RFC 3868): the messages of SCCP's connectionless service, as plain values.

Unknown and repeated parameters are kept in `others` and written at the end; a receiver ignores
them.
"""

import contextlib
import struct
from collections.abc import Callable
from typing import Any

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import messages
from tsvc.protocols.m3ua import params as common
from tsvc.protocols.m3ua.messages import HEADER_OCTETS, Message, MessageId
from tsvc.protocols.m3ua.params import Parameter, ParameterType
from tsvc.protocols.sccp.address import Address, Network
from tsvc.protocols.sccp.messages import ReturnCause
from tsvc.protocols.sua import params
from tsvc.protocols.sua.address import decode_address, encode_address
from tsvc.protocols.sua.params import ProtocolClass, SccpCause, Segmentation
from tsvc.values import dataclass

CLDT: MessageId = (7, 1)
CLDR: MessageId = (7, 2)
MESSAGE_CLASS = CLDT[0]
RETURN_CAUSE = 1  # type of SCCP Cause
NO_CONTEXT = 0  # Routing Context is mandatory; this value is written if none was agreed on
_WORD = struct.Struct(">HHI")  # a parameter of 4 octets
CLASS_0 = ProtocolClass(0)


class MissingParameter(RemoteProtocolError):
    """A mandatory parameter is absent."""


@dataclass(frozen=True, slots=True)
class DataTransfer:
    """CLDT: user data. `sequence_control`: messages with the same value stay in order."""

    source: Address
    destination: Address
    data: bytes
    protocol_class: ProtocolClass = CLASS_0
    sequence_control: int = 0
    routing_context: int | None = None
    hop_count: int | None = None
    importance: int | None = None
    priority: int | None = None
    correlation_id: int | None = None
    segmentation: Segmentation | None = None
    others: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class DataResponse:
    """CLDR: a CLDT that comes back; source and destination are swapped."""

    source: Address
    destination: Address
    cause: SccpCause
    data: bytes | None = None
    routing_context: int | None = None
    hop_count: int | None = None
    importance: int | None = None
    priority: int | None = None
    correlation_id: int | None = None
    segmentation: Segmentation | None = None
    others: tuple[Parameter, ...] = ()


Connectionless = DataTransfer | DataResponse

_Field = tuple[str, ParameterType[Any]]
_OPTIONS: tuple[_Field, ...] = (
    ("hop_count", params.HOP_COUNT),
    ("importance", params.IMPORTANCE),
    ("priority", params.MESSAGE_PRIORITY),
    ("correlation_id", common.CORRELATION_ID),
    ("segmentation", params.SEGMENTATION),
)
_ADDRESSES: tuple[_Field, ...] = (
    ("source", params.SOURCE_ADDRESS),
    ("destination", params.DESTINATION_ADDRESS),
)
_CONTEXT: _Field = ("routing_context", common.ROUTING_CONTEXT)
_DATA: _Field = ("data", params.DATA)


@dataclass(frozen=True, slots=True)
class _Layout:
    """A message's parameters in the order in which they are written."""

    name: str
    build: Callable[..., Connectionless]
    fields: tuple[_Field, ...]
    mandatory: frozenset[str]
    by_tag: dict[int, _Field]


def _layout(
    name: str, build: Callable[..., Connectionless], fields: tuple[_Field, ...], *optional: str
) -> _Layout:
    options = {option for option, _ in _OPTIONS} | {"routing_context", *optional}
    mandatory = frozenset(field for field, _ in fields) - options
    return _Layout(name, build, fields, mandatory, {field[1].tag: field for field in fields})


# Routing Context is mandatory too, but its absence is accepted: a single context is unambiguous.
_LAYOUTS: dict[MessageId, _Layout] = {
    CLDT: _layout(
        "CLDT",
        DataTransfer,
        (
            _CONTEXT,
            ("protocol_class", params.PROTOCOL_CLASS),
            *_ADDRESSES,
            ("sequence_control", params.SEQUENCE_CONTROL),
            *_OPTIONS,
            _DATA,
        ),
    ),
    CLDR: _layout(
        "CLDR",
        DataResponse,
        (_CONTEXT, ("cause", params.SCCP_CAUSE), *_ADDRESSES, *_OPTIONS, _DATA),
        "data",
    ),
}


def encode(value: Connectionless, network: Network = Network.ITU) -> bytes:
    """Write a CLDT or CLDR, its routing context first.

    Errors: LocalProtocolError if a value does not fit its field.
    """
    message_id = CLDT if isinstance(value, DataTransfer) else CLDR
    parameters = []
    for name, declared in _LAYOUTS[message_id].fields:
        member = getattr(value, name)
        if declared is common.ROUTING_CONTEXT:
            parameters.append(declared.of((NO_CONTEXT if member is None else member,)))
        elif member is not None:
            if isinstance(member, Address):
                member = encode_address(member, network)
            parameters.append(declared.of(member))
    return messages.encode(Message(*message_id, (*parameters, *value.others)))


def decode(octets: bytes, network: Network = Network.ITU) -> Connectionless:
    """Read a whole CLDT or CLDR.

    Errors: RemoteProtocolError with path and offset; MissingParameter with the path.
    """
    message = messages.decode(octets)
    layout = _LAYOUTS.get(message.id)
    if layout is None:
        raise RemoteProtocolError(f"{message.name} is not connectionless data", offset=2)
    found: dict[str, Any] = {}
    others: list[Parameter] = []
    for parameter in message.parameters:
        name, declared = layout.by_tag.get(parameter.tag, ("", None))
        if declared is None or name in found:
            others.append(parameter)
            continue
        try:
            found[name] = _value(declared, parameter, network)
        except RemoteProtocolError as error:
            raise _located(error, f"{layout.name}.{name}", message, parameter) from error
    missing = layout.mandatory - found.keys()
    if missing:
        raise MissingParameter("is missing", path=f"{layout.name}.{min(missing)}")
    return layout.build(**found, others=tuple(others))


def readable(octets: bytes, network: Network = Network.ITU) -> dict[str, Any]:
    """Return the members of a CLDT or CLDR that can be read, even if the rest is malformed."""
    layout = _LAYOUTS.get((octets[2], octets[3])) if len(octets) >= HEADER_OCTETS else None
    found: dict[str, Any] = {}
    if layout is None:
        return found
    for parameter in common.readable_parameters(octets, HEADER_OCTETS):
        name, declared = layout.by_tag.get(parameter.tag, ("", None))
        if declared is not None and name not in found:
            with contextlib.suppress(RemoteProtocolError):
                found[name] = _value(declared, parameter, network)
    return found


def salvaged(octets: bytes, network: Network = Network.ITU) -> DataResponse | None:
    """Return a CLDR as far as it can be read; None if it is not a CLDR.

    Members that can't be read have a default: an empty address, the cause `unqualified`.
    """
    if tuple(octets[2:4]) != CLDR:
        return None
    unqualified = SccpCause(RETURN_CAUSE, ReturnCause.UNQUALIFIED)
    usual = {"source": Address(), "destination": Address(), "cause": unqualified}
    return DataResponse(**{**usual, **readable(octets, network)})


def completed(octets: bytes, routing_context: int | None, correlation_id: int | None) -> bytes:
    """Return a message of encode() with the values that are known only when it is sent.

    Errors: LocalProtocolError if a value does not fit its field.
    """
    if routing_context is not None:
        context = common.encode_parameters((common.ROUTING_CONTEXT.of((routing_context,)),))
        behind = HEADER_OCTETS + len(context)
        octets = octets[:HEADER_OCTETS] + context + octets[behind:]
    if correlation_id is None:
        return octets
    more = common.encode_parameters((common.CORRELATION_ID.of(correlation_id),))
    return octets[:4] + (len(octets) + len(more)).to_bytes(4) + octets[8:] + more


def is_known(octets: bytes) -> bool:
    """Return True if the message is a CLDT or CLDR by its header."""
    return tuple(octets[2:4]) in _LAYOUTS


def sequence_control_of(octets: bytes) -> int | None:
    """Return the Sequence Control of a message of ours, 0 if it has none; None if the message is
    not a CLDT or CLDR."""
    if not is_known(octets):
        return None
    at = HEADER_OCTETS
    while at + 8 <= len(octets):
        tag, length, value = _WORD.unpack_from(octets, at)
        if tag == params.SEQUENCE_CONTROL.tag:
            return int(value)
        at += max(length, 4) + (-length & 3)
    return 0


def returned(message: DataTransfer, cause: int) -> DataResponse:
    """Return the CLDR that returns a CLDT to its sender. `cause`: an SCCP return cause."""
    return DataResponse(
        source=message.destination,
        destination=message.source,
        cause=SccpCause(RETURN_CAUSE, cause),
        data=message.data,
        routing_context=message.routing_context,
        importance=message.importance,
        priority=message.priority,
        correlation_id=message.correlation_id,
        segmentation=message.segmentation,
    )


def _value(declared: ParameterType[Any], parameter: Parameter, network: Network) -> Any:
    if declared is params.SOURCE_ADDRESS or declared is params.DESTINATION_ADDRESS:
        return decode_address(parameter.octets, network)
    value = declared.value_of(parameter)
    if declared is common.ROUTING_CONTEXT:
        if len(value) > 1:
            raise RemoteProtocolError(f"{len(value)} routing contexts")
        return value[0]
    return value


def _located(
    error: RemoteProtocolError, path: str, message: Message, at_fault: Parameter
) -> RemoteProtocolError:
    at = HEADER_OCTETS
    for parameter in message.parameters:
        if parameter is at_fault:
            break
        at += 4 + len(parameter.octets) + (-len(parameter.octets) & 3)
    # The offset of an address error counts from its value, which follows the parameter's header.
    inside = 0 if error.offset is None else 4 + error.offset
    return RemoteProtocolError(error.text, path=path, offset=at + inside)
