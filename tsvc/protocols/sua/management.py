"""ASP, network and routing key management: M3UA's messages with SUA's tags.

SUA took these messages over from M3UA; class, type and layout of the values are the same, some
tags are not. So one table turns one into the other, and SUA runs on M3UA's machine.
"""

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import messages
from tsvc.protocols.m3ua import params as m3ua
from tsvc.protocols.m3ua.messages import Message
from tsvc.protocols.m3ua.params import Parameter, PointCode
from tsvc.protocols.sccp.address import Address, Network, RoutingIndicator
from tsvc.protocols.sua import params as sua
from tsvc.protocols.sua.address import decode_address, encode_address

_SAME: tuple[tuple[int, int], ...] = (
    (m3ua.NETWORK_APPEARANCE.tag, sua.NETWORK_APPEARANCE.tag),
    (m3ua.USER_CAUSE.tag, sua.USER_CAUSE.tag),
    (m3ua.CONGESTION_INDICATIONS.tag, sua.CONGESTION_LEVEL.tag),
    (m3ua.ROUTING_KEY.tag, sua.ROUTING_KEY.tag),
    (m3ua.REGISTRATION_RESULT.tag, sua.REGISTRATION_RESULT.tag),
    (m3ua.DEREGISTRATION_RESULT.tag, sua.DEREGISTRATION_RESULT.tag),
    (m3ua.REGISTRATION_STATUS.tag, sua.REGISTRATION_STATUS.tag),
    (m3ua.DEREGISTRATION_STATUS.tag, sua.DEREGISTRATION_STATUS.tag),
    (m3ua.LOCAL_ROUTING_KEY_IDENTIFIER.tag, sua.LOCAL_ROUTING_KEY_IDENTIFIER.tag),
)
# Both ways at once: a tag that only the other protocol knows becomes one that this one ignores.
_SWAP: dict[int, int] = {one: other for pair in _SAME for one, other in (pair, pair[::-1])}

_NESTED: frozenset[int] = frozenset(
    declared.tag
    for declared in (m3ua.ROUTING_KEY, m3ua.REGISTRATION_RESULT, m3ua.DEREGISTRATION_RESULT)
)
CLASSES = messages.CLASSES - {messages.DATA[0]}


def to_m3ua(message: Message) -> Message:
    """Return a received SUA message as M3UA's machine reads it.

    Malformed values stay as they are: the machine finds them and knows what to answer.
    """
    return _retagged(message, tuple(_to_m3ua(item) for item in message.parameters))


def from_m3ua(message: Message) -> Message:
    """Return a message of M3UA's machine as it is sent in SUA."""
    return _retagged(message, tuple(_from_m3ua(item) for item in message.parameters))


def _retagged(message: Message, parameters: tuple[Parameter, ...]) -> Message:
    return Message(message.message_class, message.message_type, parameters)


def _to_m3ua(parameter: Parameter) -> Parameter:
    tag = _SWAP.get(parameter.tag, parameter.tag)
    octets = parameter.octets
    try:
        if tag in _NESTED:
            inside = m3ua.NESTED.decode(octets)
            octets = m3ua.NESTED.encode(tuple(_to_m3ua(item) for item in inside))
        elif tag == sua.DESTINATION_ADDRESS.tag and (pc := _pc_of(octets)) is not None:
            # A routing key names its destination by an address; the machine knows point codes.
            return m3ua.DESTINATION_POINT_CODE.of(PointCode(pc))
    except RemoteProtocolError:
        pass
    return Parameter(tag, octets)


def _from_m3ua(parameter: Parameter) -> Parameter:
    tag = _SWAP.get(parameter.tag, parameter.tag)
    octets = parameter.octets
    if parameter.tag in _NESTED:
        inside = m3ua.NESTED.decode(octets)
        octets = m3ua.NESTED.encode(tuple(_from_m3ua(item) for item in inside))
    elif parameter.tag == m3ua.DESTINATION_POINT_CODE.tag:
        pc = m3ua.DESTINATION_POINT_CODE.value_of(parameter).pc
        address = Address(RoutingIndicator.SSN, pc=pc)
        return sua.DESTINATION_ADDRESS.of(encode_address(address, Network.ANSI))
    return Parameter(tag, octets)


def _pc_of(address: bytes) -> int | None:
    # The wider point codes of ANSI: the registration itself judges what fits.
    return decode_address(address, Network.ANSI).pc
