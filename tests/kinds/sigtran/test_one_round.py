"""All faults of a definition are reported at once, each with its path."""

from itertools import combinations

import pytest
from support.scripted_scp import INITIAL_DP, LOAD, expect, send

# Faults of InitialDP with their paths, one for each stage in which a fault may be found.
FAULTS = {
    "a name": ({"callingPartyNumbr_digits": "1"}, "callingPartyNumbr_digits"),
    "digits": ({"calledPartyNumber_digits": "12x"}, "calledPartyNumber_digits"),
    "an enumeration": ({"eventTypeBCSM": "collectdInfo"}, "eventTypeBCSM"),
    "a number": ({"serviceKey": -1}, "serviceKey"),
    "a name below": ({"bearerCapability": {"bearerCp": 1}}, "bearerCapability.bearerCp"),
    "octets": ({"iPSSPCapabilities_hex": "0x"}, "iPSSPCapabilities_hex"),
}
SETS = [found for size in (1, 2, 3, 6) for found in combinations(FAULTS, size)]


def places(tsvc, *operations, **params):
    found = tsvc.call("ValidateTest", operations=list(operations), **params)
    return [problem["path"].removeprefix("params.operations") for problem in found["problems"]]


@pytest.mark.parametrize("has_expression", [False, True])
def test_every_fault_of_arguments_is_told(daemon, has_expression):
    tsvc = daemon()
    for names in SETS:
        arguments = {"serviceKey": 1}
        for name in names:
            arguments |= FAULTS[name][0]
        if has_expression:
            arguments["callingPartyNumber_digits"] = "{$r->{idx}}"
        wanted = {f"[0].arguments.{FAULTS[name][1]}" for name in names}
        assert set(places(tsvc, send("InitialDP", arguments), ssp_ac="camel2")) == wanted, names


def test_every_operation_is_looked_at(daemon):
    entries = [send("InitialDP", {"serviceKey": 1, **FAULTS[name][0]}) for name in FAULTS]
    found = places(daemon(), *entries)
    assert found == [f"[{at}].arguments.{FAULTS[name][1]}" for at, name in enumerate(FAULTS)]


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"bcsmEvents": [{"eventTypeBCSM": "oAnswr"}]}, "bcsmEvents[0].eventTypeBCSM"),
        ({"bcsmEvents": [{"!monitorMode": "interruptd"}]}, "bcsmEvents[0].!monitorMode"),
        ({"bcsmEvents": [{"monitorMode_name": "interruptd"}]}, "bcsmEvents[0].monitorMode_name"),
    ],
)
def test_an_expected_name_that_no_value_has_is_refused(daemon, arguments, place):
    entry = expect("RequestReportBCSMEvent", arguments=arguments)
    assert places(daemon(), INITIAL_DP, entry) == [f"[1].arguments.{place}"]


def test_expected_names_and_numbers_that_exist_are_not(daemon):
    arguments = {"bcsmEvents": [{"eventTypeBCSM": "oAnswer"}, {"eventTypeBCSM": "200"}]}
    entry = expect("RequestReportBCSMEvent", arguments=arguments)
    assert places(daemon(), INITIAL_DP, entry) == []


@pytest.mark.parametrize(
    "entry",
    [
        expect("Connect", dialogue="CALL"),
        send("EventReportBCSM", {"eventTypeBCSM": 7}, dialogue="CALL"),
        {"type": "inap.ssp_from_scp.PromptAndCollectUserInformation", "dialogue": "CALL"},
        {"type": "tcap.ssp_from_scp.Abort", "dialogue": "CALL"},
        {"type": "map.hlr_from_scp.SendRoutingInfoResult", "dialogue": "CALL"},
    ],
)
def test_a_dialogue_that_nothing_opens_is_told(daemon, entry):
    tsvc = daemon()
    found = tsvc.call("ValidateTest", operations=[{**INITIAL_DP, "dialogue": "CALLS"}, entry])
    told = [problem for problem in found["problems"] if problem["path"].endswith(".dialogue")]
    assert [problem["path"] for problem in told] == ["params.operations[1].dialogue"]
    assert told[0]["text"].endswith('did you mean "CALLS"?')
    found = tsvc.call("ValidateTest", operations=[{**INITIAL_DP, "dialogue": "CALL"}, entry])
    assert not [one for one in found["problems"] if one["path"].endswith(".dialogue")]


@pytest.mark.parametrize("value", ["{$v->{n}}", "{$v->{n} + 0}", "{6421000000 + $r->{idx}}"])
def test_a_number_that_an_expression_gives_is_its_digits(daemon, value):
    tsvc = daemon()
    result = tsvc.run(
        send("InitialDP", {"serviceKey": 1, "callingPartyNumber_digits": value}),
        vars={"n": {"$sequence": {"start": 6421000000}}},
        distribution={**LOAD, "total": 3},
    )
    assert (result["verdict"], result["counts"]["passed"]) == ("pass", 3)
