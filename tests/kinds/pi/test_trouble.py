"""The pi gateway with faulty servers, and with callers that give up or are killed."""

import gevent
import pytest
from gevent.event import Event
from kinds.pi import testbed
from kinds.pi.testbed import CREDENTIALS, MSISDN, QUERY, answering
from support.waiting import GUARD_S, until

from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.gateways.gateway import GatewayState
from tsvc.kinds.pi.fake import PiFake
from tsvc.protocols.pi.codec import Status

fake, start, serve = testbed.fake, testbed.start, testbed.serve


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ([b"CCSCD1=QRY:ACK:HALF"], "closed the connection in the middle of an answer"),
        ([], "closed the connection"),
        ([b"CCSCD1=CHG:ACK;"], "an answer to 'CCSCD1=CHG', not to CCSCD1=QRY"),
    ],
)
def test_a_server_that_does_wrong(serve, start, answers, text):
    def handle(sock, address):
        answering(*answers)(sock, address)
        if not answers:
            sock.recv(1000)

    gateway = start(serve(handle))
    with pytest.raises(GatewayError, match="PI-1: ") as caught:
        gateway.request(*QUERY)
    assert text in str(caught.value)
    assert gateway.status().counters["failures"] == 1
    assert gateway.status().counters["in_use"] == 0


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"\x00\x01 garbage;", "neither ACK nor NACK"),
        (b"x" * 70000, "longer than 65536 octets"),
    ],
)
def test_an_answer_that_can_not_be_read(serve, start, answer, text):
    gateway = start(serve(answering(answer)))
    reply = gateway.request(*QUERY)
    assert (reply.as_dict()["status"], reply.fields) == (None, {})
    assert text in reply.notes[0]
    counters = gateway.status().counters
    assert (counters["failures"], counters["in_use"]) == (1, 0)


def test_a_late_answer_is_never_taken_for_the_next(serve, start):
    """The server answers the first command after its caller has given up."""
    asked, gives_up = [], Event()

    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;")
        number = len(asked)
        asked.append(sock.recv(1000))
        if number == 0:
            gives_up.wait(GUARD_S)
        try:
            sock.sendall(b"ACK:NUMBER=%d;" % number)
            sock.recv(1000)
        except OSError:
            pass

    gateway = start(serve(handle), num_client_connections=1, server_timeout_s=1.0)
    with pytest.raises(GatewayError, match=r"no answer within 1 s"):
        gateway.request(*QUERY)
    gives_up.set()
    assert gateway.request(*QUERY).fields == {"NUMBER": "1"}
    assert gateway.status().counters["connects"] == 2


def test_a_killed_caller_takes_its_connection_with_it(serve, start):
    asked, is_killed = [], Event()

    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;")
        while octets := sock.recv(1000):
            asked.append(octets)
            if b"SLOW" in octets:
                is_killed.wait(GUARD_S)
            try:
                sock.sendall(b"ACK:SLOW=1;" if b"SLOW" in octets else b"ACK:SLOW=0;")
            except OSError:
                return

    gateway = start(serve(handle), num_client_connections=1)
    slow = gevent.spawn(gateway.request, "SLOW=1", {})
    until(lambda: asked)
    slow.kill(timeout=GUARD_S)
    is_killed.set()
    assert gateway.request("FAST=1", {}).fields == {"SLOW": "0"}


def test_two_answers_to_one_command_spoil_the_connection(serve, start):
    served = []

    def handle(sock, _):
        served.append(sock)
        sock.recv(1000)
        sock.sendall(b"ACK;")
        while sock.recv(1000):
            sock.sendall(b"ACK:A=%d;ACK:A=99;" % len(served))

    gateway = start(serve(handle), num_client_connections=1)
    assert gateway.request(*QUERY).fields == {"A": "1"}
    assert gateway.request(*QUERY).fields == {"A": "2"}


def test_a_word_nobody_asked_for_spoils_a_free_connection(serve, start):
    served, speaks = [], Event()

    def handle(sock, _):
        served.append(sock)
        sock.recv(1000)
        sock.sendall(b"ACK;")
        if len(served) == 1:
            speaks.wait(GUARD_S)
            sock.sendall(b"ACK:A=99;")
        while sock.recv(1000):
            sock.sendall(b"ACK:A=%d;" % len(served))

    gateway = start(serve(handle), num_client_connections=1)
    speaks.set()
    until(lambda: len(served) == 2)  # the gateway has noticed it, and connected again
    assert gateway.request(*QUERY).fields == {"A": "2"}


