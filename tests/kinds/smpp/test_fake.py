"""The fake ESME against an SMSC that answers as each test wants."""

import gevent
import pytest
from gevent.server import StreamServer
from support.waiting import until

from tsvc.kinds.smpp.fake import EsmeFake
from tsvc.protocols.smpp.commands import RESPONSE, Command
from tsvc.protocols.smpp.pdus import Pdu, PduStream, decode, encode

BIND = Command.BIND_TRANSCEIVER
MESSAGE = {"source_addr": "1", "destination_addr": "777"}


class Smsc:
    """Accepts binds, keeps every other PDU, and answers at most `answers` submits."""

    def __init__(self):
        self.answers = 10**6
        self.received = []
        self.binds = []
        self.socket = None
        self._server = StreamServer(("127.0.0.1", 0), self._serve)
        self._server.start()
        self.port = self._server.server_port

    def _serve(self, sock, address):
        self.socket = sock
        stream = PduStream()
        while octets := sock.recv(65536):
            stream.feed(octets)
            while (whole := stream.next_message()) is not None:
                self._take(decode(whole))

    def _take(self, pdu):
        if pdu.command_id == BIND:
            self.binds.append(pdu)
            self.send(BIND | RESPONSE, pdu.sequence_number, {"system_id": "smsc"})
            return
        self.received.append(pdu)
        if pdu.command_id == Command.SUBMIT_SM and self.answers:
            self.answers -= 1
            self.send(pdu.command_id | RESPONSE, pdu.sequence_number, {"message_id": "7"})

    def send(self, command, number, parameters=None):
        self.socket.sendall(encode(Pdu(command, number, 0, parameters or {})))

    @property
    def texts(self):
        submits = [one for one in self.received if one.command_id == Command.SUBMIT_SM]
        return [one.parameters["short_message"].decode() for one in submits]

    def stop(self):
        self._server.stop(timeout=0)


@pytest.fixture
def smsc():
    made = Smsc()
    yield made
    made.stop()


@pytest.fixture
def esme(smsc):
    made = []

    def start(**settings):
        made.append(EsmeFake("127.0.0.1", smsc.port, reconnect_s=0.01, **settings))
        made[-1].lines = []
        made[-1].on_request = made[-1].lines.append
        made[-1].start()
        return made[-1]

    yield start
    for one in made:
        one.stop()


def numbered(count):
    return [{**MESSAGE, "short_message_text": str(number)} for number in range(count)]


def test_it_says_who_it_is(smsc, esme):
    esme(system_id="me", password="pw", system_type="t", bind="transceiver")
    until(lambda: smsc.binds)
    parameters = smsc.binds[0].parameters
    assert [parameters[name] for name in ("system_id", "password", "system_type")] == [
        "me",
        "pw",
        "t",
    ]


def test_each_message_once_or_in_turn(smsc, esme):
    esme(messages=numbered(2), per_s=1000)
    until(lambda: len(smsc.texts) == 2)
    esme(messages=numbered(2), per_s=1000, count=3)
    until(lambda: len(smsc.texts) == 5)
    assert smsc.texts == ["0", "1", "0", "1", "0"]


def test_it_waits_for_room_in_the_window(smsc, esme):
    smsc.answers = 1
    fake = esme(messages=numbered(9), per_s=10_000, window=3)
    until(lambda: len(smsc.texts) == 4)
    gevent.idle()
    assert len(smsc.texts) == 4, "one is answered, three are on their way"
    last = smsc.received[-1].sequence_number
    for number in range(last - 2, last + 1):
        smsc.send(Command.SUBMIT_SM | RESPONSE, number, {"message_id": "7"})
    until(lambda: len(smsc.texts) == 7)
    assert smsc.texts == [str(number) for number in range(7)]
    assert fake.lines.count("submit_sm_resp ESME_ROK 7") == 4


def test_an_answer_to_nothing_makes_no_room(smsc, esme):
    smsc.answers = 0
    fake = esme(messages=numbered(9), per_s=10_000, window=1)
    until(lambda: len(smsc.texts) == 1)
    smsc.send(Command.SUBMIT_SM | RESPONSE, 999, {"message_id": "9"})
    until(lambda: "submit_sm_resp ESME_ROK 9" in fake.lines)
    gevent.idle()
    assert len(smsc.texts) == 1


def test_a_lost_connection_costs_no_message(smsc, esme):
    smsc.answers = 5
    esme(messages=numbered(40), per_s=400, window=1)
    until(lambda: len(smsc.texts) == 6)  # the sixth is not answered
    smsc.answers = 10**6
    smsc.socket.close()
    until(lambda: smsc.texts and smsc.texts[-1] == "39")
    assert len(smsc.binds) == 2
    assert len(set(smsc.texts)) >= 39, "what was on its way when it broke is all that may be lost"


@pytest.mark.parametrize("command", [Command.ENQUIRE_LINK, Command.UNBIND])
def test_what_the_smsc_asks_is_answered(smsc, esme, command):
    esme()
    until(lambda: smsc.binds)
    smsc.send(command, 5)
    until(lambda: smsc.received)
    answer = smsc.received[0]
    assert (answer.command_id, answer.sequence_number) == (command | RESPONSE, 5)
    if command == Command.UNBIND:
        until(lambda: len(smsc.binds) == 2)


def test_what_it_does_not_know_is_refused(smsc, esme):
    esme()
    until(lambda: smsc.binds)
    smsc.socket.sendall(bytes.fromhex("00000010 00000999 00000000 00000007"))
    until(lambda: smsc.received)
    answer = smsc.received[0]
    assert (answer.command_id, answer.sequence_number) == (RESPONSE, 7)
    assert answer.command_status == 3  # ESME_RINVCMDID


def test_a_reply_that_can_not_be_coded_is_told(smsc, esme):
    fake = esme(reply_text="Баланс")
    until(lambda: smsc.binds)
    parameters = {"source_addr": "1", "destination_addr": "2", "short_message": b"hi"}
    smsc.send(Command.DELIVER_SM, 3, parameters)
    until(lambda: any("not submitted: " in line for line in fake.lines))
    assert smsc.received[0].command_id == Command.DELIVER_SM | RESPONSE
    smsc.send(Command.ENQUIRE_LINK, 4)
    until(lambda: len(smsc.received) == 2)
