"""The archive: results wait while the database fails, and are written afterwards."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import gevent
import pytest
from support.waiting import GUARD_S, stays, until
from unit.archive.conftest import completed, summary

from tsvc.archive.archive import Archive, Pending
from tsvc.archive.spill import Spill
from tsvc.archive.store import ArchiveError, Store
from tsvc.archive.wanted import Wanted

SHORT_S = 0.2  # a deadline for calls that are certain to hang

Switch = Callable[[], None]


def make(url: str, folder: Path) -> Archive:
    archive = Archive(Store(url, "tester", GUARD_S), folder, GUARD_S)
    archive.start()
    return archive


@pytest.fixture
def archive(url: str, tmp_path: Path) -> Iterator[Archive]:
    archive = make(url, tmp_path)
    yield archive
    archive.stop()


def rename(file: Path, old: str, new: str) -> None:
    with sqlite3.connect(file, timeout=GUARD_S) as connection:
        connection.execute(f"ALTER TABLE {old} RENAME TO {new}")


@pytest.fixture
def database(tmp_path: Path) -> tuple[Switch, Switch]:
    """(break, mend): the first removes the database's table, the second restores it."""
    file = tmp_path / "archive.sqlite"
    return (
        lambda: rename(file, "tsvc_results", "elsewhere"),
        lambda: rename(file, "elsewhere", "tsvc_results"),
    )


def test_a_run_from_begin_to_result(archive: Archive) -> None:
    result_id = archive.begin(summary(), {})
    archive.finish(Pending(result_id, completed(), {"seed": 5}, []))
    found = archive.get(run_id="a")
    assert found is not None
    assert (found.id, found.result) == (result_id, {"seed": 5})
    row = {"result_id": result_id, **completed(), "archived": 1}
    assert archive.list(Wanted(10, None, None)) == ([row], True)
    assert archive.status() == {"state": "up", "detail": "", "waiting": 0}


def test_what_can_not_be_written_waits(archive: Archive, database: tuple[Switch, Switch]) -> None:
    break_, mend = database
    first, second = archive.begin(summary("a"), {}), archive.begin(summary("b"), {})
    break_()
    with pytest.raises(ArchiveError):
        archive.begin(summary("c"), {})
    archive.snapshot({first: summary("a")})
    archive.finish(Pending(first, completed("a"), {}, []))
    archive.finish(Pending(second, completed("b"), {}, []))
    archive.retry()
    status = archive.status()
    assert (status["state"], status["waiting"]) == ("failing", 2)
    assert "tsvc_results" in status["detail"]
    mend()
    archive.retry()
    assert archive.status() == {"state": "up", "detail": "", "waiting": 0}
    listed, is_whole = archive.list(Wanted(10, None, None))
    assert [(row["run_id"], row["archived"]) for row in listed] == [("b", 1), ("a", 1)]
    assert is_whole


def test_what_waits_is_read_from_memory(archive: Archive, database: tuple[Switch, Switch]) -> None:
    """This holds for whole results and lists, for both ids, with the database up or down."""
    break_, mend = database
    earlier = archive.begin(summary("a"), {})
    archive.finish(Pending(earlier, completed("a"), {"n": 0}, [], {}))
    ids = [archive.begin(summary(name), {"n": name}) for name in ("a", "b")]
    break_()
    for result_id, name in zip(ids, ("a", "b"), strict=True):
        archive.finish(Pending(result_id, completed(name), {"n": 1}, [[name]], {"n": name}))
    for is_mended in (False, True):
        for found in (archive.get(result_id=ids[0]), archive.get(run_id="a")):
            assert found is not None
            assert (found.id, found.state, found.is_waiting) == (ids[0], "completed", True)
            assert (found.result, found.messages) == ({"n": 1}, [["a"]])
            assert (found.definition, found.summary) == ({"n": "a"}, completed("a"))
        listed, is_whole = archive.list(Wanted(2, None, None))
        assert [row["result_id"] for row in listed] == ids[::-1]
        assert {row["archived"] for row in listed} == {0}
        assert {row["completed"] for row in listed} == {1}
        assert is_whole is is_mended
        assert [row["result_id"] for row in archive.list(Wanted(9, ids[1], "a"))[0]][:1] == [
            ids[0]
        ]
        if not is_mended:
            mend()
    archive.retry()
    found = archive.get(result_id=ids[0])
    assert found is not None
    assert (found.is_waiting, found.result) == (False, {"n": 1})


