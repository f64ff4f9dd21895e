"""The archive itself: rows in, rows out. Blocking, synchronous, used from one thread at a time.

Its tables stand first, and how a database of an earlier version becomes one of this.
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
from tsvc.words import needs_extra

# The archive's tables, and how a database of an earlier version becomes one of this.
#
# Results are JSON text: what QueryTest answers is what is kept, so nothing has to be translated
# when a member is added. Columns beside it are what lists and retention need.


METADATA = MetaData()

# Of the kinds of databases beside SQLite: the driver, and the extra that installs it.
_DRIVERS = {
    "postgresql": ("psycopg", "postgresql"),
    "mysql": ("pymysql", "mysql"),
    "mariadb": ("pymysql", "mysql"),
    "oracle": ("oracledb", "oracle"),
}

LARGEST_ID = 2**63 - 1  # what a database can be asked for; SQLite's ids go up to it

VERSION_TABLE = Table("tsvc_archive", METADATA, Column("version", Integer, nullable=False))

RESULTS = Table(
    "tsvc_results",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String(256 * 4), nullable=False),
    Column("daemon", String(255), nullable=False),
    # The random id of the daemon's state folder; none in rows of before there were such ids.
    Column("owner", String(64)),
    Column("state", String(16), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("time_start", Float, nullable=False),
    Column("name", Text),  # of the definition; none in rows of before there was one
    Column("words", Text),  # what lists are searched for
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

# What probe() writes.
PROBES = Table("tsvc_probes", METADATA, Column("id", Integer), Column("octets", LargeBinary))
_PROBE_OCTETS = 64 * 1024  # takes pages that a full disk has not


def _add_owner(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE tsvc_results ADD COLUMN owner VARCHAR(64)"))
    PROBES.create(connection)


def _add_words(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE tsvc_results ADD COLUMN name TEXT"))
    connection.execute(text("ALTER TABLE tsvc_results ADD COLUMN words TEXT"))
    connection.execute(update(RESULTS).values(words=func.lower(RESULTS.c.run_id)))


# Version n -> what makes a database of version n one of version n + 1.
MIGRATIONS: dict[int, Callable[[Connection], None]] = {1: _add_owner, 2: _add_words}
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


PURGED_AT_ONCE = 500  # so that it takes no longer than a call may
IN_PROGRESS, COMPLETED, LOST = "in progress", "completed", "lost"
PARTS = ("definition", "messages")  # of a row, beside what every reader wants
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
    # JSON, as finish() was given it; [] of a run that is not completed, or if nobody wants them.
    messages: Any
    definition: Any  # JSON, as begin() was given it; None if nobody wants it
    is_waiting: bool = False  # it is not in the database yet


class Store:
    """Runs in a database."""

    def __init__(self, url: str, daemon: str, deadline_s: float = 5.0) -> None:
        """Open nothing yet. Errors: ArchiveError for a URL of no database that can be used.

        `daemon` is its name, for people. A call blocks for `deadline_s` at most where the database
        is reached by a driver that gevent can interrupt, or is locked; not where a disk hangs.
        """
        self._daemon = daemon
        self._owner = ""
        self._is_ours: ColumnElement[bool] = false()
        self._deadline_s = deadline_s
        # By whether get() looks for an id, and the parts that it returns: putting one together
        # takes longer than SQLite takes to find a row.
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

    def open(self, owner: str) -> int:
        """Prepare the tables and mark runs that nobody will finish; returns how many were lost.

        `owner` is the id of the state folder: rows of other owners are left alone.
        Errors: ArchiveError.
        """
        self._owner = owner
        # Rows of before there were owners go by the name of the daemon, as they always did.
        of_name = RESULTS.c.owner.is_(None) & (RESULTS.c.daemon == self._daemon)
        self._is_ours = (RESULTS.c.owner == owner) | of_name
        with self._transaction() as connection:
            prepare(connection)
            found = connection.execute(
                update(RESULTS)
                .where(RESULTS.c.state == IN_PROGRESS, self._is_ours)
                .values(state=LOST)
            )
            return int(found.rowcount)

    @contextmanager
    def _transaction(self, *, reads: bool = False) -> Iterator[Connection]:
        """Give a connection for the length of a transaction. Errors: ArchiveError.

        `reads`: for one SELECT.
        """
        # In the archive's own thread: a driver that waits by gevent is let go of at the deadline,
        # and SQLAlchemy closes a connection that was left in the middle. SQLite can't be.
        is_cut = self._engine.dialect.name != "sqlite"
        seconds = self._deadline_s if is_cut else None
        began = time.monotonic()
        try:
            begun = self._reading.connect() if reads else self._engine.begin()
            with Deadline(seconds, self._late), begun as connection:
                yield connection
        except (SQLAlchemyError, NewerDatabase, OSError) as error:
            # What a driver says that was let go of in the middle: "can't change autocommit now".
            is_late = is_cut and time.monotonic() - began >= self._deadline_s
            raise (self._late() if is_late else ArchiveError(_reason(error))) from None

    def _late(self) -> ArchiveError:
        return ArchiveError(too_late(self._deadline_s))

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    # -- writing -----------------------------------------------------------------------------

    def begin(self, summary: dict[str, Any], definition: Any) -> int:
        """Add a run that has just started; returns its result_id. Errors: ArchiveError."""
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
        """Take out a run that was not started after all. Errors: ArchiveError."""
        with self._transaction() as connection:
            connection.execute(delete(RESULTS).where(RESULTS.c.id == result_id))

    def snapshot(self, summaries: dict[int, dict[str, Any]]) -> None:
        """Keep what is known of runs in progress, by result_id. Errors: ArchiveError."""
        with self._transaction() as connection:
            for result_id, summary in summaries.items():
                row = update(RESULTS).where(
                    RESULTS.c.id == result_id, RESULTS.c.state == IN_PROGRESS
                )
                connection.execute(row.values(_as_known(summary)))

    def finish(
        self, result_id: int, summary: dict[str, Any], result: dict[str, Any], messages: Any
    ) -> bool:
        """Keep the result of a completed run; False if no such run of ours was begun here.

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
            # A record that waited may be of another database: its id is anybody's here.
            is_same = RESULTS.c.run_id == _key(summary["run_id"])
            statement = update(RESULTS).where(RESULTS.c.id == result_id, is_same, self._is_ours)
            return int(connection.execute(statement.values(values)).rowcount) == 1

    def probe(self, octets: int = _PROBE_OCTETS) -> None:
        """Write as much as a result takes, or a number of octets. Errors: ArchiveError."""
        # A row of ours: another daemon may be stopped in the middle of writing its own.
        ours = zlib.crc32(self._owner.encode()) & 0x7FFF_FFFF
        with self._transaction() as connection:
            connection.execute(delete(PROBES).where(PROBES.c.id == ours))
            connection.execute(insert(PROBES).values(id=ours, octets=os.urandom(octets)))

    def sweep(self, running: Collection[int]) -> int:
        """Take out our rows in progress but those: of runs that were never started after all.

        Returns how many there were. Errors: ArchiveError.
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
        """Remove runs of ours that began before a wall time, and all but the latest keep_runs.

        Returns how many; PURGED_AT_ONCE: there may be more. Errors: ArchiveError.
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
        """Return a run by result_id, else the latest of a run_id: ours, or there is none of ours.

        `parts`: those of PARTS that are wanted, which may be many times the rest.
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
        """Return the first row that is found, by column."""
        if self._engine.dialect.name != "sqlite":
            with self._transaction(reads=True) as connection:
                found = connection.execute(search.statement, wanted).mappings().first()
                return None if found is None else dict(found)
        # The driver alone: beside a busy loop SQLAlchemy's own work for one statement takes the
        # thread a millisecond, five times as long as SQLite (see tsvc.interpreter).
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
    """A statement, and what the driver is told of it: its text, values and their order."""

    statement: Select[Any]
    text: str
    values: Mapping[str, Any]
    order: tuple[str, ...]
    names: tuple[str, ...]  # of the columns


def _as_known(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that follow from a summary: a run begins a little after its row is made,
    or much later if its definition says when."""
    return {
        "verdict": summary["verdict"],
        "time_start": seconds(summary["time_start"]),
        "summary": json.dumps(summary),
    }


