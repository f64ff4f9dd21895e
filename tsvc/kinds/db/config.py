"""`[application.NAME]` with module = "db": where the database is, its statements, the bounds."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from tsvc.kinds.db.database import Database, Settings
from tsvc.kinds.db.dialects import DATABASES
from tsvc.kinds.db.statements import Shape, bind_names
from tsvc.kinds.db.values import BIND_TYPES, COLUMN_TYPES
from tsvc.schema.table import Named, Table
from tsvc.words import did_you_mean

QUERY = "Query"  # the method that takes SQL from the definition
_POSITIVE = validate.Range(0, min_inclusive=False)
_NAME = validate.Regexp(r"^\w+$", error="must be letters, digits and underscores")
_PARTS = ("driver", "host", "port", "database")


class StatementSchema(Table):
    """`statements.NAME`."""

    sql = fields.String(
        required=True,
        validate=validate.Length(1),
        metadata={"help": "the statement, its values as `:name`"},
    )
    bind = fields.Raw(
        load_default=None,
        allow_none=True,
        metadata={
            "rule": "a list of names, or a table of name = type",
            "help": "its values; absent: those of the sql, as they come",
        },
    )
    shape = fields.String(
        load_default=Shape.ROWS.value,
        validate=validate.OneOf([shape.value for shape in Shape]),
        metadata={
            "help": "what comes: any rows, one row or none, one value, or how many were changed"
        },
    )
    types = Named(
        keys=fields.String(),
        values=fields.String(validate=validate.OneOf(sorted(COLUMN_TYPES))),
        load_default=dict,
        metadata={"help": "column = type that it must have"},
    )

    @validates_schema
    def check_binds(self, data: dict[str, Any], **_: Any) -> None:
        """Compare `bind`, a list of names or a table of name = type, with the SQL."""
        bind = data["bind"]
        try:
            used = bind_names(data["sql"])
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
                raise ValidationError(f"{type_!r} is not one of {known}", "bind")


class DbConfig(Table):
    """`[application.NAME]` with module = "db"."""

    url = fields.String(
        load_default="",
        metadata={"help": "SQLAlchemy URL, instead of driver, host, port and database"},
    )
    driver = fields.String(
        load_default="",
        validate=validate.OneOf(["", *DATABASES]),
        metadata={"help": "kind of database"},
    )
    host = fields.String(load_default="", metadata={"help": "the server"})
    port = fields.Integer(
        load_default=None,
        allow_none=True,
        validate=validate.Range(1, 65535),
        metadata={"help": "its port; absent: that of the database's kind"},
    )
    database = fields.String(
        load_default="",
        metadata={"help": "name of the database; Oracle: the service; SQLite: the file"},
    )
    username = fields.String(load_default="", metadata={"help": "who logs in"})
    password = fields.String(
        load_default="", metadata={"help": "and how; `password_file` keeps it out of the file"}
    )
    pool = fields.Integer(
        load_default=None,
        allow_none=True,
        validate=validate.Range(1, 1000),
        metadata={"help": "sessions at once; absent: 4, one for SQLite in memory"},
    )
    backlog_timeout_s = fields.Float(
        load_default=10.0,
        validate=validate.Range(0),
        metadata={"help": "longest wait for a free session"},
    )
    connect_timeout_s = fields.Float(
        load_default=5.0, validate=_POSITIVE, metadata={"help": "longest attempt to connect"}
    )
    query_timeout_s = fields.Float(
        load_default=10.0,
        validate=_POSITIVE,
        metadata={"help": "longest statement; the server is told, too"},
    )
    reconnect_interval_s = fields.Float(
        load_default=30.0,
        validate=_POSITIVE,
        metadata={"help": "longest pause between attempts to connect"},
    )
    ping_interval_s = fields.Float(
        load_default=60.0,
        validate=_POSITIVE,
        metadata={"help": "an idle session is asked for a sign of life this often"},
    )
    post_login_sql = fields.Raw(
        load_default=None,
        allow_none=True,
        metadata={
            "rule": "a string, or a list of strings",
            "help": "statements that each session performs first",
        },
    )
    read_only = fields.Boolean(
        load_default=True, metadata={"help": "sessions refuse to change anything"}
    )
    allow_sql = fields.Boolean(
        load_default=False,
        metadata={"help": "definitions may bring SQL of their own: `db.<label>.Query`"},
    )
    blocking = fields.Boolean(
        load_default=None,
        allow_none=True,
        metadata={"help": "statements run in threads; absent: where the driver needs that"},
    )
    max_rows = fields.Integer(
        load_default=1000,
        validate=validate.Range(1, 1_000_000),
        metadata={"help": "an answer with more aborts the instance"},
    )
    max_octets = fields.Integer(
        load_default=1 << 20,
        validate=validate.Range(1, 1 << 30),
        metadata={"help": "an answer that is longer aborts the instance"},
    )
    statements = Named(
        keys=fields.String(validate=_NAME),
        values=fields.Nested(StatementSchema),
        load_default=dict,
        metadata={"help": "statements by name, which operations call `db.<label>.NAME`"},
    )

    @validates_schema
    def check(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse what names no database, or one that can't be reached from here."""
        if QUERY in data["statements"]:
            raise ValidationError(f"{QUERY} is what takes SQL: choose another name", "statements")
        post_login_sql(data)
        url = url_of(data)
        database = database_of(url)
        if find_spec(database.package) is None:
            text = f"needs {database.package}: pip install 'tsvc[{database.extra}]'"
            raise ValidationError(text, "url" if data["url"] else "driver")
        if is_in_memory(url) and (data["pool"] or 1) > 1:
            raise ValidationError("a database in memory has one connection", "pool")


