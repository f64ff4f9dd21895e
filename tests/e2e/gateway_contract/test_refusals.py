"""A refusal that no test of the definition reads is reported and counted, and fails if asked
to."""

import json

import pytest
from support.kind_peers import peer_of

NOBODY = "64999999"  # a subscriber that no peer knows
# The text of each kind for a refusal, and a test that reads the refusal.
REFUSALS = {
    "pi": ("NACK", {"kpath": "status", "value": "NACK"}),
    "osd": ("SOAP fault", {"kpath": "fault.code", "type": "exists"}),
    "diameter": (
        "Result-Code 5002",
        {"kpath": "response.avp.Result-Code", "type": "integer", "value": 5002},
    ),
}
NO_LOOK = {
    "pi": {"kpath": "raw", "type": "exists"},
    "osd": {"kpath": "nothing", "type": "exists", "value": 0},
    "diameter": {"kpath": "session_id", "type": "exists"},
}


@pytest.fixture(params=sorted(REFUSALS))
def kind(request):
    return request.param


def asked(kind, tests):
    entry = json.loads(json.dumps(peer_of(kind).operations("77", 5.0)[0]).replace("77", NOBODY))
    for avp in entry["arguments"].get("avps", ()):
        if avp["name"] == "CC-Request-Type":
            avp["value"] = 2  # an update of a session that was never begun
    return {**entry, "tests": tests}


@pytest.mark.parametrize("tests", [False, True])
def test_it_is_told_and_counted(make, kind, tests):
    world = make()
    entry = asked(kind, [NO_LOOK[kind]] if tests else [])
    load = {"type": "load", "total": 3, "backlog": 1}
    result = world.run("1", operations=[entry], distribution=load)
    assert (result["verdict"], result["counts"]["unchecked_refusals"]) == ("pass", 3)
    log = result["first_call_summary"]["check_log"]
    (told,) = [check for check in log if check["level"] == "info"]
    assert told["text"].startswith(f"refused with {REFUSALS[kind][0]}")
    assert told["text"].endswith("; nobody looked")


def test_it_fails_where_it_is_to(make, kind):
    result = make().run("1", operations=[asked(kind, [])], refusals="fail")
    assert (result["verdict"], result["counts"]["unchecked_refusals"]) == ("fail", 1)
    assert result["failures"][0]["cause"].startswith("refused with ")


def test_who_looks_is_not_told(make, kind):
    world = make()
    result = world.run("1", operations=[asked(kind, [REFUSALS[kind][1]])], refusals="fail")
    assert (result["verdict"], result["counts"]["unchecked_refusals"]) == ("pass", 0)
    look = {"type": "eval", "expression": "$i->{anything}"}
    result = world.run("1", operations=[asked(kind, []), look], refusals="fail")
    assert (result["verdict"], result["counts"]["unchecked_refusals"]) == ("pass", 0)
