"""Which events are armed, for which half of the call, and how reports are interpreted."""

import pytest

from tsvc.flow.call import Busy, NoAnswer, RouteSelectFailure
from tsvc.scp.detection_points import Meaning, failure_event, leg_of, model_of

T_WATCHED = [
    ("tAnswer", "notify", 2, None),
    ("tBusy", "interrupted", 2, None),
    ("tNoAnswer", "interrupted", 2, 20),
    ("tAbandon", "notify", 1, None),
]


@pytest.mark.parametrize("trigger", [12, 13, 14])
def test_terminating_triggers(bench_of, wire, variant, trigger):
    bench = bench_of(wire.extension_flow(), variant)
    is_terminating = trigger == 12 or variant == "camel4"
    (first,) = bench.initial_dp(eventTypeBCSM=trigger)
    abandon = wire.T_ABANDON if is_terminating else wire.ABANDON
    assert first == ("CONTINUE", wire.rrbe(abandon), wire.CTR, wire.prompt())
    (second,) = bench.digits("100")
    expected = wire.rrbe(*T_WATCHED) if is_terminating else wire.watched()
    assert second == ("CONTINUE", wire.DFC, expected, wire.connect("4329100"))
    assert bench.report("tAnswer" if is_terminating else "oAnswer") == [wire.END]


@pytest.mark.parametrize("event", ["tBusy", "tNoAnswer"])
def test_terminating_failures_take_exit_0(bench_of, wire, variant, event):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp(eventTypeBCSM=12)
    bench.digits("100")
    assert bench.report(event) == [("END", wire.released(101))]


