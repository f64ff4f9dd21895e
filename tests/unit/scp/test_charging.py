"""Charging on the wire: grants and reports, the end of the conversation, refusals of an SSP."""

import pytest

from tsvc.protocols.inap.operation import OPERATIONS

OVER = ({"oDisconnectSpecificInfo": {"releaseCause_cause": 16}},)
DISCONNECTS = (("oDisconnect", "interrupted", 1, None), ("oDisconnect", "interrupted", 2, None))
CAP = ["camel2", "camel3", "camel4"]
TONES = {
    "cs1": "a00980020258a1030101ff",
    "camel2": {"releaseIfdurationExceeded": {"tone": 1}},
    "camel3": {"releaseIfdurationExceeded": 1, "tone": 1},
    "camel4": {"releaseIfdurationExceeded": 1, "audibleIndicator": {"tone": 1}},
}


def charging(wire, exits=(3, 4, 5, 6), **config):
    """Return a flow of two grants of a minute; its exits release with causes 101 to 104."""
    config = {"grant_seconds": 60, "budget_seconds": 120, **config}
    operation = {"type": "ApplyCharging", "config": config, "exits": list(exits)}
    return wire.document(operation, *[wire.release(101 + n) for n in range(4)])


def grant(variant, seconds=60, leg=1, **more):
    """Return ApplyCharging as the SSP reads it."""
    if variant == "cs1":
        tenths = (seconds * 10).to_bytes(2, "big").hex()
        return ("ApplyCharging", (f"a0048002{tenths}", leg))
    period = {"maxCallPeriodDuration": seconds * 10, **more}
    return ("ApplyCharging", ({"timeDurationCharging": period}, leg))


def report(bench, seconds, *, is_active=True, leg=1):
    """Queue ApplyChargingReport: in INAP the octets of CAP v2."""
    active = "legActive" if bench.variant == "camel4" else "callActive"
    result = {
        "partyToCharge": {"receivingSideID_hex": f"{leg:02x}"},
        "timeInformation": {"timeIfNoTariffSwitch": seconds * 10},
        active: is_active,
    }
    spoken = "camel2" if bench.variant == "cs1" else bench.variant
    operation = OPERATIONS.get("ApplyChargingReport")
    parameter = operation.encode_argument({"timeDurationChargingResult": result}, spoken)
    bench.dialogue.invoke(operation.code, operation.operation_class, parameter, now=bench.now)


def used(bench, seconds):
    """Report that a grant is used up; return the answers."""
    report(bench, seconds)
    return bench.send()


def talking(bench):
    """Open a call and answer it."""
    bench.initial_dp()
    assert bench.report("oAnswer") == []
    return bench


@pytest.fixture
def charged(bench_of, wire, variant):
    return lambda **config: bench_of(charging(wire, **config), variant)


# -- grants ---------------------------------------------------------------------------------


def test_first_grant_goes_with_what_connects_the_caller(charged, wire, variant):
    bench = charged()
    armed = wire.rrbe(*wire.watched(15)[1], *DISCONNECTS)
    assert bench.initial_dp() == [("CONTINUE", armed, grant(variant), ("Continue",))]
    bench.send("end")


def test_a_destination_is_connected(charged, wire, variant):
    bench = charged(destination="4329100", timeout_seconds=20, party="called")
    armed = wire.rrbe(*wire.watched(20)[1], *DISCONNECTS)
    assert bench.initial_dp() == [
        ("CONTINUE", armed, grant(variant, leg=2), wire.connect("4329100"))
    ]
    bench.send("end")


def test_each_report_leads_to_the_next_grant_until_nothing_is_left(charged, wire, variant):
    bench = talking(charged(budget_seconds=150))
    assert used(bench, 60) == [("CONTINUE", grant(variant))]
    assert used(bench, 120) == [("CONTINUE", grant(variant, 30))]
    assert used(bench, 150) == [("END", wire.released(101))]
    assert bench.paths[0][2] == [(1, 0), (2, 0), (3, None)]
    assert bench.counts("released", "errors") == {"released": 1}