def post_login_sql(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the statements that follow the login. Errors: ValidationError."""
    given = config["post_login_sql"]
    if given is None:
        return ()
    found = [given] if isinstance(given, str) else given
    if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
        raise ValidationError("must be a statement or a list of them", "post_login_sql")
    return tuple(found)


def url_of(config: Mapping[str, Any]) -> URL:
    """Return the URL that a configuration means. Errors: ValidationError; they show no secret."""
    key = "url" if config["url"] else "driver"
    if config["url"]:
        more = [name for name in _PARTS if config[name]]
        if more:
            raise ValidationError(f"url says that too: choose one, url or {more[0]}", more[0])
        try:
            url = make_url(config["url"])
        except (ArgumentError, ValueError):
            raise ValidationError("is no URL such as postgresql://host/database", key) from None
    elif config["driver"]:
        url = _url_of_parts(config)
    else:
        raise ValidationError("is missing, or driver, host and database instead", "url")
    kind = url.drivername.partition("+")[0]
    if kind not in DATABASES:
        hint = did_you_mean(kind, DATABASES)
        known = ", ".join(DATABASES)
        raise ValidationError(f"{kind!r} is not one of {known}{hint}", key)
    wanted = DATABASES[kind].drivername
    if "+" in url.drivername and url.drivername not in (
        wanted,
        wanted.replace("mysql+", "mariadb+"),
    ):
        raise ValidationError(f"{url.drivername!r} is not supported, {wanted!r} is", key)
    url = url.set(drivername=wanted)
    if config["username"]:
        url = url.set(username=config["username"])
    if config["password"]:
        url = url.set(password=config["password"])
    return url


def _url_of_parts(config: Mapping[str, Any]) -> URL:
    driver, database = config["driver"], config["database"] or None
    query = {}
    if driver == "oracle" and database is not None:
        # What people call the database is a service; SQLAlchemy would take it for a SID.
        query, database = {"service_name": database}, None
    host = config["host"] or None
    return URL.create(driver, host=host, port=config["port"], database=database, query=query)


def database_of(url: URL) -> type[Database]:
    """Return the kind of database of a URL that url_of() made."""
    return DATABASES[url.drivername.partition("+")[0]]


def is_in_memory(url: URL) -> bool:
    """Whether each connection would have a database of its own."""
    is_sqlite = url.drivername.startswith("sqlite")
    return is_sqlite and url.database in (None, "", ":memory:")


def settings_of(config: Mapping[str, Any], *, is_in_thread: bool) -> Settings:
    """Return what a session is made with."""
    return Settings(
        is_read_only=config["read_only"],
        is_in_thread=is_in_thread,
        connect_timeout_s=config["connect_timeout_s"],
        query_timeout_s=config["query_timeout_s"],
        max_rows=config["max_rows"],
        max_octets=config["max_octets"],
        post_login_sql=post_login_sql(config),
    )
