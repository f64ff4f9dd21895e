"""db.<method> and its relatives: checked before a run, performed on SQLite in a whole service."""

import json
import sqlite3

import pytest
from support import undefined
from support.daemons import Daemon
from support.waiting import GUARD_S

from tsvc.kinds.db.messages import decode
from tsvc.operations.names import find

STATEMENTS = {
    "CcsAcctExists": {
        "sql": 'SELECT COUNT(*) AS "Exists" FROM acct WHERE id = :be_acct_id',
        "bind": {"be_acct_id": "integer"},
        "shape": "row",
        "types": {"Exists": "integer"},
    },
    "All": {"sql": "SELECT id, name FROM acct ORDER BY id"},
    "Broken": {"sql": "SELECT * FROM missing"},
    "Secret": {"sql": "SELECT length(:password) AS n", "shape": "value"},
}
EXISTS = {
    "type": "db.smf.CcsAcctExists",
    "arguments": {"be_acct_id": "17"},
    "tests": [{"kpath": "rows.Exists", "type": "integer", "value": 1}],
}


class Databases(Daemon):
    """A service whose only gateways are databases. SMF01 has the statements; RAW and HASTY allow
    SQL. HASTY waits for answers for a short time only."""

    def __init__(self, folder):
        path = folder / "smf.sqlite"
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE acct (id INTEGER, name TEXT)")
            connection.execute("INSERT INTO acct VALUES (17, 'ä'), (18, 'b')")
        connection.close()
        place = {"driver": "sqlite", "database": str(path)}
        databases = {
            "SMF01": {**place, "statements": STATEMENTS, "query_timeout_s": GUARD_S},
            "RAW": {**place, "allow_sql": True, "query_timeout_s": GUARD_S},
            "HASTY": {**place, "allow_sql": True, "query_timeout_s": 0.2},
        }
        super().__init__(
            folder,
            {name: ("db", table) for name, table in databases.items()},
            tester={"defaults": {"db": "RAW", "db_smf": "SMF01"}},
        )
        self.until_up()

    def problems(self, *operations, **params):
        found = super().problems(*operations, **params)
        return {path.removeprefix("params."): text for path, text in found.items()}


@pytest.fixture
def daemon(tmp_path):
    daemon = Databases(tmp_path)
    yield daemon
    daemon.stop()


def checks(result):
    return [
        (one["level"].lower(), one["text"]) for one in result["first_call_summary"]["check_log"]
    ]


def select(sql, bind=None, shape=None, tests=None, type_="db.Query"):
    given = {"sql": sql, "bind": bind, "shape": shape}
    arguments = {name: value for name, value in given.items() if value is not None}
    return {"type": type_, "arguments": arguments, "tests": tests or []}


# -- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "selection", "method"),
    [
        ("db.CcsAcctExists", "db", "CcsAcctExists"),
        ("db.smf.CcsAcctExists", "db_smf", "CcsAcctExists"),
        ("db.Query", "db", "Query"),
        ("db.smf.Query", "db_smf", "Query"),
    ],
)
def test_a_type_is_made_of_its_name(name, selection, method):
    type_ = find(name)
    assert (type_.name, type_.selection, type_.method) == (name, selection, method)
    assert type_.describe()["example"]["type"] == name


@pytest.mark.parametrize("name", ["db", "db.", "db.a.b.c", "db.a b", "db.smf.", "db..x"])
def test_what_is_no_name(name):
    assert find(name) is None


# -- runs -----------------------------------------------------------------------------------------


def test_the_published_operation(daemon):
    absent = {**EXISTS, "arguments": {"be_acct_id": "{17 + 100}"}}
    result = daemon.run(EXISTS, absent)
    assert checks(result) == [
        ("pass", "db.smf.CcsAcctExists answered"),
        ("pass", "rows.Exists (integer)"),
        ("pass", "db.smf.CcsAcctExists answered"),
        ("fail", "rows.Exists (integer) differs"),
    ]
    assert result["verdict"] == "fail"
    # the run's parameter selects the gateway, not the label's default
    result = daemon.run({**EXISTS, "type": "db.CcsAcctExists"}, db="SMF01")
    assert result["verdict"] == "pass"


