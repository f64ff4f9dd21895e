"""The db gateway: its life on SQLite, names of statements, servers that are no databases."""

import socket

import gevent
import pytest
from kinds.db import testbed
from kinds.db.testbed import ENDLESS, counters, query
from support.waiting import GUARD_S, until

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayState
from tsvc.kinds.db.statements import Shape

path, make = testbed.path, testbed.make


# -- life -----------------------------------------------------------------------------------------


def test_starting_twice_changes_nothing(make):
    gateway = make()
    gateway.start()
    assert query(gateway, "SELECT 1 AS a").rows == [{"a": 1}]
    assert counters(gateway)["connects"] == 1


def test_before_and_after(make):
    gateway = make(is_started=False)
    assert gateway.status().state is GatewayState.DOWN
    with pytest.raises(GatewayError, match="DB is down: not started"):
        query(gateway, "SELECT 1 AS a")
    gateway.start()
    until(lambda: gateway.status().state is GatewayState.UP)
    gateway.stop(1.0)
    with pytest.raises(GatewayError, match="DB is down: stopped"):
        query(gateway, "SELECT 1 AS a")
    gateway.kill()
    gateway.start()
    until(lambda: gateway.status().state is GatewayState.UP)
    assert query(gateway, "SELECT 1 AS a").count == 1


def test_a_database_that_is_not_there_yet(make, tmp_path):
    late = tmp_path / "late.sqlite"
    gateway = make(is_started=False, database=str(late))
    gateway.start()
    until(lambda: "unable to open" in gateway.status().detail)
    assert gateway.status().state is GatewayState.CONNECTING
    assert not late.exists(), "read-only: not made either"
    with pytest.raises(GatewayError, match="DB is connecting: login: unable to open"):
        query(gateway, "SELECT 1 AS a")
    late.touch()
    until(lambda: gateway.status().state is GatewayState.UP)


def test_kill_after_a_failed_start_and_while_connecting(make, tmp_path):
    gateway = make(is_started=False, database=str(tmp_path / "none"))
    gateway.start()
    gateway.kill()
    gateway.kill()
    gateway.start()
    until(lambda: gateway.status().detail)
    gateway.stop(0.0)
    assert gateway.status().state is GatewayState.DOWN


def test_garbage_in_the_place_of_a_database(make, tmp_path):
    file = tmp_path / "garbage"
    file.write_bytes(b"no database " * 1000)
    gateway = make(is_started=False, database=str(file))
    gateway.start()
    until(lambda: "not a database" in gateway.status().detail)


def test_a_call_ends_before_stop_does(make):
    gateway = make()
    slow = gevent.spawn(query, gateway, ENDLESS.replace("FROM c)", "FROM c WHERE x < 300000)"))
    gevent.sleep(0)
    gateway.stop(GUARD_S)
    assert slow.get(timeout=GUARD_S).rows == [{"m": 300000}]


def test_kill_ends_the_calls(make):
    gateway = make()
    slow = gevent.spawn(query, gateway, ENDLESS)
    until(lambda: counters(gateway)["in_use"] and counters(gateway)["threads"])
    gateway.kill()
    with pytest.raises(GatewayError):
        slow.get(timeout=GUARD_S)
    until(lambda: counters(gateway)["threads"] == 0)


# -- names ----------------------------------------------------------------------------------------


def test_names_of_statements(make):
    table = {"CcsAcctExists": {"sql": "SELECT 1 AS a WHERE 1 = :be_acct_id"}}
    gateway = make(statements=table, allow_sql=False, is_started=False)
    assert gateway.method_problem("CcsAcctExists", ["be_acct_id"]) is None
    assert gateway.method_problem("CcsAcctExist") == (
        "DB has no statement CcsAcctExist: write it in"
        ' [application."DB".statements.CcsAcctExist]; did you mean "CcsAcctExists"?'
    )
    assert gateway.method_problem("CcsAcctExists", []) == "CcsAcctExists needs be_acct_id"
    assert gateway.method_problem("CcsAcctExists", ["be_acct_id", "be_acc"]) == (
        'CcsAcctExists takes no be_acc; did you mean "be_acct_id"?'
    )
    assert gateway.method_problem("Query") == "DB has not set allow_sql"
    with pytest.raises(GatewayError, match="allow_sql"):
        gateway.query("SELECT 1", Shape.ROWS)


# -- servers that are no databases; real ones: tests/kinds/db/test_servers.py -------------------


@pytest.fixture
def silent():
    """A port that accepts connections and sends nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def refusing():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]


REMOTE = ["postgresql", "mysql", "oracle"]


@pytest.mark.parametrize("driver", REMOTE)
def test_a_server_that_refuses_connections(make, driver, refusing):
    url = f"{driver}://u:geheim@127.0.0.1:{refusing}/d"
    gateway = make(is_started=False, url=url, blocking=True)
    gateway.start()
    until(lambda: gateway.status().detail)
    status = gateway.status()
    assert status.state is GatewayState.CONNECTING
    assert "refused" in status.detail.lower()
    assert "geheim" not in status.detail
    with pytest.raises(GatewayError, match=r"DB is connecting: login: .*refused"):
        query(gateway, "SELECT 1 AS a")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("driver", REMOTE)
def test_a_silent_server_holds_up_nobody(make, driver, silent):
    url = f"{driver}://u:geheim@127.0.0.1:{silent}/d"
    gateway = make(is_started=False, url=url, blocking=True, connect_timeout_s=0.5)
    gateway.start()
    for _ in range(11):
        assert not gateway.status().detail, "the loop stood still while it waited for the server"
        gevent.sleep(0)
    until(lambda: gateway.status().detail, GUARD_S)
    assert "geheim" not in gateway.status().detail
    gateway.kill()


@pytest.mark.parametrize("driver", REMOTE)
def test_a_server_that_talks_garbage(make, driver):
    def talk(server):
        while True:
            connection, _ = server.accept()
            connection.sendall(b"\x15\x00\x00\x00garbage\r\n\xff" * 10)
            connection.close()

    server = gevent.socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    port = server.getsockname()[1]
    talking = gevent.spawn(talk, server)
    url = f"{driver}://u:geheim@127.0.0.1:{port}/d"
    gateway = make(is_started=False, url=url, blocking=True, connect_timeout_s=GUARD_S)
    gateway.start()
    until(lambda: gateway.status().detail)
    assert gateway.status().state is GatewayState.CONNECTING
    talking.kill()
    server.close()
