"""The SMSC's side of a session, with a clock of its own and no socket."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.protocols.smpp.samples import BIND, MESSAGE, PDUS

from tsvc.errors import LocalProtocolError
from tsvc.protocols.smpp.commands import GENERIC_NACK, RESPONSE, Command, Status
from tsvc.protocols.smpp.pdus import Pdu, decode, encode
from tsvc.protocols.smpp.session import (
    BINDS,
    BOUND,
    REACTIONS,
    AnswerInd,
    BoundInd,
    CloseInd,
    FailedInd,
    MessageInd,
    Session,
    SessionSettings,
    State,
)

SETTINGS = SessionSettings(
    "smsc", window=2, session_init_s=10, enquire_link_s=30, response_timeout_s=5
)
HEX_UNKNOWN = "00000010 00000021 00000000 00000007"


class Esme:
    """The other side: sends PDUs, keeps what comes back and what is indicated."""

    def __init__(self, status=0):
        self.now = 100.0
        self.session = Session(SETTINGS, lambda bind: status)
        self.session.connected(self.now)
        self.indicated = []

    def send(self, *pdus):
        octets = b"".join(one if isinstance(one, bytes) else encode(one) for one in pdus)
        self.indicated += self.session.receive(octets, self.now)
        return self.got()

    def got(self):
        return [decode(octets) for octets in self.session.data_to_send()]

    def bind(self, command=Command.BIND_TRANSCEIVER):
        (answer,) = self.send(Pdu(command, 1, 0, BIND))
        assert answer.command_status == 0
        assert self.indicated.pop() == BoundInd("esme1")
        return self

    def pass_time(self, seconds):
        """Let time pass, timer by timer."""
        until = self.now + seconds
        while (due := self.session.next_timer()) is not None and due <= until:
            self.now = max(due, self.now)
            self.indicated += self.session.handle_timer(self.now)
        self.now = until
        return self.got()

    def deliver(self):
        number, octets = self.session.request(Command.DELIVER_SM, MESSAGE, (), self.now)
        (sent,) = self.got()
        assert encode(sent) == octets
        assert (sent.name, sent.sequence_number) == ("deliver_sm", number)
        return number

    def is_closed(self, reason):
        closed = [one for one in self.indicated if isinstance(one, CloseInd)]
        return [one.reason for one in closed] == [reason] and self.session.state is State.CLOSED


@pytest.fixture
def esme():
    return Esme()


@pytest.mark.parametrize(("command", "state"), BINDS.items())
def test_bind(esme, command, state):
    esme.bind(command)
    assert (esme.session.state, esme.session.system_id) == (state, "esme1")


def test_a_bind_answer_says_who_we_are(esme):
    (answer,) = esme.send(Pdu(Command.BIND_RECEIVER, 9, 0, BIND))
    assert encode(answer).hex(" ", -4) == (
        "0000001a 80000001 00000000 00000009 736d7363 00021000 0134"
    )


def test_a_refused_bind_may_be_tried_again_until_the_time_is_over():
    esme = Esme(Status.ESME_RINVPASWD)
    for _ in range(2):
        (answer,) = esme.send(Pdu(Command.BIND_RECEIVER, 9, 0, BIND))
        assert answer == Pdu(RESPONSE | Command.BIND_RECEIVER, 9, Status.ESME_RINVPASWD)
    assert esme.session.state is State.OPEN
    esme.pass_time(10)
    assert esme.is_closed("no bind within session_init_s")


def status_of(state, command):
    """What the table of the standard says for a request that does not suit the state."""
    if command in BINDS:
        return Status.ESME_RALYBND
    return (
        {
            Command.QUERY_SM: Status.ESME_RQUERYFAIL,
            Command.CANCEL_SM: Status.ESME_RCANCELFAIL,
            Command.REPLACE_SM: Status.ESME_RREPLACEFAIL,
        }.get(command)
        if state in (State.BOUND_TX, State.BOUND_TRX)
        else None
    )


REQUESTS = {pdu.command_id: pdu for pdu in PDUS if not pdu.command_id & RESPONSE}


@pytest.mark.parametrize("state", [State.OPEN, *BINDS.values()], ids=lambda state: state.name)
@pytest.mark.parametrize("command", REQUESTS, ids=lambda command: Command(command).name)
def test_every_request_in_every_state_gets_exactly_one_answer(state, command):
    esme = Esme()
    if state is not State.OPEN:
        esme.bind({bound: command for command, bound in BINDS.items()}[state])
    answers = esme.send(REQUESTS[command])
    taken = [one for one in esme.indicated if isinstance(one, MessageInd)]
    if taken:
        assert answers == []
        assert command in (Command.SUBMIT_SM, Command.DATA_SM)
        assert state is not State.OPEN
        assert command == Command.DATA_SM or state is not State.BOUND_RX
        return
    (answer,) = answers
    number = REQUESTS[command].sequence_number
    assert answer.sequence_number == number
    has_response = command not in (Command.OUTBIND, Command.ALERT_NOTIFICATION)
    assert answer.command_id == (RESPONSE | command if has_response else GENERIC_NACK)
    if command == Command.ENQUIRE_LINK or (command == Command.UNBIND and state in BOUND):
        assert answer.command_status == 0
    elif command in BINDS:
        assert answer.command_status == (0 if state is State.OPEN else Status.ESME_RALYBND)
    else:
        wanted = status_of(state, command) or Status.ESME_RINVBNDSTS
        assert answer.command_status == wanted


def test_every_entry_of_the_table_can_happen():
    assert {command for _, command in REACTIONS} <= set(REQUESTS)


def test_a_message_and_its_answer(esme):
    esme.bind()
    assert esme.send(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE)) == []
    (message,) = esme.indicated
    assert message.pdu.parameters["short_message"] == b"hello"
    octets = esme.session.respond(5, 0, {"message_id": "a"})
    assert esme.got() == [Pdu(RESPONSE | Command.SUBMIT_SM, 5, 0, {"message_id": "a"})]
    assert octets.endswith(b"a\0")
    assert esme.session.respond(5, 0, {"message_id": "a"}) == b""
    assert esme.got() == []


def test_an_answer_that_does_not_fit_leaves_the_message_waiting(esme):
    esme.bind().send(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE))
    with pytest.raises(LocalProtocolError):
        esme.session.respond(5, 0, {"message_id": "a" * 65})
    assert esme.session.respond(5, 8, {})


def test_the_window_of_the_esme(esme):
    esme.bind()
    answers = esme.send(*(Pdu(Command.SUBMIT_SM, number, 0, MESSAGE) for number in (5, 6, 7)))
    assert [(one.sequence_number, one.command_status) for one in answers] == [(7, 0x58)]
    assert len(esme.indicated) == 2
    esme.session.respond(5, 0, {})
    esme.got()
    assert esme.send(Pdu(Command.SUBMIT_SM, 8, 0, MESSAGE)) == []
    assert esme.session.counters.throttled == 1


def test_a_sequence_number_in_use_is_not_taken_twice(esme):
    esme.bind()
    answers = esme.send(*(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE) for _ in range(2)))
    assert [one.command_status for one in answers] == [Status.ESME_RTHROTTLED]


def test_a_delivery_and_its_answer(esme):
    number = esme.bind().deliver()
    answer = Pdu(RESPONSE | Command.DELIVER_SM, number, 0, {"message_id": ""})
    esme.send(answer)
    assert esme.indicated == [AnswerInd(number, answer, encode(answer))]
    esme.send(answer)
    assert len(esme.indicated) == 1
    assert esme.session.counters.unexpected_responses == 1


def test_a_generic_nack_is_an_answer(esme):
    number = esme.bind().deliver()
    nack = Pdu(GENERIC_NACK, number, Status.ESME_RINVCMDID)
    esme.send(nack)
    assert esme.indicated == [AnswerInd(number, nack, encode(nack))]


def test_an_answer_of_another_command_fails_the_request(esme):
    number = esme.bind().deliver()
    esme.send(Pdu(RESPONSE | Command.SUBMIT_SM, number))
    assert esme.indicated == [FailedInd(number, "submit_sm_resp is no answer to deliver_sm")]


def test_a_malformed_answer_fails_the_request(esme):
    number = esme.bind().deliver()
    esme.send(bytes.fromhex(f"00000011 80000005 00000000 {number:08x} 41"))
    (failed,) = esme.indicated
    assert failed.reason.startswith("malformed answer: message_id")


def test_answers_in_any_order(esme):
    first, second = esme.bind().deliver(), esme.deliver()
    assert not esme.session.has_room
    for number in (second, first):
        esme.send(Pdu(RESPONSE | Command.DELIVER_SM, number))
    assert [one.sequence_number for one in esme.indicated] == [second, first]
    assert esme.session.has_room


def test_our_window(esme):
    esme.bind().deliver()
    esme.deliver()
    with pytest.raises(LocalProtocolError, match="window"):
        esme.deliver()


@pytest.mark.parametrize("command", [None, Command.BIND_TRANSMITTER])
def test_who_does_not_receive_is_sent_nothing(esme, command):
    if command:
        esme.bind(command)
    with pytest.raises(LocalProtocolError, match="the ESME is"):
        esme.deliver()


def test_values_that_do_not_fit_use_no_number(esme):
    esme.bind()
    with pytest.raises(LocalProtocolError):
        esme.session.request(Command.DELIVER_SM, {"source_addr": "1" * 30}, (), esme.now)
    assert esme.deliver() == 1


def test_no_answer(esme):
    number = esme.bind().deliver()
    esme.pass_time(4.9)
    assert esme.indicated == []
    esme.pass_time(0.2)
    assert esme.indicated == [FailedInd(number, "no deliver_sm_resp within 5 s")]
    assert esme.session.has_room


def test_an_idle_link_is_tried(esme):
    esme.bind()
    (link,) = esme.pass_time(30)
    assert link.name == "enquire_link"
    esme.send(Pdu(RESPONSE | Command.ENQUIRE_LINK, link.sequence_number))
    assert [one.name for one in esme.pass_time(30)] == ["enquire_link"]
    assert esme.indicated == []


def test_a_busy_link_is_not_tried(esme):
    esme.bind()
    for number in range(20):
        assert esme.pass_time(29) == []
        esme.send(Pdu(Command.ENQUIRE_LINK, number))


def test_a_dead_link_is_closed(esme):
    esme.bind()
    esme.pass_time(30)
    esme.pass_time(5)
    assert esme.is_closed("enquire_link is not answered")


def test_the_esme_unbinds(esme):
    number = esme.bind().deliver()
    (answer,) = esme.send(Pdu(Command.UNBIND, 9))
    assert (answer.name, answer.command_status) == ("unbind_resp", 0)
    assert esme.indicated[0] == FailedInd(number, "the ESME has unbound")
    assert esme.is_closed("the ESME has unbound")


def test_we_unbind(esme):
    esme.bind()
    assert esme.session.unbind(esme.now) == []
    (unbind,) = esme.got()
    assert esme.send(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE))[0].command_status == 4
    esme.send(Pdu(RESPONSE | Command.UNBIND, unbind.sequence_number))
    assert esme.is_closed("unbound")


def test_we_unbind_and_nobody_answers(esme):
    esme.bind().session.unbind(esme.now)
    esme.pass_time(5)
    assert esme.is_closed("unbind is not answered")


def test_unbind_before_the_bind_closes(esme):
    esme.indicated += esme.session.unbind(esme.now)
    assert esme.is_closed("not bound")


def test_unknown_commands(esme):
    esme.bind()
    (nack,) = esme.send(bytes.fromhex(HEX_UNKNOWN))
    assert nack == Pdu(GENERIC_NACK, 7, Status.ESME_RINVCMDID)
    assert esme.send(bytes.fromhex(HEX_UNKNOWN.replace("00000021", "80000021"))) == []
    assert esme.session.state is State.BOUND_TRX


def test_a_malformed_request_is_refused_with_its_own_status(esme):
    esme.bind()
    octets = bytearray(encode(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE)))
    octets[16:22] = b"CMTCMT"
    assert esme.send(bytes(octets)) == [
        Pdu(RESPONSE | Command.SUBMIT_SM, 5, Status.ESME_RINVSERTYP)
    ]


def test_lost_framing_ends_the_session(esme):
    number = esme.bind().deliver()
    assert esme.send(b"GET / HTTP/1.1\r\n\r\n") == [Pdu(GENERIC_NACK, 0, Status.ESME_RINVCMDLEN)]
    assert isinstance(esme.indicated[0], FailedInd)
    assert esme.indicated[0].sequence_number == number
    assert esme.session.state is State.CLOSED
    assert esme.send(Pdu(Command.ENQUIRE_LINK, 1)) == []
    assert esme.session.next_timer() is None


def test_a_lost_connection_fails_what_waits(esme):
    numbers = [esme.bind().deliver(), esme.deliver()]
    failed = esme.session.disconnected("reset")
    assert failed == [FailedInd(number, "reset") for number in numbers]
    assert esme.session.disconnected("again") == []
    assert esme.session.outstanding == 0


@given(st.lists(st.one_of(st.binary(max_size=80), st.sampled_from(PDUS).map(encode))))
@settings(max_examples=300, deadline=None)
def test_nothing_a_peer_sends_raises(pieces):
    esme = Esme().bind()
    esme.deliver()
    for piece in pieces:
        esme.send(piece)
    esme.pass_time(100)
    assert esme.session.state in State
