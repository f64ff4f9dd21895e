"""A gateway that a reload restarts is always known: it is down meanwhile, not unknown."""

from types import MappingProxyType

from tsvc.clock import SYSTEM_CLOCK
from tsvc.config import tables
from tsvc.engine.gateway_table import GatewayTable
from tsvc.gateways.gateway import Gateway, GatewayContext, GatewayState


def application(name, opc):
    return tables.Application(name, "sigtran", MappingProxyType({"opc": opc}), "test")


def test_a_default_of_another_kind_is_none():
    table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
    table.build({"A": application("A", 1)})
    said = table.resolve("pi", {}, tables.Tester(defaults={"pi": "A"}))
    assert said == "[tester] default_pi names 'A', which is a sigtran application, not pi"
    said = table.resolve("db_smf", {}, tables.Tester(defaults={"db_smf": "A"}))
    assert said == "[tester] default_db_smf names 'A', which is a sigtran application, not db"


def test_who_asks_while_it_stops_finds_it_down(monkeypatch):
    table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
    table.build({"A": application("A", 1), "B": application("B", 1)})
    table.start()
    old = table.resolve("sigtran", {"sigtran": "A"}, tables.Tester())
    stop = type(old).stop
    found = []

    def stop_and_look(gateway, grace_s):
        stop(gateway, grace_s)
        found.append(table.resolve("sigtran", {"sigtran": gateway.name}, tables.Tester()))
        found.append(found[-1].status().state)

    monkeypatch.setattr(type(old), "stop", stop_and_look)
    table.prepare({"A": application("A", 2)})()
    assert old in found
    assert found.count(GatewayState.DOWN) == 2, "A that is changed, and B that goes"
    new = table.resolve("sigtran", {"sigtran": "A"}, tables.Tester())
    assert isinstance(new, Gateway)
    assert new is not old
    assert new.status().state is GatewayState.UP
    assert isinstance(table.resolve("sigtran", {"sigtran": "B"}, tables.Tester()), str)
    monkeypatch.undo()
    table.stop(0)
