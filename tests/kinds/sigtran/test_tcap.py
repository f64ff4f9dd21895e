"""tcap.* types, sent and expected."""

import pytest
from support.scripted_scp import (
    CONTINUE,
    END,
    INITIAL_DP,
    checks,
    evaluate,
    expect,
    operation,
    p_abort,
    reason,
    refused,
    reject,
    send,
    sends,
    variables,
)

from tsvc.protocols.tcap.components import ProblemType, Reject
from tsvc.protocols.tcap.dialogue_portion import (
    DIAGNOSTIC_CONTEXT_NOT_SUPPORTED,
    Aare,
    Abrt,
)

BEGUN = [INITIAL_DP, expect("Continue")]


def tcap(what, arguments=None, **more):
    entry = {"type": f"tcap.{what}", **more}
    return entry if arguments is None else {**entry, "arguments": arguments}


# -- sent -----------------------------------------------------------------------------------------


def test_abort(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(*BEGUN, tcap("ssp_to_scp.Abort"))
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN", "U-ABORT"]
    assert tsvc.scp.pdus[1] == Abrt(0)
    assert tsvc.open_dialogues == (0, 0)


@pytest.mark.parametrize(
    "octets",
    [
        {"u_info_0_octets": "abc"},
        {"u_info_0_octets_hex": "616263"},
        {"u_info_0_octets": "abc", "u_info_0_octets_hex": "78"},
        {"u_info_0_octets": None, "u_info_0_octets_hex": "61 62 63"},
        {"u_info_0_octets": "{'abc'}", "u_info_0_octets_hex": None, "p_cause": None},
    ],
)
def test_abort_with_user_information(daemon, octets):
    tsvc = daemon(CONTINUE)
    tsvc.run(*BEGUN, tcap("ssp_to_scp.Abort", {"u_source": "1", **octets}))
    pdu = tsvc.scp.pdus[1]
    assert pdu.source == 1
    assert pdu.user_information.endswith(b"abc")


@pytest.mark.parametrize("cause", [0, "2", "{1 + 3}"])
def test_p_abort(daemon, cause):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(*BEGUN, tcap("scp_from_ssp.Abort", {"p_cause": cause}))
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN", "P-ABORT"]


def test_end(daemon):
    tsvc = daemon(CONTINUE)
    queued = send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer"}, send_with_next=1)
    result = tsvc.run(*BEGUN, queued, tcap("ssp_to_scp.End"))
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN", "END"]
    assert len(tsvc.scp.components(1)) == 1, "what was queued goes with it"


def test_prearranged_end_says_nothing(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(*BEGUN, tcap("ssp_to_scp.End", {"prearranged": 1}))
    assert result["verdict"] == "pass"
    assert (tsvc.scp.kinds, tsvc.open_dialogues[0]) == (["BEGIN"], 0)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({}, (0, ProblemType.GENERAL, 0)),
        ({"problem_type": "invoke", "problem": 2}, (0, ProblemType.INVOKE, 2)),
        ({"problem_type": 1, "problem": "1", "invoke_id": 7}, (7, ProblemType.INVOKE, 1)),
        ({"problem_type": "1", "problem": None}, (0, ProblemType.INVOKE, 0)),
        ({"problem_type": "{'invoke'}", "invoke_id": "{undef}"}, (0, ProblemType.INVOKE, 0)),
    ],
)
def test_reject(daemon, arguments, wanted):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(*BEGUN, tcap("ssp_to_scp.Reject", arguments))
    assert result["verdict"] == "pass"
    (found,) = tsvc.scp.components(1)
    assert (found.invoke_id, found.problem_type, found.problem) == wanted


