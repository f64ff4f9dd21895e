"""What the tester sends, as the SCP at the other end received it."""

import pytest
from support import undefined
from support.scripted_scp import (
    CONTINUE,
    END,
    INITIAL_DP,
    after,
    checks,
    expect,
    operation,
    reason,
    send,
    sends,
)

from tsvc.protocols.contexts import context_octets
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.tcap.components import (
    Invoke,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
)

PROMPT = {
    "collectedInfo": {"collectedDigits": {"minimumNbOfDigits": 1, "maximumNbOfDigits": 4}},
    "disconnectFromIPForbidden": 1,
}
PROMPT_AND_COLLECT = operation("PromptAndCollectUserInformation", PROMPT, invoke_id=9)
PLAY = operation(
    "PlayAnnouncement",
    {"informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 1}}}},
    invoke_id=11,
)
ANSWER = send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer"})
DISCONNECT = send("EventReportBCSM", {"eventTypeBCSM_name": "oDisconnectLeg2"})


def argument(scp, at, name, variant="camel2"):
    """Return the decoded argument of an invoke in the message number `at`."""
    declared = OPERATIONS.get(name)
    (invoke,) = [one for one in scp.components(at) if one.code == declared.code]
    return declared.decode_argument(invoke.parameter, variant, [])


def test_initial_dp(daemon):
    tsvc = daemon(END)
    result = tsvc.run(INITIAL_DP)
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN"]
    tree = argument(tsvc.scp, 0, "InitialDP")
    assert (tree["serviceKey"], tree["calledPartyNumber_digits"]) == (45, "0800432900")
    assert tsvc.scp.pdus[0].application_context == context_octets("camel2")


def test_expressions_are_encoded_for_each_instance(daemon):
    tsvc = daemon(END)
    expression = send("InitialDP", {"serviceKey": "{$r->{idx} + 7}"})
    tsvc.run(expression, distribution={"type": "load", "total": 3, "backlog": 1})
    keys = [argument(tsvc.scp, at, "InitialDP")["serviceKey"] for at in range(3)]
    assert keys == [7, 8, 9]


def test_send_with_next_bundles_components_into_one_message(daemon):
    tsvc = daemon(CONTINUE, END)
    result = tsvc.run(
        INITIAL_DP, expect("Continue"), {**ANSWER, "send_with_next": True}, DISCONNECT
    )
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN", "CONTINUE"]
    reports = [
        OPERATIONS.get("EventReportBCSM").decode_argument(one.parameter, "camel2", [])
        for one in tsvc.scp.components(1)
    ]
    assert [report["eventTypeBCSM"] for report in reports] == [7, 9]
    assert [one.invoke_id for one in tsvc.scp.components(1)] == [1, 2]


def test_send_with_next_of_the_first_operation_bundles_into_the_begin(daemon):
    tsvc = daemon(END)
    result = tsvc.run({**INITIAL_DP, "send_with_next": True}, ANSWER)
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN"]
    assert [one.code for one in tsvc.scp.components(0)] == [0, 24]


def test_a_begin_that_is_never_sent_leaves_nothing_and_aborts(daemon):
    tsvc = daemon(END)
    result = tsvc.run({**INITIAL_DP, "send_with_next": True})
    assert reason(result) == "InitialDP was never sent: no next message took it along"
    assert (tsvc.scp.kinds, tsvc.open_dialogues) == ([], (0, 0))


PREARRANGED = {"type": "tcap.ssp_to_scp.End", "arguments": {"prearranged": 1}}


@pytest.mark.parametrize("waiting", [ANSWER, {"type": "tcap.ssp_to_scp.Reject"}])
@pytest.mark.parametrize("rest", [[], [PREARRANGED], [{**DISCONNECT, "send_with_next": 1}]])
def test_what_is_never_sent_aborts_the_instance(daemon, waiting, rest):
    """Whatever component waits, and however the dialogue ends, the peer never receives it."""
    tsvc = daemon(CONTINUE)
    result = tsvc.run(INITIAL_DP, expect("Continue"), {**waiting, "send_with_next": "{1}"}, *rest)
    name = waiting["type"].rpartition(".")[2]
    assert reason(result) == f"{name} was never sent: no next message took it along"


@pytest.mark.parametrize(("end", "kind"), [("End", "END"), ("Abort", "U-ABORT")])
def test_an_end_waits_for_nothing_and_takes_along_or_gives_up_what_waits(daemon, end, kind):
    tsvc = daemon(CONTINUE)
    entry = {"type": f"tcap.ssp_to_scp.{end}", "send_with_next": 1}
    waiting = {**ANSWER, "send_with_next": 1}
    assert tsvc.run(INITIAL_DP, expect("Continue"), waiting, entry)["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN", kind]


def test_a_begin_can_not_end(daemon):
    tsvc = daemon(END)
    fields = tsvc.refused({**INITIAL_DP, "send_and_close": True})
    assert list(fields) == ["params.operations[0].send_and_close"]
    result = tsvc.run({**INITIAL_DP, "send_with_next": True}, {**ANSWER, "send_and_close": True})
    assert "can't end it" in reason(result)


def test_send_and_close_sends_an_end(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(INITIAL_DP, expect("Continue"), {**ANSWER, "send_and_close": True})
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN", "END"]
    assert argument(tsvc.scp, 1, "EventReportBCSM")["eventTypeBCSM"] == 7
    assert tsvc.open_dialogues == (0, 0)
    assert result["dialogues_closed"] == {}


def test_sending_after_the_end_aborts(daemon):
    tsvc = daemon(END)
    result = tsvc.run(INITIAL_DP, ANSWER)
    assert reason(result).startswith("EventReportBCSM: the dialogue is closed")
    assert reason(daemon(CONTINUE).run(ANSWER)) == "no dialogue as SSP has been opened"


def test_invoke_id_and_raw_octets(daemon):
    tsvc = daemon(CONTINUE)
    tsvc.run(
        {**INITIAL_DP, "invoke_id": -5, "raw_hex": "3003800101"},
        expect("Continue"),
        send("EventReportBCSM", invoke_id="77", raw_hex="ff"),
    )
    (first,), (second,) = tsvc.scp.components(0), tsvc.scp.components(1)
    assert (first.invoke_id, first.parameter) == (-5, bytes.fromhex("3003800101"))
    assert isinstance(second, Reject), "the SCP's own component sublayer refused the octets"


def test_an_invoke_id_in_use_aborts(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(INITIAL_DP, expect("Continue"), {**ANSWER, "invoke_id": 0})
    assert reason(result) == "EventReportBCSM: invoke id 0 is in use"


@pytest.mark.parametrize("raw", ["zz", "123"])
def test_raw_octets_that_are_none(daemon, raw):
    tsvc = daemon(CONTINUE)
    (path,) = tsvc.refused({**INITIAL_DP, "raw_hex": raw})
    assert path.startswith("params.operations[0]")
    result = tsvc.run({**INITIAL_DP, "raw_hex": "{$v->{raw}}"}, vars={"raw": raw})
    assert result["verdict"] == "abort"
    assert raw in reason(result)


@pytest.mark.parametrize("attribute", ["invoke_id", "linked_id"])
def test_ids_have_a_range(daemon, attribute):
    for value in (-129, 128, "x"):
        (path,) = daemon(CONTINUE).refused({**INITIAL_DP, attribute: value})
        assert path == f"params.operations[0].{attribute}"


# -- results and errors --------------------------------------------------------------------------


def test_a_result_answers_the_last_prompt(daemon):
    tsvc = daemon(sends("continue", PROMPT_AND_COLLECT), END)
    result = tsvc.run(
        INITIAL_DP,
        expect("PromptAndCollectUserInformation"),
        send("PromptAndCollectUserInformationResult", {"digitsResponse_digits": "123"}),
    )
    assert result["verdict"] == "pass"
    (found,) = tsvc.scp.components(1)
    assert isinstance(found, ReturnResult)
    assert found.invoke_id == 9
    tree = OPERATIONS.get("PromptAndCollectUserInformation").decode_result(
        found.parameter, "camel2", []
    )
    assert tree["digitsResponse_digits"] == "123"


def test_a_result_may_name_its_invoke_id(daemon):
    tsvc = daemon(sends("continue", PROMPT_AND_COLLECT), END)
    tsvc.run(
        INITIAL_DP,
        expect("PromptAndCollectUserInformation"),
        send("PromptAndCollectUserInformationResult", {"digitsResponse_digits": "1"}, invoke_id=3),
    )
    (found,) = tsvc.scp.components(1)
    assert isinstance(found, Reject), "nothing was invoked with that id"
    assert found.invoke_id == 3


def test_a_result_without_anything_to_answer_aborts(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(INITIAL_DP, expect("Continue"), send("ActivityTestResult"))
    assert reason(result) == "there is no ActivityTest to answer"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"errorCode": 4}, 4),
        ({"errorCode": "4"}, 4),
        ({"errorCode": "improperCallerResponse"}, 4),
        ({"errorCode_name": "improperCallerResponse"}, 4),
        ({"errorCode": "{2 + 2}"}, 4),
        ({"errorCode": "{$v->{name}}", "parameter_hex": "{$v->{octets}}"}, 4),
    ],
)
def test_errors(daemon, given, code):
    tsvc = daemon(sends("continue", PROMPT_AND_COLLECT), END)
    result = tsvc.run(
        INITIAL_DP,
        expect("PromptAndCollectUserInformation"),
        send("PromptAndCollectUserInformationError", given),
        vars={"name": "improperCallerResponse", "octets": "0500"},
    )
    assert result["verdict"] == "pass", reason(result)
    (found,) = tsvc.scp.components(1)
    assert isinstance(found, ReturnError)
    assert (found.invoke_id, found.code) == (9, code)
    assert found.parameter == (b"\x05\x00" if "parameter_hex" in given else None)


