"""IPSPs with double exchange: both send requests, and each direction has its own state."""

import itertools

import pytest
from support.playbook import asked, indicated, playbook, received, sent
from unit.protocols.m3ua.associations import M3UA, conversation, err

from tsvc.errors import LocalProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.indications import (
    ActiveInd,
    CloseInd,
    DataInd,
    InactiveInd,
    ProtocolErrorInd,
)
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
from tsvc.protocols.m3ua.servers import Transfer

D, I, A = AspState  # noqa: E741
ACK = {ASPUP: ASPUP_ACK, ASPDN: ASPDN_ACK, ASPAC: ASPAC_ACK, ASPIA: ASPIA_ACK}
# New state from DOWN, INACTIVE, ACTIVE; "!" where ERR, unexpected message, is sent.
ROWS = {ASPUP: "I I I!", ASPDN: "D D D", ASPAC: "D! A A", ASPIA: "D! I I"}
LETTERS = {"D": D, "I": I, "A": A}


def ipsp(own, peer):
    """Return an IPSP with these states of itself and of its peer, without own requests."""
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
    found = [decode(octets) for octets in association.data_to_send()]
    answers = [] if is_refused and peer is D else [ACK[request_id]]
    errors = [messages.ERR] if is_refused else []
    assert [item.id for item in found] == answers + errors
    codes = [item.get(params.ERROR_CODE) for item in found if item.id == messages.ERR]
    assert codes == [ErrorCode.UNEXPECTED_MESSAGE] * len(errors)


@pytest.mark.parametrize(("own", "peer", "request_id"), CELLS)
def test_an_acknowledgement_moves_our_state_only(own, peer, request_id):
    association = ipsp(own, peer)
    association.receive(encode(message(ACK[request_id])), 1.0)
    after, is_refused = expected(request_id, own)
    assert (association.own_state, association.state) == (after, peer)
    errors = [decode(octets) for octets in association.data_to_send()]
    # This IPSP has not sent requests, so that it sends nothing but ERR.
    codes = [item.get(params.ERROR_CODE) for item in errors if item.id == messages.ERR]
    assert codes == [ErrorCode.UNEXPECTED_MESSAGE] * is_refused


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
    at_first, at_second, said = conversation(first, second)
    assert said == [
        "> ASPUP",
        "< ASPUP",
        "< ASPUP_ACK",
        "> ASPUP_ACK",
        "> ASPAC",
        "< ASPAC",
        "< ASPAC_ACK",
        "> ASPAC_ACK",
    ]
    assert at_first == at_second == [InactiveInd((7,), "ASPUP"), ActiveInd((7,))]
    for end in (first, second):
        assert (end.own_state, end.state) == (A, A)
    first.send_transfer(Transfer(1, 2, 3, 2, 0, 5, b"x"))
    second.send_transfer(Transfer(2, 1, 3, 2, 0, 5, b"y"))
    at_first, at_second, _ = conversation(first, second)
    assert at_second == [DataInd(1, 2, 3, 2, 0, 5, b"x", 7)]
    assert at_first == [DataInd(2, 1, 3, 2, 0, 5, b"y", 7)]


def test_each_side_asks_for_itself():
    one, _ = pair()
    one.data_to_send()
    assert (
        playbook(one, M3UA)
        >> received(message(ASPUP))
        << sent("ASPUP_ACK")
        << indicated(InactiveInd((7,), "ASPUP"))
        >> received(message(ASPUP_ACK))
        << sent("ASPAC")
        >> received(message(ASPAC_ACK))
        >> received(message(ASPAC))
        << sent("ASPAC_ACK")
        << indicated(ActiveInd((7,)))
    )


def test_one_direction_at_a_time():
    """If the peer is active and we are not, we send data and the peer does not."""
    octets = encode_data(1, 2, 3, 2, 0, 5, b"x")
    assert (
        playbook(ipsp(I, A), M3UA)
        >> asked("data", lambda end, now: end.send_transfer(Transfer(1, 2, 3, 2, 0, 5, b"x")))
        << sent(octets)
        >> received(octets)
        << sent(err(ErrorCode.UNEXPECTED_MESSAGE))
        << indicated(ProtocolErrorInd)
    )
    other = ipsp(A, I)
    with pytest.raises(LocalProtocolError):
        other.send_transfer(Transfer(1, 2, 3, 2, 0, 5, b"x"))
    assert playbook(other, M3UA) >> received(octets) << indicated(DataInd(1, 2, 3, 2, 0, 5, b"x"))


def test_one_side_leaves():
    first, second = pair()
    conversation(first, second)
    first.shut_down(1.0)
    at_first, _, said = conversation(first, second, 1.0)
    assert said == ["> ASPIA", "< ASPIA_ACK", "> ASPDN", "< ASPDN_ACK"]
    assert at_first[-1] == CloseInd("shut down")
    assert (second.state, second.own_state) == (D, A)
    assert not second.is_active


def test_beats_go_on_while_one_direction_is_up():
    association = Association(Role.IPSP, is_double_exchange=True, heartbeat_s=5.0)
    association.receive(encode(message(ASPUP)), 0.0)
    association.data_to_send()
    assert association.next_timer() == 5.0
    association.receive(encode(message(ASPDN)), 1.0)
    assert association.next_timer() is None
