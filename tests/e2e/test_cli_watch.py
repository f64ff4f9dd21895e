"""Commands about the runs of others: watch, rate, pause, unpause, results."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.waiting import stays, until

from tsvc.cli.embedded import PrivateDaemon, clean_environment
from tsvc.client import Client

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
HANG_GUARD_S = 60
HALTING = {"operations": [{"type": "halt", "arguments": {"seconds": 600}}]}
PASSING = {"operations": [{"type": "pass", "arguments": {"text": "here we are"}}]}
FAILING = {"operations": [{"type": "fail", "arguments": {"text": "no"}}]}
LOAD = {
    "distribution": {"type": "linear", "cps": 20, "total": 100_000, "backlog": 1000},
    **PASSING,
}


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateDaemon]:
    with PrivateDaemon() as found:
        yield found


@pytest.fixture
def client(daemon: PrivateDaemon) -> Client:
    return daemon.client()


@pytest.fixture
def load(client: Client) -> Iterator[str]:
    run_id = client.execute(LOAD)
    yield run_id
    client.cancel(run_id)


def command(daemon: PrivateDaemon, *arguments: object) -> tuple[list[str], dict[str, str]]:
    """Return a command line and its environment, with the daemon as the default daemon."""
    environment = {**clean_environment(), "TSVC_PORT": str(daemon.port), "TERM": "xterm"}
    return [sys.executable, "-m", "tsvc.cli.main", *map(str, arguments)], environment


def tsvc(daemon: PrivateDaemon, *arguments: object) -> subprocess.CompletedProcess[str]:
    line, environment = command(daemon, *arguments)
    return subprocess.run(
        line, env=environment, capture_output=True, text=True, timeout=HANG_GUARD_S, cwd=ROOT
    )


def test_watch_shows_a_run_until_it_is_over(daemon: PrivateDaemon, client: Client) -> None:
    good, bad = client.execute(PASSING), client.execute(FAILING)
    found = tsvc(daemon, "watch", good)
    assert found.returncode == 0, found.stderr
    assert "verdict    pass: 1 of 1 passed" in found.stdout
    assert tsvc(daemon, "watch", bad).returncode == 1
    assert "refused (2004 run_id.unknown)" in tsvc(daemon, "watch", "nobody").stderr


def test_watch_is_live_on_a_terminal_and_ctrl_c_leaves_the_run_alone(
    daemon: PrivateDaemon, client: Client
) -> None:
    run_id = client.execute(HALTING)
    until(lambda: client.query(run_id).halted)
    line, environment = command(daemon, "watch", run_id)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(line, env=environment, cwd=ROOT, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        _read_until(ours, b"tsvc resume")
        process.send_signal(signal.SIGINT)
        _read_until(ours, b"goes on")
        assert process.wait(HANG_GUARD_S) == 130
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert client.query(run_id).halted
    client.resume(run_id, "0")
    assert client.wait(run_id).verdict == "pass"


def _read_until(terminal: int, expected: bytes) -> None:
    seen = b""
    deadline = time.monotonic() + HANG_GUARD_S
    while expected not in seen:
        ready, _, _ = select.select([terminal], [], [], deadline - time.monotonic())
        assert ready, f"{expected!r} never came, only {seen!r}"
        seen += os.read(terminal, 65536)


def test_rate_changes_a_load_that_is_in_progress(
    daemon: PrivateDaemon, client: Client, load: str
) -> None:
    found = tsvc(daemon, "rate", load, 200)
    assert (found.returncode, found.stdout) == (0, f"{load} goes on at 200 calls per second\n")
    until(lambda: client.query(load).rate.asked_peak == 200)
    ramp = tsvc(daemon, "rate", load, 300, "--from", 200, "--ramp", 2)
    assert ramp.stdout.endswith("300 calls per second, from 200 in 2 s\n"), ramp.stderr
    assert tsvc(daemon, "rate", load, 300, "--ramp", 2).returncode == 2
    assert tsvc(daemon, "rate", "nobody", 5).returncode == 5


def test_pause_and_unpause(daemon: PrivateDaemon, client: Client, load: str) -> None:
    until(lambda: client.query(load).counts.started)
    assert tsvc(daemon, "pause", load).returncode == 0
    started = client.query(load).counts.started
    stays(lambda: client.query(load).counts.started == started, 0.5)  # the time of ten starts
    assert tsvc(daemon, "unpause", load).returncode == 0
    until(lambda: client.query(load).counts.started > started)


def test_results_lists_and_shows_the_archive(
    daemon: PrivateDaemon, client: Client, tmp_path: Path
) -> None:
    client.execute(PASSING, "archived-1", wait=True, comment="what it is about")
    client.execute(FAILING, "archived-1", wait=True)
    client.execute(PASSING, "archived-2", wait=True)
    listed = tsvc(daemon, "results", "archived-1").stdout.splitlines()
    assert [line.split()[2:4] for line in listed] == [
        ["archived-1", "fail"],
        ["archived-1", "pass"],
    ]
    older = tsvc(daemon, "results", "archived-1", "--before", listed[0].split()[0])
    assert older.stdout.splitlines() == listed[1:]
    assert len(tsvc(daemon, "results", "--limit", 2).stdout.splitlines()) == 2
    whole = tsvc(daemon, "results", "--id", listed[0].split()[0])
    assert "verdict    fail: 0 of 1 passed" in whole.stdout
    answers = json.loads(tsvc(daemon, "results", "archived-2", "--json").stdout)
    assert [one["run_id"] for one in answers] == ["archived-2"]
    page = tmp_path / "r.html"
    written = tsvc(daemon, "results", "--id", listed[1].split()[0], "--html", page)
    assert written.returncode == 0, written.stderr
    report = page.read_text()
    assert "<title>archived-1: pass</title>" in report
    assert "<p>what it is about</p>" in report
    definition = report.partition(">Definition<")[2]
    assert "as it was run" in definition
    assert "here we are" in definition, "the arguments of its operation"
    assert tsvc(daemon, "results", "--html", page).returncode == 2
    assert "no results" in tsvc(daemon, "results", "nobody").stderr
    assert tsvc(daemon, "results", "--id", 99_999).returncode == 5


def test_ctrl_c_writes_the_reports_of_what_was_done(
    daemon: PrivateDaemon, client: Client, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(PASSING))
    (tmp_path / "b.json").write_text(json.dumps(HALTING))
    out = tmp_path / "out.junit"
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    line, environment = command(daemon, "run", *files, "--quiet", "--junit", out)
    process = subprocess.Popen(line, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        until(
            lambda: any(run.halted or _is_halted(client, run.run_id) for run in client.query_all())
        )
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=HANG_GUARD_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 3
    assert "b.json: cancelled" in stdout
    assert ' name="a" ' in out.read_text()
    assert 'type="cancelled"' in out.read_text()


def _is_halted(client: Client, run_id: str) -> bool:
    return run_id.startswith("b-") and bool(client.query(run_id).halted)
