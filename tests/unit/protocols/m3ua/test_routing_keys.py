"""Routing keys: which traffic matches them, and how an SGP answers each registration."""

import pytest

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import params
from tsvc.protocols.m3ua.params import Parameter, PointCode, TrafficMode
from tsvc.protocols.m3ua.routing_keys import (
    DeregistrationStatus,
    RegistrationStatus,
    RoutingKey,
    RoutingKeys,
    decode_key,
    encode_key,
)

KEY = RoutingKey(PointCode(0x1234), (3,))
# Local-RK-Identifier 4, routing context 7, loadshare, DPC 0x1234 (mask 2), network appearance 1,
# SI 3 and 5, OPCs 1 and 2; written from RFC 4666 section 3.6.1
OCTETS = bytes.fromhex(
    "0207 0040"
    "020a 0008 00000004 0006 0008 00000007 000b 0008 00000002 020b 0008 02001234"
    "0200 0008 00000001 020c 0006 0305 0000 020e 000c 00000001 00000002"
)
FULL = RoutingKey(
    PointCode(0x1234, 2),
    (3, 5),
    (PointCode(1), PointCode(2)),
    network_appearance=1,
    traffic_mode=TrafficMode.LOADSHARE,
    routing_context=7,
)


def test_octets():
    parameter = encode_key(FULL, 4)
    assert params.encode_parameters([parameter]) == OCTETS
    (parsed,) = params.decode_parameters(OCTETS)
    asked = decode_key(params.ROUTING_KEY.value_of(parsed))
    assert (asked.identifier, asked.key, asked.status) == (4, FULL, None)


IDENTIFIER = params.LOCAL_ROUTING_KEY_IDENTIFIER.of(4)
DPC = params.DESTINATION_POINT_CODE.of(PointCode(1))


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ((), RegistrationStatus.INVALID_DPC),
        ((DPC, DPC), RegistrationStatus.UNSUPPORTED_FIELD),
        ((DPC, params.STATUS.of(params.Status(1, 2))), RegistrationStatus.UNSUPPORTED_FIELD),
        ((Parameter(DPC.tag, b"1"),), RegistrationStatus.INVALID_ROUTING_KEY),
        ((DPC, params.ROUTING_CONTEXT.of((1, 2))), RegistrationStatus.INVALID_ROUTING_KEY),
        ((DPC, params.TRAFFIC_MODE_TYPE.of(9)), RegistrationStatus.UNSUPPORTED_TRAFFIC_MODE),
    ],
)
def test_what_is_wrong_with_a_key_is_its_result(parts, status):
    asked = decode_key((IDENTIFIER, *parts))
    assert (asked.identifier, asked.key, asked.status) == (4, None, status)


def test_a_key_without_identifier_can_not_be_answered():
    with pytest.raises(RemoteProtocolError, match="Local-RK-Identifier"):
        decode_key((DPC,))


@pytest.mark.parametrize(
    ("key", "holds"),
    [
        (RoutingKey(PointCode(2)), True),
        (RoutingKey(PointCode(3)), False),
        (RoutingKey(PointCode(0, 2)), True),
        (RoutingKey(PointCode(2), (3,)), True),
        (RoutingKey(PointCode(2), (5,)), False),
        (RoutingKey(PointCode(2), (3,), (PointCode(9),)), True),
        (RoutingKey(PointCode(2), (), (PointCode(8),)), False),
        (RoutingKey(PointCode(2), (), (PointCode(8, 1),)), True),
    ],
)
def test_traffic_of_a_key(key, holds):
    assert key.is_for(2, 9, 3) is holds


@pytest.mark.parametrize(
    ("other", "overlaps"),
    [
        (RoutingKey(PointCode(2)), True),
        (RoutingKey(PointCode(0, 3)), True),
        (RoutingKey(PointCode(4)), False),
        (RoutingKey(PointCode(2), (5,)), False),
        (RoutingKey(PointCode(2), (3,), (PointCode(9),)), True),
        (RoutingKey(PointCode(2), network_appearance=1), False),
    ],
)
def test_keys_that_share_traffic(other, overlaps):
    key = RoutingKey(PointCode(2), (3,))
    assert key.overlaps(other) is overlaps
    assert other.overlaps(key) is overlaps


