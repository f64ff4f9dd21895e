"""Keys in the live view on a separate terminal; every way out restores the terminal."""

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import DaemonProcess, running
from support.waiting import stays, until

from tsvc.cli.embedded import PrivateDaemon, clean_environment
from tsvc.client import Client

pytestmark = pytest.mark.e2e

HANG_GUARD_S = 60
LOAD = {
    "distribution": {"type": "linear", "cps": 20, "total": 100_000, "backlog": 1000},
    "operations": [{"type": "pass", "arguments": {"text": "here we are"}}],
}
HALTING = {"operations": [{"type": "halt", "arguments": {"seconds": 600}}]}
FLAGS = 3  # index of the local flags in the result of tcgetattr()
KEYS = termios.ICANON | termios.ECHO


class Terminal:
    """A terminal and a command in its foreground; the terminal outlives the command."""

    def __init__(self, port: int, *arguments: object) -> None:
        self.ours, self.theirs = pty.openpty()
        self.seen = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tsvc.cli.main", *map(str, arguments)],
            env={**clean_environment(), "TSVC_PORT": str(port), "TERM": "xterm"},
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=self.theirs,
            start_new_session=True,
            preexec_fn=_as_of_a_terminal,
        )

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def read(self) -> bytes:
        """Read the output; the command would block if nobody read it."""
        while select.select([self.ours], [], [], 0.01)[0]:
            self.seen += os.read(self.ours, 65536)
        return self.seen

    def shows(self, text: str) -> None:
        until(lambda: text.encode() in self.read(), what=lambda: self.seen[-2000:])

    def wait(self) -> int:
        until(lambda: self.read() is not None and self.process.poll() is not None)
        return int(self.process.wait())

    def modes(self) -> list[Any]:
        return termios.tcgetattr(self.theirs)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(HANG_GUARD_S)
        os.close(self.ours)
        os.close(self.theirs)


def _as_of_a_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests themselves may run under nohup


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateDaemon]:
    with PrivateDaemon() as found:
        yield found


@pytest.fixture
def client(daemon: PrivateDaemon) -> Client:
    return daemon.client()


@contextlib.contextmanager
def command(daemon: PrivateDaemon | DaemonProcess, *arguments: object) -> Iterator[Terminal]:
    terminal = Terminal(daemon.port, *arguments)
    try:
        yield terminal
    finally:
        terminal.close()


@pytest.fixture
def load(client: Client) -> Iterator[str]:
    run_id = client.execute(LOAD)
    yield run_id
    client.cancel(run_id)


def current_cps(client: Client, run_id: str) -> float:
    return float(client.query(run_id).raw["plan"]["current_cps"])


def test_keys_change_the_rate_and_pause(daemon: PrivateDaemon, client: Client, load: str) -> None:
    with command(daemon, "watch", load) as terminal:
        before = terminal.modes()
        terminal.shows("+ - 1/s  * / 10/s  p pause  q leave it")
        assert terminal.modes()[FLAGS] & KEYS == 0
        terminal.press("*++")
        until(lambda: terminal.read() and current_cps(client, load) == 32)
        terminal.shows("rate 32.00/s")
        terminal.press("-")
        until(lambda: terminal.read() and current_cps(client, load) == 31)
        terminal.shows("now 31.00/s")
        terminal.press("////")
        terminal.shows("the rate stays at 31.00/s")
        terminal.press("p")
        terminal.shows("p go on")
        started = client.query(load).counts.started
        stays(lambda: terminal.read() and client.query(load).counts.started == started, 0.3)
        terminal.press("p")
        until(lambda: terminal.read() and client.query(load).counts.started > started)
        terminal.press("q")
        assert terminal.wait() == 130
        assert f"run {load} goes on".encode() in terminal.read()
        assert terminal.modes() == before
    assert not client.query(load).completed


