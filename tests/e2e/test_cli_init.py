"""tsvc init, from the checkout and as installed: the files that it creates work unchanged."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, launch
from support.ports import free_port

from tsvc.cli.embedded import clean_environment

pytestmark = pytest.mark.e2e

MADE = [
    "tsvc.toml",
    "flows/extension_dialing.json",
    "tests/first_call.json",
    "tsvc.schema.json",
    ".vscode/settings.json",
    ".gitignore",
]


def tsvc(cwd: Path, *arguments: object, source: Path = ROOT, **environ: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "tsvc.cli.main", *map(str, arguments)],
        env={**clean_environment(), "PYTHONPATH": str(source), **environ},
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=cwd,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("init") / "new"
    found = tsvc(made.parent, "init", "new")
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[: len(MADE)] == [f"new/{name}" for name in MADE]
    return made


def test_its_test_passes_against_its_daemon(folder: Path) -> None:
    port = free_port()
    daemon: DaemonProcess = launch(folder, port, TSVC_RPC_PORT=str(port))
    try:
        found = tsvc(folder, "run", "tests", TSVC_PORT=str(port))
        assert found.returncode == 0, found.stdout + found.stderr
        assert "1 of 1 passed" in found.stdout
    finally:
        daemon.kill()
    assert (folder / "state").is_dir(), "beside the configuration, as .gitignore has it"


def test_what_it_says_to_type_works(folder: Path) -> None:
    said = tsvc(folder.parent, "init", "said").stdout.splitlines()
    line = next(line for line in said if "--embedded" in line).partition("     ")[0]
    assert line.startswith("tsvc run said/tests ")
    found = tsvc(folder.parent, *line.split()[1:], "--quiet")
    assert found.returncode == 0, found.stdout + found.stderr


def test_editors_find_a_schema_that_the_test_keeps_to(folder: Path) -> None:
    settings = json.loads((folder / ".vscode/settings.json").read_text())
    (mapping,) = settings["json.schemas"]
    schema = json.loads((folder / mapping["url"]).read_text())
    definition = json.loads((folder / "tests/first_call.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(definition)
    definition["operations"][0]["arguments"]["serviceKey"] = "x"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(definition)


def test_nothing_is_written_over(folder: Path) -> None:
    (folder / "tsvc.toml").write_text("# mine\n")
    (folder / "flows/extension_dialing.json").unlink()
    found = tsvc(folder, "init")
    assert found.returncode == 2
    assert "already in .: tsvc.toml, tests/first_call.json, " in found.stderr
    assert (folder / "tsvc.toml").read_text() == "# mine\n"
    assert not (folder / "flows/extension_dialing.json").exists()


def test_the_installed_package_has_the_samples(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", tmp_path]
    command += ["build", "-b", tmp_path / "build"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=HANG_GUARD_S)
    installed = tmp_path / "build" / "lib"
    samples = {str(path.relative_to(installed)) for path in installed.rglob("examples/**/*.json")}
    expected = {
        f"tsvc/{path.relative_to(ROOT / 'etc')}"
        for path in (ROOT / "etc/examples").rglob("*.json")
        if "kinds" not in path.parts
    }
    assert samples == expected
    found = tsvc(tmp_path, "init", "made", source=installed)
    assert found.returncode == 0, found.stderr
    made = tmp_path / "made/tests/first_call.json"
    where = "from tsvc.commands.init import samples_folder; print(samples_folder())"
    environ = {**clean_environment(), "PYTHONPATH": str(installed)}
    used = subprocess.check_output(
        [sys.executable, "-c", where], cwd=tmp_path, env=environ, text=True
    )
    assert used == f"{installed}/tsvc/examples\n"
    assert made.read_text() == (ROOT / "etc/examples/extension_dialing.json").read_text()
    schema = json.loads((tmp_path / "made/tsvc.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(made.read_text()))
    settings = json.loads((tmp_path / "made/.vscode/settings.json").read_text())
    assert settings["json.schemas"][0]["url"] == "./tsvc.schema.json"
