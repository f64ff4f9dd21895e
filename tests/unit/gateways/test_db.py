"""The db gateway on SQLite: the life of a gateway, sessions, deadlines, bounds, refusals."""

import socket
import sqlite3
import time
from itertools import count

import gevent
import pytest

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways._base import GatewayContext, GatewayState
from tsvc.gateways._db_config import DbConfig
from tsvc.gateways._db_statements import Answer, Refusal, Shape
from tsvc.gateways.db import DbGateway

GUARD_S = 30.0  # a hang guard, never a measurement
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) m FROM c"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a b?#%.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE acct (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO acct VALUES (17, 'ä'), (18, 'b')")
    connection.close()
    return path


@pytest.fixture
def make(path):
    """Make gateways on the file, started unless told otherwise; killed after the test."""
    made = []

    def make(is_started=True, **table):
        table = {"driver": "sqlite", "database": str(path), "allow_sql": True, **table}
        if "url" in table:
            del table["driver"], table["database"]
        gateway = DbGateway("DB", DbConfig().load(table), GatewayContext(SYSTEM_CLOCK, lambda: 0))
        made.append(gateway)
        if is_started:
            gateway.start()
            wait_for(lambda: gateway.status().state is GatewayState.UP)
        return gateway

    yield make
    for gateway in made:
        gateway.kill()


def wait_for(condition):
    deadline = time.monotonic() + GUARD_S
    while not condition():
        assert time.monotonic() < deadline, "hangs"
        gevent.sleep(0.005)


def query(gateway, sql, shape="rows", **values):
    return gateway.perform(gateway.query(sql, Shape(shape)), values)


def counters(gateway):
    return gateway.status().counters


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
    wait_for(lambda: gateway.status().state is GatewayState.UP)
    gateway.stop(1.0)
    with pytest.raises(GatewayError, match="DB is down: stopped"):
        query(gateway, "SELECT 1 AS a")
    gateway.kill()
    gateway.start()
    wait_for(lambda: gateway.status().state is GatewayState.UP)
    assert query(gateway, "SELECT 1 AS a").count == 1


def test_a_database_that_is_not_there_yet(make, tmp_path):
    late = tmp_path / "late.sqlite"
    gateway = make(is_started=False, database=str(late))
    gateway.start()
    wait_for(lambda: "unable to open" in gateway.status().detail)
    assert gateway.status().state is GatewayState.CONNECTING
    assert not late.exists(), "read-only: not made either"
    with pytest.raises(GatewayError, match="DB is connecting: login: unable to open"):
        query(gateway, "SELECT 1 AS a")
    late.touch()
    wait_for(lambda: gateway.status().state is GatewayState.UP)


def test_kill_after_a_failed_start_and_while_connecting(make, tmp_path):
    gateway = make(is_started=False, database=str(tmp_path / "none"))
    gateway.start()
    gateway.kill()
    gateway.kill()
    gateway.start()
    wait_for(lambda: gateway.status().detail)
    gateway.stop(0.0)
    assert gateway.status().state is GatewayState.DOWN


def test_garbage_in_the_place_of_a_database(make, tmp_path):
    file = tmp_path / "garbage"
    file.write_bytes(b"no database " * 1000)
    gateway = make(is_started=False, database=str(file))
    gateway.start()
    wait_for(lambda: "not a database" in gateway.status().detail)


def test_a_call_ends_before_stop_does(make):
    gateway = make()
    slow = gevent.spawn(query, gateway, ENDLESS.replace("FROM c)", "FROM c WHERE x < 300000)"))
    gevent.sleep(0)
    gateway.stop(GUARD_S)
    assert slow.get(timeout=GUARD_S).rows == [{"m": 300000}]


def test_kill_ends_the_calls(make):
    gateway = make(query_timeout_s=GUARD_S)
    slow = gevent.spawn(query, gateway, ENDLESS)
    wait_for(lambda: counters(gateway)["in_use"])
    gevent.sleep(0.05)
    gateway.kill()
    with pytest.raises(GatewayError):
        slow.get(timeout=GUARD_S)
    wait_for(lambda: counters(gateway)["threads"] == 0)


# -- answers --------------------------------------------------------------------------------------


