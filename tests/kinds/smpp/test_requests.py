"""Requests of the smpp gateway to ESMEs: answers, silence, the window, callers that are killed."""

import gevent
import pytest
from kinds.smpp import testbed
from kinds.smpp.testbed import asked, failure, links, result
from support.esme import GUARD_S
from support.waiting import idle

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import LocalProtocolError
from tsvc.protocols.smpp.commands import GENERIC_NACK, RESPONSE, Command, Tlv

start, connect, bound = testbed.start, testbed.connect, testbed.bound


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
    gateway, esme = bound(response_timeout_s=0.5)
    text = failure(asked(gateway))
    assert text.startswith("SMSC: deliver_sm to ESME esme at 127.0.0.1:")
    assert text.endswith("no deliver_sm_resp within 0.5 s")
    request = esme.receive()
    esme.answer(request)  # late: no caller waits for it
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


def test_a_malformed_answer_says_so(bound):
    gateway, esme = bound()
    job = asked(gateway)
    number = esme.receive().sequence_number
    esme.socket.sendall(bytes.fromhex(f"00000011 80000005 00000000 {number:08x} 41"))
    assert result(job).notes == ("message_id: is not ended within 65 octets",)


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
    esme.answer(request, 1)  # no caller waits for it; it makes room in the window
    request = esme.receive()
    assert request.parameters["short_message"] == b"c"
    esme.answer(request, 2)
    assert result(last).pdu.command_status == 2


def test_a_waiter_killed_with_room_given_to_it_passes_it_on(bound):
    gateway, esme = bound(window=1)
    first, killed, last = (asked(gateway, text) for text in "abc")
    request = esme.receive()
    # Both before another greenlet runs: the second caller is to be killed, and the answer gives
    # it room in the window.
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
    idle()
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


def test_responses_are_read_by_command(bound):
    gateway, esme = bound()
    job = gevent.spawn(gateway.request, Command.DATA_SM, {}, (Tlv(0x0424, b"x"),))
    request = esme.receive()
    esme.send(RESPONSE | Command.DATA_SM, {"message_id": "z"}, number=request.sequence_number)
    assert result(job).pdu.parameters == {"message_id": "z"}
