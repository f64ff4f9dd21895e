"""The real peers of guide/five_gateways.json, and the configuration of a daemon for them."""

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from support.daemons import EXAMPLES
from support.databases import Server, postgresql
from support.fakes import FakeProcess, fake_process
from support.nginx import Nginx, running_nginx

DEFINITION = EXAMPLES / "guide/five_gateways.json"
KINDS = ("sigtran", "diameter", "db", "rest", "pi")
PI_PASSWORD = "Hk2-password-of-pi"
MSISDNS = [str(6421000001 + n) for n in range(10)]
TABLE = "CREATE TABLE subscriber (msisdn VARCHAR(15) PRIMARY KEY, account VARCHAR(20), key INT)"
ROWS = [(msisdn, f"ACC-{number}", 45) for number, msisdn in enumerate(MSISDNS, 1)]
ROUTE = """
    location = /api/route {
      return 200 '{"account": "$arg_account", "granted": $arg_granted, "extension": "100"}';
    }
"""
CONFIG = """
[application.crm]
module = "db"
url = '{database}'
reconnect_interval_s = 0.2
query_timeout_s = 60
backlog_timeout_s = 60

[application.crm.statements.Subscriber]
sql = 'SELECT account, key AS service_key FROM subscriber WHERE msisdn = :msisdn'
bind = {{ msisdn = "text" }}
shape = "row"
types = {{ account = "text", service_key = "integer" }}

[application.OCS]
module = "diameter"
remote_port = {ocs}
origin_host = "tester.example.net"
reconnect_interval_s = 0.2
request_timeout_s = 60

[application.routes]
module = "rest"
base_uri = "http://127.0.0.1:{rest}/api"
reconnect_interval_s = 0.2
server_timeout_s = 60
"""
PI = """
[application.PI]
module = "pi"
remote_host = "127.0.0.1"
remote_port = {port}
username = "tester"
password = "{password}"
num_client_connections = 4
reconnect_interval_s = 0.2
server_timeout_s = 60
"""


@dataclass(frozen=True)
class Peers:
    """Four running peers; the fifth is the daemon's own SCP. `database`: the URL of a database."""

    database: str
    ocs: FakeProcess
    nginx: Nginx
    pi: FakeProcess

    @property
    def configuration(self) -> str:
        """The text to add to a configuration that has a SIGTRAN gateway."""
        ours = CONFIG.format(database=self.database, ocs=self.ocs.port, rest=self.nginx.http)
        return ours + PI.format(port=self.pi.port, password=PI_PASSWORD)


@contextlib.contextmanager
def peers(folder: Path, database: str) -> Iterator[Peers]:
    """Run an OCS, an nginx and a PI while a block runs."""
    with contextlib.ExitStack() as stack:
        start = stack.enter_context
        yield Peers(
            database,
            start(fake_process(folder, "diameter", **OCS_SETTINGS)),
            start(running_nginx(folder / "nginx", ROUTE)),
            start(fake_process(folder, "pi", **PI_SETTINGS)),
        )


# No balance is used up within a test.
OCS_SETTINGS: dict[str, Any] = {"default_balance": 10**12, "grant": 60}
PI_SETTINGS: dict[str, Any] = {
    "username": "tester",
    "password": PI_PASSWORD,
    "subscribers": {msisdn: {"General Cash": 1450} for msisdn in MSISDNS},
}


def sqlite(folder: Path) -> str:
    """Make a database file with the subscribers; return its URL."""
    path = folder / "crm.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(TABLE)
        connection.executemany("INSERT INTO subscriber VALUES (?, ?, ?)", ROWS)
        connection.commit()
    return f"sqlite:///{path}"


@contextlib.contextmanager
def postgresql_with_subscribers() -> Iterator[Server]:
    """Run a PostgreSQL that has the subscribers, while a block runs."""
    with postgresql() as server:
        with psycopg.connect(server.url) as connection:
            connection.execute(TABLE)
            with connection.cursor() as cursor:
                cursor.executemany("INSERT INTO subscriber VALUES (%s, %s, %s)", ROWS)
        yield server