def test_nothing_starts_before_what_waits_is_written(
    archive: Archive, database: tuple[Switch, Switch]
) -> None:
    """One write that succeeds is no recovery. On a full disk a write that needs no page does."""
    break_, mend = database
    result_id = archive.begin(summary("a"), {})
    break_()
    archive.finish(Pending(result_id, completed("a"), {}, []))
    mend()
    for _ in range(3):
        archive.snapshot({result_id: summary("a")})
        with pytest.raises(ArchiveError, match="1 results wait for it"):
            archive.begin(summary("b"), {})
    archive.retry()
    assert archive.begin(summary("b"), {}) > result_id


def test_a_run_that_was_refused_after_all_is_swept_out(
    url: str, archive: Archive, database: tuple[Switch, Switch]
) -> None:
    """Its row was written by a call after the caller had stopped waiting for it."""
    break_, mend = database
    running = archive.begin(summary("running"), {})
    archive._store.begin(summary("phantom"), {})
    break_()
    archive.snapshot({running: summary("running")})
    mend()
    archive.retry()
    assert [row["run_id"] for row in archive.list(Wanted(9, None, None))[0]] == ["running"]


def test_recovers_with_nothing_waiting(archive: Archive, database: tuple[Switch, Switch]) -> None:
    break_, mend = database
    break_()
    with pytest.raises(ArchiveError):
        archive.begin(summary(), {})
    mend()
    archive.retry()
    assert archive.problem is None


def test_stop_writes_what_waits(
    url: str, archive: Archive, database: tuple[Switch, Switch]
) -> None:
    break_, mend = database
    other = make(url, Path())
    result_id = other.begin(summary(), {})
    break_()
    other.finish(Pending(result_id, completed(), {}, []))
    mend()
    other.stop()
    found = archive.get(result_id=result_id)
    assert found is not None
    assert found.state == "completed"


def test_a_run_nobody_waits_for_any_more_is_taken_out(archive: Archive, tmp_path: Path) -> None:
    holder = sqlite3.connect(tmp_path / "archive.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")  # another writer: begin() has to wait
    with gevent.Timeout(0.05, False):
        archive.begin(summary(), {})
        pytest.fail("did not wait")
    holder.execute("COMMIT")
    holder.close()
    until(lambda: archive.get(run_id="a"))  # first the row is written,
    until(lambda: archive.get(run_id="a") is None)  # then removed


