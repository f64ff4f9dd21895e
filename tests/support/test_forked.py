"""Forked processes end as the real commands do, and have the same output."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.daemons import HANG_GUARD_S, ROOT, configure
from support.forked import start_forked
from support.waiting import until

DAEMON = "tsvc.cli.tsvcd"


@pytest.mark.parametrize(
    ("arguments", "status"), [(["--version"], 0), (["--nonsense"], 2), (["-c", "nowhere"], 78)]
)
def test_it_says_and_returns_what_the_command_does(
    tmp_path: Path, arguments: list[str], status: int
) -> None:
    log = tmp_path / "log"
    forked = start_forked(f"{DAEMON}:main", arguments, log, os.environ, ROOT)
    command = [sys.executable, "-m", DAEMON, *arguments]
    real = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert forked.wait(HANG_GUARD_S) == real.returncode == status
    # The usage text contains the command by which it was started.
    assert log.read_bytes() == (real.stdout + real.stderr).replace(b"python -m ", b"")


def test_its_life(tmp_path: Path) -> None:
    configure(tmp_path)
    log = tmp_path / "log"
    arguments = ["-c", str(tmp_path / "tsvc.toml")]
    one = start_forked(f"{DAEMON}:main", arguments, log, os.environ, tmp_path)
    until(lambda: "daemon ready" in log.read_text())
    assert one.poll() is None
    assert Path(f"/proc/{one.pid}/cwd").readlink() == tmp_path
    with pytest.raises(subprocess.TimeoutExpired):
        one.wait(0)
    one.terminate()
    assert one.wait(HANG_GUARD_S) == one.returncode == 0
    one.terminate()  # the process has ended: this does nothing
    other = start_forked(f"{DAEMON}:main", arguments, log, os.environ, tmp_path)
    other.kill()
    assert other.wait(HANG_GUARD_S) == -signal.SIGKILL
