"""A reader of documents: a checkout, a separate machine, and a shell that follows a page.

The machine is a set of namespaces (network, mounts, processes): the ports of the pages are free in
it whatever else runs, it has its own host names, and nothing of it is left behind.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docs.pages import Command, Step
from support.daemons import HANG_GUARD_S, ROOT, require_peer

from tsvc.cli.embedded import clean_environment

COMMANDS = {
    **{name: str(ROOT / "bin" / name) for name in ("tsvc", "tsvcd", "run_test")},
    "pytest": "-m pytest",
    "python": "",
    "python3": "",
}
# Commands that stay in the foreground, with their output once they are ready.
STAYS = {
    "tsvcd -c": "ready",
    "tsvc scp": "ready",
    "tsvc fake": "^tsvc fake ",
    "tsvc gui --daemon": "^tsvc gui: ",
    "tsvc gui --users users --bind": "^tsvc gui: ",
    "tsvc watch": ".",
}
# The host names of the pages, all on this machine; and addresses other than the loopback's.
HOSTS = (
    "tester lab.example stp-a stp-b ocs.example.net ocs1.example.net ocs2.example.net "
    "crm.example.net routes.example.net smf.example.net"
)
ADDRESSES = ("10.0.0.1", "10.0.0.2", "10.0.0.7", "10.1.2.3")

_MACHINE = """
set -e
mount --make-rprivate /
cp -a /etc/. .etc 2>/dev/null || true
mkdir -p .etc/tsvc
printf '127.0.0.1 localhost {hosts}\\n' > .etc/hosts
mount --bind .etc /etc
ip link set lo up
for address in {addresses}; do ip address add $address/32 dev lo; done
exec bash --norc --noprofile .page.sh
"""
_HEAD = """
set -e -o pipefail
begin() {  # what it says once it is ready, command: no job of this shell, as in another terminal
  local log; log=$(mktemp)
  (eval "$2" > $log 2>&1 & echo $! > $log.pid)
  ready "$(cat $log.pid)" $log "$1"
}
ready() {  # process, its log, what it says
  for n in $(seq 3000); do
    if grep -qE "$3" "$2"; then return; fi
    if ! kill -0 "$1" 2>/dev/null; then break; fi
    sleep 0.1
  done
  cat "$2"; echo "is not ready: $2"; return 1
}
ends_with() {  # statuses, command
  local status=0
  eval "$2" || status=$?
  if ! [[ " $1 " == *" $status "* ]]; then echo "ends with $status, not with $1"; return 1; fi
}
completes() {  # words: what bash offers for the last of them
  if test -z "$(declare -F _tsvc_completion)"; then eval "$(_TSVC_COMPLETE=bash_source tsvc)"; fi
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _tsvc_completion tsvc
  printf '%s\\n' "${COMPREPLY[@]}"
  test "${#COMPREPLY[@]}" -gt 0
}
serve() {  # file: a daemon, all of whose gateways are up
  begin ready "TSVC_SERVICE_STATE_DIR=${TSVC_SERVICE_STATE_DIR:-$(mktemp -d)} tsvcd -c $1"
  python -c '
import time
from tsvc.client import Client
with Client() as client:
    while {one["state"] for one in client.call("DescribeService")["gateways"]} - {"up"}:
        time.sleep(0.05)
'
}
fake() { begin "tsvc fake" "tsvc fake $*"; }
slower() { python -c '  # file: what --json wrote, as on a machine that was a thousand times slower
import json, sys
from pathlib import Path
def slow(value, times=1):
    if isinstance(value, dict):
        return {name: slow(one, 1000 if name in SLOW else times) for name, one in value.items()}
    if isinstance(value, list):
        return [slow(one, times) for one in value]
    return (value + (times > 1)) * times if isinstance(value, int | float) else value
SLOW = {"late", "never_started", "lateness_ms", "response", "service"}
file = Path(sys.argv[1])
file.write_text(json.dumps(slow(json.loads(file.read_text()))))
' "$1"; }
play() { python -c '  # run, file, members beside those of the file: then it is not waited for
import json, sys
from pathlib import Path
from tsvc.cli.definition_file import read_definition
from tsvc.client import Client
with Client() as client:
    definition = {**read_definition(Path(sys.argv[2])), **json.loads(sys.argv[3] or "{}")}
    client.execute(definition, run_id=sys.argv[1], wait=not sys.argv[3])
' "$1" "$2" "${3-}"; }
ask() { python -c '
import json, sys
from tsvc.client import Client
with Client() as client:
    client.call(sys.argv[1], json.loads(sys.argv[2]))
' "$1" "$2"; }
"""
_BORDER = "-- page, line"


@dataclass(frozen=True, slots=True)
class Told:
    """The output of a page's commands, each block by its line; the status of the shell."""

    status: int
    blocks: Mapping[int, str]
    text: str


def require_machines() -> None:
    """Skip the test if no machine for a reader can be created."""
    require_peer(shutil.which("unshare"), "apt-get install util-linux")
    require_peer(shutil.which("ip"), "apt-get install iproute2")
    if not _has_machines():
        require_peer(None, "namespaces, which root has, and others where the system lets them")


@cache
def _unshare() -> tuple[str, ...]:
    apart = ("unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child")
    return apart if os.geteuid() == 0 else (*apart, "--map-root-user")


@cache
def _has_machines() -> bool:
    return subprocess.run([*_unshare(), "ip", "link", "set", "lo", "up"]).returncode == 0


def checkout(folder: Path) -> Path:
    """Create the state after `make setup`: the tree, and .venv/bin with the commands."""
    shutil.copytree(ROOT / "etc", folder / "etc")
    for name in ("Makefile", "setup.py", "requirements.txt", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "tsvc").symlink_to(ROOT / "tsvc")
    commands = folder / ".venv/bin"
    commands.mkdir(parents=True)
    path = shlex.quote(f"{ROOT}:{ROOT / 'tests'}")
    python = f"PYTHONPATH={path} exec {shlex.quote(sys.executable)}"
    for name, program in COMMANDS.items():
        (commands / name).write_text(f'#!/bin/sh\n{python} {program} "$@"\n')
        (commands / name).chmod(0o755)
    (folder / ".venv/.installed").touch()
    return folder


def read(
    folder: Path, steps: list[Step], before: Mapping[str, str], answers: Mapping[str, str]
) -> Told:
    """Follow the steps of a page in a checkout.

    `before`: commands to run before the first command that begins with the key, "" for the page's
    first; `answers`: input typed into commands that begin with the key.
    """
    status, text = play(folder, "\n".join(_script(steps, before, answers)))
    parts = re.split(rf"^{_BORDER} (\d+)\n", text, flags=re.MULTILINE)
    blocks = dict(zip(map(int, parts[1::2]), parts[2::2], strict=True))
    return Told(status, blocks, text)


def play(folder: Path, script: str) -> tuple[int, str]:
    """Run a script in a checkout, on a separate machine; return status and output.

    Limits of latency become 1,000 s: that of a busy machine says nothing about the page.
    """
    (folder / ".page.sh").write_text(re.sub(r"(_ms<=?)\d+", r"\g<1>1000000", script))
    machine = _MACHINE.format(hosts=HOSTS, addresses=" ".join(ADDRESSES))
    environ = {**clean_environment(), "NO_COLOR": "1", "COLUMNS": "100"}
    environ["XDG_STATE_HOME"] = str(folder / ".state")  # not that of a service of this machine
    with (folder / ".output").open("w+") as output:
        shell = subprocess.Popen(
            [*_unshare(), "bash", "-c", machine],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env={**environ, "PATH": f"{folder}/.venv/bin:{os.environ['PATH']}"},
        )
        with suppress(subprocess.TimeoutExpired):
            shell.wait(HANG_GUARD_S * 10)
        shell.kill()
        status = shell.wait()
        output.seek(0)
        return status, output.read()


def _script(
    steps: list[Step], before: Mapping[str, str], answers: Mapping[str, str]
) -> Iterator[str]:
    yield _HEAD
    left = dict(before)
    yield left.pop("", "")
    for step in steps:
        yield f"echo '{_BORDER} {step.line}'"
        for command in step.commands:
            if command.needs:
                continue
            for begin in [one for one in left if command.text.startswith(one)]:
                yield left.pop(begin)
            typed = [text for begin, text in answers.items() if command.text.startswith(begin)]
            yield from _play(command, typed)
    assert not left, f"nothing begins with {list(left)}"


def _play(command: Command, typed: list[str]) -> Iterator[str]:
    said = [text for begin, text in STAYS.items() if command.text.startswith(begin)]
    if command.text.endswith("<Tab>"):
        words = shlex.split(command.text.removesuffix("<Tab>").rstrip())
        if command.text.endswith(" <Tab>"):
            words.append("")
        yield f"completes {shlex.join(words)}"
    elif said and not command.text.endswith("&"):
        yield f"begin {shlex.quote(said[0])} {shlex.quote(command.text)}"
    elif command.statuses != (0,):
        statuses = " ".join(map(str, command.statuses))
        yield f"ends_with '{statuses}' {shlex.quote(command.text)}"
    elif typed:
        yield f"printf {shlex.quote(typed[0])} | {command.text}"
    else:
        yield command.text
