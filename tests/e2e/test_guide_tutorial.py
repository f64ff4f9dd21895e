"""The tutorial from its first line to its last: each command as printed, each output as shown.

In a shown output `…` stands for anything in a line; lines that a command prints beside those that
are shown are not told.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.daemons import HANG_GUARD_S, ROOT
from support.ports import free_port

from tsvc.cli.embedded import clean_environment

pytestmark = pytest.mark.e2e

PAGE = (ROOT / "docs/guide/tutorial.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = {"tsvc": "main", "tsvcd": "tsvcd"}
WHEEL = "pip wheel"  # needs what builds wheels, from an index: the last test here


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a reader has of the checkout: etc/, and .venv/bin."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "etc", folder / "etc")
    (folder / ".venv/bin").mkdir(parents=True)
    for name, module in COMMANDS.items():
        command = folder / ".venv/bin" / name
        path = shlex.quote(f"{ROOT}:{ROOT / 'tests'}")
        command.write_text(
            f"#!/bin/sh\nPYTHONPATH={path} exec {shlex.quote(sys.executable)}"
            f' -m tsvc.cli.{module} "$@"\n'
        )
        command.chmod(0o755)
    return folder


def steps() -> Iterator[tuple[str, list[str]]]:
    """Yield each block of commands, and the lines that are shown behind it."""
    for position, (language, text) in enumerate(BLOCKS):
        if language == "sh" and WHEEL not in text:
            behind = BLOCKS[position + 1] if position + 1 < len(BLOCKS) else ("", "")
            yield text, behind[1].splitlines() if behind[0] == "text" else []


def shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    port = str(free_port())
    place = {"TSVC_RPC_PORT": port, "TSVC_PORT": port}
    return subprocess.run(
        # What is started in the background ends with the shell, whatever fails in between: the
        # next daemon in this folder needs its state.
        [
            "bash",
            "-e",
            "-o",
            "pipefail",
            "-c",
            f"trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n{script}",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANG_GUARD_S * 10,
        cwd=folder,
        env={**clean_environment(), **place, "PATH": os.environ["PATH"], "NO_COLOR": "1"},
    )


@pytest.fixture(scope="module")
def told(checkout: Path) -> list[str]:
    """Run all blocks one after the other in one shell; returns what each has printed."""
    border = "-- the next block --"
    done = shell(checkout, f"\necho '{border}'\n".join(text for text, _ in steps()))
    assert done.returncode == 0, done.stdout
    return done.stdout.split(f"{border}\n")


@pytest.mark.parametrize("place", range(len(list(steps()))))
def test_what_is_shown_is_printed(told: list[str], place: int) -> None:
    _, shown = list(steps())[place]
    printed = iter(told[place].splitlines())
    for line in shown:
        pattern = re.compile(".+".join(map(re.escape, line.split("…"))))
        starts = pattern.match if line.startswith("  1.") else pattern.fullmatch
        assert any(starts(one) for one in printed), f"{line!r} is not in\n{told[place]}"


def pipelines() -> list[dict[str, Any]]:
    return [yaml.safe_load(text) for language, text in BLOCKS if language == "yaml"]


def scripts(pipeline: dict[str, Any]) -> list[str]:
    """Return the commands of a workflow of GitHub, or of GitLab's file."""
    (job,) = (pipeline.get("jobs") or pipeline).values()
    if "script" in job:
        return list(job["script"])
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("place", range(len(pipelines())))
def test_the_commands_of_a_pipeline(told: list[str], checkout: Path, place: int) -> None:
    install, *commands = scripts(pipelines()[place])
    command = "\n".join(commands)
    assert install == "python3 -m pip install wheels/tsvc-*.whl"
    path = f"PATH={shlex.quote(str(checkout / '.venv/bin'))}:$PATH\n"
    done = shell(checkout / "new", path + command)
    assert done.returncode == 0, done.stdout
    report = ET.parse(checkout / "new/report.xml").getroot()
    names = [case.get("name") for case in report.iter("testcase")]
    assert len(names) == 4
    assert "</html>" in (checkout / "new/report.html").read_text("utf-8")
    broken = checkout / "new/tests/broken.json"
    broken.write_text((checkout / "new/wrong.json").read_text().replace("flows/", "../flows/"))
    try:
        done = shell(checkout / "new", path + command)
    finally:
        broken.unlink()
    assert done.returncode == 1
    assert ("::error file=tests/broken.json" in done.stdout) == ("--github" in command)
    report = ET.parse(checkout / "new/report.xml").getroot()
    failed = [case for case in report.iter("testcase") if case.find("failure") is not None]
    assert len(failed) == 1
    assert {case.get("name") for case in report.iter("testcase")} > set(names)


@pytest.mark.slow
def test_the_wheel_for_the_pipeline(tmp_path: Path) -> None:
    (command,) = (text for language, text in BLOCKS if language == "sh" and WHEEL in text)
    for name in ("tsvc", "etc", "setup.py", "README.md", "requirements.txt"):
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tmp_path / name)
    (tmp_path / "new").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(sys.executable)
    done = shell(tmp_path / "new", f"PATH={shlex.quote(str(tmp_path / 'bin'))}:$PATH\n{command}")
    if "No matching distribution" in done.stdout:
        pytest.skip("no index is reached, from which pip takes setuptools")
    assert done.returncode == 0, done.stdout
    (wheel,) = (tmp_path / "new/wheels").glob("tsvc-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "tsvc/cli/main.py" in names
    assert "tsvc/examples/flows/prepaid.json" in names
