"""The pi gateway against servers that behave, and servers that do not."""

import gevent
import pytest
from gevent import socket
from gevent.event import Event
from gevent.server import StreamServer

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.fakes.pi import PiFake
from tsvc.gateways._base import GATEWAYS, GatewayContext, GatewayState
from tsvc.gateways.pi import PiConfig, PiGateway
from tsvc.protocols.pi.codec import Status

GUARD_S = 20.0
MSISDN = "6421000001"
CREDENTIALS = {"username": "admin", "password": "s3cret"}
QUERY = ("CCSCD1=QRY", {"MSISDN": MSISDN})


def wait_for(condition):
    with gevent.Timeout(GUARD_S):
        while not condition():
            gevent.sleep(0.005)


@pytest.fixture
def fake():
    fake = PiFake(**CREDENTIALS, subscribers={MSISDN: {"General Cash": 1450}})
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def start(request):
    """Make and start gateways to an address; they are killed after the test."""

    def start_one(address, *, is_up=True, **members):
        given = {"remote_host": address[0], "remote_port": address[1], **CREDENTIALS, **members}
        config = PiConfig().load({"reconnect_interval_s": 0.05, **given})
        gateway = PiGateway("PI-1", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
        request.addfinalizer(gateway.kill)
        gateway.start()
        if is_up:
            wait_for(lambda: gateway.status().state is GatewayState.UP)
        return gateway

    return start_one


@pytest.fixture
def serve(request):
    """Start a server that treats each connection by a function; returns its address."""

    def start_one(handle, port=0):
        server = StreamServer(("127.0.0.1", port), handle)
        server.start()
        request.addfinalizer(lambda: server.stop(timeout=0))
        return ("127.0.0.1", server.server_port)

    return start_one


def answering(*answers):
    """Say ACK to the login, then one answer per line; None: nothing; no more: the end."""

    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;")
        for answer in answers:
            if not sock.recv(1000):
                return
            if answer is not None:
                sock.sendall(answer)
        if answers and answers[-1] is None:
            sock.recv(1000)

    return handle


def test_a_refused_login_is_not_tried_by_each_caller(serve, start):
    logins, is_over = [], Event()

    def handle(sock, _):
        logins.append(sock.recv(1000))
        if len(logins) > 1:
            sock.sendall(b"NACK:3-TOO MANY SESSIONS;")
            return
        sock.sendall(b"ACK;")
        sock.recv(1000)
        is_over.wait(GUARD_S)
        sock.sendall(b"CCSCD1=QRY:ACK;")
        sock.recv(1000)

    gateway = start(serve(handle), reconnect_interval_s=3600)
    first = gevent.spawn(gateway.request, *QUERY)
    wait_for(lambda: gateway.status().counters["in_use"])
    for _ in range(5):
        with pytest.raises(GatewayError, match="login refused: 3-TOO MANY SESSIONS"):
            gateway.request(*QUERY)
    assert len(logins) == 2, "another refused one might lock the user"
    is_over.set()
    assert first.get(timeout=GUARD_S).status is Status.ACK


# -- life --------------------------------------------------------------------------------------


def test_it_is_the_kind_pi():
    assert GATEWAYS.get("pi") is PiGateway


def test_a_command_and_its_answer(fake, start):
    gateway = start(fake.address)
    heard = []
    reply = gateway.request(*QUERY, lambda *message: heard.append(message))
    assert reply.status is Status.ACK
    assert reply.fields == {"MSISDN": MSISDN, "BALANCE_TYPE": "General Cash", "BALANCE": "1450"}
    assert heard == [
        (True, b"CCSCD1=QRY:MSISDN=6421000001;"),
        (
            False,
            b"CCSCD1=QRY:ACK:MSISDN=6421000001,BALANCE_TYPE=General Cash,BALANCE=1450;",
        ),
    ]
    refused = gateway.request("CCSCD1=QRY", {"MSISDN": "1"})
    assert (refused.status, refused.info) == (Status.NACK, "88-1 DOES NOT EXIST")
    counters = gateway.status().counters
    assert (counters["requests"], counters["acks"], counters["nacks"]) == (2, 1, 1)
    assert (counters["connects"], fake.logins) == (1, 1)


def test_starting_twice_changes_nothing(fake, start):
    gateway = start(fake.address)
    gateway.start()
    gevent.sleep(0.05)
    assert gateway.status().counters["connections"] == 1


def test_stopping_and_starting_again(fake, start):
    gateway = start(fake.address)
    gateway.stop(1.0)
    gateway.stop(1.0)
    assert gateway.status().state is GatewayState.DOWN
    with pytest.raises(GatewayError, match="PI-1 is down: stopped"):
        gateway.request(*QUERY)
    gateway.start()
    wait_for(lambda: gateway.status().state is GatewayState.UP)
    assert gateway.request(*QUERY).status is Status.ACK


def test_stop_lets_work_end(serve, start):
    goes_on = Event()

    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;")
        sock.recv(1000)
        goes_on.wait(GUARD_S)
        sock.sendall(b"ACK;")

    gateway = start(serve(handle))
    worker = gevent.spawn(gateway.request, *QUERY)
    wait_for(lambda: gateway.status().counters["in_use"] == 1)
    stopper = gevent.spawn(gateway.stop, GUARD_S)
    wait_for(lambda: gateway.status().state is GatewayState.DRAINING)
    with pytest.raises(GatewayError, match="draining"):
        gateway.request(*QUERY)
    goes_on.set()
    assert worker.get(timeout=GUARD_S).status is Status.ACK
    stopper.get(timeout=GUARD_S)


def test_kill_ends_who_waits(serve, start):
    gateway = start(serve(answering(None)))
    worker = gevent.spawn(gateway.request, *QUERY)
    wait_for(lambda: gateway.status().counters["in_use"] == 1)
    gateway.kill()
    with pytest.raises(GatewayError, match="PI-1: connection lost"):
        worker.get(timeout=GUARD_S)
    assert gateway.status().counters["connections"] == 0


def test_stop_and_kill_while_connecting(start):
    with socket.socket() as listener:  # accepts, and never says a word
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        gateway = start(listener.getsockname(), is_up=False)
        gevent.sleep(0.05)
        assert gateway.status().state is GatewayState.CONNECTING
        gateway.stop(GUARD_S)
        assert gateway.status().state is GatewayState.DOWN
        gateway.start()
        gateway.kill()
        gateway.kill()


def test_kill_without_start():
    config = PiConfig().load({"remote_host": "127.0.0.1"})
    gateway = PiGateway("PI-1", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
    gateway.kill()
    gateway.stop(0.0)
    assert gateway.status().state is GatewayState.DOWN


def test_nobody_there(start):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        gateway = start(unused.getsockname(), is_up=False)
        wait_for(lambda: gateway.status().detail)
    assert "refused" in gateway.status().detail.lower()
    with pytest.raises(GatewayError, match=r"PI-1 is connecting: .*refused"):
        gateway.request(*QUERY)
    gateway.kill()


def test_a_name_that_does_not_exist(start):
    gateway = start(("nowhere.invalid", 4999), is_up=False)
    wait_for(lambda: gateway.status().detail)
    assert gateway.status().state is GatewayState.CONNECTING


# -- login -------------------------------------------------------------------------------------


def test_a_locked_user_is_down_and_says_why(start, fake):
    fake.settings["locked"] = ["admin"]
    gateway = start(fake.address, is_up=False)
    wait_for(lambda: gateway.status().state is GatewayState.DOWN)
    assert gateway.status().detail == "login refused: 2-USER IS LOCKED"
    with pytest.raises(GatewayError, match="PI-1 is down: login refused: 2-USER IS LOCKED"):
        gateway.request(*QUERY)
    fake.settings["locked"] = []
    wait_for(lambda: gateway.status().state is GatewayState.UP)


@pytest.mark.parametrize("answer", [b"NACK:4-admin,s3cret IS WRONG;", b"what is s3cret?;"])
def test_the_password_is_never_told(serve, start, answer):
    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(answer)

    gateway = start(serve(handle), is_up=False)
    wait_for(lambda: gateway.status().detail)
    assert "***" in gateway.status().detail
    assert "s3cret" not in str(gateway.status())


def test_no_login(start):
    fake = PiFake(needs_login=False)
    fake.start()
    gateway = start(fake.address, login_format="")
    assert gateway.request(*QUERY).status is Status.NACK
    fake.stop()


def test_a_server_that_is_silent_at_login(serve, start):
    def handle(sock, _):
        sock.recv(1000)
        sock.recv(1000)

    gateway = start(serve(handle), is_up=False, server_timeout_s=0.05)
    wait_for(lambda: gateway.status().detail)
    assert gateway.status().detail == "login: no answer within 0.05 s"


# -- trouble -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ([b"CCSCD1=QRY:ACK:HALF"], "closed the connection in the middle of an answer"),
        ([], "closed the connection"),
        ([b"\x00\x01 garbage;"], "neither ACK nor NACK"),
        ([b"x" * 70000], "longer than 65536 octets"),
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


def test_a_late_answer_is_never_taken_for_the_next(serve, start):
    """The server answers the first command after its caller has given up."""
    asked = []

    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;")
        number = len(asked)
        asked.append(sock.recv(1000))
        if number == 0:
            gevent.sleep(1.3)
        try:
            sock.sendall(b"ACK:NUMBER=%d;" % number)
            sock.recv(1000)
        except OSError:
            pass

    gateway = start(serve(handle), num_client_connections=1, server_timeout_s=1.0)
    with pytest.raises(GatewayError, match=r"no answer within 1 s"):
        gateway.request(*QUERY)
    assert gateway.request(*QUERY).fields == {"NUMBER": "1"}
    assert gateway.status().counters["connects"] == 2


def test_a_killed_caller_takes_its_connection_with_it(serve, start):
    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;")
        while octets := sock.recv(1000):
            gevent.sleep(0.05 if b"SLOW" in octets else 0)
            try:
                sock.sendall(b"ACK:SLOW=1;" if b"SLOW" in octets else b"ACK:SLOW=0;")
            except OSError:
                return

    gateway = start(serve(handle), num_client_connections=1)
    slow = gevent.spawn(gateway.request, "SLOW=1", {})
    wait_for(lambda: gateway.status().counters["in_use"] == 1)
    gevent.sleep(0.01)
    slow.kill(timeout=GUARD_S)
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
    wait_for(lambda: len(served) == 2)  # the keeper has seen it
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
    wait_for(lambda: gateway.status().counters["in_use"] == 2)
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
    wait_for(lambda: gateway.status().state is GatewayState.CONNECTING)
    with pytest.raises(GatewayError, match="PI-1 is connecting"):
        gateway.request(*QUERY)
    again = PiFake(*address, **CREDENTIALS, subscribers={MSISDN: {"C": 7}})
    again.start()
    wait_for(lambda: gateway.status().state is GatewayState.UP)
    assert gateway.request(*QUERY).fields["BALANCE"] == "7"
    again.stop()


def test_a_connection_that_died_while_free_costs_no_command(fake, start):
    gateway = start(fake.address)
    gateway.request(*QUERY)
    fake.drop_clients()
    wait_for(lambda: fake.connections == 0)
    assert gateway.request(*QUERY).status is Status.ACK


def test_what_can_not_be_sent_costs_no_connection(fake, start):
    gateway = start(fake.address)
    with pytest.raises(LocalProtocolError, match=r"arguments\.parameters\.A"):
        gateway.request("A=B", {"A": "1;DROP=1"})
    assert list(fake.received) == []


# -- configuration -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({}, "remote_host"),
        ({"remote_host": ""}, "remote_host"),
        ({"remote_host": "h", "remote_port": 0}, "remote_port"),
        ({"remote_host": "h", "ack_pattern": "("}, "ack_pattern"),
        ({"remote_host": "h", "login_format": "{secret}"}, "login_format"),
        ({"remote_host": "h", "mac": "sha1"}, "mac"),
        ({"remote_host": "h", "password": "hidden;x"}, "password"),
        ({"remote_host": "h", "server_timeout_s": 0}, "server_timeout_s"),
        ({"remote_host": "h", "typo": 1}, "typo"),
    ],
)
def test_mistakes_in_the_table(members, place):
    errors = PiConfig().validate(members)
    assert list(errors) == [place]
    assert "hidden" not in str(errors)
