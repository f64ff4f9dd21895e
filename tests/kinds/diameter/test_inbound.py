"""Requests of the server, with the fake OCS; the guide's definition has such a request, too."""

import json
import re
from pathlib import Path

import gevent
import pytest
from kinds.diameter.testbed import (
    NUMBER,
    OCS,
    VARS,
    ccr,
    checks,
    reason,
)
from support.waiting import GUARD_S, until

EXPECT_RAR = {
    "type": "diameter.from_server.Request",
    "arguments": {"code": 258, "seconds": GUARD_S},
}
REGISTER = {"type": "diameter.from_server.Register"}


def test_a_request_of_the_server(world):
    here = world()
    register = {
        "type": "diameter.from_server.Register",
        "arguments": {"session_id": "{$i->{DIAMETER}{session_id}}"},
    }
    expected = {
        "type": "diameter.from_server.Request",
        "arguments": {
            "code": 258,
            "seconds": GUARD_S,
            "avps": [{"name": "Re-Auth-Request-Type", "value": "AUTHORIZE_ONLY"}],
            "answer": {"result_code": 2002, "avps": [{"name": "User-Name", "value": "tester"}]},
        },
        "tests": [{"kpath": "request.avps.[name=Origin-Host].value", "value": OCS}],
    }
    here.start(ccr(1), register, expected, ccr(3), vars=VARS)
    until(lambda: len(here.gateway.sessions))
    (session_id,) = here.gateway.sessions._registered
    answer = here.ocs.request("Re-Auth-Request", session_id)
    assert answer["avp"]["Result-Code"] == 2002
    assert answer["avp"]["User-Name"] == "tester"
    assert answer["avp"]["Session-Id"] == session_id
    assert answer["avps"][0]["name"] == "Session-Id"
    result = here.finish()
    assert result["verdict"] == "pass", (reason(result), checks(result))


def test_a_rar_that_the_ocs_sends_by_itself(world):
    here = world(rar_after_s=0.01)
    # An event request (type 4) begins a session, too, and is followed by no RAR.
    result = here.run(REGISTER, ccr("1"), EXPECT_RAR, ccr(3), ccr(4), vars=VARS)
    assert result["verdict"] == "pass", reason(result)
    sessions = [request["avp"]["Session-Id"] for request in here.ocs.requests]
    assert sessions[0] == sessions[1] != sessions[2]


@pytest.mark.parametrize(
    ("malformed", "verdict"), [("fail", "fail"), ("note", "pass"), ("abort", "abort")]
)
def test_a_malformed_request_is_answered_and_fails(world, malformed, verdict):
    here = world()
    here.start(ccr(1), REGISTER, {**EXPECT_RAR, "malformed": malformed}, vars=VARS)
    until(lambda: len(here.gateway.sessions))
    (session_id,) = here.gateway.sessions._registered
    again = [{"name": "Re-Auth-Request-Type", "value": 0}]
    answer = here.ocs.request("Re-Auth-Request", session_id, again)
    assert answer["avp"]["Result-Code"] == 2001
    result = here.finish()
    assert (result["verdict"], result["counts"]["malformed"]) == (verdict, 1)
    if malformed == "fail":
        assert checks(result) == ["malformed request: Re-Auth-Request-Type occurs 2 times"]


@pytest.mark.parametrize("member", ["code", "session_id", "seconds"])
def test_what_is_undefined_is_not_anything(world, member):
    entry = {**EXPECT_RAR, "arguments": {**EXPECT_RAR["arguments"], member: "{$v->{nobody}}"}}
    result = world(rar_after_s=0.01).run(REGISTER, ccr("1"), entry, ccr(3), vars=VARS)
    assert result["verdict"] == "abort"
    assert reason(result) == f"{member}: the expected value is undefined: $v->{{nobody}}"


def test_an_avp_without_a_name_is_none(world):
    avps = [{"name": "{$v->{nobody}}", "value": None}]
    arguments = {**EXPECT_RAR["arguments"], "avps": avps}
    entry = {**EXPECT_RAR, "arguments": arguments}
    result = world(rar_after_s=0.01).run(REGISTER, ccr("1"), entry, ccr(3), vars=VARS)
    assert result["verdict"] == "fail"
    told = "name of an AVP: the expected value is undefined: $v->{nobody}"
    assert told in checks(result)


def test_another_request_than_expected(world):
    here = world()
    here.start(ccr(1), REGISTER, EXPECT_RAR, vars=VARS)
    until(lambda: len(here.gateway.sessions))
    (session_id,) = here.gateway.sessions._registered
    answer = here.ocs.request("Abort-Session-Request", session_id)
    assert answer["avp"]["Result-Code"] == 5012
    result = here.finish()
    assert result["verdict"] == "abort"
    assert reason(result) == "expected Re-Auth-Request, got Abort-Session-Request"


