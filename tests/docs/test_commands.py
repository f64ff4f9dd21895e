"""Each command of the documents, as printed: a reader follows a page from its first to its last
command, in a checkout and on a separate machine.

A command that can't be run here is marked in the page and listed in a table here; its options are
checked. Commands in sentences are checked in the same way.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from docs.before import BEFORE, Before
from docs.pages import (
    PAGES,
    Block,
    Command,
    Step,
    blocks,
    commands,
    inline,
    name_of,
    page_of,
    steps,
)
from docs.reader import STAYS, Told, checkout, read, require_machines
from docs.shown import missing
from support.daemons import ROOT, require_peer

from tsvc.cli.main import main as tsvc
from tsvc.cli.run_definition import main as run_test
from tsvc.server.command import command as tsvcd

pytestmark = pytest.mark.e2e

# The commands that are not run, and the reason, in the words of the page.
NEEDS = {
    ("README", "make test"): "minutes",
    ("docs/guide/cluster", "tsvc run load.json --cps 8000"): "many cores",
    ("docs/guide/cluster", "tsvc run load.json --cps 20000"): "many cores",
    ("docs/guide/gui", "make gui"): "Node",  # tests/gui start the same program
    ("docs/guide/backup-and-upgrade", "pg_dump"): "PostgreSQL",
    ("docs/guide/backup-and-upgrade", "pg_restore"): "PostgreSQL",
    ("docs/guide/installation", "python3 -m venv ~/tsvc"): "a package index",
    ("docs/guide/installation", "~/tsvc/bin/python -m pip install '.["): "a package index",
    ("docs/guide/installation", "~/tsvc/bin/python -m pip install build"): "a package index",
    ("docs/guide/installation", "~/tsvc/bin/python -m build"): "a package index",
    ("docs/guide/installation", "python3 -m pip download"): "a package index",
    ("docs/guide/installation", "python3 -m pip install --no-index"): "the folder",
    ("docs/guide/installation", ".venv/bin/python -m pip"): "a package index",
    ("docs/guide/installation", "/usr/local/lib/tsvc/bin/python"): "a package index",
    ("docs/guide/installation", "make install"): "root",  # e2e/test_container.py
    ("docs/guide/installation", "useradd"): "root",
    ("docs/guide/installation", "install -d"): "root",
    ("docs/guide/osd", "pip install"): "a package index",
    ("docs/guide/service", "systemd-sysusers"): "systemd",  # e2e/test_service_init.py
    ("docs/guide/service", "/etc/init.d/tsvc start"): "start-stop-daemon",  # the same
    ("docs/guide/service", "podman build"): "podman",  # e2e/test_container.py
    ("docs/guide/service", "podman run"): "podman",
    ("docs/guide/tutorial", "python3 -m pip wheel"): "a package index",  # its own test
}
# Pages whose commands another test runs, in the same way.
ELSEWHERE = {"docs/guide/tutorial": "tests/docs/test_tutorial.py"}
# Pages whose fences after commands are not the output of these commands.
NO_OUTPUT = {"docs/guide/sigtran"}

WITH_COMMANDS = [name_of(page) for page in PAGES if steps(page)]
PLAYED = [name for name in WITH_COMMANDS if name not in ELSEWHERE]
_toured: dict[str, Told] = {}


@pytest.fixture
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The output of the commands of a page; each page is run once."""
    name = request.param
    require_machines()
    if name == "docs/guide/gui" and not (ROOT / "tsvc/gui/static/index.html").exists():
        pytest.skip("the GUI is not built: make gui-build")
    if name not in _toured:
        folder = checkout(tmp_path_factory.mktemp("reader") / "tsvc")
        before = BEFORE.get(name, Before())
        _toured[name] = read(folder, steps(page_of(name)), before.commands, before.typed)
    return _toured[name]


@pytest.mark.slow
@pytest.mark.parametrize("told", PLAYED, indirect=True)
def test_all_commands_of_a_page(told: Told) -> None:
    assert told.status == 0, told.text


def shown() -> list[tuple[str, Step]]:
    return [
        (name, step)
        for name in PLAYED
        for step in steps(page_of(name))
        if step.shown and name not in NO_OUTPUT
    ]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("told", "step"), shown(), indirect=["told"], ids=[f"{n}:{s.line}" for n, s in shown()]
)
def test_what_is_shown_is_printed(told: Told, step: Step) -> None:
    assert missing(step.shown, told.blocks[step.line]) is None, told.text


# -- commands that are not run -------------------------------------------------------------------


def unplayed() -> list[tuple[str, Command]]:
    return [
        (name, command)
        for name in WITH_COMMANDS
        for step in steps(page_of(name))
        for command in step.commands
        if command.needs
    ]


