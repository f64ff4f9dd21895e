"""Attributes of TCAP and MAP operations that may be expressions, evaluated when they run."""

import pytest
from support.definition_schema import validator_of
from support.scripted_scp import (
    CONTINUE,
    END,
    INITIAL_DP,
    checks,
    evaluate,
    expect,
    operation,
    reason,
    send,
    sends,
)
from support.tiers import sample

from tsvc.operations.operation import OPERATION_TYPES
from tsvc.protocols.contexts import BY_ALIAS

PROMPT = sends(
    "continue",
    operation(
        "PlayAnnouncement",
        {"informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 1}}}},
        invoke_id=11,
    ),
)
VARS = {"ac": "cs1", "id": "7", "no": 0, "yes": 1, "bad": "soon"}


def test_ids_of_what_is_sent(daemon):
    tsvc = daemon(PROMPT, CONTINUE)
    report = send(
        "SpecializedResourceReport", invoke_id="{$v->{id} + 1}", linked_id="{10 + $v->{yes}}"
    )
    result = tsvc.run(
        {**INITIAL_DP, "invoke_id": "{$v->{id}}"},
        expect("PlayAnnouncement"),
        report,
        expect("Continue"),
        vars=VARS,
    )
    assert result["verdict"] == "pass", reason(result)
    (begun,), (reported,) = tsvc.scp.components(0), tsvc.scp.components(1)
    assert (begun.invoke_id, reported.invoke_id, reported.linked_id) == (7, 8, 11)


def test_the_id_of_an_error(daemon):
    tsvc = daemon(PROMPT, CONTINUE)
    tsvc.run(
        INITIAL_DP,
        expect("PlayAnnouncement"),
        send("PlayAnnouncementError", {"errorCode": 11}, invoke_id="{10 + $v->{yes}}"),
        expect("Continue"),
        vars=VARS,
    )
    (found,) = tsvc.scp.components(1)
    assert (found.invoke_id, found.code) == (11, 11)


@pytest.mark.parametrize(("closes", "kind"), [("no", "CONTINUE"), ("yes", "END")])
def test_when_and_how_to_send(daemon, closes, kind):
    tsvc = daemon(CONTINUE)
    report = send("EventReportBCSM", {"eventTypeBCSM": "oAnswer"})
    result = tsvc.run(
        INITIAL_DP,
        expect("Continue"),
        {**report, "send_with_next": "{$v->{yes}}"},
        {**report, "send_with_next": "{$v->{no} > 1}", "send_and_close": f"{{$v->{{{closes}}}}}"},
        vars=VARS,
    )
    assert result["verdict"] == "pass", reason(result)
    assert tsvc.scp.kinds[1] == kind
    assert len(tsvc.scp.components(1)) == 2


def test_the_context_of_a_begin_decides_the_variant(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(
        {**INITIAL_DP, "tcap_ac": "{$v->{ac}}"},
        expect("Continue", tcap_ac="{$v->{ac}}", tcap_result="{$v->{no}}"),
        vars=VARS,
    )
    assert result["verdict"] == "pass", reason(result)
    assert tsvc.scp.pdus[0].application_context == BY_ALIAS["cs1"].octets
    assert [text for _, text in checks(result)][1:] == ["tcap_ac", "tcap_result"]
    called = result["first_call_summary"]["messages"][0]["called"]
    assert called["ssn"] == 106, "CS-1, not CAP"


def test_no_context_by_expression(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run({**INITIAL_DP, "tcap_ac": "{''}"}, expect("Continue", tcap_ac=None))
    assert tsvc.scp.pdus[0] is None
    assert result["verdict"] == "pass"


def test_what_is_expected(daemon):
    tsvc = daemon(END)
    result = tsvc.run(
        INITIAL_DP,
        expect("Connect", optional="{$v->{yes}}", seconds="{$v->{id} / 10}"),
        {"type": "tcap.ssp_from_scp.End", "seconds": "{$v->{id}}", "tcap_result": "{undef}"},
        vars=VARS,
    )
    undefined = "tcap_result: the expected value is undefined: undef"
    assert checks(result) == [("pass", "Received End"), ("fail", undefined)]


def test_the_wait_is_as_long_as_the_expression_says(daemon):
    result = daemon().run(INITIAL_DP, expect("Connect", seconds="{$v->{yes} / 50}"), vars=VARS)
    assert reason(result) == "expected Connect, nothing came within 0.02 s"


@pytest.mark.parametrize("last", ["{$v->{no}}", "{$v->{no} == 1}"])
def test_last_component(daemon, last):
    tsvc = daemon(sends("end", operation("Continue")))
    result = tsvc.run(INITIAL_DP, expect("Continue", last_component=last), vars=VARS)
    assert checks(result)[1:] == [("fail", "last_component")]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({**INITIAL_DP, "invoke_id": "{128}"}, "invoke_id must be from -128 to 127, not 128"),
        ({**INITIAL_DP, "invoke_id": "{$v->{bad}}"}, 'invoke_id must be an integer, not "soon"'),
        ({**INITIAL_DP, "linked_id": "{undef}"}, "linked_id must not be null"),
        ({**INITIAL_DP, "send_with_next": "{2}"}, "send_with_next must be true, false, 0 or 1"),
        ({**INITIAL_DP, "send_and_close": "{1}"}, "SSP: a message that opens a dialogue can't"),
        ({**INITIAL_DP, "tcap_ac": "{$v->{bad}}"}, "tcap_ac: 'soon' is no alias"),
        ({**INITIAL_DP, "tcap_ac": "{1}"}, "tcap_ac must be a string"),
        ({**INITIAL_DP, "tcap_ac": "{'camel3-sms'}"}, "InitialDP does not exist in camel3-sms"),
        (expect("Continue", seconds="{-1}"), "seconds must be at least 0"),
        (expect("Continue", seconds="{'{1}'}"), "seconds must be a number"),
        (expect("Continue", tcap_result="{'x'}"), 'tcap_result must be an integer, not "x"'),
        (expect("Continue", tcap_ac="{'x'}"), "tcap_ac: 'x' is no alias"),
        (expect("Continue", seconds="{1 / $v->{no}}"), "operations[1].seconds: division by zero"),
    ],
)
def test_what_the_attribute_can_not_be_aborts(daemon, entry, words):
    tsvc = daemon(CONTINUE)
    first = [] if entry["type"].endswith("InitialDP") else [INITIAL_DP]
    result = tsvc.run(*first, entry, vars=VARS)
    assert words in reason(result)
    assert tsvc.open_dialogues[0] == 0


def test_a_wrong_expression_is_refused(daemon):
    tsvc = daemon(CONTINUE)
    fields = tsvc.refused({**INITIAL_DP, "invoke_id": "{1 +}"}, expect("Continue", seconds="{)}"))
    assert list(fields) == ["params.operations[0].invoke_id", "params.operations[1].seconds"]


def test_a_request_of_map(daemon):
    tsvc = daemon(END)
    request = {
        "type": "map.hlr_to_scp.ProcessUnstructuredSSRequest",
        "arguments": {"ussdString_text": "*100#"},
        "tcap_ac": "{$v->{ussd}}",
        "invoke_id": "{2 + 3}",
    }
    result = tsvc.run(request, {"type": "tcap.hlr_from_scp.End"}, vars={"ussd": "ussd2"})
    assert result["verdict"] == "pass", reason(result)
    assert tsvc.scp.pdus[0].application_context == BY_ALIAS["ussd2"].octets
    assert tsvc.scp.components(0)[0].invoke_id == 5
    result = tsvc.run({**request, "tcap_ac": "{'0.4.0.0.1.0.5.1'}"})
    assert reason(result).startswith("ProcessUnstructuredSSRequest does not exist in map1")


def test_each_instance_has_its_own(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(
        {**INITIAL_DP, "invoke_id": "{$r->{idx} + 1}", "tcap_ac": "{$r->{idx} ? 'cs1' : ''}"},
        expect("Continue"),
        evaluate("1"),
        distribution={"type": "load", "total": 2, "backlog": 1},
    )
    assert result["counts"]["finished"] == 2
    assert [components[0].invoke_id for _, components in tsvc.scp.received if components] == [1, 2]


def test_the_schema_takes_them():
    for name in sample([*OPERATION_TYPES.names()], 60, "the schema"):
        validator = validator_of(name)
        type_ = OPERATION_TYPES.get(name)
        described = type_.describe()
        for attribute, member in described["attributes"].items():
            entry = {**described["example"], attribute: "{$v->{x}}"}
            found = validator.is_valid({"operations": [entry]})
            if member.get("expression"):
                assert found, (name, attribute)
            elif member["type"] in ("integer", "number", "boolean"):
                assert not found, (name, attribute)
