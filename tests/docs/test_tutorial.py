"""The tutorial from its first to its last line, and then its pipelines, in the same folder."""

import re
import shutil
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from docs.pages import Step, blocks, page_of, steps
from docs.reader import Told, checkout, play, read, require_machines
from docs.shown import missing
from support.daemons import HANG_GUARD_S, ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

PAGE = page_of("docs/guide/tutorial")
STEPS = steps(PAGE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_machines()
    return checkout(tmp_path_factory.mktemp("reader") / "tsvc")


@pytest.fixture(scope="module")
def told(folder: Path) -> Told:
    found = read(folder, STEPS, {}, {})
    assert found.status == 0, found.text
    return found


@pytest.mark.parametrize("step", STEPS, ids=lambda step: str(step.line))
def test_what_is_shown_is_printed(told: Told, step: Step) -> None:
    assert missing(step.shown, told.blocks[step.line]) is None, told.text


def pipelines() -> list[dict[str, Any]]:
    return [yaml.safe_load(block.text) for block in blocks(PAGE) if block.language == "yaml"]


def scripts(pipeline: dict[str, Any]) -> list[str]:
    """Return the commands of a GitHub workflow, or of GitLab's file."""
    (job,) = (pipeline.get("jobs") or pipeline).values()
    if "script" in job:
        return list(job["script"])
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("place", range(len(pipelines())))
def test_the_commands_of_a_pipeline(told: Told, folder: Path, place: int) -> None:
    install, *commands = scripts(pipelines()[place])
    script = "\n".join(["set -e -o pipefail\ncd new", *commands])
    assert install == "python3 -m pip install wheels/tsvc-*.whl"
    status, text = play(folder, script)
    assert status == 0, text
    report = ET.parse(folder / "new/report.xml").getroot()
    names = [case.get("name") for case in report.iter("testcase")]
    assert len(names) == 4
    assert "</html>" in (folder / "new/report.html").read_text("utf-8")
    broken = folder / "new/tests/broken.json"
    broken.write_text((folder / "new/wrong.json").read_text().replace("flows/", "../flows/"))
    try:
        status, text = play(folder, script)
    finally:
        broken.unlink()
    assert status == 1, text
    assert ("::error file=tests/broken.json" in text) == ("--github" in script)
    report = ET.parse(folder / "new/report.xml").getroot()
    failed = [case for case in report.iter("testcase") if case.find("failure") is not None]
    assert len(failed) == 1
    assert {case.get("name") for case in report.iter("testcase")} > set(names)


def jenkins() -> list[str]:
    """Return the commands of the Jenkinsfile on the page about CI, without those that install."""
    (block,) = (one for one in blocks(page_of("docs/guide/ci")) if one.language == "groovy")
    (shell,) = re.findall(r"sh '''\n(.*?)'''", block.text, re.DOTALL)
    lines = textwrap.dedent(shell.replace("\\\\", "\\")).strip().splitlines()
    assert lines[1:3] == [
        "python3 -m venv --clear .venv",
        ".venv/bin/python -m pip install wheels/tsvc-*.whl",
    ]
    return [lines[0], "\n".join(lines[3:]).replace(".venv/bin/", "")]


RECIPES = {
    "GitHub": lambda: scripts(pipelines()[0])[1:],
    "GitLab": lambda: scripts(pipelines()[1])[1:],
    "Jenkins": jenkins,
}


@pytest.mark.parametrize("server", RECIPES)
def test_two_jobs_on_one_machine(told: Told, folder: Path, server: str) -> None:
    """The second job's flow is broken: it may not pass by the daemon of the first."""
    other = folder / "other"
    shutil.copytree(folder / "new", other)
    for flow in (other / "flows").glob("*.json"):
        flow.write_text(flow.read_text("utf-8").replace("4329", "4339"), "utf-8")
    commands = "\n".join(["set -e -o pipefail", *RECIPES[server]()])
    jobs = [f"(cd {name}\n{commands}\n) > {name}.log 2>&1 &" for name in ("new", "other")]
    ends = 'for job in $(jobs -p); do status=0; wait "$job" || status=$?; echo "$status"; done'
    try:
        status, text = play(folder, "\n".join([*jobs, ends]))
        logs = [(folder / f"{name}.log").read_text("utf-8") for name in ("new", "other")]
    finally:
        shutil.rmtree(other)
    assert status == 0, text
    assert text.split()[-2:] == ["0", "1"], logs


def test_the_wheel_for_the_pipeline(tmp_path: Path) -> None:
    """On this machine: pip takes the packages that build wheels from an index."""
    (command,) = (one for step in STEPS for one in step.commands if one.needs)
    for name in ("tsvc", "etc", "setup.py", "README.md", "requirements.txt"):
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tmp_path / name)
    (tmp_path / "new").mkdir()
    assert command.text.startswith("python3 ")
    done = subprocess.run(
        [sys.executable, *command.text.split()[1:]],
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S * 10,
        cwd=tmp_path / "new",
    )
    if "No matching distribution" in done.stderr:
        pytest.skip("no index is reached, from which pip takes setuptools")
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "new/wheels").glob("tsvc-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "tsvc/cli/main.py" in names
    assert "tsvc/commands/run.py" in names
    assert "tsvc/examples/flows/prepaid.json" in names
