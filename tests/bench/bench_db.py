"""The cost of a db operation, and the stalls of the event loop while SQLite works.

    python tests/bench/bench_db.py [--statements N] [--servers]

A readable line goes to stderr, JSON to stdout. The process is patched as the daemon is.

statement  microseconds of CPU of this process per statement, in consecutive sessions, threads
           included; for sqlite, and with --servers PostgreSQL and MariaDB
stall      milliseconds that a heartbeat greenlet (every millisecond) was late at most, and at the
           99.9th percentile, while 8 greenlets keep 4 sessions busy: short statements, and
           statements that compute for 50 ms
"""

from gevent import monkey

monkey.patch_all()

# ruff: noqa: E402
import argparse
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import gevent
from support.databases import mariadb, postgresql

from tsvc.clock import SYSTEM_CLOCK
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.db.config import DbConfig
from tsvc.kinds.db.gateway import DbGateway
from tsvc.kinds.db.statements import Shape

SHORT = 'SELECT COUNT(*) AS "Exists" FROM acct WHERE id = :id'
# About 50 ms inside SQLite on the author's machine.
LONG = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 300000)"
    " SELECT max(x) AS m FROM c"
)


@contextmanager
def gateway_of(table: dict[str, Any]) -> Iterator[DbGateway]:
    config = DbConfig.load({"allow_sql": True, **table})
    gateway = DbGateway("DB", config, GatewayContext(SYSTEM_CLOCK, random.random))
    gateway.start()
    while gateway.status().state is not GatewayState.UP:
        gevent.sleep(0.01)
    yield gateway
    gateway.kill()


def cost(gateway: DbGateway, count: int) -> dict[str, float]:
    statement = gateway.query(SHORT, Shape.ROW)
    for _ in range(100):
        gateway.perform(statement, {"id": 17})
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(count):
        gateway.perform(statement, {"id": 17})
    return {
        "cpu_us": round((time.process_time() - cpu) / count * 1e6, 1),
        "wall_us": round((time.perf_counter() - wall) / count * 1e6, 1),
    }


def stall(gateway: DbGateway, sql: str, count: int) -> dict[str, float]:
    statement = gateway.query(sql, Shape.ROW)
    values = {"id": 17} if ":id" in sql else {}
    late: list[float] = []

    def beat() -> None:
        while True:
            begun = time.perf_counter()
            gevent.sleep(0.001)
            late.append((time.perf_counter() - begun) * 1000 - 1)

    def work() -> None:
        for _ in range(count // 8):
            gateway.perform(statement, values)

    heart = gevent.spawn(beat)
    gevent.joinall([gevent.spawn(work) for _ in range(8)], raise_error=True)
    heart.kill()
    late.sort()
    return {"beats": len(late), "p999_ms": round(late[int(len(late) * 0.999) - 1], 2)} | {
        "worst_ms": round(late[-1], 2)
    }


def with_server(server: Callable[[], Any], count: int) -> dict[str, float]:
    with server() as running, gateway_of({"url": running.url, "read_only": False}) as gateway:
        for sql in ("CREATE TABLE acct (id INTEGER)", "INSERT INTO acct VALUES (17)"):
            gateway.perform(gateway.query(sql, Shape.COUNT), {})
        return cost(gateway, count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", type=int, default=5000)
    parser.add_argument("--servers", action="store_true")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.sqlite"
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE acct (id INTEGER)")
            connection.execute("INSERT INTO acct VALUES (17)")
        with gateway_of({"driver": "sqlite", "database": str(path)}) as gateway:
            found["sqlite"] = cost(gateway, options.statements)
            found["stall_short"] = stall(gateway, SHORT, options.statements)
            found["stall_long"] = stall(gateway, LONG, 80)
    if options.servers:
        found["postgresql"] = with_server(postgresql, options.statements)
        found["mariadb"] = with_server(mariadb, options.statements)
    print(json.dumps(found), file=sys.stderr)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
