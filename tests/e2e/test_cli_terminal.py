"""Hostile text in definitions and values does not reach the terminal of the person at the run."""

import json
import os
import pty
import re
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemons import (
    EXAMPLES,
    FLOW,
    HANG_GUARD_S,
    LOOPBACK,
    DaemonProcess,
    configure,
    launch,
)

pytestmark = pytest.mark.e2e

EVIL = "\x1b]0;gone\x07\x1b[2J\x9b31m\x1b[32mPASS\r\nPASS all\u202egnp\u2028\x85\x08\x7f"
SGR = re.compile(r"\x1b\[[0-9;]*m")
DEFINITION = {
    "name": EVIL,
    "vars": {"evil": EVIL},
    "operations": [
        {"type": "eval", "label": EVIL, "expression": "$g->{seen} = $v->{evil}"},
        {
            "type": "eval",
            "expression": "1",
            "tests": [{"kpath": "v.evil", "value": f"other {EVIL}"}],
        },
        {"type": "log", "arguments": {"text": "{$v->{evil}}"}},
        {"type": "abort", "arguments": {"text": EVIL}},
    ],
    "trace_level": 3,
}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    folder = tmp_path_factory.mktemp("daemon")
    made = launch(folder, configure(folder, LOOPBACK.format(flow=FLOW)))
    yield made
    made.kill()


def on_a_terminal(port: int, *arguments: object, columns: int = 120) -> str:
    """Return the output of a command whose stdout is a terminal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    command = [sys.executable, "-m", "tsvc.cli.main", *map(str, arguments), "--port", str(port)]
    environ = {**os.environ, "TERM": "xterm"}
    for name in ("NO_COLOR", "COLUMNS"):
        environ.pop(name, None)
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environ)
    os.close(theirs)
    found: list[bytes] = []

    def read() -> None:
        while True:
            try:
                octets = os.read(ours, 65536)
            except OSError:
                return  # the other end is closed
            if not octets:
                return
            found.append(octets)

    reader = threading.Thread(target=read)
    reader.start()
    process.wait(HANG_GUARD_S)
    reader.join(HANG_GUARD_S)
    os.close(ours)
    return b"".join(found).decode("utf-8", "replace")


@pytest.fixture(scope="module")
def run_id(daemon: DaemonProcess) -> str:
    definition = {**DEFINITION, "run_id": "evil"}
    assert daemon.result("ExecuteTest", definition) == "ok"
    daemon.result("QueryTest", {"run_id": "evil", "wait_s": 60})
    return "evil"


COMMANDS = [
    ("query", "evil"),
    ("query", "evil", "--json"),
    ("results",),
    ("results", "--json"),
    ("list",),
    ("status",),
    ("status", "--json"),
    ("trace", "evil"),
    ("trace", "evil", "--format", "text"),
    ("trace", "evil", "--format", "json"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_shows_what_it_should_not(
    daemon: DaemonProcess, run_id: str, command: tuple[str, ...]
) -> None:
    judge(on_a_terminal(daemon.port, *command))


@pytest.mark.parametrize("is_valid", [True, False])
@pytest.mark.parametrize("verb", ["run", "validate"])
def test_a_file_that_is_run(
    daemon: DaemonProcess, tmp_path: Path, verb: str, is_valid: bool
) -> None:
    path = tmp_path / "evil.json"
    more = {} if is_valid else {EVIL: 1, "sigtran": EVIL, "operations": [{"type": EVIL}]}
    path.write_text(json.dumps({**DEFINITION, **more}))
    options = ("--no-strict", "--quiet") if verb == "run" else ()
    shown = on_a_terminal(daemon.port, verb, path, *options)
    assert str(path) in shown.replace("\r\n", "")
    judge(shown)


def judge(shown: str) -> None:
    assert shown
    assert "Traceback" not in shown
    for line in SGR.sub("", shown).split("\r\n"):
        assert line.isprintable(), line
    assert not re.search(r"^PASS all", shown, re.MULTILINE), "a line that nobody wrote"


@pytest.mark.parametrize("columns", [80, 100, 120])
def test_a_ladder_is_as_wide_as_the_terminal(daemon: DaemonProcess, columns: int) -> None:
    file = EXAMPLES / "extension_dialing.json"
    run = on_a_terminal(daemon.port, "run", file, columns=columns)
    run_id = daemon.result("ListResults", {"limit": 1})["results"][0]["run_id"]
    trace = on_a_terminal(daemon.port, "trace", run_id, columns=columns)
    for shown, room in ((run.partition("Ladder")[2].partition("Summary")[0], 102), (trace, 100)):
        lines = SGR.sub("", shown).split("\r\n")
        assert "InitialDP  service key 45" in shown
        longest = max(map(len, lines))
        assert min(columns, room) - 4 <= longest <= min(columns, room)


def test_no_colours_on_wish(daemon: DaemonProcess, run_id: str) -> None:
    assert SGR.search(on_a_terminal(daemon.port, "query", run_id, "--look"))
    assert not SGR.search(on_a_terminal(daemon.port, "--no-color", "query", run_id, "--look"))
