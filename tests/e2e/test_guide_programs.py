"""The programs of the pages about Python and other languages: each is run as it is printed.

Only the port is changed in them.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.daemons import (
    EXAMPLES,
    FLOW,
    HANG_GUARD_S,
    ROOT,
    DaemonProcess,
    require_peer,
    running,
)
from support.go import build

pytestmark = pytest.mark.e2e

PORT = "9009"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    folder = tmp_path_factory.mktemp("daemon")
    main = f'[scp]\nflows = ["{FLOW}"]\n[application.SIGTRAN]\nmodule = "sigtran"\n'
    with running(folder, main=main) as made:
        yield made


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / f"docs/guide/{page}.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def done(*command: object, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S * 3,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
    )


# -- any language -----------------------------------------------------------------------------


def python(file: Path, install: Callable[[str | None, str], str]) -> list[str]:
    return [sys.executable, str(file)]


def node(file: Path, install: Callable[[str | None, str], str]) -> list[str]:
    return [install(shutil.which("node"), "apt-get install nodejs"), str(file)]


def perl(file: Path, install: Callable[[str | None, str], str]) -> list[str]:
    return [install(shutil.which("perl"), "apt-get install perl"), str(file)]


def go(file: Path, install: Callable[[str | None, str], str]) -> list[str]:
    compiler = install(shutil.which("go"), "apt-get install golang-go")
    made = build(compiler, file.with_suffix(""), file, GO111MODULE="off")
    assert made.returncode == 0, made.stderr
    return [str(file.with_suffix(""))]


LANGUAGES = {
    "python": ("call.py", python),
    "js": ("call.js", node),
    "perl": ("call.pl", perl),
    "go": ("call.go", go),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_that_runs_a_definition(
    daemon: DaemonProcess, tmp_path: Path, language: str
) -> None:
    name, command_of = LANGUAGES[language]
    (source,) = blocks("rpc", language)
    assert source.count(PORT) == 1
    (tmp_path / name).write_text(source.replace(PORT, str(daemon.port)))
    program = command_of(tmp_path / name, require_peer)
    passed = done(*program, EXAMPLES / "extension_dialing.json")
    assert (passed.returncode, passed.stdout) == (0, "pass 1 of 1\n"), passed.stderr
    wrong = (EXAMPLES / "extension_dialing.json").read_text("utf-8")
    assert '"4329100"' in wrong
    (tmp_path / "wrong.json").write_text(wrong.replace('"4329100"', '"4329101"'))
    failed = done(*program, tmp_path / "wrong.json")
    assert (failed.returncode, failed.stdout) == (1, "fail 0 of 1\n"), failed.stderr
    (tmp_path / "refused.json").write_text('{"operations": [{"type": "wiat"}], "comment": "ß ✓"}')
    refused = done(*program, tmp_path / "refused.json")
    assert refused.returncode == 2
    assert refused.stdout.startswith("2002 definition.invalid "), refused.stderr


def test_every_program_of_the_page_is_run() -> None:
    page = (ROOT / "docs/guide/rpc.md").read_text("utf-8")
    assert set(re.findall(r"^```(\w+)$", page, re.MULTILINE)) == set(LANGUAGES)


# -- the client -------------------------------------------------------------------------------


def client_programs() -> list[str]:
    return blocks("python-client", "python")


@pytest.mark.parametrize("place", range(len(client_programs())))
def test_a_program_of_the_client(daemon: DaemonProcess, tmp_path: Path, place: int) -> None:
    program = client_programs()[place]
    file = tmp_path / "program.py"
    file.write_text(program.replace(PORT, str(daemon.port)))
    found = done(sys.executable, file, TSVC_PORT=str(daemon.port))
    assert found.returncode == 0, found.stderr
    page = (ROOT / "docs/guide/python-client.md").read_text("utf-8")
    behind = page.split(program)[1]
    said = re.match(r"```\n\nprints\s+(?:`([^`]+)`|```text\n(.*?)```)", behind, re.DOTALL)
    if said:
        assert found.stdout.strip() == (said[1] or said[2]).strip()
    else:
        assert "prints" not in behind[:20]


def test_every_method_of_the_client_is_in_the_table() -> None:
    from tsvc.client import Client

    page = (ROOT / "docs/guide/python-client.md").read_text("utf-8")
    rows = "".join(line for line in page.splitlines() if line.startswith("| `"))
    named = set(re.findall(r"`(\w+)\(", rows))
    public = {
        name for name, what in vars(Client).items() if callable(what) and not name.startswith("_")
    }
    assert named == public - {"forward"}, "forward is for programs that hand answers on"
