"""The fast path of DATA: one struct call for the usual layout [NA] [RC] Protocol Data.

The general codec in `messages` reads and writes the same octets.
"""

import struct

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.memo import Shortcut
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.indications import DataInd
from tsvc.protocols.m3ua.messages import Message

# header: version, reserved, class, type, length; parameters: tag, length, value;
# Protocol Data: tag, length, opc, dpc, si, ni, mp, sls
_BARE = struct.Struct(">IIHHIIBBBB")
_ONE = struct.Struct(">IIHHIHHIIBBBB")
_BOTH = struct.Struct(">IIHHIHHIHHIIBBBB")
_CORRELATION = struct.Struct(">HHI")

_START = 0x01000101  # version 1, reserved 0, class 1, type 1
_NA = params.NETWORK_APPEARANCE.tag
_RC = params.ROUTING_CONTEXT.tag
_PD = params.PROTOCOL_DATA.tag
_LABEL_OCTETS = 16  # Protocol Data's own header and its routing label
_MAX_USER_DATA = 0xFFFF - _LABEL_OCTETS
_PD_TAG = _PD.to_bytes(2)
_PADDING = (b"", b"\0\0\0", b"\0\0", b"\0")


def encode_data(
    opc: int,
    dpc: int,
    si: int,
    ni: int,
    mp: int,
    sls: int,
    user_data: bytes,
    *,
    routing_context: int | None = None,
    network_appearance: int | None = None,
    correlation_id: int | None = None,
) -> bytes:
    """Write a DATA message.

    Errors: LocalProtocolError if a value does not fit its field.
    """
    size = len(user_data) + _LABEL_OCTETS
    tail = user_data + _PADDING[size & 3]
    length = 24 + len(tail)
    if size > 0xFFFF:
        raise LocalProtocolError(
            f"{len(user_data)} octets of user data, {_MAX_USER_DATA} fit", path="DATA"
        )
    try:
        if correlation_id is not None:
            tail += _CORRELATION.pack(params.CORRELATION_ID.tag, 8, correlation_id)
            length += 8
        label = (_PD, size, opc, dpc, si, ni, mp, sls)
        if routing_context is None:
            if network_appearance is None:
                return _BARE.pack(_START, length, *label) + tail
            return _ONE.pack(_START, length + 8, _NA, 8, network_appearance, *label) + tail
        if network_appearance is None:
            return _ONE.pack(_START, length + 8, _RC, 8, routing_context, *label) + tail
        head = (_START, length + 16, _NA, 8, network_appearance, _RC, 8, routing_context)
        return _BOTH.pack(*head, *label) + tail
    except struct.error as error:
        raise LocalProtocolError(str(error), path="DATA") from error


def decode_data(octets: bytes) -> DataInd | None:
    """Return a DATA message of the usual layout, None if the general codec has to read it.

    Needs a whole message, as framed. Never raises.
    """
    try:
        if octets[8:10] == _PD_TAG:
            at = _BARE.size
            start, length, tag, inner, opc, dpc, si, ni, mp, sls = _BARE.unpack_from(octets)
            context = appearance = None
        elif octets[16:18] == _PD_TAG:
            at = _ONE.size
            start, length, first, one, value, tag, inner, opc, dpc, si, ni, mp, sls = (
                _ONE.unpack_from(octets)
            )
            if one != 8:
                return None
            if first == _RC:
                context, appearance = value, None
            elif first == _NA:
                context, appearance = None, value
            else:
                return None
        else:
            at = _BOTH.size
            (
                start,
                length,
                first,
                one,
                appearance,
                second,
                two,
                context,
                tag,
                inner,
                opc,
                dpc,
                si,
                ni,
                mp,
                sls,
            ) = _BOTH.unpack_from(octets)
            if first != _NA or second != _RC or one != 8 or two != 8:
                return None
    except struct.error:
        return None
    end = at - _LABEL_OCTETS + inner
    if not (
        start == _START and tag == _PD and length == len(octets) == end + (-end & 3) and end >= at
    ):
        return None
    return DataInd(opc, dpc, si, ni, mp, sls, octets[at:end], context, appearance, None, octets)


def usual_user_data(octets: bytes, si: int) -> bytes:
    """Return the user data of a DATA of the usual layout for a service indicator, otherwise b"".

    Nothing else is checked. Octets after the user data are not cut off: users have own lengths.
    """
    for at in (_BARE.size, _ONE.size, _BOTH.size):
        if octets[at - _LABEL_OCTETS : at - _LABEL_OCTETS + 2] == _PD_TAG:
            return octets[at:] if octets[at - 4 : at - 3] == bytes((si,)) else b""
    return b""


USUAL_DATA = Shortcut("M3UA DATA of the usual layout", decode_data)


def of_message(message: Message) -> DataInd:
    """Return the indication of a DATA message of any layout.

    Errors: RemoteProtocolError if Protocol Data is missing or a value is malformed.
    """
    data = message.get(params.PROTOCOL_DATA)
    if data is None:
        raise RemoteProtocolError("Protocol Data is missing", path="DATA")
    contexts = message.get(params.ROUTING_CONTEXT)
    if contexts is not None and len(contexts) > 1:
        raise RemoteProtocolError(f"{len(contexts)} routing contexts", path="DATA")
    return DataInd(
        data.opc,
        data.dpc,
        data.si,
        data.ni,
        data.mp,
        data.sls,
        data.user_data,
        contexts[0] if contexts else None,
        message.get(params.NETWORK_APPEARANCE),
        message.get(params.CORRELATION_ID),
    )


def quoted_user_data(octets: bytes) -> bytes:
    """Return the user data of a DATA that an ERR quotes, b"" if it quotes none.

    The quoted message may be cut off.
    """
    if octets[2:4] != bytes(messages.DATA):
        return b""
    for parameter in params.readable_parameters(octets, messages.HEADER_OCTETS):
        if parameter.tag == params.PROTOCOL_DATA.tag:
            return parameter.octets[_LABEL_OCTETS - 4 :]
    return b""
