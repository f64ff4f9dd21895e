"""db applications of a whole daemon against real PostgreSQL and MariaDB servers.

No Oracle server may be installed here: in tests/kinds/db/test_gateway.py, connecting to it fails.
"""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.daemons import DaemonProcess, running
from support.databases import Server, mariadb, postgresql
from support.waiting import settles, until

from tsvc.numbers import float_of_literal

pytestmark = pytest.mark.e2e

TABLE = """
[application."{name}"]
module = "db"
url = '{url}'
pool = 4
allow_sql = true
query_timeout_s = {seconds}
backlog_timeout_s = 60
max_rows = 100
{more}
[application."{name}".statements.CcsAcctExists]
sql = 'SELECT COUNT(*) AS "Exists" FROM acct WHERE id = :be_acct_id'
bind = {{ be_acct_id = "integer" }}
shape = "row"
types = {{ Exists = "integer" }}
"""
# The SQL and the error codes in which the two servers differ.
WORDS = {
    "postgresql": {
        "sleep": "SELECT pg_sleep(:s) AS slept",
        "many": "SELECT generate_series(1, 50000000) AS n",
        "values": "SELECT CAST(:d AS numeric(5,2)) AS d, TIMESTAMP '2026-11-21 01:02:03' AS t,"
        " '\\x00ff'::bytea AS o, NULL AS n, true AS b, 'ä%' AS s, 7::bigint AS i",
        "busy": "SELECT count(*) AS n FROM pg_stat_activity"
        " WHERE state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()",
        "readonly": "25006",
        "missing": "42P01",
    },
    "mariadb": {
        "sleep": "SELECT sleep(:s) AS slept",
        "many": "SELECT seq AS n FROM seq_1_to_50000000",
        "values": "SELECT CAST(:d AS decimal(5,2)) AS d, TIMESTAMP '2026-11-21 01:02:03' AS t,"
        " x'00ff' AS o, NULL AS n, true AS b, 'ä%' AS s, 7 AS i",
        "busy": "SELECT count(*) AS n FROM information_schema.processlist"
        " WHERE command = 'Query' AND info LIKE '%sleep(%' AND id <> connection_id()",
        "readonly": "1792",
        "missing": "1146",
    },
}
SERVERS = {"postgresql": postgresql, "mariadb": mariadb}


@dataclass
class Setting:
    """A daemon with the applications DB (read-only) and RW, and the server behind them; HASTY
    waits for answers for two seconds."""

    daemon: DaemonProcess
    server: Server
    words: dict[str, str]

    def run(self, *operations: dict[str, Any], **params: Any) -> dict[str, Any]:
        return self.daemon.run({"operations": list(operations), "db": "DB", **params})

    def wait_until_up(self, state: str = "up") -> None:
        until(lambda: self.states() == {state}, what=lambda: self.daemon.log)

    def start_server_again(self) -> None:
        """Stop the server, and all statements that it works on, and start it again."""
        self.server.stop()
        self.wait_until_up("connecting")
        self.server.start()
        self.wait_until_up()

    def sleeps(self, number: int, db: str = "DB") -> bool:
        """Return True if the server reports that it works on `number` of the slow statements."""
        busy = sql(self.words["busy"], "value", is_("value", number, "integer"))
        return self.run(busy, db=db)["verdict"] == "pass"

    def states(self) -> set[str]:
        gateways = self.daemon.result("DescribeService")["gateways"]
        return {one["state"] for one in gateways if one["kind"] == "db"}


@pytest.fixture(scope="module", params=list(SERVERS))
def setting(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Setting]:
    folder: Path = tmp_path_factory.mktemp("db")
    with SERVERS[request.param]() as server:
        given = {"url": server.url, "seconds": 60}
        local = TABLE.format(name="DB", more="", **given)
        local += TABLE.format(name="RW", more="read_only = false", **given)
        local += TABLE.format(name="HASTY", more="", url=server.url, seconds=2)
        with running(folder, local) as daemon:
            made = Setting(daemon, server, WORDS[request.param])
            made.wait_until_up()
            result = made.run(
                sql("CREATE TABLE acct (id INTEGER PRIMARY KEY, name VARCHAR(20))", "count"),
                sql("INSERT INTO acct VALUES (17, 'ä'), (18, 'b')", "count"),
                db="RW",
            )
            assert result["verdict"] == "pass", result["first_call_summary"]
            yield made


