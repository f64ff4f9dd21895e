"""TCAP messages: the transaction portion around dialogue portion and components.

Source: Q.773 §4.2.1 (06/97)
"""

from dataclasses import field
from enum import Enum, IntEnum

from tsvc.errors import RemoteProtocolError
from tsvc.memo import Shortcut
from tsvc.protocols import ber
from tsvc.protocols.tcap import components as component_codec
from tsvc.protocols.tcap import dialogue_portion
from tsvc.protocols.tcap.components import Component
from tsvc.protocols.tcap.dialogue_portion import DialoguePdu
from tsvc.values import dataclass


class MessageType(IntEnum):
    """Identifier octet of each message."""

    UNIDIRECTIONAL = 0x61
    BEGIN = 0x62
    END = 0x64
    CONTINUE = 0x65
    ABORT = 0x67


class PAbortCause(IntEnum):
    """The cause of an abort by the transaction sublayer."""

    UNRECOGNIZED_MESSAGE_TYPE = 0
    UNRECOGNIZED_TRANSACTION_ID = 1
    BADLY_FORMATTED_TRANSACTION_PORTION = 2
    INCORRECT_TRANSACTION_PORTION = 3
    RESOURCE_LIMITATION = 4


class LocalCause(Enum):
    """The cause of an abort by our own dialogue handling, for the user only: never on the wire."""

    ABNORMAL_DIALOGUE = "abnormalDialogue"
    NO_COMMON_DIALOGUE_PORTION = "noCommonDialoguePortion"


P_ABORT_NAMES = {
    0: "unrecognizedMessageType",
    1: "unrecognizedTransactionID",
    2: "badlyFormattedTransactionPortion",
    3: "incorrectTransactionPortion",
    4: "resourceLimitation",
}


def p_abort_name(cause: int | LocalCause) -> str:
    """Return the name of a P-ABORT cause, received or local; its number if it has no name."""
    return cause.value if isinstance(cause, LocalCause) else P_ABORT_NAMES.get(cause, str(cause))


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
    # Why the dialogue portion could not be read, as text; the ids are still known for an abort.
    dialogue_problem: str | None = None


class Unreadable(RemoteProtocolError):
    """A message whose transaction portion is wrong.

    otid: the id to answer with P-ABORT; None if it could not be found, or if the type of message
    is never answered. dtid: the id of the dialogue that it ends here; None likewise.
    """

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


# The members that a message may have, in their only order.
_IN_ORDER = ((), (_DIALOGUE,), (_COMPONENTS,), (_DIALOGUE, _COMPONENTS))
_SHAPES: dict[int, frozenset[tuple[int, ...]]] = {
    MessageType.UNIDIRECTIONAL: frozenset({(_COMPONENTS,), (_DIALOGUE, _COMPONENTS)}),
    MessageType.BEGIN: frozenset((_OTID, *rest) for rest in _IN_ORDER),
    MessageType.CONTINUE: frozenset((_OTID, _DTID, *rest) for rest in _IN_ORDER),
    MessageType.END: frozenset((_DTID, *rest) for rest in _IN_ORDER),
    MessageType.ABORT: frozenset({(_DTID,), (_DTID, _P_ABORT), (_DTID, _DIALOGUE)}),
}
# Messages without an id to answer to, or whose sender does not wait for an answer.
_NEVER_ANSWERED = (MessageType.UNIDIRECTIONAL, MessageType.END, MessageType.ABORT)
_WITHOUT_DTID = (MessageType.UNIDIRECTIONAL, MessageType.BEGIN)


def decode(octets: bytes) -> Message:
    """Return the message in octets.

    Errors: Unreadable, with the ids that could be found and the P-ABORT cause to answer with.
    """
    return _USUAL_WAY.take(octets) or decode_any(octets)


_USUAL = {
    0x62: (MessageType.BEGIN, True, False),
    0x64: (MessageType.END, False, True),
    0x65: (MessageType.CONTINUE, True, True),
}


