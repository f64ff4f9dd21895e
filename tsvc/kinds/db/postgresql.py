"""PostgreSQL by psycopg 3."""

import socket
from typing import Any

from gevent import socket as cooperative
from sqlalchemy.engine import URL

from tsvc.errors import GatewayError, failure
from tsvc.kinds.db.database import (
    CHUNK,
    NO_ROWS,
    Database,
    Settings,
    milliseconds,
    one_line,
    take_rows,
)
from tsvc.kinds.db.statements import Prepared, Refusal, Row
from tsvc.kinds.db.transactions import Mode
from tsvc.numbers import loads_exactly
from tsvc.transport.threads import OutOfTime

_IDLE, _IN_ERROR = 0, 3  # of PGTransactionStatusType, libpq-fe.h
_RANGES = (
    *("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"),
    *("int4multirange", "int8multirange", "nummultirange", "datemultirange"),
    *("tsmultirange", "tstzmultirange"),
)
# The parts of DISCARD ALL, which can't be sent with others (PostgreSQL 17, SQL command DISCARD).
_CLEAN = (
    "CLOSE ALL",
    "SET SESSION AUTHORIZATION DEFAULT",
    "RESET ALL",
    "DEALLOCATE ALL",
    "UNLISTEN *",
    "SELECT pg_advisory_unlock_all()",
    "DISCARD PLANS",
    "DISCARD TEMP",
    "DISCARD SEQUENCES",
)


class Postgresql(Database):
    """PostgreSQL by psycopg 3, which waits cooperatively under gevent."""

    drivername = "postgresql+psycopg"
    package = "psycopg"
    distribution = "psycopg[binary]"
    make = "postgresql"
    has_arrays = True

    def __init__(self, url: URL, *, is_in_thread: bool) -> None:
        super().__init__(url, is_in_thread=is_in_thread)
        self._class = _postgresql_connection()
        self._loaders = _loaders()
        self._set_json_loads = _json_setter()

    def connect(self, settings: Settings) -> Any:
        _, options = self._arguments
        options = {"connect_timeout": max(2, round(settings.connect_timeout_s)), **options}
        host = options.get("host", "")
        if host and not self.is_in_thread and "hostaddr" not in options:
            options |= _address(host)
        # The driver prepares nothing by itself: a reset would forget that only at the server.
        connection = self._class.connect(**options, autocommit=True, prepare_threshold=None)
        for type_name, loader in self._loaders.items():
            connection.adapters.register_loader(type_name, loader)
        self._set_json_loads(loads_exactly, connection)
        return connection

    def bounds(self, connection: Any, settings: Settings) -> list[str]:
        return [f"SET statement_timeout = {milliseconds(settings)}"]

    def read_only_sql(self) -> list[str]:
        return ["SET default_transaction_read_only = on"]

    def fileno(self, connection: Any) -> int:
        return int(connection.fileno())

    def reset(self, connection: Any, settings: Settings) -> Any:
        if self.in_transaction(connection, is_refused=False):
            connection.rollback()
        # One message to the server and one answer.
        self.do(connection, "\n;".join([*_CLEAN, *self.login_sql(connection, settings)]))
        return connection

    def in_transaction(self, connection: Any, *, is_refused: bool) -> bool:
        return int(connection.pgconn.transaction_status) != _IDLE

    def begin(self, connection: Any, mode: Mode, settings: Settings) -> None:
        level = f" ISOLATION LEVEL {mode.isolation.value.upper()}" if mode.isolation else ""
        self.do(connection, f"BEGIN{level}{' READ ONLY' if mode.is_read_only else ''}")

    def commit(self, connection: Any) -> None:
        if int(connection.pgconn.transaction_status) == _IN_ERROR:
            # The server would answer ROLLBACK, and nobody would notice.
            raise GatewayError("a statement of the transaction was refused, so nothing is kept")
        connection.commit()

    def fetch(
        self, connection: Any, prepared: Prepared, parameters: Any, settings: Settings
    ) -> tuple[list[Row], int]:
        # Streamed: execute() would first load the whole result, of any size.
        cursor = connection.cursor()
        try:
            rows = cursor.stream(prepared.sql, parameters, size=_chunk_size())
            found = take_rows(cursor, rows, settings)
        except self.dbapi.ProgrammingError as error:
            if error.sqlstate is None and cursor.description is None:
                raise GatewayError(NO_ROWS) from None
            raise
        except GatewayError:
            # Otherwise the generator would cancel the statement and wait for that when it is
            # dropped.
            connection.pgconn.finish()
            raise
        return found, len(found)

    def refusal(self, error: Exception) -> Refusal | None:
        code = getattr(error, "sqlstate", None)
        if code is None or code.startswith(("08", "57P")):
            return None  # of the connection, or the server shuts down
        if code == "57014":
            raise OutOfTime("the server cancelled the statement")
        diagnosis = getattr(error, "diag", None)
        return Refusal(code, getattr(diagnosis, "message_primary", None) or one_line(error))


def _postgresql_connection() -> Any:
    import psycopg

    class Connection(psycopg.Connection[Any]):
        """A connection that is closed immediately when its greenlet is interrupted."""

        def wait(self, *args: Any, **kwargs: Any) -> Any:
            try:
                return super().wait(*args, **kwargs)
            except BaseException as interruption:
                if not isinstance(interruption, Exception):
                    # Otherwise stream() would wait, without a deadline, for the remaining rows.
                    self.pgconn.finish()
                raise

    return Connection


def _json_setter() -> Any:
    from psycopg.types.json import set_json_loads

    return set_json_loads


def _loaders() -> dict[str, type]:
    """Return loaders for types that the driver reads in another way than the database defines.

    Times that Python does not have (infinity, 20000, 24:00) are returned as text, ranges always:
    an open end would be a None in them.
    """
    from psycopg import DataError
    from psycopg.types import datetime as types
    from psycopg.types.string import TextLoader

    def tolerant(class_: Any) -> type:
        class Loader(class_):  # type: ignore[misc]  # the driver is known at run time only
            def load(self, data: Any) -> Any:
                try:
                    return super().load(data)
                except DataError:
                    return bytes(data).decode()

        return Loader

    return {
        **dict.fromkeys(_RANGES, TextLoader),
        "date": tolerant(types.DateLoader),
        "time": tolerant(types.TimeLoader),
        "timetz": tolerant(types.TimetzLoader),
        "timestamp": tolerant(types.TimestampLoader),
        "timestamptz": tolerant(types.TimestamptzLoader),
        "interval": tolerant(types.IntervalLoader),
    }


def _chunk_size() -> int:
    import psycopg

    return CHUNK if psycopg.capabilities.has_stream_chunked() else 1


def _address(host: str) -> dict[str, str]:
    """Return the address of a host name: libpq would block the event loop to look it up."""
    if "," in host or host.startswith("/"):
        return {}
    try:
        found = cooperative.getaddrinfo(host, None, 0, socket.SOCK_STREAM)
    except OSError as error:
        raise failure(host, error) from None
    return {"hostaddr": str(found[0][4][0])}
