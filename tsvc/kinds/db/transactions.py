"""Finds the words of SQL that begin or end a transaction, outside of texts and comments.

Such words are reserved for `db.<label>.Begin`, `Commit` and `Rollback`. Elsewhere they would apply
to a session that the next statement may not get.
"""

import re
from collections.abc import Iterator
from enum import Enum

from tsvc.values import dataclass


class Isolation(Enum):
    """The isolation levels of ISO 9075."""

    READ_UNCOMMITTED = "read uncommitted"
    READ_COMMITTED = "read committed"
    REPEATABLE_READ = "repeatable read"
    SERIALIZABLE = "serializable"


@dataclass(frozen=True, slots=True)
class Mode:
    """The mode of a transaction. `isolation` None: the default of the database."""

    isolation: Isolation | None = None
    is_read_only: bool = False


HINT = "db.<label>.Begin, Commit and Rollback hold a session for it"

# Tokens between the relevant words: texts, names in quotes, comments. An open quote ends with
# the statement.
_QUOTED = r"'(?:[^']|'')*(?:'|\Z)"
_ESCAPED = r"'(?:[^'\\]|\\.|'')*(?:'|\Z)"
_NAMES = r'"(?:[^"]|"")*(?:"|\Z)|`(?:[^`]|``)*(?:`|\Z)'
_REST = r"(?P<word>[^\W\d]\w*)|(?P<end>;)|(?<!@)@\w+|\d\w*"
_TOKENS = {
    "sqlite": rf"{_QUOTED}|{_NAMES}|\[[^\]]*(?:\]|\Z)|{_REST}",
    "postgresql": rf"[eE]{_ESCAPED}|{_QUOTED}|{_NAMES}"
    rf"|(?P<dollar>\$(?:[^\W\d]\w*)?\$)|{_REST}",
    "mysql": rf'{_ESCAPED}|"(?:[^"\\]|\\.|"")*(?:"|\Z)|{_NAMES}|{_REST}',
    "oracle": rf"[nN]?[qQ]'(?P<mark>\S)|{_QUOTED}|{_NAMES}|{_REST}",
}
_PATTERNS = {make: re.compile(pattern, re.DOTALL) for make, pattern in _TOKENS.items()}
_CLOSING = {"[": "]", "(": ")", "{": "}", "<": ">"}
# MySQL and MariaDB perform the contents of these comments.
_PERFORMED = re.compile(r"/\*M?!\d*")
_EDGE = re.compile(r"/\*|\*/")

_ALONE = frozenset(["abort", "begin", "commit", "end", "release", "rollback", "savepoint", "xa"])
_PAIRS = frozenset(
    (first, second)
    for first, seconds in {
        "start": "transaction",
        "prepare": "transaction",
        "set": "transaction autocommit",
        "lock": "tables",
        "unlock": "table tables",
    }.items()
    for second in seconds.split()
)
_SCOPES = frozenset(
    ["session", "global", "local", "persist", "persist_only", "characteristics", "as"]
)
_ROUTINES = frozenset(["function", "procedure", "trigger", "event", "package", "type"])
_MOST_BEFORE_ROUTINE = 12  # words: CREATE OR REPLACE DEFINER = user @ host AGGREGATE FUNCTION
_BLOCKS = frozenset({"begin", "case"})
_NO_BLOCKS = frozenset(["if", "loop", "while", "repeat", "for"])


def transaction_word(sql: str, make: str) -> str | None:
    """Return the word or words by which a statement begins or ends a transaction, otherwise None.

    `make`: sqlite, postgresql, mysql (MariaDB too) or oracle, which quote in different ways.
    Words in the body of a routine are ignored.
    """
    for words in _statements(sql, make):
        found = _judged(words, make)
        if found is not None:
            return found
    return None


def _judged(words: list[str], make: str) -> str | None:
    if not words:
        return None
    first = words[0]
    rest = [word for word in words[1:] if word not in _SCOPES]
    second = rest[0] if rest else ""
    if first in ("begin", "declare") and (make == "oracle" or second == "not"):
        return None  # a block: Oracle's, or MariaDB's BEGIN NOT ATOMIC
    if first in _ALONE:
        return first.upper()
    if (first, second) in _PAIRS or (make == "mysql" and (first, second) == ("lock", "table")):
        return f"{first} {second}".upper()
    if first == "set" and "autocommit" in words:
        return "SET AUTOCOMMIT"
    return None


def _statements(sql: str, make: str) -> Iterator[list[str]]:
    """Yield the first words of each statement, in small letters, without routine bodies."""
    words: list[str] = []
    depth = 0
    is_after_end = False
    for word in _words(sql, make):
        if word == ";":
            is_after_end = False
            if not depth:
                yield words
                words = []
            continue
        if _is_routine(words) or _is_block(words, make):
            if is_after_end and (word in _NO_BLOCKS or word == "case"):
                depth += word in _NO_BLOCKS  # END IF: restore what END has subtracted
            elif word in _BLOCKS:
                depth += 1
            is_after_end = word == "end"
            if is_after_end:
                depth = max(depth - 1, 0)
        elif _is_block([*words, word], make):
            depth = int((*words, word)[0] == "begin")
        if len(words) < _MOST_BEFORE_ROUTINE:
            words.append(word)
    yield words


def _is_routine(words: list[str]) -> bool:
    return bool(words) and words[0] == "create" and not _ROUTINES.isdisjoint(words)


def _is_block(words: list[str], make: str) -> bool:
    """Return True if a block has begun that is a statement by itself."""
    if not words:
        return False
    if make == "oracle":
        return words[0] in ("begin", "declare")
    return words[:2] == ["begin", "not"]


def _words(sql: str, make: str) -> Iterator[str]:
    """Yield words in small letters and semicolons, without texts, quoted names and comments."""
    pattern = _PATTERNS[make]
    at, most = 0, len(sql)
    while at < most:
        if sql.startswith("/*", at):
            at = _after_comment(sql, at, make)
            continue
        if make == "mysql" and (sql.startswith("*/", at) or sql[at] == "#"):
            at = at + 2 if sql[at] == "*" else _line_end(sql, at)
            continue
        if sql.startswith("--", at) and (make != "mysql" or sql[at + 2 : at + 3].strip() == ""):
            at = _line_end(sql, at)
            continue
        match = pattern.match(sql, at)
        if match is None:
            at += 1
            continue
        at = match.end()
        groups = match.groupdict()
        if groups["word"]:
            yield groups["word"].lower()
        elif groups["end"]:
            yield ";"
        elif groups.get("dollar"):
            at = _after(sql, at, groups["dollar"])
        elif groups.get("mark"):
            at = _after(sql, at, _CLOSING.get(groups["mark"], groups["mark"]) + "'")


def _after_comment(sql: str, at: int, make: str) -> int:
    """Return the end of a comment, or the start of its contents if they are performed."""
    if make == "mysql":
        performed = _PERFORMED.match(sql, at)
        return performed.end() if performed else _after(sql, at + 2, "*/")
    if make != "postgresql":
        return _after(sql, at + 2, "*/")
    depth = 0  # only PostgreSQL has nested comments
    for edge in _EDGE.finditer(sql, at):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    return len(sql)


def _after(sql: str, at: int, mark: str) -> int:
    found = sql.find(mark, at)
    return len(sql) if found < 0 else found + len(mark)


def _line_end(sql: str, at: int) -> int:
    return _after(sql, at, "\n")