def test_the_last_grant_is_the_one_that_releases_with_a_tone(charged, variant):
    bench = talking(charged(at_end="release", tone=True))
    expected = TONES[variant]
    if isinstance(expected, dict):
        period = {"maxCallPeriodDuration": 600, **expected}
        expected = {"timeDurationCharging": period}
    assert used(bench, 60) == [("CONTINUE", ("ApplyCharging", (expected, 1)))]
    bench.send("end")


@pytest.mark.parametrize("tone", [{}, {"tone": 1}])
def test_a_tone_alone(bench_of, wire, tone):
    """CAP v2 can't request a tone without a release; later phases can."""
    for variant, said in (("camel2", {}), ("camel3", tone)):
        bench = bench_of(charging(wire, budget_seconds=60, tone=bool(tone)), variant)
        (first,) = bench.initial_dp()
        assert first.components[1] == grant(variant, **said)
        bench.send("end")


def test_more_time_after_the_budget_connects_nothing(bench_of, wire, variant):
    bench = bench_of(charging(wire, exits=(2, 3, 3, 3), budget_seconds=60), variant)
    talking(bench)
    for turn in range(1, 4):
        assert used(bench, 60 * turn) == [("CONTINUE", grant(variant))]
    bench.send("end")
    assert bench.counts("answered") == {"answered": 1}


def test_a_flow_that_grants_for_ever_meets_the_step_limit(bench_of, wire):
    bench = bench_of(charging(wire, exits=(2, 3, 3, 3), budget_seconds=60), "camel2")
    talking(bench)
    for _ in range(998):
        bench.dialogue.invocations.clear()  # the answered invocations are done
        assert used(bench, 60) == [("CONTINUE", grant("camel2"))]
    assert used(bench, 60) == [("END", wire.released(31))]


def test_characteristics_of_an_operator(bench_of, wire):
    flow = charging(wire, inap_characteristics_hex="010203", budget_seconds=60)
    bench = bench_of(flow, "cs1")
    (first,) = bench.initial_dp()
    assert first.components[1] == ("ApplyCharging", ("010203", 1))
    bench.report("oAnswer")
    # Only the operator can read these octets: the grant is used up, no more is known.
    bench.invoke("ApplyChargingReport", {"callResult_hex": "ff00"})
    assert bench.send() == [("END", wire.released(101))]


# -- the end of the conversation ------------------------------------------------------------


@pytest.mark.parametrize("leg", [1, 2])
def test_a_party_leaves(charged, wire, leg):
    bench = talking(charged())
    used(bench, 60)
    report(bench, 80, is_active=False)
    assert bench.report(f"oDisconnectLeg{leg}", information=OVER[0]) == [
        ("END", wire.released(102))
    ]
    assert bench.paths[0][2] == [(1, 0), (2, 1), (4, None)]


def test_a_party_leaves_and_the_report_comes_by_itself(charged, wire):
    bench = talking(charged())
    report(bench, 20, is_active=False)
    assert bench.send() == []
    assert bench.report("oDisconnectLeg2") == [("END", wire.released(102))]


def test_a_party_leaves_and_no_report_comes(charged, wire):
    bench = talking(charged())
    assert bench.report("oDisconnectLeg2") == [("END", wire.released(102))]


def test_the_network_has_released_the_call(charged, wire):
    """Only the report shows it: the SCP waits for further messages, but not forever."""
    bench = talking(charged(at_end="release", budget_seconds=60))
    report(bench, 60, is_active=False)
    assert bench.send() == []
    assert bench.advance(9.9) == []
    assert bench.advance(0.2) == [("END", wire.released(102))]


def test_the_network_has_released_the_call_and_ends_the_dialogue(charged):
    bench = talking(charged(at_end="release", budget_seconds=60))
    report(bench, 60, is_active=False)
    assert bench.send("end") == []
    assert bench.counts("answered", "errors") == {"answered": 1}