@pytest.mark.parametrize(
    ("given", "member"),
    [({}, "errorCode"), ({"errorCode": "no"}, "errorCode"), ({"errorCode": 1, "parm": 1}, "parm")],
)
def test_wrong_errors(daemon, given, member):
    fields = daemon(CONTINUE).refused(send("PlayAnnouncementError", given))
    assert list(fields) == [f"params.operations[0].arguments.{member}"]


def test_wrong_errors_of_expressions_abort(daemon):
    tsvc = daemon(sends("continue", PLAY))
    for given in ({"errorCode": "{$r->{run_id}}"}, {"errorCode": 1, "parameter_hex": "0g"}):
        result = tsvc.run(
            INITIAL_DP, expect("PlayAnnouncement"), send("PlayAnnouncementError", given)
        )
        assert reason(result).startswith("PlayAnnouncementError: ")


@pytest.mark.parametrize(("given", "linked"), [({}, 11), ({"linked_id": 9}, 9)])
def test_a_report_of_a_resource_is_linked_to_the_last_prompt(daemon, given, linked):
    tsvc = daemon(sends("continue", PROMPT_AND_COLLECT, PLAY), END)
    tsvc.run(
        INITIAL_DP,
        expect("PromptAndCollectUserInformation"),
        expect("PlayAnnouncement"),
        send("SpecializedResourceReport", **given),
    )
    (found,) = tsvc.scp.components(1)
    assert isinstance(found, Invoke)
    assert found.linked_id == linked


