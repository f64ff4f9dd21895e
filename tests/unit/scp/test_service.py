"""Which dialogues are served, by which flow, what is refused how, and what is counted."""

from dataclasses import fields

import pytest

from tsvc import config_tables
from tsvc.flow.settings import FlowSettings
from tsvc.protocols.inap.contexts import BY_ALIAS
from tsvc.protocols.tcap.components import ProblemType, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue_portion import Aare, Abrt
from tsvc.protocols.tcap.messages import MessageType, decode, encode
from tsvc.scp.settings import ScpSettings, SrfSettings, flow_settings

PROMPT = "PromptAndCollectUserInformation"
REJECT_UNRECOGNIZED = ("reject", 1, 1)
REJECT_MISTYPED = ("reject", 1, 2)


# -- application contexts -------------------------------------------------------------------


@pytest.mark.parametrize("context", ["ati3", "ussd2"])
def test_unsupported_context_is_refused_with_an_aare(bench_of, wire, context):
    bench = bench_of(wire.extension_flow())
    (refusal,) = bench.initial_dp(context)
    assert refusal == ("U-ABORT",)
    assert refusal.pdu == Aare(
        BY_ALIAS[context].octets, result=1, diagnostic_source=1, diagnostic=2
    )
    assert bench.counts("calls", "messages") == {"messages": {"application context refused": 1}}


@pytest.mark.parametrize("default_ac", ["cs1", "camel2", "camel3", "camel4"])
def test_default_context_decides_the_variant(bench_of, wire, default_ac):
    bench = bench_of(wire.extension_flow(), default_ac, default_ac=default_ac)
    # In CAP v4, 13 is a trigger of the terminating half; elsewhere it is none.
    (first,) = bench.initial_dp(context=None, eventTypeBCSM=13)
    is_terminating = first.components[0] == wire.rrbe(wire.T_ABANDON)
    assert is_terminating == (default_ac == "camel4")
    bench.send("end")


def test_no_context_and_no_default_is_aborted(bench_of, wire):
    bench = bench_of(wire.extension_flow(), default_ac=None)
    (refusal,) = bench.initial_dp(context=None)
    assert refusal == ("U-ABORT",)
    assert refusal.pdu is None


# -- what a dialogue may begin with ---------------------------------------------------------


def begin_with(bench, code, parameter=None, operation_class=2):
    bench.dialogue = bench.peers["ssp"].new_dialogue(bench.now)
    bench.dialogue.invoke(code, operation_class, parameter, now=bench.now)
    return bench.begin(bench.dialogue, "ssp", bench.variant)


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        (120, REJECT_UNRECOGNIZED),
        (-3, REJECT_UNRECOGNIZED),
        ("1.2.3", REJECT_UNRECOGNIZED),
        (20, REJECT_UNRECOGNIZED),  # Connect: an operation of ours
        (36, ("error", 14)),  # ApplyChargingReport that nobody asked for
    ],
)
def test_begin_with_another_operation(bench_of, wire, variant, code, answer):
    bench = bench_of(wire.extension_flow(), variant)
    assert begin_with(bench, code) == [("END", answer)]
    assert bench.counts("calls") == {}


def test_begin_with_a_report_or_nothing_is_aborted(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    for code in (24, None):
        if code is None:
            bench.dialogue = bench.peers["ssp"].new_dialogue(bench.now)
            (refusal,) = bench.begin(bench.dialogue, "ssp", variant)
        else:
            (refusal,) = begin_with(bench, code, bytes.fromhex("3003800107"), 4)
        assert refusal == ("U-ABORT",)
        assert refusal.pdu == Abrt(0)


@pytest.mark.parametrize(
    ("parameter", "answer"),
    [
        ("", REJECT_MISTYPED),
        ("0500", REJECT_MISTYPED),
        ("30028203", REJECT_MISTYPED),
        ("3000", ("error", 7)),
        ("3003" + "9c0102", ("error", 7)),
        ("3002" + "8000", ("error", 7)),
    ],
)
def test_initial_dp_that_cannot_be_used(bench_of, wire, variant, parameter, answer):
    bench = bench_of(wire.extension_flow(), variant)
    assert begin_with(bench, 0, bytes.fromhex(parameter)) == [("END", answer)]
    assert bench.counts("calls") == {}


def test_malformed_component_in_the_begin(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, default_ac=variant)
    good = bytes.fromhex("a10b0201000201003003") + bytes.fromhex("80012d")
    bad = bytes.fromhex("a103020107")  # an invoke that ends before its operation
    octets = encode(MessageType.BEGIN, otid=b"\0\0\0\x09", components=[good, bad])
    bench.scp.receive(octets, "scp", "ssp", bench.now)
    (end,) = bench.scp.data_to_send()
    message = decode(end.octets)
    assert message.type is MessageType.END
    (reject,) = message.components
    assert (reject.invoke_id, reject.problem_type) == (7, ProblemType.GENERAL)
    assert bench.counts("calls") == {}


# -- errors and rejects towards the SSP -----------------------------------------------------


@pytest.mark.parametrize(
    ("code", "operation_class", "answer"),
    [
        (120, 2, REJECT_UNRECOGNIZED),
        (20, 2, REJECT_UNRECOGNIZED),
        (0, 2, ("error", 14)),
        (16, 2, ("error", 14)),
        (36, 2, ("error", 14)),
    ],
)
def test_errors_and_rejects_go_in_an_end(bench_of, wire, variant, code, operation_class, answer):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.dialogue.invoke(code, operation_class, None, now=bench.now)
    assert bench.send() == [("END", answer)]
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"protocol": 1}}


