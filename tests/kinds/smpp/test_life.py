"""The life of the smpp gateway and of its links, and its configuration."""

from itertools import count

import gevent
import pytest
from kinds.smpp import testbed
from kinds.smpp.testbed import asked, failure, links, result
from marshmallow import ValidationError
from support.esme import GUARD_S
from support.waiting import until

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GATEWAYS, GatewayState
from tsvc.kinds.smpp.config import SmppConfig
from tsvc.kinds.smpp.gateway import SmppGateway
from tsvc.protocols.smpp.session import State

start, connect, bound = testbed.start, testbed.connect, testbed.bound


def test_kind_is_registered():
    assert GATEWAYS.get("smpp") is SmppGateway


def test_start_twice_changes_nothing(start):
    gateway = start()
    port = gateway.port
    gateway.start()
    assert gateway.port == port


def test_a_taken_port_is_an_error(start):
    taken = start()
    with pytest.raises(GatewayError, match=r"can't listen on 127.0.0.1:\d+: "):
        start(port=taken.port)


def test_before_the_start_and_after_the_end(start):
    gateway = start()
    for end in (gateway.kill, lambda: gateway.stop(0.01)):
        end()
        end()
        assert gateway.status().state is GatewayState.DOWN
        assert failure(asked(gateway)) == "SMSC is down"
        gateway.start()
        assert gateway.status().state is GatewayState.CONNECTING


def test_stop_lets_what_is_outstanding_end_then_unbinds(bound):
    gateway, esme = bound()
    job = asked(gateway)
    request = esme.receive()
    stopping = gevent.spawn(gateway.stop, GUARD_S)
    until(lambda: gateway.status().state is GatewayState.DRAINING)
    assert failure(asked(gateway)) == "SMSC: the SMSC is stopping"
    esme.answer(request)
    assert result(job).pdu.command_status == 0
    unbind = esme.receive()
    assert unbind.name == "unbind"
    esme.answer(unbind)
    stopping.get(timeout=GUARD_S)
    with pytest.raises(EOFError):
        esme.receive()
    assert gateway.status().state is GatewayState.DOWN


def test_kill_fails_who_waits(bound):
    gateway, esme = bound()
    job = asked(gateway)
    esme.receive()
    gateway.kill()
    assert failure(job).endswith("killed")


def test_the_port_can_be_used_again_at_once(bound, start, connect):
    gateway, _ = bound()
    port = gateway.port
    gateway.kill()
    again = start(port=port)
    assert connect(again).bind().command_status == 0


def test_who_does_not_bind_is_closed(start, connect):
    esme = connect(start(session_init_s=0.05))
    with pytest.raises(EOFError):
        esme.receive()


def test_who_does_not_answer_a_link_test_is_closed(bound):
    gateway, esme = bound(enquire_link_s=0.2, response_timeout_s=0.05)
    assert esme.receive().name == "enquire_link"
    with pytest.raises(EOFError):
        esme.receive()
    until(lambda: gateway.status().state is GatewayState.CONNECTING)


def test_a_thousand_requests_leave_nothing_behind(bound):
    gateway, esme = bound(window=50)
    numbers = count()

    def answer_all():
        while True:
            esme.answer(esme.receive(), next(numbers) % 3)

    answering = gevent.spawn(answer_all)
    jobs = [asked(gateway) for _ in range(1000)]
    statuses = [result(job).pdu.command_status for job in jobs]
    answering.kill()
    assert (len(statuses), set(statuses)) == (1000, {0, 1, 2})
    assert links(gateway)[0].waiting == {}
    assert links(gateway)[0].session.outstanding == 0
    assert links(gateway)[0].session.state is State.BOUND_TRX
    assert gateway.status().counters["sent"] == 1000


def test_an_esme_that_does_not_read_is_given_up(bound, monkeypatch):
    """Its socket is full after a while; the queue behind the socket is bounded."""
    monkeypatch.setattr("tsvc.transport.driver.MAX_QUEUED", 100)
    gateway, esme = bound()
    link_test = bytes.fromhex("00000010 00000015 00000000 00000001")
    with gevent.Timeout(GUARD_S), pytest.raises(OSError):  # noqa: PT012 - which one, depends
        while True:
            esme.socket.sendall(link_test * 1000)
    until(lambda: gateway.status().state is GatewayState.CONNECTING)


@pytest.mark.parametrize(
    ("members", "key"),
    [
        ({"accounts": [{"password": "x"}]}, "accounts"),
        ({"accounts": [{"system_id": "x" * 16}]}, "accounts"),
        ({"accounts": [{"system_id": "x"}, {"system_id": "x"}]}, "accounts"),
        ({"password": "123456789"}, "password"),
        ({"window": 0}, "window"),
        ({"enquire_link_s": 0}, "enquire_link_s"),
        ({"default_alphabet": "ebcdic"}, "default_alphabet"),
        ({"unregistered_status": -1}, "unregistered_status"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_wrong_configurations(members, key):
    with pytest.raises(ValidationError) as refused:
        SmppConfig.load(members)
    assert list(refused.value.messages) == [key]
