"""What the tester expects, with an SCP that follows a script."""

import pytest
from support.scripted_scp import (
    CONTINUE,
    END,
    INITIAL_DP,
    after,
    checks,
    evaluate,
    expect,
    operation,
    p_abort,
    reason,
    refused,
    return_error,
    return_result,
    send,
    sends,
    together,
    variables,
)
from support.waiting import GUARD_S

from tsvc.protocols.tcap.dialogue_portion import DIAGNOSTIC_CONTEXT_NOT_SUPPORTED

LONG_S = 5 * GUARD_S  # an instance that waits that long is not there for the end of its run
CONNECT = operation("Connect", {"destinationRoutingAddress_digits": "4329100"})
ARM = operation("RequestReportBCSMEvent", {"oAnswer": 1, "oDisconnectLeg2": 1})
RELEASE = operation("ReleaseCall", {"initialCallSegment_cause": 31})


def test_matching_makes_an_entry_for_each_argument(daemon):
    tsvc = daemon(sends("end", CONNECT))
    given = {
        "destinationRoutingAddress_digits": "4329100",
        "destinationRoutingAddress_noa": 9,
        "alertingPattern": None,
    }
    result = tsvc.run(INITIAL_DP, expect("Connect", arguments=given))
    assert result["first_call_summary"]["state"] == "failed"
    assert [level for level, _ in checks(result)] == ["pass", "pass", "fail", "pass"]
    failed = result["first_call_summary"]["check_log"][2]
    assert (failed["expected"], failed["type"]) == (9, "inap.ssp_from_scp.Connect")


def test_expected_values_may_be_expressions(daemon):
    tsvc = daemon(sends("end", CONNECT))
    given = {"destinationRoutingAddress_digits": "{'4329' . $v->{extension}}"}
    result = tsvc.run(INITIAL_DP, expect("Connect", arguments=given), vars={"extension": "100"})
    assert result["verdict"] == "pass"


def test_tests_look_anywhere_in_the_argument(daemon):
    tsvc = daemon(sends("end", CONNECT))
    tests = [
        {"kpath": "destinationRoutingAddress_digits", "type": "regex", "pattern": "^4329"},
        {"kpath": "cutAndPaste", "type": "exists", "value": 0},
    ]
    result = tsvc.run(INITIAL_DP, expect("Connect", tests=tests))
    assert [level for level, _ in checks(result)] == ["pass"] * 3


def test_received_values_are_variables_afterwards(daemon):
    tsvc = daemon(sends("end", CONNECT))
    result = tsvc.run(
        INITIAL_DP,
        expect("Connect"),
        evaluate("$v->{a} = $i->{Connect}{destinationRoutingAddress_digits}"),
        evaluate("$v->{b} = $v->{__INBOUND}{Connect}{destinationRoutingAddress_digits}"),
    )
    assert variables(result) == {"a": "4329100", "b": "4329100"}


def test_arguments_not_used_are_not_decoded(daemon):
    tsvc = daemon(sends("end", CONNECT))
    result = tsvc.run(
        INITIAL_DP,
        expect("Connect", arguments_not_used=1),
        evaluate("$v->{seen} = defined($i->{Connect}) ? 1 : 0"),
    )
    assert variables(result) == {"seen": 0}


@pytest.mark.parametrize(
    "type_",
    [
        "inap.scp_to_ssp.Connect",
        "inap.ssp_from_scp.Connect",
    ],
)
def test_mirrored_spellings(daemon, type_):
    tsvc = daemon(sends("end", CONNECT))
    begin = {**INITIAL_DP, "type": "inap.scp_from_ssp.InitialDP"}
    result = tsvc.run(begin, {"type": type_})
    assert result["verdict"] == "pass"
    assert result["first_call_summary"]["check_log"][0]["type"] == "inap.ssp_from_scp.Connect"


# -- the unexpected ------------------------------------------------------------------------------


def test_another_operation_aborts_naming_both(daemon):
    tsvc = daemon(sends("continue", RELEASE))
    result = tsvc.run(INITIAL_DP, expect("Connect"), {"type": "pass"})
    assert reason(result) == "expected Connect, got ReleaseCall"
    assert result["counts"]["aborted"] == 1
    assert [item["cause"] for item in result["first_aborts"]] == [reason(result)]


