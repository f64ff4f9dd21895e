"""Which flow serves a call, how it ends, counters and settings."""

import pytest

PROMPT = "PromptAndCollectUserInformation"


# -- which flow -----------------------------------------------------------------------------


def test_no_trigger_releases_and_counts(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    (end,) = bench.initial_dp(serviceKey=46)
    assert end == ("END", wire.released(31))
    assert end.pdu.result == 0
    assert bench.counts("calls", "no_trigger") == {"calls": 1, "no_trigger": 1}


def test_a_call_that_no_flow_serves_is_told_with_what_there_is(bench_of, wire, variant, caplog):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp(serviceKey=46, calledPartyNumber_digits="0800555")
    for _ in range(99):  # with many calls, one line is logged in a second
        bench.initial_dp(serviceKey=46)
    line, *more = [one for one in caplog.records if one.name == "tsvc.scp"]
    flow = bench.flow
    (trigger,) = flow.triggers
    assert len(more) < 20
    assert (line.levelname, line.message) == ("WARNING", "no flow serves a call")
    assert line.tsvc_fields == {
        "service_key": 46,
        "called": "0800555",
        "released": 31,
        "flows": f"{flow.name} ({trigger.kind.value} {trigger.value})",
    }


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        ({"serviceKey": 45}, 1),
        ({"calledPartyNumber_digits": "08001"}, 2),
        ({"calledPartyNumber_digits": "080055"}, 3),
        ({"calledPartyBCDNumber_digits": "080055"}, 3),
        ({"dialledDigits_digits": "080055"}, 3),
        ({"calledPartyNumber_digits": "08001", "dialledDigits_digits": "080055"}, 2),
        ({"calledPartyNumber_digits": "B21"}, 4),
        ({"calledPartyBCDNumber_digits": "a21"}, 4),
        ({"callingPartyNumber_digits": "6421"}, 5),
        ({"callingPartyNumber_digits": "64", "serviceKey": 1}, None),
    ],
)
def test_trigger_choice(bench_of, wire, arguments, cause):
    variant = "camel3" if "calledPartyBCDNumber_digits" in arguments else "cs1"
    triggers = [
        {"service_key": 45},
        {"called_prefix": "0800"},
        {"called_prefix": "08005"},
        {"called_prefix": "B2"},
        {"calling_prefix": "642"},
    ]
    bench = bench_of(wire.extension_flow(), variant)
    flows = [
        wire.document(wire.release(number), triggers=[trigger], name=f"flow {number}")
        for number, trigger in enumerate(triggers, start=1)
    ]
    bench.scp.replace_flows([bench.compile(flow) for flow in flows])
    expected = wire.released(31 if cause is None else cause)
    assert bench.initial_dp(**{"serviceKey": 99, **arguments}) == [("END", expected)]


def test_default_flow(bench_of, wire):
    bench = bench_of(wire.document(wire.release(9), triggers=[{"default": True}]))
    assert bench.initial_dp(serviceKey=99) == [("END", wire.released(9))]


def test_own_flow_without_triggers_takes_every_call(bench_of, wire):
    bench = bench_of(wire.document(wire.release(9), triggers=[]), is_own_flow=True)
    assert bench.initial_dp(serviceKey=99) == [("END", wire.released(9))]


def test_own_flow_with_triggers_takes_these_only(bench_of, wire):
    bench = bench_of(wire.document(wire.release(9)), is_own_flow=True)
    assert bench.initial_dp(serviceKey=99) == [("END", wire.released(31))]
    assert bench.initial_dp(serviceKey=45) == [("END", wire.released(9))]


def test_site_flow_without_triggers_takes_no_call(bench_of, wire):
    bench = bench_of(wire.document(wire.release(9), triggers=[]))
    assert bench.initial_dp() == [("END", wire.released(31))]