def test_rows_stay_for_later_expressions(daemon):
    result = daemon.run(
        {
            "type": "db.smf.All",
            "tests": [
                {"kpath": "count", "type": "integer", "value": 2},
                {"kpath": "rows.[1].name", "value": "b"},
                {"kpath": "rows.[id=17].name", "value": "ä"},
            ],
        },
        {"type": "eval", "expression": "$v->{n} = $i->{DB}{rows}[0]{name} . $i->{DB}{count}"},
        {
            "type": "eval",
            "expression": "$v->{m} = $v->{__INBOUND}{DB}{count}",
            "tests": [
                {"kpath": "n", "value": "ä2"},
                {"kpath": "m", "type": "integer", "value": 2},
            ],
        },
    )
    assert result["verdict"] == "pass", checks(result)


def test_sql_of_the_definition(daemon):
    bind = {"name": "{'x' . \"' OR 1=1\"}"}
    result = daemon.run(
        select(
            "SELECT :name AS name, 5 AS n",
            bind,
            "row",
            [
                {"kpath": "rows.name", "value": "x' OR 1=1"},
                {"kpath": "rows.n", "type": "integer", "value": 5},
            ],
        ),
        select("SELECT 7", shape="value", tests=[{"kpath": "value", "value": "7"}]),
        select(
            "SELECT 1 AS a WHERE 1 = 2",
            shape="row",
            tests=[{"kpath": "count", "type": "integer", "value": 0}],
        ),
    )
    assert result["verdict"] == "pass", checks(result)


def test_a_refusal_fails_unless_it_is_looked_at(daemon):
    result = daemon.run({"type": "db.smf.Broken"}, {"type": "pass"})
    (failed, passed) = result["first_call_summary"]["check_log"]
    assert (failed["text"], failed["expected"]) == ("db.smf.Broken refused", "an answer")
    assert failed["got"] == "SQLITE_ERROR: no such table: missing"
    assert (result["verdict"], passed["text"]) == ("fail", "pass"), "it goes on"
    looked = {"kpath": "error.text", "type": "regex", "pattern": "no such table"}
    result = daemon.run({"type": "db.smf.Broken", "tests": [looked]})
    assert result["verdict"] == "pass", checks(result)
    change = select("DELETE FROM acct", shape="count")
    change["tests"] = [{"kpath": "error.code", "value": "SQLITE_READONLY"}]
    assert daemon.run(change, EXISTS)["verdict"] == "pass"


def test_a_deadline_aborts(daemon):
    endless = (
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    )
    result = daemon.run(select(endless), {"type": "pass"}, db="HASTY")
    assert result["verdict"] == "abort"
    assert result["first_call_summary"]["reason"] == "HASTY: Query: no answer within 0.2 s"


def test_what_the_selected_gateway_can_not_do(daemon):
    problems = daemon.problems(
        {"type": "db.smf.CcsAcctExist"},
        {"type": "db.smf.CcsAcctExists", "arguments": {"be_acct": 1}},
        {"type": "db.smf.All", "arguments": {"be_acct": 1}},
        select("SELECT 1", type_="db.smf.Query"),
        EXISTS,
    )
    assert problems == {
        "operations[0].type": "SMF01 has no statement CcsAcctExist: write it in"
        ' [application."SMF01".statements.CcsAcctExist]; did you mean "CcsAcctExists"?',
        "operations[1].arguments": "CcsAcctExists needs be_acct_id",
        "operations[2].arguments": "All takes no be_acct",
        "operations[3].type": "SMF01 has not set allow_sql",
    }
    problems = daemon.problems(EXISTS, db_smf="RAW")
    assert problems["operations[0].type"].startswith("RAW has no statement CcsAcctExists")
    response = daemon.ask("ExecuteTest", run_id="x", operations=[{"type": "db.smf.CcsAcctExist"}])
    assert response["error"]["code"] == 2002


def test_latency_and_messages(daemon):
    secret = {"type": "db.smf.Secret", "arguments": {"password": "geheim"}}
    result = daemon.run(EXISTS, secret, trace_level=2)
    assert "db.smf.CcsAcctExists" in json.dumps(result["operations"])
    text = json.dumps(result)
    assert "be_acct_id = 17" in text
    assert "Exists = 1" in text
    assert "password = ***" in text
    assert "geheim" not in text


def test_a_load(daemon):
    result = daemon.run(EXISTS, distribution={"type": "load", "total": 300, "backlog": 30})
    assert result["counts"]["passed"] == 300
    assert result["verdict"] == "pass"