@pytest.mark.parametrize(
    ("reaction", "words"),
    [
        (sends("abort"), "TC-U-ABORT"),
        (p_abort(4), "TC-P-ABORT resourceLimitation"),
        (refused(DIAGNOSTIC_CONTEXT_NOT_SUPPORTED), "TC-U-ABORT"),
        (sends("end"), "TC-END"),
        (sends("end", return_error(7)), "InitialDPError missingParameter"),
        (sends("end", return_result()), "rejected here: return result problem"),
        (sends("end", operation("Connect", parameter=b"\x30\x00", code=999)), "operation 999"),
    ],
)
def test_what_came_instead_is_named_at_once(daemon, reaction, words):
    tsvc = daemon(reaction)
    result = tsvc.run(INITIAL_DP, expect("Connect", seconds=LONG_S))
    assert reason(result).startswith(f"expected Connect, got {words}")
    assert tsvc.open_dialogues == (0, 0)


@pytest.mark.parametrize("reaction", [sends("abort"), END])
def test_an_end_ends_the_wait_at_once(daemon, reaction):
    tsvc = daemon(after(0.03, reaction))
    result = tsvc.run(INITIAL_DP, expect("Connect", seconds=LONG_S))
    assert reason(result).startswith("expected Connect, got TC-")
    assert result["duration"] > 0.02


def test_after_the_end_nothing_is_waited_for(daemon):
    tsvc = daemon(sends("end", CONNECT))
    result = tsvc.run(INITIAL_DP, expect("Connect"), expect("ReleaseCall", seconds=LONG_S))
    assert reason(result) == "expected ReleaseCall, but the dialogue is over"


def test_a_component_nobody_took_aborts_at_the_end(daemon):
    tsvc = daemon(sends("continue", ARM, CONNECT))
    result = tsvc.run(INITIAL_DP, expect("RequestReportBCSMEvent"))
    assert reason(result) == "unexpected Connect at the end of the instance"
    assert result["first_call_summary"]["state"] == "aborted"


def test_a_silent_end_and_an_empty_continue_are_no_messages(daemon):
    tsvc = daemon(sends("continue"), END)
    result = tsvc.run(INITIAL_DP, {"type": "wait", "arguments": {"seconds": 0}})
    assert result["verdict"] == "pass"
    tsvc = daemon(together(sends("continue"), sends("end", CONNECT)))
    assert tsvc.run(INITIAL_DP, expect("Connect"))["verdict"] == "pass"
    tsvc = daemon(END)
    assert tsvc.run(INITIAL_DP)["verdict"] == "pass"


def test_what_comes_early_is_queued_in_order(daemon):
    tsvc = daemon(together(sends("continue", ARM), sends("continue", CONNECT), END))
    wait = {"type": "wait", "arguments": {"seconds": 0.01}}
    result = tsvc.run(INITIAL_DP, wait, expect("RequestReportBCSMEvent"), expect("Connect"))
    assert checks(result, "pass") == ["Received RequestReportBCSMEvent", "Received Connect"]
    assert result["verdict"] == "pass"


# -- timeouts ------------------------------------------------------------------------------------


def test_seconds(daemon):
    tsvc = daemon(tester={}, tcap_timeout_s=0.03)
    assert "within 0.01 s" in reason(tsvc.run(INITIAL_DP, expect("Connect", seconds="0.01")))
    assert "within 0.03 s" in reason(tsvc.run(INITIAL_DP, expect("Connect")))
    result = tsvc.run(INITIAL_DP, expect("Connect"), scp={"tcap_timeout": 0.02})
    assert reason(result) == "expected Connect, nothing came within 0.02 s"
    assert tsvc.refused(INITIAL_DP, expect("Connect", seconds=-1))


def test_optional_is_passed_by_if_another_comes(daemon):
    tsvc = daemon(sends("end", ARM, CONNECT))
    optional = expect("ReleaseCall", optional=True)
    result = tsvc.run(
        INITIAL_DP,
        optional,
        expect("RequestReportBCSMEvent"),
        optional,
        expect("Connect"),
        optional,
    )
    assert checks(result, "pass") == ["Received RequestReportBCSMEvent", "Received Connect"]
    assert result["verdict"] == "pass"


