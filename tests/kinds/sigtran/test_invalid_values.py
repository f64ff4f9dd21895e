"""Values that can be encoded, but that their ASN.1 type does not allow, give a warning.

Digits in a member of octets are the octets of their characters, which nobody means.
"""

import pytest
from support.scripted_scp import END, INITIAL_DP, checks, expect

CALLED = {"serviceKey": 3, "calledPartyNumber_digits": "0900555123"}
LEG = {"eventTypeBCSM_name": "oAnswer", "legID": {"receivingSideID_hex": "0102"}}
# The arguments of an operation, the place of the value, and what is wrong with it.
INVALID = {
    "octets too many": (
        "inap.ssp_to_scp.InitialDP",
        {**CALLED, "callReferenceNumber_hex": "11" * 9},
        "callReferenceNumber_hex",
        "9 octets, not 1..8",
    ),
    "octets too few": (
        "inap.ssp_to_scp.InitialDP",
        {**CALLED, "iMSI_digits": "1"},
        "iMSI_digits",
        "1 octets, not 3..8",
    ),
    "deep": ("inap.ssp_to_scp.EventReportBCSM", LEG, "legID.receivingSideID_hex", "2 octets"),
    "a value of no name": (
        "inap.ssp_to_scp.EventReportBCSM",
        {"eventTypeBCSM": 99},
        "eventTypeBCSM",
        "99 is no known value",
    ),
    "beside an expression": (
        "inap.ssp_to_scp.InitialDP",
        {
            "serviceKey": "{1 + $v->{n}}",
            "calledPartyNumber_digits": "0900",
            "callReferenceNumber_hex": "11" * 9,
        },
        "callReferenceNumber_hex",
        "9 octets",
    ),
    "a result": (
        "map.hlr_to_scp.AnyTimeInterrogationResult",
        {"subscriberInfo": {"locationInformation": {"vlr-number_hex": "91" * 10}}},
        "subscriberInfo.locationInformation.vlr-number_hex",
        "10 octets, not 1..9",
    ),
}
DIGITS = {
    "calledPartyNumber": ("inap.ssp_to_scp.InitialDP", {"serviceKey": 3}, "_digits"),
    "callReferenceNumber": ("inap.ssp_to_scp.InitialDP", CALLED, "_hex"),
}


def judged(tsvc, type_, arguments, **more):
    operations = [{"type": type_, "arguments": arguments, **more}]
    if "EventReport" in type_:
        operations.insert(0, INITIAL_DP)
    if type_.startswith("map."):
        name = "AnyTimeInterrogation"
        register = {"type": "map.hlr_from_scp.Register", "arguments": {"opcode": 71}}
        operations = [register, {"type": f"map.hlr_from_scp.{name}"}, *operations]
    found = tsvc.call("ValidateTest", operations=operations, vars={"n": 1})
    return [one for one in found["problems"] if "no operation" not in one["text"]]


@pytest.mark.parametrize("which", INVALID)
def test_what_the_type_does_not_allow(daemon, which):
    type_, arguments, place, text = INVALID[which]
    tsvc = daemon()
    (problem,) = judged(tsvc, type_, arguments)
    assert problem["severity"] == "warning"
    assert problem["path"].endswith(f".arguments.{place}")
    assert text in problem["text"]
    assert "allow_invalid" in problem["text"]
    assert judged(tsvc, type_, arguments, allow_invalid=1) == []


@pytest.mark.parametrize("name", DIGITS)
def test_digits_of_octets(daemon, name):
    type_, arguments, suffix = DIGITS[name]
    tsvc = daemon()
    problems = judged(tsvc, type_, {**arguments, name: "090055"})
    assert [one["severity"] for one in problems] == ["warning"]
    assert problems[0]["path"].endswith(f".arguments.{name}")
    assert (
        problems[0]["text"] == f"stands for the octets 30 39 30…; write {name}{suffix} for digits"
    )
    assert judged(tsvc, type_, {**arguments, name: "090055"}, allow_invalid=1) == []
    assert judged(tsvc, type_, {**arguments, name: "\x03\x13\x09\x05\x05"}) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("destinationRoutingAddress", ["4329100"]), ("redirectingPartyID", "4329100")],
)
def test_expected_digits_of_octets(daemon, name, value):
    connect = expect("Connect", arguments={name: value})
    (problem,) = daemon().call("ValidateTest", operations=[INITIAL_DP, connect])["problems"]
    assert problem["severity"] == "warning"
    assert f"write {name}_digits for digits" in problem["text"]


def test_it_is_sent_on_purpose(daemon):
    arguments = {**INITIAL_DP["arguments"], "callReferenceNumber_hex": "11" * 9}
    tsvc = daemon(END, END)
    initial_dp = {**INITIAL_DP, "arguments": arguments, "allow_invalid": 1}
    result = tsvc.run(initial_dp, strict=1)
    assert result["verdict"] == "pass", checks(result)
    (invoke,) = tsvc.scp.components(0)
    assert "11" * 9 in invoke.parameter.hex()
    refused = tsvc.refused({**INITIAL_DP, "arguments": arguments}, strict=1)
    assert list(refused) == ["params.operations[0].arguments.callReferenceNumber_hex"]


def test_nothing_is_said_of_raw_integers(daemon):
    arguments = {"serviceKey_hex": "0003", "calledPartyNumber_digits": "0900555123"}
    assert judged(daemon(), "inap.ssp_to_scp.InitialDP", arguments) == []