def test_a_report_may_be_linked_to_what_nobody_asked(daemon):
    tsvc = daemon(sends("continue", PROMPT_AND_COLLECT, PLAY), END)
    tsvc.run(
        INITIAL_DP,
        expect("PromptAndCollectUserInformation"),
        expect("PlayAnnouncement"),
        send("SpecializedResourceReport", linked_id=5),
    )
    (found,) = tsvc.scp.components(1)
    assert (found.problem_type, found.problem) == (ProblemType.INVOKE, 5)  # as sent: unknown there


# -- contexts and variants -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "alias"),
    [
        ("camel3", "camel3"),
        ("etsi", "cs1"),
        ("0.4.0.0.1.0.50.1", "camel2"),
        ("04 00 00 01 00 32 01", "camel2"),
    ],
)
def test_application_contexts(daemon, given, alias):
    tsvc = daemon(END)
    tsvc.run(INITIAL_DP, ssp_ac=given)
    tsvc.run({**INITIAL_DP, "tcap_ac": given}, ssp_ac="camel1")
    assert [pdu.application_context for pdu in tsvc.scp.pdus] == [context_octets(alias)] * 2


@pytest.mark.parametrize("params", [{"ssp_ac": None}, {"ssp_ac": ""}])
def test_no_application_context_no_dialogue_portion(daemon, params):
    tsvc = daemon(END)
    tsvc.run(INITIAL_DP, **params)
    tsvc.run({**INITIAL_DP, "tcap_ac": ""}, ssp_ac="camel2")
    assert tsvc.scp.pdus == [None, None]


def test_an_own_context_decides_no_variant(daemon):
    tsvc = daemon(END)
    tsvc.run(INITIAL_DP, ssp_ac="0.4.0.127")
    tree = argument(tsvc.scp, 0, "InitialDP", "camel3")
    assert tree["serviceKey"] == 45


