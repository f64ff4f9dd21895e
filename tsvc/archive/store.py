"""The archive's database: writes and reads rows. Blocking, synchronous, for one thread at a time.

The tables come first, and the migration of a database of an earlier version.
"""

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from importlib.util import find_spec
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Select,
    String,
    Table,
    Text,
    bindparam,
    case,
    create_engine,
    delete,
    event,
    false,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from tsvc.archive.state import keep_private
from tsvc.archive.wanted import LOST_VERDICT, Wanted, seconds, words_of
from tsvc.deadline import Deadline
from tsvc.memo import Memo
from tsvc.numbers import loads_exactly, text_exactly
from tsvc.values import dataclass
from tsvc.words import needs_packages

# The archive's tables, and the migration of a database of an earlier version.
#
# Results are JSON text, exactly as QueryTest answers them, so a new member needs no new column.
# The other columns are those that lists and retention need.


METADATA = MetaData()

# For each kind of database other than SQLite: the driver, and what pip installs for it.
_DRIVERS = {
    "postgresql": ("psycopg", "psycopg[binary]"),
    "mysql": ("pymysql", "PyMySQL"),
    "mariadb": ("pymysql", "PyMySQL"),
    "oracle": ("oracledb", "oracledb"),
}

LARGEST_ID = 2**63 - 1  # the largest id that a query may have; SQLite's ids go up to it

VERSION_TABLE = Table("tsvc_archive", METADATA, Column("version", Integer, nullable=False))

RESULTS = Table(
    "tsvc_results",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String(256 * 4), nullable=False),
    Column("daemon", String(255), nullable=False),
    # The random id of the daemon's state folder; NULL in rows that are older than these ids.
    Column("owner", String(64)),
    Column("state", String(16), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("time_start", Float, nullable=False),
    Column("name", Text),  # of the definition; NULL in rows that are older than this column
    Column("words", Text),  # the text that searches in lists compare with
    Column("time_finish", Float),
    Column("summary", Text, nullable=False),
    # Compressed JSON: the result (NULL while in progress), the definition, recorded messages.
    Column("result", LargeBinary),
    Column("definition", LargeBinary),
    Column("messages", LargeBinary),
    Index("tsvc_results_run_id", "run_id"),
    Index("tsvc_results_time_start", "time_start"),
    # A purged result_id is never used again, because a client may still hold it.
    sqlite_autoincrement=True,
)

# The rows that probe() writes.
PROBES = Table("tsvc_probes", METADATA, Column("id", Integer), Column("octets", LargeBinary))
_PROBE_OCTETS = 64 * 1024  # needs new pages, which a full disk doesn't have


