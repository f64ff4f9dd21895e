"""CAP v1: no resources, only answer and disconnect; the SCP keeps the ring time."""

import pytest

ARMED = (
    ("oAnswer", "notify", 2, None),
    ("oDisconnect", "interrupted", 1, None),
    ("oDisconnect", "interrupted", 2, None),
)
DISARMED = (("oDisconnect", "transparent", 1, None), ("oDisconnect", "transparent", 2, None))


@pytest.fixture
def bench_1(bench_of, wire):
    def make(flow=None, **settings):
        return bench_of(flow or wire.terminate_flow("100", "200"), "camel1", **settings)

    return make


@pytest.mark.parametrize("flow", ["extension_flow", "play_flow"])
def test_resources_fail(bench_1, wire, flow):
    bench = bench_1(getattr(wire, flow)())
    assert bench.initial_dp() == [("END", wire.released(38))]
    assert bench.counts("failed", "errors") == {
        "failed": 1,
        "errors": {"resource: none in CAP v1": 1},
    }


def test_release(bench_1, wire):
    bench = bench_1(wire.document(wire.release(17)))
    assert bench.initial_dp() == [("END", wire.released(17))]


def test_answer_and_disconnect_are_armed_and_nothing_stays_armed(bench_1, wire):
    bench = bench_1()
    assert bench.initial_dp() == [("CONTINUE", wire.rrbe(*ARMED), wire.connect("100"))]
    assert bench.report("oAnswer") == [("END", wire.rrbe(*DISARMED))]
    assert bench.counts("answered") == {"answered": 1}


def test_terminating_half(bench_1, wire):
    bench = bench_1()
    (first,) = bench.initial_dp(eventTypeBCSM=12)
    events = [(event.replace("o", "t", 1), *rest) for event, *rest in ARMED]
    assert first.components[0] == wire.rrbe(*events)
    bench.send("end")


def test_ring_time_is_kept_here(bench_1, wire):
    bench = bench_1(wire.terminate_flow("100"), no_answer_seconds=20)
    bench.initial_dp()
    assert bench.advance(19.9) == []
    assert bench.advance(0.2) == [("END", wire.released(101))]
    assert bench.counts("errors") == {}


@pytest.mark.parametrize("cause", [17, 19, 34])
def test_disconnect_of_the_called_leg_before_the_answer_is_a_failure(bench_1, wire, cause):
    bench = bench_1()
    bench.initial_dp()
    information = {"oDisconnectSpecificInfo": {"releaseCause_cause": cause}}
    assert bench.report("oDisconnectLeg2", information=information) == [
        ("CONTINUE", wire.rrbe(*ARMED), wire.connect("200"))
    ]
    assert bench.report("oDisconnectLeg2") == [("END", wire.released(101))]


def test_disconnect_of_the_calling_leg_is_the_caller_gone(bench_1, wire):
    bench = bench_1()
    bench.initial_dp()
    # Armed as interrupted, so that the SSP waits for instructions.
    assert bench.report("oDisconnectLeg1") == [("END", wire.released(16))]
    assert bench.counts("abandoned") == {"abandoned": 1}


def test_final_connect(bench_1, wire):
    bench = bench_1(wire.terminate_flow("100", exits=(None,)))
    assert bench.initial_dp() == [("END", wire.connect("100"))]


def test_monitored_disconnect(bench_1, wire):
    bench = bench_1(wire.terminate_flow("100", monitor_disconnect=True))
    bench.initial_dp()
    assert bench.report("oAnswer") == []
    assert bench.report("oDisconnectLeg2") == [("END", wire.released(16))]


def test_monitored_final_connect(bench_1, wire):
    bench = bench_1(wire.terminate_flow("100", exits=(None,), monitor_disconnect=True))
    assert bench.initial_dp() == [("CONTINUE", wire.rrbe(*ARMED[1:]), wire.connect("100"))]
    bench.send("end")


def test_operations_of_later_phases_are_not_recognized(bench_1, wire):
    bench = bench_1()
    bench.initial_dp()
    bench.dialogue.invoke(49, 4, bytes.fromhex("0500"), now=bench.now)
    assert bench.send() == [("END", ("reject", 1, 1))]
    bench.dialogue = bench.peers["ssp"].new_dialogue(bench.now)
    bench.dialogue.invoke(16, 2, bytes.fromhex("3000"), now=bench.now)
    assert bench.begin(bench.dialogue, "ssp", "camel1") == [("END", ("reject", 1, 1))]
