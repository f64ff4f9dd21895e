"""Operations by family: codes and names of the standards, classes, which can begin."""

from typing import Any

import pytest

from tsvc.protocols.inap.errors import ERROR_CODES
from tsvc.protocols.inap.operation import (
    ALL,
    CAMEL3_UP,
    CAMEL4,
    CS,
    CS2,
    GPRS,
    NOT_CAMEL1,
    OPERATIONS,
    SMS,
    VARIANTS,
    Operation,
    by_code,
    variant_named,
)

# Variants and rows of code, class, senders, name, errors by their codes.
FAMILIES: list[tuple[frozenset[str], str]] = [
    (
        ALL,
        """
        0 2 ssp InitialDP 6 7 8 11 12 14 15 16
        20 2 scp Connect 7 8 11 12 14 15 16 17
        22 4 scp ReleaseCall
        23 2 scp RequestReportBCSMEvent 7 8 11 12 14 15 16 17
        24 4 ssp EventReportBCSM
        31 4 scp Continue
        55 3 scp ActivityTest
        """,
    ),
    (
        NOT_CAMEL1,
        """
        16 2 ssp,srf AssistRequestInstructions 6 7 11 12 14 15 16
        17 2 scp EstablishTemporaryConnection 3 7 11 12 14 15 16 51
        18 2 scp DisconnectForwardConnection 11 12 14
        19 2 scp ConnectToResource 7 11 12 14 15 16 51
        33 2 scp ResetTimer 7 8 12 14 15 16 51
        34 2 scp FurnishChargingInformation 7 12 14 15 16 17
        35 2 scp ApplyCharging 7 8 11 12 14 15 16 17 51
        36 2 ssp ApplyChargingReport 7 8 11 12 14 15 16 17 51
        44 4 ssp CallInformationReport
        45 2 scp CallInformationRequest 7 8 10 11 12 14 15 16 17
        46 2 scp SendChargingInformation 7 8 11 12 14 15 16 17
        47 2 scp PlayAnnouncement 0 7 8 11 12 13 14 15 16 51
        48 1 scp PromptAndCollectUserInformation 0 4 7 8 11 12 13 14 15 16 51
        49 4 ssp,srf SpecializedResourceReport
        53 2 scp Cancel 1 7 12 51
        """,
    ),
    (
        (CS - {"cs1"}) | CAMEL3_UP,
        """
        88 2 scp ContinueWithArgument 7 8 14 15 16 17 51
        """,
    ),
    (
        CS,
        """
        25 2 scp RequestNotificationChargingEvent 7 11 12 14 15 16
        26 4 ssp EventNotificationCharging
        42 1 scp ActivateServiceFiltering 7 8 11 12 14 16
        43 4 ssp ServiceFilteringResponse
        1 2 ssp OriginationAttemptAuthorized 6 7 8 11 12 14 15 16
        2 2 ssp CollectedInformation 6 7 11 12 14 15 16
        3 2 ssp AnalysedInformation 6 7 8 11 12 14 15 16
        4 2 ssp RouteSelectFailure 6 7 8 11 12 14 15 16
        5 2 ssp OCalledPartyBusy 6 7 8 11 12 14 15 16
        6 2 ssp ONoAnswer 6 7 8 11 12 14 15 16
        7 2 ssp OAnswer 6 7 8 11 12 14 15 16
        8 2 ssp ODisconnect 6 7 8 11 12 14 15 16
        9 2 ssp TermAttemptAuthorized 6 7 8 11 12 14 15 16
        10 2 ssp TBusy 6 7 8 11 12 14 15 16
        11 2 ssp TNoAnswer 6 7 8 11 12 14 15 16
        12 2 ssp TAnswer 6 7 8 11 12 14 15 16
        13 2 ssp TDisconnect 6 7 8 11 12 14 15 16
        14 2 ssp OMidCall 6 7 8 11 12 14 15 16
        15 2 ssp TMidCall 6 7 8 11 12 14 15 16
        21 2 scp HoldCallInNetwork 7 11 12 14 15 16
        28 2 scp AnalyseInformation 7 8 11 12 14 15 16
        29 2 scp SelectRoute 7 8 11 12 14 15 16
        30 2 scp SelectFacility 7 8 11 12 14 15 16
        37 1 scp RequestCurrentStatusReport 7 8 11 12 14 15 16 18
        38 1 scp RequestEveryStatusChangeReport 7 8 11 12 14 15 16 18
        39 1 scp RequestFirstStatusMatchReport 7 8 11 12 14 15 16 18
        40 4 ssp StatusReport
        54 2 scp CancelStatusReportRequest 1 7 12
        """,
    ),
    (
        CS | CAMEL4,
        """
        27 2 scp CollectInformation 7 8 11 12 14 15 16
        32 1 scp InitiateCallAttempt 7 8 11 12 14 15 16
        """,
    ),
    (CS | CAMEL3_UP, "41 4 scp CallGap"),
    (
        CS2 | CAMEL4,
        """
        86 2 scp DisconnectForwardConnectionWithArgument 7 11 12 14 15 16 51
        90 1 scp DisconnectLeg 7 11 12 14 15 16 17
        93 1 scp MoveLeg 7 11 12 14 15 16 17
        95 1 scp SplitLeg 7 11 12 14 15 16 17
        96 4 ssp EntityReleased
        """,
    ),
    (CAMEL4, "97 2 scp PlayTone 7 8 11 14 15 16 17 51"),
    (
        CS2,
        """
        80 2 ssp FacilitySelectedAndAvailable 6 7 11 12 14 15 16
        81 2 ssp OriginationAttempt 6 7 11 12 14 15 16
        82 2 ssp TerminationAttempt 6 7 8 11 12 14 15 16
        83 2 ssp OAbandon 6 7 11 12 14 15 16 17
        84 2 ssp OSuspended 6 7 11 12 14 15 16 17
        85 2 ssp TSuspended 6 7 11 12 14 15 16
        87 2 scp AuthorizeTermination 7 11 12 14 15 16
        89 1 scp CreateCallSegmentAssociation 7 11 12 14 15 16
        91 1 scp MergeCallSegments 7 11 12 14 15 16
        92 1 scp MoveCallSegments 7 11 12 14 15 16 17
        94 2 scp Reconnect 7 11 12 14 15 16
        97 1 scp ManageTriggerData 7 8 11 12 14 15 16
        98 2 scp RequestReportUTSI 7 8 11 12 14 15 16 17
        100 2 scp SendSTUI 7 8 11 12 14 15 16 17
        101 4 ssp ReportUTSI
        102 2 scp SendFacilityInformation 7 11 12 14 15 16 17
        103 2 scp RequestReportFacilityEvent 7 8 11 12 14 15 16 17
        104 4 ssp EventReportFacility
        107 1 scp PromptAndReceiveMessage 0 4 7 8 11 12 13 14 15 16
        108 2 scp ScriptInformation 7 11 12 13 14 15 16
        109 4 ssp,srf ScriptEvent
        110 2 scp ScriptRun 7 11 12 13 14 15 16
        111 2 scp ScriptClose 7 11 12 13 14 15 16
        135 1 scp CreateOrRemoveTriggerData 6 7 8 11 12 14 15 16
        136 2 scp SetServiceProfile 7 8 12 14 15 16
        139 4 srf SrfCallGap
        145 2 scp CallFiltering 7 8 11 12 14 15 16
        146 1 scp MonitorRouteRequest 7 11 12 14 16
        147 4 ssp MonitorRouteReport
        """,
    ),
    (
        SMS,
        """
        60 2 ssp InitialDPSMS 6 7 8 11 12 14 15 16
        61 2 scp FurnishChargingInformationSMS 7 12 14 15 16
        62 2 scp ConnectSMS 7 8 11 12 14 15 16
        63 2 scp RequestReportSMSEvent 7 8 11 12 14 15 16
        64 4 ssp EventReportSMS
        65 4 scp ContinueSMS
        66 4 scp ReleaseSMS
        67 2 scp ResetTimerSMS 7 8 12 14 15 16
        """,
    ),
    (
        GPRS,
        """
        70 3 scp ActivityTestGPRS
        71 2 scp ApplyChargingGPRS 7 8 11 12 14 15 16 50
        72 1 ssp ApplyChargingReportGPRS 7 8 11 12 14 15 16 50
        73 2 scp CancelGPRS 7 12 50
        74 2 scp ConnectGPRS 7 8 11 12 14 15 16 50
        75 2 scp ContinueGPRS 7 15 50
        76 1 ssp EntityReleasedGPRS 7 12 50
        77 2 scp FurnishChargingInformationGPRS 7 12 14 15 16 50
        78 2 ssp InitialDPGPRS 6 7 8 11 12 14 15 16
        79 2 scp ReleaseGPRS 7 12 50
        80 1 ssp EventReportGPRS 50
        81 2 scp RequestReportGPRSEvent 7 8 11 12 14 15 16 50
        82 2 scp ResetTimerGPRS 7 8 12 14 15 16 50
        83 2 scp SendChargingInformationGPRS 7 8 11 12 14 15 16 50
        """,
    ),
]
OPENING = {
    "AnalysedInformation",
    "AssistRequestInstructions",
    "CollectedInformation",
    "FacilitySelectedAndAvailable",
    "InitialDP",
    "InitialDPGPRS",
    "InitialDPSMS",
    "OriginationAttempt",
    "OriginationAttemptAuthorized",
    "ServiceFilteringResponse",
    "TermAttemptAuthorized",
    "TerminationAttempt",
}


