"""Every cell of the transaction table: state x side x primitive, in table and dialogues."""

import itertools

import pytest
from support.playbook import asked, indicated, playbook, received, sent
from unit.protocols.tcap.conftest import TCAP

from tsvc.errors import LocalProtocolError
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.messages import MessageType, encode
from tsvc.protocols.tcap.states import TRANSITIONS, DialogueState, Primitive, Side

# Written again from the state diagram: the allowed primitives, and the states they lead to.
ALLOWED = """
idle                 we    begin            initiation sent
idle                 they  begin            initiation received
initiation sent      they  continue         active
initiation sent      they  end              closed
initiation sent      they  abort            closed
initiation sent      we    abort            closed
initiation sent      we    prearranged end  closed
initiation received  we    continue         active
initiation received  we    end              closed
initiation received  we    abort            closed
initiation received  we    prearranged end  closed
active               we    continue         active
active               they  continue         active
active               we    end              closed
active               they  end              closed
active               we    abort            closed
active               they  abort            closed
active               we    prearranged end  closed
"""


def cells():
    for line in ALLOWED.strip().splitlines():
        state, side, primitive, after = (
            part.strip() for part in (line[:21], line[21:27], line[27:44], line[44:])
        )
        yield (DialogueState(state), Side(side), Primitive(primitive)), DialogueState(after)


LISTED = dict(cells())
ALL = list(itertools.product(DialogueState, Side, Primitive))


def test_the_table_is_the_diagram():
    table = {
        (state, side, primitive): after
        for state, row in TRANSITIONS.items()
        for (side, primitive), after in row.items()
    }
    assert table == LISTED
    assert len(ALL) == 50


PEER = b"\x00\x00\x00\x99"


def dialogue_in(state):
    """Return (endpoint, dialogue) in a state, which is only reached by messages."""
    endpoint = Endpoint(first_tid=0x100)
    if state is DialogueState.INIT_RECEIVED:
        octets = encode(MessageType.BEGIN, otid=PEER)
        (indication,) = endpoint.receive(octets, "us", "them", 0.0)
        return endpoint, indication.dialogue
    dialogue = endpoint.new_dialogue(0.0)
    if state is not DialogueState.IDLE:
        dialogue.begin("them", "us")
    if state in (DialogueState.ACTIVE, DialogueState.CLOSED):
        answer = encode(MessageType.CONTINUE, otid=PEER, dtid=dialogue.otid)
        endpoint.receive(answer, "us", "them", 0.0)
    if state is DialogueState.CLOSED:
        dialogue.end()
    endpoint.data_to_send()
    assert dialogue.state is state
    return endpoint, dialogue


def do(dialogue, primitive):
    match primitive:
        case Primitive.BEGIN:
            dialogue.begin("them", "us")
        case Primitive.CONTINUE:
            dialogue.continue_()
        case Primitive.END:
            dialogue.end()
        case Primitive.PREARRANGED_END:
            dialogue.end(prearranged=True)
        case Primitive.ABORT:
            dialogue.abort()


LOCAL = [(state, primitive) for state, side, primitive in ALL if side is Side.LOCAL]


@pytest.mark.parametrize(("state", "primitive"), LOCAL)
def test_what_we_do(state, primitive):
    endpoint, dialogue = dialogue_in(state)
    after = LISTED.get((state, Side.LOCAL, primitive))
    if after is None:
        with pytest.raises(LocalProtocolError, match=state.value):
            do(dialogue, primitive)
        assert dialogue.state is state
        assert endpoint.data_to_send() == []
        return
    can_tell = primitive is not Primitive.PREARRANGED_END and not (
        state is DialogueState.INIT_SENT and primitive is Primitive.ABORT
    )
    script = playbook(endpoint, TCAP) >> asked(primitive.value, lambda *_: do(dialogue, primitive))
    assert script << sent(primitive.name) if can_tell else script
    assert dialogue.state is after
    assert (dialogue.otid in endpoint.dialogues) == (after is not DialogueState.CLOSED)


REMOTE = {
    Primitive.CONTINUE: MessageType.CONTINUE,
    Primitive.END: MessageType.END,
    Primitive.ABORT: MessageType.ABORT,
}


@pytest.mark.parametrize("state", DialogueState)
@pytest.mark.parametrize("primitive", REMOTE)
def test_what_they_do(state, primitive):
    endpoint, dialogue = dialogue_in(state)
    otid = PEER if primitive is Primitive.CONTINUE else None
    octets = encode(REMOTE[primitive], otid=otid, dtid=dialogue.otid)
    script = playbook(endpoint, TCAP) >> received(octets)
    after = LISTED.get((state, Side.REMOTE, primitive))
    counters = endpoint.counters
    if after is not None:
        assert script << indicated(lambda one: one.dialogue is dialogue)
        assert dialogue.state is after
        assert (dialogue.otid in endpoint.dialogues) == (after is not DialogueState.CLOSED)
        assert (counters.dropped, counters.aborted_unknown) == (0, 0)
        return
    is_unknown = state is DialogueState.CLOSED and primitive is Primitive.CONTINUE
    assert script << sent("ABORT") if is_unknown else script
    assert dialogue.state is state
    assert (counters.dropped, counters.aborted_unknown) == (not is_unknown, is_unknown)


def test_begin_from_the_peer_is_always_a_dialogue_of_its_own():
    endpoint, dialogue = dialogue_in(DialogueState.ACTIVE)

    def of_another(indication):
        other = indication.dialogue
        return other is not dialogue and other.state is DialogueState.INIT_RECEIVED

    assert (
        playbook(endpoint, TCAP)
        >> received(encode(MessageType.BEGIN, otid=PEER))
        << indicated(of_another)
    )
    assert dialogue.state is DialogueState.ACTIVE


def test_nothing_is_queued_on_a_closed_dialogue():
    _, dialogue = dialogue_in(DialogueState.CLOSED)
    with pytest.raises(LocalProtocolError, match="closed"):
        dialogue.invoke(1, 1, None, now=0.0)
