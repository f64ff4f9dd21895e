"""The facts that a ladder shows of each component."""

import pytest

from tsvc.kinds.sigtran.messages.arrows import component_facts, short_name
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.map.operation import OPERATIONS as MAP_OPERATIONS
from tsvc.results.json_values import json_value

BUSY = {"eventTypeBCSM": 13, "legID": {"receivingSideID_hex": "02"}}


def facts_of(name, arguments, variant="camel4", component="invoke"):
    """Return the facts of arguments that were encoded and decoded."""
    operation = OPERATIONS.get(name)
    if component == "result":
        octets = operation.encode_result(arguments, variant)
        tree = operation.decode_result(octets, variant, [])
    else:
        octets = operation.encode_argument(arguments, variant)
        tree = operation.decode_argument(octets, variant, [])
    return component_facts(
        {"component": component, "operation": name, "arguments": json_value(tree)}
    )


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        (
            "InitialDP",
            {"serviceKey": 7, "iMSI_digits": "530011234567890", "eventTypeBCSM": 12},
            ["service key 7", "IMSI 530011234567890", "at termAttemptAuthorized"],
        ),
        (
            "RequestReportBCSMEvent",
            {"oNoAnswer_timer": 20, "oDisconnectLeg1": 1},
            ["oNoAnswer leg 2 interrupted 20 s", "oDisconnect leg 1 interrupted"],
        ),
        ("EventReportBCSM", BUSY, ["tBusy leg 2"]),
        (
            "EventReportBCSM",
            {
                **BUSY,
                "eventTypeBCSM": 17,
                "miscCallInfo": {"messageType": 1},
                "eventSpecificInformationBCSM": {
                    "tDisconnectSpecificInfo": {"releaseCause_cause": 16}
                },
            },
            ["tDisconnect leg 2", "notify", "cause 16 (normal call clearing)"],
        ),
        ("ReleaseCall", {"initialCallSegment_cause": 99}, ["cause 99"]),
        (
            "ConnectToResource",
            {"resourceAddress": {"ipRoutingAddress_digits": "64900"}},
            ["resource 64900"],
        ),
        (
            "PlayAnnouncement",
            {"informationToSend": {"tone": {"toneID": 3, "duration": 5}}},
            ["tone 3", "duration 5 s"],
        ),
        (
            "PlayAnnouncement",
            {
                "informationToSend": {
                    "inbandInfo": {
                        "messageID": {"text": {"messageContent": "hello"}},
                        "numberOfRepetitions": 3,
                        "duration": 9,
                    }
                },
                "disconnectFromIPForbidden": 0,
            },
            ["message hello", "3 times", "duration 9 s", "may disconnect"],
        ),
        (
            "PromptAndCollectUserInformation",
            {"collectedInfo": {"collectedDigits": {"maximumNbOfDigits": 4}}},
            ["4 digits"],
        ),
        ("SpecializedResourceReport", {}, ["all announcements complete"]),
        (
            "ApplyCharging",
            {
                "aChBillingChargingCharacteristics": {
                    "timeDurationCharging": {
                        "maxCallPeriodDuration": 605,
                        "releaseIfdurationExceeded": 1,
                    }
                },
                "partyToCharge": {"sendingSideID_hex": "01"},
            },
            ["at most 60.5 s", "leg 1", "release when exceeded"],
        ),
        (
            "ApplyChargingReport",
            {
                "timeDurationChargingResult": {
                    "partyToCharge": {"receivingSideID_hex": "01"},
                    "timeInformation": {"timeIfNoTariffSwitch": 600},
                    "legActive": 0,
                }
            },
            ["used 60 s", "leg 1", "leg over"],
        ),
        ("ResetTimer", {"timerID": 0, "timervalue": 60}, ["timer tssf", "set to 60 s"]),
        ("Continue", {}, []),
        (
            "CallInformationReport",
            OPERATIONS.get("CallInformationReport").example,
            [
                "requestedInformationType callAttemptElapsedTime",
                "callAttemptElapsedTimeValue 5",
                "requestedInformationType callConnectedElapsedTime",
                "callConnectedElapsedTimeValue 600",
                "requestedInformationType releaseCause",
                "releaseCauseValue 16",
            ],
        ),
    ],
)
def test_what_operations_show(name, arguments, expected):
    assert facts_of(name, arguments) == expected


def test_charging_octets_of_inap_are_shown_as_they_are():
    name = "ApplyCharging"
    arguments = {"aChBillingChargingCharacteristics_hex": "0102"}
    assert facts_of(name, arguments, "cs1") == ["octets 0102"]


def test_results_errors_and_rejects():
    name = "PromptAndCollectUserInformation"
    assert facts_of(name, {"digitsResponse_digits": "12b"}, component="result") == ["digits 12b"]
    error = {"errorCode": 11, "errorCode_name": "systemFailure", "parameter_hex": "0a0104"}
    component = {"component": "error", "operation": name, "arguments": error}
    assert component_facts(component) == ["systemFailure", "0a0104"]
    named = {**component, "arguments": {**error, "parameter_name": "endUserFailure"}}
    assert component_facts(named) == ["systemFailure", "endUserFailure"]
    reject = {"problem_type": "invoke", "problem": 9}
    component = {"component": "reject", "operation": None, "arguments": reject}
    assert component_facts(component) == ["invoke problem 9"]


def test_much_is_cut():
    arguments = {f"member{number}": number for number in range(20)}
    facts = component_facts({"component": "invoke", "operation": None, "arguments": arguments})
    assert facts == [*(f"member{number} {number}" for number in range(8)), "..."]


def test_an_operation_without_facts_of_its_own_shows_its_members():
    arguments = {"pDPID_hex": "01"}
    component = {"component": "invoke", "operation": "CancelGPRS", "arguments": arguments}
    assert component_facts(component) == ["pDPID 01"]
    assert component_facts({**component, "operation": "NoSuchOperation"}) == ["pDPID 01"]


def test_names_tell_operations_apart():
    """A ladder only shows the name of an operation, or its short name."""
    operations = [*OPERATIONS, *MAP_OPERATIONS]
    assert len({operation.name for operation in operations}) == len(operations)
    labels = [short_name(operation.name) for operation in operations]
    assert len(set(labels)) == len(labels)


def test_operations_that_are_rarely_seen_are_shown_by_name():
    assert short_name("InitialDP") == "IDP"
    assert short_name("OAnswer") == "OAnswer"
    assert short_name("NoSuchOperation") == "NoSuchOperation"
