"""Answers of another request, second answers, malformed ones: through the whole service."""

import pytest
from kinds.diameter.testbed import VARS, World, ccr, checks, reason
from support.waiting import GUARD_S

from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import HEADER_OCTETS, decode_header, encode_message
from tsvc.protocols.diameter.tree import encode_avps, message_tree

EXPECTED = {"answer": {"result_code": 2001}}
LOAD = {"type": "load", "total": 20, "backlog": 4}


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path, {"request_timeout_s": GUARD_S}, {})
    yield made
    made.stop()


def header(**members):
    """Return a twist that changes members of the answer's header."""

    def twist(octets):
        before = decode_header(octets)
        changed = {name: change(getattr(before, name)) for name, change in members.items()}
        return [encode_message(before._replace(**changed), octets[HEADER_OCTETS:])]

    return twist


def avps(change):
    """Return a twist that changes the AVPs of the answer, which are trees."""

    def twist(octets):
        trees = message_tree(octets, standard())["avps"]
        made = encode_avps(change(trees), standard(), "avps")
        return [encode_message(decode_header(octets), made)]

    return twist


def value(name, given):
    """Return a twist that changes the value of an AVP; None: removes the AVP."""

    def change(trees):
        return [
            {"name": name, "value": given} if one["name"] == name else one
            for one in trees
            if given is not None or one["name"] != name
        ]

    return avps(change)


OTHERS = {
    "Hop-by-Hop Identifier": header(hop_by_hop_id=lambda one: one ^ 0x55AA0000),
    "End-to-End Identifier": header(end_to_end_id=lambda one: one + 1),
    "Command-Code": header(command_code=lambda _: 271),
    "Application-ID": header(application_id=lambda _: 3),
    "P bit": header(flags=lambda one: one ^ 0x40),
    "Session-Id": value("Session-Id", "another;1;2"),
    "Session-Id, absent": value("Session-Id", None),
    "Auth-Application-Id": value("Auth-Application-Id", 16777238),
    "CC-Request-Type": value("CC-Request-Type", 3),
    "CC-Request-Number": value("CC-Request-Number", 9),
}


@pytest.mark.parametrize("case", OTHERS)
def test_an_answer_of_another_request_fails(world, case):
    world.ocs.twist = OTHERS[case]
    result = world.run(ccr(1, arguments=EXPECTED), vars=VARS)
    assert result["verdict"] == "fail", reason(result)
    member = case.partition(",")[0]
    assert f"identity: {member}" in checks(result)


def test_both_values_are_named(world):
    world.ocs.twist = OTHERS["CC-Request-Number"]
    result = world.run(ccr(1, arguments=EXPECTED), vars=VARS)
    (entry,) = [one for one in result["first_call_summary"]["check_log"] if one["level"] == "fail"]
    assert (entry["expected"], entry["got"]) == (0, 9)


def test_in_a_load_each_one_fails(world):
    world.ocs.twist = OTHERS["End-to-End Identifier"]
    result = world.run(ccr(1), vars=VARS, distribution=LOAD)
    assert result["counts"]["failed"] == 20


def test_the_attribute_check_identity(world):
    world.ocs.twist = OTHERS["End-to-End Identifier"]
    result = world.run(ccr(1, arguments=EXPECTED, check_identity="note"), vars=VARS)
    assert (result["verdict"], result["counts"]["malformed"]) == ("pass", 0)


# -- what nobody expects ------------------------------------------------------------------------


def twice(octets):
    """Send an answer, and then another one to the same request."""
    return [octets, *value("Result-Code", 5012)(octets)]


@pytest.mark.parametrize("following", [[], [ccr(3)]], ids=["at the end", "before another request"])
def test_a_second_answer_aborts(world, following):
    world.ocs.twist = twice
    result = world.run(ccr(1, arguments=EXPECTED), *following, vars=VARS)
    assert result["verdict"] == "abort"
    session = world.ocs.requests[0]["avp"]["Session-Id"]
    assert reason(result).startswith(
        f"unexpected second Credit-Control-Answer in session {session}"
    )


def test_a_second_answer_in_a_load(world):
    world.ocs.twist = twice
    result = world.run(
        ccr(1), {"type": "wait", "arguments": {"seconds": 0.05}}, vars=VARS, distribution=LOAD
    )
    assert result["counts"]["aborted"] == 20


