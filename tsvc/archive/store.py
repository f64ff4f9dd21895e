"""The archive itself: rows in, rows out. Blocking, synchronous, used from one thread at a time.

Its tables stand first, and how a database of an earlier version becomes one of this.
"""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

# The archive's tables, and how a database of an earlier version becomes one of this.
#
# Results are JSON text: what QueryTest answers is what is kept, so nothing has to be translated
# when a member is added. Columns beside it are what lists and retention need.


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


IN_PROGRESS, COMPLETED, LOST = "in progress", "completed", "lost"
_LISTED = (RESULTS.c.id, RESULTS.c.run_id, RESULTS.c.state, RESULTS.c.verdict, RESULTS.c.summary)


class ArchiveError(Exception):
    """The archive can't be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One archived run, unpacked."""

    id: int
    run_id: str
    state: str
    summary: dict[str, Any]
    result: dict[str, Any] | None
    messages: Any  # JSON, as finish() was given it; [] of a run that is not completed
    definition: Any  # JSON, as begin() was given it


class Store:
    """Runs in a database."""

    def __init__(self, url: str, daemon: str) -> None:
        """Open nothing yet. Errors: ArchiveError for a URL of no database that can be used."""
        self._daemon = daemon
        try:
            self._engine = _engine(url)
        except (SQLAlchemyError, ImportError, ValueError) as error:
            raise ArchiveError(_reason(error)) from None

    def open(self) -> int:
        """Prepare the tables and mark runs that nobody will finish; returns how many were lost.

        Errors: ArchiveError.
        """
        try:
            with self._engine.begin() as connection:
                prepare(connection)
                found = connection.execute(
                    update(RESULTS)
                    .where(RESULTS.c.state == IN_PROGRESS, RESULTS.c.daemon == self._daemon)
                    .values(state=LOST)
                )
                return int(found.rowcount)
        except (SQLAlchemyError, NewerDatabase, OSError) as error:
            raise ArchiveError(_reason(error)) from None

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    # -- writing -----------------------------------------------------------------------------

    def begin(self, summary: dict[str, Any], definition: Any) -> int:
        """Add a run that has just started; returns its result_id. Errors: ArchiveError."""
        row = {
            "run_id": _key(summary["run_id"]),
            "daemon": self._daemon,
            "state": IN_PROGRESS,
            "verdict": summary["verdict"],
            "time_start": _seconds(summary["time_start"]),
            "summary": json.dumps(summary),
            "definition": _pack(definition),
        }
        try:
            with self._engine.begin() as connection:
                found = connection.execute(insert(RESULTS).values(row))
                key = found.inserted_primary_key
                assert key is not None
                return int(key[0])
        except (SQLAlchemyError, OSError) as error:
            raise ArchiveError(_reason(error)) from None

    def discard(self, result_id: int) -> None:
        """Take out a run that was not started after all. Errors: ArchiveError."""
        try:
            with self._engine.begin() as connection:
                connection.execute(delete(RESULTS).where(RESULTS.c.id == result_id))
        except (SQLAlchemyError, OSError) as error:
            raise ArchiveError(_reason(error)) from None

    def snapshot(self, summaries: dict[int, dict[str, Any]]) -> None:
        """Keep what is known of runs in progress, by result_id. Errors: ArchiveError."""
        try:
            with self._engine.begin() as connection:
                for result_id, summary in summaries.items():
                    connection.execute(
                        update(RESULTS)
                        .where(RESULTS.c.id == result_id, RESULTS.c.state == IN_PROGRESS)
                        .values(summary=json.dumps(summary), verdict=summary["verdict"])
                    )
        except (SQLAlchemyError, OSError) as error:
            raise ArchiveError(_reason(error)) from None

    def finish(
        self, result_id: int, summary: dict[str, Any], result: dict[str, Any], messages: Any
    ) -> None:
        """Keep the result of a completed run. Errors: ArchiveError."""
        values = {
            "state": COMPLETED,
            "verdict": summary["verdict"],
            "time_finish": _seconds(summary["time_finish"]),
            "summary": json.dumps(summary),
            "result": _pack(result),
            "messages": _pack(messages),
        }
        try:
            with self._engine.begin() as connection:
                statement = update(RESULTS).where(RESULTS.c.id == result_id).values(values)
                connection.execute(statement)
        except (SQLAlchemyError, OSError) as error:
            raise ArchiveError(_reason(error)) from None

    def probe(self) -> None:
        """Write something that changes nothing. Errors: ArchiveError."""
        try:
            with self._engine.begin() as connection:
                column = VERSION_TABLE.c.version
                connection.execute(update(VERSION_TABLE).values(version=column))
        except (SQLAlchemyError, OSError) as error:
            raise ArchiveError(_reason(error)) from None

    def purge(self, before: float, keep_runs: int) -> int:
        """Remove runs that started before a wall time, and all but the latest keep_runs."""
        kept = (
            select(RESULTS.c.id).order_by(RESULTS.c.id.desc()).limit(keep_runs).scalar_subquery()
        )
        try:
            with self._engine.begin() as connection:
                found = connection.execute(
                    delete(RESULTS).where(
                        RESULTS.c.state != IN_PROGRESS,
                        (RESULTS.c.time_start < before) | RESULTS.c.id.not_in(kept),
                    )
                )
                return int(found.rowcount)
        except (SQLAlchemyError, OSError) as error:
            raise ArchiveError(_reason(error)) from None

    # -- reading -----------------------------------------------------------------------------

    def list(
        self, limit: int, before: int | None = None, run_id: str | None = None
    ) -> list[dict[str, Any]]:
        """Return summaries with their result_id, latest first. Errors: ArchiveError."""
        statement = select(*_LISTED).order_by(RESULTS.c.id.desc()).limit(limit)
        if before is not None:
            statement = statement.where(RESULTS.c.id < before)
        if run_id is not None:
            statement = statement.where(RESULTS.c.run_id == _key(run_id))
        try:
            with self._engine.connect() as connection:
                rows = connection.execute(statement).all()
        except (SQLAlchemyError, OSError) as error:
            raise ArchiveError(_reason(error)) from None
        return [{"result_id": row.id, **_summary(row.state, row.summary)} for row in rows]

    def get(self, *, result_id: int | None = None, run_id: str | None = None) -> Stored | None:
        """Return a run by result_id, else the latest of a run_id. Errors: ArchiveError."""
        statement = select(RESULTS).order_by(RESULTS.c.id.desc()).limit(1)
        if result_id is not None:
            statement = statement.where(RESULTS.c.id == result_id)
        elif run_id is not None:
            statement = statement.where(RESULTS.c.run_id == _key(run_id))
        try:
            with self._engine.connect() as connection:
                row = connection.execute(statement).first()
        except (SQLAlchemyError, OSError) as error:
            raise ArchiveError(_reason(error)) from None
        if row is None:
            return None
        summary = _summary(row.state, row.summary)
        result = None if row.result is None else _unpack(row.result)
        messages = [] if row.messages is None else _unpack(row.messages)
        definition = None if row.definition is None else _unpack(row.definition)
        return Stored(row.id, summary["run_id"], row.state, summary, result, messages, definition)


