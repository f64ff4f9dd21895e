"""Databases of other versions: newer ones are refused; older ones are migrated, or unchanged."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from unit.archive.conftest import MakeStore, summary

from tsvc.archive import store as tables
from tsvc.archive.store import ArchiveError, Store
from tsvc.archive.wanted import Wanted


def version_of(file: Path) -> list[int]:
    with sqlite3.connect(file) as connection:
        return [version for (version,) in connection.execute("SELECT version FROM tsvc_archive")]


def set_version(file: Path, version: int) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE tsvc_archive SET version = ?", (version,))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "archive.sqlite"


def test_a_new_database_has_our_version(store: Store, file: Path) -> None:
    assert version_of(file) == [tables.VERSION]


def test_opening_again_changes_nothing(make_store: MakeStore, file: Path) -> None:
    for _ in range(3):
        make_store()
    assert version_of(file) == [tables.VERSION]


def test_a_newer_database_is_refused_and_untouched(
    make_store: MakeStore, file: Path, url: str
) -> None:
    make_store().begin(summary(), {})
    set_version(file, tables.VERSION + 1)
    expected = f"version {tables.VERSION + 1}, this tsvc knows {tables.VERSION}"
    with pytest.raises(ArchiveError, match=expected):
        Store(url, "tester").open("tester")
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT state FROM tsvc_results").fetchall() == [
            ("in progress",)
        ]


def add_column(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE tsvc_results ADD COLUMN rating INTEGER DEFAULT 3"))


def fail(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE tsvc_results ADD COLUMN half INTEGER"))
    connection.execute(text("ALTER TABLE no_such_table ADD COLUMN x INTEGER"))


Migration = Callable[[Connection], None]


def with_migrations(monkeypatch: pytest.MonkeyPatch, *migrations: Migration) -> int:
    """Add migrations to later versions of the archive; return the version after them."""
    first = tables.VERSION
    known = {**tables.MIGRATIONS, **{first + n: one for n, one in enumerate(migrations)}}
    monkeypatch.setattr(tables, "MIGRATIONS", known)
    monkeypatch.setattr(tables, "VERSION", first + len(migrations))
    return tables.VERSION


def test_an_older_database_is_migrated_and_keeps_its_rows(
    make_store: MakeStore, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_store().begin(summary("kept"), {})
    before = tables.VERSION
    version = with_migrations(monkeypatch, add_column, lambda _: None)
    store = make_store()
    assert store.upgraded_from == before
    assert make_store().upgraded_from is None
    (row,) = store.list(Wanted(10))
    assert (row["run_id"], row["state"]) == ("kept", "lost")
    assert version_of(file) == [version]
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT rating FROM tsvc_results").fetchall() == [(3,)]


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    make_store: MakeStore, file: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_store()
    before = version_of(file)
    with_migrations(monkeypatch, add_column, fail)
    with pytest.raises(ArchiveError, match="no_such_table"):
        Store(url, "tester").open("tester")
    assert version_of(file) == before
    with sqlite3.connect(file) as connection:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(tsvc_results)")}
    assert not columns & {"rating", "half"}


def test_every_version_has_its_migration() -> None:
    assert sorted(tables.MIGRATIONS) == list(range(1, tables.VERSION))


FIRST_VERSION = """
CREATE TABLE tsvc_archive (version INTEGER NOT NULL);
INSERT INTO tsvc_archive VALUES (1);
CREATE TABLE tsvc_results (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, run_id VARCHAR(1024) NOT NULL,
    daemon VARCHAR(255) NOT NULL, state VARCHAR(16) NOT NULL, verdict VARCHAR(16) NOT NULL,
    time_start FLOAT NOT NULL, time_finish FLOAT, summary TEXT NOT NULL,
    result BLOB, definition BLOB, messages BLOB
);
"""


def test_an_archive_without_owners_is_taken_over_by_name(file: Path, url: str) -> None:
    with sqlite3.connect(file) as connection:
        connection.executescript(FIRST_VERSION)
        for name, daemon in (("ours", "tester"), ("another's", "other")):
            connection.execute(
                "INSERT INTO tsvc_results (run_id, daemon, state, verdict, time_start, summary)"
                " VALUES (?, ?, 'in progress', 'pass', 1, ?)",
                (name, daemon, json.dumps(summary(name))),
            )
    store = Store(url, "tester")
    assert store.open("id") == 1
    states = {row["run_id"]: row["state"] for row in store.list(Wanted(9))}
    assert states == {"ours": "lost", "another's": "running"}
    assert store.purge(1e9, 0) == 1
    result_id = store.begin(summary("new"), {})
    assert store.finish(result_id, summary("new", time_finish=[1, 0]), {}, [])
    store.probe()
    store.close()
