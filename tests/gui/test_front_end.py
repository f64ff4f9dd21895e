"""The browser part: the tests of its pure modules, reproducible builds.

make check checks its types and lint.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support.daemons import ROOT, require_peer

GUI = ROOT / "gui"
LIMIT_S = 300


@pytest.fixture(scope="module")
def npm() -> str:
    """The path of npm, if node and the packages are installed, too."""
    require_peer(shutil.which("node"), "apt-get install nodejs")
    installed = GUI / "node_modules"
    require_peer(str(installed) if installed.exists() else None, "cd gui && npm ci")
    return require_peer(shutil.which("npm"), "apt-get install npm")


def run(npm: str, word: str) -> str:
    """Run a script of package.json to its end and return its output."""
    # node's test runner does not run tests inside itself.
    environ = {name: value for name, value in os.environ.items() if name != "NODE_TEST_CONTEXT"}
    done = subprocess.run(
        [npm, "run", word],
        cwd=GUI,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout[-8000:]
    return done.stdout


def test_pure_modules(npm: str) -> None:
    printed = run(npm, "test")
    (count,) = re.findall(r"^(?:#|ℹ) pass (\d+)$", printed, re.MULTILINE)
    assert int(count) >= 80
    for name in ("skipped", "cancelled", "todo"):
        assert re.search(rf"^(?:#|ℹ) {name} 0$", printed, re.MULTILINE), printed[-2000:]


@pytest.mark.slow
def test_two_builds_are_equal(npm: str) -> None:
    assert "two builds are equal" in run(npm, "twice")


def test_the_wheel_has_the_built_pages(npm: str, tmp_path: Path) -> None:
    """All built files, with the licences of third parties; no other file of gui/."""
    built = {one.name for one in (ROOT / "tsvc" / "gui" / "static").iterdir()}
    assert {"index.html", "THIRD_PARTY.txt"} <= built
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", tmp_path]
    command += ["build", "-b", tmp_path / "build", "bdist_wheel", "-d", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=LIMIT_S)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    inside = {name.rpartition("/")[2] for name in names if name.startswith("tsvc/gui/static/")}
    assert inside == built
    assert not [name for name in names if name.startswith("gui/") or "node_modules" in name]
    licences = (ROOT / "tsvc" / "gui" / "static" / "THIRD_PARTY.txt").read_text()
    for package in ("preact", "uplot", "codemirror", "@dagrejs/dagre", "jsonc-parser"):
        assert re.search(rf"^{package} \d+\.\d+\.\d+ \(\w[\w.-]*\)$", licences, re.MULTILINE)
