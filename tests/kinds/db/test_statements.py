"""Colons in SQL that begin a parameter, and colons that do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import mysql, postgresql, sqlite

from tsvc.kinds.db.statements import bind_names, prepared

# SQL that has no parameter, though most of it has colons.
PIECES = [
    '\'{"c":1234, "d": ":e"}\'',
    "'it''s :x'",
    "'C:\\'",
    '"a:b"',
    "`a:b`",
    "a::int",
    "a[1:2]",
    "a[:2]",
    "/* :x */",
    "-- :x\n",
    "$$ :x $$",
    "$f$ :x $$ :y $f$",
    "E'it\\'s :x'",
    "''",
    "1 + 1",
]


@given(pieces=st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from("pqr")), max_size=8))
def test_only_parameters_are_found_and_the_rest_is_as_it_was(pieces):
    names = [one for one in pieces if len(one) == 1]
    sql = "SELECT " + ", ".join(f":{one}::int" if len(one) == 1 else one for one in pieces)
    assert sorted(bind_names(sql)) == sorted(set(names))
    made = prepared(sql, sqlite.dialect(paramstyle="named")).sql
    assert made == sql


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT :x::int", ["x"]),
        ("SELECT :abc::int, ':d'", ["abc"]),
        (r"SELECT 'it\'s :x', :y", ["y"]),
        (r"SELECT '\:x', \:y", []),
        ("SELECT ':x", []),
        ("SELECT a:=:x", ["x"]),
    ],
)
def test_names(sql, names):
    assert bind_names(sql) == names


def test_drivers_get_it_in_their_form():
    sql = "SELECT :x::int, '{\"c\":1}', '5 %'"
    assert prepared(sql, postgresql.psycopg.dialect()).sql == (
        "SELECT %(x)s::int, '{\"c\":1}', '5 %%'"
    )
    made = prepared(sql, mysql.pymysql.dialect())
    assert (made.sql, made.positions) == ("SELECT %s::int, '{\"c\":1}', '5 %%'", ("x",))
