"""The db gateway: statements to a database, over a pool of sessions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext, GatewayStatus, gateway
from tsvc.gateways.pooled import PooledGateway
from tsvc.kinds.db.config import (
    QUERY,
    TRANSACTION,
    DbConfig,
    database_of,
    is_in_memory,
    transaction_problem,
    url_of,
)
from tsvc.kinds.db.database import Database
from tsvc.kinds.db.session import Session, reason_of
from tsvc.kinds.db.statements import (
    Prepared,
    QueryAnswer,
    Refusal,
    Shape,
    Statement,
    bind_names,
    prepared,
)
from tsvc.kinds.db.transactions import Mode
from tsvc.memo import Memo
from tsvc.results.records import Ends
from tsvc.transport.pool import Pool
from tsvc.transport.threads import Caller, InGreenlet, InThreads, OutOfTime
from tsvc.words import did_you_mean

_SESSIONS = 4
_KEPT_SQL = 1000  # statements whose translation is cached
_LISTED = 5  # sessions that are held
_LOGIN_S = 5.0  # for the statements after the connection: limits, post_login_sql


@gateway("db")
class DbGateway(PooledGateway):
    """Statements and their rows; a session carries one statement at a time."""

    Config = DbConfig
    config: DbConfig

    def __init__(self, name: str, config: DbConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._url = url_of(config)
        kind = database_of(self._url)
        is_in_thread = kind.blocks if config.blocking is None else config.blocking
        self._database: Database = kind(self._url, is_in_thread=is_in_thread)
        self._size = config.pool or (1 if is_in_memory(self._url) else _SESSIONS)
        self._statements = {name: one.statement(name) for name, one in config.statements.items()}
        self._prepared: Memo[str, Prepared] = Memo("statements, translated", _KEPT_SQL)
        # One more than sessions: a login must find a free thread while all sessions are in use.
        self._threads = InThreads(self._size + 1) if is_in_thread else None
        self._caller: Caller = self._threads or InGreenlet()
        self._pool = Pool(self._connect, self._size, config.backlog_timeout_s, Session.reset)
        self.held: set[HeldSession] = set()
        self._ping_at = context.clock.now() + config.ping_interval_s
        self._counters = {"statements": 0, "refusals": 0, "failures": 0, "connects": 0}

    # -- life --------------------------------------------------------------------------------

    @property
    def pool(self) -> Pool[Any]:
        return self._pool

    levels = frozenset({"held", "threads"})

    def counters(self) -> Mapping[str, int]:
        counters = {**self._counters, "held": len(self.held)}
        return counters if self._threads is None else {**counters, "threads": self._threads.busy}

    def kill(self) -> None:
        super().kill()
        self._caller.close()

    def status(self) -> GatewayStatus:
        status = super().status()
        if not self.held or status.detail:
            return status
        listed = sorted(self.held, key=lambda one: one.since)
        now = self.context.clock.now()
        first = ", ".join(f"{one.holder} for {now - one.since:.0f} s" for one in listed[:_LISTED])
        more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
        return replace(status, detail=f"sessions are held by {first}{more}")

    def look(self) -> None:
        """Make sure that there is a session, and from time to time that one answers."""
        self._pool.warm()
        now = self.context.clock.now()
        # If all sessions are busy, the database is known to answer.
        if now >= self._ping_at and not self._pool.is_busy:
            self._ping_at = now + self.config.ping_interval_s
            with self._pool.lease() as session:
                session.ping()

    # -- for operations ----------------------------------------------------------------------

    def method_problem(self, method: str, given: Iterable[str] | None = None) -> str | None:
        """Return why a method can't be performed, None if it can.

        `given`: names of the values to bind, if they must be checked too.
        """
        if method == QUERY:
            return None if self.config.allow_sql else f"{self.name} has not set allow_sql"
        if method in TRANSACTION:
            return None
        statement = self._statements.get(method)
        if statement is None:
            hint = did_you_mean(method, self._statements)
            table = f'[application."{self.name}".statements.{method}]'
            return f"{self.name} has no statement {method}: write it in {table}{hint}"
        if given is None:
            return None
        names = set(given)
        missing = [name for name in statement.binds if name not in names]
        if missing:
            return f"{method} needs {', '.join(missing)}"
        for name in names.difference(statement.binds):
            return f"{method} takes no {name}{did_you_mean(name, statement.binds)}"
        return None

    def statement(self, method: str) -> Statement:
        """Return a configured statement. Errors: GatewayError."""
        problem = self.method_problem(method)
        if problem is not None:
            raise GatewayError(problem)
        return self._statements[method]

    def query(self, sql: str, shape: Shape) -> Statement:
        """Return SQL of a definition as a statement. Errors: GatewayError without allow_sql."""
        problem = self.method_problem(QUERY)
        if problem is not None:
            raise GatewayError(problem)
        try:
            return Statement(QUERY, sql, dict.fromkeys(bind_names(sql)), shape)
        except ValueError as error:
            raise GatewayError(f"{QUERY}: the sql can't be read: {error}") from None

    @property
    def has_arrays(self) -> bool:
        """True if an array can be bound."""
        return self._database.has_arrays

    def sql_problem(self, sql: str) -> str | None:
        """Return why SQL of a definition can't be performed here, None if it can."""
        return transaction_problem(sql, self._database.make)

    def perform(
        self,
        statement: Statement,
        given: Mapping[str, Any],
        asked: Callable[[Ends | None], None] | None = None,
        answered: Callable[[QueryAnswer], None] | None = None,
        held: "HeldSession | None" = None,
    ) -> QueryAnswer:
        """Perform a statement with these values; the answer may be a refusal by the database.

        `asked` is called with the ends of the connection before the statement is sent, `answered`
        with the answer before the session is reset. `held`: the session that Begin has taken.

        Blocks: for a session up to backlog_timeout_s, for the answer up to query_timeout_s, and as
        long again for the reset.
        Errors: GatewayError if there is no session, no answer, or an answer of another shape.
        """
        if held is None:
            self.require_up()
        values = statement.values(given, has_arrays=self.has_arrays)
        sql = self._translated(statement.sql)

        def ask(session: Session) -> QueryAnswer:
            if asked is not None:
                asked(session.ends)
            answer = session.ask(statement, sql, values)
            if answered is not None:
                answered(answer)
            return answer

        with self._counted():
            if held is None:
                with self._lease() as session:
                    answer = ask(session)
            else:
                try:
                    answer = ask(held.session)
                except BaseException:
                    held.session.close()  # its statement may still run
                    raise
        if answer.refusal is not None:
            self._counters["refusals"] += 1
        return answer

    # -- transactions ------------------------------------------------------------------------

    def begin(
        self, mode: Mode, holder: str, asked: Callable[[Ends | None], None]
    ) -> "HeldSession | Refusal":
        """Begin a transaction on a session, for the named holder. `asked`: as in perform().

        Blocks: for a session up to backlog_timeout_s, for the answer up to query_timeout_s.
        Errors: GatewayError as perform().
        """
        self.require_up()
        with self._counted(), ExitStack() as stack:
            session = stack.enter_context(self._lease())
            asked(session.ends)
            refusal = session.begin(mode)
            if refusal is not None:
                self._counters["refusals"] += 1
                return refusal
            held = HeldSession(self, session, holder, self.context.clock.now(), stack.pop_all())
        self.held.add(held)
        return held

    def finish(self, held: "HeldSession", *, is_kept: bool) -> Refusal | None:
        """Commit or roll back, and return the session to the pool: reset, or closed.

        Blocks: up to query_timeout_s, twice. Errors: GatewayError; then the session is closed.
        """
        with self._counted(), held.released():
            session = held.session
            return session.commit() if is_kept else session.roll_back()

    @contextmanager
    def _lease(self) -> Iterator[Session]:
        with ExitStack() as stack:
            try:
                session = stack.enter_context(self._pool.lease())
            except GatewayError as error:
                is_held = self.held and self._pool.is_busy
                held = f", {len(self.held)} of them by transactions" if is_held else ""
                raise GatewayError(f"{error}{held}") from None
            yield session

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._counters["statements"] += 1
        try:
            yield
        except GatewayError as error:
            self._counters["failures"] += 1
            raise GatewayError(f"{self.name}: {error}") from None

    def _translated(self, sql: str) -> Prepared:
        found = self._prepared.get(sql)
        if found is None:
            problem = self.sql_problem(sql)
            if problem is not None:
                raise GatewayError(f"{self.name}: {problem}")
            found = self._prepared[sql] = prepared(sql, self._database.dialect)
        return found

    # -- sessions ----------------------------------------------------------------------------

    def _connect(self) -> Session:
        """Return a session that is logged in. Blocks; errors: GatewayError."""
        seconds = self.config.connect_timeout_s + _LOGIN_S
        opening = _Opening(self._database, self.config)
        try:
            connection = self._caller.call(opening, seconds)
        except OutOfTime:
            opening.is_wanted = False
            raise GatewayError(f"no login within {seconds:g} s") from None
        except Exception as error:  # noqa: BLE001 - drivers raise whatever octets make them
            raise GatewayError(f"login: {self._masked(reason_of(error))}") from None
        except BaseException:
            opening.is_wanted = False
            raise
        self._counters["connects"] += 1
        return Session(
            self._database,
            connection,
            self.config,
            self._caller,
            self.context.clock,
            max_idle_s=2 * self.config.ping_interval_s,
        )

    def _masked(self, text: str) -> str:
        password = self._url.password
        return text.replace(password, "***") if password else text


class HeldSession:
    """A session in a transaction, held for an instance. `holder`: text that names the instance.

    It is returned once, in any case; a session that was not reset is closed.
    """

    def __init__(
        self, gateway: DbGateway, session: Session, holder: str, since: float, lease: ExitStack
    ) -> None:
        self.gateway = gateway
        self.session = session
        self.holder = holder
        self.since = since
        self._lease = lease

    @property
    def is_open(self) -> bool:
        """True if it was not returned yet."""
        return self in self.gateway.held

    @contextmanager
    def released(self) -> Iterator[None]:
        """Return the session to the pool after the `with`. Blocks: for the reset."""
        with self._lease:
            try:
                yield
            finally:
                self.gateway.held.discard(self)

    def give_up(self) -> None:
        """Close the session: the server rolls back. Never switches, never raises."""
        self.session.close()
        self.gateway.held.discard(self)
        self._lease.close()


class _Opening:
    """A login; its connection is closed if no caller waits for it any more."""

    def __init__(self, database: Database, config: DbConfig) -> None:
        self._database = database
        self._config = config
        self.is_wanted = True

    def __call__(self) -> Any:
        connection = self._database.open(self._config)
        if not self.is_wanted:
            with suppress(Exception):
                connection.close()
        return connection