def test_calls_in_progress_keep_their_flow(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    first = bench.dialogue
    bench.scp.replace_flows([bench.compile(wire.document(wire.release(9), name="new"))])
    assert bench.initial_dp() == [("END", wire.released(9))]
    bench.dialogue = first
    assert bench.digits("200") == [("END", wire.DFC, wire.released(103))]
    assert set(bench.scp.counters["flows"]) == {"tested", "new"}


def test_release_without_a_cause_takes_the_sites(bench_of, wire):
    operation = {"type": "ReleaseCall", "config": {}, "exits": []}
    bench = bench_of(wire.document(operation), release_cause=21)
    assert bench.initial_dp() == [("END", wire.released(21))]


def test_step_limit_releases(bench_of, wire):
    dialing = {
        "type": "AttemptTerminate",
        "config": {"destinations": [{"address": "1"}]},
        "exits": [2],
    }
    bench = bench_of(wire.document(dialing))
    bench.initial_dp()
    for _ in range(998):
        assert bench.report("oCalledPartyBusy")[0].primitive == "CONTINUE"
    assert bench.report("oCalledPartyBusy") == [("END", wire.released(31))]
    assert bench.counts("released") == {"released": 1}


def test_mistake_in_a_node_ends_its_call_only(bench_of, wire, monkeypatch):
    bench = bench_of(wire.extension_flow())
    bench.initial_dp()
    healthy = bench.dialogue

    def failing(self, call):
        raise RuntimeError("a mistake")

    with monkeypatch.context() as patched:
        patched.setattr(type(bench.flow.operations[2].node), "run", failing)
        # Another number than before, because the outcome of that one is remembered.
        other = bench.initial_dp(calledPartyNumber_digits="1")
        assert other == [("END", wire.released(31))]
    bench.dialogue = healthy
    bench.invoke_ids[PROMPT] = 2
    assert bench.digits("200") == [("END", wire.DFC, wire.released(103))]
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"flow": 1}}


# -- the service stops ----------------------------------------------------------------------


def test_abort_all_releases_callers_who_wait(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.scp.abort_all(bench.now)
    assert bench.exchange() == [("END", wire.DFC, wire.released(31))]


def test_abort_all_lets_ringing_and_talking_calls_go_on(bench_of, wire, variant):
    flow = wire.terminate_flow("100", monitor_disconnect=True)
    bench = bench_of(flow, variant)
    bench.initial_dp()
    bench.initial_dp()
    bench.report("oAnswer")
    bench.scp.abort_all(bench.now)
    ends = bench.exchange()
    assert [end.primitive for end in ends] == ["END", "END"]
    names = {name for end in ends for name, *_ in end.components}
    assert names == {"RequestReportBCSMEvent"}
    modes = {event[1] for end in ends for _, events in end.components for event in events}
    assert modes == {"transparent"}
    assert bench.counts("answered", "released") == {"answered": 1, "released": 1}


# -- counters -------------------------------------------------------------------------------


def test_counters_by_flow_operation_and_exit(bench_of, wire):
    bench = bench_of(wire.extension_flow())
    for entry in ("200", "200", "100"):
        bench.initial_dp()
        bench.digits(entry)
    bench.report("oAnswer")
    assert bench.scp.counters["flows"] == {
        "tested": {
            "calls": 3,
            "endings": {"released": 2, "answered": 1},
            "operations": {"1": 3, "2": 3, "5": 2},
            "exits": {"1:0": 3, "2:2": 2},
        }
    }


def test_path_names_the_ssps_transaction(bench_of, wire):
    bench = bench_of(wire.document(wire.release(17)))
    bench.initial_dp()
    assert bench.paths == [(bench.dialogue.otid, "tested", [(1, 0), (2, None)])]


# -- settings -------------------------------------------------------------------------------


def test_default_context_has_to_decide_a_variant(wire):
    flow = wire.extension_flow()
    with pytest.raises(ValueError, match="ati3"):
        wire.Bench(flow, default_ac="ati3")
    with pytest.raises(ValueError, match="is no alias"):
        wire.Bench(flow, default_ac="nothing")
