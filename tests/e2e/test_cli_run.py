"""The commands against a real tsvcd with its embedded SCP, each a process of its own."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import HANG_GUARD_S, ROOT, tsvc, write
from support.waiting import until

from tsvc.cli.embedded import PrivateDaemon, clean_environment
from tsvc.client import Client

pytestmark = pytest.mark.e2e

EXAMPLE = ROOT / "etc/examples/extension_dialing.json"
FLOW = ROOT / "etc/examples/flows/extension_dialing.json"
PASSING = {"operations": [{"type": "pass", "arguments": {"text": "here we are"}}]}
HALTING = {"operations": [{"type": "halt", "arguments": {"seconds": 600}}]}


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateDaemon]:
    with PrivateDaemon(flows=[FLOW]) as found:
        yield found


@pytest.fixture
def client(daemon: PrivateDaemon) -> Client:
    return daemon.client()


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
    environ = {**clean_environment(), "TSVC_RPC_PORT": "1"}  # of another daemon
    found = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.main", "run", str(path), "--embedded", "--quiet"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_embedded_scp_runs_several_flows(tmp_path: Path) -> None:
    """Each definition uses the flow of its service key."""
    flows = [FLOW, FLOW.with_name("ussd.json")]
    files = [EXAMPLE, EXAMPLE.parent / "guide/ussd.json"]

    def run(*options: object) -> subprocess.CompletedProcess[str]:
        named = [part for flow in flows for part in ("--flow", flow)]
        command = [sys.executable, "-m", "tsvc.cli.main", "run", *files, *named, *options]
        return subprocess.run(
            list(map(str, command)),
            env={**clean_environment(), "TSVC_RPC_PORT": "1"},
            capture_output=True,
            text=True,
            timeout=HANG_GUARD_S,
            cwd=ROOT,
        )

    found = run("--embedded", "--quiet")
    assert found.returncode == 0, found.stdout + found.stderr
    for options in ((), ("--embedded", "--force-flow")):
        refused = run(*options)
        assert refused.returncode == 2
        assert "several --flow go with --embedded" in refused.stderr


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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_its_own_daemon_ends_with_it(tmp_path: Path, number: signal.Signals) -> None:
    path = write(tmp_path, HALTING)
    process = subprocess.Popen(
        [sys.executable, "-m", "tsvc.cli.main", "run", str(path), "--embedded", "--quiet"],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # The tests themselves may run under nohup.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        (child,) = until(lambda: children.read_text().split())
        log = Path(f"/proc/{child}/fd/1")  # in the folder of all its files
        folder = until(lambda: log.readlink().name == "log" and log.readlink().parent)
        process.send_signal(number)
        assert process.wait(HANG_GUARD_S) == 128 + number
        is_left = Path(f"/proc/{child}").exists()
    finally:
        process.kill()
        process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(child), signal.SIGKILL)
    assert not is_left
    assert not folder.exists()


def test_validate(daemon: PrivateDaemon, tmp_path: Path) -> None:
    good = tsvc(daemon, "validate", EXAMPLE)
    assert (good.returncode, good.stdout) == (0, f"{EXAMPLE}: valid\n")
    dp = {"type": "inap.ssp_to_scp.InitialDP", "arguments": {"serviceKy": 1}}
    bad = tsvc(daemon, "validate", write(tmp_path, {"operations": [dp, {"type": "evall"}]}))
    assert bad.returncode == 1
    first, second = bad.stdout.splitlines()[1:], "operations[1].type"
    assert ["serviceKy" in first[0], second in first[1]] == [True, True], bad.stdout


def test_validate_tells_of_all_files_of_a_folder(daemon: PrivateDaemon, suite: Path) -> None:
    (suite / "a_broken.json").write_text('{"operations": [}')
    (suite / "d_broken.toml").write_text("operations = [\n")
    long = {"comment": "x" * (1 << 20), "operations": [{"type": "pass"}]}
    (suite / "b_long.json").write_text(json.dumps(long))
    found = tsvc(daemon, "validate", suite)
    assert found.returncode == 1
    heads = [line for line in found.stdout.splitlines() if not line.startswith(" ")]
    assert [line.rpartition("/")[2] for line in heads] == [
        "a_broken.json: not valid",
        "a_good.json: valid",
        "b_bad.json: valid",
        "b_long.json: not valid",
        "c_good.json: valid",
        "d_broken.toml: not valid",
    ]
    assert "a_broken.json:1:17: JSON syntax" in found.stdout


def test_a_run_names_all_files_that_can_not_be_read(daemon: PrivateDaemon, suite: Path) -> None:
    (suite / "a_broken.json").write_text("{")
    (suite / "d_broken.json").write_text("[]")
    found = tsvc(daemon, "run", suite, "--quiet")
    assert found.returncode == 2
    assert "a_broken.json" in found.stderr
    assert "d_broken.json" in found.stderr
    assert "passed" not in found.stdout, "nothing is run"


def test_ops_and_status(daemon: PrivateDaemon) -> None:
    assert "inap.ssp_to_scp.InitialDP " in tsvc(daemon, "ops").stdout
    one = tsvc(daemon, "ops", "branch")
    assert one.returncode == 0
    assert "  on_true " in one.stdout
    assert "absent: go on" in one.stdout
    labelled = tsvc(daemon, "ops", "db.<label>.Begin")
    assert labelled.returncode == 0, "as the list names it"
    wrong = tsvc(daemon, "ops", "inap.ssp_to_scp.InitialDP", "--variant", "cs9")
    assert (wrong.returncode, "no variant cs9" in wrong.stderr) == (2, True)
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


# -- suites --------------------------------------------------------------------------------------

FAILING = {"operations": [{"type": "fail", "arguments": {"text": "here we fail"}}]}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder: a_good and c_good pass, b_bad fails; tags good and bad."""
    write(tmp_path, {**PASSING, "tags": ["good"]}, "a_good.json")
    write(tmp_path, {**FAILING, "tags": ["bad"]}, "b_bad.json")
    write(tmp_path, {**PASSING, "tags": ["good"]}, "c_good.json")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["-k", "good and not a_good"], 0, "1 of 1 files passed; 2 not selected"),
        (["--tag", "good"], 0, "2 of 2 files passed; 1 not selected"),
        (["-x"], 1, "1 of 2 files passed; {}/b_bad.json failed; 1 not run"),
        (["--repeat", "2", "--tag", "good"], 0, "4 of 4 files passed; 1 not selected"),
        (["-k", "nothing"], 2, "none of 3 definitions is selected"),
        (["-k", "("], 2, "a word is missing"),
    ],
)
def test_what_of_a_suite_is_run(
    daemon: PrivateDaemon, suite: Path, options: list[str], status: int, said: str
) -> None:
    found = tsvc(daemon, "run", suite, "--quiet", *options)
    assert found.returncode == status, found.stderr
    assert said.format(suite) in found.stdout + found.stderr


