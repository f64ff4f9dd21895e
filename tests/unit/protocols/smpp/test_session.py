"""The SMSC's side of a session, with simulated time and without a socket."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.playbook import (
    Language,
    after,
    asked,
    connected,
    indicated,
    playbook,
    received,
    sent,
)
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
    StrayInd,
)

SETTINGS = SessionSettings(
    "smsc", window=2, session_init_s=10, enquire_link_s=30, response_timeout_s=5
)
HEX_UNKNOWN = "00000010 00000021 00000000 00000007"


SMPP = Language(encode, decode, name=lambda pdu: pdu.name)
RESPONSE_TIMED_OUT = "no deliver_sm_resp within 5 s"


def session(status=0):
    return Session(SETTINGS, lambda bind: status)


def bound(made):
    """Return a script whose session is bound, as a transceiver."""
    return (
        playbook(made, SMPP, now=100.0)
        >> connected()
        >> received(Pdu(Command.BIND_TRANSCEIVER, 1, 0, BIND))
        << sent("bind_transceiver_resp")
        << indicated(BoundInd("esme1"))
    )


DELIVER = asked(
    "deliver", lambda session, now: session.request(Command.DELIVER_SM, MESSAGE, (), now)
)
UNBIND = asked("unbind", lambda session, now: session.unbind(now))


class Esme:
    """The other side: sends PDUs, and records the answers and the indications."""

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
        """Advance the time, timer by timer."""
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
    refused = Pdu(RESPONSE | Command.BIND_RECEIVER, 9, Status.ESME_RINVPASWD)
    assert (
        playbook(session(Status.ESME_RINVPASWD), SMPP)
        >> connected()
        >> received(Pdu(Command.BIND_RECEIVER, 9, 0, BIND))
        << sent(refused)
        >> received(Pdu(Command.BIND_RECEIVER, 9, 0, BIND))
        << sent(refused)
        >> after(9.9)
        >> after(0.1)
        << indicated(CloseInd("no bind within session_init_s"))
    )


def status_of(state, command):
    """Return the status in the standard's table for a request that is wrong in a state."""
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
    assert esme.indicated[1:] == [StrayInd(answer)]
    assert esme.session.counters.unexpected_responses == 1


def test_a_generic_nack_is_an_answer():
    nack = Pdu(GENERIC_NACK, 1, Status.ESME_RINVCMDID)
    assert (
        bound(session())
        >> DELIVER
        << sent("deliver_sm")
        >> received(nack)
        << indicated(AnswerInd(1, nack, encode(nack)))
    )


def test_an_answer_of_another_command_fails_the_request():
    assert (
        bound(session())
        >> DELIVER
        << sent("deliver_sm")
        >> received(Pdu(RESPONSE | Command.SUBMIT_SM, 1))
        << indicated(FailedInd(1, "submit_sm_resp is no answer to deliver_sm"))
    )


def test_a_malformed_answer_says_so(esme):
    number = esme.bind().deliver()
    esme.send(bytes.fromhex(f"00000011 80000005 00000000 {number:08x} 41"))
    (answer,) = esme.indicated
    assert answer.notes == ("message_id: is not ended within 65 octets",)


def test_an_answer_whose_length_is_another_one_fails_the_request(esme):
    number = esme.bind().deliver()
    esme.send(bytes.fromhex(f"00000010 80001234 00000000 {number:08x}"))
    (failed,) = esme.indicated
    assert failed.reason.startswith("malformed answer: unknown command_id")


def test_a_message_whose_number_is_in_use_is_told(esme):
    esme.bind()
    message = Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE)
    esme.send(message, message)
    assert [type(one) for one in esme.indicated] == [MessageInd, StrayInd]


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


def test_no_answer():
    made = session()
    assert (
        bound(made)
        >> DELIVER
        << sent("deliver_sm")
        >> after(4.9)
        >> after(0.2)
        << indicated(FailedInd(1, RESPONSE_TIMED_OUT))
    )
    assert made.has_room