def rows() -> list[Any]:
    return [
        pytest.param(variants, line.split(), id=line.split()[3])
        for variants, text in FAMILIES
        for line in text.splitlines()
        if line.strip()
    ]


def the(name: str) -> Operation:
    found = OPERATIONS.required(name)
    return found


@pytest.mark.parametrize(("variants", "row"), rows())
def test_declared_as_listed(variants: frozenset[str], row: list[str]) -> None:
    code, operation_class, senders, name, *errors = row
    operation = the(name)
    assert (operation.code, operation.operation_class) == (int(code), int(operation_class))
    assert operation.sent_by == set(senders.split(","))
    assert operation.variants == variants
    assert sorted(ERROR_CODES[error] for error in operation.errors) == [int(one) for one in errors]


def test_every_operation_is_listed() -> None:
    assert sorted(row.id for row in rows()) == sorted(one.name for one in OPERATIONS)


def test_one_number_means_what_the_variant_says() -> None:
    assert by_code("camel4", 97) is the("PlayTone")
    assert by_code("cs2", 97) is the("ManageTriggerData")
    assert by_code("cs1", 97) is None
    assert by_code("cs2", 80) is the("FacilitySelectedAndAvailable")
    assert by_code("camel3-gprs", 80) is the("EventReportGPRS")
    assert by_code("camel3", 80) is None
    assert by_code("camel3-sms", 0) is None


def test_what_opens_a_dialogue() -> None:
    assert {one.name for one in OPERATIONS if one.can_begin} == OPENING


def test_packages_are_variants_of_their_own() -> None:
    assert {variant_named(name) for name in SMS | GPRS} == SMS | GPRS
    for operation in OPERATIONS:
        assert operation.variants <= VARIANTS
        assert not operation.variants & (SMS | GPRS) or operation.variants in (SMS, GPRS)


def test_later_names_of_cs2() -> None:
    assert variant_named("cs3") == variant_named("cs4") == "cs2"


def test_a_result_of_one_variant_only() -> None:
    attempt = the("InitiateCallAttempt")
    given = {"supportedCamelPhases_hex": "04f0"}
    assert attempt.encode_result(given, "camel4") == bytes.fromhex("3004800204f0")
    assert attempt.encode_result({}, "cs1") is None
    assert attempt.result_in("cs2") is None
