"""A really full disk: a clear state, no harm to running tests, new runs refused, all stored
later."""

import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.daemons import DaemonProcess, configure, launch
from support.shared_runs import completed, kept_open
from support.waiting import until

pytestmark = pytest.mark.e2e

WAIT = [{"type": "wait", "arguments": {"seconds": 0.01}}]
OPEN = kept_open(*WAIT)  # in progress until the test has finished with the disk
LOAD = {"type": "linear", "total": 600, "backlog": 100, "cps": 150}
DEADLINE_S = 4  # for operations on a hanging disk; a busy disk needs less
QUIET = '[log]\nlevel = "error"\n'


@dataclass
class Disk:
    """A daemon whose disk can be filled up and emptied."""

    daemon: DaemonProcess
    fill: Callable[[], None]
    empty: Callable[[], None]


def limited(tmp_path: Path) -> Iterator[Disk]:
    """A process that may write nothing into any file (RLIMIT_FSIZE), changed from outside."""
    daemon = launch(tmp_path, configure(tmp_path, QUIET))

    def limit(octets: int) -> None:
        hard = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (octets, hard))

    yield Disk(daemon, lambda: limit(1), lambda: limit(resource.RLIM_INFINITY))
    daemon.kill()


def small(tmp_path: Path) -> Iterator[Disk]:
    """A separate file system of 8 MiB, with ballast in it."""
    state = tmp_path / "state"
    state.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tsvc-test", str(state)]
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs root to mount a small file system")
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small file system")
    ballast = state / "ballast"

    def fill() -> None:
        with ballast.open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                return

    daemon = launch(tmp_path, configure(tmp_path, QUIET))
    yield Disk(daemon, fill, ballast.unlink)
    daemon.kill()
    subprocess.run(["umount", str(state)], check=True)


@pytest.fixture(params=[limited, small], ids=["limit", "file system"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    yield from request.param(tmp_path)


def archive_of(daemon: DaemonProcess) -> dict[str, Any]:
    return dict(daemon.result("DescribeService")["archive"])


def until_archive(daemon: DaemonProcess, **expected: Any) -> dict[str, Any]:
    """Return the state of the archive as soon as it has the expected members."""

    def as_expected() -> dict[str, Any] | None:
        archive = archive_of(daemon)
        return archive if expected.items() <= archive.items() else None

    return until(as_expected, what=lambda: archive_of(daemon)) or {}


def test_full_and_room_again(disk: Disk) -> None:
    daemon = disk.daemon
    earlier = daemon.run({"operations": WAIT}, run_id="earlier")
    assert archive_of(daemon) == {"state": "up", "detail": "", "waiting": 0}
    for run_id in ("one", "two"):
        run = {"run_id": run_id, "operations": OPEN, "distribution": LOAD}
        assert daemon.result("ExecuteTest", run) == "ok"
    disk.fill()

    archive = until_archive(daemon, state="failing")
    assert archive["detail"], "the database's own words"
    refused = daemon.call("ExecuteTest", {"run_id": "new", "operations": WAIT, "locks": []})
    assert (refused["error"]["code"], refused["error"]["data"]["kind"]) == (2003, "archive.down")
    assert archive["detail"] in refused["error"]["message"]
    assert daemon.call("QueryTest", {"run_id": "new"})["error"]["code"] == 2004, "nothing remains"

    results = {run_id: completed(daemon, run_id) for run_id in ("one", "two")}
    for result in results.values():
        assert result["completed"] == 1
        assert result["verdict"] == "pass"
        assert result["counts"]["passed"] == LOAD["total"], "unharmed"
        assert result["archived"] == 0
        again = daemon.result("QueryTest", {"run_id": result["run_id"]})
        assert {**again, "time_now": 0} == {**result, "time_now": 0}, "completed stays completed"
        again = daemon.result("GetResult", {"result_id": result["result_id"], "definition": True})
        assert again.pop("definition")["operations"] == OPEN
        assert {**again, "time_now": 0} == {**result, "time_now": 0}
    listed = daemon.result("ListResults")["results"]
    assert [(row["completed"], row["archived"]) for row in listed] == [(1, 0), (1, 0), (1, 1)]
    archive = until_archive(daemon, waiting=2)
    assert archive["state"] == "failing"
    again = daemon.result("QueryTest", {"run_id": "earlier"})
    assert {**again, "time_now": 0} == {**earlier, "time_now": 0}, "still readable"

    disk.empty()
    until_archive(daemon, state="up", waiting=0)
    assert daemon.run({"operations": WAIT}, run_id="new")["verdict"] == "pass"
    daemon.kill()
    daemon = disk.daemon = launch(daemon.folder, daemon.port)
    for run_id, result in results.items():
        again = daemon.result("QueryTest", {"run_id": run_id})
        assert {**again, "time_now": 0, "archived": 0} == {**result, "time_now": 0}
        assert again["archived"] == 1
    daemon.kill()


@pytest.fixture
def freezable(tmp_path: Path) -> Iterator[tuple[DaemonProcess, Callable[[str], None]]]:
    """A daemon on a file system that can be frozen ("-f") and thawed ("-u"): writes hang."""
    tools = [shutil.which(name) for name in ("mkfs.ext4", "fsfreeze", "mount")]
    if os.geteuid() != 0 or None in tools:
        pytest.skip("needs root, e2fsprogs and util-linux to freeze a file system")
    state, image = tmp_path / "state", tmp_path / "image"
    state.mkdir()
    with image.open("wb") as file:
        file.truncate(64 << 20)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True, capture_output=True)
    mount = ["mount", "-o", "loop", str(image), str(state)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system of a file")

    def freeze(option: str) -> None:
        subprocess.run(["fsfreeze", option, str(state)], check=False, capture_output=True)

    daemon = launch(tmp_path, configure(tmp_path, f"[results]\ndeadline_s = {DEADLINE_S}\n"))
    yield daemon, freeze
    freeze("-u")
    if daemon.process.poll() is None:
        daemon.kill()
    subprocess.run(["umount", str(state)], check=True)


def test_a_disk_that_hangs(freezable: tuple[DaemonProcess, Callable[[str], None]]) -> None:
    daemon, freeze = freezable
    for run_id, more in (("load", {"distribution": LOAD}), ("halted", {})):
        operations = OPEN if more else [{"type": "halt", "arguments": {"seconds": 600}}]
        run = {"run_id": run_id, "operations": operations, **more}
        assert daemon.result("ExecuteTest", run) == "ok"
    freeze("-f")
    refused = daemon.call("ExecuteTest", {"run_id": "new", "operations": WAIT})
    assert f"no answer within {DEADLINE_S} s" in refused["error"]["message"]
    result = completed(daemon, "load")
    assert (result["verdict"], result["archived"]) == ("pass", 0)
    freeze("-u")
    until_archive(daemon, state="up", waiting=0)
    again = daemon.result("QueryTest", {"run_id": "load"})
    assert {**again, "time_now": 0, "archived": 0} == {**result, "time_now": 0}
    assert again["archived"] == 1
    assert daemon.call("QueryTest", {"run_id": "new"})["error"]["code"] == 2004, "nothing remains"

    # Two signals end it, except for the thread that the kernel blocks until the disk continues.
    freeze("-f")
    until_archive(daemon, state="failing")
    daemon.process.terminate()
    daemon.wait_for("daemon stopping")
    daemon.process.terminate()
    until(lambda: "daemon stopped\n" in daemon.log)
    freeze("-u")
    assert daemon.process.wait(60) == 1