def test_optional_takes_what_it_wants_and_waits_for_no_more_than_its_time(daemon):
    tsvc = daemon(sends("continue", CONNECT))
    optional = expect("Connect", optional=True, seconds=0.01)
    result = tsvc.run(INITIAL_DP, optional, optional)
    assert (checks(result), result["verdict"]) == ([("pass", "Received Connect")], "pass")


def test_optional_that_nobody_takes_is_left_over(daemon):
    tsvc = daemon(sends("continue", CONNECT))
    result = tsvc.run(INITIAL_DP, expect("ReleaseCall", optional=True))
    assert reason(result) == "unexpected Connect at the end of the instance"


# -- attributes of the message -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reaction", "values"),
    [
        (sends("end", ARM, CONNECT), (0, 1)),
        (sends("continue", ARM, CONNECT), (0, 0)),
        (together(sends("continue", ARM), sends("end", CONNECT)), (0, 1)),
    ],
)
def test_last_component(daemon, reaction, values):
    tsvc = daemon(reaction)
    right = [expect("RequestReportBCSMEvent", last_component=values[0])]
    right += [expect("Connect", last_component=values[1])]
    result = tsvc.run(INITIAL_DP, *right)
    assert len(checks(result, "pass")) == 4
    wrong = [{**one, "last_component": 1 - one["last_component"]} for one in right]
    assert checks(tsvc.run(INITIAL_DP, *wrong), "fail") == ["last_component"] * 2


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ({"tcap_ac": "camel2"}, "pass"),
        ({"tcap_ac": "04 00 00 01 00 32 01"}, "pass"),
        ({"tcap_ac": "camel3"}, "fail"),
        ({"tcap_ac": None}, "fail"),
        ({"tcap_result": 0}, "pass"),
        ({"tcap_result": 1}, "fail"),
        ({"tcap_result": None}, "fail"),
        ({"tcap_result_diagnostic_user": 0}, "pass"),
        ({"tcap_result_diagnostic_user": None}, "fail"),
        ({"tcap_result_diagnostic_provider": None}, "pass"),
        ({"tcap_result_diagnostic_provider": 0}, "fail"),
    ],
)
def test_the_dialogue_portion_of_the_first_answer(daemon, given, level):
    tsvc = daemon(together(sends("continue", ARM), sends("end", CONNECT)))
    operations = [
        INITIAL_DP,
        expect("RequestReportBCSMEvent", **given),
        expect("Connect", **given),
    ]
    result = tsvc.run(*operations)
    assert checks(result, level).count(next(iter(given))) == 2, "of the first message, at each"


@pytest.mark.parametrize(
    "name", ["last_component", "tcap_ac", "tcap_result", "tcap_result_diagnostic_provider"]
)
def test_what_is_undefined_is_no_null(daemon, name):
    tsvc = daemon(sends("end", CONNECT))
    result = tsvc.run(INITIAL_DP, expect("Connect", **{name: "{$v->{nobody}}"}))
    (text,) = checks(result, "fail")
    assert text == f"{name}: the expected value is undefined: $v->{{nobody}}"


def test_an_expected_expression_is_evaluated_once(daemon):
    tsvc = daemon(sends("end", CONNECT))
    once = "{$v->{n} = ($v->{n} // 0) + 1}"
    result = tsvc.run(INITIAL_DP, expect("Connect", last_component=once))
    assert checks(result, "fail") == []
    assert result["first_call_summary"]["vars"]["n"] == 1


@pytest.mark.parametrize(
    "name",
    ["tcap_ac", "tcap_result", "tcap_result_diagnostic_user", "tcap_result_diagnostic_provider"],
)
def test_no_dialogue_portion(daemon, name):
    tsvc = daemon(sends("end", CONNECT))
    result = tsvc.run(INITIAL_DP, expect("Connect", **{name: None}), ssp_ac=None)
    assert checks(result) == [("pass", "Received Connect"), ("pass", name)]


# -- results and errors of ours ------------------------------------------------------------------