def test_an_idle_link_is_tried():
    assert (
        bound(session())
        >> after(30)
        << sent("enquire_link")
        >> received(Pdu(RESPONSE | Command.ENQUIRE_LINK, 1))
        >> after(30)
        << sent("enquire_link")
    )


def test_a_busy_link_is_not_tried(esme):
    esme.bind()
    for number in range(20):
        assert esme.pass_time(29) == []
        esme.send(Pdu(Command.ENQUIRE_LINK, number))


def test_a_dead_link_is_closed():
    assert (
        bound(session())
        >> after(30)
        << sent("enquire_link")
        >> after(5)
        << indicated(CloseInd("enquire_link is not answered"))
    )


def test_the_esme_unbinds():
    assert (
        bound(session())
        >> DELIVER
        << sent("deliver_sm")
        >> received(Pdu(Command.UNBIND, 9))
        << sent(Pdu(RESPONSE | Command.UNBIND, 9))
        << indicated(FailedInd(1, "the ESME has unbound"))
        << indicated(CloseInd("the ESME has unbound"))
    )


def test_we_unbind():
    made = session()
    assert (
        bound(made)
        >> UNBIND
        << sent("unbind")
        >> received(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE))
        << sent(Pdu(RESPONSE | Command.SUBMIT_SM, 5, Status.ESME_RINVBNDSTS))
        >> received(Pdu(RESPONSE | Command.UNBIND, 1))
        << indicated(CloseInd("unbound"))
    )
    assert made.state is State.CLOSED


def test_we_unbind_and_nobody_answers():
    assert (
        bound(session())
        >> UNBIND
        << sent("unbind")
        >> after(5)
        << indicated(CloseInd("unbind is not answered"))
    )


def test_unbind_before_the_bind_closes():
    assert playbook(session(), SMPP) >> connected() >> UNBIND << indicated(CloseInd("not bound"))


def test_unknown_commands():
    made = session()
    assert (
        bound(made)
        >> received(bytes.fromhex(HEX_UNKNOWN))
        << sent(Pdu(GENERIC_NACK, 7, Status.ESME_RINVCMDID))
        >> received(bytes.fromhex(HEX_UNKNOWN.replace("00000021", "80000021")))
    )
    assert made.state is State.BOUND_TRX


def test_a_malformed_request_is_refused_with_its_own_status(esme):
    esme.bind()
    octets = bytearray(encode(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE)))
    octets[16:22] = b"CMTCMT"
    assert esme.send(bytes(octets)) == [
        Pdu(RESPONSE | Command.SUBMIT_SM, 5, Status.ESME_RINVSERTYP)
    ]


def test_lost_framing_ends_the_session():
    made = session()
    assert (
        bound(made)
        >> DELIVER
        << sent("deliver_sm")
        >> received(b"GET / HTTP/1.1\r\n\r\n")
        << sent(Pdu(GENERIC_NACK, 0, Status.ESME_RINVCMDLEN))
        << indicated(lambda failed: isinstance(failed, FailedInd) and failed.sequence_number == 1)
        << indicated(CloseInd)
        >> received(Pdu(Command.ENQUIRE_LINK, 1))
    )
    assert made.state is State.CLOSED
    assert made.next_timer() is None


def test_a_lost_connection_fails_what_waits(esme):
    numbers = [esme.bind().deliver(), esme.deliver()]
    failed = esme.session.disconnected("reset")
    assert failed == [FailedInd(number, "reset") for number in numbers]
    assert esme.session.disconnected("again") == []
    assert esme.session.outstanding == 0


@given(st.lists(st.one_of(st.binary(max_size=80), st.sampled_from(PDUS).map(encode))))
@settings(max_examples=examples(300), deadline=None)
def test_nothing_a_peer_sends_raises(pieces):
    esme = Esme().bind()
    esme.deliver()
    for piece in pieces:
        esme.send(piece)
    esme.pass_time(100)
    assert esme.session.state in State
