"""db in a soak: an SQLite file."""

import contextlib
import random
import sqlite3
import time
from pathlib import Path

from soak.kind import TOKEN, Operation, SoakKind, Trouble
from support.kind_peers import TOKENS

TABLE = """
url = "sqlite:///{path}"
query_timeout_s = 2.{change}
backlog_timeout_s = 4
ping_interval_s = 1
reconnect_interval_s = 0.5
[application.db.statements.Say]
sql = "SELECT token FROM tokens WHERE token = :token"
shape = "row"
"""
QUERY: Operation = {
    "type": "db.Say",
    "arguments": {"token": TOKEN},
    "tests": [{"kpath": "rows.token", "value": TOKEN}],
}


class Database:
    """An SQLite file that is locked, or missing, for a while."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "tokens.sqlite"
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            connection.execute("CREATE TABLE tokens (token TEXT PRIMARY KEY)")
            connection.executemany("INSERT INTO tokens VALUES (?)", [(one,) for one in TOKENS])
            connection.commit()
        self.where = {"path": self.path}
        self.troubles: dict[str, Trouble] = {"locked": self._locked, "gone": self._gone}

    def close(self) -> None:
        return

    def _locked(self, chance: random.Random) -> None:
        with contextlib.closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                return  # the file is read all the time
            time.sleep(chance.uniform(0.2, 4))
            connection.execute("ROLLBACK")

    def _gone(self, chance: random.Random) -> None:
        elsewhere = self.path.with_suffix(".moved")
        self.path.rename(elsewhere)
        time.sleep(chance.uniform(0.2, 2))
        elsewhere.rename(self.path)


SOAK = SoakKind(held=("in_use", "waiting", "threads"), start=Database, table=TABLE, asks=[[QUERY]])
