"""Ids of transactions and how many there may be: limits, reuse, rest after a release."""

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.tcap.dialogue import Kind
from tsvc.protocols.tcap.endpoint import Counters, Endpoint
from tsvc.protocols.tcap.messages import Message, MessageType, PAbortCause, decode, encode


def test_limit_of_dialogues(pair_of):
    pair = pair_of(max_dialogues=2)
    pair.begin()
    pair.begin()
    with pytest.raises(LocalProtocolError, match="limit of 2"):
        pair.a.new_dialogue(0.0)
    assert pair.b.receive(encode(MessageType.BEGIN, otid=b"\x07"), "B", "A", 0.0) == []
    (outgoing,) = pair.b.data_to_send()
    assert decode(outgoing.octets) == Message(MessageType.ABORT, dtid=b"\x07", p_abort_cause=4)
    assert pair.b.counters == Counters(accepted=2, refused=1)
    first = next(iter(pair.b.dialogues.values()))
    first.end()
    assert pair.flow()[0].kind is Kind.END
    pair.begin()


def test_endpoint_that_accepts_no_begin():
    endpoint = Endpoint(accepts_begin=False)
    assert endpoint.receive(encode(MessageType.BEGIN, otid=b"\x07"), "us", "them", 0.0) == []
    (outgoing,) = endpoint.data_to_send()
    assert decode(outgoing.octets).p_abort_cause == PAbortCause.RESOURCE_LIMITATION
    assert endpoint.counters == Counters(refused=1)


def test_ids_wrap_and_pass_over_those_in_use():
    endpoint = Endpoint(first_tid=(1 << 32) - 1, quarantine_s=0.0)
    tids = [endpoint.new_dialogue(0.0).otid.hex() for _ in range(2)]
    assert tids == ["ffffffff", "00000000"]
    endpoint._next_tid = (1 << 32) - 1
    assert endpoint.new_dialogue(0.0).otid.hex() == "00000001"


def test_released_ids_rest():
    endpoint = Endpoint(first_tid=5, quarantine_s=30.0)

    def next_free(now):
        endpoint._next_tid = 5
        dialogue = endpoint.new_dialogue(now)
        endpoint.release(dialogue)
        return int.from_bytes(dialogue.otid, "big")

    # Each is released right after; its rest is counted from the next time that is told.
    assert [next_free(now) for now in (0.0, 10.0, 39.9, 40.0)] == [5, 6, 7, 5]


def test_rest_of_an_id_does_not_begin_before_its_release():
    endpoint = Endpoint(first_tid=5, quarantine_s=30.0)
    dialogue = endpoint.new_dialogue(0.0)
    dialogue.begin("B", "A")
    # It lasts for 100 s, in which nothing tells the endpoint the time.
    dialogue.abort()
    for now in (100.0, 129.0):
        endpoint._next_tid = 5
        assert endpoint.new_dialogue(now).otid != dialogue.otid


def test_message_for_a_resting_id_belongs_to_nobody(pair):
    ours, theirs, _ = pair.begin()
    ours.abort()
    theirs.continue_()
    (indication,) = pair.flow()
    assert indication.dialogue is theirs
    assert pair.a.counters.aborted_unknown == 1
