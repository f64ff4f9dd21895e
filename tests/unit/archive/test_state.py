"""Files of the state folder: who can read them, who owns the folder, what survives a crash."""

import os
import random
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from unit.archive.conftest import summary

from tsvc.archive.archive import Archive
from tsvc.archive.spill import ROOM_OCTETS, Spill
from tsvc.archive.state import identity, open_private
from tsvc.archive.store import VERSION, Store


@pytest.fixture(params=[0o000, 0o022, 0o027, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def run(folder: Path) -> Archive:
    archive = Archive(Store(f"sqlite:///{folder / 'archive.sqlite'}", "tester"), folder)
    archive.start()
    archive.begin(summary(), {})
    return archive


NAMES = {"id", "waiting", "archive.sqlite", "archive.sqlite-wal", "archive.sqlite-shm"}


def test_nobody_else_reads_them_whatever_the_umask(tmp_path: Path, umask: None) -> None:
    archive = run(tmp_path)
    assert modes(tmp_path) == dict.fromkeys(NAMES, 0o600)
    archive.stop()


def test_files_that_were_open_to_others_are_tightened(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    archive = run(tmp_path)
    for name in NAMES:
        (tmp_path / name).chmod(0o644)
    again = run(tmp_path)
    assert modes(tmp_path) == dict.fromkeys(NAMES, 0o600)
    told = [one for one in caplog.records if one.message == "file was open to others"]
    assert len(told) == len(NAMES), "a line for each"
    for one in (archive, again):
        one.stop()


def test_an_upgrade_is_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "tsvc.archive")
    run(tmp_path).stop()
    with closing(sqlite3.connect(tmp_path / "archive.sqlite")) as connection, connection:
        for name in ("name", "words"):
            connection.execute(f"ALTER TABLE tsvc_results DROP COLUMN {name}")
        connection.execute("UPDATE tsvc_archive SET version = 2")
    run(tmp_path).stop()
    run(tmp_path).stop()
    (told,) = [one for one in caplog.records if one.message == "upgraded"]
    assert vars(told)["tsvc_fields"] == {"version_before": 2, "version": VERSION}


def test_a_folder_has_one_id_for_good(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    first = identity(tmp_path)
    assert len(bytes.fromhex(first)) == 16
    assert identity(tmp_path) == first
    assert identity(other) != first
    assert identity(Path()) != identity(Path())


@pytest.mark.parametrize("left", [b"", b"\0" * 33, b"abc"])
def test_an_id_that_a_crash_cut_off_is_made_anew(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "id").write_bytes(left)
    assert len(identity(tmp_path)) == 32
    assert identity(tmp_path) == identity(tmp_path)


class TestSpill:
    def test_records_come_back_until_they_are_cleared(self, tmp_path: Path) -> None:
        spill = Spill(tmp_path)
        assert list(spill.open()) == []
        assert (tmp_path / "waiting").stat().st_size == ROOM_OCTETS, "its room is taken"
        records = [random.randbytes(size) for size in (1, 1000, 30_000)]
        for record in records:
            spill.add(record)
        assert list(Spill(tmp_path).open()) == records
        spill.clear()
        assert list(Spill(tmp_path).open()) == []
        spill.add(b"again")
        assert list(Spill(tmp_path).open()) == [b"again"], "not what stood behind it"
        spill.close()

    def test_more_than_its_room(self, tmp_path: Path) -> None:
        spill = Spill(tmp_path)
        list(spill.open())
        records = [bytes([n]) * ROOM_OCTETS for n in range(3)]
        for record in records:
            spill.add(record)
        assert list(Spill(tmp_path).open()) == records
        spill.clear()
        assert (tmp_path / "waiting").stat().st_size == ROOM_OCTETS

    def test_a_crash_at_each_octet_of_a_record(self, tmp_path: Path) -> None:
        """Records before the damaged one are still there, and later records are readable again."""
        spill = Spill(tmp_path)
        list(spill.open())
        spill.add(b"first")
        spill.add(b"second")
        whole = (tmp_path / "waiting").read_bytes()[:64]
        for cut in range(8 + len(b"first"), len(whole)):
            for garbage in (b"\0", b"\xff"):
                (tmp_path / "waiting").write_bytes(whole[:cut] + garbage * 40)
                again = Spill(tmp_path)
                found = list(again.open())
                assert found in ([b"first"], [b"first", b"second"])
                again.add(b"third")
                assert list(Spill(tmp_path).open()) == [*found, b"third"]
                again.close()


def test_a_private_file_is_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("kept")
    descriptor = open_private(tmp_path / "a")
    assert os.read(descriptor, 10) == b"kept"
    os.close(descriptor)