def test_an_answer_with_another_hop_by_hop_id_after_the_right_one(world):
    """The second answer fits no request: its session identifies the instance."""
    strange = header(hop_by_hop_id=lambda _: 1, end_to_end_id=lambda _: 1)
    world.ocs.twist = lambda octets: [octets, *strange(octets)]
    wait = {"type": "wait", "arguments": {"seconds": 0.05}}
    result = world.run(ccr(1, arguments=EXPECTED), wait, vars=VARS)
    assert result["verdict"] == "abort"
    assert "unexpected late Credit-Control-Answer in session" in reason(result)


# -- malformed ----------------------------------------------------------------------------------

SHORT = (
    bytes.fromhex("0000010c4000000c000007d1"),
    bytes.fromhex("0000010c4000000a07d10000"),
)
MALFORMED = {
    "Result-Code: 2 octets, where Unsigned32 has 4": lambda octets: [octets.replace(*SHORT)],
    "Origin-Realm: mandatory AVP is missing": value("Origin-Realm", None),
    "CC-Request-Type occurs 2 times": avps(lambda trees: [*trees, trees[-2]]),
    "AVP 59999 has the M bit and is not known": avps(
        lambda trees: [*trees, {"code": 59999, "mandatory": True, "value_hex": "00"}]
    ),
    "Final-Unit-Indication.Final-Unit-Action: mandatory AVP is missing": avps(
        lambda trees: [*trees, {"name": "Final-Unit-Indication", "value": []}]
    ),
    "Session-Id does not stand first": avps(lambda trees: [*trees[1:], trees[0]]),
}


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_answer_fails(world, text):
    world.ocs.twist = MALFORMED[text]
    result = world.run(ccr(1), vars=VARS)
    assert result["verdict"] == "fail", reason(result)
    assert f"malformed answer: {text}" in checks(result)
    assert result["counts"]["malformed"] == 1


@pytest.mark.parametrize(("malformed", "verdict"), [("note", "pass"), ("abort", "abort")])
def test_the_attribute_malformed(world, malformed, verdict):
    world.ocs.twist = value("Origin-Realm", None)
    result = world.run(ccr(1, arguments=EXPECTED, malformed=malformed), vars=VARS)
    assert (result["verdict"], result["counts"]["malformed"]) == (verdict, 1)


def test_malformed_answers_in_a_load(world):
    world.ocs.twist = value("Origin-Realm", None)
    result = world.run(ccr(1), vars=VARS, distribution=LOAD)
    assert result["counts"]["failed"] == result["counts"]["malformed"] == 20


def test_a_later_version_may_bring_more(world):
    more = [{"code": 59999, "mandatory": False, "value_hex": "00"}]
    strange = {"name": "CC-Session-Failover", "value": 77}
    world.ocs.twist = avps(lambda trees: [*trees, *more, strange])
    result = world.run(ccr(1, arguments=EXPECTED), vars=VARS)
    assert (result["verdict"], result["counts"]["malformed"]) == ("pass", 0), checks(result)


# -- the group that is blamed ---------------------------------------------------------------------

SERVICE = "Multiple-Services-Credit-Control"


def service(rating_group, seconds):
    granted = {"name": "Granted-Service-Unit", "value": [{"name": "CC-Time", "value": seconds}]}
    inner = [granted, {"name": "Rating-Group", "value": rating_group}]
    return {"name": SERVICE, "value": inner}


def test_the_service_that_differs_least_is_blamed(world):
    world.ocs.twist = avps(lambda trees: [*trees, *(service(n, 60) for n in (10, 20, 99))])
    wanted = {"answer": {"avps": [service(20, 61), service(10, 60)]}}
    result = world.run(ccr(1, arguments=wanted), vars=VARS)
    assert checks(result) == [f"{SERVICE}.Granted-Service-Unit.CC-Time differs"]


def test_of_very_many_deviations_only_the_first_are_told(world):
    more = [{"code": 60000 + n, "mandatory": True, "value_hex": ""} for n in range(70)]
    world.ocs.twist = avps(lambda trees: [*trees, *more])
    result = world.run(ccr(1), vars=VARS)
    found = checks(result)
    assert (len(found), result["counts"]["malformed"]) == (51, 1)
    assert found[-1] == "malformed answer: and 20 more"
