"""The lower bounds in setup.py are true: the command line works with exactly those versions."""

import ast
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support.daemons import HANG_GUARD_S, ROOT, require_peer
from support.ports import free_port
from support.waiting import until

from tsvc.cli.embedded import clean_environment

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

FLOW = ROOT / "etc/examples/flows/extension_dialing.json"
DEFINITION = ROOT / "etc/examples/extension_dialing.json"


def lowest() -> list[str]:
    """Return the requirements of tsvc itself, each in the lowest version that it allows."""
    (own,) = (
        ast.literal_eval(node.value)
        for node in ast.walk(ast.parse((ROOT / "setup.py").read_text()))
        if isinstance(node, ast.keyword) and node.arg == "install_requires"
    )
    return [f"{name}=={bound}" for one in own for name, bound in [bound_of(one)]]


def bound_of(requirement: str) -> tuple[str, str]:
    """Return the name and the lower bound of a requirement: name>=1.2, or name<2,>=1.2."""
    found = re.fullmatch(r"([\w.-]+)[^>]*>=([\d.]+).*", requirement.replace(" ", ""))
    assert found is not None, requirement
    return found[1], found[2]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages in those versions."""
    folder = tmp_path_factory.mktemp("lowest")
    install = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    done = subprocess.run(
        [*install, "--only-binary", ":all:", "--target", str(folder), *lowest()],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S * 5,
    )
    require_peer("pip" if done.returncode == 0 else None, f"an index: {done.stderr[-300:]}")
    return folder


def environ(packages: Path) -> dict[str, str]:
    """Return the environment of a process that imports those packages before others."""
    return clean_environment() | {"PYTHONPATH": f"{packages}{os.pathsep}{ROOT}"}


def run(packages: Path, cwd: Path, *arguments: object) -> str:
    """Run Python with those packages and return what it prints."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=environ(packages),
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S * 2,
        cwd=cwd,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_they_are_what_is_imported(packages: Path, tmp_path: Path) -> None:
    names = [one.partition("==")[0] for one in lowest()]
    code = f"from importlib.metadata import version\nprint(*map(version, {names!r}))"
    found = run(packages, tmp_path, "-c", code).split()
    wanted = [one.partition("==")[2] for one in lowest()]
    short = [
        version.removesuffix(".0" * (version.count(".") - bound.count(".")))
        for version, bound in zip(found, wanted, strict=True)
    ]
    assert short == wanted


def test_a_call_with_every_report(packages: Path, tmp_path: Path) -> None:
    command = ("-m", "tsvc.cli.main")
    assert "validate" in run(packages, tmp_path, *command, "--help")
    (tmp_path / "tests").mkdir()
    definition = tmp_path / "tests/call.json"
    definition.write_text(DEFINITION.read_text())
    reports = ("--json", "r.json", "--html", "r.html", "--junit", "r.xml", "--pcap", "r.pcap")
    run(packages, tmp_path, *command, "run", definition, "--embedded", "--flow", FLOW, *reports)
    (ran,) = json.loads((tmp_path / "r.json").read_text())["runs"]
    assert ran["result"]["verdict"] == "pass"
    assert "</html>" in (tmp_path / "r.html").read_text()
    assert all((tmp_path / name).stat().st_size > 100 for name in ("r.xml", "r.pcap"))


def test_a_daemon_keeps_the_result_in_its_archive(packages: Path, tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "tsvc.toml").write_text(
        f'[service]\nstate_dir = "state"\n[rpc]\nport = {port}\n[scp]\nflows = ["{FLOW}"]\n'
        '[application.LAB]\nmodule = "sigtran"\n'
    )
    command = ("-m", "tsvc.cli.main")
    with subprocess.Popen(
        [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", "tsvc.toml"],
        env=environ(packages),
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    ) as daemon:
        try:
            until(lambda: can_connect(port))
            there = ("--port", port)
            run(packages, tmp_path, *command, "run", DEFINITION, *there)
            assert "pass" in run(packages, tmp_path, *command, "results", *there)
        finally:
            daemon.terminate()


def can_connect(port: int) -> bool:
    """Return True if something listens on a port of this machine."""
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0