def sql(text: str, shape: str = "rows", *tests: dict[str, Any], **bind: Any) -> dict[str, Any]:
    arguments = {"sql": text.replace("{", "\\{"), "shape": shape, "bind": bind}
    return {"type": "db.Query", "arguments": arguments, "tests": list(tests)}


def is_(kpath: str, value: Any, type_: str = "string") -> dict[str, Any]:
    return {"kpath": kpath, "type": type_, "value": value}


EXISTS = {
    "type": "db.CcsAcctExists",
    "arguments": {"be_acct_id": "17"},
    "tests": [is_("rows.Exists", 1, "integer")],
}


def test_the_published_operation_and_its_ladder(setting: Setting) -> None:
    result = setting.run(EXISTS)
    assert result["verdict"] == "pass", result["first_call_summary"]
    text = json.dumps(result["first_call_summary"], ensure_ascii=False)
    for part in ("CcsAcctExists", "be_acct_id = 17", "Exists = 1"):
        assert part in text
    assert "geheim" not in json.dumps(result)


def test_values_of_columns(setting: Setting) -> None:
    result = setting.run(
        sql(
            setting.words["values"],
            "row",
            is_("rows.d", "12.50"),
            is_("rows.t", "2026-11-21T01:02:03"),
            is_("rows.o", "00ff"),
            is_("rows.b", 1, "integer"),
            is_("rows.s", "ä%"),
            is_("rows.i", 7, "integer"),
            d="12.50",
        )
    )
    shown = json.dumps(result["first_call_summary"]["check_log"])
    assert result["verdict"] == "pass", shown


def test_colons_that_begin_no_parameter(setting: Setting) -> None:
    json_, mark = (
        '{"c":1234,"d":"a:b"}',
        "--" if setting.server.url.startswith("postgres") else "#",
    )
    plain = f"SELECT '{json_}' AS j, CAST(:x AS DECIMAL(5)) AS \"x:y\" -- of :nobody"
    if mark == "--":
        step = sql(
            f"SELECT '{json_}'::json->>'c' AS c, :x::int + 1 AS x, E'it\\'s :z' AS e,"
            " (ARRAY[1,2,3])[1:2] AS a, $$:nobody$$ AS d /* :nobody */",
            "row",
            is_("rows.c", "1234"),
            is_("rows.x", 8, "integer"),
            is_("rows.e", "it's :z"),
            is_("rows.a.[1]", 2, "integer"),
            is_("rows.d", ":nobody"),
            x="7",
        )
    else:
        text = plain.replace('"x:y"', "`x:y`") + "\n, 'it\\'s :z' AS e"
        step = sql(text, "row", is_("rows.j", "\\" + json_), is_("rows.e", "it's :z"), x=7)
    step["arguments"]["sql"] = step["arguments"]["sql"].replace("\\{", "{")
    result = setting.run(step)
    shown = json.dumps(result["first_call_summary"]["check_log"])
    assert result["verdict"] == "pass", shown


def test_arrays_are_bound_where_there_are_any(setting: Setting) -> None:
    names = sql("SELECT id FROM acct WHERE id = ANY(:ids) ORDER BY id", ids=[18, 17, 99])
    names["tests"] = [is_("count", 2, "integer"), is_("rows.[1].id", 18, "integer")]
    if setting.server.url.startswith("postgres"):
        result = setting.run(names)
        assert result["verdict"] == "pass", result["first_call_summary"]
    else:
        answer = setting.daemon.call(
            "ExecuteTest", {"operations": [names], "db": "DB", "run_id": "a"}
        )
        assert "must be a text, a number or null" in json.dumps(answer["error"])


def test_a_count_of_what_gives_rows_is_refused(setting: Setting) -> None:
    for db in ("DB", "RW"):
        result = setting.run(sql("SELECT id FROM acct", "count"), db=db)
        assert result["verdict"] == "abort"
        assert (
            "the statement gives rows: its shape must be"
            in (result["first_call_summary"]["reason"])
        )