def test_the_event_loop_goes_on_while_the_disk_is_slow(archive: Archive, tmp_path: Path) -> None:
    holder = sqlite3.connect(tmp_path / "archive.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    begun = gevent.spawn(archive.begin, summary(), {})
    stays(lambda: not begun.ready(), 0.02)
    holder.execute("COMMIT")
    holder.close()
    assert begun.get(timeout=GUARD_S) == 1


def test_start_reports_what_was_lost(url: str, archive: Archive, tmp_path: Path) -> None:
    archive.begin(summary(), {})
    again = make(url, tmp_path)
    assert again.lost == 1
    again.stop()


def test_what_waited_at_a_crash_is_written_by_the_next_daemon(
    url: str, archive: Archive, database: tuple[Switch, Switch], tmp_path: Path
) -> None:
    break_, mend = database
    ids = {name: archive.begin(summary(name), {"n": name}) for name in ("a", "b", "lost")}
    break_()
    for name in ("a", "b"):
        pending = Pending(ids[name], completed(name), {"n": name}, [[name]], {"n": name})
        archive.finish(pending)
    mend()
    again = make(url, tmp_path)  # the first archive was not stopped
    assert again.lost == 1
    assert again.status() == {"state": "up", "detail": "", "waiting": 0}
    states = {row["run_id"]: row["state"] for row in again.list(Wanted(9, None, None))[0]}
    assert states == {"a": "completed", "b": "completed", "lost": "lost"}
    found = again.get(result_id=ids["a"])
    assert found is not None
    assert (found.result, found.messages) == ({"n": "a"}, [["a"]])
    again.stop()
    once_more = make(url, tmp_path)
    assert (once_more.lost, once_more.status()["waiting"]) == (0, 0)
    once_more.stop()


def test_records_of_another_database_harm_nobody(
    url: str, archive: Archive, database: tuple[Switch, Switch], tmp_path: Path
) -> None:
    result_id = archive.begin(summary("a"), {})
    database[0]()
    archive.finish(Pending(result_id, completed("a"), {"n": 1}, []))
    other = make(f"{url}.other", tmp_path)
    assert other.list(Wanted(9)) == ([], True)
    assert other.begin(summary("b"), {}) == result_id
    database[1]()
    other.stop()


class TestHanging:
    """A call that does not return blocks the archive's thread, but no other caller."""

    @pytest.fixture
    def release(self) -> Event:
        return Event()

    @pytest.fixture
    def hanging(self, url: str, tmp_path: Path, release: Event) -> Iterator[Archive]:
        archive = make(url, tmp_path)
        yield archive
        release.set()
        until(lambda: not archive._worker.is_stuck)
        archive.stop()

    @pytest.fixture
    def stuck(self, hanging: Archive, release: Event) -> Archive:
        """An archive whose thread hangs, as if the disk did not respond."""
        self.running = hanging.begin(summary("running"), {})
        hanging._worker.deadline_s = SHORT_S
        with pytest.raises(ArchiveError, match=r"no answer within 0\.2 s"):
            hanging._watched(lambda: release.wait(3 * GUARD_S))
        hanging._worker.deadline_s = 2 * GUARD_S  # no later call may wait that long
        return hanging

    def test_everybody_is_told_at_once(self, stuck: Archive) -> None:
        assert stuck.status()["state"] == "failing"
        for call in (
            lambda: stuck.begin(summary("b"), {}),
            lambda: stuck.list(Wanted(9)),
            lambda: stuck.get(run_id="running"),
        ):
            with gevent.Timeout(GUARD_S), pytest.raises(ArchiveError, match="no answer within"):
                call()

    def test_a_run_completes_and_is_read(self, stuck: Archive, tmp_path: Path) -> None:
        stuck.finish(Pending(self.running, completed("running"), {"n": 1}, []))
        found = stuck.get(run_id="running")
        assert found is not None
        assert (found.result, found.is_waiting) == ({"n": 1}, True)
        (row,), is_whole = stuck.list(Wanted(9))
        assert (row["completed"], row["archived"], is_whole) == (1, 0, False)
        assert len(list(Spill(tmp_path).open())) == 1, "it would survive a crash"

    def test_it_recovers_by_itself(self, stuck: Archive, release: Event) -> None:
        stuck.finish(Pending(self.running, completed("running"), {"n": 1}, []))
        stuck.retry()
        assert stuck.status()["state"] == "failing"
        release.set()
        until(lambda: stuck.retry() or stuck.status()["state"] == "up")
        assert stuck.status()["waiting"] == 0
        found = stuck.get(run_id="running")
        assert found is not None
        assert not found.is_waiting

    def test_stop_waits_for_nothing_that_hangs(self, stuck: Archive) -> None:
        with gevent.Timeout(GUARD_S):
            stuck.stop()

    def test_who_reads_tells_it_to_who_writes(self, hanging: Archive, release: Event) -> None:
        hanging._worker.deadline_s = SHORT_S
        with pytest.raises(ArchiveError):
            hanging._perform(lambda: release.wait(3 * GUARD_S))
        assert hanging.status()["state"] == "failing"
