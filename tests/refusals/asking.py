"""Gets refusals from tsvc through its processes only, so that its modules may move.

The processes run the tsvc that the interpreter finds, with a folder of their own as the working
directory: PYTHONPATH, or another virtual environment, makes them run another tree.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refusals.golden import expanded
from support.daemons import FLOW, HANG_GUARD_S, DaemonProcess, wait_until_ready
from support.ports import free_port

Case = dict[str, Any]
# Objects reported as missing with one of their members, or optional ones (callResult).
# (callResult).
MAY_BE_ABSENT = ("config", "arguments", "bind", "callResult")

OPERATIONS = [{"type": "inap.ssp_to_scp.InitialDP", "arguments": {"serviceKey": 1}}]
_CHECKER = Path(__file__).parent / "check_configurations.py"

# The beginning of each daemon's configuration; its own text continues with keys of [rpc].
_FIRST = """
[service]
state_dir = "state"
[scp]
flows = ['{flow}']
[rpc]
port = {port}
"""
# The daemon of most cases: one application of each kind, none with a peer: nobody
# listens on port 1 of any machine.
FULL = """
[application."SIGTRAN"]
module = "sigtran"
connections = [{ name = "loopback", type = "loopback" }]

[application."OCS"]
module = "diameter"
remote_port = 1

[application."CRM"]
module = "db"
driver = "sqlite"
database = "none/crm.sqlite"

[application."CRM".statements.Balance]
sql = "SELECT balance FROM wallet WHERE msisdn = :msisdn"
bind = { msisdn = "text" }
shape = "value"

[application."CRM".statements.SetBalance]
sql = "UPDATE wallet SET balance = :balance WHERE msisdn = :msisdn"
bind = { msisdn = "text", balance = "integer" }
shape = "count"

[application."BSS"]
module = "rest"
base_uri = "http://127.0.0.1:1"

[application."SLC"]
module = "osd"
base_uri = "http://127.0.0.1:1"

[application."SMF"]
module = "pi"
remote_host = "127.0.0.1"
remote_port = 1

[application."SMSC"]
module = "smpp"
port = 0
"""
# A daemon with missing or too many applications, for which unknown members are no errors.
BARE = """
unknown_params = "warn"
[engine]
max_backlog = 5
max_operations = 4
max_runs = 1
[tester]
default_smpp = "CRM1"
default_db_hlr = "SS7"
[application."CRM1"]
module = "db"
driver = "sqlite"
database = "none/one.sqlite"
[application."CRM2"]
module = "db"
driver = "sqlite"
database = "none/two.sqlite"
allow_sql = true
[application."SS7"]
module = "sigtran"
opc = 1
connections = [{ name = "link", type = "m3ua", remote_port = 1, dpc = 2 }]
"""
DAEMONS = {"full": FULL, "bare": BARE}


@dataclass(frozen=True)
class Answers:
    """Running daemons by name."""

    by_name: dict[str, DaemonProcess]

    def definition(self, case: Case) -> Any:
        """Return the refusal of a Test Definition: problems, or the error of ExecuteTest."""
        daemon = self.by_name[case.get("daemon", "full")]
        method = case.get("method", "ValidateTest")
        params = expanded(case["definition"])
        answer = _call(daemon, method, params)
        if method != "ValidateTest":
            return answer.get("error", answer)
        return _problems(answer, params)

    def executed(self, case: Case) -> Any:
        """Return the error of ExecuteTest for a definition that ValidateTest refuses."""
        daemon = self.by_name[case.get("daemon", "full")]
        definition = expanded(case["definition"])
        answer = _call(daemon, "ExecuteTest", {"run_id": "refused", **definition})
        return answer.get("error", answer)

    def flow(self, case: Case) -> Any:
        """Return the problems of a flow that a definition brings."""
        params = {"operations": OPERATIONS, "flow": expanded(case["flow"])}
        answer = _call(self.by_name["full"], "ValidateTest", params)
        return _problems(answer, params)


def _problems(answer: Case, params: Any) -> Any:
    """Return the problems that ValidateTest answers; a severity is named unless it is "error".

    Each points to a place in the params; that follows from its path and is not recorded.
    """
    if "error" in answer:
        return answer["error"]
    problems = answer["result"]["problems"]
    assert answer["result"]["valid"] is not any(one["severity"] == "error" for one in problems)
    for problem in problems:
        lead_somewhere(params, problem.pop("pointer"))
        assert list(problem) == ["path", "text", "severity"]
        if problem["severity"] == "error":
            del problem["severity"]
    return problems


def _call(daemon: DaemonProcess, method: str, params: Any) -> dict[str, Any]:
    """Return an answer in which the folder of the daemon is replaced."""
    found = without_folder(daemon.call(method, params), daemon.folder)
    assert isinstance(found, dict)
    return found


def without_folder(value: Any, folder: Path) -> Any:
    """Return a JSON value in which a temporary folder is called FOLDER; nothing else changes."""
    if isinstance(value, str):
        return value.replace(str(folder), "FOLDER")
    if isinstance(value, list):
        return [without_folder(item, folder) for item in value]
    if isinstance(value, dict):
        return {name: without_folder(item, folder) for name, item in value.items()}
    return value


def environment() -> dict[str, str]:
    """Return the environment of the processes, without the settings of the user.

    The order of sets is the same in each process, unless record.py requests another order.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TSVC_")}
    return {"PYTHONHASHSEED": "0", **kept, "LC_ALL": "C.UTF-8"}