def test_opcs_that_differ_share_nothing():
    one, other = (RoutingKey(PointCode(2), (), (PointCode(opc),)) for opc in (1, 2))
    assert not one.overlaps(other)


def test_two_asps_with_the_same_key_are_in_one_application_server():
    keys = RoutingKeys(may_add=True, first_context=100)
    assert keys.register("first", KEY) == (RegistrationStatus.REGISTERED, 100)
    assert keys.register("second", KEY) == (RegistrationStatus.REGISTERED, 100)
    assert keys.register("first", RoutingKey(PointCode(9))) == (RegistrationStatus.REGISTERED, 101)
    assert keys.context_for(0x1234, 1, 3) == 100
    assert keys.context_for(0x1234, 1, 5) is None


STATUSES = RegistrationStatus
REFUSED = [
    (KEY, {"provisioned": [KEY]}, "first", STATUSES.ALREADY_REGISTERED),
    (RoutingKey(PointCode(0x1234)), {"provisioned": [KEY]}, "second", STATUSES.NO_UNIQUE_ROUTING),
    (RoutingKey(PointCode(5)), {"provisioned": [KEY]}, "second", STATUSES.NOT_PROVISIONED),
    (
        RoutingKey(PointCode(5)),
        {"provisioned": [KEY], "may_add": True, "max_keys": 1},
        "second",
        STATUSES.INSUFFICIENT_RESOURCES,
    ),
    (
        RoutingKey(PointCode(5), routing_context=1),
        {"provisioned": [KEY], "may_add": True},
        "second",
        STATUSES.CHANGE_REFUSED,
    ),
    (
        RoutingKey(PointCode(0x1234), (3,), routing_context=9),
        {"provisioned": [KEY], "may_add": True},
        "second",
        STATUSES.CHANGE_REFUSED,
    ),
    (
        RoutingKey(PointCode(5), network_appearance=2),
        {"may_add": True, "network_appearance": 1},
        "second",
        STATUSES.INVALID_NETWORK_APPEARANCE,
    ),
    (
        RoutingKey(PointCode(5), traffic_mode=TrafficMode.OVERRIDE),
        {"may_add": True, "traffic_mode": TrafficMode.LOADSHARE},
        "second",
        STATUSES.UNSUPPORTED_TRAFFIC_MODE,
    ),
]


@pytest.mark.parametrize(("asked", "options", "asp", "status"), REFUSED)
def test_refused(asked, options, asp, status):
    keys = RoutingKeys(**options)
    if options.get("provisioned"):
        assert keys.register("first", KEY)[0] is RegistrationStatus.REGISTERED
    assert keys.register(asp, asked) == (status, 0)


def test_another_traffic_mode_for_the_same_traffic():
    shared = RoutingKey(PointCode(5), traffic_mode=TrafficMode.LOADSHARE)
    keys = RoutingKeys([shared])
    other = RoutingKey(PointCode(5), traffic_mode=TrafficMode.OVERRIDE)
    assert keys.register("asp", other)[0] is RegistrationStatus.UNSUPPORTED_TRAFFIC_MODE


def test_deregistration():
    keys = RoutingKeys(may_add=True)
    _, context = keys.register("first", KEY)
    statuses = DeregistrationStatus
    assert keys.deregister("first", 99, is_active=False) is statuses.INVALID_ROUTING_CONTEXT
    assert keys.deregister("second", context, is_active=False) is statuses.NOT_REGISTERED
    assert keys.deregister("first", context, is_active=True) is statuses.ASP_IS_ACTIVE
    assert keys.deregister("first", context, is_active=False) is statuses.DEREGISTERED
    assert keys.context_for(0x1234, 1, 3) is None, "nobody holds it any more"


def test_a_provisioned_key_stays():
    keys = RoutingKeys([KEY])
    _, context = keys.register("first", KEY)
    keys.forget("first")
    assert keys.context_for(0x1234, 1, 3) == context
    assert keys.register("second", KEY) == (RegistrationStatus.REGISTERED, context)