def test_what_is_not_played_is_known() -> None:
    found = {(name, str(command)): command.needs for name, command in unplayed()}
    known = {
        (name, text): need
        for (name, text) in found
        for (page, begin), need in NEEDS.items()
        if page == name and text.startswith(begin)
    }
    assert found == known
    assert len(found) == len(NEEDS), "nobody says what stands in the table"


@pytest.mark.parametrize(("name", "command"), unplayed(), ids=lambda one: str(one)[:40])
def test_what_is_not_played_could_be(
    name: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell can parse it, and tsvc has its commands and options."""
    bash = require_peer(shutil.which("bash"), "apt-get install bash")
    subprocess.run([bash, "-n", "-c", command.text], check=True)
    words = shlex.split(command.text)
    if words[0] == "tsvc":
        monkeypatch.chdir(tmp_path)
        for word in words:
            if word.endswith(".json"):
                Path(word).write_text("{}")
        parse(words)


def parse(words: list[str]) -> None:
    """Parse a command line as the command would. Errors: those of click."""
    context = tsvc.make_context("tsvc", words[1:])
    while isinstance(context.command, click.Group):
        rest = [*context._protected_args, *context.args]
        name, command, rest = context.command.resolve_command(context, rest)
        assert command is not None
        context = command.make_context(name, rest, parent=context)


PROGRAMS = {"tsvc": tsvc, "tsvcd": tsvcd, "run_test": run_test}


@pytest.mark.parametrize("page", [page for page in PAGES if inline(page)], ids=name_of)
def test_commands_in_sentences(page: Path) -> None:
    """The commands and options in texts such as `tsvc run FILE --junit F` exist."""
    for text in inline(page):
        words = re.split(r"[\s=]+", text)
        command: click.Command = PROGRAMS[words[0]]
        for word in words[1:]:
            if isinstance(command, click.Group) and re.fullmatch(r"[a-z][\w-]*", word):
                found = command.get_command(click.Context(command), word)
                assert found is not None, f"{text}: no command {word}"
                command = found
            elif re.fullmatch(r"--?[a-z][a-z-]*", word):
                params = command.get_params(click.Context(command))
                options = {name for one in params for name in (*one.opts, *one.secondary_opts)}
                assert word in options, f"{text}: no option {word}"


# -- the grammar of the pages -----------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_fence_says_what_it_is(page: Path) -> None:
    """No command can be hidden in a fence that is never run."""
    for block in blocks(page):
        assert re.fullmatch(r"\w+", block.language), f"line {block.line}"
        if block.language == "text":
            lines = block.text.splitlines()
            assert not [line for line in lines if re.match(r"(\$ )?tsvc [a-z-]+ [^ ]*[-./]", line)]


def test_tables_speak_of_pages_that_are_there() -> None:
    assert set(BEFORE) <= set(PLAYED)
    assert set(ELSEWHERE) <= set(WITH_COMMANDS)
    assert set(NO_OUTPUT) <= set(PLAYED)
    assert all((ROOT / file).exists() for file in ELSEWHERE.values())
    played = [
        str(one) for name in PLAYED for step in steps(page_of(name)) for one in step.commands
    ]
    assert [begin for begin in STAYS if not any(one.startswith(begin) for one in played)] == []


@pytest.mark.parametrize(
    ("line", "needs", "statuses"),
    [
        ("tsvc status", "", (0,)),
        ("tsvc run a.json    # all of it; needs a minute", "a minute", (0,)),
        ("tsvc run a.json    # status 3 here", "", (3,)),
        ("tsvc compare 1 2    # status 0 or 6", "", (0, 6)),
        ("sed 's#a#b#' c", "", (0,)),
    ],
)
def test_what_a_comment_says(line: str, needs: str, statuses: tuple[int, ...]) -> None:
    (command,) = commands(Block(1, "sh", f"{line}\n"))
    assert (command.needs, command.statuses) == (needs, statuses)
    assert command.text == line.split("    #")[0]


def test_a_shown_line_that_is_not_printed() -> None:
    """Measured values may differ; everything else is as shown, and in its order."""
    printed = "first\n  verdict    pass: 1 of 1 passed in 12.5 s\na b c d\n"
    assert missing(["  verdict    pass: 1 of 1 passed in 0.003 s", "…", "a … d"], printed) is None
    other = "  verdict    pass: 1 of 2 passed in 0.003 s"
    assert missing([other], printed) == other
    assert missing(["a … e"], printed) == "a … e"
    assert missing(["a b c d", "first"], printed) == "first"
