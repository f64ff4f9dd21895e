"""The life cycle that all pooled gateways share, as far as the tests of their kinds omit it."""

import gevent
import pytest
from gevent.event import Event
from support.waiting import GUARD_S, idle, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GATEWAYS, GatewayContext, GatewayState

TABLES = {
    "pi": {"remote_host": "127.0.0.1"},
    "db": {"url": "sqlite://"},
    "rest": {"base_uri": "http://127.0.0.1"},
    "osd": {"base_uri": "http://127.0.0.1"},
}


class Connection:
    is_open = True

    def is_usable(self):
        return self.is_open

    def close(self):
        self.is_open = False


@pytest.fixture(params=sorted(TABLES))
def gateway(request):
    class_ = GATEWAYS.get(request.param)
    table = {"reconnect_interval_s": 0.01, **TABLES[request.param]}
    made = class_("G", class_.Config.load(table), GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
    yield made
    made.kill()


def test_a_connection_that_comes_as_the_gateway_is_killed(gateway, monkeypatch):
    connection, is_there = Connection(), Event()

    def connect():
        is_there.wait(GUARD_S)
        return connection

    monkeypatch.setattr(gateway.pool, "_connect", connect)
    gateway.start()
    idle()
    # Both happen before another greenlet runs: the connection first, then the kill.
    is_there.set()
    gateway.kill()
    until(lambda: not connection.is_open)
    gevent.sleep(0)
    assert gateway.status().state is GatewayState.DOWN
    assert gateway.status().detail == "stopped"


def test_a_bug_of_ours_does_not_end_the_looking(gateway, monkeypatch):
    def connect():
        raise KeyError("bug")

    monkeypatch.setattr(gateway.pool, "_connect", connect)
    gateway.start()
    until(lambda: "internal failure" in gateway.status().detail)
    assert gateway.status().state is GatewayState.CONNECTING
    monkeypatch.setattr(gateway.pool, "_connect", Connection)
    until(lambda: gateway.status().state is GatewayState.UP)


def test_the_state_follows_the_pool(gateway, monkeypatch):
    is_refused = False

    def connect():
        if is_refused:
            raise GatewayError("refused")
        return Connection()

    monkeypatch.setattr(gateway.pool, "_connect", connect)
    gateway.start()
    until(lambda: gateway.status().state is GatewayState.UP)
    is_refused = True
    for connection in gateway.pool._free:
        connection.close()
    until(lambda: gateway.status().state is GatewayState.CONNECTING)
    until(lambda: gateway.status().detail == "refused")
    is_refused = False
    until(lambda: gateway.status().state is GatewayState.UP)
