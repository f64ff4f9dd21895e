"""Keys of connections and routes, and URLs to listen on."""

import pytest
from marshmallow import ValidationError

from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.params import PointCode, TrafficMode
from tsvc.protocols.m3ua.routing_keys import RoutingKey
from tsvc.protocols.sccp.address import Network
from tsvc.ss7.routes import Route
from tsvc.ss7.settings import ConnectionTable, RouteEntry, link_of, link_of_url, route_of


def link(**given):
    return link_of(ConnectionTable.load({"name": "a", "type": "m3ua", **given}))


def route(**given):
    return route_of(RouteEntry.load({"connection": "a", **given}))


def test_defaults():
    made = link()
    assert (made.mode, made.role, made.transport) == ("connect", Role.ASP, "tcp")
    assert (made.host, made.port, made.routing_contexts) == ("127.0.0.1", 2905, ())
    assert link(mode="listen", role="sgp").port == 2905
    assert link(type="sua").port == 14001


def test_all_that_makes_an_association():
    made = link(
        routing_context=7,
        routing_contexts=[8, 9],
        traffic_mode="broadcast",
        network="ansi",
        opc=66000,
        routing_keys=[{"dpc": 2, "mask": 3, "opc": [5], "traffic_mode": "override"}],
        network_appearance=1,
    )
    assert made.routing_contexts == (7, 8, 9)
    assert (made.traffic_mode, made.network) == (TrafficMode.BROADCAST, Network.ANSI)
    key = RoutingKey(PointCode(2, 3), (), (PointCode(5),), 1, TrafficMode.OVERRIDE)
    assert made.routing_keys == (key,)


@pytest.mark.parametrize(
    ("given", "member"),
    [
        ({"exchange": "double"}, "exchange"),
        ({"may_register": True}, "may_register"),
        ({"local_hosts": ["127.0.0.1", "127.0.0.2"]}, "local_hosts"),
        ({"type": "m2pa"}, "type"),
        ({"routing_context": -1}, "routing_context"),
        ({"heartbeat_s": 0}, "heartbeat_s"),
    ],
)
def test_a_mixture_that_can_not_work(given, member):
    with pytest.raises(ValidationError) as refused:
        link(**given)
    assert list(refused.value.messages_dict) == [member]


def test_routes():
    assert route(pc=2) == Route("a", pc=2)
    made = route(gt_prefix="64A", new_gt_digits="1", route_on="ssn", new_ssn=6, priority=2)
    assert made == Route(
        "a",
        gt_from="64a",
        gt_to="64a",
        is_prefix=True,
        priority=2,
        ssn=6,
        gt_digits="1",
        is_on_ssn=True,
    )
    assert route(gt_from="640", gt_to="649", new_dpc=5).dpc == 5


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"pc": 2, "gt_prefix": "64"},
        {"gt_from": "64"},
        {"gt_from": "64", "gt_to": "6"},
        {"gt_from": "65", "gt_to": "64"},
        {"gt_prefix": "64+"},
    ],
)
def test_routes_that_say_nothing_or_two_things(given):
    with pytest.raises(ValidationError):
        route(**given)


def test_a_bare_url():
    made = link_of_url("m3ua+tcp://127.0.0.1:0", "listen")
    assert (made.mode, made.role, made.host, made.port) == ("listen", Role.SGP, "127.0.0.1", 0)
    assert (made.opc, made.network, made.name) == (None, None, "m3ua+tcp://127.0.0.1:0")


def test_a_url_with_everything():
    made = link_of_url(
        "m3ua+sctp://[::1]:2906?pc=66000&network=ansi&ni=3&rc=1,2&na=5&role=ipsp&exchange=double"
        "&traffic=override&asp=4&heartbeat=30&recovery=5&host=127.0.0.1",
        "listen",
    )
    assert (made.host, made.port, made.transport) == ("::1", 2906, "sctp")
    assert made.more_hosts == ("127.0.0.1",)
    assert (made.opc, made.network, made.network_indicator) == (66000, Network.ANSI, 3)
    assert (made.routing_contexts, made.network_appearance) == ((1, 2), 5)
    assert (made.role, made.is_double_exchange) == (Role.IPSP, True)
    assert (made.traffic_mode, made.asp_identifier) == (TrafficMode.OVERRIDE, 4)
    assert (made.heartbeat_s, made.recovery_s) == (30.0, 5.0)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("pint=2", "'pint' is unknown"),
        ("pc=2&pc=3", "'pc' is there twice"),
        ("pc=two", "pc: "),
        ("network=etsi", "network: "),
        ("rc=1,x", "rc: "),
        ("role=asp", "role: "),
        ("exchange=double", "exchange: "),
    ],
)
def test_a_query_that_is_wrong(query, text):
    with pytest.raises(ValueError, match=text):
        link_of_url(f"m3ua+tcp://127.0.0.1:2905?{query}", "listen")


def test_a_url_to_connect_to():
    made = link_of_url(
        "m3ua+sctp://stp:2906?rc=22&pc=2&dpc=7&host=127.0.0.1,::1&port=3002", "connect"
    )
    assert (made.mode, made.role, made.host, made.port) == ("connect", Role.ASP, "stp", 2906)
    assert (made.opc, made.dpc, made.routing_contexts) == (2, 7, (22,))
    assert (made.local_host, made.more_hosts, made.local_port) == ("127.0.0.1", ("::1",), 3002)
    assert link_of_url("sua+tcp://[::1]:14001?role=ipsp", "connect").role is Role.IPSP


def test_a_url_that_registers_its_point_code():
    made = link_of_url("m3ua+tcp://stp:2905?pc=5&register=1&traffic=loadshare", "connect")
    (key,) = made.routing_keys
    assert (key.dpc, key.traffic_mode) == (PointCode(5), TrafficMode.LOADSHARE)
    assert not made.may_register
    with pytest.raises(ValueError, match="register: needs pc"):
        link_of_url("m3ua+tcp://stp:2905?register=1", "connect")


def test_where_a_port_of_ours_stands():
    with pytest.raises(ValueError, match="port: "):
        link_of_url("m3ua+tcp://127.0.0.1:2905?port=3002", "listen")
