"""A session of a database: one connection, for one statement at a time."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from tsvc.clock import Clock
from tsvc.errors import GatewayError
from tsvc.kinds.db.database import Database, Settings
from tsvc.kinds.db.statements import (
    Prepared,
    QueryAnswer,
    Refusal,
    Row,
    Shape,
    Statement,
    prepared,
    shaped,
)
from tsvc.transport.threads import Caller, OutOfTime

T = TypeVar("T")
_MOST_WORDS = 1000  # characters of a reason


class Session:
    """One connection. It is used up by the first trouble; a refusal of the database is none."""

    def __init__(
        self,
        database: Database,
        connection: Any,
        settings: Settings,
        caller: Caller,
        clock: Clock,
        max_idle_s: float,
    ) -> None:
        self._database = database
        self._connection = connection
        self._settings = settings
        self._caller = caller
        self._clock = clock
        self._max_idle_s = max_idle_s
        self._used_at = clock.now()
        self._is_busy = False
        self._is_closed = False
        self.ends = database.ends(connection)

    def ask(self, statement: Statement, sql: Prepared, values: Mapping[str, Any]) -> QueryAnswer:
        """Perform a statement. Blocks: up to query_timeout_s and a little.

        Errors: GatewayError for a lost connection, a deadline, an answer of another shape.
        """
        parameters = sql.parameters(values)
        database, connection, settings = self._database, self._connection, self._settings

        def perform() -> tuple[list[Row], int] | Refusal:
            try:
                if statement.shape is Shape.COUNT:
                    return [], database.change(connection, sql, parameters)
                return database.fetch(connection, sql, parameters, settings)
            except Exception as error:  # drivers raise whatever octets make them
                refusal = None if isinstance(error, GatewayError) else database.refusal(error)
                if refusal is None:
                    raise
                return refusal

        try:
            found = self._call(perform, settings.query_timeout_s + database.grace_s)
        except GatewayError as error:
            raise GatewayError(f"{statement.name}: {error}") from None
        if isinstance(found, Refusal):
            return QueryAnswer(refusal=found)
        return shaped(statement, *found)

    def ping(self) -> None:
        """Ask for a sign of life. Blocks: up to query_timeout_s. Errors: GatewayError."""
        ping = Statement("ping", self._database.ping_sql, {})
        answer = self.ask(ping, prepared(ping.sql, self._database.dialect), {})
        if answer.refusal is not None:
            raise GatewayError(f"ping: {answer.refusal.text}")

    def _call(self, function: Callable[[], T], seconds: float) -> T:
        def call() -> T:
            # From here on, not before: who gave up before a thread was free leaves nothing busy.
            self._is_busy = True
            try:
                if self._is_closed:
                    raise GatewayError("the session is closed")
                return function()
            finally:
                self._is_busy = False
                if self._is_closed:
                    self._end()

        try:
            value = self._caller.call(call, seconds)
        except OutOfTime:
            limit = self._settings.query_timeout_s
            raise GatewayError(f"no answer within {limit:g} s") from None
        except GatewayError:
            raise
        except (OverflowError, UnicodeError, self._database.dbapi.DataError) as error:
            # Of the driver itself: what the server says of a value is a refusal.
            raise GatewayError(f"the driver can't carry a value: {reason_of(error)}") from None
        except Exception as error:  # noqa: BLE001 - drivers raise whatever octets make them
            raise GatewayError(f"connection lost: {reason_of(error)}") from None
        self._used_at = self._clock.now()
        return value

    # -- for the pool ------------------------------------------------------------------------

    def is_usable(self) -> bool:
        """Whether it is still there, as far as can be seen. Never switches."""
        if self._is_closed or self._is_busy:
            return False
        if self._clock.now() - self._used_at > self._max_idle_s:
            return False
        try:
            return self._database.is_alive(self._connection)
        except Exception:  # noqa: BLE001 - a driver that can't say: no
            return False

    def close(self) -> None:
        """Close it; under a call in progress, as soon as that is over. Never raises."""
        self._is_closed = True
        if self._is_busy:
            # What is used in a thread must not be closed under it.
            with suppress(Exception):
                self._database.interrupt(self._connection)
        else:
            self._end()

    def _end(self) -> None:
        with suppress(Exception):
            self._connection.close()


def reason_of(error: Exception) -> str:
    """Return a driver's words in one line, the first of many, without its number's brackets."""
    args = error.args
    text = str(args[1]) if len(args) == 2 and isinstance(args[0], int) else str(error)
    # A server may have said a hundred thousand times the same.
    return " ".join(text[:_MOST_WORDS].split()) or type(error).__name__
