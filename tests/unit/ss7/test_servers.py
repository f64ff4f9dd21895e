"""Application Servers over real TCP: traffic modes, registered keys, ASPs that join and leave."""

import pytest
from support.clock import FakeClock
from support.waiting import GUARD_S, until
from unit.ss7 import m3ua_nodes
from unit.ss7.m3ua_nodes import connecting, is_up, listening, to

from tsvc.errors import GatewayError
from tsvc.protocols.m3ua.params import PointCode, TrafficMode
from tsvc.protocols.m3ua.routing_keys import RoutingKey

make = m3ua_nodes.make


def test_messages_wait_for_an_application_server(make):
    sgp = make(2, listening(recovery_s=GUARD_S, traffic_mode=TrafficMode.LOADSHARE))
    (port,) = sgp.network.ports()
    with pytest.raises(GatewayError):
        sgp.send(b"early", to(1))
    asp = make(1, connecting("link", port))
    until(is_up(sgp))
    asp.network.kill()
    until(lambda: sgp.lost)
    sgp.send(b"1", to(1))
    sgp.send(b"2", to(1))
    assert sgp.network.counters["pending"] == 2
    asp = make(1, connecting("link", port))
    until(lambda: asp.octets() == [b"1", b"2"])
    assert sgp.network.counters["pending"] == 0


def test_messages_that_waited_in_vain_come_back(make):
    clock = FakeClock()
    sgp = make(2, listening(recovery_s=0.2), clock=clock)
    asp = make(1, connecting("link", sgp.network.ports()[0]))
    until(is_up(sgp))
    asp.network.kill()
    until(lambda: sgp.lost)
    long = bytes(600)
    sgp.send(b"short", to(1))
    sgp.send(long, to(1))
    assert sgp.returned == []
    clock.advance(0.2)
    until(lambda: len(sgp.returned) == 2)
    assert [octets for octets, _ in sgp.returned] == [b"short", long]
    with pytest.raises(GatewayError):
        sgp.send(b"late", to(1))


def test_override_moves_calls_to_the_asp_that_took_over(make):
    options = {"routing_contexts": (7,), "traffic_mode": TrafficMode.OVERRIDE}
    sgp = make(2, listening(**options))
    (port,) = sgp.network.ports()
    first = make(1, connecting("first", port, **options))
    until(is_up(sgp))
    call = sgp.send(b"1", to(1))
    until(lambda: first.octets() == [b"1"])
    second = make(1, connecting("second", port, **options))
    until(is_up(second))
    until(lambda: is_up(sgp)() and is_up(first, 0)())
    sgp.send(b"2", to(1), call.route)
    until(lambda: second.octets() == [b"2"])
    second.network.kill()
    until(is_up(first))
    until(is_up(sgp))
    sgp.send(b"3", to(1))
    until(lambda: first.octets() == [b"1", b"3"])


def test_broadcast_reaches_every_asp(make):
    options = {"routing_contexts": (7,), "traffic_mode": TrafficMode.BROADCAST}
    sgp = make(2, listening(**options))
    asps = [make(1, connecting("link", sgp.network.ports()[0], **options)) for _ in range(2)]
    until(is_up(sgp, 2))
    sgp.send(b"all", to(1))
    until(lambda: [asp.octets() for asp in asps] == [[b"all"], [b"all"]])


def test_registered_keys_choose_the_application_server(make):
    sgp = make(2, listening(may_register=True))
    (port,) = sgp.network.ports()
    asps = [
        make(pc, connecting("link", port, routing_keys=(RoutingKey(PointCode(pc), (3,)),)))
        for pc in (11, 12)
    ]
    until(is_up(sgp, 2))
    sgp.send(b"a", to(12))
    sgp.send(b"b", to(11))
    until(lambda: [asp.octets() for asp in asps] == [[b"b"], [b"a"]])
    with pytest.raises(GatewayError):
        sgp.send(b"c", to(13))


@pytest.mark.parametrize("kind", ["m3ua", "sua"])
def test_copies_of_what_is_broadcast_are_dropped(make, kind):
    options = {"routing_contexts": (7,), "traffic_mode": TrafficMode.BROADCAST, "kind": kind}
    sgp = make(2, listening(**options))
    (port,) = sgp.network.ports()
    both = make(1, *(connecting(name, port, **options) for name in ("a", "b")))
    other = make(1, connecting("other", port, **options))
    until(lambda: is_up(both, 2)() and is_up(other)() and is_up(sgp, 3)())
    for octets in (b"one", b"two", b"two"):
        sgp.send(octets, to(1))
    until(lambda: len(other.got) == 3 and both.network.counters.get("duplicates") == 3)
    assert sorted(both.octets()) == sorted(other.octets()) == [b"one", b"two", b"two"]
    # State of a lost association must not copy later messages.
    links = sgp.network._connections["port"].live
    for link in links:
        link.machine._servers._servers[7].correlation_id = 0
    lost = both.network._connections["a"].live[0]
    lost.driver.close("test")
    until(lambda: both.network.counters["connects"] == 3 and is_up(both, 2)())
    sgp.send(b"one", to(1))
    until(lambda: len(both.got) >= 4)
