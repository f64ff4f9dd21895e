"""The fake Provisioning Interface, over a plain socket: octets in, octets out."""

import pytest
from gevent import socket
from support.waiting import GUARD_S

from tsvc.commands.fake import KINDS
from tsvc.gateways.fake import load_fake
from tsvc.kinds.pi.fake import PiFake


@pytest.fixture
def talk(request):
    """Return a function that sends octets to a fake and returns `count` answers, or fewer if the
    fake closes; login is off."""

    def send(octets, *, count=1, **settings):
        fake = PiFake(**{"needs_login": False, **settings})
        fake.start()
        request.addfinalizer(fake.stop)
        with socket.create_connection(fake.address, timeout=GUARD_S) as sock:
            sock.sendall(octets)
            received = b""
            while received.count(b";") < count:
                part = sock.recv(1000)
                if not part:
                    break
                received += part
        return received

    return send


SUBSCRIBERS = {"21": {"Cash": 5, "Data": 7}}


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        (
            b"CCSCD1=QRY:MSISDN=21;",
            b"CCSCD1=QRY:ACK:MSISDN=21,BALANCE_TYPE=Cash,BALANCE=5,BALANCE_TYPE=Data,BALANCE=7;",
        ),
        (
            b"CCSCD1=QRY:MSISDN=21,BALANCE_TYPE=Data;",
            b"CCSCD1=QRY:ACK:MSISDN=21,BALANCE_TYPE=Data,BALANCE=7;",
        ),
        (b"CCSCD1=QRY:MSISDN=22;", b"CCSCD1=QRY:NACK:88-22 DOES NOT EXIST;"),
        (b"CCSCD1=QRY;", b"CCSCD1=QRY:NACK:12-MSISDN IS MISSING;"),
        (b"XYZ=QRY:A=1;", b"XYZ=QRY:NACK:10-UNKNOWN COMMAND;"),
        (b"CCSCD1=ADD:MSISDN=21;", b"CCSCD1=ADD:NACK:88-21 EXISTS ALREADY;"),
        (
            b"CCSCD1=ADD:MSISDN=22;CCSCD1=QRY:MSISDN=22;",
            b"CCSCD1=ADD:ACK:MSISDN=22;CCSCD1=QRY:ACK:MSISDN=22;",
        ),
        (
            b"CCSCD1=CHG:MSISDN=21,BALANCE_TYPE=Cash,BALANCE=-3;CCSCD1=DEL:MSISDN=21;"
            b"CCSCD1=DEL:MSISDN=21;",
            b"CCSCD1=CHG:ACK:MSISDN=21,BALANCE_TYPE=Cash,BALANCE=-3;"
            b"CCSCD1=DEL:ACK:MSISDN=21;CCSCD1=DEL:NACK:88-21 DOES NOT EXIST;",
        ),
        (
            b"CCSCD1=ADD:MSISDN=22,BALANCE=x;CCSCD1=QRY:MSISDN=22;",
            b"CCSCD1=ADD:NACK:14-x IS NO BALANCE;CCSCD1=QRY:NACK:88-22 DOES NOT EXIST;",
        ),
    ],
)
def test_subscribers(talk, asked, answers):
    assert talk(asked, count=answers.count(b";"), subscribers=SUBSCRIBERS) == answers


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b"u,p,w;", b"ACK;"),
        (b"u,wrong;", b"NACK:1-LOGIN FAILED;"),
        (b"l,p,w;", b"NACK:2-USER IS LOCKED;"),
    ],
)
def test_logins(talk, line, answer):
    settings = {"username": "u", "password": "p,w", "locked": ["l"], "needs_login": True}
    assert talk(line, **settings) == answer


def test_nothing_is_done_before_a_login(talk):
    asked = b"CCSCD1=DEL:MSISDN=21;CCSCD1=QRY:MSISDN=21;"
    settings = {"username": "u", "needs_login": True, "subscribers": SUBSCRIBERS}
    assert talk(asked, count=2, **settings) == b"NACK:1-LOGIN FAILED;"


@pytest.mark.parametrize(
    ("script", "answer"),
    [
        ({"status": "NACK", "info": "7-NO"}, b"A=B:NACK:7-NO;"),
        ({"raw": "what?"}, b"what?;"),
        ({"info": "X=1", "packet_octets": 2}, b"A=B:ACK:X=1;"),
        ({"info": "X=1", "closes_after": 6}, b"A=B:AC"),
        ({"closes_after": 0}, b""),
        ({"parameters": {"C": "2"}, "info": "other"}, b"A=B:NACK:10-UNKNOWN COMMAND;"),
        ({"parameters": {"C": "1"}, "info": "this"}, b"A=B:ACK:this;"),
    ],
)
def test_scripts(talk, script, answer):
    assert talk(b"A=B:C=1;", replies=[{"command": "A=B", **script}]) == answer


def test_another_terminator():
    fake = PiFake(terminator="\r\n", needs_login=False)
    fake.start()
    with socket.create_connection(fake.address, timeout=GUARD_S) as sock:
        sock.sendall(b"X=Y\r\n")
        assert sock.makefile("rb").readline() == b"X=Y:NACK:10-UNKNOWN COMMAND\r\n"
    fake.stop()
    fake.stop()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_a_fake(kind):
    class_ = load_fake(kind)
    if getattr(class_, "is_client", False):
        pytest.skip("it connects to the tester: tests/kinds/smpp/test_fake.py")
    fake = class_("127.0.0.1", 0)
    fake.start()
    host, port = fake.address
    socket.create_connection((host, port), timeout=GUARD_S).close()
    fake.stop()
    fake.stop()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((host, port), timeout=GUARD_S)


def test_settings_are_checked():
    with pytest.raises(ValueError, match="usernam"):
        PiFake(usernam="x")
