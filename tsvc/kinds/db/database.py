"""What every kind of database does: connect, bound, read, stop, judge an error.

SQLAlchemy's dialects translate URLs and bind parameters and import the drivers; statements go to
the driver itself, so that rows can be taken as they come and no more of them than are allowed.
All of it blocks like the driver does; who calls decides where (see _threads).
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
_poll = monkey.get_original("select", "poll")  # it looks once and never waits


class Settings(Protocol):
    """What a session looks at of its gateway's table, DbConfig."""

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
    """One kind of database. `drivername`: as SQLAlchemy's URLs name it."""

    drivername: ClassVar[str]
    package: ClassVar[str]  # of the driver, as it is imported
    extra: ClassVar[str] = ""  # of this distribution, which installs the driver
    make: ClassVar[str]  # whose SQL it speaks: transactions.transaction_word()
    has_arrays: ClassVar[bool] = False
    blocks: ClassVar[bool] = False  # gevent can't make the driver wait cooperatively
    ping_sql: ClassVar[str] = "SELECT 1"
    grace_s: ClassVar[float] = 0.5  # for the server to keep the deadline before we do

    def __init__(self, url: URL, *, is_in_thread: bool) -> None:
        self.is_in_thread = is_in_thread  # where it may block
        class_ = url.get_dialect()
        self.dialect: Any = class_(dbapi=class_.import_dbapi())  # type: ignore[call-arg]  # any
        self.dbapi: Any = self.dialect.dbapi
        self._arguments: Any = self.dialect.create_connect_args(url)

    # -- a connection ------------------------------------------------------------------------

    def open(self, settings: Settings) -> Any:
        """Return a connection that is logged in and bounded. Blocks. Errors: the driver's."""
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
        """Return what each session performs first, and again after each reset."""
        protection = self.read_only_sql() if settings.read_only else []
        return [*self.bounds(connection, settings), *settings.after_login, *protection]

    def do(self, connection: Any, *statements: str) -> None:
        """Perform statements for their effect."""
        for sql in statements:
            with closing(connection.cursor()) as cursor:
                cursor.execute(sql)

    def bounds(self, connection: Any, settings: Settings) -> list[str]:
        """Return what makes the server itself stop a statement that takes too long."""
        return []

    def read_only_sql(self) -> list[str]:
        """Return what makes a session refuse to change data, after what follows the login."""
        return []

    def seal(self, connection: Any, settings: Settings) -> None:
        """Do what has to be done last."""

    def is_alive(self, connection: Any) -> bool:
        """Whether an idle connection is still there. Never blocks."""
        return not _has_input(self.fileno(connection))

    def interrupt(self, connection: Any) -> None:
        """End what another greenlet or thread waits for. Never blocks."""
        _shut_down(self.fileno(connection))

    def ends(self, connection: Any) -> Ends | None:
        """Return the ends of a connection to a server, None if it is none of IP."""
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
        """Return a connection on which nothing is left of what was done on this one: transactions,
        locks, settings, temporary tables, prepared statements. None: there is no way but to close
        it. Blocks. Errors: the driver's; it is to be closed then.
        """
        return None

    def in_transaction(self, connection: Any, *, is_refused: bool) -> bool | None:
        """Whether a transaction is in progress after a statement, None if that is not known.

        `is_refused`: the statement was, and that may have ended the transaction.
        """
        return None

    def begin(self, connection: Any, mode: Mode, settings: Settings) -> None:
        """Begin a transaction. Blocks. Errors: GatewayError for a mode that it has not, the
        driver's.
        """
        raise NotImplementedError

    def commit(self, connection: Any) -> None:
        """Keep what was done in the transaction. Blocks. Errors: the driver's."""
        connection.commit()

    def roll_back(self, connection: Any) -> None:
        """Undo it. Blocks. Errors: the driver's."""
        connection.rollback()

    # -- a statement -------------------------------------------------------------------------

    def fetch(
        self, connection: Any, prepared: Prepared, parameters: Any, settings: Settings
    ) -> tuple[list[Row], int]:
        """Return the rows of a statement in JSON's types, and how many they are.

        Errors: GatewayError for no rows at all or too many, and the driver's.
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
        """Perform a statement for its effect; return how many rows it changed."""
        with closing(connection.cursor()) as cursor:
            cursor.execute(prepared.sql, parameters)
            if cursor.description is not None or _has_more(cursor):
                raise GatewayError(ROWS)
            return max(int(cursor.rowcount), 0)

    def cursor(self, connection: Any) -> Any:
        """Return a cursor that takes rows as they come."""
        return connection.cursor()

    def abandon(self, cursor: Any) -> None:
        """Let go of a cursor whose statement failed. Never reads what is left of its rows."""

    def refusal(self, error: Exception) -> Refusal | None:
        """Return the database's own no, None for trouble of any other kind.

        Errors: OutOfTime if the server stopped the statement.
        """
        raise NotImplementedError


ROWS = 'the statement gives rows: its shape must be "rows", "row" or "value"'
NO_ROWS = 'the statement gives no rows: its shape must be "count"'


def milliseconds(settings: Settings) -> int:
    """Return how long a statement may take."""
    return max(1, round(settings.query_timeout_s * 1000))


def one_line(error: Exception) -> str:
    """Return what an error says in one line."""
    return " ".join(str(error).split())


def _rows_of(cursor: Any) -> Iterator[Any]:
    while rows := cursor.fetchmany(CHUNK):
        yield from rows


def take_rows(cursor: Any, rows: Iterable[Any], settings: Settings) -> list[Row]:
    """Return rows as dicts. Errors: GatewayError for too many, too large, or two of a name."""
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
    """Whether another result with rows follows, as a procedure may give. Blocks: to see it."""
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
    """Whether an idle socket has something to say: that is its end, or nothing we asked for."""
    if fileno < 0:
        return True
    poller = _poll()
    poller.register(fileno, POLLIN)
    return bool(poller.poll(0))


def _shut_down(fileno: int) -> None:
    with suppress(OSError), socket.socket(fileno=os.dup(fileno)) as twin:
        twin.shutdown(socket.SHUT_RDWR)
