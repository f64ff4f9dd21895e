"""Hints beside unknown names: members that are deeper in an argument, and contexts."""

import pytest


@pytest.mark.parametrize(
    ("type_", "context", "name", "way"),
    [
        (
            "inap.ssp_from_scp.ApplyCharging",
            "camel2",
            "maxCallPeriodDuration",
            "aChBillingChargingCharacteristics.timeDurationCharging.maxCallPeriodDuration",
        ),
        (
            "inap.ssp_to_scp.ApplyChargingReport",
            "camel2",
            "callActive",
            "callResult.timeDurationChargingResult.callActive",
        ),
        (
            "inap.ssp_to_scp.ApplyChargingReport",
            "camel2",
            "timeIfNoTariffSwitch",
            "callResult.timeDurationChargingResult.timeInformation.timeIfNoTariffSwitch",
        ),
        (
            "inap.ssp_to_scp.EventReportBCSM",
            "camel2",
            "releaseCause_cause",
            "eventSpecificInformationBCSM.oDisconnectSpecificInfo.releaseCause_cause",
        ),
    ],
)
def test_a_member_that_is_deeper_is_named(daemon, type_, context, name, way):
    operation = {"type": type_, "arguments": {name: 1}}
    found = daemon().ask("ValidateTest", operations=[operation], ssp_ac=context)["result"]
    texts = {one["path"]: one["text"] for one in found["problems"]}
    text = texts[f"params.operations[0].arguments.{name}"]
    assert text == f'unknown argument; did you mean "{way}"?'


def test_a_name_that_is_nowhere_has_no_hint(daemon):
    operation = {"type": "inap.ssp_from_scp.ApplyCharging", "arguments": {"zzzzzz": 1}}
    found = daemon().ask("ValidateTest", operations=[operation], ssp_ac="camel2")["result"]
    (text,) = {one["text"] for one in found["problems"] if "zzzzzz" in one["path"]}
    assert text == "unknown argument"


@pytest.mark.parametrize(
    ("type_", "name"),
    [("inap.ssp_from_scp.Connect", "seconds"), ("inap.ssp_to_scp.InitialDP", "invoke_id")],
)
def test_a_member_of_the_entry_among_the_arguments(daemon, type_, name):
    operation = {"type": type_, "arguments": {name: 1}}
    # The check comes after all operations were compiled: another one has other members.
    other = {"type": "wait", "arguments": {"seconds": 0}}
    found = daemon().ask("ValidateTest", operations=[operation, other], ssp_ac="camel2")["result"]
    texts = {one["path"]: one["text"] for one in found["problems"]}
    text = texts[f"params.operations[0].arguments.{name}"]
    assert text == f'unknown argument; did you mean "{name}" beside "arguments"?'


def test_an_argument_among_the_members_of_the_entry(daemon):
    found = daemon().ask("ValidateTest", operations=[{"type": "wait", "seconds": 1}])["result"]
    texts = {one["path"]: one["text"] for one in found["problems"]}
    text = texts["params.operations[0].seconds"]
    assert text == 'unknown member; did you mean "arguments.seconds"?'


def test_a_context_that_is_spelled_like_another(daemon):
    operation = {"type": "inap.ssp_from_scp.Connect"}
    found = daemon().ask("ValidateTest", operations=[operation], ssp_ac="camle2")["result"]
    (problem,) = (one for one in found["problems"] if one["path"] == "params.ssp_ac")
    assert problem["text"].endswith('; did you mean "camel2"?')