def test_a_report_that_nobody_can_read_beside_the_disconnect_grants_nothing(bench_of, wire):
    bench = talking(bench_of(charging(wire, inap_characteristics_hex="01"), "cs1"))
    bench.invoke("ApplyChargingReport", {"callResult_hex": "ff"})
    assert bench.report("oDisconnectLeg2") == [("END", wire.released(102))]


def test_the_answer_in_the_ssps_last_message(charged):
    bench = charged()
    bench.initial_dp()
    assert bench.report("oAnswer", primitive="end") == []
    assert bench.counts("answered") == {"answered": 1}


# -- nobody answers -------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["oCalledPartyBusy", "oNoAnswer", "routeSelectFailure"])
@pytest.mark.parametrize("has_report", [True, False])
def test_nobody_to_talk_to(charged, wire, event, has_report):
    bench = charged()
    bench.initial_dp()
    if has_report:
        report(bench, 0, is_active=False)
    assert bench.report(event) == [("END", wire.released(103))]


def test_the_caller_leaves_before_the_answer(charged, wire):
    bench = charged()
    bench.initial_dp()
    report(bench, 0, is_active=False)
    assert bench.report("oAbandon") == [wire.END]
    assert bench.paths[0][2] == [(1, 0), (2, None)]
    assert bench.counts("abandoned") == {"abandoned": 1}


@pytest.mark.parametrize("primitive", ["end", "abort"])
def test_the_ssp_gives_up(charged, primitive):
    bench = charged()
    bench.initial_dp()
    assert bench.send(primitive) == []
    assert bench.counts("abandoned") == {"abandoned": 1}


def test_nothing_is_heard_of_the_destination(charged):
    bench = charged()
    bench.initial_dp()
    (end,) = bench.advance(26)
    assert end.primitive == "END"
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"ring guard time": 1}}


# -- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ["taskRefused", "parameterOutOfRange", "systemFailure"])
def test_the_ssp_refuses_to_charge(charged, wire, error):
    bench = charged()
    bench.initial_dp()
    assert bench.error("ApplyCharging", error) == [("END", wire.released(104))]
    assert bench.counts("errors") == {"errors": {f"charging: {error}": 1}}


def test_a_further_grant_is_refused(charged, wire):
    bench = talking(charged())
    used(bench, 60)
    assert bench.error("ApplyCharging", "taskRefused") == [("END", wire.released(104))]


def test_a_report_that_does_not_come(charged, wire):
    bench = talking(charged(grant_seconds=20, budget_seconds=40))
    assert bench.advance(29.9) == []
    assert bench.advance(0.2) == [("END", wire.released(104))]
    assert bench.counts("errors") == {"errors": {"charging: no report": 1}}


def test_cap_v1_can_not_charge(bench_of, wire):
    bench = bench_of(charging(wire), "camel1")
    assert bench.initial_dp() == [("END", wire.released(104))]
    assert bench.counts("errors") == {"errors": {"charging: none in CAP v1": 1}}


def test_cap_v1_in_a_circle_of_errors(bench_of, wire):
    bench = bench_of(charging(wire, exits=(3, 3, 3, 2)), "camel1")
    assert bench.initial_dp() == [("END", wire.released(31))]


def test_a_report_of_time_before_the_answer_is_noted(charged, variant):
    bench = charged()
    bench.initial_dp()
    assert used(bench, 0) == []
    assert bench.counts("messages") == {"messages": {"report of call time before the answer": 1}}
    bench.send("end")


def test_a_report_that_nobody_asked_for_is_refused(charged, variant):
    bench = talking(charged(budget_seconds=60))
    report(bench, 60)
    report(bench, 60)
    (answer,) = bench.send()
    assert answer.primitive in ("END", "U-ABORT")
    assert bench.scp.calls_in_progress == 0