def test_reject_with_next(daemon):
    tsvc = daemon(CONTINUE)
    report = send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer"})
    tsvc.run(*BEGUN, tcap("ssp_to_scp.Reject", {}, send_with_next=True), report)
    assert [type(one).__name__ for one in tsvc.scp.components(1)] == ["Reject", "Invoke"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (tcap("ssp_to_scp.Reject", {"problem_type": "{$v->{x}}"}), "is none of general"),
        (tcap("ssp_to_scp.Abort", {"u_info_0_octets_hex": "{$v->{x}}"}), "must be octets in hex"),
        (tcap("ssp_to_scp.Abort", {"u_info_0_octets_hex": "{[1]}"}), "must be octets in hex"),
        (tcap("ssp_to_scp.Abort", {"u_info_0_octets": "{chr 8364}"}), "more than an octet"),
        (tcap("ssp_to_scp.Abort", {"p_cause": "{$v->{x}}"}), "p_cause: must be an integer from"),
        (tcap("ssp_to_scp.Abort", {"u_source": "{2}"}), "u_source: is none of 0, 1"),
        (tcap("ssp_to_scp.End", {"prearranged": "{$v->{x}}"}), "prearranged: must be true, false"),
        (tcap("ssp_to_scp.Reject", {"problem": "{256}"}), "problem: must be an integer from"),
        (tcap("ssp_to_scp.Reject", {"invoke_id": "{$v->{x}}"}), "invoke_id: must be an integer"),
        (tcap("srf_to_scp.End"), "no dialogue as SRF has been opened"),
    ],
)
def test_what_can_not_be_sent_aborts(daemon, entry, words):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(*BEGUN, entry, vars={"x": "nonsense"})
    assert words in reason(result)
    assert tsvc.open_dialogues[0] == 0


def test_a_dialogue_that_is_opened_later_is_not_there_yet(daemon):
    result = daemon().run(tcap("ssp_to_scp.End", dialogue="B"), {**INITIAL_DP, "dialogue": "B"})
    assert reason(result) == "no dialogue 'B' has been opened"


@pytest.mark.parametrize("what", ["Abort", "End", "Reject"])
def test_nothing_can_be_sent_after_the_end(daemon, what):
    tsvc = daemon(END)
    result = tsvc.run(INITIAL_DP, tcap(f"ssp_to_scp.{what}"))
    assert reason(result).startswith(f"{what}: ")


@pytest.mark.parametrize(
    ("entry", "member"),
    [
        (tcap("ssp_to_scp.Abort", {"p_caus": 1}), "p_caus"),
        (tcap("ssp_from_scp.Abort", {"p_caus": 1}), "p_caus"),
        (tcap("ssp_from_scp.Abort", {"!p_caus": 1}), "!p_caus"),
        (tcap("ssp_to_scp.End", {"prearanged": 1}), "prearanged"),
        (tcap("ssp_from_scp.End", {"p_cause": 1}), "p_cause"),
        (tcap("ssp_to_scp.Abort", {"p_cause": 1, "u_source": 0}), "p_cause"),
        (tcap("ssp_to_scp.Abort", {"!p_cause": 1}), "!p_cause"),
        (tcap("ssp_to_scp.Abort", {"p_cause": 128}), "p_cause"),
        (tcap("ssp_to_scp.Abort", {"p_cause": "one"}), "p_cause"),
        (tcap("ssp_to_scp.Abort", {"p_cause": True}), "p_cause"),
        (tcap("ssp_to_scp.Abort", {"u_source": 2}), "u_source"),
        (tcap("ssp_to_scp.Abort", {"u_info_0_octets": ["a"]}), "u_info_0_octets"),
        (tcap("ssp_to_scp.Abort", {"u_info_0_octets_hex": "0g"}), "u_info_0_octets_hex"),
        (tcap("ssp_to_scp.End", {"prearranged": "true"}), "prearranged"),
        (tcap("ssp_to_scp.End", {"prearranged": 2}), "prearranged"),
        (tcap("ssp_to_scp.Reject", {"problem": -1}), "problem"),
        (tcap("ssp_to_scp.Reject", {"problem_type": "invok"}), "problem_type"),
        (tcap("ssp_to_scp.Reject", {"problem_type": 4}), "problem_type"),
        (tcap("ssp_to_scp.Reject", {"invoke_id": 128}), "invoke_id"),
    ],
)
def test_wrong_arguments(daemon, entry, member):
    fields = daemon(CONTINUE).refused(*BEGUN, entry)
    assert list(fields) == [f"params.operations[2].arguments.{member}"]


