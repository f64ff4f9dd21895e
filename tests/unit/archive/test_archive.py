"""The archive at work: what waits while the database fails, and what is written after."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import gevent
import pytest
from support.waiting import stays, until
from unit.archive.conftest import completed, summary

from tsvc.archive.archive import Archive, Pending
from tsvc.archive.store import ArchiveError, Store

GUARD_S = 20.0
Switch = Callable[[], None]


@pytest.fixture
def archive(url: str) -> Iterator[Archive]:
    archive = Archive(Store(url, "tester"))
    archive.start()
    yield archive
    archive.stop()


def rename(file: Path, old: str, new: str) -> None:
    with sqlite3.connect(file, timeout=GUARD_S) as connection:
        connection.execute(f"ALTER TABLE {old} RENAME TO {new}")


@pytest.fixture
def database(tmp_path: Path) -> tuple[Switch, Switch]:
    """(break, mend): the database loses its table and gets it back."""
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
    assert archive.list(10, None, None) == [{"result_id": result_id, **completed()}]
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
    assert not archive.is_up
    mend()
    archive.retry()
    assert archive.status() == {"state": "up", "detail": "", "waiting": 0}
    assert [row["run_id"] for row in archive.list(10, None, None)] == ["b", "a"]


def test_recovers_with_nothing_waiting(archive: Archive, database: tuple[Switch, Switch]) -> None:
    break_, mend = database
    break_()
    with pytest.raises(ArchiveError):
        archive.begin(summary(), {})
    mend()
    archive.retry()
    assert archive.is_up


def test_stop_writes_what_waits(
    url: str, archive: Archive, database: tuple[Switch, Switch]
) -> None:
    break_, mend = database
    other = Archive(Store(url, "other"))
    other.start()
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
    until(lambda: archive.get(run_id="a"))  # first it is written,
    until(lambda: archive.get(run_id="a") is None)  # then undone


def test_the_event_loop_goes_on_while_the_disk_is_slow(archive: Archive, tmp_path: Path) -> None:
    holder = sqlite3.connect(tmp_path / "archive.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    begun = gevent.spawn(archive.begin, summary(), {})
    stays(lambda: not begun.ready(), 0.02)
    holder.execute("COMMIT")
    holder.close()
    assert begun.get(timeout=GUARD_S) == 1


def test_start_reports_what_was_lost(url: str, archive: Archive) -> None:
    archive.begin(summary(), {})
    again = Archive(Store(url, "tester"))
    again.start()
    assert again.lost == 1
    again.stop()
