"""tsvc cluster status and drain, against a daemon with workers."""

import json
import subprocess
import sys
from importlib.util import find_spec

import click
import pytest
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, StartDaemon
from support.shared_runs import PATIENT, ready

from tsvc.cli.embedded import clean_environment
from tsvc.cli.options.completion import workers
from tsvc.commands.cluster import drain

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(find_spec("locust") is None, reason="the extra cluster is not installed"),
]


def tsvc(port: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tsvc.cli.main", "cluster", *arguments, "--port", str(port)],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )


@pytest.fixture(scope="module")
def daemon(start_daemon: StartDaemon) -> DaemonProcess:
    made = start_daemon(f"[cluster]\nworkers = 2\n{PATIENT}")
    ready(made)
    return made


def test_the_workers_and_one_that_is_drained(daemon: DaemonProcess) -> None:
    found = tsvc(daemon.port, "status")
    assert found.returncode == 0, found.stderr
    head, first, second = found.stdout.splitlines()
    assert head.split() == ["worker", "state", "pid", "starts", "clock"]
    rows = {row["name"]: row for row in ready(daemon)}
    assert first.split() == ["w1", "ready", str(rows["w1"]["pid"]), "1", "±0.00", "ms"]
    assert second.split()[:2] == ["w2", "ready"]
    assert json.loads(tsvc(daemon.port, "status", "--json").stdout)["workers"] == [*rows.values()]
    said = tsvc(daemon.port, "drain", "w1")
    assert (said.returncode, said.stdout) == (0, "w1 gets no more runs\n")
    assert tsvc(daemon.port, "status").stdout.splitlines()[1].split()[:2] == ["w1", "drained"]


def test_an_unknown_worker(daemon: DaemonProcess) -> None:
    found = tsvc(daemon.port, "drain", "w9")
    assert found.returncode == 5
    assert 'there is no worker "w9"' in found.stderr + found.stdout


def test_shells_complete_its_name(daemon: DaemonProcess) -> None:
    context = click.Context(drain)
    context.params = {"host": "127.0.0.1", "port": daemon.port}
    argument = next(one for one in drain.params if one.name == "worker")
    assert [one.value for one in argument.shell_complete(context, "w")] == ["w1", "w2"]
    assert [one.value for one in workers(context, argument, "x")] == []


def test_a_service_without_workers(start_daemon: StartDaemon) -> None:
    found = tsvc(start_daemon().port, "status")
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "no workers\n")
