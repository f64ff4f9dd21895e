"""The smpp gateway: who may bind, with a real ESME (smpplib), and what comes from ESMEs."""

import gevent
import pytest
from kinds.smpp import testbed
from kinds.smpp.testbed import HELLO, links, result
from smpplib.exceptions import PDUError
from support.esme import GUARD_S, RealEsme
from support.waiting import until

from tsvc.errors import LocalProtocolError
from tsvc.gateways.gateway import GatewayState
from tsvc.kinds.smpp.inbox import Inbox, Lost
from tsvc.protocols.smpp.commands import Command, Tlv
from tsvc.protocols.smpp.tree import parameters_of

start, connect, bound = testbed.start, testbed.connect, testbed.bound


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
    until(lambda: gateway.status().state is GatewayState.CONNECTING)


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


# -- taking ---------------------------------------------------------------------------------------


def test_a_message_goes_to_who_registered_its_address(bound):
    gateway, esme = bound()
    inboxes = {address: Inbox() for address in ("777", "778")}
    for address, inbox in inboxes.items():
        gateway.register(address, inbox)
        gateway.register(address, inbox)  # registering again changes nothing
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
    until(lambda: gateway.status().state is GatewayState.CONNECTING)
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
    until(lambda: len(links(gateway)) == 1)
    assert not job.ready()
    second.close()
    lost = result(job)
    assert isinstance(lost, Lost)
    assert lost.reason.endswith("closed by peer")
    assert busy.get(0) is None