def test_a_second_result_of_a_procedure_is_refused(setting: Setting) -> None:
    if setting.server.url.startswith("postgres"):
        return  # PostgreSQL has no such procedures
    body = "CREATE PROCEDURE {}() BEGIN SELECT 1 AS a; {} END"
    made = [
        sql(body.format("one", ""), "count"),
        sql(body.format("two", "SELECT 2 AS b;"), "count"),
    ]
    first = sql("CALL one()", "row", is_("rows.a", 1, "integer"))
    result = setting.run(*made, first, db="RW")
    assert result["verdict"] == "pass", result["first_call_summary"]
    result = setting.run(sql("CALL two()"), db="RW")
    assert "more than one result" in result["first_call_summary"]["reason"]
    result = setting.run(first, db="RW")
    assert result["verdict"] == "pass", result["first_call_summary"]


def test_what_python_has_no_value_for(setting: Setting) -> None:
    if "postgres" not in setting.server.url:
        pytest.skip("only PostgreSQL has such values")
    columns = {
        "'infinity'::timestamp": "infinity",
        "'-infinity'::timestamptz": "-infinity",
        "'infinity'::date": "infinity",
        "'20000-01-01'::date": "20000-01-01",
        "'0044-03-15 BC'::date": "0044-03-15 BC",
        "'infinity'::float8": "inf",
        "'NaN'::numeric": "NaN",
        "10.000000::numeric": "10.000000",
        "'24:00'::time": "24:00:00",
        "'24:00+02'::timetz": "24:00:00+02",
        "int4range(1, 5)": "[1,5)",
        "'(,5]'::numrange": "(,5]",
        "datemultirange(daterange('2026-01-01', 'infinity'))": "\\{[2026-01-01,infinity)}",
    }
    listed = ", ".join(f"{one} AS c{at}" for at, one in enumerate(columns))
    checks = [is_(f"rows.c{at}", text) for at, text in enumerate(columns.values())]
    result = setting.run(sql(f"SELECT {listed}", "row", *checks))
    shown = json.dumps(result["first_call_summary"]["check_log"])
    assert result["verdict"] == "pass", shown


def test_decimal_numbers_keep_their_digits_both_ways(setting: Setting) -> None:
    """Both numbers are equal as doubles; they are bound, and read from JSON columns."""
    number, other = "12345678901234567890.12", "12345678901234567890.13"
    is_postgresql = "postgres" in setting.server.url
    type_ = "numeric" if is_postgresql else "decimal(30,2)"
    columns = f"CAST(:x AS {type_}) AS x"
    if is_postgresql:
        columns += f", '[{number}]'::jsonb AS j, '[{number}]'::json AS k"
    places = ("rows.x", "rows.j.[0]", "rows.k.[0]") if is_postgresql else ("rows.x",)
    for wanted, verdict in ((number, "pass"), (other, "fail")):
        checks = [is_(place, float_of_literal(wanted), "number") for place in places]
        step = sql(f"SELECT {columns}", "row", *checks, x=float_of_literal(number))
        result = setting.run(step)
        shown = json.dumps(result["first_call_summary"]["check_log"])
        assert result["verdict"] == verdict, shown
        assert str(float(number)) not in result["first_call_summary"]["ladder"]


def test_read_only_is_enforced(setting: Setting) -> None:
    code = is_("error.code", setting.words["readonly"])
    result = setting.run(
        sql("INSERT INTO acct VALUES (1, 'x')", "count", code),
        sql("DELETE FROM acct", "count", code),
        sql("CREATE TABLE t (a INTEGER)", "count", code),
        sql("SELECT count(*) AS n FROM acct", "value", is_("value", 2, "integer")),
    )
    shown = json.dumps(result["first_call_summary"]["check_log"])
    assert result["verdict"] == "pass", shown


def test_a_refusal_is_data(setting: Setting) -> None:
    code = is_("error.code", setting.words["missing"])
    assert setting.run(sql("SELECT * FROM missing", "rows", code))["verdict"] == "pass"
    assert setting.run(sql("SELECT * FROM missing"), EXISTS)["verdict"] == "fail"


def test_the_server_stops_what_takes_too_long(setting: Setting) -> None:
    # If the server did not stop the statement, it would take longer than this test waits.
    result = setting.run(sql(setting.words["sleep"], s=600), db="HASTY")
    assert result["verdict"] == "abort"
    assert result["first_call_summary"]["reason"] == "HASTY: Query: no answer within 2 s"
    assert settles(lambda: setting.sleeps(0)), "the server still works on it"


