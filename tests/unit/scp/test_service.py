"""Which dialogues are served, and how others are refused."""

import pytest

from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.tcap.components import ProblemType, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue_portion import Aare, Abrt
from tsvc.protocols.tcap.messages import MessageType, decode, encode

REJECT_UNRECOGNIZED = ("reject", 1, 1)
REJECT_MISTYPED = ("reject", 1, 2)


# -- application contexts -------------------------------------------------------------------


@pytest.mark.parametrize(
    "context", ["ati3", "ussd2", "camel3-sms", "camel3-gprs", "camel4-scp", "cs1-traffic"]
)
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
    # In CAP v4, 13 is a trigger of the terminating half; otherwise it is no trigger.
    (first,) = bench.initial_dp(context=None, eventTypeBCSM=13)
    is_terminating = first.components[0] == wire.rrbe(wire.T_ABANDON)
    assert is_terminating == (default_ac == "camel4")
    bench.send("end")


def test_operation_that_the_context_does_not_have(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    for context in ("-assist", "-srf"):
        assert bench.initial_dp(variant + context) == [("END", REJECT_UNRECOGNIZED)]
    assert bench.assist_request("12345678", "") == [("END", REJECT_UNRECOGNIZED)]


def test_no_context_and_no_default_is_aborted(bench_of, wire):
    bench = bench_of(wire.extension_flow(), default_ac=None)
    (refusal,) = bench.initial_dp(context=None)
    assert refusal == ("U-ABORT",)
    assert refusal.pdu is None


# -- operations that may begin a dialogue ---------------------------------------------------


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
        (20, REJECT_UNRECOGNIZED),  # Connect: an operation of the SCP
        (36, REJECT_MISTYPED),  # ApplyChargingReport without its argument
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
        ("3000", REJECT_MISTYPED),  # serviceKey is mandatory
        ("3003" + "9c0102", REJECT_MISTYPED),
        ("3002" + "8000", REJECT_MISTYPED),
        ("3008" + "8006010203040506", REJECT_MISTYPED),
        ("3006" + "80012d" + "80012d", REJECT_MISTYPED),
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
    ("code", "parameter", "answer"),
    [
        (120, "", REJECT_UNRECOGNIZED),
        (20, "", REJECT_UNRECOGNIZED),
        (0, "", REJECT_MISTYPED),
        (0, "300380012d", ("error", 14)),  # a second InitialDP
        (16, "", REJECT_MISTYPED),
        (36, "", REJECT_MISTYPED),
        (55, "0500", REJECT_MISTYPED),  # ActivityTest has no argument
    ],
)
def test_errors_and_rejects_go_in_an_end(bench_of, wire, variant, code, parameter, answer):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.dialogue.invoke(code, 2, bytes.fromhex(parameter), now=bench.now)
    assert bench.send() == [("END", answer)]
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"protocol": 1}}


def test_nothing_of_a_message_is_acted_upon_if_one_component_is_refused(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.dialogue.invoke(120, 2, None, now=bench.now)
    assert bench.digits("100") == [("END", REJECT_UNRECOGNIZED)]


def test_operation_that_nobody_asked_for(bench_of, wire, variant):
    for name, answer in (
        ("ApplyChargingReport", ("END", ("error", 14))),
        ("CallInformationReport", ("U-ABORT",)),  # of class 4: it has no errors
    ):
        bench = bench_of(wire.extension_flow(), variant)
        bench.initial_dp()
        bench.invoke(name, OPERATIONS.get(name).example)
        assert bench.send() == [answer]
        assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"protocol": 1}}


def test_entity_released_ends_the_call(bench_of, wire):
    bench = bench_of(wire.extension_flow(), "camel4")
    bench.initial_dp()
    bench.invoke("EntityReleased", OPERATIONS.get("EntityReleased").example)
    assert bench.send() == [wire.END]
    assert bench.counts("failed") == {"failed": 1}


PROMPT = "PromptAndCollectUserInformation"
MISTYPED_RESULT, UNEXPECTED_RESULT = ("reject", 2, 2), ("reject", 2, 1)


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({}, MISTYPED_RESULT),  # nothing at all
        ({"code": 48, "parameter": b"\x02\1\5"}, MISTYPED_RESULT),
        ({"code": 48, "parameter": bytes.fromhex("a00480020021")}, MISTYPED_RESULT),
        ({"code": 55}, MISTYPED_RESULT),  # of another operation
        (
            {"code": 48, "parameter": bytes.fromhex("80020021"), "is_last": False},
            UNEXPECTED_RESULT,
        ),
    ],
)
@pytest.mark.parametrize("primitive", ["continue", "end"])
def test_result_that_is_malformed(bench_of, wire, variant, result, answer, primitive):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    component = ReturnResult(bench.invoke_ids[PROMPT], **result)
    said = bench.answer(component, primitive=primitive)
    assert said == ([("END", answer)] if primitive == "continue" else [])
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"protocol": 1}}


@pytest.mark.parametrize(
    ("code", "parameter", "problem"),
    [
        (99, None, 2),
        ("1.2.3", None, 2),
        (1, bytes.fromhex("3006800100810130"), 3),  # CancelFailed: not an error of a prompt
        (11, None, 4),
        (11, b"\x02\1\1", 4),
        (13, b"\x0a\1\1", 4),
    ],
)
def test_error_that_is_malformed(bench_of, wire, variant, code, parameter, problem):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    error = ReturnError(bench.invoke_ids[PROMPT], code, parameter)
    assert bench.answer(error) == [("END", ("reject", 3, problem))]


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


# -- messages that the network returns ------------------------------------------------------


@pytest.mark.parametrize("size", [20, None])
def test_message_that_comes_back_ends_its_call(bench_of, wire, variant, size):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    answer = encode(MessageType.CONTINUE, otid=bench.dialogue.remote_tid, dtid=b"\1")
    bench.scp.give_back((answer + bytes(40))[:size], bench.now)
    assert bench.exchange() == []  # an abort would not arrive either
    assert bench.counts("failed", "abandoned") == {"abandoned": 1}
    bench.scp.give_back(answer, bench.now)
    bench.scp.give_back(b"", bench.now)


def test_question_to_the_resource_that_comes_back_releases_the_call(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf={"use_etc": True})
    (first,) = bench.initial_dp()
    bench.assist_request(first.components[1][1]["correlationID_digits"])
    asked = encode(MessageType.CONTINUE, otid=bench.assist.remote_tid, dtid=b"\1")
    bench.scp.give_back(asked, bench.now)
    assert bench.exchange() == [("END", wire.DFC, wire.released(38))]