def _clauses(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    """Yield what Wanted.takes() says of a summary, for rows."""
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
    """A lost run says so, and did not pass; another has its state in the summary."""
    summary: dict[str, Any] = json.loads(text)
    if state == LOST:
        summary |= {"state": LOST, "completed": 1}
        summary["verdict"] = LOST_VERDICT.get(summary["verdict"], summary["verdict"])
    return summary


def _driver_wanted(url: str, error: ImportError) -> str:
    """Return what installs the driver of a database, or which one to name."""
    kind = url.partition(":")[0].partition("+")[0]
    if kind not in _DRIVERS:
        return str(error)
    package, extra = _DRIVERS[kind]
    if find_spec(package) is None:
        return needs_extra(package, extra)
    return f"{error}: the driver of tsvc is {package}, write {kind}+{package}://"


def too_late(deadline_s: float) -> str:
    """Return the reason of a call that took longer than it may."""
    return f"no answer within {deadline_s:g} s (results.deadline_s)"


def _engine(url: str, deadline_s: float) -> Engine:
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True)
    # One connection, moved between the threads of gevent's pool, which never use it at once.
    # Somebody else's lock is to be told as that, so it has to come before the deadline.
    engine = create_engine(
        url,
        poolclass=StaticPool,
        connect_args={"check_same_thread": False, "timeout": 0.8 * deadline_s},
    )
    database = engine.url.database or ""

    @event.listens_for(engine, "do_connect")
    def _private(*_: Any) -> None:
        if database and database != ":memory:" and not database.startswith("file:"):
            # -wal and -shm are made with the mode of the database.
            keep_private(database, *(f"{database}{more}" for more in ("-wal", "-shm")))

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
        # One SELECT is a transaction anyway; each statement lets go of the interpreter, which a
        # thread beside a busy loop gets back a tenth of a millisecond later.
        if not connection.get_execution_options().keys() & _READS.keys():
            connection.exec_driver_sql("BEGIN")

    return engine


def _key(run_id: str) -> str:
    """Return a run_id as its column holds it: PostgreSQL has no NUL in text."""
    return run_id.replace("\\", "\\\\").replace("\0", "\\0")


def _pack(value: Any) -> bytes:
    return zlib.compress(text_exactly(value, partial(json.dumps, default=str)).encode())


def _unpacked(
    octets: bytes | None, otherwise: Any, loads: Callable[[bytes], Any] = json.loads
) -> Any:
    return otherwise if octets is None else loads(zlib.decompress(octets))


def _reason(error: Exception) -> str:
    """Return the database's own words, in one line."""
    original = getattr(error, "orig", None) or error
    return " ".join(str(original).split()) or type(original).__name__