def _add_owner(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE tsvc_results ADD COLUMN owner VARCHAR(64)"))
    PROBES.create(connection)


def _add_words(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE tsvc_results ADD COLUMN name TEXT"))
    connection.execute(text("ALTER TABLE tsvc_results ADD COLUMN words TEXT"))
    connection.execute(update(RESULTS).values(words=func.lower(RESULTS.c.run_id)))


# Version n -> the migration of a database from version n to version n + 1.
MIGRATIONS: dict[int, Callable[[Connection], None]] = {1: _add_owner, 2: _add_words}
VERSION = 1 + len(MIGRATIONS)


class NewerDatabase(Exception):
    """The database was made by a newer tsvc; using it could lose data that the newer one keeps."""


def version_of(connection: Connection) -> int:
    """Return the version of the tables; VERSION if there are none yet."""
    if not inspect(connection).has_table(VERSION_TABLE.name):
        return VERSION
    return int(connection.execute(select(VERSION_TABLE.c.version)).scalar_one())


def prepare(connection: Connection) -> int | None:
    """Create or migrate the tables; return the version that was migrated, or None.

    Errors: NewerDatabase.
    """
    if not inspect(connection).has_table(VERSION_TABLE.name):
        METADATA.create_all(connection)
        connection.execute(insert(VERSION_TABLE).values(version=VERSION))
        return None
    found = version_of(connection)
    if found > VERSION:
        raise NewerDatabase(
            f"the archive has version {found}, this tsvc knows {VERSION}: a newer tsvc wrote it"
        )
    for version in range(found, VERSION):
        MIGRATIONS[version](connection)
        connection.execute(update(VERSION_TABLE).values(version=version + 1))
    return found if found < VERSION else None


PURGED_AT_ONCE = 500  # so that a call stays within its deadline
IN_PROGRESS, COMPLETED, LOST = "in progress", "completed", "lost"
PARTS = ("definition", "messages")  # columns that get() reads only on request
_LISTED = (RESULTS.c.id, RESULTS.c.run_id, RESULTS.c.state, RESULTS.c.verdict, RESULTS.c.summary)


_READS = {"tsvc_reads": True}  # execution option of a connection for one SELECT


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
    # JSON, as finish() got it; [] for a run that is not completed, or if it was not requested.
    messages: Any
    definition: Any  # JSON, as begin() got it; None if it was not requested
    is_waiting: bool = False  # it is not in the database yet


class Store:
    """Runs in a database."""

    def __init__(self, url: str, daemon: str, deadline_s: float = 5.0) -> None:
        """Prepare the engine without opening the database.

        `daemon` is the daemon's name, for people. A call blocks for at most `deadline_s` if gevent
        can interrupt the driver, or if the database is locked; longer if a disk hangs.
        Errors: ArchiveError if no database can be used with the URL.
        """
        self._daemon = daemon
        self._owner = ""
        self._is_ours: ColumnElement[bool] = false()
        self._deadline_s = deadline_s
        self.upgraded_from: int | None = None  # the version that open() has migrated
        # Key: True if get() looks for an id, and the parts that it returns. To build a statement
        # takes longer than SQLite needs to find a row.
        self._searches: Memo[tuple[bool, tuple[str, ...]], _Search] = Memo(
            "statements of the archive", 2 * len(PARTS) ** 2, self._search
        )
        try:
            self._engine = _engine(url, deadline_s)
            self._reading = self._engine.execution_options(**_READS)
        except ImportError as error:
            raise ArchiveError(_driver_wanted(url, error)) from None
        except (SQLAlchemyError, ValueError) as error:
            raise ArchiveError(_reason(error)) from None

    def is_older(self) -> bool:
        """Return True if open() will migrate the tables, which may take long.

        Errors: ArchiveError.
        """
        with self._transaction() as connection:
            return version_of(connection) < VERSION

    def open(self, owner: str, deadline_s: float | None = None) -> int:
        """Prepare the tables, mark runs in progress as lost, and return the number of lost runs.

        `owner` is the id of the state folder: rows of other owners are not changed.
        `deadline_s`: in place of that of all other calls. Errors: ArchiveError.
        """
        self._owner = owner
        # Rows that are older than the owner column belong to the daemon with their name.
        of_name = RESULTS.c.owner.is_(None) & (RESULTS.c.daemon == self._daemon)
        self._is_ours = (RESULTS.c.owner == owner) | of_name
        with self._transaction(deadline_s=deadline_s) as connection:
            self.upgraded_from = prepare(connection)
            found = connection.execute(
                update(RESULTS)
                .where(RESULTS.c.state == IN_PROGRESS, self._is_ours)
                .values(state=LOST)
            )
            return int(found.rowcount)

    @contextmanager
    def _transaction(
        self, *, reads: bool = False, deadline_s: float | None = None
    ) -> Iterator[Connection]:
        """Yield a connection for the length of a transaction. Errors: ArchiveError.

        `reads`: the transaction is one SELECT. `deadline_s`: absent, that of the store.
        """
        # This runs in the archive's own thread. At the deadline a driver that waits through gevent
        # is interrupted, and SQLAlchemy closes its connection. SQLite can't be interrupted.
        is_cut = self._engine.dialect.name != "sqlite"
        deadline_s = deadline_s or self._deadline_s
        seconds = deadline_s if is_cut else None
        began = time.monotonic()
        try:
            begun = self._reading.connect() if reads else self._engine.begin()
            with Deadline(seconds, self._late), begun as connection:
                yield connection
        except (SQLAlchemyError, NewerDatabase, OSError) as error:
            # An interrupted driver may raise its own error: "can't change autocommit now".
            is_late = is_cut and time.monotonic() - began >= deadline_s
            raise (self._late() if is_late else ArchiveError(_reason(error))) from None

    def _late(self) -> ArchiveError:
        return ArchiveError(too_late(self._deadline_s))

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    # -- writing -----------------------------------------------------------------------------

    def begin(self, summary: dict[str, Any], definition: Any) -> int:
        """Add a run that has just started, and return its result_id. Errors: ArchiveError."""
        row = {
            "run_id": _key(summary["run_id"]),
            "daemon": self._daemon,
            "owner": self._owner,
            **_as_known(summary),
            "state": IN_PROGRESS,
            "name": _key(summary.get("name", "")),
            "words": _key(words_of(summary)),
            "definition": _pack(definition),
        }
        with self._transaction() as connection:
            found = connection.execute(insert(RESULTS).values(row))
            key = found.inserted_primary_key
            assert key is not None
            return int(key[0])

    def discard(self, result_id: int) -> None:
        """Remove a run that was not started after all. Errors: ArchiveError."""
        with self._transaction() as connection:
            connection.execute(delete(RESULTS).where(RESULTS.c.id == result_id))

    def snapshot(self, summaries: dict[int, dict[str, Any]]) -> None:
        """Write the summaries of runs in progress, by result_id. Errors: ArchiveError."""
        with self._transaction() as connection:
            for result_id, summary in summaries.items():
                row = update(RESULTS).where(
                    RESULTS.c.id == result_id, RESULTS.c.state == IN_PROGRESS
                )
                connection.execute(row.values(_as_known(summary)))

    def finish(
        self, result_id: int, summary: dict[str, Any], result: dict[str, Any], messages: Any
    ) -> bool:
        """Write the result of a completed run. Return False if our rows have no such run.

        Errors: ArchiveError.
        """
        values = {
            **_as_known(summary),
            "state": COMPLETED,
            "time_finish": seconds(summary["time_finish"]),
            "result": _pack(result),
            "messages": _pack(messages),
        }
        with self._transaction() as connection:
            # A record that waited may belong to another database; its id may be another run here.
            is_same = RESULTS.c.run_id == _key(summary["run_id"])
            statement = update(RESULTS).where(RESULTS.c.id == result_id, is_same, self._is_ours)
            return int(connection.execute(statement.values(values)).rowcount) == 1

    def probe(self, octets: int = _PROBE_OCTETS) -> None:
        """Write a row as large as a result, or with `octets` octets. Errors: ArchiveError."""
        # Each daemon has its own row: another daemon may be stopped while it writes its row.
        ours = zlib.crc32(self._owner.encode()) & 0x7FFF_FFFF
        with self._transaction() as connection:
            connection.execute(delete(PROBES).where(PROBES.c.id == ours))
            connection.execute(insert(PROBES).values(id=ours, octets=os.urandom(octets)))

    def sweep(self, running: Collection[int]) -> int:
        """Remove our rows in progress, except those of `running`, and return how many there were.

        They are rows of runs that were not started after all. Errors: ArchiveError.
        """
        with self._transaction() as connection:
            found = connection.execute(
                select(RESULTS.c.id).where(
                    RESULTS.c.state == IN_PROGRESS, RESULTS.c.owner == self._owner
                )
            ).scalars()
            left = [result_id for result_id in found if result_id not in running]
            for result_id in left:
                connection.execute(delete(RESULTS).where(RESULTS.c.id == result_id))
            return len(left)

    def purge(self, before: float, keep_runs: int) -> int:
        """Remove our runs that began before a wall time, and all but the latest keep_runs.

        Return how many were removed; if it is PURGED_AT_ONCE, there may be more.
        Errors: ArchiveError.
        """
        kept = (
            select(RESULTS.c.id)
            .where(self._is_ours)
            .order_by(RESULTS.c.id.desc())
            .limit(keep_runs)
            .scalar_subquery()
        )
        outdated = (
            select(RESULTS.c.id)
            .where(
                self._is_ours,
                RESULTS.c.state != IN_PROGRESS,
                (RESULTS.c.time_start < before) | RESULTS.c.id.not_in(kept),
            )
            .limit(PURGED_AT_ONCE)
        )
        with self._transaction() as connection:
            ids = connection.execute(outdated).scalars().all()
            connection.execute(delete(RESULTS).where(RESULTS.c.id.in_(ids)))
            return len(ids)

    # -- reading -----------------------------------------------------------------------------

    def list(self, wanted: Wanted) -> list[dict[str, Any]]:
        """Return summaries with their result_id, latest first. Errors: ArchiveError."""
        statement = select(*_LISTED).order_by(RESULTS.c.id.desc()).limit(wanted.limit)
        statement = statement.where(*_clauses(wanted))
        with self._transaction(reads=True) as connection:
            rows = connection.execute(statement).all()
        return [{"result_id": row.id, **_summary(row.state, row.summary)} for row in rows]

    def get(
        self,
        *,
        result_id: int | None = None,
        run_id: str | None = None,
        parts: tuple[str, ...] = PARTS,
    ) -> Stored | None:
        """Return a run by result_id, or else the latest of a run_id: of our runs if there is one.

        `parts`: the wanted ones of PARTS, which may be many times as large as the rest.
        Errors: ArchiveError.
        """
        wanted = {"run_id": _key(run_id or "")} if result_id is None else {"id": result_id}
        row = self._first(self._searches[result_id is not None, parts], wanted)
        if row is None:
            return None
        summary = _summary(row["state"], row["summary"])
        return Stored(
            row["id"],
            summary["run_id"],
            row["state"],
            summary,
            _unpacked(row["result"], None),
            _unpacked(row.get("messages"), []),
            _unpacked(row.get("definition"), None, loads_exactly),
        )

    def _first(self, search: "_Search", wanted: dict[str, Any]) -> Mapping[str, Any] | None:
        """Return the first row of a search, by column."""
        if self._engine.dialect.name != "sqlite":
            with self._transaction(reads=True) as connection:
                found = connection.execute(search.statement, wanted).mappings().first()
                return None if found is None else dict(found)
        # Use the driver directly: beside a busy loop SQLAlchemy's own work for one statement takes
        # a millisecond, five times as long as SQLite's (see tsvc.interpreter).
        values = {**search.values, **wanted}
        try:
            with closing(self._engine.raw_connection()) as driver:
                cursor = driver.cursor()
                cursor.execute(search.text, [values[name] for name in search.order])
                row = cursor.fetchone()
                cursor.close()
        except (sqlite3.Error, SQLAlchemyError) as error:
            raise ArchiveError(_reason(error)) from None
        return None if row is None else dict(zip(search.names, row, strict=True))

    def _search(self, key: tuple[bool, tuple[str, ...]]) -> "_Search":
        is_by_id, parts = key
        columns = RESULTS.c
        statement = select(
            columns.id,
            columns.state,
            columns.summary,
            columns.result,
            *(columns[part] for part in parts),
        ).limit(1)
        if is_by_id:
            statement = statement.where(columns.id == bindparam("id"))
        else:
            ours_first = case((self._is_ours, 0), else_=1)
            statement = statement.where(columns.run_id == bindparam("run_id"))
            statement = statement.order_by(ours_first, columns.id.desc())
        compiled: Any = statement.compile(dialect=self._engine.dialect)
        return _Search(
            statement,
            compiled.string,
            compiled.params,
            tuple(compiled.positiontup or ()),
            tuple(statement.selected_columns.keys()),
        )


@dataclass(frozen=True, slots=True)
class _Search:
    """A statement, with the arguments for the driver: its text, values and their order."""

    statement: Select[Any]
    text: str
    values: Mapping[str, Any]
    order: tuple[str, ...]
    names: tuple[str, ...]  # of the columns


def _as_known(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that depend on a summary.

    They change later, since a run starts after its row is made, or at the time that its definition
    gives.
    """
    return {
        "verdict": summary["verdict"],
        "time_start": seconds(summary["time_start"]),
        "summary": json.dumps(summary),
    }


def _clauses(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    """Yield SQL clauses that select the same runs as Wanted.takes()."""
    columns = RESULTS.c
    if wanted.before is not None:
        yield columns.id < wanted.before
    if wanted.run_id is not None:
        yield columns.run_id == _key(wanted.run_id)
    if wanted.name is not None:
        yield func.coalesce(columns.name, "") == _key(wanted.name)
    if wanted.verdict is not None:
        becomes = case(LOST_VERDICT, value=columns.verdict, else_=columns.verdict)
        verdict = case((columns.state == LOST, becomes), else_=columns.verdict)
        yield verdict == wanted.verdict
    if wanted.begin is not None:
        yield columns.time_start >= wanted.begin
    if wanted.end is not None:
        yield columns.time_start < wanted.end
    if wanted.text is not None:
        yield columns.words.contains(_key(wanted.text.casefold()), autoescape=True)


def _summary(state: str, text: str) -> dict[str, Any]:
    """Return the summary of a row; that of a lost run is marked as lost and never passes."""
    summary: dict[str, Any] = json.loads(text)
    if state == LOST:
        summary |= {"state": LOST, "completed": 1}
        summary["verdict"] = LOST_VERDICT.get(summary["verdict"], summary["verdict"])
    return summary


def _driver_wanted(url: str, error: ImportError) -> str:
    """Return how to install the driver of a database, or which driver the URL must name."""
    kind = url.partition(":")[0].partition("+")[0]
    if kind not in _DRIVERS:
        return str(error)
    package, distribution = _DRIVERS[kind]
    if find_spec(package) is None:
        return needs_packages(distribution)
    return f"{error}: the driver of tsvc is {package}, write {kind}+{package}://"


def too_late(deadline_s: float) -> str:
    """Return the reason for a call that took longer than its deadline."""
    return f"no answer within {deadline_s:g} s (results.deadline_s)"


def _engine(url: str, deadline_s: float) -> Engine:
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True)
    # One connection, moved between the threads of gevent's pool, which never use it at once.
    # SQLite's timeout is below the deadline, so that another user's lock is reported as a lock.
    engine = create_engine(
        url,
        poolclass=StaticPool,
        connect_args={"check_same_thread": False, "timeout": 0.8 * deadline_s},
    )
    database = engine.url.database or ""

    @event.listens_for(engine, "do_connect")
    def _private(*_: Any) -> None:
        if database and database != ":memory:" and not database.startswith("file:"):
            # SQLite makes the -wal and -shm files with the mode of the database.
            keep_private(database, *(f"{database}{more}" for more in ("-wal", "-shm")))

    @event.listens_for(engine, "connect")
    def _set_pragmas(connection: Any, _: Any) -> None:
        # The driver would begin a transaction late, and none for a change of tables.
        connection.isolation_level = None
        cursor = connection.cursor()
        # A finished result must survive a loss of power; with WAL, readers don't wait for writes.
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # One SELECT is a transaction anyway. Each statement releases the interpreter lock, and
        # beside a busy loop the thread gets it back a tenth of a millisecond later.
        if not connection.get_execution_options().keys() & _READS.keys():
            connection.exec_driver_sql("BEGIN")

    return engine


def _key(run_id: str) -> str:
    """Return a run_id in the form of its column, because PostgreSQL allows no NUL in text."""
    return run_id.replace("\\", "\\\\").replace("\0", "\\0")


def _pack(value: Any) -> bytes:
    return zlib.compress(text_exactly(value, partial(json.dumps, default=str)).encode())


def _unpacked(
    octets: bytes | None, otherwise: Any, loads: Callable[[bytes], Any] = json.loads
) -> Any:
    return otherwise if octets is None else loads(zlib.decompress(octets))


def _reason(error: Exception) -> str:
    """Return the database's error text, in one line."""
    original = getattr(error, "orig", None) or error
    return " ".join(str(original).split()) or type(original).__name__