def test_retries(daemon: PrivateDaemon, suite: Path, tmp_path: Path) -> None:
    """A random failure passes in the end, a real error does not; each attempt is shown."""
    odds = {"type": "branch", "expression": "$v->{n} < 1", "on_true": "ok"}
    lottery = {"vars": {"n": "{int(rand(2))}"}, "operations": [odds, *FAILING["operations"]]}
    lottery["operations"].append({**PASSING["operations"][0], "label": "ok"})
    file = write(tmp_path, lottery, "z_lottery.json")
    found = tsvc(daemon, "run", file, "--quiet", "--retries", 60)
    assert found.returncode == 0, found.stdout
    found = tsvc(daemon, "run", suite / "b_bad.json", "--quiet", "--retries", 2)
    assert found.returncode == 1
    assert "retry 2 of 2" in found.stdout
    assert found.stdout.count("0 of 1 passed, 1 failed") == 3


def test_an_absent_daemon_is_told_once(suite: Path) -> None:
    with socket.socket() as taken:  # bound, but not listening
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "tsvc.cli.main", "run", str(suite), "--port", str(port)]
        found = subprocess.run(
            command, env=clean_environment(), capture_output=True, text=True, timeout=HANG_GUARD_S
        )
    assert found.returncode == 5
    assert found.stderr.count("unreachable") == 1
    assert "2 not run" in found.stdout