def _summary(state: str, text: str) -> dict[str, Any]:
    """A lost run says so, and did not pass; another has its state in the summary."""
    summary: dict[str, Any] = json.loads(text)
    if state == LOST:
        summary |= {"state": LOST, "completed": 1}
        if summary["verdict"] in ("pass", "fail"):
            summary["verdict"] = "abort"
    return summary


def _engine(url: str) -> Engine:
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True)
    # One connection, moved between the threads of gevent's pool, which never use it at once.
    engine = create_engine(
        url, poolclass=StaticPool, connect_args={"check_same_thread": False, "timeout": 10}
    )

    @event.listens_for(engine, "connect")
    def _set_pragmas(connection: Any, _: Any) -> None:
        # The driver would begin a transaction late, and none for a change of tables.
        connection.isolation_level = None
        cursor = connection.cursor()
        # A finished result must survive the loss of power; WAL keeps readers apart from that.
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _key(run_id: str) -> str:
    """Return a run_id as its column holds it: PostgreSQL has no NUL in text."""
    return run_id.replace("\\", "\\\\").replace("\0", "\\0")


def _seconds(moment: Any) -> float:
    return float(moment[0]) + float(moment[1]) / 1e6


def _pack(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, default=str).encode())


def _unpack(octets: bytes) -> Any:
    return json.loads(zlib.decompress(octets))


def _reason(error: Exception) -> str:
    """Return the database's own words, in one line."""
    original = getattr(error, "orig", None) or error
    return " ".join(str(original).split()) or type(original).__name__
