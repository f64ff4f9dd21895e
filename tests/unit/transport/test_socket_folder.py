"""Folders of sockets: no other user can read them, and none stays for long."""

import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tsvc.transport.socket_folder import SocketFolder

HOLDER = """
import signal
from tsvc.transport.socket_folder import SocketFolder
print(SocketFolder("test").path, flush=True)
signal.pause()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_it_is_ours_alone_and_goes(temporary: Path) -> None:
    folder = SocketFolder("test")
    assert folder.path.parent == temporary
    assert folder.path.stat().st_mode & 0o777 == 0o700
    (folder.path / "0").touch()
    folder.remove()
    folder.remove()
    assert not any(temporary.iterdir())


def test_the_next_one_removes_that_of_a_process_that_was_killed(temporary: Path) -> None:
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        (left / "0").touch()
        beside = SocketFolder("test")
        assert left.is_dir()  # its process still uses it
        process.send_signal(signal.SIGKILL)
    (temporary / "test").mkdir()
    (temporary / "tsvc-other-1").mkdir()
    (temporary / "tsvc-test-file").touch()
    (temporary / "tsvc-test-link").symlink_to(temporary / "test")
    mine = SocketFolder("test")
    assert not left.exists()
    assert beside.path.is_dir()
    there = {one.name for one in temporary.iterdir()} - {beside.path.name, mine.path.name}
    assert there == {"test", "tsvc-other-1", "tsvc-test-file", "tsvc-test-link"}


def test_none_is_taken_from_who_makes_one_at_the_same_time(temporary: Path) -> None:
    def make_many(_: int) -> list[SocketFolder]:
        return [SocketFolder("test") for _ in range(25)]

    with ThreadPoolExecutor(8) as pool:
        made = [folder for one in pool.map(make_many, range(8)) for folder in one]
    assert all(folder.path.is_dir() for folder in made)
    assert len(list(temporary.iterdir())) == len(made)
    for folder in made:
        folder.remove()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
def test_that_of_another_user_stays(temporary: Path) -> None:
    left = temporary / "tsvc-test-0"
    left.mkdir()
    os.chown(left, 65534, 65534)
    SocketFolder("test").remove()
    assert left.is_dir()
