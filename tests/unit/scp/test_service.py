"""Which dialogues are served, and what is refused how."""

import pytest

from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.tcap.components import ProblemType, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue_portion import Aare, Abrt
from tsvc.protocols.tcap.messages import MessageType, decode, encode

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
