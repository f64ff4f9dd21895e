"""Every declaration: code, class, versions and contexts as in TS 29.002."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.map.operation import MAP2_3, MAP3, OPERATIONS, VERSIONS, MapOperation, by_code

# name: (code, versions, number of its application context)
TABLE = {
    "UpdateLocation": (2, VERSIONS, 1),
    "ProvideRoamingNumber": (4, VERSIONS, 3),
    "SendRoutingInfo": (22, VERSIONS, 5),
    "MT-ForwardSM": (44, MAP3, 25),
    "SendRoutingInfoForSM": (45, VERSIONS, 20),
    "MO-ForwardSM": (46, VERSIONS, 21),
    "ProcessUnstructuredSSRequest": (59, MAP2_3, 19),
    "UnstructuredSSRequest": (60, MAP2_3, 19),
    "UnstructuredSSNotify": (61, MAP2_3, 19),
    "ProvideSubscriberInfo": (70, MAP3, 28),
    "AnyTimeInterrogation": (71, MAP3, 29),
}


def everything() -> list[Any]:
    return [pytest.param(operation, id=operation.name) for operation in OPERATIONS]


def test_all_are_there() -> None:
    assert set(OPERATIONS.names()) == set(TABLE)


@pytest.mark.parametrize("operation", everything())
def test_declaration(operation: MapOperation) -> None:
    code, versions, number = TABLE[operation.name]
    assert operation.code == code
    assert operation.variants == versions
    assert operation.operation_class == 1
    assert operation.can_begin
    assert operation.sent_by == {"hlr", "scp"}
    assert operation.errors
    for variant, alias in operation.contexts.items():
        assert BY_ALIAS[alias].oid == f"0.4.0.0.1.0.{number}.{variant[-1]}"


@pytest.mark.parametrize("operation", everything())
def test_found_by_code(operation: MapOperation) -> None:
    for variant in VERSIONS:
        is_there = variant in operation.variants
        assert (by_code(variant, operation.code) is operation) is is_there


@pytest.mark.parametrize("operation", everything())
def test_example_encodes_and_comes_back(operation: MapOperation) -> None:
    variant = max(operation.variants)
    octets = operation.encode_argument(operation.example, variant)
    notes: list[Any] = []
    tree = operation.decode_argument(octets, variant, notes)
    assert not notes
    type_ = operation.argument_in(variant)
    assert type_ is not None
    assert set(tree) <= set(type_.known_keys())
    assert type_.describe()["members"]
    assert operation.summary
    assert operation.summary[0].islower()


def test_nothing_unknown_is_found() -> None:
    assert by_code("map3", 3) is None
    assert by_code("camel3", 22) is None


def test_result_of_routing_information_by_version() -> None:
    operation = OPERATIONS.required("SendRoutingInfo")
    number = {"roamingNumber_digits": "6421"}
    newer = {"extendedRoutingInfo": {"routingInfo": number}}
    older = {"imsi_digits": "53001", "routingInfo": number}
    assert operation.encode_result(newer, "map3") == bytes.fromhex("a305" + "0403914612")
    assert operation.encode_result(older, "map2") == bytes.fromhex("300a04033500f10403914612")


def test_roaming_number_stands_alone_in_map2() -> None:
    operation = OPERATIONS.required("ProvideRoamingNumber")
    result = {"roamingNumber_digits": "6421"}
    assert operation.encode_result(result, "map2") == bytes.fromhex("0403914612")
    assert operation.encode_result(result, "map3") == bytes.fromhex("30050403914612")
    notes: list[Any] = []
    tree = operation.decode_result(bytes.fromhex("0403914612"), "map2", notes)
    assert tree["roamingNumber_digits"] == "6421"
    assert not notes


def test_result_of_update_location_by_version() -> None:
    operation = OPERATIONS.required("UpdateLocation")
    result = {"hlr-Number_digits": "6421"}
    alone, within = bytes.fromhex("0403914612"), bytes.fromhex("30050403914612")
    assert operation.encode_result(result, "map1") == alone
    for version in ("map2", "map3"):
        assert operation.encode_result(result, version) == within
        notes: list[Any] = []
        operation.decode_result(alone, version, notes)
        assert notes


def test_location_updates_name_a_roaming_number_before_map3() -> None:
    operation = OPERATIONS.required("UpdateLocation")
    given = {"imsi_digits": "53001", "roamingNumber_digits": "6421", "vlr-Number_digits": "6422"}
    octets = bytes.fromhex("300f 0403 3500f1 8003 914612 0403 914622")
    for version in ("map1", "map2"):
        assert operation.encode_argument(given, version) == octets
    with pytest.raises(LocalProtocolError, match="roamingNumber_digits: no such member"):
        operation.encode_argument(given, "map3")
    notes: list[Any] = []
    operation.decode_argument(octets, "map3", notes)
    assert {note.path for note in notes} == {"", "msc-Number"}


def test_notify_has_no_result() -> None:
    operation = OPERATIONS.required("UnstructuredSSNotify")
    assert operation.encode_result({}, "map2") is None
