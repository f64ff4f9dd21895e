"""Complaints of a peer are reported: in the network's texts, in refusals, in the log."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.clock import FakeClock
from support.waiting import until
from unit.ss7 import m3ua_nodes
from unit.ss7.by_hand import Refusing
from unit.ss7.m3ua_nodes import connecting, is_up, to

from tsvc import log
from tsvc.errors import GatewayError
from tsvc.protocols.m3ua import answers, messages, params
from tsvc.protocols.m3ua.indications import ActiveInd
from tsvc.protocols.m3ua.messages import decode, encode, message
from tsvc.protocols.m3ua.params import ErrorCode, Parameter, Status
from tsvc.ss7.health import ConnectionHealth

make = m3ua_nodes.make
ASPAC_99 = encode(message(messages.ASPAC, params.ROUTING_CONTEXT.of((99,))))


@pytest.fixture
def written():
    stream = io.StringIO()
    log.setup(form="json", stream=stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    log.setup()


CASES = [
    (messages.ASPAC, 0x19, b"", "ERR 0x19 (invalid routing context), routing context 99"),
    (messages.ASPAC, 0x1A, ASPAC_99, "ERR 0x1a (no configured as for asp), routing context 99, "),
    (messages.ASPAC, 0x05, b"loadshare only", 'routing context 99, diagnostic "loadshare only"'),
    (messages.ASPUP, 0x0D, b"", "ERR 0x0d (refused management blocking)"),
    (messages.ASPUP, 0x0E, b"\xde\xad", "ERR 0x0e (asp identifier required), routing context 99"),
    (messages.ASPUP, 0x77, b"\x1b[31m", "ERR 0x77 (unknown code), "),
]


@pytest.mark.parametrize(("refuses", "code", "diagnostic", "words"), CASES)
def test_an_err_is_told_in_status_refusal_and_log(make, written, refuses, code, diagnostic, words):
    sgp = Refusing(
        refuses,
        params.ERROR_CODE.of(code),
        params.ROUTING_CONTEXT.of((99,)),
        params.DIAGNOSTIC_INFORMATION.of(diagnostic),
    )
    asp = make(1, connecting("sg", sgp.port, routing_contexts=(99,), ack_s=0.1))
    try:
        until(lambda: any(words in text for text in asp.network.texts()), what=asp.network.texts)
        with pytest.raises(GatewayError) as refused:
            asp.send(b"hello", to(2))
        assert words in str(refused.value)
        assert str(refused.value).isprintable()
        name = messages.LAYOUTS[refuses].name
        given_up = f"{name} is refused: {words[: words.find(',')]}"

        def losses() -> list[dict[str, str]]:
            ours = [line for line in written() if line.get("connection") == "sg"]
            return [line for line in ours if line["event"] == "association lost"]

        until(lambda: any("refused" in line["reason"] for line in losses()), what=losses)
        assert all(words in text for text in asp.network.texts()), "and it stays"
        # Nodes of earlier tests may still be closing their associations.
        lines = [line for line in written() if line.get("connection") == "sg"]
        told = [line for line in lines if line["event"] == "refused by the peer"]
        assert len(told) == 1, "once, however often it comes"
        assert words in told[0]["text"]
        lost = next(line for line in losses() if "refused" in line["reason"])
        assert lost["level"] == "warning"
        if words.startswith("ERR"):
            assert given_up in lost["reason"]
    finally:
        sgp.stop()


def test_up_active_and_lost_are_a_line_each(make, written):
    sgp = Refusing((0xFF, 0xFF), params.ERROR_CODE.of(0))
    asp = make(1, connecting("sg", sgp.port, routing_contexts=(7,)))
    until(is_up(asp))
    assert asp.network.texts() == []
    gone = params.AFFECTED_POINT_CODE.of((params.PointCode(9),))
    sgp.live[0].sendall(encode(message(messages.DUNA, gone)))
    until(asp.network.texts)
    assert asp.network.texts() == ["sg: point code 9: unavailable"]
    sgp.live[0].sendall(encode(message(messages.DAVA, gone)))
    until(lambda: not asp.network.texts())
    # Refused user data are reported for a while; the association works.
    sgp.live[0].sendall(encode(message(messages.ERR, params.ERROR_CODE.of(0x15))))
    until(asp.network.texts)
    assert asp.network.texts() == ["sg: ERR 0x15 (invalid network appearance)"]
    sgp.stop()
    sgp.live[0].close()
    until(lambda: any("refused" in text for text in asp.network.texts()), what=asp.network.texts)
    lines = [line for line in written() if line.get("connection") == "sg"]
    assert [line["event"] for line in lines] == [
        "association up",
        "association active",
        "DUNA",
        "DAVA",
        "refused by the peer",
        "association lost",
        "no connection",
    ]
    assert lines[1]["routing_context"] == "7"
    assert lines[2]["point_code"] == "9"
    assert lines[5]["reason"] == "closed by peer"


def test_a_peer_that_flaps_is_a_line_a_second(written):
    clock = FakeClock()
    health = ConnectionHealth("sg", clock)
    for _ in range(1000):
        health.up("peer")
        health.lost("peer", "closed by peer", is_ours=False, state="gone")
        clock.advance(0.01)
    events = [line["event"] for line in written()]
    assert events.count("association up") == events.count("association lost") == 10
    assert health.text == "gone"


def test_an_err_about_another_routing_context_outlives_activation():
    health = ConnectionHealth("sg", FakeClock())
    error = encode(
        message(
            messages.ERR,
            params.ERROR_CODE.of(ErrorCode.INVALID_ROUTING_CONTEXT),
            params.ROUTING_CONTEXT.of((2,)),
        )
    )
    health.refused(answers.error_indication(decode(error)), "peer", is_active=False)
    health.active(ActiveInd((1,)), "peer")
    assert health.text == "ERR 0x19 (invalid routing context), routing context 2"
    health.active(ActiveInd((2,)), "peer")
    assert health.text == ""


def test_a_notification_is_told_until_the_as_is_active():
    health = ConnectionHealth("sg", FakeClock())

    def notify(status: Status, info: bytes = b"") -> None:
        found = message(messages.NTFY, params.STATUS.of(status), Parameter(4, info))
        health.notified(answers.notify_indication(found), "peer")

    notify(Status(1, 2))
    assert health.text == "NTFY AS-INACTIVE"
    notify(Status(7, 9), b"ask\nNorbert\xff")
    assert health.text.startswith("NTFY status 7/9 (ask Norbert")
    assert health.text.isprintable()
    notify(Status(1, 3))
    assert health.text == ""


@given(
    st.integers(0, 0xFFFFFFFF),
    st.lists(st.integers(0, 0xFFFFFFFF), max_size=40),
    st.binary(max_size=300),
)
def test_whatever_an_err_has_is_one_printable_line(code, contexts, diagnostic):
    found = answers.error_indication(
        message(
            messages.ERR,
            params.ERROR_CODE.of(code),
            Parameter(params.ROUTING_CONTEXT.tag, b"".join(one.to_bytes(4) for one in contexts)),
            params.DIAGNOSTIC_INFORMATION.of(diagnostic),
        )
    )
    assert found.words.isprintable()
    assert len(found.words) < 400
    assert f"0x{code:02x}" in found.words
    assert all(str(context) in found.words for context in contexts[:8])