def test_an_error_to_our_operation(daemon):
    tsvc = daemon(sends("end", return_error(7)))
    given = {"errorCode": 7, "errorCode_name": "missingParameter"}
    result = tsvc.run(INITIAL_DP, expect("InitialDPError", arguments=given))
    assert len(checks(result, "pass")) == 3
    result = tsvc.run(INITIAL_DP, expect("InitialDPError", arguments={"errorCode": 8}))
    assert result["verdict"] == "fail"
    fields = tsvc.refused(INITIAL_DP, expect("InitialDPError", arguments={"erorCode": 8}))
    text = fields["params.operations[1].arguments.erorCode"][0]
    assert 'did you mean "errorCode"' in text


def test_shorthands_of_armed_events(daemon):
    tsvc = daemon(sends("end", ARM))
    good = {"oAnswer": 1, "oDisconnectLeg2": 1}
    result = tsvc.run(INITIAL_DP, expect("RequestReportBCSMEvent", arguments=good))
    assert result["verdict"] == "pass", checks(result)
    for wrong in ({"oAnswer": 1}, {**good, "oAbandon": 1}):
        result = tsvc.run(INITIAL_DP, expect("RequestReportBCSMEvent", arguments=wrong))
        assert result["verdict"] == "fail", wrong
    fields = tsvc.refused(INITIAL_DP, expect("RequestReportBCSMEvent", arguments={"oAnswr": 1}))
    assert 'did you mean "oAnswer"' in fields["params.operations[1].arguments.oAnswr"][0]


# -- what answers itself -------------------------------------------------------------------------

ACTIVITY = operation("ActivityTest", invoke_id=20)
RESET = operation("ResetTimer", {"timervalue": 30})


def test_activity_test_is_answered_by_itself(daemon):
    tsvc = daemon(together(sends("continue", ACTIVITY), after(0.03, sends("end", CONNECT))))
    result = tsvc.run(INITIAL_DP, expect("Connect"))
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN", "CONTINUE"]
    assert [one.invoke_id for one in tsvc.scp.components(1)] == [20]


def test_what_is_queued_is_not_sent_with_the_answer(daemon):
    answer = send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer"})
    tsvc = daemon(
        together(sends("continue", ARM), after(0.02, sends("continue", ACTIVITY))),
        after(0.02, sends("continue", CONNECT)),
    )
    result = tsvc.run(
        INITIAL_DP,
        expect("RequestReportBCSMEvent"),
        {**answer, "send_with_next": True},
        expect("Connect"),
        send("EventReportBCSM", {"eventTypeBCSM_name": "oDisconnectLeg2"}),
    )
    assert result["verdict"] == "pass"
    assert [len(components) for _, components in tsvc.scp.received] == [1, 1, 2]


def test_activity_test_is_the_definitions_if_it_expects_it(daemon):
    tsvc = daemon(sends("continue", ACTIVITY))
    result = tsvc.run(INITIAL_DP, expect("ActivityTest"), send("ActivityTestResult"))
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds[:2] == ["BEGIN", "CONTINUE"]
    assert [one.invoke_id for one in tsvc.scp.components(1)] == [20]


def test_reset_timer_is_ignored(daemon):
    tsvc = daemon(together(sends("continue", RESET), sends("end", CONNECT)))
    assert tsvc.run(INITIAL_DP, expect("Connect"))["verdict"] == "pass"
    both = tsvc.run(INITIAL_DP, expect("ResetTimer"), expect("Connect"))
    assert both["verdict"] == "pass", "unless the definition expects it"


@pytest.mark.parametrize(
    ("setting", "queue", "name"),
    [
        ("ignore_reset_timer", RESET, "ResetTimer"),
        ("auto_activity_result", ACTIVITY, "ActivityTest"),
    ],
)
def test_switched_off_they_are_messages_like_others(daemon, setting, queue, name):
    tsvc = daemon(sends("continue", queue, CONNECT), tester={setting: False})
    result = tsvc.run(INITIAL_DP, expect("Connect"))
    assert reason(result) == f"expected Connect, got {name}"


def test_a_wrong_argument_name(daemon):
    fields = daemon(CONTINUE).refused(
        INITIAL_DP, expect("Connect", arguments={"destinationRoutingAddres_digits": "1"})
    )
    (text,) = fields["params.operations[1].arguments.destinationRoutingAddres_digits"]
    assert 'did you mean "destinationRoutingAddress_digits"' in text
