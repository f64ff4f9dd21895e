"""The kinds of databases: SQLite, MySQL and MariaDB, Oracle; PostgreSQL has a file of its own."""

import os
from typing import Any

from tsvc.kinds.db.database import Database, Settings, milliseconds, one_line
from tsvc.kinds.db.postgresql import Postgresql
from tsvc.kinds.db.statements import Prepared, Refusal, Row
from tsvc.transport.threads import OutOfTime


class Sqlite(Database):
    """A file, or a database in memory, by the standard library."""

    drivername = "sqlite+pysqlite"
    package = "sqlite3"
    blocks = True
    ping_sql = "SELECT 1 FROM sqlite_master LIMIT 1"  # looks into the file, as connecting doesn't
    grace_s = 0.0

    def connect(self, settings: Settings) -> Any:
        (database, *_), options = self._arguments
        path = str(database)
        if path != ":memory:" and not path.startswith("file:"):
            mode = "ro" if settings.read_only else "rwc"
            path = f"file:{_quoted(os.path.abspath(path))}?mode={mode}"
        return self.dbapi.connect(
            path,
            **{**options, "uri": True, "check_same_thread": False},
            isolation_level=None,
            timeout=settings.query_timeout_s,
        )

    def bounds(self, connection: Any, settings: Settings) -> list[str]:
        return [self.ping_sql]

    def read_only_sql(self) -> list[str]:
        return ["PRAGMA query_only = ON"]

    def seal(self, connection: Any, settings: Settings) -> None:
        """Let no SQL of a definition lift what protects the data."""
        if settings.read_only:
            connection.set_authorizer(_authorize)

    def is_alive(self, connection: Any) -> bool:
        return True

    def abandon(self, cursor: Any) -> None:
        # A closed connection keeps its file open as long as there is a cursor, and whoever holds
        # the error holds its traceback, and the cursor with it.
        cursor.close()

    def interrupt(self, connection: Any) -> None:
        connection.interrupt()

    def refusal(self, error: Exception) -> Refusal | None:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:
            return None
        kind = code & 0xFF
        if kind in _SQLITE_LATE:
            raise OutOfTime(str(error))
        return None if kind in _SQLITE_BROKEN else Refusal(_name_of(error), str(error))


# Primary result codes: SQLITE_BUSY, SQLITE_LOCKED, SQLITE_INTERRUPT.
_SQLITE_LATE = frozenset({5, 6, 9})
# SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_NOTADB.
_SQLITE_BROKEN = frozenset({7, 10, 11, 13, 14, 26})
_SQLITE_OK, _SQLITE_DENY, _SQLITE_PRAGMA, _SQLITE_ATTACH = 0, 1, 19, 24


def _name_of(error: Exception) -> str:
    return str(getattr(error, "sqlite_errorname", ""))


def _authorize(action: int, first: str | None, second: str | None, *_: Any) -> int:
    if action == _SQLITE_ATTACH or (action == _SQLITE_PRAGMA and second is not None):
        return _SQLITE_DENY
    return _SQLITE_OK


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


class Mysql(Database):
    """MySQL and MariaDB by PyMySQL, which is all Python."""

    drivername = "mysql+pymysql"
    package = "pymysql"
    extra = "mysql"

    def connect(self, settings: Settings) -> Any:
        _, options = self._arguments
        late = settings.query_timeout_s + 5.0  # the last resort of a call in a thread
        return self.dbapi.connect(
            **{
                "connect_timeout": settings.connect_timeout_s,
                "read_timeout": late,
                "write_timeout": late,
                **options,
            },
            autocommit=True,
        )

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
            # Else the destructor of a result that is given up would read the rest of it.
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


# ER_QUERY_INTERRUPTED, ER_STATEMENT_TIMEOUT (MariaDB), ER_QUERY_TIMEOUT (MySQL).
_MYSQL_LATE = frozenset({1317, 1969, 3024})
# ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED, ER_CLIENT_INTERACTION_TIMEOUT.
_MYSQL_LOST = frozenset({1053, 1927, 4031})


class Oracle(Database):
    """Oracle by oracledb in its thin form, which is all Python."""

    drivername = "oracle+oracledb"
    package = "oracledb"
    extra = "oracle"
    ping_sql = "SELECT 1 FROM DUAL"

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
        if not settings.read_only:
            return super().fetch(connection, prepared, parameters, settings)
        # Oracle knows read-only transactions, but no such sessions.
        with self._read_only(connection):
            return super().fetch(connection, prepared, parameters, settings)

    def change(self, connection: Any, prepared: Prepared, parameters: Any) -> int:
        if connection.autocommit:
            return super().change(connection, prepared, parameters)
        with self._read_only(connection):
            return super().change(connection, prepared, parameters)

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
    """A read-only transaction of Oracle, for the length of a `with`."""

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
