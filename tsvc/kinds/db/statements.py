"""Named statements: SQL with bind parameters, and the shape that its answer must have."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any

from sqlalchemy import TextClause, text
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import SQLAlchemyError

from tsvc.errors import GatewayError
from tsvc.kinds.db.values import COLUMN_TYPES, bound, without_zeros
from tsvc.values import dataclass
from tsvc.words import cut, quoted

Row = dict[str, Any]


class Shape(Enum):
    """The shape of a statement's answer."""

    ROWS = "rows"
    ROW = "row"  # one, or none
    VALUE = "value"  # the only column of the only row
    COUNT = "count"  # no rows, but the number of changed rows


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a configuration, or of a definition (then its name is "Query").

    `binds`: name of a parameter -> its type, None if it is bound as it is given. `types`: column
    -> type that it must have.
    """

    name: str
    sql: str
    binds: Mapping[str, str | None]
    shape: Shape = Shape.ROWS
    types: Mapping[str, str] = field(default_factory=dict)

    def values(self, given: Mapping[str, Any], *, has_arrays: bool = False) -> dict[str, Any]:
        """Return the values to bind. `has_arrays`: True if the database has arrays.

        Errors: GatewayError that names the missing or invalid value.
        """
        missing = [name for name in self.binds if name not in given]
        if missing:
            raise GatewayError(f"{self.name}: no value for {', '.join(missing)}")
        return {
            name: bound(name, given[name], type_, has_arrays=has_arrays)
            for name, type_ in self.binds.items()
        }


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal by the database: its code (SQLSTATE or number, as text) and its message."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """An answer. `rows`: one row or None if the shape requires that, otherwise a list."""

    rows: list[Row] | Row | None = None
    count: int = 0
    refusal: Refusal | None = None

    def tree(self) -> dict[str, Any]:
        """Return the tree for `tests`: rows, count, value of one row; error if refused."""
        if self.refusal is not None:
            return {"error": {"code": self.refusal.code, "text": self.refusal.text}}
        tree: dict[str, Any] = {"rows": self.rows, "count": self.count}
        if isinstance(self.rows, dict):
            tree["value"] = next(iter(self.rows.values()), None)
        return tree


def shaped(statement: Statement, rows: list[Row], count: int) -> QueryAnswer:
    """Return the answer in the statement's shape.

    Errors: GatewayError for rows that do not fit the shape or the types.
    """
    for row in rows:
        for column, type_ in statement.types.items():
            if column not in row:
                raise GatewayError(f"{statement.name}: the answer has no column {quoted(column)}")
            if type_ == "integer":
                row[column] = without_zeros(row[column])
            value = row[column]
            if value is not None and not COLUMN_TYPES[type_](value):
                shown = cut(quoted(value), 80)
                text = f"{statement.name}: {column} is {shown}, which is no {type_}"
                raise GatewayError(text)
    if statement.shape in (Shape.ROWS, Shape.COUNT):
        return QueryAnswer(rows, count)
    if len(rows) > 1:
        raise GatewayError(f"{statement.name}: {len(rows)} rows where one was expected")
    if statement.shape is Shape.VALUE and rows and len(rows[0]) != 1:
        raise GatewayError(f"{statement.name}: {len(rows[0])} columns where one was expected")
    return QueryAnswer(rows[0] if rows else None, count)


# Tokens with colons that begin no parameter: texts, names in quotes, comments, texts between
# dollars, casts (`:x::int`), and numbers (bounds of a slice).
_NAMES = r'"(?:[^"]|"")*"|`[^`]*`'
_OTHERS = r"--[^\n]*|/\*.*?(?:\*/|\Z)|(?P<tag>\$(?:[^\W\d]\w*)?\$)|::|:(?=\d)"
_ESCAPED = r"'(?:[^'\\]|\\.|'')*'"
_OPEN = re.compile(rf"\b[eE]{_ESCAPED}|'(?:[^']|'')*(?P<open>'|\Z)|{_NAMES}|{_OTHERS}", re.DOTALL)
_BACKSLASHED = re.compile(rf"{_ESCAPED[:-1]}(?:'|\Z)|{_NAMES}|{_OTHERS}", re.DOTALL)
_TAG = re.compile(r"(?=(\$(?:[^\W\d]\w*+)?\$))")
_COLON = re.compile(r"(?<!\\):")


def _clause(sql: str) -> TextClause:
    """Return SQL in which only the colons of parameters are visible to SQLAlchemy.

    A backslash before a quote ends a text, or does not (MySQL). It is read as MySQL does only if
    a text would have no end otherwise.
    """
    is_open = any(found["open"] == "" for found, _ in _literals(_OPEN, sql))
    pieces = []
    behind = 0
    for found, end in _literals(_BACKSLASHED if is_open else _OPEN, sql):
        pieces += [sql[behind : found.start()], _COLON.sub(r"\\:", sql[found.start() : end])]
        behind = end
    return text("".join([*pieces, sql[behind:]]))


def _literals(pattern: re.Pattern[str], sql: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield the tokens with colons that begin no parameter, and their ends.

    A text between dollars ends where its tag is repeated; without a repetition it is no text. The
    pattern does not search for the end, because it would read the whole rest for every tag.
    """
    last = {found[1]: found.start() for found in _TAG.finditer(sql)}
    at = 0
    while found := pattern.search(sql, at):
        tag, at = found["tag"], found.end()
        if tag is not None and last[tag] < at:
            at = found.start() + 1
            continue
        if tag is not None:
            at = sql.index(tag, at) + len(tag)
        yield found, at


def bind_names(sql: str) -> list[str]:
    """Return the names of `:name` parameters. Errors: ValueError for SQL that can't be parsed."""
    try:
        return list(_clause(sql).compile().params)
    except (SQLAlchemyError, RecursionError) as error:
        raise ValueError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Prepared:
    """SQL in the form of a driver."""

    sql: str
    positions: Sequence[str] | None  # order of the values, None if they are passed by name

    def parameters(self, values: Mapping[str, Any]) -> Any:
        """Return the values in the driver's form."""
        if self.positions is None:
            return dict(values)
        return tuple(values[name] for name in self.positions)


def prepared(sql: str, dialect: Dialect) -> Prepared:
    """Return SQL in the form of a dialect's driver."""
    compiled: Any = _clause(sql).compile(dialect=dialect)
    positions = tuple(compiled.positiontup) if compiled.positional else None
    return Prepared(compiled.string, positions)


def binds_of(given: Any, sql: str) -> dict[str, str | None]:
    """Return the types of a statement's values by name: from a list, a table, or its SQL."""
    if isinstance(given, Mapping):
        return dict(given)
    names: Iterable[str] = bind_names(sql) if given is None else given
    return dict.fromkeys(names)