# -- errors found before the run ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "path", "text"),
    [
        (select("SELECT :a"), "arguments.bind.a", "is missing: the sql has :a"),
        (select("SELECT 1", {"b": 1}), "arguments.bind.b", "the sql has no :b"),
        (select("SELECT :a", {"a": [1]}), "arguments.bind.a", "must be a text, a number or null"),
        (select("{'SELECT ' . $v->{a}}"), "arguments.sql", "takes values as :name from bind"),
        (select(""), "arguments.sql", "must be a statement of SQL"),
        (select("SELECT 1", shape="x"), "arguments.shape", "is not one of rows, row, value"),
        (select("SELECT 1", [1]), "arguments.bind", "must be an object"),
        ({"type": "db.Query", "arguments": {"sqls": "x"}}, "arguments.sqls", 'mean "sql"'),
        ({"type": "db.Query"}, "arguments.sql", "is missing"),
        ({"type": "db.smf.All", "arguments": {"a": {}}}, "arguments.a", "must be a text"),
        ({"type": "db.smf.All", "test": []}, "test", "unknown"),
    ],
)
def test_mistakes(daemon, operation, path, text):
    problems = daemon.problems({**operation})
    assert text in problems[f"operations[0].{path}"], problems


# -- how it is shown ------------------------------------------------------------------------------


def test_messages_for_people():
    asked = decode(b'{"statement": "A", "sql": "S", "bind": {"x": 1}}', True)
    assert (asked.title, asked.facts, asked.is_failure) == ("A", ("x = 1",), False)

    def answered(text):
        shown = decode(text.encode(), False)
        return shown.title, shown.facts, shown.is_failure

    assert answered('{"rows": {"Exists": 1}, "count": 1}') == ("1 row", ("Exists = 1",), False)
    assert answered('{"rows": [{"a": 1}, {"a": 2}], "count": 2}') == ("2 rows", ("a = 1",), False)
    assert answered('{"rows": [], "count": 0}') == ("no rows", (), False)
    assert answered('{"rows": [], "count": 3}') == ("3 rows changed", (), False)
    assert answered('{"rows": null, "count": 0}') == ("no row", (), False)
    assert answered('{"error": {"code": "42P01"}}') == ("refused", ("code = 42P01",), True)
    many = decode(json.dumps({"bind": {str(n): n for n in range(9)}}).encode(), True)
    assert many.facts[-1] == "…"


@pytest.mark.parametrize(
    "octets", [b"", b"\xff\x00", b"[]", b"5", b"[" * 100_000, b'{"rows": 5}', b'{"bind": 5}']
)
@pytest.mark.parametrize("is_sent", [True, False])
def test_whatever_the_octets(octets, is_sent):
    assert decode(octets, is_sent).title


def test_the_ladder_shows_the_sql_of_a_query_and_the_name_of_a_statement(daemon):
    sql = "SELECT name FROM acct\n  WHERE id = :id AND name <> 'one that is longer than a line is'"
    result = daemon.run(select(sql, {"id": 17}), EXISTS)
    ladder = result["first_call_summary"]["ladder"]
    shown = " ".join(line.strip("|<> -") for line in ladder.splitlines())
    assert " ".join(sql.split()) in " ".join(shown.replace("|", " ").split())
    assert "id = 17" in ladder
    assert "COUNT(*)" not in ladder


@pytest.mark.parametrize(
    ("place", "asked"),
    [
        ("be_acct_id", {**EXISTS, "arguments": {"be_acct_id": undefined.SOURCE}}),
        ("bind.a", select("SELECT :a AS a", {"a": undefined.SOURCE})),
    ],
)
def test_an_undefined_value_to_bind(daemon, place, asked):
    undefined.aborts_if_strict(daemon.run, place, asked)
    undefined.is_counted(daemon.run(asked, vars=undefined.VARS), place)


def test_a_literal_null_is_bound(daemon):
    tests = [{"kpath": "value", "type": "exists", "value": 0}]
    asked = select("SELECT :a AS a", {"a": None}, "value", tests)
    assert daemon.run(asked, strict=1)["counts"]["undefined_sent"] == 0


@pytest.mark.parametrize("given", [0, "0", False])
def test_a_begin_that_contradicts_its_application_is_refused(daemon, given):
    begin = {"type": "db.smf.Begin", "arguments": {"read_only": given}}
    text = "is 0, but SMF01 is read-only: set its key read_only = false"
    assert daemon.problems(begin) == {"operations[0].arguments.read_only": text}
    late = {"type": "db.smf.Begin", "arguments": {"read_only": "{$r->{idx}}"}}
    result = daemon.run(late)
    assert result["first_call_summary"]["reason"] == f"Begin: read_only {text}"
    for fitting in ({}, {"read_only": 1}):
        assert daemon.run({**begin, "arguments": fitting})["verdict"] == "pass"
