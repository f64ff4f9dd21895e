"""A kind in its own package: etc/examples/kinds/dummy, installed from its wheel."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemons import HANG_GUARD_S, ROOT, free_port

pytestmark = pytest.mark.e2e

EXAMPLE = ROOT / "etc/examples/kinds/dummy"
ASK = {"operations": [{"type": "dummy.Ask", "arguments": {"word": "5", "text": "5"}}]}


class Site:
    """A Python environment with the package installed, and the commands that run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packages = folder / "site"
        source = shutil.copytree(EXAMPLE, folder / "source")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        wheels = folder / "wheels"
        run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(wheels), str(source)])
        (wheel,) = wheels.glob("*.whl")
        run([*pip, "install", "--no-deps", "--target", str(self.packages), str(wheel)])

    @property
    def environ(self) -> dict[str, str]:
        places = [str(self.packages), str(EXAMPLE / "tests")]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}

    def python(self, *arguments: str, status: int = 0) -> str:
        """Run python in this environment and return what it prints."""
        return run([sys.executable, *arguments], self.environ, status)


def run(command: list[str], environ: dict[str, str] | None = None, status: int = 0) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=environ, timeout=10 * HANG_GUARD_S
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    pytest.importorskip("setuptools")
    return Site(tmp_path_factory.mktemp("kind"))


@pytest.fixture(scope="module")
def peer(site: Site) -> Iterator[int]:
    """The port of `tsvc fake dummy`."""
    port = free_port()
    command = [sys.executable, "-m", "tsvc.cli.main", "fake", "dummy", "--port", str(port)]
    process = subprocess.Popen(
        command, env=site.environ, cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == f"tsvc fake dummy listens on 127.0.0.1:{port}\n"
    yield port
    process.terminate()
    assert process.wait(HANG_GUARD_S) == 0


@pytest.fixture(scope="module")
def service(site: Site, peer: int) -> Iterator[int]:
    """The port of a daemon with two instances of the kind; `default_dummy` is D."""
    port = free_port()
    tables = "\n".join(
        [
            f'[service]\nstate_dir = "{site.folder / "state"}"',
            f"[rpc]\nport = {port}",
            '[tester]\ndefault_dummy = "D"',
            f'[application.D]\nmodule = "dummy"\nremote_host = "127.0.0.1"\nremote_port = {peer}',
            f'[application.E]\nmodule = "dummy"\nremote_host = "127.0.0.1"\nremote_port = {peer}',
        ]
    )
    path = site.folder / "tsvc.toml"
    path.write_text(tables)
    command = [sys.executable, "bin/tsvcd", "-c", str(path)]
    process = subprocess.Popen(
        command, env=site.environ, cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "gateway=D" in line and "connected" in line:
            break
    yield port
    process.terminate()
    assert process.wait(HANG_GUARD_S) == 0


def file_of(folder: Path, **params: object) -> str:
    path = folder / "ask.json"
    path.write_text(json.dumps({**ASK, **params}))
    return str(path)


@pytest.mark.parametrize("params", [{}, {"dummy": "E"}], ids=["by default", "by name"])
def test_an_instance_is_selected(
    site: Site, service: int, params: dict[str, str], tmp_path: Path
) -> None:
    result = tmp_path / "result.json"
    site.python(
        "-m", "tsvc.cli.main", "run", "--port", str(service), "--json", str(result),
        file_of(tmp_path, **params),
    )  # fmt: skip
    (one,) = json.loads(result.read_text())["runs"]
    ladder = one["result"]["first_call_summary"]["ladder"]
    assert "ASK" in ladder
    assert "OK" in ladder
    assert params.get("dummy", "D") in ladder


def test_run_test_selects_one(site: Site, service: int, tmp_path: Path) -> None:
    port = ["--port", str(service)]
    printed = site.python("bin/run_test", *port, "--dummy", "E", file_of(tmp_path))
    assert "PASS" in printed
    site.python("bin/run_test", *port, "--dummy", "F", file_of(tmp_path), status=5)


def test_a_wrong_table_is_refused_in_words(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "tsvc.toml"
    path.write_text('[application.D]\nmodule = "dummy"\nremote_hosts = "x"')
    done = subprocess.run(
        [sys.executable, "bin/tsvcd", "--check", "-c", str(path)],
        capture_output=True,
        text=True,
        env=site.environ,
        cwd=ROOT,
        timeout=HANG_GUARD_S,
    )
    assert done.returncode == 78
    place = 'tsvcd: application."D".remote_host'
    assert done.stderr.splitlines() == [
        f"{place}: {path}: is missing",
        f'{place}s: {path}: unknown member; did you mean "remote_host"?',
    ]


def test_it_is_documented(site: Site, service: int) -> None:
    ops = ["-m", "tsvc.cli.main", "ops", "--port", str(service), "dummy.Ask"]
    assert "ask the dummy service" in site.python(*ops)
    text = site.python("-c", "from tsvc.docs_generator.gateways import text; print(text())")
    assert '## module = "dummy"' in text
    assert "| `answer_timeout_s` | `10` | seconds above 0 |" in text
    text = site.python("-c", "from tsvc.docs_generator.configuration import text; print(text())")
    assert "| `default_dummy` |" in text


def test_its_first_word_is_found_by_definitions_in_python(site: Site) -> None:
    code = "from tsvc.definition import *; print(dict(dummy.Ask({'word': '5'})))"
    text = site.python("-c", code)
    assert text == "{'type': 'dummy.Ask', 'arguments': {'word': '5'}}\n"


def test_it_keeps_the_contract(site: Site) -> None:
    text = site.python(
        "-m", "pytest", "tests/e2e/gateway_contract", "-k", "dummy", "-p", "no:cacheprovider"
    )
    assert " passed" in text
    assert "[dummy" not in text


def test_its_peer_may_die_and_it_is_in_the_soak(site: Site) -> None:
    died = ["tests/e2e/test_peer_death.py", "-k", "dummy"]
    assert " passed" in site.python("-m", "pytest", *died, "-p", "no:cacheprovider")
    soak = "tests/support/test_kind_peers.py::test_each_kind_of_the_tree_is_in_the_soak"
    assert " passed" in site.python("-m", "pytest", soak, "-p", "no:cacheprovider")


def test_a_kind_that_is_none_is_a_start_up_error(site: Site, tmp_path: Path) -> None:
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[tsvc.kinds]\nbroken = json:loads\n")
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", "from tsvc.kind import kinds; kinds()"],
        capture_output=True,
        text=True,
        env=environ,
        cwd=ROOT,
        timeout=HANG_GUARD_S,
    )
    assert done.stderr.splitlines()[-1].endswith("entry point broken = json:loads is no Kind")