def test_rows_are_bounded_and_the_daemon_is_not_filled(setting: Setting) -> None:
    def resident_kib() -> int:
        status = Path(f"/proc/{setting.daemon.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0])

    before = resident_kib()
    result = setting.run(sql(setting.words["many"]))
    assert result["first_call_summary"]["reason"] == "DB: Query: more than max_rows = 100 rows"
    assert resident_kib() - before < 100_000, "50 million rows would be gigabytes"
    assert setting.run(EXISTS)["verdict"] == "pass"


def test_a_cancelled_statement_leaves_the_next_its_own_answer(setting: Setting) -> None:
    run_id = uuid.uuid4().hex
    params = {
        "run_id": run_id,
        "db": "DB",
        "operations": [sql(setting.words["sleep"], s=1.5)],
        # So many that the server is busy whenever its state is queried.
        "distribution": {"type": "load", "total": 400, "backlog": 4},
    }
    assert setting.daemon.result("ExecuteTest", params) == "ok"
    until(lambda: setting.sleeps(3))  # one of the four connections is left for this query
    result = setting.daemon.result("CancelTest", {"run_id": run_id})
    assert result["cancelled"] == 1
    numbers = [sql("SELECT :n AS n", "value", is_("value", str(n)), n=str(n)) for n in range(20)]
    assert setting.run(*numbers)["verdict"] == "pass"


def test_a_slow_statement_holds_up_nobody(setting: Setting) -> None:
    """Four statements sleep at once, beside a run of 300 over the other application."""
    run_id = uuid.uuid4().hex
    until(lambda: setting.sleeps(0, db="RW"))  # cancelled statements of other tests are over
    four = {"type": "load", "total": 4, "backlog": 4}
    slow = sql(setting.words["sleep"], s=50)
    params = {"run_id": run_id, "db": "DB", "operations": [slow], "distribution": four}
    assert setting.daemon.result("ExecuteTest", params) == "ok"
    until(lambda: setting.sleeps(4, db="RW"))
    load = {"type": "load", "total": 300, "backlog": 20}
    beside = setting.run(EXISTS, db="RW", distribution=load)
    assert beside["counts"]["passed"] == 300
    assert setting.sleeps(4, db="RW"), "none of them had to end for that"
    assert setting.daemon.result("CancelTest", {"run_id": run_id})["cancelled"] == 1
    setting.start_server_again()  # it would continue the statements that were given up
    result = setting.run(sql(setting.words["sleep"], s=0.1), distribution=four)
    assert result["counts"]["passed"] == 4, result["first_call_summary"]["reason"]


def test_a_server_that_dies_aborts_who_waits_and_is_used_again(setting: Setting) -> None:
    run_id = uuid.uuid4().hex
    params = {"run_id": run_id, "db": "DB", "operations": [sql(setting.words["sleep"], s=50)]}
    assert setting.daemon.result("ExecuteTest", params) == "ok"
    until(lambda: setting.sleeps(1))
    setting.server.stop()
    result = setting.daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60})
    assert result["verdict"] == "abort"
    assert "DB: Query: connection lost" in result["first_call_summary"]["reason"]
    setting.wait_until_up("connecting")
    refused = setting.daemon.call(
        "ExecuteTest", {"operations": [EXISTS], "db": "DB", "run_id": "x"}
    )
    assert refused["error"]["data"]["kind"] == "gateway.down"
    setting.server.start()
    setting.wait_until_up()
    assert setting.run(EXISTS)["verdict"] == "pass"


def test_a_wrong_password_is_said_without_it(setting: Setting) -> None:
    url = setting.server.url.replace("geheim", "falsch-geheim")
    table = TABLE.format(name="WRONG", url=url, more="", seconds=60)
    folder = setting.daemon.folder / "wrong"
    folder.mkdir(exist_ok=True)
    with running(folder, table) as daemon:
        log = daemon.wait_for("not connected")
        (gateway,) = [
            one for one in daemon.result("DescribeService")["gateways"] if one["kind"] == "db"
        ]
    assert "falsch" not in log
    assert gateway["state"] == "connecting"
    assert gateway["detail"].startswith("login: ")
    assert "falsch" not in gateway["detail"]
