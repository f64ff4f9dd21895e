"""Rows of the store: which are kept, listed, lost and purged, and how they are packed."""

import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from unit.archive.conftest import MakeStore, completed, summary

from tsvc.archive import store as tables
from tsvc.archive.store import ArchiveError, Store
from tsvc.archive.wanted import Wanted
from tsvc.numbers import float_of_literal


def add(store: Store, run_id: str = "a", **more: Any) -> int:
    """Add a completed run and return its result_id."""
    result_id = store.begin(summary(run_id, **more), {"operations": []})
    store.finish(result_id, completed(run_id, **more), {"run_id": run_id, "all": 1}, [])
    return result_id


class TestOneRun:
    def test_is_in_progress_until_it_is_finished(self, store: Store) -> None:
        definition = {"operations": [{"type": "pass"}], "comment": "ä"}
        definition["vars"] = {"n": float_of_literal("12345678901234567890.12")}
        result_id = store.begin(summary(), definition)
        found = store.get(result_id=result_id)
        assert found is not None
        assert (found.state, found.result, found.messages) == ("in progress", None, [])
        assert found.definition == definition
        assert found.summary == summary()

    def test_comes_back_as_it_was_given(self, store: Store) -> None:
        result = {"text": "ä\u0000\U0001f600", "n": [1, 2.5, None, True], "deep": {"a": [{}]}}
        messages = [[0.5, "d", "ssp", True, "6206"]]
        result_id = store.begin(summary(), {})
        store.finish(result_id, completed(verdict="fail"), result, messages)
        found = store.get(result_id=result_id)
        assert found is not None
        assert (found.result, found.messages) == (result, messages)
        assert found.summary == completed(verdict="fail")

    @pytest.mark.parametrize("parts", [(), ("messages",), ("definition",), tables.PARTS])
    def test_has_the_parts_that_are_wanted(self, store: Store, parts: tuple[str, ...]) -> None:
        result_id = store.begin(summary(), {"operations": []})
        store.finish(result_id, completed(), {"all": 1}, ["message"])
        for found in (
            store.get(result_id=result_id, parts=parts),
            store.get(run_id="a", parts=parts),
        ):
            assert found is not None
            assert (found.id, found.result) == (result_id, {"all": 1})
            assert found.messages == (["message"] if "messages" in parts else [])
            assert found.definition == ({"operations": []} if "definition" in parts else None)

    def test_is_found_by_the_driver_alone_as_by_sqlalchemy(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ids = [add(store, run_id) for run_id in ("a", "b", "a", "ä\0\\0'?:x%")]
        ids.append(store.begin(summary("b"), {"comment": "in progress"}))

        def found() -> list[Any]:
            by_id = [store.get(result_id=one) for one in (*ids, 0, 2**63 - 1)]
            return by_id + [store.get(run_id=one) for one in ("a", "b", "ä\0\\0'?:x%", "c", "")]

        plainly = found()
        monkeypatch.setattr(store._engine.dialect, "name", "another")
        assert found() == plainly
        assert [one and one.id for one in plainly[-5:]] == [ids[2], ids[4], ids[3], None, None]

    def test_a_broken_database_says_so_in_its_own_words(
        self, store: Store, tmp_path: Path
    ) -> None:
        add(store)
        with sqlite3.connect(tmp_path / "archive.sqlite") as connection:
            connection.execute("ALTER TABLE tsvc_results RENAME TO gone")
        with pytest.raises(ArchiveError, match=r"^no such table: tsvc_results$"):
            store.get(run_id="a")

    def test_snapshot_replaces_what_is_known(self, store: Store) -> None:
        result_id = store.begin(summary(), {})
        later = summary(counts={"started": 7, "finished": 5, "in_progress": 2})
        store.snapshot({result_id: later})
        assert store.list(Wanted(10)) == [{"result_id": result_id, **later}]

    def test_a_late_snapshot_does_not_undo_the_result(self, store: Store) -> None:
        result_id = add(store)
        store.snapshot({result_id: summary()})
        assert store.list(Wanted(10)) == [{"result_id": result_id, **completed()}]

    def test_discarded_leaves_nothing(self, store: Store) -> None:
        store.discard(store.begin(summary(), {}))
        assert store.list(Wanted(10)) == []

    def test_large_results_are_packed(self, store: Store, tmp_path: Path) -> None:
        result_id = store.begin(summary(), {})
        result = {"buckets": [{"t": t, "num_calls_started": 100} for t in range(20_000)]}
        store.finish(result_id, completed(), result, [])
        found = store.get(result_id=result_id)
        assert found is not None
        assert found.result == result
        with sqlite3.connect(tmp_path / "archive.sqlite") as connection:
            ((octets,),) = connection.execute("SELECT length(result) FROM tsvc_results")
        assert octets < 200_000  # 780,000 as text


class TestLost:
    def test_nobody_finishes_the_runs_of_a_daemon_that_died(self, make_store: MakeStore) -> None:
        first = make_store()
        finished, running = add(first, "a"), first.begin(summary("b"), {})
        again = Store(str(first._engine.url), "tester")
        assert again.open("tester") == 1
        lost, kept = again.list(Wanted(10))
        assert (lost["result_id"], lost["state"], lost["completed"]) == (running, "lost", 1)
        assert lost["counts"] == summary()["counts"], "what was known at the last snapshot"
        assert kept == {"result_id": finished, **completed("a")}
        again.close()

    @pytest.mark.parametrize(
        ("before", "after"),
        [("pass", "abort"), ("fail", "abort"), ("abort", "abort"), ("cancelled", "cancelled")],
    )
    def test_a_lost_run_did_not_pass(self, make_store: MakeStore, before: str, after: str) -> None:
        make_store().begin(summary(verdict=before), {})
        (lost,) = make_store().list(Wanted(10))
        assert lost["verdict"] == after

    def test_runs_of_another_daemon_are_its_own(self, make_store: MakeStore) -> None:
        make_store("one").begin(summary(), {})
        (found,) = make_store("two").list(Wanted(10))
        assert found["state"] == "running"


class TestTwoDaemons:
    """Two daemons with the same name and database; each has its own state folder."""

    @pytest.fixture
    def both(self, url: str) -> Iterator[tuple[Store, Store]]:
        pair = Store(url, "tsvc"), Store(url, "tsvc")
        for store, owner in zip(pair, ("a", "b"), strict=True):
            store.open(owner)
        yield pair
        for store in pair:
            store.close()

    def test_neither_loses_the_runs_of_the_other(self, both: tuple[Store, Store]) -> None:
        first, second = both
        ids = first.begin(summary("one"), {}), second.begin(summary("two"), {})
        assert first.open("a") == 1
        states = {row["result_id"]: row["state"] for row in second.list(Wanted(9))}
        assert states == {ids[0]: "lost", ids[1]: "running"}

    def test_neither_purges_the_rows_of_the_other(self, both: tuple[Store, Store]) -> None:
        first, second = both
        ids = [add(one, start=100.0) for one in (first, second, second, first, second)]
        assert first.purge(0.0, 1) == 1, "counted without the rows of the other"
        assert first.purge(200.0, 9) == 1
        assert [row["result_id"] for row in first.list(Wanted(9))] == [ids[4], ids[2], ids[1]]

    def test_neither_sweeps_out_the_runs_of_the_other(self, both: tuple[Store, Store]) -> None:
        first, second = both
        ids = [one.begin(summary(), {}) for one in (first, first, second)]
        assert first.sweep({ids[0]}) == 1
        assert [row["result_id"] for row in first.list(Wanted(9))] == [ids[2], ids[0]]

    def test_of_one_run_id_each_has_its_own(self, both: tuple[Store, Store]) -> None:
        first, second = both
        ids = [add(one, "nightly") for one in (first, second)]
        for store, result_id in zip(both, ids, strict=True):
            found = store.get(run_id="nightly")
            assert found is not None
            assert found.id == result_id


class TestList:
    def test_latest_first_in_pages(self, store: Store) -> None:
        ids = [add(store, f"run {n}") for n in range(7)]
        pages: list[int] = []
        before = None
        while page := store.list(Wanted(3, before)):
            assert len(page) <= 3
            pages += [row["result_id"] for row in page]
            before = pages[-1]
        assert pages == ids[::-1]

    def test_of_one_run_id(self, store: Store) -> None:
        ids = [add(store, name) for name in ("a", "b", "a", "A")]
        assert [row["result_id"] for row in store.list(Wanted(10, None, "a"))] == [ids[2], ids[0]]
        assert store.list(Wanted(10, ids[0], "a")) == []

    def test_the_latest_of_a_run_id(self, store: Store) -> None:
        add(store, "a")
        latest = add(store, "a")
        found = store.get(run_id="a")
        assert found is not None
        assert found.id == latest

    def test_unknown(self, store: Store) -> None:
        assert store.get(result_id=1) is None
        assert store.get(run_id="a") is None
        assert store.list(Wanted(10)) == []

    def test_ids_are_never_used_again(self, store: Store) -> None:
        first = add(store)
        store.purge(0.0, 0)
        assert add(store) > first, "a client may still hold the old one"


class TestPurge:
    def test_by_age(self, store: Store) -> None:
        for start in (100.0, 199.9, 200.0, 300.0):
            add(store, str(start), start=start)
        assert store.purge(200.0, 1000) == 2
        assert [row["run_id"] for row in store.list(Wanted(10))] == ["300.0", "200.0"]

    def test_by_number(self, store: Store) -> None:
        ids = [add(store) for _ in range(5)]
        assert store.purge(0.0, 2) == 3
        assert [row["result_id"] for row in store.list(Wanted(10))] == [ids[4], ids[3]]

    def test_more_than_at_once(
        self, store: Store, url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tables, "PURGED_AT_ONCE", 2)
        for _ in range(5):
            add(store)
        assert [store.purge(0.0, 0) for _ in range(4)] == [2, 2, 1, 0]

    def test_never_what_is_in_progress(self, store: Store) -> None:
        running = store.begin(summary(start=1.0), {})
        assert store.purge(1e9, 0) == 0
        assert [row["result_id"] for row in store.list(Wanted(10))] == [running]

    def test_lost_runs_age_too(self, make_store: MakeStore) -> None:
        make_store().begin(summary(), {})
        store = make_store()
        assert store.purge(1e9, 10) == 1
        assert store.list(Wanted(10)) == []


class TestFailures:
    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(ArchiveError, match="No such file"):
            Store(f"sqlite:///{tmp_path}/no/archive", "tester").open("tester")

    def test_no_database_at_all(self, tmp_path: Path) -> None:
        (tmp_path / "text").write_text("this is no database, whatever it is called\n" * 100)
        with pytest.raises(ArchiveError, match="not a database"):
            Store(f"sqlite:///{tmp_path / 'text'}", "tester").open("tester")

    @pytest.mark.parametrize(
        "call",
        [
            lambda store: store.begin(summary(), {}),
            lambda store: store.snapshot({1: summary()}),
            lambda store: store.finish(1, completed(), {}, []),
            lambda store: store.discard(1),
            lambda store: store.probe(),
            lambda store: store.sweep({1}),
            lambda store: store.purge(0.0, 1),
            lambda store: store.list(Wanted(1)),
            lambda store: store.get(run_id="a"),
        ],
    )
    def test_every_call_says_that_it_failed(self, store: Store, tmp_path: Path, call: Any) -> None:
        with sqlite3.connect(tmp_path / "archive.sqlite") as connection:
            for name in ("tsvc_results", "tsvc_archive", "tsvc_probes"):
                connection.execute(f"DROP TABLE {name}")
        with pytest.raises(ArchiveError, match="no such table"):
            call(store)


@pytest.mark.parametrize(
    "url", ["none://user:hush@host/d", "user:hush@host", "postgresql://user:hush@host:x/d"]
)
def test_a_url_that_names_no_database(url: str) -> None:
    with pytest.raises(ArchiveError) as refused:
        Store(url, "tester")
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("postgresql://h/d", "pip install 'psycopg[binary]'"),
        ("mysql://h/d", "pip install PyMySQL"),
        ("mariadb+pymysql://h/d", "pip install PyMySQL"),
        ("oracle+oracledb://h/d", "pip install oracledb"),
    ],
)
def test_a_driver_that_is_not_there_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, url: str, wanted: str
) -> None:
    for package in ("psycopg", "psycopg2", "pymysql", "MySQLdb", "oracledb", "cx_Oracle"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("tsvc.archive.store.find_spec", lambda name: None)
    with pytest.raises(ArchiveError, match=re.escape(wanted)):
        Store(url, "d")


def test_the_driver_is_named_where_another_one_was_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "MySQLdb", None)
    with pytest.raises(ArchiveError, match=r"write mysql\+pymysql://"):
        Store("mysql://h/d", "d")
