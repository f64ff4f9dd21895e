"""Puts MAP operations into dialogues for tshark."""

import struct
from typing import Any

from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.map.dialogue import encode_pdu
from tsvc.protocols.tcap import components, dialogue_portion
from tsvc.protocols.tcap.components import Invoke, ReturnResult
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq
from tsvc.protocols.tcap.messages import MessageType, encode

OPENING = {"map_open": {"destination_reference_digits": "530010000000001"}}


def context_of(one: Any) -> bytes:
    alias = one.operation.contexts.get(one.variant) or one.operation.contexts["map2"]
    return BY_ALIAS[alias].octets


def frames(number: int, one: Any, argument: bytes) -> list[bytes]:
    """Return the messages of a dialogue: a Begin with the invoke, and an End for a result."""
    tid = struct.pack(">I", 0x01000000 + number)
    context = context_of(one)
    invoke = components.encode(Invoke(1, one.operation.code, argument))
    pdu = dialogue_portion.encode(Aarq(context, encode_pdu(OPENING)))
    found = [encode(MessageType.BEGIN, otid=tid, dialogue=pdu, components=[invoke])]
    if one.component == "result":
        result = components.encode(ReturnResult(1, one.operation.code, one.octets))
        pdu = dialogue_portion.encode(
            Aare(context, user_information=encode_pdu({"map_accept": {}}))
        )
        found.append(encode(MessageType.END, dtid=tid, dialogue=pdu, components=[result]))
    return found
