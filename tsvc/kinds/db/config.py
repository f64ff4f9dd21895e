"""`[application.NAME]` with module = "db": the address of the database, its statements, limits."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from marshmallow import ValidationError
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from tsvc.kinds.db.database import Database
from tsvc.kinds.db.dialects import DATABASES
from tsvc.kinds.db.statements import Shape, Statement, bind_names, binds_of
from tsvc.kinds.db.transactions import HINT, transaction_word
from tsvc.kinds.db.values import BIND_TYPES, COLUMN_TYPES
from tsvc.schema.fields import Anything, Boolean, Choice, Integer, Named, Nested, Number, String
from tsvc.schema.table import Table, member, table
from tsvc.words import did_you_mean, needs_packages, quoted

QUERY = "Query"  # the method that runs SQL of the definition
TRANSACTION = ("Begin", "Commit", "Rollback")  # methods that hold a session and return it
_PARTS = ("driver", "host", "port", "database")


@table
class StatementSchema(Table):
    """`statements.NAME`."""

    sql: str = member(String(1, required=True, help="the statement, its values as `:name`"))
    bind: Any = member(
        Anything(
            default=None,
            rule="a list of names, or a table of name = type",
            help="its values; absent: those of the sql, as they come",
        )
    )
    shape: str = member(
        Choice(
            [shape.value for shape in Shape],
            default=Shape.ROWS.value,
            help="what comes: any rows, one row or none, one value, or how many were changed",
        )
    )
    types: Mapping[str, str] = member(
        Named(Choice(sorted(COLUMN_TYPES)), default=dict, help="column = type that it must have")
    )

    def statement(self, name: str) -> Statement:
        """Return the statement with a name."""
        binds = binds_of(self.bind, self.sql)
        return Statement(name, self.sql, binds, Shape(self.shape), self.types)

    def check_binds(self) -> None:
        """Compare `bind`, a list of names or a table of name = type, with the SQL."""
        bind = self.bind
        try:
            used = bind_names(self.sql)
        except ValueError as error:
            raise ValidationError(f"can't be read: {error}", "sql") from None
        if bind is None:
            return
        if not isinstance(bind, list | Mapping) or not all(isinstance(one, str) for one in bind):
            raise ValidationError("must be a list of names, or a table of name = type", "bind")
        for name in bind:
            if name not in used:
                raise ValidationError(
                    f"no :{name} is in the sql{did_you_mean(name, used)}", "bind"
                )
        for name in used:
            if name not in bind:
                raise ValidationError(f":{name} of the sql is missing", "bind")
        types = bind.values() if isinstance(bind, Mapping) else ()
        for type_ in types:
            if type_ not in BIND_TYPES:
                known = ", ".join(BIND_TYPES)
                raise ValidationError(f"{quoted(type_)} is not one of {known}", "bind")


@table
class DbConfig(Table):
    """`[application.NAME]` with module = "db"."""

    url: str = member(
        String(default="", help="SQLAlchemy URL, instead of driver, host, port and database")
    )
    driver: str = member(Choice(["", *DATABASES], default="", help="kind of database"))
    host: str = member(String(default="", help="the server"))
    port: int | None = member(
        Integer(1, 65535, default=None, help="its port; absent: that of the database's kind")
    )
    database: str = member(
        String(default="", help="name of the database; Oracle: the service; SQLite: the file")
    )
    username: str = member(String(default="", help="who logs in"))
    password: str = member(
        String(default="", help="and how; `password_file` keeps it out of the file")
    )
    pool: int | None = member(
        Integer(
            1, 1000, default=None, help="sessions at once; absent: 4, one for SQLite in memory"
        )
    )
    backlog_timeout_s: float = member(
        Number(0, default=10.0, help="longest wait for a free session")
    )
    connect_timeout_s: float = member(
        Number(above=0, default=5.0, help="longest attempt to connect")
    )
    query_timeout_s: float = member(
        Number(above=0, default=10.0, help="longest statement; the server is told, too")
    )
    reconnect_interval_s: float = member(
        Number(above=0, default=30.0, help="longest pause between attempts to connect")
    )
    ping_interval_s: float = member(
        Number(
            above=0, default=60.0, help="an idle session is asked for a sign of life this often"
        )
    )
    post_login_sql: Any = member(
        Anything(
            default=None,
            rule="a string, or a list of strings",
            help="statements that each session performs first",
        )
    )
    read_only: bool = member(Boolean(default=True, help="sessions refuse to change anything"))
    allow_sql: bool = member(
        Boolean(default=False, help="definitions may bring SQL of their own: `db.<label>.Query`")
    )
    blocking: bool | None = member(
        Boolean(
            default=None, help="statements run in threads; absent: where the driver needs that"
        )
    )
    max_rows: int = member(
        Integer(1, 1_000_000, default=1000, help="an answer with more aborts the instance")
    )
    max_octets: int = member(
        Integer(1, 1 << 30, default=1 << 20, help="an answer that is longer aborts the instance")
    )
    statements: Mapping[str, StatementSchema] = member(
        Named(
            Nested(StatementSchema.schema),
            keys=String(pattern=r"^\w+$", says="must be letters, digits and underscores"),
            default=dict,
            help="statements by name, which operations call `db.<label>.NAME`",
        )
    )

    @property
    def after_login(self) -> tuple[str, ...]:
        """Statements that each session performs first. Errors: ValidationError."""
        given = self.post_login_sql
        if given is None:
            return ()
        found = [given] if isinstance(given, str) else given
        if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
            raise ValidationError("must be a statement or a list of them", "post_login_sql")
        return tuple(found)

    def check(self) -> None:
        """Refuse a configuration without a database, or with one that can't be used here."""
        if QUERY in self.statements:
            raise ValidationError(f"{QUERY} is what takes SQL: choose another name", "statements")
        for name in TRANSACTION:
            if name in self.statements:
                text = f"{name} is what the operation of that name does: choose another name"
                raise ValidationError(text, "statements")
        _ = self.after_login
        url = url_of(self)
        database = database_of(url)
        for name, statement in self.statements.items():
            problem = transaction_problem(statement.sql, database.make)
            if problem is not None:
                raise ValidationError(f"{name}: {problem}", "statements")
        if find_spec(database.package) is None:
            text = needs_packages(database.distribution)
            raise ValidationError(text, "url" if self.url else "driver")
        if is_in_memory(url) and (self.pool or 1) > 1:
            raise ValidationError("a database in memory has one connection", "pool")