def test_a_request_that_no_operation_takes(world):
    here = world()
    here.start(ccr(1), REGISTER, {"type": "halt"}, vars=VARS)
    until(lambda: len(here.gateway.sessions))
    (session_id,) = here.gateway.sessions._registered
    answers = gevent.spawn(here.ocs.request, "Re-Auth-Request", session_id)
    until(lambda: here.gateway.status().counters["server_requests"])
    here.resume()
    result = here.finish()
    assert result["verdict"] == "abort"
    assert reason(result) == "unexpected Re-Auth-Request at the end of the instance"
    assert answers.get(timeout=GUARD_S)["avp"]["Result-Code"] == 5012


def test_a_session_that_nobody_registered(world):
    here = world()
    here.start(ccr(1), {"type": "halt"}, vars=VARS)
    until(lambda: here.ocs.requests)
    until(lambda: here.ocs._origins)
    session_id = here.ocs.requests[0]["avp"]["Session-Id"]
    answer = here.ocs.request("Re-Auth-Request", session_id)
    assert answer["avp"]["Result-Code"] == 5002
    assert here.gateway.status().counters["unknown_sessions"] == 1
    here.resume()
    result = here.finish()
    assert result["verdict"] == "abort"
    text = f"Re-Auth-Request in session {session_id}, for which no Register waits,"
    assert reason(result) == f"unexpected {text} at the end of the instance"


@pytest.mark.parametrize(
    "answer",
    [{"result_code": "{$v->{nothing}{here} / 0}"}, {"avps": "{1 / 0}"}],
)
def test_an_answer_that_can_not_be_made_is_a_refusal(world, answer):
    here = world()
    expect = {
        "type": "diameter.from_server.Request",
        "arguments": {"code": 258, "seconds": GUARD_S, "answer": answer},
    }
    here.start(ccr(1), REGISTER, expect, vars=VARS)
    until(lambda: len(here.gateway.sessions))
    (session_id,) = here.gateway.sessions._registered
    reply = here.ocs.request("Re-Auth-Request", session_id)
    assert reply["avp"]["Result-Code"] == 5012
    assert here.finish()["verdict"] == "abort"


def test_nothing_comes(world):
    here = world()
    wait = {"type": "diameter.from_server.Request", "arguments": {"code": "RAR", "seconds": 0.1}}
    result = here.run(ccr(1), REGISTER, wait, vars=VARS)
    assert reason(result) == "expected Re-Auth-Request, nothing came within 0.1 s"
    assert "Register comes first" in reason(here.run(wait))


def test_only_those_that_wait_on_a_lost_connection_abort(world):
    here = world()
    here.start(
        ccr(1),
        REGISTER,
        {"type": "branch", "expression": "$r->{idx} == 1", "on_true": "other"},
        EXPECT_RAR,
        {"type": "halt", "label": "other"},
        vars=VARS,
        distribution={"type": "load", "total": 2, "backlog": 2},
    )
    until(lambda: sum(one.is_waiting for one in here.gateway.sessions._registered.values()) == 1)
    until(lambda: here.ask("QueryTest", run_id="r")["result"]["halted"])
    here.ocs.kill()
    until(lambda: len(here.gateway.sessions) == 1)
    here.resume()
    result = here.ask("QueryTest", run_id="r", wait_s=GUARD_S)["result"]
    assert result["completed"] == 1
    counts = result["counts"]
    assert (counts["passed"], counts["aborted"]) == (1, 1), result


@pytest.mark.parametrize(
    ("answer", "place", "text"),
    [
        (5, "", "must be an object"),
        ("{5}", "", "must be an object"),
        ({"avps": 5}, ".avps", "must be a list of AVPs"),
        ({"avps": [5]}, ".avps[0]", "must be an object with name and value"),
        ({"avps": [{"value": 5}]}, ".avps[0]", "an AVP needs a name or a code"),
        ({"result_code": "nope"}, ".result_code", "'nope' is no result code"),
    ],
)
def test_answers_that_are_refused(world, answer, place, text):
    entry = {"type": "diameter.from_server.Request", "arguments": {"answer": answer}}
    assert world().problems(REGISTER, entry) == {
        f"params.operations[1].arguments.answer{place}": ("error", text)
    }


def test_a_session_that_is_no_text(world):
    session_id = {"type": "eval", "expression": "$v->{s} = [1]"}
    register = {**REGISTER, "arguments": {"session_id": "{$v->{s}}"}}
    result = world().run(session_id, register)
    assert reason(result) == "an array can't be used as text or number"


def test_the_definition_of_the_guide(world):
    guide = Path(__file__).parents[3] / "docs/guide/diameter.md"
    definition = json.loads(re.search(r"```json\n(.*?)```", guide.read_text(), re.DOTALL)[1])
    here = world()
    here.start(*definition["operations"], vars=definition["vars"])
    until(lambda: len(here.gateway.sessions))
    (session_id,) = here.gateway.sessions._registered
    answer = here.ocs.request("Re-Auth-Request", session_id)
    assert answer["avp"]["Result-Code"] == 2002
    result = here.finish()
    assert result["verdict"] == "pass", (reason(result), checks(result))
    assert result["problems"] == []
    assert here.ocs.ledger.balance(NUMBER) == 250 - 42
