"""Common code of all kinds of databases: connect, limit, read, interrupt, classify errors.

SQLAlchemy's dialects translate URLs and bind parameters and import the drivers. Statements go
directly to the driver, so that rows can be read one by one and only as many as are allowed.
All of it blocks as the driver does; the caller decides where (see tsvc.transport.threads).
"""

import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from select import POLLIN
from typing import Any, ClassVar, Protocol

from gevent import monkey
from sqlalchemy.engine import URL

from tsvc.errors import GatewayError
from tsvc.kinds.db.statements import Prepared, Refusal, Row
from tsvc.kinds.db.transactions import Mode
from tsvc.kinds.db.values import json_value, octets_of
from tsvc.results.records import Ends
from tsvc.transport.driver import ends_of
from tsvc.words import quoted

CHUNK = 256  # rows that are taken at once
_poll = monkey.get_original("select", "poll")  # it checks once and never waits


class Settings(Protocol):
    """The members of DbConfig, the gateway's table, that a session reads."""

    @property
    def read_only(self) -> bool: ...

    @property
    def connect_timeout_s(self) -> float: ...

    @property
    def query_timeout_s(self) -> float: ...

    @property
    def max_rows(self) -> int: ...

    @property
    def max_octets(self) -> int: ...

    @property
    def after_login(self) -> tuple[str, ...]:
        """Statements that each session performs first."""


class Database:
    """One kind of database. `drivername`: its name in SQLAlchemy's URLs."""

    drivername: ClassVar[str]
    package: ClassVar[str]  # of the driver, as it is imported
    distribution: ClassVar[str] = ""  # that pip installs for the driver
    make: ClassVar[str]  # the dialect of its SQL: transactions.transaction_word()
    has_arrays: ClassVar[bool] = False
    blocks: ClassVar[bool] = False  # gevent can't make the driver wait cooperatively
    ping_sql: ClassVar[str] = "SELECT 1"
    grace_s: ClassVar[float] = 0.5  # for the server to apply the deadline before tsvc does

    def __init__(self, url: URL, *, is_in_thread: bool) -> None:
        self.is_in_thread = is_in_thread  # then it may block
        class_ = url.get_dialect()
        self.dialect: Any = class_(dbapi=class_.import_dbapi())  # type: ignore[call-arg]  # any
        self.dbapi: Any = self.dialect.dbapi
        self._arguments: Any = self.dialect.create_connect_args(url)

    # -- a connection ------------------------------------------------------------------------

    def open(self, settings: Settings) -> Any:
        """Return a connection that is logged in and limited. Blocks. Errors: the driver's."""
        connection = self.connect(settings)
        try:
            self.do(connection, *self.login_sql(connection, settings))
            self.seal(connection, settings)
        except BaseException:
            with suppress(Exception):
                connection.close()
            raise
        return connection

    def connect(self, settings: Settings) -> Any:
        """Return a connection of the driver."""
        raise NotImplementedError

    def login_sql(self, connection: Any, settings: Settings) -> list[str]:
        """Return the SQL that each session performs first, and again after each reset."""
        protection = self.read_only_sql() if settings.read_only else []
        return [*self.bounds(connection, settings), *settings.after_login, *protection]

    def do(self, connection: Any, *statements: str) -> None:
        """Perform statements for their effect."""
        for sql in statements:
            with closing(connection.cursor()) as cursor:
                cursor.execute(sql)

    def bounds(self, connection: Any, settings: Settings) -> list[str]:
        """Return SQL that makes the server itself stop a statement that takes too long."""
        return []

    def read_only_sql(self) -> list[str]:
        """Return SQL that makes a session refuse changes; it runs last in the login."""
        return []

    def seal(self, connection: Any, settings: Settings) -> None:
        """Apply the last protection of a session."""

    def is_alive(self, connection: Any) -> bool:
        """Return True if an idle connection still exists. Never blocks."""
        return not _has_input(self.fileno(connection))

    def interrupt(self, connection: Any) -> None:
        """End the wait of another greenlet or thread. Never blocks."""
        _shut_down(self.fileno(connection))

    def ends(self, connection: Any) -> Ends | None:
        """Return the ends of a connection to a server, None if it does not use IP."""
        try:
            with socket.socket(fileno=os.dup(self.fileno(connection))) as twin:
                return ends_of(twin, "db")
        except (OSError, NotImplementedError):
            return None

    def fileno(self, connection: Any) -> int:
        """Return the descriptor of a connection's socket."""
        raise NotImplementedError

    # -- between users ------------------------------------------------------------------------

    def reset(self, connection: Any, settings: Settings) -> Any:
        """Return a connection without traces of earlier use: transactions, locks, settings,
        temporary tables, prepared statements. None: the connection can only be closed. Blocks.
        Errors: the driver's; the connection must be closed then.
        """
        return None

    def in_transaction(self, connection: Any, *, is_refused: bool) -> bool | None:
        """Return True if a transaction is in progress after a statement, None if unknown.

        `is_refused`: the statement was refused, which may have ended the transaction.
        """
        return None

    def begin(self, connection: Any, mode: Mode, settings: Settings) -> None:
        """Begin a transaction. Blocks. Errors: GatewayError for an unsupported mode, the
        driver's.
        """
        raise NotImplementedError

    def commit(self, connection: Any) -> None:
        """Commit the transaction. Blocks. Errors: the driver's."""
        connection.commit()

    def roll_back(self, connection: Any) -> None:
        """Roll the transaction back. Blocks. Errors: the driver's."""
        connection.rollback()

    # -- a statement -------------------------------------------------------------------------

    def fetch(
        self, connection: Any, prepared: Prepared, parameters: Any, settings: Settings
    ) -> tuple[list[Row], int]:
        """Return the rows of a statement in JSON's types, and their number.

        Errors: GatewayError if the statement gives no rows or too many, and the driver's.
        """
        cursor = self.cursor(connection)
        try:
            cursor.execute(prepared.sql, parameters)
            if cursor.description is None:
                raise GatewayError(NO_ROWS)
            rows = take_rows(cursor, _rows_of(cursor), settings)
            if _has_more(cursor):
                raise GatewayError(
                    "the statement gives more than one result, and only one is read"
                )
        except BaseException:
            self.abandon(cursor)
            raise
        cursor.close()
        return rows, len(rows)

    def change(self, connection: Any, prepared: Prepared, parameters: Any) -> int:
        """Perform a statement for its effect. Return the number of rows that it changed."""
        with closing(connection.cursor()) as cursor:
            cursor.execute(prepared.sql, parameters)
            if cursor.description is not None or _has_more(cursor):
                raise GatewayError(ROWS)
            return max(int(cursor.rowcount), 0)

    def cursor(self, connection: Any) -> Any:
        """Return a cursor that reads rows one by one."""
        return connection.cursor()

    def abandon(self, cursor: Any) -> None:
        """Drop a cursor whose statement failed. Never reads its remaining rows."""

    def refusal(self, error: Exception) -> Refusal | None:
        """Return the refusal by the database, None for any other error.

        Errors: OutOfTime if the server stopped the statement.
        """
        raise NotImplementedError


