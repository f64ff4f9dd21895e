"""Limits of one client, over real sockets; server and clients are greenlets in one process."""

import json
from dataclasses import replace

import pytest
from gevent import socket
from support.waiting import GUARD_S, until
from unit.server.ping import METHODS, REQUEST

from tsvc.config.tables import Rpc
from tsvc.server.dispatch import Dispatcher
from tsvc.server.listener import Listener


@pytest.fixture
def start():
    started = []

    def start_listener(**keys):
        config = replace(Rpc(), port=0, **keys)
        listener = Listener(Dispatcher(None, config, METHODS))
        listener.bind()
        listener.start()
        started.append(listener)
        return listener

    yield start_listener
    for listener in started:
        listener.stop(0)


def call(listener, source="127.0.0.1"):
    """Send a request; return the result, or the kind of the refusal."""
    address = (source, 0)
    with socket.create_connection(listener.address, GUARD_S, source_address=address) as sock:
        sock.sendall(REQUEST)
        octets = b""
        while portion := sock.recv(4096):
            octets += portion
    answer = json.loads(octets[4:])
    return answer["result"] or answer["error"]["data"]["kind"]


def test_a_client_over_its_rate_is_refused_and_others_are_not(start):
    listener = start(client_rate=0.01, client_burst=3)
    assert [call(listener) for _ in range(5)] == ["pong"] * 3 + ["rpc.rate"] * 2
    assert call(listener, "127.0.0.2") == "pong"
    assert (listener.counters.limited, listener.counters.accepted) == (2, 6)


def test_connections_of_one_client_at_once(start):
    listener = start(client_connections=2)
    silent = [socket.create_connection(listener.address) for _ in range(2)]
    until(lambda: listener.open_connections == 2)
    assert call(listener) == "pong", "its own longest reader makes room"
    assert b"connections.evicted" in silent[0].recv(4096)
    assert call(listener, "127.0.0.2") == "pong"
    for sock in silent:
        sock.close()
    until(lambda: not listener.open_connections)
    assert call(listener) == "pong"


def test_the_allow_list_comes_before_the_rate(start):
    listener = start(allow=("127.0.0.2/32",), client_rate=0.01, client_burst=1)
    assert [call(listener) for _ in range(3)] == ["access.denied"] * 3
    assert call(listener, "127.0.0.2") == "pong"
    assert (listener.counters.denied, listener.counters.limited) == (3, 0)


def test_what_is_denied_is_not_read(start):
    """The answer comes although the request is never sent."""
    listener = start(allow=("127.0.0.2/32",))
    with socket.create_connection(listener.address, GUARD_S) as sock:
        assert b"access.denied" in sock.recv(4096)


def test_limits_change_while_serving(start):
    listener = start(client_rate=0.01, client_burst=1)
    assert [call(listener) for _ in range(2)] == ["pong", "rpc.rate"]
    config = replace(Rpc(), port=0, client_rate=0, allow=("127.0.0.0/8",))
    listener.prepare(config)()
    assert [call(listener) for _ in range(5)] == ["pong"] * 5


def test_it_listens_on_ipv6_too(start):
    listener = start(host="::1", allow=("::1/128",))
    assert listener.address[0] == "::1"
    assert call(listener, "::1") == "pong"
    other = start(host="::1", allow=("fe80::/10", "127.0.0.1"))
    assert call(other, "::1") == "access.denied"
