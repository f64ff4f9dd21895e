"""Kinds of databases: SQLite, MySQL and MariaDB, Oracle; PostgreSQL has a module of its own."""

import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from decimal import Decimal
from typing import Any
from weakref import WeakSet

from sqlalchemy.engine import URL

from tsvc.errors import GatewayError
from tsvc.kinds.db.database import Database, Settings, milliseconds, one_line
from tsvc.kinds.db.postgresql import Postgresql
from tsvc.kinds.db.statements import Prepared, Refusal, Row
from tsvc.kinds.db.transactions import Isolation, Mode
from tsvc.transport.threads import OutOfTime
from tsvc.words import quoted

_STEPS_BETWEEN_LOOKS = 10_000  # of SQLite's machine: a look costs some 0.1 % of a statement


class _Cut:
    """The end of all statements of a connection, once it `is_wanted`; SQLite calls it."""

    is_wanted = False

    def __call__(self) -> bool:
        return self.is_wanted


class _Connection(sqlite3.Connection):
    """A connection of SQLite. `traces` is not empty if a statement may have left traces on it.

    cut: an object of its own, so that the connection is in no reference cycle.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.traces: set[bool] = set()
        self.cut = _Cut()


class Sqlite(Database):
    """A file, or a database in memory, by the standard library."""

    drivername = "sqlite+pysqlite"
    package = "sqlite3"
    make = "sqlite"
    blocks = True
    ping_sql = "SELECT 1 FROM sqlite_master LIMIT 1"  # reads the file; connecting alone does not
    grace_s = 0.0

    def connect(self, settings: Settings) -> Any:
        (database, *_), options = self._arguments
        path = str(database)
        if path != ":memory:" and not path.startswith("file:"):
            mode = "ro" if settings.read_only else "rwc"
            path = f"file:{_quoted(os.path.abspath(path))}?mode={mode}"
        connection = self.dbapi.connect(
            path,
            **{**options, "uri": True, "check_same_thread": False},
            isolation_level=None,
            timeout=settings.query_timeout_s,
            factory=_Connection,
            cached_statements=0,  # otherwise the authorizer would not see a repeated statement
        )
        # interrupt() alone does nothing to a statement that is about to begin in its thread.
        connection.set_progress_handler(connection.cut, _STEPS_BETWEEN_LOOKS)
        return connection

    def bounds(self, connection: Any, settings: Settings) -> list[str]:
        return [self.ping_sql]

    def read_only_sql(self) -> list[str]:
        return ["PRAGMA query_only = ON"]

    def seal(self, connection: Any, settings: Settings) -> None:
        """Prevent SQL of a definition from removing the protection of the data."""
        if settings.read_only:
            connection.set_authorizer(_authorize)
        elif self._is_in_memory():
            connection.set_authorizer(_authorize_in_memory)
        else:
            connection.set_authorizer(_watch(connection.traces))

    def _is_in_memory(self) -> bool:
        return any(word in str(self._arguments[0][0]) for word in (":memory:", "mode=memory"))

    def reset(self, connection: Any, settings: Settings) -> Any:
        if connection.in_transaction:
            connection.rollback()
        if not connection.traces:
            return connection
        # Opened before the other is closed: the last connection to close a file removes its log.
        fresh = self.open(settings)
        connection.close()
        return fresh

    def in_transaction(self, connection: Any, *, is_refused: bool) -> bool:
        return bool(connection.in_transaction)

    def begin(self, connection: Any, mode: Mode, settings: Settings) -> None:
        if mode.isolation not in (None, Isolation.SERIALIZABLE):
            raise GatewayError("SQLite's transactions are serializable, all of them")
        if settings.read_only or mode.is_read_only:
            if not settings.read_only:
                self.do(connection, *self.read_only_sql())
            self.do(connection, "BEGIN")
        else:
            # Otherwise two transactions that have read could wait for each other to write.
            self.do(connection, "BEGIN IMMEDIATE")

    def is_alive(self, connection: Any) -> bool:
        return True

    def fetch(
        self, connection: Any, prepared: Prepared, parameters: Any, settings: Settings
    ) -> tuple[list[Row], int]:
        return super().fetch(connection, prepared, _stored(parameters), settings)

    def change(self, connection: Any, prepared: Prepared, parameters: Any) -> int:
        return super().change(connection, prepared, _stored(parameters))

    def abandon(self, cursor: Any) -> None:
        # A closed connection keeps its file open as long as there is a cursor. An error holds its
        # traceback, and the traceback holds the cursor.
        cursor.close()

    def interrupt(self, connection: Any) -> None:
        connection.cut.is_wanted = True
        connection.interrupt()

    def refusal(self, error: Exception) -> Refusal | None:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:
            if str(error).startswith(_SQLITE_VALUE):
                raise GatewayError(f"the driver can't carry a value: {error}") from None
            return None
        kind = code & 0xFF
        if kind in _SQLITE_LATE:
            raise OutOfTime(str(error))
        return None if kind in _SQLITE_BROKEN else Refusal(_name_of(error), str(error))


# Primary result codes: SQLITE_BUSY, SQLITE_LOCKED, SQLITE_INTERRUPT.
_SQLITE_LATE = frozenset({5, 6, 9})
# SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_NOTADB.
_SQLITE_BROKEN = frozenset({7, 10, 11, 13, 14, 26})
_SQLITE_OK, _SQLITE_DENY, _SQLITE_PRAGMA, _SQLITE_ATTACH, _SQLITE_FUNCTION = 0, 1, 19, 24, 31
# SQLITE_READ, SQLITE_SELECT, SQLITE_TRANSACTION, SQLITE_FUNCTION, SQLITE_SAVEPOINT,
# SQLITE_RECURSIVE: actions that leave nothing which a rollback does not undo.
_SQLITE_TRACELESS = frozenset({20, 21, 22, 31, 32, 33})
_SQLITE_TEMPORARY = frozenset({3, 4, 5, 6})  # SQLITE_CREATE_TEMP_…
_LAST_CHANGE = frozenset({"last_insert_rowid", "changes", "total_changes"})


# Messages of the module about a value, for which it has no error class.
_SQLITE_VALUE = ("Could not decode", "Error binding parameter")
_SQLITE_INTEGERS = range(-(1 << 63), 1 << 63)


def _stored(parameters: Any) -> Any:
    """Return parameters as SQLite stores them: it has integers and doubles, but no decimals."""
    if isinstance(parameters, Mapping):
        return {name: _number(value) for name, value in parameters.items()}
    return tuple(map(_number, parameters))


def _number(value: Any) -> Any:
    if not isinstance(value, Decimal):
        return value
    if value.is_nan():
        raise GatewayError("SQLite has no NaN: it would store null")
    is_integer = value.is_finite() and value.adjusted() < 20 and value == value.to_integral_value()
    return int(value) if is_integer and int(value) in _SQLITE_INTEGERS else float(value)


def _name_of(error: Exception) -> str:
    return str(getattr(error, "sqlite_errorname", ""))


def _authorize(action: int, first: str | None, second: str | None, *_: Any) -> int:
    if action == _SQLITE_ATTACH or (action == _SQLITE_PRAGMA and second is not None):
        return _SQLITE_DENY
    return _SQLITE_OK


def _authorize_in_memory(action: int, first: str | None, second: str | None, *_: Any) -> int:
    """Refuse what another user would notice: closing the connection would lose the data."""
    if action in _SQLITE_TEMPORARY or (action == _SQLITE_FUNCTION and second in _LAST_CHANGE):
        return _SQLITE_DENY
    return _authorize(action, first, second)


def _watch(traces: set[bool]) -> Callable[..., int]:
    def watch(action: int, *_: Any) -> int:
        if action not in _SQLITE_TRACELESS:
            traces.add(True)
        return _SQLITE_OK

    return watch


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


class Mysql(Database):
    """MySQL and MariaDB by PyMySQL, which is all Python."""

    drivername = "mysql+pymysql"
    package = "pymysql"
    distribution = "PyMySQL"
    make = "mysql"

    def connect(self, settings: Settings) -> Any:
        _, options = self._arguments
        late = settings.query_timeout_s + 5.0  # the last limit, for a call in a thread
        connection = self.dbapi.connect(
            **{
                "connect_timeout": settings.connect_timeout_s,
                "read_timeout": late,
                "write_timeout": late,
                **options,
            },
            autocommit=True,
        )
        connection.role_sql = self._role_sql(connection)
        return connection

    def reset(self, connection: Any, settings: Settings) -> Any:
        connection._execute_command(_COM_RESET_CONNECTION, b"")
        connection._read_ok_packet()
        # The reset does not restore the database, the roles and other settings of the login.
        if connection.db:
            connection.select_db(connection.db)
        elif self._value(connection, "SELECT DATABASE()") is not None:
            return None
        connection.set_character_set(connection.charset, connection.collation)
        connection.autocommit(True)
        again = [connection.role_sql] if connection.role_sql else []
        if connection.sql_mode is not None:
            again.append(f"SET sql_mode={connection.literal(connection.sql_mode)}")
        if connection.init_command is not None:
            again.append(connection.init_command)
        self.do(connection, *again, *self.login_sql(connection, settings))
        return connection

    def _role_sql(self, connection: Any) -> str:
        """Return SQL that restores the role of the login, "" if the server has no roles."""
        version = connection.get_server_info()
        if "MariaDB" not in version:
            return "SET ROLE DEFAULT" if int(version.split(".")[0]) >= 8 else ""
        role = self._value(connection, "SELECT CURRENT_ROLE()")
        return "SET ROLE NONE" if role is None else f"SET ROLE {connection.literal(role)}"

    def _value(self, connection: Any, sql: str) -> Any:
        with closing(connection.cursor()) as cursor:
            cursor.execute(sql)
            return cursor.fetchone()[0]

    def in_transaction(self, connection: Any, *, is_refused: bool) -> bool:
        if is_refused:
            connection.ping(reconnect=False)  # a refusal has no status; deadlocks end transactions
        return bool(connection.server_status & _SERVER_STATUS_IN_TRANS)

    def begin(self, connection: Any, mode: Mode, settings: Settings) -> None:
        if mode.isolation is not None:
            self.do(connection, f"SET TRANSACTION ISOLATION LEVEL {mode.isolation.value.upper()}")
        # Without autocommit nothing is stored if the server ends the transaction by itself.
        connection.autocommit(False)
        self.do(connection, f"START TRANSACTION{' READ ONLY' if mode.is_read_only else ''}")

    def bounds(self, connection: Any, settings: Settings) -> list[str]:
        if "MariaDB" in connection.get_server_info():
            return [f"SET SESSION max_statement_time = {settings.query_timeout_s:.3f}"]
        return [f"SET SESSION max_execution_time = {milliseconds(settings)}"]

    def read_only_sql(self) -> list[str]:
        return ["SET SESSION TRANSACTION READ ONLY"]

    def fileno(self, connection: Any) -> int:
        return int(connection._sock.fileno())

    def cursor(self, connection: Any) -> Any:
        return connection.cursor(self.dbapi.cursors.SSCursor)

    def fetch(
        self, connection: Any, prepared: Prepared, parameters: Any, settings: Settings
    ) -> tuple[list[Row], int]:
        try:
            return super().fetch(connection, prepared, parameters, settings)
        except BaseException:
            # Otherwise the destructor of an abandoned result would read the remaining rows.
            result = connection._result
            if result is not None:
                result.unbuffered_active = False
            raise

    def refusal(self, error: Exception) -> Refusal | None:
        code = error.args[0] if error.args else None
        if not isinstance(code, int) or not isinstance(error, self.dbapi.MySQLError):
            return None
        if code in _MYSQL_LATE:
            raise OutOfTime(f"the server stopped the statement: {error.args[-1]}")
        if 2000 <= code < 3000 or code in _MYSQL_LOST:
            return None
        return Refusal(str(code), str(error.args[-1]))


_COM_RESET_CONNECTION = 0x1F
_SERVER_STATUS_IN_TRANS = 1
# ER_QUERY_INTERRUPTED, ER_STATEMENT_TIMEOUT (MariaDB), ER_QUERY_TIMEOUT (MySQL).
_MYSQL_LATE = frozenset({1317, 1969, 3024})
# ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED, ER_CLIENT_INTERACTION_TIMEOUT.
_MYSQL_LOST = frozenset({1053, 1927, 4031})


class Oracle(Database):
    """Oracle by oracledb in its thin form, which is all Python."""

    drivername = "oracle+oracledb"
    package = "oracledb"
    distribution = "oracledb"
    make = "oracle"
    ping_sql = "SELECT 1 FROM DUAL"

    def __init__(self, url: URL, *, is_in_thread: bool) -> None:
        super().__init__(url, is_in_thread=is_in_thread)
        self._begun: WeakSet[Any] = WeakSet()  # connections in a transaction; closed after it

    def connect(self, settings: Settings) -> Any:
        _, options = self._arguments
        connection = self.dbapi.connect(
            **{"tcp_connect_timeout": settings.connect_timeout_s, **options}
        )
        connection.autocommit = not settings.read_only
        connection.call_timeout = milliseconds(settings)
        return connection

    def is_alive(self, connection: Any) -> bool:
        return bool(connection.is_healthy())

    def interrupt(self, connection: Any) -> None:
        connection.cancel()

    def fetch(
        self, connection: Any, prepared: Prepared, parameters: Any, settings: Settings
    ) -> tuple[list[Row], int]:
        if not settings.read_only or connection in self._begun:
            return super().fetch(connection, prepared, parameters, settings)
        # Oracle has read-only transactions, but no read-only sessions.
        with self._read_only(connection):
            return super().fetch(connection, prepared, parameters, settings)

    def change(self, connection: Any, prepared: Prepared, parameters: Any) -> int:
        if connection.autocommit or connection in self._begun:
            return super().change(connection, prepared, parameters)
        with self._read_only(connection):
            return super().change(connection, prepared, parameters)

    def begin(self, connection: Any, mode: Mode, settings: Settings) -> None:
        level = mode.isolation
        if level not in (None, Isolation.READ_COMMITTED, Isolation.SERIALIZABLE):
            raise GatewayError(f"Oracle has no isolation level {quoted(level.value)}")
        connection.autocommit = False
        self._begun.add(connection)
        if settings.read_only or mode.is_read_only:
            self.do(connection, "SET TRANSACTION READ ONLY")
        elif level is not None:
            self.do(connection, f"SET TRANSACTION ISOLATION LEVEL {level.value.upper()}")

    def _read_only(self, connection: Any) -> "_Transaction":
        return _Transaction(connection)

    def refusal(self, error: Exception) -> Refusal | None:
        detail = error.args[0] if error.args else None
        code = str(getattr(detail, "full_code", ""))
        if code == "DPY-4024":
            raise OutOfTime("the call took longer than allowed")
        if not code.startswith("ORA-") or self.dialect.is_disconnect(error, None, None):
            return None
        return Refusal(code, one_line(error))


class _Transaction:
    """A read-only transaction of Oracle, for the duration of a `with`."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        cursor = self._connection.cursor()
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.close()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or issubclass(kind, Exception):
            self._connection.rollback()


DATABASES: dict[str, type[Database]] = {
    "sqlite": Sqlite,
    "postgresql": Postgresql,
    "mysql": Mysql,
    "mariadb": Mysql,
    "oracle": Oracle,
}
