"""Journeys 1 to 4, 9, 11 and 12 of the GUI's specification, in Chromium against real daemons."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gui.browsers import GuiProcess, gui
from gui.journeys import STATIC, play, require_browser
from support.daemons import ROOT, DaemonProcess, running

from tsvc.cli.embedded import clean_environment

pytestmark = pytest.mark.e2e

# Rounds of typing in a browser that is slowed down by a busy loop.
ROUNDS = int(os.environ.get("TSVC_TYPED", "1"))
EXAMPLES = ROOT / "etc" / "examples"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    require_browser()
    with running(tmp_path_factory.mktemp("service")) as made:
        yield made


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLES, tmp_path / "workspace", ignore=shutil.ignore_patterns("kinds"))
    return tmp_path / "workspace"


@pytest.fixture
def served(service: DaemonProcess, tmp_path: Path, workspace: Path) -> Iterator[GuiProcess]:
    where = f"local=127.0.0.1:{service.port}"
    with gui(tmp_path / "gui", STATIC, "--daemon", where, "--workspace", workspace) as made:
        yield made


def tsvc(service: DaemonProcess, *arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tsvc.cli.main", *map(str, arguments)]
    environment = clean_environment() | {"TSVC_PORT": str(service.port)}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "name",
    [
        "try_one",
        "author",
        "complete",
        "typing",
        "wrong_octet",
        "flow",
        "conflict",
        "accessible",
    ],
)
def test_journey(
    service: DaemonProcess, served: GuiProcess, workspace: Path, tmp_path: Path, name: str
) -> None:
    journey(service, served, workspace, tmp_path, "authoring.mjs", name)


@pytest.mark.parametrize("name", ["by_keys", "keyboard"])
def test_without_a_mouse(
    service: DaemonProcess, served: GuiProcess, workspace: Path, tmp_path: Path, name: str
) -> None:
    journey(service, served, workspace, tmp_path, "keys.mjs", name)


def journey(
    service: DaemonProcess,
    served: GuiProcess,
    workspace: Path,
    tmp_path: Path,
    script: str,
    name: str,
) -> None:
    def run(path: str) -> dict[str, Any]:
        done = tsvc(service, "run", workspace / path, "--json", tmp_path / "out.json")
        (one,) = json.loads((tmp_path / "out.json").read_text())["runs"]
        return {"status": done.returncode, "verdict": one["result"]["verdict"]}

    handlers = {
        "read": lambda path: (workspace / path).read_text(),
        "write": lambda path, text: (workspace / path).write_text(text),
        "validate": lambda path: {
            "status": tsvc(service, "validate", workspace / path).returncode
        },
        "run": run,
    }
    given = {"enter": served.addresses[-1], "base": served.base, "rounds": ROUNDS}
    play(script, name, given, handlers)
