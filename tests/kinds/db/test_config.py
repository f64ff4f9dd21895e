"""The configuration table of a database: its meaning, and each error with its key."""

import pytest
from marshmallow import ValidationError

from tsvc.kinds.db.config import DbConfig, url_of

STATEMENT = {"sql": "SELECT 1 AS a WHERE 1 = :x"}


def loaded(**table):
    return DbConfig.load(table)


@pytest.mark.parametrize(
    ("table", "url"),
    [
        ({"url": "sqlite:////a/b"}, "sqlite+pysqlite:////a/b"),
        ({"driver": "sqlite", "database": "/a/b"}, "sqlite+pysqlite:////a/b"),
        ({"url": "postgresql://h/d"}, "postgresql+psycopg://h/d"),
        (
            {"driver": "postgresql", "host": "h", "port": 5, "database": "d", "username": "u"},
            "postgresql+psycopg://u@h:5/d",
        ),
        ({"url": "mysql://h/d"}, "mysql+pymysql://h/d"),
        ({"url": "mariadb+pymysql://h/d"}, "mysql+pymysql://h/d"),
        ({"url": "postgresql://u@h/d", "password": "p@ss"}, "postgresql+psycopg://u:p%40ss@h/d"),
        (
            {"driver": "oracle", "host": "h", "database": "SMF"},
            "oracle+oracledb://h?service_name=SMF",
        ),
    ],
)
def test_what_a_table_means(table, url):
    assert url_of(loaded(**table)).render_as_string(hide_password=False) == url


@pytest.mark.parametrize(
    ("table", "key", "text"),
    [
        ({}, "url", "is missing"),
        ({"url": "nonsense"}, "url", "is no URL"),
        ({"url": "postgresq://h"}, "url", 'did you mean "postgresql"'),
        ({"url": "mysql+mysqldb://h/d"}, "url", "'mysql+pymysql' is"),
        ({"url": "sqlite://", "database": "x"}, "database", "url says that too"),
        ({"url": "sqlite://", "pool": 2}, "pool", "one connection"),
        ({"url": "sqlite://", "post_login_sql": [1]}, "post_login_sql", "a list of them"),
        ({"url": "sqlite://", "querytimeout": 1}, "querytimeout", "unknown member; did you mean"),
        ({"url": "sqlite://", "statements": {"Query": STATEMENT}}, "statements", "Query"),
    ],
)
def test_mistakes(table, key, text):
    with pytest.raises(ValidationError) as caught:
        loaded(**table)
    assert text in str(caught.value.messages[key])


@pytest.mark.parametrize(
    ("statement", "key", "text"),
    [
        ({**STATEMENT, "bind": ["y"]}, "bind", "no :y is in the sql"),
        ({**STATEMENT, "bind": []}, "bind", ":x of the sql is missing"),
        ({**STATEMENT, "bind": {"x": "int"}}, "bind", "'int' is not one of integer"),
        ({**STATEMENT, "bind": 3}, "bind", "must be a list"),
        ({**STATEMENT, "shape": "table"}, "shape", "it must be one of rows, row"),
        ({**STATEMENT, "types": {"a": "date"}}, "a", "it must be one of boolean"),
        ({}, "sql", "is missing"),
    ],
)
def test_mistakes_of_a_statement(statement, key, text):
    with pytest.raises(ValidationError) as caught:
        loaded(url="sqlite://", statements={"Name": statement})
    found = caught.value.messages["statements"]["Name"]
    assert key in str(found)
    assert text in str(found)


def test_no_message_shows_a_password():
    for table in ({"url": "postgres://u:geheim@h"}, {"url": "mysql+x://u:geheim@h/d"}):
        with pytest.raises(ValidationError) as caught:
            loaded(**table)
        assert "geheim" not in str(caught.value.messages)
