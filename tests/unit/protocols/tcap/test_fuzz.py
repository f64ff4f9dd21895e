"""On any octets receive() raises nothing, queues only valid messages, and leaks no dialogue."""

from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from unit.protocols.tcap.arriving import (
    OURS,
    PARTS,
    anything,
    damaged,
    messages,
    waiting,
)

from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap.messages import (
    MessageType,
    decode,
    decode_any,
    decode_usual,
    encode,
)
from tsvc.protocols.tcap.states import DialogueState

OVER = (DialogueState.CLOSED, DialogueState.IDLE)
FUZZ = settings(max_examples=examples(300), deadline=None, derandomize=True)


def check(endpoint):
    """Assert that queued messages are valid, and that registered dialogues are open and end."""
    for outgoing in endpoint.data_to_send():
        decode(outgoing.octets)
    for tid, dialogue in list(endpoint.dialogues.items()):
        assert dialogue.otid == tid
        assert dialogue.state is not DialogueState.CLOSED
        if dialogue.state is DialogueState.INIT_SENT:
            dialogue.abort()
        else:
            dialogue.end()
    assert not endpoint.dialogues
    assert endpoint.next_timer() is None
    for outgoing in endpoint.data_to_send():
        decode(outgoing.octets)


@FUZZ
@given(st.lists(anything, min_size=1, max_size=6))
def test_anything_at_any_moment(script):
    endpoint = waiting()
    for now, octets in enumerate(script):
        for indication in endpoint.receive(octets, "A", "B", float(now)):
            dialogue = indication.dialogue
            is_registered = endpoint.dialogues.get(dialogue.otid) is dialogue
            assert is_registered == (
                dialogue.state not in (DialogueState.CLOSED, DialogueState.IDLE)
            )
            for component in indication.components:
                assert repr(component)
        endpoint.handle_timer(float(now))
    check(endpoint)


@FUZZ
@given(st.binary(max_size=48), st.sampled_from(list(PARTS)))
def test_any_contents_of_any_message(contents, type_):
    endpoint = waiting()
    endpoint.receive(bytes((type_, len(contents))) + contents, "A", "B", 0.0)
    check(endpoint)


@FUZZ
@given(st.binary(max_size=48))
def test_any_components(contents):
    endpoint = waiting()
    portion = bytes((0x6C, len(contents))) + contents
    octets = encode(MessageType.CONTINUE, otid=b"\x07", dtid=OURS, dialogue=portion)
    (indication,) = endpoint.receive(octets, "A", "B", 0.0)
    assert all(not isinstance(one, codec.Malformed) for one in indication.components)
    check(endpoint)


@FUZZ
@given(st.binary(max_size=48))
def test_any_dialogue_portion(contents):
    endpoint = waiting()
    portion = bytes((0x6B, len(contents))) + contents
    endpoint.receive(encode(MessageType.BEGIN, otid=b"\x07", dialogue=portion), "A", "B", 0.0)
    octets = encode(MessageType.CONTINUE, otid=b"\x07", dtid=OURS, dialogue=portion)
    (indication,) = endpoint.receive(octets, "A", "B", 0.0)
    assert (indication.pdu is None) == bool(indication.text)
    check(endpoint)


def test_deep_nesting_is_refused():
    for octets in (b"\x62\x80" * 20_000, b"\x62\x80\x48\x01\x07\x6c\x80" + b"\xa1\x80" * 20_000):
        endpoint = waiting()
        assert endpoint.receive(octets, "A", "B", 0.0) == []
        check(endpoint)


@FUZZ
@given(damaged())
def test_the_short_way_and_the_long_way_read_the_same(octets):
    usual = decode_usual(octets)
    assert usual is None or usual == decode_any(octets)


@FUZZ
@given(messages())
def test_the_short_way_reads_what_is_usual(octets):
    is_usual = octets[0] in (MessageType.BEGIN, MessageType.CONTINUE, MessageType.END)
    assert (decode_usual(octets) is not None) is is_usual
