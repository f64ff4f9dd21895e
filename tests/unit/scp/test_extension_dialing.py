"""ExtensionDialing on the wire: every row of the table and every exit, in each variant."""

import pytest

from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.tcap.components import ReturnResult

BUSY = {"oCalledPartyBusySpecificInfo": {"busyCause_cause": 17}}
NO_ROUTE = {"routeSelectFailureSpecificInfo": {"failureCause_cause": 1}}


def test_first_message_arms_abandon_then_connects_then_prompts(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    first = bench.initial_dp()
    assert first == [("CONTINUE", wire.rrbe(wire.ABANDON), wire.CTR, wire.prompt())]
    assert bench.send("end") == []


def test_first_backward_message_alone_carries_the_aare(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    first, second = bench.initial_dp()[0], bench.digits("1")[0]
    assert first.pdu.application_context == BY_ALIAS[variant].octets
    assert first.pdu.result == 0
    assert second.pdu is None
    bench.send("end")


def test_without_an_aarq_there_is_no_aare(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, default_ac=variant)
    (first,) = bench.initial_dp(context=None)
    assert first == wire.FIRST
    assert first.pdu is None
    bench.send("end")


def test_aare_in_a_single_end(bench_of, wire, variant):
    bench = bench_of(wire.document(wire.release(17)), variant)
    (only,) = bench.initial_dp()
    assert only == ("END", wire.released(17))
    assert only.pdu.application_context == BY_ALIAS[variant].octets


def test_answer_finishes_the_flow_without_an_exit(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.digits("100") == [("CONTINUE", wire.DFC, wire.watched(), wire.connect("4329100"))]
    assert bench.report("oAnswer", leg=2) == [wire.END]
    assert bench.paths == [(bench.dialogue.otid, "tested", [(1, 0), (2, None)])]
    assert bench.counts("answered", "errors") == {"answered": 1}


@pytest.mark.parametrize(
    ("event", "information"),
    [("oCalledPartyBusy", BUSY), ("oNoAnswer", None), ("routeSelectFailure", NO_ROUTE)],
)
def test_exit_0_after_busy_no_answer_route_select_failure(
    bench_of, wire, variant, event, information
):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.digits("100")
    # The resource was disconnected before the Connect: no second DFC.
    assert bench.report(event, 2, information) == [("END", wire.released(101))]
    assert bench.paths[0][2] == [(1, 0), (2, 0), (3, None)]
    assert bench.counts("released") == {"released": 1}


@pytest.mark.parametrize("what", ["few digits", "no digits", "keys", "improper"])
def test_exit_1_after_the_last_insufficient_attempt(bench_of, wire, variant, what):
    bench = bench_of(wire.extension_flow(), variant)

    def attempt():
        if what == "improper":
            return bench.error("PromptAndCollectUserInformation", "improperCallerResponse")
        return bench.digits({"few digits": "10", "no digits": "", "keys": "1b00"}[what])

    assert bench.initial_dp() == [wire.FIRST]
    assert attempt() == [("CONTINUE", wire.REPROMPT)]
    assert attempt() == [("CONTINUE", wire.REPROMPT)]
    assert attempt() == [("END", wire.DFC, wire.released(102))]
    assert bench.paths[0][2][1] == (2, 1)


def test_exit_2_at_once(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.digits("200") == [("END", wire.DFC, wire.released(103))]
    assert bench.paths[0][2][1] == (2, 2)


@pytest.mark.parametrize(("entries", "cause"), [("wws", 102), ("ssw", 103)])
def test_with_reprompt_the_latest_failure_is_the_exit(bench_of, wire, variant, entries, cause):
    bench = bench_of(wire.extension_flow(no_match="reprompt"), variant)
    bench.initial_dp()
    digits = {"w": "200", "s": "1"}
    assert bench.digits(digits[entries[0]]) == [("CONTINUE", wire.REPROMPT)]
    assert bench.digits(digits[entries[1]]) == [("CONTINUE", wire.REPROMPT)]
    assert bench.digits(digits[entries[2]]) == [("END", wire.DFC, wire.released(cause))]


def test_site_decides_no_match(bench_of, wire):
    bench = bench_of(wire.extension_flow(), no_match="reprompt")
    bench.initial_dp()
    assert bench.digits("200") == [("CONTINUE", wire.REPROMPT)]
    bench.send("end")


def test_reprompt_then_success(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.digits("1") == [("CONTINUE", wire.REPROMPT)]
    assert bench.digits("1234") == [
        ("CONTINUE", wire.DFC, wire.watched(), wire.connect("43291234"))
    ]
    assert bench.report("oAnswer") == [wire.END]


@pytest.mark.parametrize(("exit_", "entry"), [(1, "1"), (2, "200")])
def test_null_exit_releases_with_cause_31(bench_of, wire, variant, exit_, entry):
    exits = [3, 4, 5]
    exits[exit_] = None
    numbers = iter((3, 4))
    flow = wire.extension_flow(
        [None if one is None else next(numbers) for one in exits], max_iterations=1
    )
    bench = bench_of(flow, variant)
    bench.initial_dp()
    assert bench.digits(entry) == [("END", wire.DFC, wire.released(31))]


# -- start and end digits -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("srf", "changes", "reported", "extension"),
    [
        ({}, {}, "100c", "100"),
        ({}, {}, "100", "100"),
        ({"start_digit": "*"}, {}, "b100c", "100"),
        ({"end_digit": "9"}, {}, "1009", "100"),
        ({"end_digit": ""}, {}, "100c", None),
        ({}, {"end_character": "none"}, "100c", None),
        ({}, {}, "c100", None),
        ({}, {}, "100cc", None),
    ],
)
def test_start_and_end_digits_are_stripped(bench_of, wire, srf, changes, reported, extension):
    bench = bench_of(wire.extension_flow(**changes), srf=srf)
    bench.initial_dp()
    (answer,) = bench.digits(reported)
    if extension is None:
        assert answer.components[0][0] == "PromptAndCollectUserInformation"
    else:
        assert answer.components[-1] == wire.connect("4329" + extension)
    bench.send("end")


@pytest.mark.parametrize(
    ("srf", "changes", "expected"),
    [
        ({}, {"end_character": "none"}, {"endOfReplyDigit_hex": None}),
        ({}, {"cancel_character": "none"}, {"cancelDigit_hex": None}),
        (
            {"end_digit": "", "cancel_digit": ""},
            {},
            {"endOfReplyDigit_hex": None, "cancelDigit_hex": None},
        ),
        (
            {"end_digit": "E", "cancel_digit": "7", "start_digit": "#"},
            {},
            {"endOfReplyDigit_hex": "0e", "cancelDigit_hex": "07", "startDigit_hex": "0c"},
        ),
        (
            {"first_digit_timeout_s": 7, "inter_digit_timeout_s": 2, "interruptable": False},
            {},
            {"firstDigitTimeOut": 7, "interDigitTimeOut": 2, "interruptableAnnInd": 0},
        ),
        ({}, {"min_digits": 4, "max_digits": 5}, {"minimumNbOfDigits": 4, "maximumNbOfDigits": 5}),
    ],
)
def test_prompt_arguments(bench_of, wire, variant, srf, changes, expected):
    bench = bench_of(wire.extension_flow(**changes), variant, srf=srf)
    (first,) = bench.initial_dp()
    assert first.components[-1] == wire.prompt(**expected)
    bench.send("end")


def test_ia5_response_of_cs1(bench_of, wire):
    bench = bench_of(wire.extension_flow())
    bench.initial_dp()
    operation = OPERATIONS.get("PromptAndCollectUserInformation")
    parameter = operation.encode_result({"iA5Response": "100#"}, "cs1")
    invoke_id = bench.invoke_ids[operation.name]
    (answer,) = bench.answer(ReturnResult(invoke_id, operation.code, parameter))
    assert answer.components[-1] == wire.connect("4329100")
    bench.send("end")


# -- the caller is gone ---------------------------------------------------------------------


@pytest.mark.parametrize("when", ["prompting", "ringing"])
@pytest.mark.parametrize("how", ["abandon", "end", "abort", "p_abort", "abandon in end"])
def test_caller_gone_at_any_time(bench_of, wire, variant, when, how):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    if when == "ringing":
        bench.digits("100")
    if how == "abandon":
        assert bench.report("oAbandon", leg=1) == [wire.END]
    elif how == "abandon in end":
        assert bench.report("oAbandon", primitive="end") == []
    elif how == "p_abort":
        bench.dialogue.p_abort(4)
        assert bench.exchange() == []
    else:
        assert bench.send(how) == []
    assert bench.paths[0][2] == [(1, 0), (2, None)]
    assert bench.counts("abandoned", "answered", "released", "errors") == {"abandoned": 1}


def test_digits_in_the_ssps_end_are_of_no_use(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.digits("100", primitive="end") == []
    assert bench.counts("abandoned") == {"abandoned": 1}


def test_answer_in_the_ssps_own_end(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.digits("100")
    assert bench.report("oAnswer", primitive="end") == []
    assert bench.counts("answered", "abandoned") == {"answered": 1}


# -- nothing attached to exit 0 -------------------------------------------------------------


def test_final_connect_in_one_basic_end(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow((None, 3, 4)), variant, end="prearranged")
    bench.initial_dp()
    assert bench.digits("100") == [
        (
            "END",
            wire.DFC,
            wire.rrbe(("oAbandon", "transparent", 1, None)),
            wire.connect("4329100"),
        )
    ]
    assert bench.counts("connected") == {"connected": 1}


def test_final_connect_that_keeps_the_dialogue(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow((None, 3, 4)), variant, final_connect="continue")
    bench.initial_dp()
    assert bench.digits("100") == [("CONTINUE", wire.DFC, wire.connect("4329100"))]
    assert bench.send("end") == []
    assert bench.counts("connected") == {"connected": 1}


def test_final_connect_that_keeps_the_dialogue_still_hears_the_caller_go(bench_of, wire):
    bench = bench_of(wire.extension_flow((None, 3, 4)), final_connect="continue")
    bench.initial_dp()
    bench.digits("100")
    assert bench.report("oAbandon") == [wire.END]


def test_final_connect_of_a_terminating_call(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow((None, 3, 4)), variant)
    bench.initial_dp(eventTypeBCSM=12)
    (final,) = bench.digits("100")
    assert final.components[1] == wire.rrbe(("tAbandon", "transparent", 1, None))


# -- how the dialogue ends ------------------------------------------------------------------


@pytest.mark.parametrize("event", ["oAnswer", "oAbandon"])
def test_prearranged_end_sends_nothing(bench_of, wire, variant, event):
    bench = bench_of(wire.extension_flow(), variant, end="prearranged")
    bench.initial_dp()
    bench.digits("100")
    assert bench.report(event) == []


def test_release_is_sent_though_ends_are_prearranged(bench_of, wire):
    bench = bench_of(wire.extension_flow(), end="prearranged")
    bench.initial_dp()
    assert bench.digits("200") == [("END", wire.DFC, wire.released(103))]


# -- a Connect before anything else ---------------------------------------------------------


def test_final_connect_at_once_has_nothing_to_take_back(bench_of, wire, variant):
    bench = bench_of(wire.terminate_flow("100", exits=(None,)), variant)
    (end,) = bench.initial_dp()
    assert end == ("END", wire.connect("100"))
    assert end.pdu.result == 0


def test_final_connect_at_once_that_keeps_the_dialogue(bench_of, wire, variant):
    flow = wire.terminate_flow("100", exits=(None,))
    bench = bench_of(flow, variant, final_connect="continue")
    assert bench.initial_dp() == [("CONTINUE", wire.connect("100"))]
    assert bench.send("end") == []