def test_terminating_abandon(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp(eventTypeBCSM=12)
    assert bench.report("tAbandon") == [wire.END]


def test_without_event_type_the_call_is_originating(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    assert bench.initial_dp(eventTypeBCSM=None) == [wire.FIRST]
    bench.send("end")


@pytest.mark.parametrize("misc", [0, 1, None])
@pytest.mark.parametrize("leg", [2, None])
def test_the_armed_mode_decides_not_misc_call_info(bench_of, wire, variant, misc, leg):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.digits("100")
    # Armed as notifyAndContinue: the dialogue ends, even if misc says otherwise.
    assert bench.report("oAnswer", leg, misc=misc) == [wire.END]
    bench.initial_dp()
    bench.digits("100")
    # Armed as interrupted: the SSP waits, even if misc says otherwise.
    assert bench.report("oCalledPartyBusy", leg, misc=misc) == [("END", wire.released(101))]


@pytest.mark.parametrize(
    ("event", "leg"),
    [("oAnswer", None), ("oDisconnectLeg1", None), ("oAbandon", 2), ("tAbandon", None)],
)
def test_report_that_was_not_armed_is_aborted(bench_of, wire, variant, event, leg):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()  # arms oAbandon of leg 1
    assert bench.report(event, leg) == [("U-ABORT",)]
    text = "report of an event that is not armed"
    assert bench.counts("failed", "messages") == {"failed": 1, "messages": {text: 1}}


def test_report_with_the_information_of_another_event_is_aborted(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.digits("100")
    information = {"tBusySpecificInfo": {"busyCause_cause": 17}}
    assert bench.report("oCalledPartyBusy", information=information) == [("U-ABORT",)]


@pytest.mark.parametrize("primitive", ["continue", "end"])
@pytest.mark.parametrize(
    ("first", "second", "can_follow"),
    [
        ("oAnswer", "oAnswer", False),
        ("oAnswer", "oCalledPartyBusy", False),
        ("oAnswer", "oAbandon", False),
        ("oCalledPartyBusy", "oCalledPartyBusy", False),
        ("oCalledPartyBusy", "oAnswer", False),
        ("oNoAnswer", "routeSelectFailure", False),
        ("oAbandon", "oAbandon", False),
        ("oNoAnswer", "oAbandon", True),
        ("oAbandon", "oNoAnswer", True),
    ],
)
def test_reports_of_one_message(bench_of, wire, variant, first, second, can_follow, primitive):
    """A reported event is no longer armed, nor are events that ended with it."""
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.digits("100")
    bench.invoke("EventReportBCSM", {"eventTypeBCSM_name": first})
    answer = bench.report(second, primitive=primitive)
    if primitive == "continue":
        assert answer == [wire.END if can_follow else ("U-ABORT",)]
    ending = {"abandoned": 1} if can_follow else {"failed": 1}
    assert bench.counts("failed", "abandoned", "answered", "released") == ending
    bench.check_nothing_left()


@pytest.mark.parametrize("legs", [("01", "02"), ("02", "01")])
def test_both_parties_may_leave_in_one_message(bench_of, wire, variant, legs):
    bench = bench_of(wire.terminate_flow("100", monitor_disconnect=True), variant)
    bench.initial_dp()
    bench.report("oAnswer")
    for leg in legs:
        arguments = {"eventTypeBCSM_name": "oDisconnect"}
        arguments["legID"] = {"receivingSideID_hex": leg}
        bench.invoke("EventReportBCSM", arguments)
    (answer,) = bench.send()
    assert answer.primitive == "END"


@pytest.mark.parametrize("parameter", ["3000", "0401ff", "020105", "3006800107800107"])
def test_report_that_cannot_be_read_is_rejected(bench_of, wire, variant, parameter):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.dialogue.invoke(24, 4, bytes.fromhex(parameter), now=bench.now)
    assert bench.send() == [("END", ("reject", 1, 2))]
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"protocol": 1}}


def test_further_attempt_arms_everything_again(bench_of, wire, variant):
    bench = bench_of(wire.terminate_flow("B1", "B2"), variant)
    armed = wire.watched(15)
    assert bench.initial_dp() == [("CONTINUE", armed, wire.connect("b1"))]
    assert bench.report("oCalledPartyBusy") == [("CONTINUE", armed, wire.connect("b2"))]
    assert bench.report("oNoAnswer") == [("END", wire.released(101))]


def test_prompt_after_an_interrupted_report_arms_abandon_again(bench_of, wire, variant):
    dialing = {**wire.extension_flow()["operations"]["2"], "exits": [3, 3, 3]}
    again = {**dialing, "id": 3, "exits": [None, None, None]}
    del dialing["id"], again["id"]
    bench = bench_of(wire.document(dialing, again), variant)
    bench.initial_dp()
    bench.digits("100")
    assert bench.report("oCalledPartyBusy") == [wire.FIRST]
    bench.send("end")


def test_final_connect_after_an_interrupted_report_disarms_the_caller(bench_of, wire, variant):
    bench = bench_of(wire.terminate_flow("100", "200", exits=(None,)), variant)
    bench.initial_dp()
    assert bench.report("oCalledPartyBusy") == [
        ("END", wire.rrbe(("oAbandon", "transparent", 1, None)), wire.connect("200"))
    ]


def test_no_answer_time_is_the_sites_default_for_zero(bench_of, wire, variant):
    flow = wire.extension_flow(timeout_seconds=0)
    bench = bench_of(flow, variant, no_answer_seconds=33)
    bench.initial_dp()
    (second,) = bench.digits("100")
    assert second.components[1] == wire.watched(33)
    bench.send("end")


def test_no_answer_time_is_clamped(bench_of, wire, variant):
    flow = wire.extension_flow(timeout_seconds=1000)
    bench = bench_of(flow, variant, no_answer_max_seconds=120)
    bench.initial_dp()
    (second,) = bench.digits("100")
    assert second.components[1] == wire.watched(120)
    bench.send("end")


def test_nature_and_plan_of_the_destination_are_the_sites(bench_of, wire, variant):
    bench = bench_of(wire.terminate_flow("100"), variant, connect_noa=4, connect_npi=3)
    (first,) = bench.initial_dp()
    assert first.components[-1] == wire.connect("100", 4, 3)
    bench.send("end")


# -- the end of the conversation ------------------------------------------------------------

DISCONNECTS = (("oDisconnect", "interrupted", 1, None), ("oDisconnect", "interrupted", 2, None))


@pytest.mark.parametrize("leg", [1, 2])
def test_monitored_disconnect_ends_the_call(bench_of, wire, variant, leg):
    bench = bench_of(wire.terminate_flow("100", monitor_disconnect=True), variant)
    events = wire.watched(15)[1]
    assert bench.initial_dp() == [
        ("CONTINUE", wire.rrbe(*events, *DISCONNECTS), wire.connect("100"))
    ]
    assert bench.report("oAnswer") == []
    assert bench.scp.calls_in_progress == 1
    cause = {"oDisconnectSpecificInfo": {"releaseCause_cause": 19}}
    assert bench.report(f"oDisconnectLeg{leg}", information=cause) == [("END", wire.released(19))]
    assert bench.counts("answered") == {"answered": 1}


def test_monitored_disconnect_without_a_cause(bench_of, wire, variant):
    bench = bench_of(wire.terminate_flow("100", monitor_disconnect=True), variant)
    bench.initial_dp()
    bench.report("oAnswer")
    assert bench.report("oDisconnectLeg2") == [("END", wire.released(16))]


def test_monitored_final_connect(bench_of, wire, variant):
    flow = wire.terminate_flow("100", exits=(None,), monitor_disconnect=True)
    bench = bench_of(flow, variant)
    assert bench.initial_dp() == [
        ("CONTINUE", wire.rrbe(wire.ABANDON, *DISCONNECTS), wire.connect("100"))
    ]
    assert bench.report("oDisconnectLeg1") == [("END", wire.released(16))]
    assert bench.counts("connected") == {"connected": 1}


def test_watching_has_an_end(bench_of, wire, variant):
    flow = wire.terminate_flow("100", monitor_disconnect=True)
    bench = bench_of(flow, variant, activity_test_seconds=0, call_guard_s=3600)
    bench.initial_dp()
    bench.report("oAnswer")
    assert bench.advance(3599) == []
    disarm = wire.rrbe(*(("oDisconnect", "transparent", leg, None) for leg in (1, 2)))
    assert bench.advance(2) == [("END", disarm)]
    assert bench.counts("answered", "errors") == {"answered": 1, "errors": {"call guard time": 1}}


# -- tables ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("meaning", "cause", "event"),
    [
        (Meaning.BUSY, 17, Busy(17)),
        (Meaning.BUSY, None, Busy(None)),
        (Meaning.NO_ANSWER, 19, NoAnswer()),
        (Meaning.ROUTE_SELECT_FAILURE, 3, RouteSelectFailure(3)),
        (Meaning.DISCONNECT, 17, Busy(17)),
        (Meaning.DISCONNECT, 18, NoAnswer()),
        (Meaning.DISCONNECT, 19, NoAnswer()),
        (Meaning.DISCONNECT, 34, RouteSelectFailure(34)),
        (Meaning.DISCONNECT, None, RouteSelectFailure(None)),
    ],
)
def test_failures(meaning, cause, event):
    assert failure_event(meaning, cause) == event


@pytest.mark.parametrize("event", [None, 1, 2, 3, 13, 14, 12])
@pytest.mark.parametrize("variant", ["cs1", "camel1", "camel2", "camel3", "camel4"])
def test_half_of_the_call(event, variant):
    is_terminating = event in ((12, 13, 14) if variant == "camel4" else (12,))
    assert (model_of(event, variant).route_select_failure is None) == is_terminating


def test_leg_of():
    assert leg_of({"legID": {"receivingSideID_hex": "02"}}) == 2
    assert leg_of({"legID": {"sendingSideID_hex": "01"}}) == 1
    assert leg_of({"legID": {"receivingSideID_hex": ""}}) is None
    assert leg_of({"legID_hex": "ff"}) is None
