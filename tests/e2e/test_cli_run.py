"""The commands against a real tsvcd with its embedded SCP, each a process of its own."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.waiting import until

from tsvc.cli.embedded import PrivateDaemon, clean_environment
from tsvc.client import Client

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "etc/examples/extension_dialing.json"
FLOW = ROOT / "etc/examples/flows/extension_dialing.json"
HANG_GUARD_S = 60
PASSING = {"operations": [{"type": "pass", "arguments": {"text": "here we are"}}]}
HALTING = {"operations": [{"type": "halt", "arguments": {"seconds": 60}}]}


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateDaemon]:
    with PrivateDaemon(flows=[FLOW]) as found:
        yield found


@pytest.fixture
def client(daemon: PrivateDaemon) -> Client:
    return daemon.client()


def tsvc(
    daemon: PrivateDaemon, *arguments: object, module: str = "tsvc.cli.main"
) -> subprocess.CompletedProcess[str]:
    """Run a command with the daemon as the default one."""
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        env={**clean_environment(), "TSVC_PORT": str(daemon.port)},
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )


def write(folder: Path, definition: Any, name: str = "test.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(definition), "utf-8")
    return path


def test_the_example_passes(daemon: PrivateDaemon) -> None:
    found = tsvc(daemon, "run", EXAMPLE)
    assert found.returncode == 0, found.stderr
    assert "PASS  Received Connect\n" in found.stdout
    assert "Connect  to 4329100" in found.stdout  # the ladder
    assert "verdict    pass: 1 of 1 passed in " in found.stdout
    assert "\x1b" not in found.stdout  # no terminal, no colours


def test_a_load_tells_the_rate(daemon: PrivateDaemon) -> None:
    found = tsvc(daemon, "run", EXAMPLE, "--cps", 50, "--total", 20, "--quiet")
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith(f"{EXAMPLE}: pass: 20 of 20 passed in ")
    whole = tsvc(daemon, "run", EXAMPLE, "--cps", 50, "--total", 20)
    assert "asked 50.00/s, achieved " in whole.stdout
    assert "20 planned = 20 started (" in whole.stdout


def test_statuses_of_what_does_not_pass(daemon: PrivateDaemon, tmp_path: Path) -> None:
    failing = write(
        tmp_path, {"operations": [{"type": "fail", "arguments": {"text": "no"}}]}, "f.json"
    )
    aborting = write(
        tmp_path, {"operations": [{"type": "abort", "arguments": {"text": "no"}}]}, "a.json"
    )
    passing = write(tmp_path, PASSING, "p.json")
    assert tsvc(daemon, "run", failing).returncode == 1
    assert tsvc(daemon, "run", aborting).returncode == 3
    assert tsvc(daemon, "run", passing, "--threshold", "service_p99_ms<0").returncode == 4
    assert tsvc(daemon, "run", passing, "--total", 5).returncode == 2
    assert tsvc(daemon, "run", tmp_path / "missing.json").returncode == 2
    assert tsvc(daemon, "run", passing, "--port", 1).returncode == 5
    suite = tsvc(daemon, "run", tmp_path, "--quiet", "--parallel", 3)
    assert suite.returncode == 3
    assert "1 of 3 files passed" in suite.stdout


def test_a_refusal_names_every_field_with_its_caret(daemon: PrivateDaemon, tmp_path: Path) -> None:
    operations = [{"type": "evall"}, {"type": "eval", "expression": "$v->{a} ||"}]
    path = write(tmp_path, {"operations": operations})
    found = tsvc(daemon, "run", path)
    assert found.returncode == 5
    assert found.stdout == ""
    lines = found.stderr.splitlines()
    assert "refused (2002 definition.invalid):" in lines
    assert any(line.startswith(f"  {path}:1:18: operations[0].type: ") for line in lines), lines
    (at,) = [index for index, line in enumerate(lines) if line.strip() == "^"]
    assert lines[at].index("^") == lines[at - 1].index("$v->{a} ||") + len("$v->{a} ||")


def test_vars_seed_and_outputs(daemon: PrivateDaemon, tmp_path: Path) -> None:
    operations = [{"type": "eval", "expression": "$g->{sum} = $v->{a} . $v->{b}"}]
    path = write(tmp_path, {"vars": {"a": "x", "b": "y"}, "operations": operations})
    out = tmp_path / "out.json"
    arguments = ["--var", "a=007", "--var", "b:=12", "--seed", 5, "--globals", "--json", out]
    found = tsvc(daemon, "run", path, *arguments)
    assert found.returncode == 0, found.stderr
    assert '"sum": "00712"' in found.stdout
    (run,) = json.loads(out.read_text())["runs"]
    assert (run["status"], run["result"]["seed"]) == ("passed", 5)
    assert run["result"]["globals"] == {"sum": "00712"}


def test_embedded_runs_with_a_flow_of_its_own(tmp_path: Path) -> None:
    definition = json.loads(EXAMPLE.read_text()) | {"flow": "flows/f.json"}
    (tmp_path / "flows").mkdir()
    shutil.copy(FLOW, tmp_path / "flows/f.json")
    path = write(tmp_path, definition)
    environ = {**clean_environment(), "TSVC_RPC_PORT": "1"}  # another daemon's business
    found = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.main", "run", str(path), "--embedded", "--quiet"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_pcap_and_trace(daemon: PrivateDaemon, client: Client, tmp_path: Path) -> None:
    pcap = tmp_path / "o.pcap"
    assert tsvc(daemon, "run", EXAMPLE, "--pcap", pcap).returncode == 0
    assert pcap.read_bytes()[:4] in (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1")
    run_id = client.execute(json.loads(EXAMPLE.read_text()))
    client.wait(run_id)
    ladder = tsvc(daemon, "trace", run_id)
    assert ladder.returncode == 0, ladder.stderr
    assert "Connect  to 4329100" in ladder.stdout
    out = tmp_path / "two.pcap"
    assert tsvc(daemon, "trace", run_id, "--format", "pcap", "-o", out).returncode == 0
    assert out.read_bytes()[:4] == pcap.read_bytes()[:4]


def test_the_life_of_a_halted_run(daemon: PrivateDaemon, client: Client) -> None:
    run_id = client.execute(HALTING)
    until(lambda: bool(client.query(run_id).halted))
    listed = tsvc(daemon, "list")
    assert f"{run_id} " in listed.stdout
    queried = tsvc(daemon, "query", run_id)
    assert queried.returncode == 0
    assert f"halted: 0 (tsvc resume {run_id} INSTANCE)" in queried.stdout
    assert tsvc(daemon, "resume", run_id, "0").returncode == 0
    assert client.wait(run_id).verdict == "pass"
    again = tsvc(daemon, "resume", run_id, "0")
    assert again.returncode == 5
    assert "refused (2004 run_id.unknown)" in again.stderr


def test_cancel(daemon: PrivateDaemon, client: Client) -> None:
    run_id = client.execute(HALTING)
    found = tsvc(daemon, "cancel", run_id)
    assert found.returncode == 0, found.stderr
    assert "cancelled" in found.stdout


def test_ctrl_c_cancels_what_is_in_progress(
    daemon: PrivateDaemon, client: Client, tmp_path: Path
) -> None:
    path = write(tmp_path, HALTING, "interrupted.json")
    process = subprocess.Popen(
        [sys.executable, "-m", "tsvc.cli.main", "run", str(path)],
        env={**clean_environment(), "TSVC_PORT": str(daemon.port)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def is_halted() -> bool:
        runs = [run.run_id for run in client.query_all()]
        return any(run.startswith("interrupted-") for run in runs)

    until(is_halted)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=HANG_GUARD_S)
    assert process.returncode == 3, stderr
    assert "verdict    cancelled" in stdout
    assert not is_halted()


def test_validate(daemon: PrivateDaemon, tmp_path: Path) -> None:
    good = tsvc(daemon, "validate", EXAMPLE)
    assert (good.returncode, good.stdout) == (0, f"{EXAMPLE}: valid\n")
    bad = tsvc(daemon, "validate", write(tmp_path, {"operations": [{"type": "evall"}]}))
    assert bad.returncode == 1
    assert "operations[0].type" in bad.stdout


def test_ops_and_status(daemon: PrivateDaemon) -> None:
    assert "inap.ssp_to_scp.InitialDP " in tsvc(daemon, "ops").stdout
    one = tsvc(daemon, "ops", "branch")
    assert one.returncode == 0
    assert "  on_true\n" in one.stdout
    unknown = tsvc(daemon, "ops", "brunch")
    assert (unknown.returncode, 'did you mean "branch"' in unknown.stderr) == (1, True)
    status = tsvc(daemon, "status")
    assert status.returncode == 0
    assert "gateway  SIGTRAN [sigtran] up (loopback)" in status.stdout
    assert json.loads(tsvc(daemon, "status", "--json").stdout)["name"] == "tsvc"


def test_run_test_prints_the_published_shape(daemon: PrivateDaemon, tmp_path: Path) -> None:
    xml = tmp_path / "g.xml"
    arguments = ["--port", daemon.port, EXAMPLE, "--google-test-output", xml]
    found = tsvc(daemon, *arguments, module="tsvc.cli.run_definition")
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[:2] == [f"[START {EXAMPLE}]", "[STARTED...]"]
    assert lines[2].startswith("[COMPLETED 1(1) of 1 instances in 0.")
    assert lines[3] == ">>> FIRST CALL CHECKS"
    assert lines[4].endswith("[S=01/O=01] [PASS] Received RequestReportBCSMEvent")
    assert 'failures="0"' in xml.read_text()


def test_the_demo() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.demo", str(EXAMPLE), "--flow", str(FLOW)],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "500 of 500 passed" in found.stdout
    assert found.stdout.endswith("tsvcd is stopped\n")
