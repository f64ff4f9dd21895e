"""Timers on the wire: ResetTimer, ActivityTest, guards, pauses."""

import pytest

from tsvc.flow.call import Pause
from tsvc.flow.fields import NodeSchema
from tsvc.flow.node import NODES, Node
from tsvc.protocols.tcap.components import ProblemType, Reject, ReturnResult

RESET = ("CONTINUE", ("ResetTimer", (0, 60)))
ACTIVITY_TEST = ("CONTINUE", ("ActivityTest",))


def test_reset_timer_while_the_ssp_waits(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, activity_test_seconds=0)
    bench.initial_dp()
    assert bench.advance(29.9) == []
    assert bench.advance(0.2) == [RESET]
    assert bench.advance(30) == [RESET]
    bench.digits("100")
    # The SSP rings, and does not wait for the SCP.
    assert bench.advance(29) == []
    bench.send("end")


def test_reset_timer_interval_starts_with_each_prompt(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, activity_test_seconds=0)
    bench.initial_dp()
    bench.advance(20)
    bench.digits("1")
    assert bench.advance(29) == []
    assert bench.advance(2) == [RESET]
    bench.send("end")


def test_reset_timer_while_an_assist_dialogue_is_awaited(bench_of, wire, variant):
    srf = {"use_etc": True, "routing_address": "64900", "correlation_id_timeout_s": 45}
    bench = bench_of(wire.extension_flow(), variant, srf=srf, activity_test_seconds=0)
    bench.initial_dp()
    assert bench.advance(31) == [RESET]
    bench.send("end")


def test_no_reset_timer_if_the_site_wants_none(bench_of, wire, variant):
    bench = bench_of(
        wire.extension_flow(), variant, reset_timer_interval=0, activity_test_seconds=0
    )
    bench.initial_dp()
    assert bench.advance(119) == []
    bench.send("end")


def test_refused_reset_timer_does_not_end_the_call(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, activity_test_seconds=0)
    bench.initial_dp()
    bench.advance(31)
    assert bench.error("ResetTimer", "taskRefused") == []
    assert bench.digits("100")[0].components[-1] == wire.connect("4329100")
    bench.send("end")


def test_activity_test_after_silence(bench_of, wire, variant):
    flow = wire.extension_flow(timeout_seconds=200)
    bench = bench_of(flow, variant, activity_test_seconds=60)
    bench.initial_dp()
    bench.advance(20)
    bench.digits("100")
    assert bench.advance(59) == []
    assert bench.advance(2) == [ACTIVITY_TEST]
    assert bench.answer(ReturnResult(bench.invoke_ids["ActivityTest"])) == []
    assert bench.advance(58) == []
    assert bench.advance(3) == [ACTIVITY_TEST]
    reject = Reject(bench.invoke_ids["ActivityTest"], ProblemType.INVOKE, 1)
    assert bench.answer(reject) == []  # a reject shows that the SSP is alive
    assert bench.report("oAnswer") == [wire.END]


def test_unanswered_activity_test_means_abandoned(bench_of, wire, variant):
    flow = wire.extension_flow(timeout_seconds=200)
    bench = bench_of(flow, variant, activity_test_seconds=60)
    bench.initial_dp()
    bench.digits("100")
    assert bench.advance(61) == [ACTIVITY_TEST]
    assert bench.advance(6) == [wire.END]
    assert bench.counts("abandoned", "errors") == {
        "abandoned": 1,
        "errors": {"activity test": 1},
    }


def test_activity_test_finds_a_dialogue_the_ssp_has_forgotten(bench_of, wire, variant):
    flow = wire.extension_flow((None, 3, 4))
    bench = bench_of(flow, variant, final_connect="continue", activity_test_seconds=60)
    bench.initial_dp()
    bench.digits("100")
    bench.dialogue.end(prearranged=True)
    # The SSP answers with P-ABORT, unrecognizedTransactionID.
    bench.advance(61)
    assert bench.scp.calls_in_progress == 0
    assert bench.counts("connected") == {"connected": 1}


def test_activity_test_of_the_ssp_is_answered(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.invoke("ActivityTest")
    assert bench.send() == [("CONTINUE", ("result",))]
    bench.send("end")


def test_ring_guard(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, activity_test_seconds=0, ring_margin_s=10)
    bench.initial_dp()
    bench.digits("100")
    assert bench.advance(29.9) == []
    (end,) = bench.advance(0.2)
    events = [(event, "transparent", leg, None) for event, _, leg, _ in wire.watched()[1]]
    events = {(event, mode, leg) for event, mode, leg, _ in events}
    ((name, disarmed),) = end.components
    assert (end.primitive, name) == ("END", "RequestReportBCSMEvent")
    assert {event[:3] for event in disarmed} == events
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"ring guard time": 1}}


@pytest.fixture
def pause_flow(wire, monkeypatch):
    """Return a flow that pauses 40 s and releases; the node is a real one, made here."""

    class Pausing(Node):
        """Pause for 40 s."""

        type = "TestPause"
        summary = "Pauses."
        layouts = (("Over",),)

        class Config(NodeSchema):
            """No members."""

        @classmethod
        def build(cls, config, site):
            return cls()

        def run(self, call):
            yield Pause(40)
            return 0

    NODES.load()
    monkeypatch.setitem(NODES._items, "TestPause", Pausing)
    return wire.document({"type": "TestPause", "exits": [3]}, wire.release(101))


def test_pause(bench_of, wire, variant, pause_flow):
    bench = bench_of(pause_flow, variant)
    assert bench.initial_dp() == [("CONTINUE", wire.rrbe(wire.ABANDON))]
    assert bench.advance(31) == [RESET]
    assert bench.advance(10) == [("END", wire.released(101))]


def test_pause_in_cap_v1_says_nothing(bench_of, wire, pause_flow):
    bench = bench_of(pause_flow, "camel1")
    assert bench.initial_dp() == []
    (end,) = bench.advance(41)
    assert end == ("END", wire.released(101))
    assert end.pdu.result == 0


def test_caller_gone_during_a_pause(bench_of, wire, variant, pause_flow):
    bench = bench_of(pause_flow, variant)
    bench.initial_dp()
    assert bench.report("oAbandon") == [wire.END]
