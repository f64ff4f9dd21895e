"""The completions of bash for `tsvc`, by bash's own completion and a service that is asked."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemons import HANG_GUARD_S, ROOT, require_peer
from support.waiting import until

from tsvc.cli.embedded import PrivateDaemon, clean_environment
from tsvc.client import Client

pytestmark = pytest.mark.e2e

HALTING = {"operations": [{"type": "halt", "comment": "look", "arguments": {"seconds": 600}}]}
PASSING = {"operations": [{"type": "pass", "arguments": {"text": "here we are"}}]}


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateDaemon]:
    with PrivateDaemon() as found:
        yield found


@pytest.fixture
def client(daemon: PrivateDaemon) -> Client:
    return daemon.client()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a command `tsvc`, and nothing else."""
    made = tmp_path_factory.mktemp("bin")
    program = made / "tsvc"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {ROOT}/bin/tsvc "$@"\n')
    program.chmod(0o755)
    return made


def offered(folder: Path, port: int, *words: str) -> list[str]:
    """Return the completions that bash offers for the last word."""
    bash = require_peer(shutil.which("bash"), "apt-get install bash")
    script = (
        'eval "$(_TSVC_COMPLETE=bash_source tsvc)"\n'
        f"COMP_WORDS=({' '.join(map(shlex.quote, words))})\n"
        f"COMP_CWORD={len(words) - 1}\n"
        "_tsvc_completion tsvc\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    found = subprocess.run(
        [bash, "--norc", "--noprofile", "-c", script],
        env={
            **clean_environment(),
            "PATH": f"{folder}:{os.environ['PATH']}",
            "TSVC_PORT": str(port),
        },
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=folder,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.split()


def test_operation_types(daemon: PrivateDaemon, folder: Path) -> None:
    found = offered(folder, daemon.port, "tsvc", "ops", "inap.ssp_to_scp.Initial")
    assert "inap.ssp_to_scp.InitialDP" in found
    assert all(one.startswith("inap.ssp_to_scp.InitialDP") for one in found)
    assert len(offered(folder, daemon.port, "tsvc", "ops", "inap.ssp_to_scp.")) > 20


def test_runs_and_halted_instances(daemon: PrivateDaemon, client: Client, folder: Path) -> None:
    run_id = client.execute(HALTING, "halted-run")
    until(lambda: client.query(run_id).halted)
    client.execute(PASSING, "over-and-collected", wait=True)
    for command in ("cancel", "rate", "resume", "query"):
        assert offered(folder, daemon.port, "tsvc", command, "") == ["halted-run"], command
    assert offered(folder, daemon.port, "tsvc", "resume", "halted-run", "") == ["0"]
    for command in ("trace", "results"):
        assert offered(folder, daemon.port, "tsvc", command, "o") == ["over-and-collected"]
    numbers = offered(folder, daemon.port, "tsvc", "results", "--id", "")
    named = {client.get_result(int(number)).run_id for number in numbers}
    assert named == {"halted-run", "over-and-collected"}
    client.cancel(run_id)


def test_the_options_say_which_service(daemon: PrivateDaemon, folder: Path) -> None:
    port = str(daemon.port)
    assert offered(folder, 1, "tsvc", "ops", "--port", port, "bran") == ["branch"]


def test_nobody_answers(folder: Path) -> None:
    assert offered(folder, 1, "tsvc", "ops", "bran") == []
    assert offered(folder, 1, "tsvc", "comp") == ["compare"]


def test_files_are_offered_by_bash(daemon: PrivateDaemon, folder: Path) -> None:
    """click leaves files to the shell: tsvc offers nothing, and there is no error."""
    (folder / "call.json").write_text(json.dumps(PASSING))
    assert offered(folder, daemon.port, "tsvc", "run", "call") == []
