"""IPSPs of double exchange: both ask, and each direction has a state of its own."""

import itertools

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.indications import ActiveInd, CloseInd, DataInd, InactiveInd
from tsvc.protocols.m3ua.messages import (
    ASPAC,
    ASPAC_ACK,
    ASPDN,
    ASPDN_ACK,
    ASPIA,
    ASPIA_ACK,
    ASPUP,
    ASPUP_ACK,
    decode,
    encode,
    message,
)
from tsvc.protocols.m3ua.params import ErrorCode

D, I, A = AspState  # noqa: E741
ACK = {ASPUP: ASPUP_ACK, ASPDN: ASPDN_ACK, ASPAC: ASPAC_ACK, ASPIA: ASPIA_ACK}
# New state from DOWN, INACTIVE, ACTIVE; "!" where ERR, unexpected message, is sent.
ROWS = {ASPUP: "I I I!", ASPDN: "D D D", ASPAC: "D! A A", ASPIA: "D! I I"}
LETTERS = {"D": D, "I": I, "A": A}


def ipsp(own, peer):
    """An IPSP in these states of its own and of its peer, with nothing asked for."""
    made = Association(Role.IPSP, is_double_exchange=True)
    way = {D: [], I: [ASPUP], A: [ASPUP, ASPAC]}
    for request in way[peer]:
        made.receive(encode(message(request)), 0.0)
    for request in way[own]:
        made.receive(encode(message(ACK[request])), 0.0)
    made.data_to_send()
    assert (made.own_state, made.state) == (own, peer)
    return made


def expected(request, before):
    cell = ROWS[request].split()[before]
    return LETTERS[cell[0]], cell.endswith("!")


CELLS = list(itertools.product(AspState, AspState, ROWS))


@pytest.mark.parametrize(("own", "peer", "request_id"), CELLS)
def test_a_request_moves_the_peers_state_only(own, peer, request_id):
    association = ipsp(own, peer)
    association.receive(encode(message(request_id)), 1.0)
    after, is_refused = expected(request_id, peer)
    assert (association.own_state, association.state) == (own, after)
    sent = [decode(octets) for octets in association.data_to_send()]
    answers = [] if is_refused and peer is D else [ACK[request_id]]
    errors = [messages.ERR] if is_refused else []
    assert [item.id for item in sent] == answers + errors
    codes = [item.get(params.ERROR_CODE) for item in sent if item.id == messages.ERR]
    assert codes == [ErrorCode.UNEXPECTED_MESSAGE] * len(errors)


@pytest.mark.parametrize(("own", "peer", "request_id"), CELLS)
def test_an_acknowledgement_moves_our_state_only(own, peer, request_id):
    association = ipsp(own, peer)
    association.receive(encode(message(ACK[request_id])), 1.0)
    after, is_refused = expected(request_id, own)
    assert (association.own_state, association.state) == (after, peer)
    errors = [decode(octets) for octets in association.data_to_send()]
    # This one has not started to ask, so there is nothing but ERR.
    codes = [item.get(params.ERROR_CODE) for item in errors if item.id == messages.ERR]
    assert codes == [ErrorCode.UNEXPECTED_MESSAGE] * is_refused


def exchange(first, second, now=0.0):
    found = {first: [], second: []}
    names = {first: [], second: []}
    for _ in range(50):
        carried = False
        for source, target in ((first, second), (second, first)):
            for octets in source.data_to_send():
                names[source].append(decode(octets).name)
                found[target] += target.receive(octets, now)
                carried = True
        if not carried:
            return found, names
    raise AssertionError("the two never stop talking")


def pair(**options):
    ends = [
        Association(Role.IPSP, is_double_exchange=True, routing_contexts=(7,), **options)
        for _ in range(2)
    ]
    for end in ends:
        end.connected(0.0)
    return ends


def test_both_ask_and_both_answer():
    first, second = pair()
    found, names = exchange(first, second)
    for end in (first, second):
        assert sorted(names[end]) == ["ASPAC", "ASPAC_ACK", "ASPUP", "ASPUP_ACK"]
        assert found[end] == [InactiveInd((7,), "ASPUP"), ActiveInd((7,))]
        assert (end.own_state, end.state) == (A, A)
    first.send_data(1, 2, 3, 2, 0, 5, b"x", 0.0)
    second.send_data(2, 1, 3, 2, 0, 5, b"y", 0.0)
    found, _ = exchange(first, second)
    assert found[second] == [DataInd(1, 2, 3, 2, 0, 5, b"x", 7)]
    assert found[first] == [DataInd(2, 1, 3, 2, 0, 5, b"y", 7)]


def test_one_direction_at_a_time():
    """The peer may be active while we are not: then we send, and it does not."""
    association = ipsp(I, A)
    association.send_data(1, 2, 3, 2, 0, 5, b"x", 0.0)
    assert len(association.data_to_send()) == 1
    other = ipsp(A, I)
    with pytest.raises(LocalProtocolError):
        other.send_data(1, 2, 3, 2, 0, 5, b"x", 0.0)
    data = Association(Role.IPSP)
    data.receive(encode(message(ASPUP)), 0.0)
    data.receive(encode(message(ASPAC)), 0.0)
    data.data_to_send()
    data.send_data(1, 2, 3, 2, 0, 5, b"x", 0.0)
    (octets,) = data.data_to_send()
    assert other.receive(octets, 0.0) == [DataInd(1, 2, 3, 2, 0, 5, b"x")]
    association.receive(octets, 0.0)
    assert decode(association.data_to_send()[0]).id == messages.ERR


def test_one_side_leaves():
    first, second = pair()
    exchange(first, second)
    first.shut_down(1.0)
    found, names = exchange(first, second, 1.0)
    assert names[first] == ["ASPIA", "ASPDN"]
    assert found[first][-1] == CloseInd("shut down")
    assert (second.state, second.own_state) == (D, A)
    assert not second.is_active


def test_beats_go_on_while_one_direction_is_up():
    association = Association(Role.IPSP, is_double_exchange=True, heartbeat_s=5.0)
    association.receive(encode(message(ASPUP)), 0.0)
    association.data_to_send()
    assert association.next_timer() == 5.0
    association.receive(encode(message(ASPDN)), 1.0)
    assert association.next_timer() is None