def test_nothing_of_a_message_is_acted_upon_if_one_component_is_refused(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.dialogue.invoke(120, 2, None, now=bench.now)
    assert bench.digits("100") == [("END", REJECT_UNRECOGNIZED)]


def test_unexpected_operation_of_class_4_is_ignored(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.dialogue.invoke(44, 4, None, now=bench.now)  # CallInformationReport
    assert bench.send() == []
    bench.send("end")
    assert bench.counts("messages") == {"messages": {"ignored operation": 1}}


@pytest.mark.parametrize(
    ("component", "answer"),
    [
        (ReturnResult(99), ("reject", 2, 0)),
        (ReturnError(99, 11), ("reject", 3, 0)),
    ],
)
def test_answer_to_nothing_is_rejected_in_an_end(bench_of, wire, variant, component, answer):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.answer(component) == [("END", answer)]


def test_result_of_an_operation_without_results(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    invoke_id = bench.invoke_ids["ConnectToResource"]
    assert bench.answer(ReturnResult(invoke_id)) == [("END", ("reject", 2, 1))]


def test_reject_without_an_invoke_id_releases(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.answer(Reject(None, ProblemType.GENERAL, 2)) == [
        ("END", wire.DFC, wire.released(31))
    ]


# -- transactions ---------------------------------------------------------------------------


def test_unknown_transactions(bench_of, wire):
    bench = bench_of(wire.extension_flow())
    tid = b"\x12\x34\x56\x78"
    bench.scp.receive(encode(MessageType.CONTINUE, otid=b"\1", dtid=tid), "scp", "ssp", bench.now)
    (abort,) = bench.scp.data_to_send()
    assert abort.octets == bytes.fromhex("6706 4901 01 4a01 01".replace(" ", ""))
    bench.scp.receive(encode(MessageType.END, dtid=tid), "scp", "ssp", bench.now)
    bench.scp.receive(
        encode(MessageType.ABORT, dtid=tid, p_abort_cause=1), "scp", "ssp", bench.now
    )
    assert bench.scp.data_to_send() == []
    dialogues = bench.scp.counters["dialogues"]
    assert (dialogues["aborted_unknown"], dialogues["dropped"]) == (1, 2)


def test_released_transaction_id_rests(bench_of, wire):
    bench = bench_of(wire.document(wire.release(17)), quarantine_s=30)
    bench.scp.endpoint._next_tid = 7
    bench.initial_dp()
    bench.scp.endpoint._next_tid = 7
    bench.initial_dp()
    assert bench.scp.endpoint._next_tid == 9
    bench.advance(31)
    bench.scp.endpoint._next_tid = 7
    bench.initial_dp()
    assert bench.scp.endpoint._next_tid == 8


def test_full_service_refuses_with_resource_limitation(bench_of, wire):
    bench = bench_of(wire.extension_flow(), max_dialogues=1)
    bench.initial_dp()
    first = bench.dialogue
    (refusal,) = bench.initial_dp()
    assert (refusal.primitive, refusal.p_abort_cause) == ("P-ABORT", 4)
    bench.send("end", first)


# -- which flow -----------------------------------------------------------------------------


def test_no_trigger_releases_and_counts(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    (end,) = bench.initial_dp(serviceKey=46)
    assert end == ("END", wire.released(31))
    assert end.pdu.result == 0
    assert bench.counts("calls", "no_trigger") == {"calls": 1, "no_trigger": 1}


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
        assert bench.initial_dp() == [("END", wire.released(31))]
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


def test_flow_settings_are_the_sites():
    site = ScpSettings(
        no_answer_seconds=7,
        no_answer_max_seconds=8,
        no_match="reprompt",
        default_message_id=9,
        announcements={"S": {"main": 1}},
    )
    assert flow_settings(site) == FlowSettings({"S": {"main": 1}}, 9, 7, 8, "reprompt")


@pytest.mark.parametrize(
    ("table", "ours"),
    [(config_tables.Srf, SrfSettings), (config_tables.Scp, ScpSettings)],
)
def test_settings_know_every_member_of_the_configuration(table, ours):
    """`[scp]` maps by name."""
    known = {member.name for member in fields(ours)} | {"flows", "listen"}
    assert {member.name for member in fields(table)} <= known
