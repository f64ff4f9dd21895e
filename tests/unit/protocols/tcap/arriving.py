"""Octets that may arrive at an endpoint, well-formed or damaged, and a waiting endpoint."""

from hypothesis import strategies as st

from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap.components import Invoke, ProblemType, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.protocols.tcap.dialogue_portion import encode as encode_portion
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.messages import (
    MessageType,
    encode,
)

CONTEXT = bytes.fromhex("04000102")


OURS = b"\x00\x00\x00\x01"  # the id of the first dialogue of an endpoint


PORTIONS = [b"", *map(encode_portion, (Aarq(CONTEXT), Aare(CONTEXT), Abrt(0), Abrt(1)))]


COMPONENTS = [
    codec.encode(component)
    for component in (
        Invoke(0, 0, b"\x30\x03\x80\x01\x01"),
        Invoke(1, "2.999.1", None, 0),
        ReturnResult(0, 1, b"\x05\x00"),
        ReturnResult(0, 1, b"\x05\x00", is_last=False),
        ReturnError(1, 5, b"\x05\x00"),
        Reject(None, ProblemType.GENERAL, 0),
        Reject(2, ProblemType.INVOKE, 1),
    )
]


PARTS = {
    MessageType.UNIDIRECTIONAL: (False, False),
    MessageType.BEGIN: (True, False),
    MessageType.CONTINUE: (True, True),
    MessageType.END: (False, True),
    MessageType.ABORT: (False, True),
}


@st.composite
def messages(draw):
    """Draw a well-formed message, for our dialogue or another."""
    type_ = draw(st.sampled_from(list(PARTS)))
    has_otid, has_dtid = PARTS[type_]
    return encode(
        type_,
        otid=draw(st.binary(min_size=1, max_size=4)) if has_otid else None,
        dtid=draw(st.sampled_from([OURS, OURS, b"\x09"])) if has_dtid else None,
        dialogue=draw(st.sampled_from(PORTIONS)),
        components=draw(st.lists(st.sampled_from(COMPONENTS), max_size=4)),
    )


@st.composite
def damaged(draw):
    """Draw a message with some bits flipped, or cut, or repeated in part."""
    octets = bytearray(draw(messages()))
    for position in draw(st.lists(st.integers(0, len(octets) * 8 - 1), max_size=3)):
        octets[position // 8] ^= 1 << position % 8
    stop = draw(st.one_of(st.just(len(octets)), st.integers(0, len(octets))))
    return bytes(octets[:stop])


anything = st.one_of(st.binary(max_size=64), messages(), damaged(), damaged())


def waiting():
    """Return an endpoint with one dialogue, begun by us, with an invocation of each class."""
    endpoint = Endpoint(first_tid=1)
    dialogue = endpoint.new_dialogue(0.0)
    for operation_class in (1, 2, 3, 4):
        dialogue.invoke(operation_class, operation_class, None, now=0.0)
    dialogue.begin("B", "A", application_context=CONTEXT)
    return endpoint
