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
from tsvc.kinds.db.transactions import HINT, Mode
from tsvc.transport.threads import Caller, OutOfTime

T = TypeVar("T")
_MOST_WORDS = 1000  # characters of a reason


class Session:
    """One connection. It can't be used after a failure; a refusal by the database is none."""

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
        self._is_begun = False  # a transaction, by begin()
        self.ends = database.ends(connection)

    def ask(self, statement: Statement, sql: Prepared, values: Mapping[str, Any]) -> QueryAnswer:
        """Perform a statement. Blocks: up to query_timeout_s and a little.

        Errors: GatewayError for a lost connection, a deadline, an answer of another shape, a
        statement that began or ended a transaction.
        """
        parameters = sql.parameters(values)
        database, connection, settings = self._database, self._connection, self._settings

        def perform() -> tuple[list[Row], int]:
            if statement.shape is Shape.COUNT:
                return [], database.change(connection, sql, parameters)
            return database.fetch(connection, sql, parameters, settings)

        found = self._asked(statement.name, perform, is_judged=True)
        return (
            QueryAnswer(refusal=found) if isinstance(found, Refusal) else shaped(statement, *found)
        )

    def ping(self) -> None:
        """Check that the database answers. Blocks: up to query_timeout_s. Errors: GatewayError."""
        ping = Statement("ping", self._database.ping_sql, {})
        answer = self.ask(ping, prepared(ping.sql, self._database.dialect), {})
        if answer.refusal is not None:
            raise GatewayError(f"ping: {answer.refusal.text}")

    # -- transactions ------------------------------------------------------------------------

    def begin(self, mode: Mode) -> Refusal | None:
        """Begin a transaction; it owns the session until reset(). Blocks and fails as ask()."""
        begun = self._asked("Begin", lambda: self._database.begin(*self._with(mode)))
        self._is_begun = not isinstance(begun, Refusal)
        return begun

    def commit(self) -> Refusal | None:
        """Commit the transaction. Blocks and fails as ask()."""
        return self._asked("Commit", lambda: self._database.commit(self._connection))

    def roll_back(self) -> Refusal | None:
        """Roll the transaction back. Blocks and fails as ask()."""
        return self._asked("Rollback", lambda: self._database.roll_back(self._connection))

    def reset(self) -> None:
        """Remove all traces of earlier use, or close the session. Blocks: up to query_timeout_s.

        Errors: none of the driver's: the session is closed instead.
        """
        seconds = self._settings.query_timeout_s + self._database.grace_s
        self._is_begun = False
        try:
            fresh = self._call(self._reset, seconds)
        except GatewayError:
            fresh = None
        if fresh is None:
            self.close()

    def _reset(self) -> Any:
        # Stored at once: the caller may have given up meanwhile, and close() must find the new
        # one.
        fresh = self._database.reset(self._connection, self._settings)
        if fresh is not None:
            self._connection = fresh
        return fresh

    def _with(self, mode: Mode) -> tuple[Any, Mode, Settings]:
        return self._connection, mode, self._settings

    def _asked(
        self, name: str, function: Callable[[], T], *, is_judged: bool = False
    ) -> T | Refusal:
        """Return the result of a function on the connection, or the refusal by the database."""
        database, connection = self._database, self._connection

        def perform() -> T | Refusal:
            found: T | Refusal
            try:
                found = function()
            except Exception as error:  # drivers raise whatever octets make them
                refusal = None if isinstance(error, GatewayError) else database.refusal(error)
                if refusal is None:
                    raise
                found = refusal
            if is_judged:
                self._judge(connection, found)
            return found

        try:
            return self._call(perform, self._settings.query_timeout_s + database.grace_s)
        except GatewayError as error:
            raise GatewayError(f"{name}: {error}") from None

    def _judge(self, connection: Any, found: object) -> None:
        """Refuse a statement that has begun or ended a transaction. Errors: GatewayError."""
        refusal = found if isinstance(found, Refusal) else None
        if refusal is not None and not self._is_begun:
            return  # the reset ends a transaction that it began
        is_in = self._database.in_transaction(connection, is_refused=refusal is not None)
        if is_in is None or is_in is self._is_begun:
            return
        if is_in:
            raise GatewayError(f"it began a transaction, which was rolled back: {HINT}")
        why = f", refusing it ({refusal.code}: {refusal.text})" if refusal else ""
        raise GatewayError(f"the database has ended the transaction{why}")

    def _call(self, function: Callable[[], T], seconds: float) -> T:
        def call() -> T:
            # Not earlier: a caller that gave up before a thread was free must not leave it busy.
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
            # An error of the driver itself: an error of the server about a value is a refusal.
            raise GatewayError(f"the driver can't carry a value: {reason_of(error)}") from None
        except Exception as error:  # noqa: BLE001 - drivers raise whatever octets make them
            raise GatewayError(f"connection lost: {reason_of(error)}") from None
        self._used_at = self._clock.now()
        return value

    # -- for the pool ------------------------------------------------------------------------

    def is_usable(self) -> bool:
        """Return True if the connection still exists, as far as is visible. Never switches."""
        if self._is_closed or self._is_busy:
            return False
        if self._clock.now() - self._used_at > self._max_idle_s:
            return False
        try:
            return self._database.is_alive(self._connection)
        except Exception:  # noqa: BLE001 - a driver that can't tell: not usable
            return False

    def close(self) -> None:
        """Close the connection; during a call, as soon as the call is over. Never raises."""
        self._is_closed = True
        if self._is_busy:
            # A connection must not be closed while a thread uses it.
            with suppress(Exception):
                self._database.interrupt(self._connection)
        else:
            self._end()

    def _end(self) -> None:
        with suppress(Exception):
            self._connection.close()


def reason_of(error: Exception) -> str:
    """Return the first message of a driver on one line, without the number in brackets."""
    args = error.args
    text = str(args[1]) if len(args) == 2 and isinstance(args[0], int) else str(error)
    # A server may have sent the same message a hundred thousand times.
    return " ".join(text[:_MOST_WORDS].split()) or type(error).__name__
