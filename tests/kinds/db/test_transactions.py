"""db.<label>.Begin, Commit and Rollback in a whole service on SQLite."""

import json
import sqlite3
from contextlib import closing

import pytest
from kinds.db import testbed
from kinds.db.testbed import counters, query
from support.daemons import Daemon
from support.waiting import GUARD_S, until

from tsvc.errors import GatewayError
from tsvc.kinds.db.config import DbConfig
from tsvc.kinds.db.statements import Shape
from tsvc.kinds.db.transactions import Mode

path, make = testbed.path, testbed.make

BEGIN = {"type": "db.rw.Begin"}
COMMIT = {"type": "db.rw.Commit"}
ROLLBACK = {"type": "db.rw.Rollback"}
STATEMENTS = {
    "Add": {"sql": "INSERT INTO acct VALUES (:id, 'x')", "shape": "count"},
    "Count": {"sql": "SELECT count(*) AS n FROM acct", "shape": "value"},
}
HINT = "db.<label>.Begin, Commit and Rollback hold a session for it"


class Databases(Daemon):
    """A service with one database; RO reads it, RW writes it, over two sessions. HASTY reads it,
    too, and waits for a session for a short time only."""

    def __init__(self, folder):
        self.path = folder / "smf.sqlite"
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("CREATE TABLE acct (id INTEGER PRIMARY KEY, name TEXT)")
        place = {"driver": "sqlite", "database": str(self.path), "statements": STATEMENTS}
        place |= {"allow_sql": True, "backlog_timeout_s": GUARD_S, "query_timeout_s": GUARD_S}
        super().__init__(
            folder,
            {
                "RW": ("db", {**place, "read_only": False, "pool": 2}),
                "RO": ("db", {**place, "pool": 2}),
                "HASTY": ("db", {**place, "pool": 2, "backlog_timeout_s": 0.3}),
            },
            tester={
                "defaults": {
                    "db": "RW",
                    "db_rw": "RW",
                    "db_same": "RW",
                    "db_ro": "RO",
                    "db_hasty": "HASTY",
                }
            },
        )
        self.until_up()

    def kept(self):
        """Return the ids in the file that a new connection sees."""
        with closing(sqlite3.connect(self.path)) as connection:
            return [row[0] for row in connection.execute("SELECT id FROM acct ORDER BY id")]

    def gateway(self, name="RW"):
        (found,) = [one for one in self.call("DescribeService")["gateways"] if one["name"] == name]
        return found

    def reason(self, *operations, **params):
        result = self.run(*operations, **params)
        assert result["verdict"] == "abort", result["first_call_summary"]
        return result["first_call_summary"]["reason"]


@pytest.fixture
def daemon(tmp_path):
    daemon = Databases(tmp_path)
    yield daemon
    until(lambda: not daemon.gateway()["counters"]["held"])
    until(lambda: not daemon.gateway()["counters"]["in_use"])
    daemon.stop()


def add(id, type_="db.rw.Add"):
    return {"type": type_, "arguments": {"id": id}}


def count(wanted, type_="db.rw.Count"):
    return {"type": type_, "tests": [{"kpath": "value", "type": "integer", "value": wanted}]}


def sql(text, type_="db.rw.Query"):
    return {"type": type_, "arguments": {"sql": text, "shape": "count"}}


def test_an_instance_sees_its_own_work_and_keeps_what_it_commits(daemon):
    result = daemon.run(
        BEGIN, add(1), count(1), count(0, "db.ro.Count"), COMMIT, count(1, "db.ro.Count"),
        BEGIN, add(2), count(2), ROLLBACK, count(1),
    )  # fmt: skip
    assert result["verdict"] == "pass", result["first_call_summary"]["check_log"]
    assert daemon.kept() == [1]


def test_labels_of_one_gateway_share_its_session(daemon):
    result = daemon.run(
        BEGIN, add(1, "db.same.Add"), count(1, "db.Count"), {"type": "db.same.Rollback"}
    )
    assert result["verdict"] == "pass", result["first_call_summary"]
    assert daemon.kept() == []


