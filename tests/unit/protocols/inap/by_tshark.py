"""Puts INAP operations into frames for tshark."""

import struct
from typing import Any

from tsvc.protocols import ber
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.operation import CAP

# tshark knows no context of the vendors' variants; their arguments are those of cs1 and cs2.
CONTEXTS = {"cs1": "cs1", "cs2": "cs1"} | {name: name for name in CAP}


def frame(number: int, one: Any) -> bytes:
    """Return a TCAP Begin with the context of the vector's variant and its component."""
    opcode = ber.tlv(b"\x02", ber.encode_integer(one.operation.code))
    tag, contents = b"\xa1", b"\x02\x01\x01" + opcode + (one.octets or b"")
    if one.component == "result":
        tag = b"\xa2"
        contents = b"\x02\x01\x01" + ber.tlv(b"\x30", opcode + (one.octets or b""))
    context = ber.tlv(b"\xa1", ber.tlv(b"\x06", BY_ALIAS[CONTEXTS[one.variant]].octets))
    request = ber.tlv(b"\x60", b"\x80\x02\x07\x80" + context)
    external = b"\x06\x07" + ber.encode_oid("0.0.17.773.1.1.1") + ber.tlv(b"\xa0", request)
    dialogue = ber.tlv(b"\x6b", ber.tlv(b"\x28", external))
    otid = b"\x48\x04" + struct.pack(">I", number)
    components = ber.tlv(b"\x6c", ber.tlv(tag, contents))
    return ber.tlv(b"\x62", otid + dialogue + components)
