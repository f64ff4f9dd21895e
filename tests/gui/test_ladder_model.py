"""What the browser's ladder shows for a check: the message, and octets that say what was got.

Runs play against real peers; the browser's own code, run by node, answers for their checks.
"""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import EXAMPLES, FLOW, ROOT, Daemon, require_peer
from support.waiting import GUARD_S

GUI = ROOT / "gui"
SAMPLES = [path.stem for path in sorted(EXAMPLES.glob("*.json"))]
Params = dict[str, Any]


@pytest.fixture(scope="module")
def script() -> Path:
    """The script that answers for checks, built from the browser's code."""
    node = require_peer(shutil.which("node"), "apt-get install nodejs")
    installed = GUI / "node_modules"
    require_peer(str(installed) if installed.exists() else None, "cd gui && npm ci")
    subprocess.run([node, "build.mjs", "--tests"], cwd=GUI, check=True, timeout=GUARD_S)
    return GUI / "build" / "test" / "abouts.script.mjs"


def abouts(script: Path, trace: Params) -> list[Params]:
    done = subprocess.run(
        ["node", str(script)],
        input=json.dumps([trace]).encode(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=GUARD_S,
    )
    (found,) = json.loads(done.stdout)
    assert len(found) == len(trace["check_log"])
    return list(found)


def trace_of(daemon: Daemon, definition: Params) -> Params:
    params = {**definition, "trace_level": 1, "trace_messages": True}
    run_id = daemon.execute(*params.pop("operations"), **params)
    query = {"run_id": run_id, "collect": 0, "wait_s": GUARD_S}
    assert daemon.call("QueryTest", **query)["completed"] == 1
    content: Params = daemon.call("GetTrace", run_id=run_id, format="json")["content"]
    return content


@contextlib.contextmanager
def service(folder: Path, applications: Any = None) -> Iterator[Daemon]:
    daemon = Daemon(folder, applications, flows=(FLOW,))
    try:
        daemon.until_up()
        yield daemon
    finally:
        daemon.stop()
