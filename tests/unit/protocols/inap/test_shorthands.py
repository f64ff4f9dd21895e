"""Short forms of the test-definition language: sent, filled in when received, expected."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.inap.operation import OPERATIONS, Operation
from tsvc.protocols.inap.operations import request_report_bcsm_event as rrbe
from tsvc.protocols.inap.parameters import renamed


def operation(name: str) -> Operation:
    found = OPERATIONS.required(name)
    return found


def decoded(name: str, octets: str, variant: str = "camel3") -> dict[str, Any]:
    notes: list[Any] = []
    tree = operation(name).decode_argument(bytes.fromhex(octets), variant, notes)
    assert not notes
    return tree


def armed(event: int, mode: int, leg: int | None = None, timer: int | None = None) -> Any:
    entry: dict[str, Any] = {"eventTypeBCSM": event, "monitorMode": mode}
    if leg is not None:
        entry["legID"] = {"sendingSideID_hex": f"0{leg}"}
    if timer is not None:
        entry["dpSpecificCriteria"] = {"applicationTimer": timer}
    return entry


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("collectedInfo", armed(2, 0)),
        ("analyzedInformation", armed(3, 0)),
        ("routeSelectFailure", armed(4, 0, 2)),
        ("oCalledPartyBusy", armed(5, 0, 2)),
        ("oNoAnswer", armed(6, 0, 2)),
        ("oAnswer", armed(7, 1, 2)),
        ("oMidCall", armed(8, 0, 1)),
        ("oDisconnect", armed(9, 0)),
        ("oDisconnectLeg1", armed(9, 0, 1)),
        ("oDisconnectLeg2", armed(9, 0, 2)),
        ("oAbandon", armed(10, 1, 1)),
        ("tBusy", armed(13, 0, 2)),
        ("tNoAnswer", armed(14, 0, 2)),
        ("tAnswer", armed(15, 1, 2)),
        ("tMidCall", armed(16, 0, 2)),
        ("tDisconnectLeg1", armed(17, 0, 1)),
        ("tDisconnectLeg2", armed(17, 0, 2)),
        ("tAbandon", armed(18, 1, 1)),
        ("oTermSeized", armed(19, 1)),
    ],
)
def test_an_event_by_name(name: str, entry: dict[str, Any]) -> None:
    assert rrbe.expand({name: 1}) == {"bcsmEvents": [entry]}


def test_a_timer_arms_its_event() -> None:
    assert rrbe.expand({"oNoAnswer_timer": 30}) == {"bcsmEvents": [armed(6, 0, 2, 30)]}
    assert rrbe.expand({"oNoAnswer": 1, "oNoAnswer_timer": 30}) == {
        "bcsmEvents": [armed(6, 0, 2, 30)]
    }


def test_order_is_as_given_and_false_values_arm_nothing() -> None:
    tree = rrbe.expand({"tBusy": 1, "oAnswer": 0, "oAbandon": "", "oCalledPartyBusy": "1"})
    assert [entry["eventTypeBCSM"] for entry in tree["bcsmEvents"]] == [13, 5]
    assert rrbe.expand({"oAnswer": 0}) == {}
    with pytest.raises(LocalProtocolError, match="mandatory"):
        operation("RequestReportBCSMEvent").encode_argument({"oAnswer": 0}, "camel3")


def test_a_list_given_wins_and_takes_the_other_spelling() -> None:
    given = {
        "oAnswer": 1,
        "bcsmEvents": [
            {"eventTypeBCSM": 6, "monitorMode": 0, "dPSpecificCriteria": {"applicationTimer": 9}}
        ],
        "extensions": [],
    }
    assert rrbe.expand(dict(given)) == {
        "bcsmEvents": [armed(6, 0, None, 9)],
        "extensions": [],
    }


def test_a_name_that_is_no_event_is_refused() -> None:
    with pytest.raises(LocalProtocolError) as caught:
        operation("RequestReportBCSMEvent").encode_argument({"oAnwser": 1}, "camel3")
    assert caught.value.path == "oAnwser"


def test_received_events_have_their_short_names() -> None:
    octets = (
        "3031a02f" + "300b800109810100a203800101" + "3010800106810100a203800102be0381011e"
        "3006800109810100" + "30068001fe810100"
    )
    notes: list[Any] = []
    tree = operation("RequestReportBCSMEvent").decode_argument(
        bytes.fromhex(octets), "camel3", notes
    )
    del tree["bcsmEvents"]
    assert tree == {"oDisconnectLeg1": 1, "oNoAnswer": 1, "oNoAnswer_timer": 30, "oDisconnect": 1}
    assert [str(note) for note in notes] == [
        "bcsmEvents[3].eventTypeBCSM at octet 47: -2 is no known value"
    ]


@pytest.mark.parametrize("octets", ["3003800105", "3002a000", "3005a003800105", "30048100a000"])
def test_odd_events_do_no_harm(octets: str) -> None:
    notes: list[Any] = []
    operation("RequestReportBCSMEvent").decode_argument(bytes.fromhex(octets), "camel3", notes)
    assert notes


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"oAnswer": 1}, {"bcsmEvents": [{"eventTypeBCSM": 7}]}),
        (
            {"oDisconnectLeg1": 1},
            {"bcsmEvents": [{"eventTypeBCSM": 9, "legID": {"sendingSideID_hex": "01"}}]},
        ),
        (
            {"oNoAnswer": 1, "oNoAnswer_timer": 300},
            {
                "bcsmEvents": [
                    {"eventTypeBCSM": 6, "dpSpecificCriteria": {"applicationTimer": 300}}
                ]
            },
        ),
        ({"oAnswer": 0}, {"oAnswer": None}),
        ({"oAnswer": None, "!oAbandon": 1}, {"oAnswer": None, "!oAbandon": 1}),
        (
            {"bcsmEvents": [{"eventTypeBCSM": 5}], "oAnswer": 1},
            {"bcsmEvents": [{"eventTypeBCSM": 5}, {"eventTypeBCSM": 7}]},
        ),
        ({"bcsmEvents": None}, {"bcsmEvents": None}),
        ({"extensions": []}, {"extensions": []}),
    ],
)
def test_expected_events_hold_only_what_was_said(
    given: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert rrbe.expand_expected(given) == expected


@pytest.mark.parametrize(
    ("given", "octets"),
    [
        ({"eventTypeBCSM_name": "oDisconnectLeg1"}, "3008800109a303810101"),
        ({"eventTypeBCSM_name": "tDisconnectLeg2"}, "3008800111a303810102"),
        ({"eventTypeBCSM": "oDisconnectLeg2"}, "3008800109a303810102"),
        ({"eventTypeBCSM_name": "oAnswer"}, "3003800107"),
        ({"eventTypeBCSM": "oAnswer"}, "3003800107"),
        (
            {"eventTypeBCSM_name": "oDisconnectLeg1", "legID": {"receivingSideID_hex": "05"}},
            "3008800109a303810105",
        ),
        (
            {"eventTypeBCSM_name": "oDisconnectLeg1", "legID_hex": "810107"},
            "3008800109a303810107",
        ),
    ],
)
def test_events_reported_by_name(given: dict[str, Any], octets: str) -> None:
    assert operation("EventReportBCSM").encode_argument(given, "camel3") == bytes.fromhex(octets)


@pytest.mark.parametrize(
    ("event", "leg"), [(4, 2), (5, 2), (6, 2), (7, 2), (10, 1), (13, 2), (14, 2), (15, 2), (18, 1)]
)
def test_an_absent_leg_is_the_usual_one(event: int, leg: int) -> None:
    octets = f"30038001{event:02x}"
    tree = decoded("EventReportBCSM", octets)
    assert tree["legID"] == {"receivingSideID": chr(leg), "receivingSideID_hex": f"0{leg}"}
    assert tree["legID_defaulted"] == 1
    again = operation("EventReportBCSM").encode_argument(tree, "camel3")
    assert again == bytes.fromhex(octets)


@pytest.mark.parametrize("event", [2, 3, 9, 17])
def test_some_events_have_no_usual_leg(event: int) -> None:
    tree = decoded("EventReportBCSM", f"30038001{event:02x}")
    assert "legID" not in tree
    assert "legID_defaulted" not in tree


def test_a_leg_that_came_is_kept() -> None:
    tree = decoded("EventReportBCSM", "3008800107a303810101")
    assert tree["legID"]["receivingSideID_hex"] == "01"
    assert "legID_defaulted" not in tree


def test_charging_report_in_all_spellings() -> None:
    octets = "040fa00da003810101a10380011a820100"
    tree = decoded("ApplyChargingReport", octets)
    result = tree["timeDurationChargingResult"]
    assert result["timeInformation"] == {"timeIfNoTariffSwitch": 26}
    assert result["callActive"] == 0
    assert tree["CAMEL-CallResult"] == tree["callResult"] == {"timeDurationChargingResult": result}
    assert tree["CallResult_hex"] == octets[4:]
    for key in (
        "timeDurationChargingResult",
        "CAMEL-CallResult",
        "callResult",
        "CallResult_hex",
        "callResult_hex",
    ):
        again = operation("ApplyChargingReport").encode_argument({key: tree[key]}, "camel3")
        assert again == bytes.fromhex(octets), key


def test_furnish_charging_in_all_spellings() -> None:
    octets = "0410a00e800404050607a103800102820101"
    tree = decoded("FurnishChargingInformation", octets)
    assert tree["fCIBCCCAMELsequence1"]["appendFreeFormatData_name"] == "append"
    for key in (
        "fCIBCCCAMELsequence1",
        "fCIBillingChargingCharacteristics",
        "FCIBillingChargingCharacteristics_hex",
        "fCIBillingChargingCharacteristics_hex",
    ):
        again = operation("FurnishChargingInformation").encode_argument({key: tree[key]}, "camel3")
        assert again == bytes.fromhex(octets), key


def test_other_spellings() -> None:
    release = operation("ReleaseCall")
    octets = bytes.fromhex("0402809f")
    assert release.encode_argument({"allCallSegments_cause": 31}, "camel4") == octets
    assert release.encode_argument({"initialCallSegment_cause": 31}, "camel4") == octets
    charging = operation("ApplyCharging")
    assert charging.encode_argument(
        {"achBillingChargingCharacteristics_hex": "0102"}, "cs1"
    ) == bytes.fromhex("300480020102")
    play = operation("PlayAnnouncement")
    tone: dict[str, Any] = {"informationToSend": {"tone": {"toneID": 1}}}
    assert play.encode_argument(
        {**tone, "requestAnnouncementCompleteNotification": 0}, "camel4"
    ) == play.encode_argument({**tone, "requestAnnouncementComplete": 0}, "camel4")
    initial = operation("InitialDP")
    octets = bytes.fromhex("300c800101bf340681049146" + "1200")
    given = {"serviceKey": 1, "locationInformation": {"vlrNumber_digits": "642100"}}
    assert initial.encode_argument(given, "camel3") == octets


def test_renamed() -> None:
    names = {"old": "new"}
    assert renamed({"old": 1, "old_hex": 2, "!old_x": 3, "older": 4}, names) == {
        "new": 1,
        "new_hex": 2,
        "!new_x": 3,
        "older": 4,
    }
    assert renamed({"old": 1, "new": 2}, names) == {"new": 2}
    assert renamed({"new": 2, "old": 1}, names) == {"new": 2}


def test_charging_information_as_a_list_of_tlvs() -> None:
    name = "FCIBillingChargingCharacteristics"
    items = [{"tag_hex": "81", "value_hex": "0102"}, {"tag_hex": "9f32", "value_hex": ""}]
    fci = operation("FurnishChargingInformation")
    octets = fci.encode_argument({name: items}, "genband")
    assert octets == bytes.fromhex("0407" + "81020102" + "9f3200")
    notes: list[Any] = []
    tree = fci.decode_argument(octets, "genband", notes)
    assert not notes
    assert tree[name] == items
    assert fci.encode_argument(tree, "genband") == octets
    assert fci.expand_expected is not None
    assert fci.expand_expected({name: items}) == {name: items}


@pytest.mark.parametrize("octets", ["04028105", "0401ff", "0400", "0403810101"])
def test_charging_information_that_is_no_list(octets: str) -> None:
    fci = operation("FurnishChargingInformation")
    tree = fci.decode_argument(bytes.fromhex(octets), "sinap", [])
    is_list = "FCIBillingChargingCharacteristics" in tree
    assert is_list is (octets == "0403810101")
    assert fci.encode_argument(tree, "sinap") == bytes.fromhex(octets)


@pytest.mark.parametrize(
    ("item", "path"),
    [("81", "[0]"), ({"value_hex": "01"}, "[0].tag_hex"), ({"tag_hex": "81"}, "[0].value_hex")],
)
def test_charging_information_list_that_is_wrong(item: Any, path: str) -> None:
    name = "FCIBillingChargingCharacteristics"
    with pytest.raises(LocalProtocolError) as caught:
        operation("FurnishChargingInformation").encode_argument({name: [item]}, "genband")
    assert caught.value.path == name + path