def test_line_ends_after_an_answer_are_nobodys(serve, start):
    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;\r\n")
        number = 0
        while sock.recv(1000):
            number += 1
            sock.sendall(b"ACK:N=%d;" % number)
            gevent.sleep(0.01)
            sock.sendall(b"\r\n")

    gateway = start(serve(handle), num_client_connections=1)
    for number in range(1, 4):
        assert gateway.request(*QUERY).fields == {"N": str(number)}
        gevent.sleep(0.02 * (number - 1))
    assert gateway.status().counters["connects"] == 1


def test_blanks_before_an_answer_are_not_kept(serve, start):
    """A faulty server sends eight megabytes of blanks; the trace has the line."""

    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;")
        sock.recv(1000)
        for _ in range(128):
            sock.sendall(b"\r\n" * 32768)
        sock.sendall(b"ACK:A=1;")

    seen = []
    gateway = start(serve(handle))
    reply = gateway.request(*QUERY, tap=lambda is_sent, octets, _: seen.append((is_sent, octets)))
    assert reply.fields == {"A": "1"}
    (octets,) = [octets for is_sent, octets in seen if not is_sent]
    assert octets.strip() == b"ACK:A=1;"
    assert len(octets) <= 2 * 65536  # of the packets in which the line came


@pytest.mark.parametrize("packet_octets", [1, 7])
def test_answers_in_pieces(fake, start, packet_octets):
    fake.replies = PiFake(
        replies=[{"command": "*", "info": "A=1,B=2", "packet_octets": packet_octets}]
    ).replies
    gateway = start(fake.address)
    assert gateway.request(*QUERY).fields == {"A": "1", "B": "2"}


def test_all_connections_in_use(serve, start):
    address = serve(answering(None))
    gateway = start(address, num_client_connections=2, backlog_timeout_s=0.05)
    workers = [gevent.spawn(gateway.request, *QUERY) for _ in range(2)]
    until(lambda: gateway.status().counters["in_use"] == 2)
    with pytest.raises(GatewayError, match=r"no free connection within 0.05 s, all 2 are in use"):
        gateway.request(*QUERY)
    gevent.killall(workers)


def test_many_callers_share_few_connections(fake, start):
    fake.subscribers.update({str(number): {"C": number} for number in range(40)})
    gateway = start(fake.address, num_client_connections=3)

    def ask(number):
        return gateway.request("CCSCD1=QRY", {"MSISDN": str(number)}).fields["BALANCE"]

    workers = [gevent.spawn(ask, number) for number in range(40)]
    gevent.joinall(workers, timeout=GUARD_S, raise_error=True)
    assert [worker.value for worker in workers] == [str(number) for number in range(40)]
    assert fake.logins <= 3


def test_it_comes_back_with_the_server(fake, start):
    gateway = start(fake.address)
    address = fake.address
    fake.stop()
    until(lambda: gateway.status().state is GatewayState.CONNECTING)
    with pytest.raises(GatewayError, match="PI-1 is connecting"):
        gateway.request(*QUERY)
    again = PiFake(*address, **CREDENTIALS, subscribers={MSISDN: {"C": 7}})
    again.start()
    until(lambda: gateway.status().state is GatewayState.UP)
    assert gateway.request(*QUERY).fields["BALANCE"] == "7"
    again.stop()


def test_a_connection_that_died_while_free_costs_no_command(fake, start):
    gateway = start(fake.address)
    gateway.request(*QUERY)
    fake.drop_clients()
    until(lambda: fake.connections == 0)
    assert gateway.request(*QUERY).status is Status.ACK


def test_what_can_not_be_sent_costs_no_connection(fake, start):
    gateway = start(fake.address)
    with pytest.raises(LocalProtocolError, match=r"arguments\.parameters\.A"):
        gateway.request("A=B", {"A": "1;DROP=1"})
    assert list(fake.received) == []
