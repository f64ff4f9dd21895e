"""The db gateway on SQLite: results of statements, refusals and limits."""

import pytest
from kinds.db import testbed
from kinds.db.testbed import ENDLESS, counters, query

from tsvc.errors import GatewayError
from tsvc.kinds.db.statements import QueryAnswer, Refusal
from tsvc.kinds.db.values import BIND_TYPES

path, make = testbed.path, testbed.make


def test_shapes(make):
    gateway = make(read_only=False)
    by_id = "SELECT id, name FROM acct WHERE id = :id"
    row = {"id": 17, "name": "ä"}
    assert query(gateway, by_id, id=17) == QueryAnswer([row], 1)
    assert query(gateway, by_id, "row", id="17") == QueryAnswer(row, 1)
    assert query(gateway, by_id, "row", id=99) == QueryAnswer(None, 0)
    assert query(gateway, "SELECT count(*) AS n FROM acct", "value").tree()["value"] == 2
    assert query(gateway, "UPDATE acct SET name = 'x'", "count") == QueryAnswer([], 2)
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


def test_each_declared_type_is_bound(make):
    bind = {name: name for name in BIND_TYPES}
    sql = "SELECT " + ", ".join(f":{name} AS {name}, typeof(:{name}) AS {name}_" for name in bind)
    gateway = make(statements={"A": {"sql": sql, "shape": "row", "bind": bind}})
    moment = "2026-11-21T01:02:03"
    given = {"integer": "7", "number": "1.50", "text": 7, "timestamp": moment, "hex": "00ff"}
    row = gateway.perform(gateway.statement("A"), given).rows
    assert {name: row[name] for name in given} == {
        "integer": 7,
        "number": 1.5,
        "text": "7",
        "timestamp": moment.replace("T", " "),
        "hex": "00ff",
    }
    kinds = ["integer", "real", "text", "text", "blob"]
    assert [row[f"{name}_"] for name in given] == kinds


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("10.0", 10), ("-3", -3), (str(2**63 - 1), 2**63 - 1), (str(2**63), 2.0**63), ("1e3", 1000)],
)
def test_decimals_are_stored_as_sqlite_would(make, given, wanted):
    table = {"sql": "SELECT :x AS x", "shape": "row", "bind": {"x": "number"}}
    gateway = make(statements={"A": table})
    found = gateway.perform(gateway.statement("A"), {"x": given}).rows["x"]
    assert (found, type(found)) == (wanted, type(wanted))
    with pytest.raises(GatewayError, match="SQLite has no NaN"):
        gateway.perform(gateway.statement("A"), {"x": "NaN"})


def test_a_text_that_is_none_loses_no_connection(make):
    gateway = make()
    with pytest.raises(GatewayError, match="can't carry a value: Could not decode to UTF-8"):
        query(gateway, "SELECT CAST(x'ff' AS TEXT) AS a")


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