def python(folder: Path, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the interpreter to its end in a folder and return its outcome."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        cwd=folder,
        timeout=2 * HANG_GUARD_S,
        check=False,
        **more,
    )


def source(folder: Path) -> str:
    """Return where the processes find tsvc."""
    return python(folder, "-c", "import tsvc; print(tsvc.__file__)").stdout.strip()


@contextlib.contextmanager
def daemons(folder: Path, names: Sequence[str] = tuple(DAEMONS)) -> Iterator[Answers]:
    """Run the daemons for the duration of a block."""
    started: dict[str, DaemonProcess] = {}
    try:
        for name in names:
            started[name] = _start(folder / name, DAEMONS[name])
        for daemon in started.values():
            wait_until_ready(daemon)
        yield Answers(started)
    finally:
        for daemon in started.values():
            daemon.process.kill()
            daemon.process.wait(HANG_GUARD_S)


def _start(folder: Path, tables: str) -> DaemonProcess:
    folder.mkdir()
    port = free_port()
    path = folder / "tsvc.toml"
    path.write_text(_FIRST.format(port=port, flow=FLOW) + tables)
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(path)],
            stdout=log,
            stderr=log,
            env=environment(),
            cwd=folder,
        )
    return DaemonProcess(process, port, folder)


def check_flows(folder: Path, found: Sequence[Case]) -> list[list[str]]:
    """Return the lines that `tsvc flow check` prints for each flow, all from one command."""
    names = [f"{number:03d}.json" for number in range(len(found))]
    for name, case in zip(names, found, strict=True):
        (folder / name).write_text(json.dumps(expanded(case["flow"])))
    printed = python(folder, "-m", "tsvc.cli.main", "flow", "check", *names)
    assert printed.returncode == 1, printed
    parts: list[list[str]] = []
    for line in printed.stdout.split("\n")[:-1]:
        if line.startswith(tuple(f"{name}: " for name in names[len(parts) : len(parts) + 1])):
            parts.append([])
            line = line.split(": ", 1)[1]
        parts[-1].append(line)
    return parts


def check_configurations(folder: Path, found: Sequence[Case]) -> list[Any]:
    """Return {status, lines} of `tsvcd --check` for each configuration, all in one process."""
    jobs = []
    for number, case in enumerate(found):
        below = folder / f"{number:03d}"
        for name, lines in {"tsvc.toml": case["toml"], **case.get("files", {})}.items():
            path = below / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in lines))
            path.chmod(int(case.get("mode", "600"), 8))
        jobs.append({"folder": str(below), "environment": case.get("environment", {})})
    printed = python(folder, str(_CHECKER), input=json.dumps(jobs))
    assert printed.returncode == 0, printed.stderr
    results: list[Any] = json.loads(printed.stdout)
    return [
        without_folder(result, folder / f"{number:03d}") for number, result in enumerate(results)
    ]


def lead_somewhere(params: Any, pointer: str) -> None:
    """Assert that a pointer names a place of the params, or a place where something is missing."""
    here = params
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for number, step in enumerate(steps):
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif isinstance(here, list) and step.isdigit() and int(step) < len(here):
            here = here[int(step)]
        else:
            is_last = number == len(steps) - 1
            assert is_last or step in MAY_BE_ABSENT, f"{pointer} leads nowhere in {params}"
            return