def transaction_problem(sql: str, make: str) -> str | None:
    """Return why a statement may not be performed by itself: it begins or ends a transaction."""
    word = transaction_word(sql, make)
    return None if word is None else f"{word} is no statement here: {HINT}"


def url_of(config: DbConfig) -> URL:
    """Return the URL of a configuration. Errors: ValidationError; they show no secret."""
    key = "url" if config.url else "driver"
    if config.url:
        more = [name for name in _PARTS if getattr(config, name)]
        if more:
            raise ValidationError(f"url says that too: choose one, url or {more[0]}", more[0])
        try:
            url = make_url(config.url)
        except (ArgumentError, ValueError):
            raise ValidationError("is no URL such as postgresql://host/database", key) from None
    elif config.driver:
        url = _url_of_parts(config)
    else:
        raise ValidationError("is missing, or driver, host and database instead", "url")
    kind = url.drivername.partition("+")[0]
    if kind not in DATABASES:
        hint = did_you_mean(kind, DATABASES)
        known = ", ".join(DATABASES)
        raise ValidationError(f"{quoted(kind)} is not one of {known}{hint}", key)
    wanted = DATABASES[kind].drivername
    if "+" in url.drivername and url.drivername not in (
        wanted,
        wanted.replace("mysql+", "mariadb+"),
    ):
        raise ValidationError(
            f"{quoted(url.drivername)} is not supported, {quoted(wanted)} is", key
        )
    url = url.set(drivername=wanted)
    if config.username:
        url = url.set(username=config.username)
    if config.password:
        url = url.set(password=config.password)
    return url


def _url_of_parts(config: DbConfig) -> URL:
    driver, database = config.driver, config.database or None
    query = {}
    if driver == "oracle" and database is not None:
        # Users call the name of a service the database; SQLAlchemy would read it as a SID.
        query, database = {"service_name": database}, None
    host = config.host or None
    return URL.create(driver, host=host, port=config.port, database=database, query=query)


def database_of(url: URL) -> type[Database]:
    """Return the kind of database of a URL that url_of() made."""
    return DATABASES[url.drivername.partition("+")[0]]


def is_in_memory(url: URL) -> bool:
    """Return True if each connection would have a database of its own."""
    is_sqlite = url.drivername.startswith("sqlite")
    return is_sqlite and url.database in (None, "", ":memory:")