ROWS = 'the statement gives rows: its shape must be "rows", "row" or "value"'
NO_ROWS = 'the statement gives no rows: its shape must be "count"'


def milliseconds(settings: Settings) -> int:
    """Return the longest duration of a statement in milliseconds."""
    return max(1, round(settings.query_timeout_s * 1000))


def one_line(error: Exception) -> str:
    """Return the message of an error on one line."""
    return " ".join(str(error).split())


def _rows_of(cursor: Any) -> Iterator[Any]:
    while rows := cursor.fetchmany(CHUNK):
        yield from rows


def take_rows(cursor: Any, rows: Iterable[Any], settings: Settings) -> list[Row]:
    """Return rows as dicts. Errors: GatewayError for too many, too large, or duplicate names."""
    found: list[Row] = []
    names: list[str] = []
    octets = 0
    for row in islice(rows, settings.max_rows + 1):
        if len(found) == settings.max_rows:
            raise GatewayError(f"more than max_rows = {settings.max_rows} rows")
        names = names or _names_of(cursor)
        values = dict(zip(names, map(json_value, row), strict=True))
        octets += octets_of(values)
        if octets > settings.max_octets:
            raise GatewayError(f"more than max_octets = {settings.max_octets} octets")
        found.append(values)
    return found


def _has_more(cursor: Any) -> bool:
    """Return True if another result with rows follows, as with a procedure. Blocks: to read it."""
    advance = getattr(cursor, "nextset", None)
    while advance is not None and advance():
        if cursor.description is not None:
            return True
    return False


def _names_of(cursor: Any) -> list[str]:
    names = [str(column[0]) for column in cursor.description]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise GatewayError(f"two columns are named {quoted(twice[0])}: name them apart with AS")
    return names


def _has_input(fileno: int) -> bool:
    """Return True if an idle socket has input: either its end, or data that was not asked for."""
    if fileno < 0:
        return True
    poller = _poll()
    poller.register(fileno, POLLIN)
    return bool(poller.poll(0))


def _shut_down(fileno: int) -> None:
    with suppress(OSError), socket.socket(fileno=os.dup(fileno)) as twin:
        twin.shutdown(socket.SHUT_RDWR)