def test_one_report_is_due_for_each_grant_that_was_sent(charged, variant):
    """The second report would be for a grant that the SSP cannot have received yet."""
    bench = talking(charged())
    report(bench, 60)
    report(bench, 120)
    unexpected_component_sequence = 14
    assert bench.send() == [("END", ("error", unexpected_component_sequence))]
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"protocol": 1}}


@pytest.mark.parametrize("charged_leg", [1, 2])
def test_a_report_of_the_party_that_is_not_charged(charged, variant, charged_leg):
    party = {1: "calling", 2: "called"}[charged_leg]
    bench = talking(charged(party=party))
    report(bench, 60, leg=charged_leg)
    (answer,) = bench.send()
    assert answer.primitive == "CONTINUE"
    report(bench, 120, leg=3 - charged_leg)
    assert bench.send() == [("U-ABORT",)]
    text = "report of call time of another party"
    assert bench.counts("messages") == {"messages": {text: 1}}


def test_a_report_in_a_call_that_is_not_charged_gets_an_error(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    report(bench, 60)
    unexpected_component_sequence = 14
    assert bench.send() == [("END", ("error", unexpected_component_sequence))]


@pytest.mark.parametrize("variant", CAP)
def test_a_report_that_can_not_be_read_is_rejected(bench_of, wire, variant):
    bench = talking(bench_of(charging(wire), variant))
    bench.dialogue.invoke(36, 2, bytes.fromhex("0403010203"), now=bench.now)
    assert bench.send() == [("END", ("reject", 1, 2))]


# -- charging data --------------------------------------------------------------------------


def furnish(exits, **config):
    config = {"data_hex": "01ab", **config}
    return {"type": "FurnishChargingInformation", "config": config, "exits": list(exits)}


def data(variant, is_appended=False):
    if variant == "cs1":
        return ("FurnishChargingInformation", "01ab")
    append = 1 if is_appended and variant != "camel2" else None
    return ("FurnishChargingInformation", ("01ab", 1, append))


@pytest.mark.parametrize("append", [True, False])
def test_charging_data_go_with_the_next_message(bench_of, wire, variant, append):
    flow = wire.document(furnish([3], append=append), wire.release(17))
    bench = bench_of(flow, variant)
    assert bench.initial_dp() == [("END", data(variant, append), wire.released(17))]


def test_charging_data_at_the_end_of_the_conversation(bench_of, wire, variant):
    flow = charging(wire, exits=(None, 7, None, None))
    flow["operations"]["7"] = {"id": 7, **furnish([4])}
    bench = talking(bench_of(flow, variant))
    assert bench.report("oDisconnectLeg1") == [("END", data(variant), wire.released(102))]


def test_charging_data_that_are_refused_are_counted(bench_of, wire, variant):
    flow = wire.extension_flow()
    flow["operations"]["1"]["exits"] = [9]
    flow["operations"]["9"] = {"id": 9, **furnish([2])}
    bench = bench_of(flow, variant)
    bench.initial_dp()
    assert bench.error("FurnishChargingInformation", "taskRefused") == []
    assert bench.counts("messages") == {"messages": {"charging data refused": 1}}
    (second,) = bench.digits("100")
    assert second.primitive == "CONTINUE"
    bench.send("end")


def test_a_circle_of_charging_data_fails_the_call(bench_of, wire, variant):
    bench = bench_of(wire.document(furnish([2])), variant)
    (end,) = bench.initial_dp()
    assert [part[0] for part in end.components].count("FurnishChargingInformation") == 16
    assert end.components[-1] == wire.released(31)
    assert bench.counts("errors") == {"errors": {"flow": 1}}


def test_cap_v1_can_not_be_told_charging_data(bench_of, wire):
    bench = bench_of(wire.document(furnish([3]), wire.release(17)), "camel1")
    assert bench.initial_dp() == [("END", wire.released(17))]
    assert bench.counts("messages") == {"messages": {"no charging data in CAP v1": 1}}
