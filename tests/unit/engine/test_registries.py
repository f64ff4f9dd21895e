"""What a daemon needs for runs is imported when it starts, not while its loop should turn."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
FIRST_RUN = """
from gevent import monkey; monkey.patch_all()
import sys
from pathlib import Path
from support.daemons import Daemon

daemon = Daemon(Path(sys.argv[1]))
before = set(sys.modules)
operations = [
    {"type": "eval", "expression": "$v->{n} = max(1, length('abc'))"},
    {"type": "inap.ssp_to_scp.InitialDP", "arguments": {"serviceKey": 45}},
    {"type": "inap.ssp_from_scp.Connect"},
]
result = daemon.run(*operations, ssp_ac="camel2")
assert result["counts"]["started"] == 1
print(*sorted(name for name in set(sys.modules) - before if name.startswith("tsvc.")))
daemon.stop()
"""


def test_a_first_run_imports_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_RUN, str(tmp_path)],
        cwd=ROOT / "tests",
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stdout + done.stderr
