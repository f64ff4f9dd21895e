"""A dialogue in another application context than the definition's; operations a context lacks."""

import io
import json

import pytest
from kinds.sigtran.map_scp import ATI, IDLE, request
from kinds.sigtran.map_scp import expect as expect_map
from kinds.sigtran.map_scp import result as map_result
from kinds.sigtran.map_scp import send as send_map
from kinds.sigtran.map_scp import start as start
from support.scripted_scp import (
    CONTINUE,
    INITIAL_DP,
    LOAD,
    checks,
    expect,
    operation,
    refused,
    send,
    sends,
)

from tsvc import log
from tsvc.protocols.contexts import BY_ALIAS, CONTEXTS, context_octets
from tsvc.protocols.inap.operation import OPERATIONS

CONNECT = {"destinationRoutingAddress_digits": "4329100"}
OTHERS = ["camel2", "camel4", "cs1", "camel3-assist", "ati3", "0.4.0.0.1.21.3.5", "1.2.3"]
ASSIST = send("AssistRequestInstructions", {"correlationID_digits": "77"})


def bare_continue(scp, dialogue, indication):
    dialogue.invoke(31, 2, None, now=scp.now)


def accepting(context, reaction):
    """Return a reaction whose AARE names a context."""

    def react(scp, dialogue, indication):
        dialogue.application_context = context_octets(context)
        reaction(scp, dialogue, indication)

    return react


def failed(result):
    return checks(result, "fail")


def test_a_context_that_the_peer_does_not_know_is_told_in_its_words(daemon):
    """It is reported to the instance, in the status and, once for a load, in the log."""
    tsvc = daemon(refused(2))
    words = "application-context-name-not-supported"
    stream = io.StringIO()
    log.setup(form="json", stream=stream)
    result = tsvc.run(INITIAL_DP, expect("Continue"), ssp_ac="camel3", distribution=LOAD)
    assert result["verdict"] == "abort"
    assert words in result["first_call_summary"]["reason"]
    (gateway,) = tsvc.call("DescribeService")["gateways"]
    assert words in gateway["detail"]
    assert gateway["counters"]["refused"] == result["counts"]["aborted"]
    log.setup()
    (line,) = [line for line in stream.getvalue().splitlines() if words in line]
    assert json.loads(line)["event"] == "dialogue refused"


@pytest.mark.parametrize("primitive", ["continue", "end"])
@pytest.mark.parametrize("context", OTHERS)
@pytest.mark.parametrize("distribution", [None, LOAD], ids=["single", "load"])
def test_an_aare_that_accepts_another_context(daemon, primitive, context, distribution):
    tsvc = daemon(accepting(context, sends(primitive, bare_continue)))
    more = {} if distribution is None else {"distribution": distribution}
    result = tsvc.run(INITIAL_DP, expect("Continue"), ssp_ac="camel3", **more)
    assert result["verdict"] == "fail"
    log = result["first_call_summary"]["check_log"]
    (told,) = [entry for entry in log if entry["level"] == "fail"]
    assert (told["text"], told["expected"], told["got"]) == (
        "tcap_ac of the AARE",
        "camel3",
        context,
    )


def test_once_for_a_dialogue(daemon):
    both = sends(
        "continue", operation("RequestReportBCSMEvent", {"oAnswer": 1}), operation("Continue")
    )
    tsvc = daemon(accepting("camel4", both))
    steps = [expect("RequestReportBCSMEvent"), expect("Continue")]
    result = tsvc.run(INITIAL_DP, *steps, ssp_ac="camel3")
    assert len(failed(result)) == 1


def test_a_silent_end_in_another_context(daemon):
    tsvc = daemon(accepting("camel2", sends("end")))
    result = tsvc.run(INITIAL_DP, {"type": "tcap.ssp_from_scp.End"}, ssp_ac="camel3")
    assert result["verdict"] == "fail"


@pytest.mark.parametrize(("said", "verdict"), [("camel2", "pass"), ("camel3", "fail")])
def test_a_definition_may_say_which_context_is_accepted(daemon, said, verdict):
    tsvc = daemon(accepting("camel2", CONTINUE))
    result = tsvc.run(INITIAL_DP, expect("Continue", tcap_ac=said), ssp_ac="camel3")
    assert result["verdict"] == verdict


@pytest.mark.parametrize("context", ["ati3", "sri3"])
def test_map(start, context):
    tsvc, _ = start(accepting(context, sends("end", map_result("AnyTimeInterrogation", IDLE))))
    steps = [send_map("AnyTimeInterrogation", ATI), expect_map("AnyTimeInterrogationResult")]
    result = tsvc.run(*steps, hlr_ac="ati3")
    assert result["verdict"] == ("pass" if context == "ati3" else "fail")


# -- operations that the context does not have ---------------------------------------------------

ROLES = {"assist": "ssp", "srf": "srf"}
SENT = [
    one
    for one in OPERATIONS
    if "camel4" in one.variants and "scp" in one.sent_by and one.example is not None
]


@pytest.mark.sampled(15)
@pytest.mark.parametrize("kind", ROLES)
@pytest.mark.parametrize("declared", SENT, ids=lambda one: one.name)
def test_each_operation_in_the_contexts_of_an_assist(daemon, kind, declared):
    role = ROLES[kind]
    has = declared.code in BY_ALIAS[f"camel4-{kind}"].operations
    tsvc = daemon(sends("continue", operation(declared.name, dict(declared.example))))
    opening = {**ASSIST, "type": f"inap.{role}_to_scp.AssistRequestInstructions"}
    step = {"type": f"inap.{role}_from_scp.{declared.name}"}
    result = tsvc.run({**opening, "tcap_ac": f"camel4-{kind}"}, step)
    text = f"{declared.name} does not exist in application context camel4-{kind}"
    assert (text in failed(result)) is not has


FOREIGN = {
    "SendRoutingInfo": {
        "msisdn_digits": "64210001",
        "interrogationType": "basicCall",
        "gmsc-OrGsmSCF-Address_digits": "6421",
    },
    "ProcessUnstructuredSSRequest": {
        "ussd-DataCodingScheme": 15,
        "ussd-String_hex": "aa180c3602",
    },
}


@pytest.mark.parametrize(("name", "arguments"), FOREIGN.items(), ids=FOREIGN)
def test_a_map_operation_of_another_context(start, name, arguments):
    tsvc, _ = start(sends("continue", request(name, arguments)))
    result = tsvc.run(send_map("AnyTimeInterrogation", ATI), expect_map(name), hlr_ac="ati3")
    assert f"{name} does not exist in application context ati3" in failed(result)


def test_contexts_with_few_operations_are_known():
    few = {one.alias for one in CONTEXTS if one.operations is not None}
    assert few == {f"camel{version}-{kind}" for version in (2, 3, 4) for kind in ROLES}
