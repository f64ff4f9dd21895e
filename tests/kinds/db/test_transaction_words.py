"""SQL words that begin or end a transaction are found where they take effect, nowhere else."""

import random
import sqlite3

import pytest

from tsvc.kinds.db.transactions import transaction_word

MAKES = ("sqlite", "postgresql", "mysql", "oracle")
WORDS = [
    "begin",
    "BEGIN WORK",
    "begin immediate",
    "start transaction read only",
    "commit",
    "end",
    "END TRANSACTION",
    "rollback",
    "Rollback to savepoint a",
    "abort",
    "savepoint a",
    "release savepoint a",
    "release a",
    "set transaction isolation level serializable",
    "SET SESSION TRANSACTION READ ONLY",
    "set session characteristics as transaction read write",
    "prepare transaction 'x'",
    "commit prepared 'x'",
    "lock tables acct write",
    "unlock tables",
    "xa start 'x'",
    "set autocommit = 0",
    "SET @@session.autocommit=0",
]
BEFORE = [
    "",
    " \n\t",
    "-- begin no\n",
    "/* x */",
    "/* ' */ ",
    ";",
    " ; ;",
    "select 1;",
    "select ';';",
]
AFTER = ["", ";", " ", "\n", "-- x", "/**/"]


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("word", WORDS)
def test_each_is_found_behind_whatever_is_nothing(make, word):
    for before in BEFORE:
        for after in AFTER:
            for text in (word, word.upper(), word.title()):
                found = transaction_word(before + text + after, make)
                is_block = make == "oracle" and word.lower().startswith("begin")
                assert (found is None) is is_block, (before, text, after)


def test_what_is_said_is_the_word():
    assert transaction_word("/* a */ start\ttransaction", "postgresql") == "START TRANSACTION"
    assert transaction_word("select 1; Begin", "sqlite") == "BEGIN"


INNOCENT = {
    "sqlite": [
        "SELECT [begin; commit] FROM t",
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE b SET x = 1; SELECT CASE 1 WHEN 1 THEN 2"
        " END; END",
        "CREATE TEMP TRIGGER t AFTER INSERT ON a WHEN CASE 1 WHEN 1 THEN 1 END BEGIN SELECT 1;END",
    ],
    "postgresql": [
        "DO $$ begin perform 1; commit; end $$",
        "DO $x$ begin; $$ commit; $$ end $x$",
        "CREATE FUNCTION f() RETURNS int AS $$ begin return 1; end; $$ LANGUAGE plpgsql",
        "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true"
        " THEN 1 END; END",
        r"SELECT E'\'; begin; ' AS a",
        "SELECT 1 /* a /* ; begin */ ; commit */",
        "LOCK TABLE acct",
        "SET default_transaction_read_only = on",
        "SELECT a FROM t WHERE b = $1",
    ],
    "mysql": [
        "CREATE PROCEDURE p() BEGIN START TRANSACTION; IF 1 THEN COMMIT; END IF; CASE 1 WHEN 1"
        " THEN SELECT 1; END CASE; COMMIT; END",
        "CREATE DEFINER = `a`@`b` PROCEDURE p() BEGIN COMMIT; END",
        "BEGIN NOT ATOMIC SELECT 1; SELECT 2; END",
        r"SELECT 'it\'s; begin', " + '"; commit"',
        "SELECT 1 # ; begin\n",
        "SET @autocommit = 1",
    ],
    "oracle": [
        "BEGIN dbms_output.put_line('x'); COMMIT; END;",
        "DECLARE a NUMBER; BEGIN COMMIT; IF 1 = 1 THEN ROLLBACK; END IF; END;",
        "SELECT q'[it's; begin]' FROM dual",
    ],
}
EVERYWHERE = [
    "SELECT 'begin'",
    "SELECT '; begin' AS a, ';commit;'",
    "SELECT 'it''s; begin'",
    'SELECT 1 AS "a; commit"',
    "SELECT 1 -- ; begin",
    "SELECT 1 /* ; begin */",
    "SELECT begin FROM t",
    "SELECT a AS commit",
    "UPDATE t SET start = 1, transaction = 2",
    "INSERT INTO begin VALUES (1)",
    "SELECT CASE WHEN 1 = 1 THEN 2 END",
    "SET names utf8",
    "",
    ";;",
    "'",
    "/* begin",
]


@pytest.mark.parametrize("make", MAKES)
def test_what_is_none(make):
    for sql in [*EVERYWHERE, *INNOCENT[make]]:
        assert transaction_word(sql, make) is None, sql
    # The end of each text is found: a word behind it takes effect again.
    for sql in [*EVERYWHERE[:6], *INNOCENT[make]]:
        if not sql.endswith(("begin", ";begin")):
            assert transaction_word(f"{sql}\n;\ncommit", make) == "COMMIT", sql


def test_mysql_performs_what_stands_in_some_comments():
    assert transaction_word("/*!50000 begin */", "mysql") == "BEGIN"
    assert transaction_word("/*M! start transaction */", "mysql") == "START TRANSACTION"
    assert transaction_word("SELECT 1 --1; begin", "mysql") == "BEGIN"
    assert transaction_word("lock table t write", "mysql") == "LOCK TABLE"


def test_random_texts_against_sqlite_itself():
    """SQLite compiles one statement, and reports if it would begin or end a transaction."""
    chance = random.Random(15)
    pieces = [
        *(
            "begin",
            "END",
            "commit",
            "rollback",
            "savepoint x",
            "release x",
            "select 1",
            "x",
            "as x",
        ),
        *("'", '"', "`", "[", "]", "--", "\n", "/*", "*/", " ", " ", " ", ";", "''", "begin x"),
    ]
    connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)
    seen = []

    def authorize(action, *_):
        seen.append(action)
        return sqlite3.SQLITE_OK

    connection.set_authorizer(authorize)
    compared = 0
    for _ in range(20_000):
        sql = "".join(chance.choice(pieces) for _ in range(chance.randint(1, 8)))
        seen.clear()
        try:
            connection.execute(f"EXPLAIN {sql}")
        except (sqlite3.Error, sqlite3.Warning):
            continue
        if not sql.strip() or sql.lower().lstrip().startswith("query"):
            continue
        compared += 1
        is_one = not {sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT}.isdisjoint(seen)
        assert (transaction_word(sql, "sqlite") is not None) is is_one, sql
    connection.close()
    assert compared > 200
