"""The worked examples of CONTRIBUTING.md: at their documented paths, they are found and work.

A separate process runs them, because a registered name stays registered.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from house.source import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
PLACES = ("tsvc.methods", "tsvc.operations", "tsvc.flow.nodes", "tsvc.commands")

# The packages look for their modules in the example's folder, too.
HEAD = """
import importlib, sys
from pathlib import Path
importlib.import_module(sys.argv[1]).__path__.append(sys.argv[2])
"""
METHOD = """
from support.scripted_scp import ScriptedDaemon
from unit.methods.declared import Answers
from tsvc.methods.method import METHODS
METHODS.load()
method = METHODS.get("EchoTime")
answers = Answers()
answers.hold(method.Result, method.example.result, "example")
tsvc = ScriptedDaemon(Path(sys.argv[2]))
answers.hold(method.Result, tsvc.call("EchoTime", **method.example.params), "answer")
tsvc.stop()
assert answers.seen and not answers.problems, answers.problems
"""
OPERATION = """
from support.scripted_scp import ScriptedDaemon
from tsvc.operations.operation import OPERATION_TYPES
OPERATION_TYPES.load()
tsvc = ScriptedDaemon(Path(sys.argv[2]))
result = tsvc.run(dict(OPERATION_TYPES.get("note").example))
missing = tsvc.refused({"type": "note", "arguments": {}})
tsvc.stop()
assert (result["verdict"], result["globals"]) == ("pass", {"note": "half way"}), result
assert list(missing) == ["params.operations[0].arguments.text"], missing
"""
FLOW_OPERATION = """
from unit.flow.conftest import Flows
from tsvc.flow.call import Pause, PauseOver, Release
from tsvc.flow.node import NODES
NODES.load()
flows = Flows()
document = flows.document("Breathe", NODES.get("Breathe").example["config"])
assert flows.walk(flows.run(document), PauseOver()) == [Pause(0.2), Release(1)]
(problem,) = flows.problems(flows.document("Breathe", {}))
assert problem == ("flow.operations.2.config.time_ms", "is required", "error"), problem
"""
COMMAND = """
from click.testing import CliRunner
from tsvc.cli.embedded import PrivateDaemon
from tsvc.cli.main import main
(Path(sys.argv[2]) / "worked_example.py").rename(Path(sys.argv[2]) / "uptime.py")
with PrivateDaemon() as daemon:
    found = CliRunner().invoke(main, ["uptime", "--port", str(daemon.port)])
assert found.exit_code == 0 and found.output.endswith(" s\\n"), found.output
listed = [line.split()[:1] for line in CliRunner().invoke(main, ["--help"]).output.splitlines()]
assert listed[listed.index(["status"]) + 1] == ["uptime"], listed
"""


@pytest.mark.parametrize(
    ("example", "place", "check"),
    [*zip(EXAMPLES, PLACES, (METHOD, OPERATION, FLOW_OPERATION, COMMAND), strict=True)],
    ids=PLACES,
)
def test_an_example_is_found_and_works(
    example: str, place: str, check: str, tmp_path: Path
) -> None:
    (tmp_path / "worked_example.py").write_text(example, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", HEAD + check, place, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=PLACES)
def test_an_example_is_as_make_check_wants_it(example: str) -> None:
    for words in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *words, "--stdin-filename", "tsvc/worked.py", "-"]
        done = subprocess.run(
            command, cwd=ROOT, input=example, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
