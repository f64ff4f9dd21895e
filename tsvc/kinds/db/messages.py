"""Presentation of statements to a database and their answers, as JSON that operations.py writes.

Shape:   request {statement, sql, bind}; answer {statement, rows, count, value} or
{statement, error}. Begin, Commit and Rollback have no sql, their arguments as bind, no rows.
"""

from typing import Any

from tsvc.kinds.db.config import QUERY, TRANSACTION
from tsvc.numbers import loads_exactly
from tsvc.results.exchanges import Exchange, exchange
from tsvc.words import cut

_LONGEST_FACT = 120
_LONGEST_SQL = 1000
_MOST_FACTS = 4


@exchange("db")
def decode(octets: bytes, is_sent: bool) -> Exchange:
    """Return the contents of a message; never raises."""
    try:
        tree = loads_exactly(octets)
    except (ValueError, RecursionError):
        tree = None
    if not isinstance(tree, dict):
        raw = octets.decode("utf-8", "replace")
        return Exchange("message", (cut(raw, _LONGEST_FACT),) if raw else (), {"raw": raw})
    return _question(tree) if is_sent else _answer(tree)


def _question(tree: dict[str, Any]) -> Exchange:
    name, sql = str(tree.get("statement", "statement")), tree.get("sql")
    facts = _facts(tree.get("bind"))
    if name == QUERY and isinstance(sql, str):
        # The SQL of a named statement is in the configuration.
        facts = (cut(" ".join(sql.split()), _LONGEST_SQL), *facts)
    return Exchange(cut(name, _LONGEST_FACT), facts, tree)


def _answer(tree: dict[str, Any]) -> Exchange:
    error = tree.get("error")
    if error is not None:
        return Exchange("refused", _facts(error), tree, is_failure=True)
    rows = tree.get("rows")
    if tree.get("statement") in TRANSACTION:
        return Exchange("done", (), tree)
    if isinstance(rows, dict):
        return Exchange("1 row", _facts(rows), tree)
    if isinstance(rows, list) and rows:
        first = _facts(rows[0])
        return Exchange(_counted(tree.get("count"), "row"), first, tree)
    if rows is None:
        return Exchange("no row", (), tree)
    changed = tree.get("count")
    return Exchange(_counted(changed, "row") + " changed" if changed else "no rows", (), tree)


def _counted(count: Any, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _facts(members: Any) -> tuple[str, ...]:
    if not isinstance(members, dict):
        return ()
    shown = [
        cut(f"{name} = {value}", _LONGEST_FACT)
        for name, value in list(members.items())[:_MOST_FACTS]
    ]
    return (*shown, "…") if len(members) > _MOST_FACTS else tuple(shown)
