"""Transaction ids: how many there may be, limits, reuse, and their rest after a release."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import LocalProtocolError
from tsvc.protocols.tcap.dialogue import IndicationKind
from tsvc.protocols.tcap.endpoint import Counters, Endpoint
from tsvc.protocols.tcap.ids import ALL_IDS, PROCESSES, IdRange, process_of
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
    assert pair.flow()[0].kind is IndicationKind.END
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


def test_ids_of_processes_are_apart_and_are_all():
    parts = [IdRange.of_process(number) for number in range(PROCESSES)]
    assert [part.first for part in parts] == [number << 21 for number in range(PROCESSES)]
    assert sum(part.count for part in parts) == 1 << 32
    for number in (-1, PROCESSES):
        with pytest.raises(ValueError, match=f"not number {number}"):
            IdRange.of_process(number)


@given(st.integers(0, PROCESSES - 1), st.integers(0, (1 << 32) - 1), st.integers(1, 50))
def test_a_process_gives_its_own_ids_only(number, seed, count):
    endpoint = Endpoint(first_tid=seed, ids=IdRange.of_process(number))
    endpoint._next_tid = (number + 1 << 21) - 2  # near the end of the process's range
    tids = [int.from_bytes(endpoint.new_dialogue(0.0).otid, "big") for _ in range(count)]
    assert {tid >> 21 for tid in tids} == {number}
    assert len(set(tids)) == count


def test_no_id_is_left():
    """All ids are in use or rest: a new dialogue fails, whether we or the peer begin it."""
    endpoint = Endpoint(first_tid=7, quarantine_s=30.0, ids=IdRange(4, 3))
    first = endpoint.new_dialogue(0.0)
    endpoint.new_dialogue(0.0)
    begin = encode(MessageType.BEGIN, otid=b"\x07")
    assert len(endpoint.receive(begin, "us", "them", 0.0)) == 1
    assert [int(tid.hex(), 16) for tid in endpoint.dialogues] == [5, 6, 4]
    endpoint.release(first)
    with pytest.raises(LocalProtocolError, match="all 3 transaction ids are in use or rest"):
        endpoint.new_dialogue(1.0)
    assert endpoint.receive(begin, "us", "them", 1.0) == []
    (outgoing,) = endpoint.data_to_send()
    assert decode(outgoing.octets).p_abort_cause == PAbortCause.RESOURCE_LIMITATION
    assert endpoint.new_dialogue(31.0).otid == first.otid


def test_released_ids_rest():
    endpoint = Endpoint(first_tid=5, quarantine_s=30.0)

    def next_free(now):
        endpoint._next_tid = 5
        dialogue = endpoint.new_dialogue(now)
        endpoint.release(dialogue)
        return int.from_bytes(dialogue.otid, "big")

    # Each is released at once; its rest is counted from the endpoint's next time.
    assert [next_free(now) for now in (0.0, 10.0, 39.9, 40.0)] == [5, 6, 7, 5]


def test_rest_of_an_id_does_not_begin_before_its_release():
    endpoint = Endpoint(first_tid=5, quarantine_s=30.0)
    dialogue = endpoint.new_dialogue(0.0)
    dialogue.begin("B", "A")
    # The dialogue lasts for 100 s, in which the endpoint is not called.
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


@given(st.integers(0, PROCESSES - 1), st.integers(0))
def test_who_sees_an_id_knows_whose_it_is(number: int, place: int):
    tid = IdRange.of_process(number).nth(place).to_bytes(4)
    assert process_of(tid) == process_of(tid.lstrip(b"\0")) == number


def test_references_of_segments_are_apart_as_ids_are():
    ranges = [IdRange.of_process(number).references for number in range(PROCESSES)]
    assert sum(one.count for one in ranges) == ALL_IDS.references.count == 1 << 24
    assert [one.first for one in ranges] == list(range(0, 1 << 24, 1 << 13))
