"""The archive's tables, and how a database of an earlier version becomes one of this.

Results are JSON text: what QueryTest answers is what is kept, so nothing has to be translated
when a member is added. Columns beside it are what lists and retention need.
"""

from collections.abc import Callable

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    insert,
    inspect,
    select,
    update,
)

METADATA = MetaData()

LARGEST_ID = 2**63 - 1  # what a database can be asked for; SQLite's ids go up to it

VERSION_TABLE = Table("tsvc_archive", METADATA, Column("version", Integer, nullable=False))

RESULTS = Table(
    "tsvc_results",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String(256 * 4), nullable=False),
    Column("daemon", String(255), nullable=False),
    Column("state", String(16), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("time_start", Float, nullable=False),
    Column("time_finish", Float),
    Column("summary", Text, nullable=False),
    # Compressed JSON: the result (None while in progress), the definition, recorded messages.
    Column("result", LargeBinary),
    Column("definition", LargeBinary),
    Column("messages", LargeBinary),
    Index("tsvc_results_run_id", "run_id"),
    Index("tsvc_results_time_start", "time_start"),
    # A result_id that was purged never comes back: a client may still hold it.
    sqlite_autoincrement=True,
)

# Version n -> what makes a database of version n one of version n + 1.
MIGRATIONS: dict[int, Callable[[Connection], None]] = {}
VERSION = 1 + len(MIGRATIONS)


class NewerDatabase(Exception):
    """The database was made by a newer tsvc: opening it could lose what that one kept."""


def prepare(connection: Connection) -> None:
    """Create or migrate the tables. Errors: NewerDatabase."""
    if not inspect(connection).has_table(VERSION_TABLE.name):
        METADATA.create_all(connection)
        connection.execute(insert(VERSION_TABLE).values(version=VERSION))
        return
    found: int = connection.execute(select(VERSION_TABLE.c.version)).scalar_one()
    if found > VERSION:
        raise NewerDatabase(f"the archive has version {found}, this tsvc knows {VERSION}")
    for version in range(found, VERSION):
        MIGRATIONS[version](connection)
        connection.execute(update(VERSION_TABLE).values(version=version + 1))