def test_annotations_name_file_and_line(daemon: PrivateDaemon, suite: Path) -> None:
    text = json.dumps({**FAILING, "comment": 1}, indent=1)
    (suite / "b_bad.json").write_text(text)
    wrong = write(suite, {"operations": [{"type": "nonsense"}]}, "d_wrong.json")
    found = tsvc(daemon, "run", suite, "--quiet", "--github")
    lines = [line for line in found.stdout.splitlines() if line.startswith("::error ")]
    row = next(n for n, line in enumerate(text.splitlines(), 1) if '"type"' in line) - 1
    assert lines[0].startswith(f"::error file={suite}/b_bad.json,line={row},")
    assert lines[0].endswith("::fail: here we fail")
    assert lines[-1].startswith(f"::error file={wrong},title=")
    assert "nonsense" in lines[-1]


def test_a_baseline(daemon: PrivateDaemon, suite: Path) -> None:
    base = suite.parent / f"{suite.name}.base"
    file = suite / "a_good.json"
    assert tsvc(daemon, "run", file, "--json", base).returncode == 0
    found = tsvc(daemon, "run", file, "--baseline", base, "--tolerance", "100000%")
    assert found.returncode == 0, found.stdout
    assert "no worse than" in found.stdout
    write(suite, FAILING, "a_good.json")
    found = tsvc(daemon, "run", file, "--baseline", base, "--tolerance", "100000%")
    assert found.returncode == 1, "a failed check weighs more"
    assert "worse      verdict: pass became fail" in found.stdout
    ids = [one.result_id for one in daemon.client().list_results(2)]
    found = tsvc(daemon, "compare", ids[1], ids[0], "--tolerance", "100000%")
    assert found.returncode == 6, found.stderr
    assert "first check that differs" in found.stdout


def test_a_definitions_own_flow_goes_first(daemon: PrivateDaemon, tmp_path: Path) -> None:
    """--flow is for definitions without a flow; --force-flow is for all."""
    silent = tmp_path / "silent.json"
    silent.write_text(json.dumps({"name": "silent", "operations": []}))
    own = json.loads(EXAMPLE.read_text())
    own["flow"] = json.loads(FLOW.read_text())
    file = write(tmp_path, own, "own.json")
    assert tsvc(daemon, "run", file, "--flow", silent).returncode == 0
    assert tsvc(daemon, "run", file, "--flow", silent, "--force-flow").returncode != 0


# -- what came ------------------------------------------------------------------------------------


def test_what_came_is_accepted(daemon: PrivateDaemon, tmp_path: Path) -> None:
    """A wrong number in the file itself, a wrong mode in an included file, and the formatting."""
    text = EXAMPLE.read_text()
    definition = json.loads(text)
    shared = write(tmp_path, {"operations": [definition["operations"][1]]}, "shared.json")
    definition["operations"][1] = {"include": "shared.json"}
    good = json.dumps(definition, indent=3)
    path = tmp_path / "test.json"
    path.write_text(good.replace('"4329100"', '"{1 + 1}"'))
    kept = shared.read_text()
    shared.write_text(kept.replace('"notifyAndContinue"', '"interrupted"'))
    path.chmod(0o640)
    found = tsvc(daemon, "run", path, "--accept")
    assert found.returncode == 0, found.stdout
    assert (path.read_text(), shared.read_text()) == (good, kept)
    assert path.stat().st_mode & 0o777 == 0o640
    row = next(n for n, line in enumerate(good.splitlines(), 1) if "4329100" in line)
    place = "operations[7].arguments.destinationRoutingAddress_digits"
    assert f'  accepted   {path}:{row}:13: {place}: "{{1 + 1}}" became "4329100"\n' in found.stdout
    assert f"  accepted   {shared}:1:" in found.stdout
    assert found.stdout.count("verdict    ") == 2
    assert "--accept changes files" in tsvc(daemon, "run", path, "--accept", "--repeat", 2).stderr