@pytest.mark.parametrize(
    ("last", "verdict"),
    [
        ([], "pass"),
        ([count(7)], "fail"),
        ([BEGIN], "abort"),
        ([{"type": "db.rw.Add", "arguments": {"id": "{1/0}"}}], "abort"),
    ],
    ids=["pass", "fail", "abort", "error"],
)
def test_it_is_rolled_back_at_the_end_however_that_is(daemon, last, verdict):
    result = daemon.run(BEGIN, add(1), *last)
    assert result["verdict"] == verdict, result["first_call_summary"]
    assert daemon.kept() == []
    assert result["dialogues_closed"] == {"ROLLBACK": 1}
    assert daemon.run(BEGIN, add(1), COMMIT)["verdict"] == "pass"


def test_it_is_rolled_back_by_a_cancel(daemon):
    halt = {"type": "halt", "arguments": {"seconds": GUARD_S}}
    params = {"run_id": "held", "operations": [BEGIN, add(1), halt]}
    assert daemon.call("ExecuteTest", **params) == "ok"
    until(lambda: daemon.call("QueryTest", run_id="held")["counts"]["halted"] == 1)
    gateway = daemon.gateway()
    assert gateway["counters"]["held"] == 1
    assert gateway["detail"].startswith("sessions are held by run held instance 0 for ")
    daemon.call("CancelTest", run_id="held")
    until(lambda: daemon.gateway()["counters"]["held"] == 0)
    until(lambda: daemon.run(BEGIN, add(1), COMMIT)["verdict"] == "pass")
    assert daemon.gateway()["detail"] == ""


def test_out_of_order(daemon):
    assert daemon.reason(BEGIN, BEGIN) == "RW: Begin: a transaction is in progress already"
    nothing = "no transaction is in progress, Begin begins one"
    assert daemon.reason(COMMIT) == f"RW: Commit: {nothing}"
    assert daemon.reason(ROLLBACK) == f"RW: Rollback: {nothing}"
    assert daemon.reason(BEGIN, COMMIT, COMMIT) == f"RW: Commit: {nothing}"
    assert daemon.reason(BEGIN, ROLLBACK, COMMIT) == f"RW: Commit: {nothing}"


def test_arguments(daemon):
    read = {**BEGIN, "arguments": {"read_only": 1, "isolation": "serializable"}}
    refused = {**add(1), "tests": [{"kpath": "error.code", "value": "SQLITE_READONLY"}]}
    result = daemon.run(read, count(0), refused, COMMIT, add(1))
    assert result["verdict"] == "pass", result["first_call_summary"]["check_log"]
    other = {**BEGIN, "arguments": {"isolation": "read committed"}}
    assert daemon.reason(other).endswith("SQLite's transactions are serializable, all of them")
    wrong = {**BEGIN, "arguments": {"isolation": "chaos", "wait": 1}}
    assert sorted(daemon.problems(wrong)) == [
        "params.operations[0].arguments.isolation",
        "params.operations[0].arguments.wait",
    ]
    assert daemon.problems({**COMMIT, "arguments": {"wait": 1}})


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("begin", "BEGIN"),
        ("/* a */ Begin immediate", "BEGIN"),
        ("-- a\nCOMMIT", "COMMIT"),
        ("select 1; rollback", "ROLLBACK"),
        ("savepoint a", "SAVEPOINT"),
        ("end", "END"),
    ],
)
def test_words_in_a_statement_are_refused_with_the_hint(daemon, text, word):
    place = "params.operations[0].arguments.sql"
    wanted = {place: f"{word} is no statement here: {HINT}"}
    assert daemon.problems(sql(text)) == wanted
    assert daemon.problems(sql(text, "db.ro.Query")) == wanted


def test_words_in_the_configuration():
    table = {"driver": "sqlite", "database": "/nowhere"}
    for members in ({"Open": {"sql": "/**/ begin"}}, {"Begin": {"sql": "SELECT 1"}}):
        with pytest.raises(Exception, match=r"BEGIN is no statement here|choose another name"):
            DbConfig.load({**table, "statements": members})
    assert DbConfig.load({**table, "statements": {"Say": {"sql": "SELECT 'begin'"}}})


