"""Journeys 5 to 8, 10 and 15 of the GUI's specification, in Chromium against real daemons."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gui.browsers import GuiProcess, gui
from gui.journeys import FIREFOX, IS_STRICT, STATIC, Handler, play, require_browser
from support.daemons import HANG_GUARD_S, ROOT, launch, prepare
from support.ports import free_port
from support.waiting import until

from tsvc.cli.embedded import clean_environment

pytestmark = pytest.mark.e2e

# The durations here of steps specified in minutes, and the tolerance on a busy machine.
SECONDS = float(os.environ.get("TSVC_JOURNEY_S", "4"))
SLACK_MS = 0 if IS_STRICT else 120_000
HALT = [{"type": "halt", "arguments": {"seconds": 600}}]
HALTING = {"operations": [*HALT, {"type": "pass"}]}


class Stage:
    """A daemon that can be killed, a workspace, and a GUI for both."""

    def __init__(self, folder: Path, life: contextlib.ExitStack) -> None:
        self.folder, self.port = folder, free_port()
        prepare(folder, "", "", self.port)
        self.daemon = launch(folder, self.port)
        life.callback(lambda: self.daemon.kill())
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.gui: GuiProcess = life.enter_context(
            gui(
                folder / "gui",
                STATIC,
                "--daemon",
                f"local=127.0.0.1:{self.port}",
                "--workspace",
                self.workspace,
            )
        )

    def play(self, name: str, handlers: dict[str, Handler] | None = None, **given: Any) -> None:
        facts = {"enter": self.gui.addresses[-1], "base": self.gui.base, "slack": SLACK_MS}
        play("running.mjs", name, {**facts, **given}, handlers)

    def tsvc(self, *arguments: object) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "tsvc.cli.main", *map(str, arguments)]
        environment = clean_environment() | {"TSVC_PORT": str(self.port)}
        return subprocess.Popen(
            command, cwd=self.workspace, env=environment, stdout=subprocess.PIPE, text=True
        )


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    require_browser()
    with contextlib.ExitStack() as life:
        yield Stage(tmp_path, life)


def test_steering(stage: Stage) -> None:
    stage.play("steering", seconds=SECONDS, pause=min(SECONDS, 5.0))


def test_watching_collects_nothing(stage: Stage) -> None:
    started: list[Any] = []
    own: list[str] = []

    def start() -> str:
        params = {"run_id": "somebody's", "operations": HALT}
        assert stage.daemon.result("ExecuteTest", params) == "ok"
        return "somebody's"

    def finish() -> Any:
        params = {"run_id": "somebody's", "instance_id": "0"}
        until(lambda: "result" in stage.daemon.call("ResumeInstance", params))

    def command() -> str:
        (stage.workspace / "halting.json").write_text(json.dumps(HALTING))
        started.append(stage.tsvc("run", "halting.json", "--quiet"))

        def run_id() -> Any:
            tests = stage.daemon.result("QueryAllTests")["tests"]
            return next((one["run_id"] for one in tests), None)

        own.append(str(until(run_id)))
        return own[0]

    def ended() -> int:
        """Resume the run of the command line, and return the command's exit status."""
        params = {"run_id": own[0], "instance_id": "0"}
        until(lambda: "result" in stage.daemon.call("ResumeInstance", params))
        started[0].communicate(timeout=HANG_GUARD_S)
        return int(started[0].returncode)

    handlers = {
        "start": start,
        "finish": finish,
        "collect": lambda: stage.daemon.result("QueryTest", {"run_id": "somebody's"}),
        "command": command,
        "ended": ended,
    }
    stage.play("watching", handlers)


def test_a_daemon_that_dies_and_comes_back(stage: Stage) -> None:
    def restart() -> None:
        stage.daemon = launch(stage.folder, stage.port)

    handlers = {"kill": lambda: stage.daemon.kill(), "restart": restart}
    stage.play("restart", handlers)


def test_comparing(stage: Stage) -> None:
    stage.play("comparing")


@pytest.mark.slow
def test_a_suite_of_fifty(stage: Stage) -> None:
    folder = stage.workspace / "fifty"
    folder.mkdir()
    for number in range(50):
        ending = "fail" if number in (7, 23, 41) else "pass"
        definition = {"name": f"number {number}", "operations": [{"type": ending}]}
        (folder / f"test_{number:02}.json").write_text(json.dumps(definition))

    def junit(text: str) -> None:
        out = stage.folder / "junit.xml"
        process = stage.tsvc("run", "fifty", "--quiet", "--junit", out)
        process.communicate(timeout=HANG_GUARD_S)
        assert process.returncode == 1
        assert without_times(text) == without_times(out.read_text())
        assert text.count("<failure") == 3

    stage.play("suite", {"junit": junit})


def without_times(text: str) -> str:
    """Return JUnit XML without the parts that differ from run to run."""
    text = re.sub(r"run .*, seed", "run #, seed", text)
    text = re.sub(r'\b(time|timestamp|id|run_id|hostname)="[^"]*"', r'\1=""', text)
    return re.sub(r"\d+(\.\d+)? ?m?s\b|[0-9a-f]{8,}|\d\d:\d\d:\d\d\S*", "#", text)


@pytest.mark.slow
def test_eight_tabs_and_a_sleep(stage: Stage) -> None:
    def sleep(seconds: float) -> None:
        """Stop the GUI for some seconds: no value comes, and no end of a connection."""
        os.kill(stage.gui.process.pid, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(stage.gui.process.pid, signal.SIGCONT)

    stage.play("tabs", {"sleep": sleep}, sleep=max(SECONDS, 6.0))


@pytest.mark.slow
def test_another_browser(tmp_path: Path) -> None:
    """A smoke test in Firefox."""
    require_browser(FIREFOX)
    with gui(
        tmp_path / "gui",
        STATIC,
        "--embedded",
        "--flow",
        ROOT / "etc/examples/flows/extension_dialing.json",
        "--workspace",
        ROOT / "etc/examples",
    ) as made:
        given = {"enter": made.addresses[-1], "base": made.base, "firefox": FIREFOX}
        play("running.mjs", "smoke", given)
