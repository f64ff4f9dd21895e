"""The released files work after installation: the source distribution, and the wheel made of
it."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, ROOT

from tsvc.cli.embedded import clean_environment

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

# Only in the repository.
LEFT_OUT = {".gitignore", ".dockerignore"}


def python(cwd: Path, *arguments: object, path: Path | None = None) -> Any:
    """Run Python in a folder; the packages in `path` come first."""
    environ = (
        clean_environment() if path is None else clean_environment() | {"PYTHONPATH": str(path)}
    )
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=environ,
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S * 5,
        cwd=cwd,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def tracked() -> list[str]:
    """Return the files of the repository."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no repository here")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the source distribution, made from a copy of the repository."""
    folder = tmp_path_factory.mktemp("release")
    for name in tracked():
        (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "tree" / name)
    python(folder / "tree", "setup.py", "-q", "sdist", "--dist-dir", folder)
    (archive,) = folder.glob("tsvc-*.tar.gz")
    with tarfile.open(archive) as found:
        found.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def test_the_source_distribution_has_the_whole_repository(unpacked: Path) -> None:
    lost = [name for name in tracked() if not (unpacked / name).is_file()]
    assert [name for name in lost if Path(name).name not in LEFT_OUT] == []


def test_the_wheel_made_of_it_can_do_what_the_first_day_asks(
    unpacked: Path, tmp_path: Path
) -> None:
    """Outside the checkout: init, and its test against a daemon of its own."""
    python(unpacked, "setup.py", "-q", "bdist_wheel", "--dist-dir", tmp_path)
    (wheel,) = tmp_path.glob("tsvc-*.whl")
    site = tmp_path / "site"
    install = ("-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps")
    python(tmp_path, *install, "--no-index", "--target", site, wheel)
    command = ("-m", "tsvc.cli.main")
    where = python(tmp_path, "-c", "import tsvc; print(tsvc.__file__)", path=site).stdout
    assert where == f"{site}/tsvc/__init__.py\n"
    said = python(tmp_path, *command, "init", "new", path=site).stdout.splitlines()
    line = next(line for line in said if "--embedded" in line).partition("     ")[0]
    ran = python(tmp_path, *command, *line.split()[1:], path=site)
    assert "1 of 1 passed" in ran.stdout + ran.stderr