def test_more_instances_than_sessions(daemon):
    load = {"type": "load", "total": 60, "backlog": 2}
    one = {"type": "db.rw.Add", "arguments": {"id": "{$r->{idx} + 1}"}}
    result = daemon.run(BEGIN, one, COMMIT, distribution=load)
    assert result["counts"]["passed"] == 60, result["first_call_summary"]
    assert daemon.kept() == list(range(1, 61))


def test_who_gets_no_session_is_told_who_has_them(daemon):
    halt = {"type": "halt", "arguments": {"seconds": GUARD_S}}
    read = {"type": "db.hasty.Begin"}
    load = {"type": "load", "total": 2, "backlog": 2}
    params = {"run_id": "held", "operations": [read, halt], "distribution": load}
    assert daemon.call("ExecuteTest", **params) == "ok"
    until(lambda: daemon.gateway("HASTY")["counters"]["held"] == 2)
    no_more = "HASTY: no free connection within 0.3 s, all 2 are in use, 2 of them by transactions"
    assert daemon.reason(count(0, "db.hasty.Count")) == no_more
    assert daemon.reason(read) == no_more
    daemon.call("CancelTest", run_id="held")
    until(lambda: daemon.run(read, count(0, "db.hasty.Count"))["verdict"] == "pass")


def test_the_ladder(daemon):
    text = json.dumps(daemon.run({**BEGIN, "arguments": {"read_only": True}}, COMMIT))
    for part in ("Begin", "read_only = ", "Commit", "done"):
        assert part in text, part


# -- sessions of the gateway itself ---------------------------------------------------------------


def test_reading_does_not_open_the_file_again(make):
    gateway = make(pool=1, read_only=False)
    with gateway.pool.lease() as session:
        first = session._connection
    for _ in range(5):
        query(gateway, "SELECT name FROM acct")
    with gateway.pool.lease() as session:
        assert session._connection is first
    query(gateway, "INSERT INTO acct VALUES (1, 'a')", "count")
    with gateway.pool.lease() as session:
        assert session._connection is not first
    assert counters(gateway)["connects"] == 1


def test_a_database_in_memory_keeps_its_data_and_nothing_else(make):
    gateway = make(url="sqlite://", read_only=False)
    query(gateway, "CREATE TABLE t (a)", "count")
    held = gateway.begin(Mode(), "", lambda ends: None)
    gateway.perform(gateway.query("INSERT INTO t VALUES (1)", Shape("count")), {}, held=held)
    gateway.finish(held, is_kept=False)
    query(gateway, "INSERT INTO t VALUES (2)", "count")
    assert query(gateway, "SELECT a FROM t").rows == [{"a": 2}]
    for text in (
        "CREATE TEMP TABLE u (a)",
        "PRAGMA foreign_keys = 1",
        "ATTACH ':memory:' AS b",
        "SELECT last_insert_rowid() AS a",
        "SELECT changes() AS a",
    ):
        shape = "rows" if text.startswith("SELECT") else "count"
        assert query(gateway, text, shape).refusal is not None, text


def test_a_read_only_session_keeps_nothing(make):
    gateway = make(pool=1)
    for text in ("CREATE TEMP TABLE u (a)", "PRAGMA foreign_keys = 1", "ATTACH ':memory:' AS b"):
        assert query(gateway, text, "count").refusal is not None, text


def test_whoever_is_killed_in_a_transaction_leaves_nothing(make):
    gateway = make(pool=1, read_only=False)
    held = gateway.begin(Mode(), "", lambda ends: None)
    gateway.perform(
        gateway.query("INSERT INTO acct VALUES (1, 'a')", Shape("count")), {}, held=held
    )
    held.give_up()
    held.give_up()
    assert not held.is_open
    until(lambda: query(gateway, "SELECT count(*) AS n FROM acct").rows == [{"n": 2}])
    assert counters(gateway)["in_use"] == 0


def test_a_transaction_outlives_no_gateway(make):
    gateway = make(pool=1, read_only=False)
    held = gateway.begin(Mode(), "", lambda ends: None)
    gateway.kill()
    with pytest.raises(GatewayError, match="closed"):
        gateway.perform(gateway.query("SELECT 1 AS a", Shape("rows")), {}, held=held)
    with pytest.raises(GatewayError, match="closed"):
        gateway.finish(held, is_kept=True)
    assert not gateway.held