# -- expected ------------------------------------------------------------------------------------


def test_an_expected_end(daemon):
    tsvc = daemon(END)
    result = tsvc.run(INITIAL_DP, tcap("ssp_from_scp.End"))
    assert checks(result) == [("pass", "Received End")]
    tsvc = daemon(sends("end", operation("Continue")))
    result = tsvc.run(INITIAL_DP, tcap("ssp_from_scp.End"))
    assert reason(result) == "expected End, got Continue"


def test_an_expected_user_abort(daemon):
    tsvc = daemon(sends("abort"))
    given = {"u_source": 0, "!p_cause": None}
    result = tsvc.run(INITIAL_DP, tcap("ssp_from_scp.Abort", given))
    assert [level for level, _ in checks(result)] == ["pass"] * 3
    result = tsvc.run(INITIAL_DP, tcap("ssp_from_scp.Abort", {"p_cause": 1}))
    assert result["verdict"] == "fail"


def test_an_expected_provider_abort(daemon):
    tsvc = daemon(p_abort(3))
    keep = evaluate("$v->{cause} = $i->{Abort}{p_cause}")
    result = tsvc.run(INITIAL_DP, tcap("ssp_from_scp.Abort", {"p_cause": "3"}), keep)
    assert (result["verdict"], variables(result)) == ("pass", {"cause": 3})


def test_a_refused_context(daemon):
    tsvc = daemon(refused(DIAGNOSTIC_CONTEXT_NOT_SUPPORTED))
    result = tsvc.run(
        INITIAL_DP,
        tcap(
            "ssp_from_scp.Abort",
            tcap_ac="camel2",
            tcap_result=1,
            tcap_result_diagnostic_user=2,
            tcap_result_diagnostic_provider=None,
        ),
    )
    assert len(checks(result, "pass")) == 5


def test_user_information_of_an_abort(daemon):
    information = bytes.fromhex("28058103") + b"abc"

    def abort(scp, dialogue, indication):
        dialogue.abort(pdu=Abrt(0, information))

    tsvc = daemon(abort)
    given = {"u_info_0_octets": "abc", "u_info_0_octets_hex": "616263"}
    result = tsvc.run(INITIAL_DP, tcap("ssp_from_scp.Abort", given))
    assert len(checks(result, "pass")) == 3


def test_user_information_that_is_none_is_shown_as_it_is(daemon):
    def abort(scp, dialogue, indication):
        dialogue.abort(pdu=Aare(dialogue.application_context, 1, 1, 0, b"\x04\x02\x01\x02"))

    result = daemon(abort).run(
        INITIAL_DP, tcap("ssp_from_scp.Abort", {"u_info_0_octets_hex": "04020102"})
    )
    assert result["verdict"] == "pass", reason(result)


def test_nothing_came(daemon):
    result = daemon().run(INITIAL_DP, tcap("ssp_from_scp.Abort", seconds=0.01))
    assert reason(result) == "expected Abort, nothing came within 0.01 s"


def test_turbo_skips_matching_of_an_abort(daemon):
    tsvc = daemon(sends("abort"))
    result = tsvc.run(
        INITIAL_DP,
        tcap("ssp_from_scp.Abort", {"u_source": 1}),
        distribution={"type": "load", "total": 3, "backlog": 1},
        turbo=1,
    )
    assert (result["counts"]["failed"], result["counts"]["passed"]) == (1, 2)


def test_a_reject_of_ours_is_named(daemon):
    tsvc = daemon(sends("continue", reject(Reject(0, ProblemType.INVOKE, 2))))
    result = tsvc.run(*BEGUN)
    assert reason(result) == "expected Continue, got Reject: invoke problem mistypedParameter"


def test_an_abort_is_the_last_inbound_message(daemon):
    tsvc = daemon(CONTINUE, p_abort(3))
    result = tsvc.run(
        *BEGUN,
        send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer"}),
        tcap("ssp_from_scp.Abort"),
        evaluate("$v->{cause} = $v->{__INBOUND}{Abort}{p_cause}"),
    )
    assert variables(result) == {"cause": 3}
