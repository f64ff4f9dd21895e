"""TCAP messages: the transaction portion around dialogue portion and components.

Source: Q.773 §4.2.1 (06/97)
"""

from dataclasses import dataclass, field
from enum import IntEnum

from tsvc.errors import RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.tcap import components as component_codec
from tsvc.protocols.tcap import dialogue_portion
from tsvc.protocols.tcap.components import Component
from tsvc.protocols.tcap.dialogue_portion import DialoguePdu


class MessageType(IntEnum):
    """Identifier octet of each message."""

    UNIDIRECTIONAL = 0x61
    BEGIN = 0x62
    END = 0x64
    CONTINUE = 0x65
    ABORT = 0x67


class PAbortCause(IntEnum):
    """Why the transaction sublayer aborts."""

    UNRECOGNIZED_MESSAGE_TYPE = 0
    UNRECOGNIZED_TRANSACTION_ID = 1
    BADLY_FORMATTED_TRANSACTION_PORTION = 2
    INCORRECT_TRANSACTION_PORTION = 3
    RESOURCE_LIMITATION = 4


P_ABORT_NAMES = {
    0: "unrecognizedMessageType",
    1: "unrecognizedTransactionID",
    2: "badlyFormattedTransactionPortion",
    3: "incorrectTransactionPortion",
    4: "resourceLimitation",
}

_OTID, _DTID, _P_ABORT, _DIALOGUE, _COMPONENTS = 0x48, 0x49, 0x4A, 0x6B, 0x6C


@dataclass(slots=True)
class Message:
    """One TCAP message. Transaction ids are the octets as received."""

    type: MessageType
    otid: bytes | None = None
    dtid: bytes | None = None
    dialogue: DialoguePdu | None = None
    components: list[Component] = field(default_factory=list)
    p_abort_cause: int | None = None
    # The portion that could not be read, in words; ids are still there to abort by.
    dialogue_problem: str | None = None
    component_problem: str | None = None


class Unreadable(RemoteProtocolError):
    """A message whose transaction portion is wrong; otid, if found, to answer with P-ABORT."""

    def __init__(self, text: str, otid: bytes | None, dtid: bytes | None, cause: int) -> None:
        super().__init__(text)
        self.otid = otid
        self.dtid = dtid
        self.cause = cause


def encode(
    type_: MessageType,
    *,
    otid: bytes | None = None,
    dtid: bytes | None = None,
    dialogue: bytes = b"",
    components: list[bytes] | None = None,
    p_abort_cause: int | None = None,
) -> bytes:
    """Return the octets of a message; dialogue and components are given encoded."""
    body = b""
    if otid is not None:
        body = b"\x48" + bytes((len(otid),)) + otid
    if dtid is not None:
        body += b"\x49" + bytes((len(dtid),)) + dtid
    if p_abort_cause is not None:
        body += b"\x4a\x01" + bytes((p_abort_cause,))
    body += dialogue
    if components:
        body += ber.tlv(b"\x6c", b"".join(components))
    return ber.tlv(bytes((type_,)), body)


_NEEDS = {
    MessageType.UNIDIRECTIONAL: (False, False),
    MessageType.BEGIN: (True, False),
    MessageType.CONTINUE: (True, True),
    MessageType.END: (False, True),
    MessageType.ABORT: (False, True),
}


def decode(octets: bytes) -> Message:
    """Return the message in octets.

    Errors: Unreadable, with the ids that could be found and the P-ABORT cause to answer with.
    """
    otid: bytes | None = None
    dtid: bytes | None = None
    try:
        tag, start, stop, _ = ber.read(octets, 0, len(octets))
        members = ber.walk(octets, start, stop)
    except RemoteProtocolError as error:
        cause = PAbortCause.BADLY_FORMATTED_TRANSACTION_PORTION
        raise Unreadable(str(error), otid, dtid, cause) from None
    message = Message(MessageType.BEGIN)
    for member, at, end in members:
        if member == _OTID:
            otid = octets[at:end]
        elif member == _DTID:
            dtid = octets[at:end]
        elif member == _P_ABORT:
            message.p_abort_cause = int.from_bytes(octets[at:end], "big")
        elif member == _DIALOGUE:
            _read_dialogue(message, octets[at:end])
        elif member == _COMPONENTS:
            _read_components(message, octets, at, end)
        else:
            cause = PAbortCause.INCORRECT_TRANSACTION_PORTION
            raise Unreadable(f"unknown member, tag {member:x}", otid, dtid, cause)
    try:
        message.type = MessageType(tag)
    except ValueError:
        cause = PAbortCause.UNRECOGNIZED_MESSAGE_TYPE
        raise Unreadable(f"unknown message, tag {tag:x}", otid, dtid, cause) from None
    needs_otid, needs_dtid = _NEEDS[message.type]
    if needs_otid != (otid is not None) or needs_dtid != (dtid is not None):
        cause = PAbortCause.INCORRECT_TRANSACTION_PORTION
        raise Unreadable("transaction ids do not fit the message", otid, dtid, cause)
    for tid in (otid, dtid):
        if tid is not None and not 1 <= len(tid) <= 4:
            cause = PAbortCause.INCORRECT_TRANSACTION_PORTION
            raise Unreadable(f"transaction id of {len(tid)} octets", None, dtid, cause)
    message.otid = otid
    message.dtid = dtid
    return message


def _read_dialogue(message: Message, contents: bytes) -> None:
    try:
        message.dialogue = dialogue_portion.decode(contents)
    except RemoteProtocolError as error:
        message.dialogue_problem = str(error)


def _read_components(message: Message, octets: bytes, at: int, end: int) -> None:
    try:
        message.components = component_codec.decode(octets, at, end)
    except RemoteProtocolError as error:
        message.component_problem = str(error)
