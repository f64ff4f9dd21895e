"""A daemon imports what runs need when it starts; later an import would block its loop."""

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
    {"type": "inap.ssp_from_scp.Connect", "seconds": 0.1},
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


BARE = """
from gevent import monkey; monkey.patch_all()
import sys
from pathlib import Path
from support.daemons import Daemon

def kinds_there():
    heavy = ("gateway", "operations", "run", "messages", "service", "document", "lxml")
    return sorted(
        name for name in sys.modules
        if name.startswith(("tsvc.kinds.", "tsvc.scp.", "tsvc.flow.", "tsvc.ss7.m3ua", "lxml"))
        and name.split(".")[-1] in heavy
    )

daemon = Daemon(Path(sys.argv[1]), {})
assert kinds_there() == [], kinds_there()

request = {"type": "rest.SendRequest", "arguments": {"method": "GET", "path": "/"}}
missing = {"params.rest": "no rest application is configured (needed by operations[0])"}
assert daemon.problems(request) == missing
others = [name for name in kinds_there() if name.startswith("tsvc") and ".rest." not in name]
assert others == [], others
for wrong, right in (
    ("rest.SendRequst", "rest.SendRequest"),
    ("inap.ssp_to_scp.InitialPD", "inap.ssp_to_scp.InitialDP"),
    ("smpp.smsc_from_esme.Requets", "smpp.smsc_from_esme.Request"),
):
    (text,) = daemon.problems({"type": wrong}).values()
    assert text.endswith(f'did you mean "{right}"?'), text
assert daemon.problems({"type": "AnyTimeInterrogationRequest"}).keys() == {"params.sigtran"}
daemon.stop()
"""


def test_a_daemon_without_gateways_has_no_kind_and_says_the_same(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BARE, str(tmp_path)],
        cwd=ROOT / "tests",
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
