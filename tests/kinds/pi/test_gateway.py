"""The pi gateway: its life, its login, its configuration."""

import gevent
import pytest
from gevent import socket
from gevent.event import Event
from kinds.pi import testbed
from kinds.pi.testbed import MSISDN, QUERY, answering
from support.waiting import GUARD_S, stays, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GATEWAYS, GatewayContext, GatewayState
from tsvc.kinds.pi.fake import PiFake
from tsvc.kinds.pi.gateway import PiConfig, PiGateway
from tsvc.protocols.pi.codec import Status

fake, start, serve = testbed.fake, testbed.start, testbed.serve


# -- life -----------------------------------------------------------------------------------------


def test_it_is_the_kind_pi():
    assert GATEWAYS.get("pi") is PiGateway


def test_a_command_and_its_answer(fake, start):
    gateway = start(fake.address)
    heard = []
    reply = gateway.request(*QUERY, lambda *message: heard.append(message[:2]))
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
    stays(lambda: gateway.status().counters["connections"] == 1, 0.05)


def test_stopping_and_starting_again(fake, start):
    gateway = start(fake.address)
    gateway.stop(1.0)
    gateway.stop(1.0)
    assert gateway.status().state is GatewayState.DOWN
    with pytest.raises(GatewayError, match="PI-1 is down: stopped"):
        gateway.request(*QUERY)
    gateway.start()
    until(lambda: gateway.status().state is GatewayState.UP)
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
    until(lambda: gateway.status().counters["in_use"] == 1)
    stopper = gevent.spawn(gateway.stop, GUARD_S)
    until(lambda: gateway.status().state is GatewayState.DRAINING)
    with pytest.raises(GatewayError, match="draining"):
        gateway.request(*QUERY)
    goes_on.set()
    assert worker.get(timeout=GUARD_S).status is Status.ACK
    stopper.get(timeout=GUARD_S)


def test_kill_ends_who_waits(serve, start):
    gateway = start(serve(answering(None)))
    worker = gevent.spawn(gateway.request, *QUERY)
    until(lambda: gateway.status().counters["in_use"] == 1)
    gateway.kill()
    with pytest.raises(GatewayError, match="PI-1: connection lost"):
        worker.get(timeout=GUARD_S)
    assert gateway.status().counters["connections"] == 0


def test_stop_and_kill_while_connecting(start):
    with socket.socket() as listener:  # accepts, and sends nothing
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        gateway = start(listener.getsockname(), is_up=False)
        stays(lambda: gateway.status().state is GatewayState.CONNECTING, 0.05)
        gateway.stop(GUARD_S)
        assert gateway.status().state is GatewayState.DOWN
        gateway.start()
        gateway.kill()
        gateway.kill()


def test_kill_without_start():
    config = PiConfig.load({"remote_host": "127.0.0.1"})
    gateway = PiGateway("PI-1", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
    gateway.kill()
    gateway.stop(0.0)
    assert gateway.status().state is GatewayState.DOWN


def test_nobody_there(start):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        gateway = start(unused.getsockname(), is_up=False)
        until(lambda: gateway.status().detail)
    assert "refused" in gateway.status().detail.lower()
    with pytest.raises(GatewayError, match=r"PI-1 is connecting: .*refused"):
        gateway.request(*QUERY)
    gateway.kill()


def test_a_name_that_does_not_exist(start):
    gateway = start(("nowhere.invalid", 4999), is_up=False)
    until(lambda: gateway.status().detail)
    assert gateway.status().state is GatewayState.CONNECTING


# -- login ----------------------------------------------------------------------------------------


def test_a_locked_user_is_down_and_says_why(start, fake):
    fake.settings["locked"] = ["admin"]
    gateway = start(fake.address, is_up=False)
    until(lambda: gateway.status().state is GatewayState.DOWN)
    assert gateway.status().detail == "login refused: 2-USER IS LOCKED"
    with pytest.raises(GatewayError, match="PI-1 is down: login refused: 2-USER IS LOCKED"):
        gateway.request(*QUERY)
    fake.settings["locked"] = []
    until(lambda: gateway.status().state is GatewayState.UP)


@pytest.mark.parametrize("answer", [b"NACK:4-admin,s3cret IS WRONG;", b"what is s3cret?;"])
def test_the_password_is_never_told(serve, start, answer):
    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(answer)

    gateway = start(serve(handle), is_up=False)
    until(lambda: gateway.status().detail)
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
    until(lambda: gateway.status().detail)
    assert gateway.status().detail == "login: no answer within 0.05 s"


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
    until(lambda: gateway.status().counters["in_use"])
    for _ in range(5):
        with pytest.raises(GatewayError, match="login refused: 3-TOO MANY SESSIONS"):
            gateway.request(*QUERY)
    assert len(logins) == 2, "another refused one might lock the user"
    is_over.set()
    assert first.get(timeout=GUARD_S).status is Status.ACK


# -- configuration --------------------------------------------------------------------------------


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
    errors = PiConfig.schema().validate(members)
    assert list(errors) == [place]
    assert "hidden" not in str(errors)