def decode_usual(octets: bytes) -> Message | None:
    """Return a message of the usual form, None if it has another form or is wrong.

    The usual form: BEGIN, CONTINUE or END with definite lengths below 64 KiB. It is read once from
    left to right; decode_any() reads all forms, at three times the cost.
    """
    size = len(octets)
    otid = dtid = dialogue = problem = None
    components: list[Component] = []
    try:
        type_, has_otid, has_dtid = _USUAL[octets[0]]
        at, end = _span(octets, 0)
        if end != size:
            return None
        if has_otid:
            end = at + 2 + octets[at + 1]
            otid = octets[at + 2 : end]
            if octets[at] != _OTID or not 1 <= len(otid) <= 4:
                return None
            at = end
        if has_dtid:
            end = at + 2 + octets[at + 1]
            dtid = octets[at + 2 : end]
            if octets[at] != _DTID or not 1 <= len(dtid) <= 4:
                return None
            at = end
        if at < size and octets[at] == _DIALOGUE:
            start, end = _span(octets, at)
            try:
                dialogue = dialogue_portion.decode(octets[start:end])
            except RemoteProtocolError as error:
                problem = str(error)
            at = end
        if at < size:
            start, end = _span(octets, at)
            if octets[at] != _COMPONENTS or end != size:
                return None
            components = component_codec.decode(octets, start, end)
            at = end
    except (IndexError, KeyError):
        return None
    if at != size:
        return None
    return Message(type_, otid, dtid, dialogue, components, None, problem)


_USUAL_WAY = Shortcut("TCAP messages of the usual form", decode_usual)


def _span(octets: bytes, at: int) -> tuple[int, int]:
    """Return where the contents of the TLV at `at` start and stop. Errors: IndexError, KeyError.

    KeyError: a form of length that is not one of the three usual ones.
    """
    length = octets[at + 1]
    if length < 0x80:
        return at + 2, at + 2 + length
    if length == 0x81:
        return at + 3, at + 3 + octets[at + 2]
    if length == 0x82:
        return at + 4, at + 4 + (octets[at + 2] << 8 | octets[at + 3])
    raise KeyError(length)


def decode_any(octets: bytes) -> Message:
    """Return the message in octets, whatever its form. Errors: as decode()."""
    badly_formatted = PAbortCause.BADLY_FORMATTED_TRANSACTION_PORTION
    incorrect = PAbortCause.INCORRECT_TRANSACTION_PORTION
    try:
        tag, start, stop, following = ber.read(octets, 0, len(octets))
    except RemoteProtocolError as error:
        raise Unreadable(str(error), None, None, badly_formatted) from None
    try:
        members = ber.walk(octets, start, stop)
    except RemoteProtocolError as error:
        readable, _ = component_codec.walk_readable(octets, start, stop)
        raise _unreadable(octets, tag, readable, badly_formatted, str(error)) from None
    if following != len(octets):
        text = f"{len(octets) - following} octets after the message"
        raise _unreadable(octets, tag, members, badly_formatted, text)
    shapes = _SHAPES.get(tag)
    if shapes is None:
        cause = PAbortCause.UNRECOGNIZED_MESSAGE_TYPE
        raise _unreadable(octets, tag, members, cause, f"unknown message, tag {tag:x}")
    if tuple([member for member, _, _ in members]) not in shapes:
        names = " ".join(f"{member:x}" for member, _, _ in members) or "none"
        text = f"members that do not fit the message: {names}"
        raise _unreadable(octets, tag, members, incorrect, text)
    message = Message(MessageType(tag))
    for member, at, end in members:
        problem = _read_member(message, octets, member, at, end)
        if problem is not None:
            raise _unreadable(octets, tag, members, incorrect, problem)
    return message


def _read_member(message: Message, octets: bytes, member: int, at: int, end: int) -> str | None:
    """Put one member into the message; return the error of a wrong transaction member, or None."""
    match member:
        case 0x48 | 0x49:
            if not 1 <= end - at <= 4:
                return f"transaction id of {end - at} octets"
            if member == _OTID:
                message.otid = octets[at:end]
            else:
                message.dtid = octets[at:end]
        case 0x4A:
            if end - at != 1:
                return f"P-ABORT cause of {end - at} octets"
            message.p_abort_cause = octets[at]
        case 0x6B:
            try:
                message.dialogue = dialogue_portion.decode(octets[at:end])
            except RemoteProtocolError as error:
                message.dialogue_problem = str(error)
        case _:
            message.components = component_codec.decode(octets, at, end)
    return None


def _unreadable(
    octets: bytes, tag: int, members: list[ber.Tlv], cause: PAbortCause, text: str
) -> Unreadable:
    """Return the error, with the ids for an answer and for the end of the dialogue."""
    ids: dict[int, bytes] = {}
    for member, at, end in members:
        if member in (_OTID, _DTID) and 1 <= end - at <= 4:
            ids.setdefault(member, octets[at:end])
    otid = None if tag in _NEVER_ANSWERED else ids.get(_OTID)
    dtid = None if tag in _WITHOUT_DTID else ids.get(_DTID)
    return Unreadable(text, otid, dtid, cause)