@pytest.mark.parametrize("given", ["1.2.3.x", "0", "camel", "ff"])
def test_a_context_that_is_none(daemon, given):
    tsvc = daemon(END)
    assert list(tsvc.refused(INITIAL_DP, ssp_ac=given)) == ["params.ssp_ac"]
    fields = tsvc.refused({**INITIAL_DP, "tcap_ac": given})
    assert list(fields) == ["params.operations[0].tcap_ac"]


def test_variants(daemon):
    tsvc = daemon(END)
    assert list(tsvc.refused({**INITIAL_DP, "variant": "cap9"})) == [
        "params.operations[0].variant"
    ]
    assert tsvc.run({**INITIAL_DP, "variant": "etsi"})["verdict"] == "pass"
    assert argument(tsvc.scp, 0, "InitialDP", "cs1")["serviceKey"] == 45


def test_an_operation_that_the_variant_has_not(daemon):
    fields = daemon(END).refused(INITIAL_DP, expect("ContinueWithArgument"), ssp_ac="cs1")
    assert "does not exist in cs1" in fields["params.operations[1]"][0]


def test_dialogues_of_two_variants_may_use_the_operations_of_both(daemon):
    tsvc = daemon(END)
    first, second = {**INITIAL_DP, "tcap_ac": "cs1"}, {**INITIAL_DP, "tcap_ac": "camel4"}
    with_argument = expect("ContinueWithArgument", optional=True)
    result = tsvc.run(first, second, with_argument)
    assert result["verdict"] == "pass"
    fields = tsvc.refused(first, second, expect("Connect", arguments={"nothing": 1}))
    assert list(fields) == ["params.operations[2].arguments.nothing"]


def test_unknown_arguments_get_a_hint(daemon):
    fields = daemon(END).refused(
        send("InitialDP", {"serviceKy": 1}),
        send("EventReportBCSM", {"eventTypeBCSM": 7, "legID": {"receivingSide": "01"}}),
    )
    assert 'did you mean "serviceKey"' in fields["params.operations[0].arguments.serviceKy"][0]
    assert "params.operations[1].arguments.legID.receivingSide" in fields


@pytest.mark.parametrize(
    ("arguments", "member"),
    [
        ({"serviceKey": "x"}, "serviceKey"),
        ({"serviceKey": 2**31}, "serviceKey"),
        ({"serviceKey": 1, "calledPartyNumber_digits": "12x"}, "calledPartyNumber"),
        (
            {"serviceKey": 1, "calledPartyNumber_digits": "1", "calledPartyNumber_noa": 128},
            "called",
        ),
        ({"calledPartyNumber_digits": "1"}, "serviceKey"),
    ],
)
def test_ranges_of_literals_are_checked_before_the_run(daemon, arguments, member):
    (path,) = daemon(END).refused(send("InitialDP", arguments))
    assert path.startswith(f"params.operations[0].arguments.{member}")


def test_ranges_of_expressions_abort(daemon):
    tsvc = daemon(END)
    given = send("InitialDP", {"serviceKey": "{$v->{key}}"})
    assert "serviceKey" in reason(tsvc.run(given, vars={"key": 2**40}))
    constant = send("InitialDP", {"serviceKey": "{2**40}"})
    assert list(tsvc.refused(constant)) == ["params.operations[0].arguments.serviceKey"]


def test_a_message_that_does_not_fit_aborts(daemon):
    tsvc = daemon(END)
    result = tsvc.run({**INITIAL_DP, "raw_hex": "04820fa0" + "00" * 4000})
    assert result["verdict"] == "abort"
    assert tsvc.open_dialogues == (0, 0)


def test_a_timeout_alone_is_no_address(daemon):
    tsvc = daemon(END)
    tsvc.run(INITIAL_DP, scp={"tcap_timeout": 3})
    assert tsvc.run(INITIAL_DP, scp={})["verdict"] == "pass"


def test_a_late_answer_is_waited_for(daemon):
    tsvc = daemon(after(0.05, sends("continue", operation("Continue"))))
    result = tsvc.run(INITIAL_DP, expect("Continue"))
    assert checks(result) == [("pass", "Received Continue")]
    assert result["operations"][0]["max_ms"] >= 40


def test_an_undefined_member(daemon):
    place = "callingPartyNumber_digits"
    initial_dp = {**INITIAL_DP, "arguments": {**INITIAL_DP["arguments"], place: undefined.SOURCE}}
    tsvc = daemon(END)
    undefined.aborts_if_strict(tsvc.run, place, initial_dp)
    assert tsvc.scp.received == []
    undefined.is_counted(tsvc.run(initial_dp, vars=undefined.VARS), place)
    assert place not in argument(tsvc.scp, 0, "InitialDP")
