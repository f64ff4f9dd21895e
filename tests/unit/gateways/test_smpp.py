"""The smpp gateway with ESMEs that are real (smpplib), and with others that misbehave."""

from itertools import count

import gevent
import pytest
from marshmallow import ValidationError
from smpplib.exceptions import PDUError
from support.esme import GUARD_S, PlainEsme, RealEsme

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.gateways._base import GATEWAYS, GatewayContext, GatewayState
from tsvc.gateways._smpp_inbox import Inbox, Lost
from tsvc.gateways.smpp import SmppConfig, SmppGateway
from tsvc.protocols.smpp.commands import GENERIC_NACK, RESPONSE, Command
from tsvc.protocols.smpp.states import State
from tsvc.protocols.smpp.tlvs import Tlv
from tsvc.protocols.smpp.tree import parameters_of

HELLO = {"source_addr": "64211", "destination_addr": "777", "short_message": b"hello"}


def wait_for(condition):
    with gevent.Timeout(GUARD_S):
        while not condition():
            gevent.sleep(0.005)


@pytest.fixture
def start(request):
    """Make and start gateways on a port of the system's choice; killed after the test."""

    def start_one(**members):
        config = SmppConfig().load({"port": 0, **members})
        gateway = SmppGateway("SMSC", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
        request.addfinalizer(gateway.kill)
        gateway.start()
        return gateway

    return start_one


@pytest.fixture
def connect(request):
    """Connect ESMEs of either kind; closed after the test."""

    def connect_one(gateway, kind=PlainEsme):
        esme = kind(gateway.port)
        request.addfinalizer(esme.close)
        return esme

    return connect_one


@pytest.fixture
def bound(start, connect):
    """A gateway and an ESME that is bound to it as a transceiver."""

    def bind(**members):
        gateway = start(**members)
        esme = connect(gateway)
        assert esme.bind().command_status == 0
        return gateway, esme

    return bind


def asked(gateway, text="hello", **more):
    """Send a deliver_sm in a greenlet of its own."""
    parameters = {**HELLO, "short_message": text.encode()}
    return gevent.spawn(gateway.request, Command.DELIVER_SM, parameters, **more)


def result(greenlet):
    return greenlet.get(timeout=GUARD_S)


def failure(greenlet):
    with pytest.raises(GatewayError) as failed:
        result(greenlet)
    return str(failed.value)


def links(gateway):
    return gateway._node._links


# -- a real ESME ----------------------------------------------------------------------------------


def test_smpplib_binds_gets_a_message_and_unbinds(start, connect):
    gateway = start(accounts=[{"system_id": "esme", "password": "pw"}])
    assert gateway.status().state is GatewayState.CONNECTING
    esme = connect(gateway, RealEsme)
    answer = esme.bind(password="pw")
    assert (answer.system_id, answer.sc_interface_version) == (b"tsvc", 0x34)
    assert gateway.status().state is GatewayState.UP
    parameters, tlvs = parameters_of(
        Command.DELIVER_SM,
        {
            "source_addr": "64211",
            "destination_addr": "777",
            "short_message_text": "Grüße",
            "data_coding": 3,
            "user_message_reference": 5,
        },
    )
    job = gevent.spawn(gateway.request, Command.DELIVER_SM, parameters, tlvs)
    esme.read()
    answer = result(job)
    assert (answer.pdu.name, answer.pdu.command_status) == ("deliver_sm_resp", 0)
    (got,) = esme.delivered
    assert (got.source_addr, got.destination_addr) == (b"64211", b"777")
    assert (got.short_message, got.data_coding) == ("Grüße".encode("latin-1"), 3)
    assert got.user_message_reference == 5
    assert esme.call(esme.client.unbind).command == "unbind_resp"
    wait_for(lambda: gateway.status().state is GatewayState.CONNECTING)


def test_smpplib_submits(start, connect):
    gateway = start()
    esme = connect(gateway, RealEsme)
    esme.bind("transmitter")
    inbox = Inbox()
    gateway.register("777", inbox)
    sent = esme.submit(
        source_addr="64211",
        destination_addr="777",
        short_message="Ж".encode("utf-16-be"),
        data_coding=8,
        registered_delivery=1,
    )
    message = inbox.get(GUARD_S)
    assert message.system_id == "esme"
    assert message.pdu.parameters["short_message"] == b"\x04\x16"
    assert message.pdu.parameters["registered_delivery"] == 1
    assert message.respond(0, {"message_id": "m-1"}, ())
    esme.read()
    (answer,) = esme.answered
    assert (answer.command, answer.message_id) == ("submit_sm_resp", b"m-1")
    assert answer.sequence == sent.sequence


def test_smpplib_is_told_that_nobody_wants_it(start, connect):
    gateway = start()
    esme = connect(gateway, RealEsme)
    esme.bind()
    esme.submit(source_addr="64211", destination_addr="888", short_message=b"x")
    esme.read()
    assert esme.answered[0].status == 0x0B
    assert gateway.status().counters["unregistered"] == 1


@pytest.mark.parametrize(
    ("config", "given", "status"),
    [
        ({"accounts": [{"system_id": "a", "password": "pw"}]}, ("a", "no"), 0x0E),
        ({"accounts": [{"system_id": "a", "password": "pw"}]}, ("b", "pw"), 0x0F),
        ({"accounts": [{"system_id": "a"}], "password": "pw"}, ("a", "no"), 0x0E),
        ({"password": "pw"}, ("anyone", "no"), 0x0E),
    ],
)
def test_smpplib_is_refused(start, connect, config, given, status):
    gateway = start(**config)
    esme = connect(gateway, RealEsme)
    with pytest.raises(PDUError) as refused:
        esme.bind(system_id=given[0], password=given[1])
    assert refused.value.args[1] == status
    assert gateway.status().counters["binds_refused"] == 1
    assert gateway.status().state is GatewayState.CONNECTING


@pytest.mark.parametrize(
    ("config", "given"),
    [
        ({}, ("anyone", "any")),
        ({"password": "pw"}, ("anyone", "pw")),
        ({"accounts": [{"system_id": "a"}]}, ("a", "any")),
        ({"accounts": [{"system_id": "a"}], "password": "pw"}, ("a", "pw")),
        ({"accounts": [{"system_id": "a", "password": "own"}], "password": "pw"}, ("a", "own")),
    ],
)
def test_who_may_bind(start, connect, config, given):
    assert connect(start(**config)).bind(Command.BIND_RECEIVER, *given).command_status == 0


def test_links_are_tried_both_ways(start, connect):
    gateway = start(enquire_link_s=0.05)
    esme = connect(gateway, RealEsme)
    esme.bind()
    for _ in range(3):
        esme.read()  # answers our enquire_link
    assert gateway.status().state is GatewayState.UP
    plain = connect(gateway)
    plain.send(Command.ENQUIRE_LINK, number=7)
    answer = plain.receive()
    assert (answer.name, answer.sequence_number) == ("enquire_link_resp", 7)


# -- asking ---------------------------------------------------------------------------------------


def test_an_esme_that_refuses_is_an_answer(bound):
    gateway, esme = bound()
    job = asked(gateway)
    esme.answer(esme.receive(), 0x64)
    assert result(job).pdu.command_status == 0x64


def test_a_generic_nack_is_an_answer(bound):
    gateway, esme = bound()
    job = asked(gateway)
    esme.send(GENERIC_NACK, number=esme.receive().sequence_number, status=3)
    assert result(job).pdu.name == "generic_nack"


def test_answers_in_any_order_reach_who_asked(bound):
    gateway, esme = bound()
    jobs = [asked(gateway, str(number)) for number in range(5)]
    requests = [esme.receive() for _ in jobs]
    for request in reversed(requests):
        esme.answer(request, 0x400 + int(request.parameters["short_message"]))
    assert [result(job).pdu.command_status - 0x400 for job in jobs] == [0, 1, 2, 3, 4]


def test_nobody_is_bound(start, connect):
    gateway = start()
    assert failure(asked(gateway)) == "SMSC: no ESME is bound as a receiver or transceiver"
    esme = connect(gateway)
    esme.bind(Command.BIND_TRANSMITTER)
    assert "no ESME is bound" in failure(asked(gateway))
    assert failure(asked(gateway, system_id="x")).startswith("SMSC: no ESME 'x' is bound")


def test_esmes_take_turns_or_are_named(start, connect):
    gateway = start()
    esmes = {name: connect(gateway) for name in ("a", "b")}
    for name, esme in esmes.items():
        esme.bind(Command.BIND_RECEIVER, name)
    jobs = [asked(gateway) for _ in range(4)]
    for esme in esmes.values():
        for _ in range(2):
            esme.answer(esme.receive())
    for job in jobs:
        assert result(job).pdu.command_status == 0
    jobs = [asked(gateway, system_id="b") for _ in range(3)]
    for _ in jobs:
        esmes["b"].answer(esmes["b"].receive())
    assert [result(job).pdu.command_status for job in jobs] == [0, 0, 0]


def test_silence(bound):
    gateway, esme = bound(response_timeout_s=0.05)
    text = failure(asked(gateway))
    assert text.startswith("SMSC: deliver_sm to ESME esme at 127.0.0.1:")
    assert text.endswith("no deliver_sm_resp within 0.05 s")
    request = esme.receive()
    esme.answer(request)  # late: nobody's
    job = asked(gateway)
    esme.answer(esme.receive(), 9)
    assert result(job).pdu.command_status == 9
    assert gateway.status().counters["bound"] == 1


def test_a_connection_lost_fails_who_waits_and_nobody_else(start, connect):
    gateway = start()
    first, second = connect(gateway), connect(gateway)
    first.bind(system_id="first")
    second.bind(system_id="second")
    jobs = [asked(gateway, system_id=name) for name in ("first", "second")]
    first.receive()
    first.close()
    assert failure(jobs[0]).endswith("closed by peer")
    second.answer(second.receive())
    assert result(jobs[1]).pdu.command_status == 0


def test_a_malformed_answer_fails(bound):
    gateway, esme = bound()
    job = asked(gateway)
    number = esme.receive().sequence_number
    esme.socket.sendall(bytes.fromhex(f"00000011 80000005 00000000 {number:08x} 41"))
    assert "malformed answer" in failure(job)


def test_garbage_fails_who_waits(bound):
    gateway, esme = bound()
    job = asked(gateway)
    esme.receive()
    esme.socket.sendall(b"\xff" * 100)
    assert "framing lost" in failure(job)
    assert esme.receive().name == "generic_nack"
    with pytest.raises(EOFError):
        esme.receive()


def test_a_full_window_waits_in_order(bound):
    gateway, esme = bound(window=2)
    jobs = [asked(gateway, str(number)) for number in range(6)]
    seen = []
    for _ in jobs:
        request = esme.receive()
        seen.append(int(request.parameters["short_message"]))
        esme.answer(request)
    assert seen == [0, 1, 2, 3, 4, 5]
    for job in jobs:
        result(job)


def test_a_full_window_that_stays_full(bound):
    gateway, esme = bound(window=1, backlog_timeout_s=0.05, response_timeout_s=GUARD_S)
    first = asked(gateway)
    request = esme.receive()
    assert "no room in the window of ESME esme" in failure(asked(gateway))
    esme.answer(request)
    result(first)


def test_waiters_for_a_window_learn_of_the_end(bound):
    gateway, esme = bound(window=1)
    jobs = [asked(gateway) for _ in range(3)]
    esme.receive()
    esme.close()
    reasons = [failure(job) for job in jobs]
    assert "closed by peer" in reasons[0]
    assert all("no ESME is bound" in reason for reason in reasons[1:])


def test_a_caller_that_is_killed_leaves_the_next_its_own_answer(bound):
    gateway, esme = bound(window=1)
    killed, waiting, last = (asked(gateway, text) for text in "abc")
    request = esme.receive()
    killed.kill()
    waiting.kill()
    esme.answer(request, 1)  # for nobody; makes room
    request = esme.receive()
    assert request.parameters["short_message"] == b"c"
    esme.answer(request, 2)
    assert result(last).pdu.command_status == 2


def test_a_waiter_killed_with_room_given_to_it_passes_it_on(bound):
    gateway, esme = bound(window=1)
    first, killed, last = (asked(gateway, text) for text in "abc")
    request = esme.receive()
    # In one go, before anybody runs: the second is to be killed, and the answer gives it room.
    killed.kill(block=False)
    link = links(gateway)[0]
    answer = bytes.fromhex(f"00000010 80000005 00000000 {request.sequence_number:08x}")
    link.handle(link.session.receive(answer, SYSTEM_CLOCK.now()))
    request = esme.receive()
    assert request.parameters["short_message"] == b"c"
    esme.answer(request)
    result(first)
    result(last)


def test_a_waiter_whose_values_do_not_fit_passes_its_room_on(bound):
    gateway, esme = bound(window=1, backlog_timeout_s=3600)
    first = asked(gateway, "a")
    request = esme.receive()
    wrong = gevent.spawn(gateway.request, Command.DELIVER_SM, {"source_addr": "1" * 30})
    last = asked(gateway, "c")
    gevent.sleep(0.01)
    esme.answer(request)
    result(first)
    with pytest.raises(LocalProtocolError, match="source_addr"):
        result(wrong)
    esme.answer(esme.receive())
    result(last)


def test_values_that_do_not_fit(bound):
    gateway, _ = bound()
    with pytest.raises(LocalProtocolError, match="source_addr"):
        gateway.request(Command.DELIVER_SM, {"source_addr": "1" * 30})
    assert links(gateway)[0].waiting == {}


# -- taking ---------------------------------------------------------------------------------------


def test_a_message_goes_to_who_registered_its_address(bound):
    gateway, esme = bound()
    inboxes = {address: Inbox() for address in ("777", "778")}
    for address, inbox in inboxes.items():
        gateway.register(address, inbox)
        gateway.register(address, inbox)  # twice changes nothing
    esme.send(Command.DATA_SM, {"destination_addr": "778"}, tlvs=(Tlv(0x0424, b"hi"),))
    message = inboxes["778"].get(GUARD_S)
    assert message.pdu.tlvs == (Tlv(0x0424, b"hi"),)
    with pytest.raises(LocalProtocolError, match="registered already by another instance"):
        gateway.register("777", Inbox())
    gateway.unregister(inboxes["777"])
    gateway.register("777", Inbox())
    assert message.respond(0x58, {}, ())
    assert esme.receive().command_status == 0x58


def test_more_than_the_window_is_throttled(bound):
    gateway, esme = bound(window=1)
    inbox = Inbox()
    gateway.register("777", inbox)
    numbers = [esme.send(Command.SUBMIT_SM, HELLO) for _ in range(2)]
    answer = esme.receive()
    assert (answer.sequence_number, answer.command_status) == (numbers[1], 0x58)
    inbox.get(GUARD_S).respond(0, {}, ())
    assert esme.receive().sequence_number == numbers[0]


def test_a_response_to_an_esme_that_is_gone_is_none(bound):
    gateway, esme = bound()
    inbox = Inbox()
    gateway.register("777", inbox)
    esme.send(Command.SUBMIT_SM, HELLO)
    message = inbox.get(GUARD_S)
    esme.close()
    wait_for(lambda: gateway.status().state is GatewayState.CONNECTING)
    assert message.respond(0, {}, ()) == b""


def test_who_waits_learns_that_nobody_is_left(start, connect):
    gateway = start()
    first, second = connect(gateway), connect(gateway)
    first.bind()
    second.bind(Command.BIND_TRANSMITTER)
    inbox, busy = Inbox(), Inbox()
    gateway.register("777", inbox)
    gateway.register("778", busy)
    job = gevent.spawn(inbox.get, GUARD_S)
    first.close()
    wait_for(lambda: len(links(gateway)) == 1)
    assert not job.ready()
    second.close()
    lost = result(job)
    assert isinstance(lost, Lost)
    assert lost.reason.endswith("closed by peer")
    assert busy.get(0) is None


# -- life -----------------------------------------------------------------------------------------


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
    gevent.sleep(0.02)
    assert gateway.status().state is GatewayState.DRAINING
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
    wait_for(lambda: gateway.status().state is GatewayState.CONNECTING)


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
    """Its socket is full after a while; what waits behind that is bounded."""
    monkeypatch.setattr("tsvc.gateways._driver.MAX_QUEUED", 100)
    gateway, esme = bound()
    link_test = bytes.fromhex("00000010 00000015 00000000 00000001")
    with gevent.Timeout(GUARD_S), pytest.raises(OSError):  # noqa: PT012 - which one, depends
        while True:
            esme.socket.sendall(link_test * 1000)
    wait_for(lambda: gateway.status().state is GatewayState.CONNECTING)


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
        SmppConfig().load(members)
    assert list(refused.value.messages) == [key]


def test_responses_are_read_by_command(bound):
    gateway, esme = bound()
    job = gevent.spawn(gateway.request, Command.DATA_SM, {}, (Tlv(0x0424, b"x"),))
    request = esme.receive()
    esme.send(RESPONSE | Command.DATA_SM, {"message_id": "z"}, number=request.sequence_number)
    assert result(job).pdu.parameters == {"message_id": "z"}
