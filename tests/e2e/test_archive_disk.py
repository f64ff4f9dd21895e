"""Disk full, for real: a clear state, running tests unharmed, new runs refused, all kept later."""

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
from support.waiting import until

pytestmark = pytest.mark.e2e

WAIT = [{"type": "wait", "arguments": {"seconds": 0.01}}]
LOAD = {"type": "linear", "total": 600, "backlog": 100, "cps": 150}
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
    """A file system of 8 MiB of our own, with ballast in it."""
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
    """Return what the archive says once it says this."""

    def as_expected() -> dict[str, Any] | None:
        archive = archive_of(daemon)
        return archive if expected.items() <= archive.items() else None

    return until(as_expected, what=lambda: archive_of(daemon)) or {}


def test_full_and_room_again(disk: Disk) -> None:
    daemon = disk.daemon
    earlier = daemon.run({"operations": WAIT}, run_id="earlier")
    assert archive_of(daemon) == {"state": "up", "detail": "", "waiting": 0}
    for run_id in ("one", "two"):
        run = {"run_id": run_id, "operations": WAIT, "distribution": LOAD}
        assert daemon.result("ExecuteTest", run) == "ok"
    disk.fill()

    archive = until_archive(daemon, state="failing")
    assert archive["detail"], "the database's own words"
    refused = daemon.call("ExecuteTest", {"run_id": "new", "operations": WAIT, "locks": []})
    assert (refused["error"]["code"], refused["error"]["data"]["kind"]) == (2003, "archive.down")
    assert archive["detail"] in refused["error"]["message"]
    assert daemon.call("QueryTest", {"run_id": "new"})["error"]["code"] == 2004, "nothing remains"

    results = {
        run_id: daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60})
        for run_id in ("one", "two")
    }
    for result in results.values():
        assert result["completed"] == 1
        assert result["verdict"] == "pass"
        assert result["counts"]["passed"] == LOAD["total"], "unharmed"
    archive = until_archive(daemon, waiting=2)
    assert archive["state"] == "failing"
    again = daemon.result("QueryTest", {"run_id": "earlier"})
    assert {**again, "time_now": 0} == {**earlier, "time_now": 0}, "still readable"

    disk.empty()
    assert until_archive(daemon, waiting=0)["state"] == "up"
    assert daemon.run({"operations": WAIT}, run_id="new")["verdict"] == "pass"
    daemon.kill()
    daemon = disk.daemon = launch(daemon.folder, daemon.port)
    for run_id, result in results.items():
        again = daemon.result("QueryTest", {"run_id": run_id})
        assert {**again, "time_now": 0} == {**result, "time_now": 0}
    daemon.kill()