def test_q_cancels_what_this_command_runs(
    daemon: PrivateDaemon, client: Client, tmp_path: Path
) -> None:
    path = tmp_path / "load.json"
    path.write_text(json.dumps(LOAD))
    with command(daemon, "run", path, path) as terminal:
        before = terminal.modes()
        terminal.shows("q cancel")
        terminal.press("q")
        assert terminal.wait() == 3
        assert b"verdict    \x1b[33mcancelled" in terminal.read()
        assert terminal.modes() == before
    assert not [run for run in client.query_all() if run.run_id.startswith("load-")]


def test_a_single_instance_has_no_rate_and_no_pause(daemon: PrivateDaemon, client: Client) -> None:
    run_id = client.execute(HALTING)
    with command(daemon, "watch", run_id) as terminal:
        terminal.shows("q leave it")
        assert b"p pause" not in terminal.seen
        assert b"1/s" not in terminal.seen
        terminal.press("+p")
        stays(lambda: terminal.read() and client.query(run_id).rate.raw["paused"] == 0, 0.3)
        assert b"refused" not in terminal.seen
    client.cancel(run_id)


@pytest.mark.parametrize(
    ("way", "status"), [("the run ends", 0), ("ctrl-c", 130), ("SIGTERM", -15), ("SIGHUP", -1)]
)
def test_the_terminal_is_put_back(
    daemon: PrivateDaemon, client: Client, way: str, status: int
) -> None:
    run_id = client.execute(HALTING)
    with command(daemon, "watch", run_id) as terminal:
        before = terminal.modes()
        terminal.shows("tsvc resume")
        assert terminal.modes()[FLAGS] & KEYS == 0
        if way == "the run ends":
            client.resume(run_id, "0")
        elif way == "ctrl-c":
            terminal.press("\x03")
        else:
            terminal.process.send_signal(signal.Signals[way])
        assert terminal.wait() == status
        assert terminal.modes() == before


def test_the_terminal_is_put_back_when_the_daemon_dies(tmp_path: Path) -> None:
    with running(tmp_path) as daemon:
        assert daemon.result("ExecuteTest", {**HALTING, "run_id": "orphan"}) == "ok"
        with command(daemon, "watch", "orphan") as terminal:
            before = terminal.modes()
            terminal.shows("tsvc resume")
            daemon.kill()
            assert terminal.wait() == 5
            assert terminal.modes() == before


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again(
    daemon: PrivateDaemon, client: Client
) -> None:
    run_id = client.execute(HALTING)
    with command(daemon, "watch", run_id) as terminal:
        before = terminal.modes()
        terminal.shows("q leave it")
        # Nothing stops here: the group is orphaned (POSIX), because no shell is above it.
        terminal.process.send_signal(signal.SIGTSTP)
        until(lambda: terminal.read() and terminal.modes() == before)
        terminal.process.send_signal(signal.SIGCONT)
        until(lambda: terminal.read() and terminal.modes()[FLAGS] & KEYS == 0)
        terminal.press("q")
        assert terminal.wait() == 130
        assert terminal.modes() == before
    client.cancel(run_id)


def test_without_a_terminal_of_our_own_there_are_no_keys(
    daemon: PrivateDaemon, client: Client
) -> None:
    """stdin is a pipe, but there is a live view: the pipe's input is not for the view."""
    run_id = client.execute(HALTING)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tsvc.cli.main", "watch", run_id],
        env={**clean_environment(), "TSVC_PORT": str(daemon.port), "TERM": "xterm"},
        stdin=subprocess.PIPE,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    try:
        assert process.stdin is not None
        process.stdin.write(b"qqq")
        process.stdin.flush()
        deadline = time.monotonic() + HANG_GUARD_S
        while b"tsvc resume" not in seen:
            assert time.monotonic() < deadline, seen
            if select.select([ours], [], [], 1)[0]:
                seen += os.read(ours, 65536)
        assert b"q leave it" not in seen
        assert process.poll() is None
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)
        os.close(ours)
    client.cancel(run_id)
