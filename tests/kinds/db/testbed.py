"""The db gateway on SQLite: fixtures and helpers of its tests."""

import sqlite3

import pytest
from support.waiting import GUARD_S, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.db.config import DbConfig
from tsvc.kinds.db.gateway import DbGateway
from tsvc.kinds.db.statements import Shape

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
    """Make gateways on the file, started by default; they are killed after the test."""
    made = []

    def make(is_started=True, **table):
        patient = {"query_timeout_s": GUARD_S, "backlog_timeout_s": GUARD_S}
        place = {"driver": "sqlite", "database": str(path), "allow_sql": True}
        table = {**place, **patient, **table}
        if "url" in table:
            del table["driver"], table["database"]
        gateway = DbGateway("DB", DbConfig.load(table), GatewayContext(SYSTEM_CLOCK, lambda: 0))
        made.append(gateway)
        if is_started:
            gateway.start()
            until(lambda: gateway.status().state is GatewayState.UP)
        return gateway

    yield make
    for gateway in made:
        gateway.kill()


def query(gateway, sql, shape="rows", **values):
    return gateway.perform(gateway.query(sql, Shape(shape)), values)


def answered(gateway, sql, shape="rows", **values):
    """Query until an answer comes in the short time that the gateway waits; return the answer."""

    def ask():
        try:
            return query(gateway, sql, shape, **values)
        except GatewayError as error:
            if " within " not in str(error):
                raise
            return None

    return until(ask)


def counters(gateway):
    return gateway.status().counters