def test_shapes(make):
    gateway = make(read_only=False)
    by_id = "SELECT id, name FROM acct WHERE id = :id"
    row = {"id": 17, "name": "ä"}
    assert query(gateway, by_id, id=17) == Answer([row], 1)
    assert query(gateway, by_id, "row", id="17") == Answer(row, 1)
    assert query(gateway, by_id, "row", id=99) == Answer(None, 0)
    assert query(gateway, "SELECT count(*) AS n FROM acct", "value").tree()["value"] == 2
    assert query(gateway, "UPDATE acct SET name = 'x'", "count") == Answer([], 2)
    with pytest.raises(GatewayError, match="2 rows where one was expected"):
        query(gateway, "SELECT id FROM acct", "row")
    with pytest.raises(GatewayError, match="2 columns where one was expected"):
        query(gateway, by_id, "value", id=17)
    with pytest.raises(GatewayError, match='its shape must be "count"'):
        query(gateway, "UPDATE acct SET name = 'y'")
    with pytest.raises(GatewayError, match="two columns are named 'a'"):
        query(gateway, "SELECT 1 AS a, 2 AS a")


def test_declared_types_of_an_answer(make):
    sql = "SELECT CASE :x WHEN 0 THEN 1 WHEN 1 THEN NULL ELSE 'one' END AS a"
    gateway = make(statements={"A": {"sql": sql, "shape": "row", "types": {"a": "integer"}}})
    statement = gateway.statement("A")
    assert gateway.perform(statement, {"x": 0}).rows == {"a": 1}
    assert gateway.perform(statement, {"x": 1}).rows == {"a": None}
    with pytest.raises(GatewayError, match="A: a is 'one', which is no integer"):
        gateway.perform(statement, {"x": 2})
    gateway = make(statements={"B": {"sql": "SELECT 1 AS a", "types": {"b": "text"}}})
    with pytest.raises(GatewayError, match="B: the answer has no column 'b'"):
        gateway.perform(gateway.statement("B"), {})


def test_values_are_bound_never_pasted(make):
    gateway = make()
    evil = "x'; DROP TABLE acct; --"
    assert query(gateway, r"SELECT :a AS a, '\:b' AS b, '%' AS c", a=evil).rows == [
        {"a": evil, "b": ":b", "c": "%"}
    ]
    with pytest.raises(GatewayError, match="no value for a"):
        query(gateway, "SELECT :a AS a")


def test_a_value_that_the_driver_can_not_carry(make):
    gateway = make()
    with pytest.raises(GatewayError, match="Query: the driver can't carry a value: Python int"):
        query(gateway, "SELECT :a AS a", a=10**30)
    assert query(gateway, "SELECT :a AS a", a=2**63 - 1).rows == [{"a": 2**63 - 1}]


def test_a_refusal_is_data_and_costs_no_session(make):
    gateway = make()
    answer = query(gateway, "SELECT * FROM missing")
    assert answer.refusal == Refusal("SQLITE_ERROR", "no such table: missing")
    assert answer.tree() == {"error": {"code": "SQLITE_ERROR", "text": "no such table: missing"}}
    assert (counters(gateway)["refusals"], counters(gateway)["connects"]) == (1, 1)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO acct VALUES (1, 'x')",
        "DELETE FROM acct",
        "CREATE TABLE t (a)",
        "DROP TABLE acct",
        "PRAGMA query_only = OFF",
        "PRAGMA journal_mode = DELETE",
        "ATTACH '/tmp/tsvc-must-not-exist' AS other",
    ],
)
def test_read_only_is_enforced(make, path, sql):
    before = path.read_bytes()
    gateway = make()
    assert query(gateway, sql, "count").refusal is not None
    assert query(gateway, "INSERT INTO acct VALUES (1, 'x')", "count").refusal is not None
    assert path.read_bytes() == before


def test_a_database_in_memory_after_its_login(make):
    setup = ["CREATE TABLE t (a)", "INSERT INTO t VALUES (5)"]
    gateway = make(url="sqlite://", post_login_sql=setup)
    assert query(gateway, "SELECT a FROM t").rows == [{"a": 5}]
    assert query(gateway, "DELETE FROM t", "count").refusal.code == "SQLITE_READONLY"


@pytest.mark.parametrize(
    ("table", "text"),
    [({"max_rows": 5}, "more than max_rows = 5"), ({"max_octets": 200}, "more than max_octets")],
)
def test_rows_are_bounded(make, table, text):
    gateway = make(**table)
    few = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5) SELECT x FROM c"
    assert query(gateway, few).count == 5
    with pytest.raises(GatewayError, match=text):
        query(gateway, ENDLESS.replace("max(x) m", "x"))
    assert query(gateway, few).count == 5