def test_what_can_not_be_accepted(daemon: PrivateDaemon, tmp_path: Path) -> None:
    test = {"kpath": "g.a", "type": "range", "min": 2}
    operations = [{"type": "eval", "expression": "$g->{a} = 1", "tests": [test]}]
    path = write(tmp_path, {"operations": operations})
    before = path.read_text()
    found = tsvc(daemon, "run", path, "--accept")
    assert (found.returncode, path.read_text()) == (1, before)
    assert "  not accepted: operations[0] g.a (range) differs: " in found.stdout
    assert found.stdout.count("verdict    ") == 1, "nothing changed, so it is not run again"
    toml = tmp_path / "t.toml"
    toml.write_text(
        '[[operations]]\ntype = "eval"\nexpression = "$g->{a} = 1"\n'
        'tests = [{kpath = "g.a", value = "2"}]\n'
    )
    found = tsvc(daemon, "run", toml, "--accept")
    assert found.returncode == 1
    assert "only JSON can be changed" in found.stdout


def test_a_definition_of_what_came(daemon: PrivateDaemon, client: Client, tmp_path: Path) -> None:
    run_id = client.execute(json.loads(EXAMPLE.read_text()))
    client.wait(run_id)
    made = tmp_path / "made.json"
    found = tsvc(daemon, "trace", run_id, "--format", "definition", "-o", made)
    assert (found.returncode, found.stderr) == (0, "")
    assert tsvc(daemon, "run", made, "--quiet").returncode == 0
    made.write_text(made.read_text().replace('"4329100"', '"4329101"'))
    assert tsvc(daemon, "run", made, "--quiet").returncode == 1
    silent = client.execute(PASSING)
    client.wait(silent)
    assert tsvc(daemon, "trace", silent, "--format", "definition").returncode == 5


# -- set-up and tear-down -------------------------------------------------------------------------


@pytest.fixture
def around(suite: Path) -> Path:
    """The suite, with a set-up and a tear-down that pass."""
    write(suite, PASSING, "_setup.json")
    write(suite, PASSING, "_teardown.json")
    return suite


def names_in(found: subprocess.CompletedProcess[str]) -> list[str]:
    lines = found.stdout.splitlines()
    return [line.partition(".json: ")[0].rpartition("/")[2] for line in lines if ".json: " in line]


ALL = ["_setup", "a_good", "b_bad", "c_good", "_teardown"]


@pytest.mark.parametrize(
    ("options", "names", "status"),
    [
        ([], ALL, 1),
        (["--parallel", "3"], ALL, 1),
        (["-x"], ["_setup", "a_good", "b_bad", "_teardown"], 1),
        (["-k", "c_good"], ["_setup", "c_good", "_teardown"], 0),
        (["-k", "c_good", "--repeat", "2"], ["_setup", "c_good", "_teardown"] * 2, 0),
    ],
)
def test_a_suite_is_set_up_and_torn_down(
    daemon: PrivateDaemon, around: Path, options: list[str], names: list[str], status: int
) -> None:
    found = tsvc(daemon, "run", around, "--quiet", *options)
    assert (names_in(found), found.returncode) == (names, status), found.stderr


def test_without_its_set_up_a_suite_is_not_run(daemon: PrivateDaemon, around: Path) -> None:
    write(around, FAILING, "_setup.json")
    found = tsvc(daemon, "run", around, "--quiet")
    assert (names_in(found), found.returncode) == (["_setup", "_teardown"], 1)
    assert "the set-up did not pass: 3 not run" in found.stderr
    assert found.stdout.endswith("_setup.json failed; 3 not run\n")


def test_ctrl_c_tears_down(daemon: PrivateDaemon, client: Client, around: Path) -> None:
    write(around, HALTING, "a_good.json")
    command = [sys.executable, "-m", "tsvc.cli.main", "run", str(around), "--quiet"]
    environ = {**clean_environment(), "TSVC_PORT": str(daemon.port)}
    process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
    try:
        until(lambda: any(run.run_id.startswith("a_good-") for run in client.query_all()))
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=HANG_GUARD_S)
    finally:
        process.kill()
    assert process.returncode == 3
    assert [line.partition(".json: ")[2].partition(":")[0] for line in stdout.splitlines()] == [
        "pass",
        "cancelled",
        "pass",
    ]
    assert "_teardown.json: pass" in stdout.splitlines()[-1]
