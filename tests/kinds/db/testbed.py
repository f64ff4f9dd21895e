"""The db gateway on SQLite: fixtures and helpers of its tests."""

import sqlite3

import pytest
from support.waiting import until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.db.config import DbConfig
from tsvc.kinds.db.gateway import DbGateway
from tsvc.kinds.db.statements import Shape

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


def counters(gateway):
    return gateway.status().counters