# -- deadlines, the pool --------------------------------------------------------------------------


def test_a_deadline_ends_the_statement_too(make):
    gateway = make(query_timeout_s=0.1, pool=1)
    with pytest.raises(GatewayError, match=r"DB: Query: no answer within 0\.1 s"):
        query(gateway, ENDLESS)
    wait_for(lambda: counters(gateway)["threads"] == 0)
    assert query(gateway, "SELECT 1 AS a").rows == [{"a": 1}]


def test_a_killed_greenlet_leaves_the_next_its_own_answer(make):
    gateway = make(query_timeout_s=GUARD_S, pool=1)
    slow = gevent.spawn(query, gateway, ENDLESS)
    wait_for(lambda: counters(gateway)["in_use"])
    slow.kill()
    for number in range(5):
        assert query(gateway, "SELECT :n AS n", n=number).rows == [{"n": number}]
    wait_for(lambda: counters(gateway)["threads"] == 0)


def test_an_exhausted_pool(make):
    gateway = make(query_timeout_s=GUARD_S, backlog_timeout_s=0.05, pool=2)
    slow = [gevent.spawn(query, gateway, ENDLESS) for _ in range(2)]
    wait_for(lambda: counters(gateway)["in_use"] == 2)
    with pytest.raises(GatewayError, match=r"no free connection within 0\.05 s, all 2 are in use"):
        query(gateway, "SELECT 1 AS a")
    gevent.killall(slow)
    wait_for(lambda: not counters(gateway)["in_use"])
    assert query(gateway, "SELECT 1 AS a").count == 1


def test_more_callers_than_sessions(make):
    gateway = make(pool=3)
    serial = count()
    callers = [
        gevent.spawn(query, gateway, "SELECT :n AS n", "value", n=next(serial)) for _ in range(100)
    ]
    gevent.joinall(callers, timeout=GUARD_S)
    assert [one.get().tree()["value"] for one in callers] == list(range(100))
    assert counters(gateway)["connects"] <= 3


def test_the_loop_goes_on_while_sqlite_works(make):
    gateway = make(query_timeout_s=GUARD_S)
    slow = gevent.spawn(query, gateway, ENDLESS)
    wait_for(lambda: counters(gateway)["in_use"])
    for _ in range(10):
        gevent.sleep(0.001)
    assert not slow.ready()
    slow.kill()


def test_an_idle_session_is_asked_for_a_sign_of_life(make):
    gateway = make(ping_interval_s=0.2)
    gevent.sleep(1.5)  # a ping, and time enough for a session that nobody asked to be closed
    assert query(gateway, "SELECT 1 AS a").count == 1


def test_a_busy_database_stays_up(make):
    gateway = make(pool=1, ping_interval_s=0.05, backlog_timeout_s=0.02, query_timeout_s=2.0)
    asked = gevent.spawn(query, gateway, ENDLESS)
    states = set()
    for _ in range(100):  # half a second of pings that find no session free
        states.add(gateway.status().state)
        gevent.sleep(0.005)
    if not asked.ready():  # its session is given up at the end, which shows for a moment
        assert states == {GatewayState.UP}
    with pytest.raises(GatewayError, match="no answer within 2 s"):
        asked.get()


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


# -- servers that are none; real ones: tests/e2e/test_db_servers.py -------------------------------


@pytest.fixture
def silent():
    """A port that accepts and says nothing."""
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
    wait_for(lambda: gateway.status().detail)
    status = gateway.status()
    assert status.state is GatewayState.CONNECTING
    assert "refused" in status.detail.lower()
    assert "geheim" not in status.detail
    with pytest.raises(GatewayError, match=r"DB is connecting: login: .*refused"):
        query(gateway, "SELECT 1 AS a")


@pytest.mark.parametrize("driver", REMOTE)
def test_a_silent_server_holds_up_nobody(make, driver, silent):
    url = f"{driver}://u:geheim@127.0.0.1:{silent}/d"
    gateway = make(is_started=False, url=url, blocking=True, connect_timeout_s=0.5)
    gateway.start()
    ticks = 0
    while not gateway.status().detail and ticks < 3000:
        gevent.sleep(0.01)
        ticks += 1
    assert 10 < ticks < 3000
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
    gateway = make(is_started=False, url=url, blocking=True, connect_timeout_s=2)
    gateway.start()
    wait_for(lambda: gateway.status().detail)
    assert gateway.status().state is GatewayState.CONNECTING
    talking.kill()
    server.close()
