"""tsvcd and tsvc scp as processes: configuration, life cycle, messages of a failed start."""

import re
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from support.ports import listens
from support.waiting import until

from tsvc.cli.embedded import PrivateDaemon, clean_environment
from tsvc.client import Client, Unreachable

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
FLOW = ROOT / "etc/examples/flows/extension_dialing.json"
HANG_GUARD_S = 60


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )


def tsvcd(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run("-m", "tsvc.cli.tsvcd", *arguments)


@pytest.mark.parametrize("name", ["tsvc", "tsvcd", "run_test"])
def test_the_scripts_of_a_clone_work(name: str) -> None:
    found = run(str(ROOT / "bin" / name), "--version")
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip().split()[-1].count(".") == 2


@pytest.mark.parametrize(
    ("has_click", "line", "missing"),
    [
        (False, ["tsvc", "--version"], "click"),
        (False, ["tsvcd", "--version"], "gevent"),
        (False, ["run_test", "--version"], "click"),
        (True, ["tsvc", "--version"], ""),
        (True, ["tsvc", "run", "--help"], r"\w+"),
        (True, ["tsvcd", "--version"], "gevent"),
    ],
)
def test_a_python_without_the_requirements_is_told(
    tmp_path: Path, has_click: bool, line: list[str], missing: str
) -> None:
    """With -S, only the packages on PYTHONPATH are there, and nothing of site-packages."""
    if has_click:
        (tmp_path / "click").symlink_to(Path(click.__file__).parent)
    name, *arguments = line
    found = subprocess.run(
        [sys.executable, "-S", str(ROOT / "bin" / name), *arguments],
        env={**clean_environment(), "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=tmp_path,
    )
    if not missing:
        assert (found.returncode, found.stderr) == (0, "")
        return
    assert (found.returncode, found.stdout) == (1, "")
    python = re.escape(sys.executable)
    told = rf"{name}: {python} has no module {missing}: run `make setup`, then .venv/bin/{name}\n"
    assert re.fullmatch(told, found.stderr)


def test_tsvc_help_lists_every_command() -> None:
    found = run("-m", "tsvc.cli.main", "--help")
    for name in ("cancel", "flow", "list", "ops", "query", "resume", "run", "scp", "trace"):
        assert f"\n  {name} " in found.stdout


def test_version_needs_neither_client_nor_gevent() -> None:
    program = (
        "import sys\n"
        "from tsvc.cli.main import main\n"
        "main(['--version'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.split('.')[0] in"
        " ('gevent', 'rich', 'marshmallow', 'ujson')])"
    )
    assert run("-c", program).stdout.splitlines()[-1] == "[]"


def test_all_configuration_problems_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "tsvc.toml"
    path.write_text('[rpc]\nport = "x"\nhots = "y"\n[scp]\nend = "never"\n')
    found = tsvcd("-c", str(path))
    assert found.returncode == 78
    lines = found.stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"tsvcd: {path}: ") for line in lines)


def test_gateways_and_flows_are_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "tsvc.toml"
    path.write_text('[application."X"]\nmodule = "sigtrann"\n')
    wrong_kind = tsvcd("-c", str(path), "--check")
    assert wrong_kind.returncode == 78
    assert 'application."X".module' in wrong_kind.stderr
    (tmp_path / "flow.json").write_text('{"operations": {}}')
    path.write_text('[scp]\nflows = ["flow.json"]\n')
    assert tsvcd("-c", str(path), "--check").returncode == 78


WRONG = """
[rpc]
port = "x"
[results]
url = "none://host/tsvc"
[scp]
flows = ["none.json", "flow.json"]
listen = ["m3ua+tcp://127.0.0.1:2905"]
[tester]
default_pi = "KIND"
default_rest = "SECRET"
[application."KIND"]
module = "pii"
[application."MEMBER"]
module = "rest"
base_urii = "http://127.0.0.1/"
[application."SECRET"]
module = "rest"
password_file = "none"
"""
WRONG_PLACES = [
    "rpc.port",
    "scp.flows",
    'application."SECRET".password_file',
    "results.url",
    "flow.json",
    'application."KIND".module',
    'application."MEMBER".base_uri',
    'application."MEMBER".base_urii',
]


@pytest.mark.parametrize("options", [["--check"], [], ["--print-config"]])
def test_wrong_keys_do_not_hide_flows_and_gateways(tmp_path: Path, options: list[str]) -> None:
    """Each wrong key has one line; errors that follow from another error have none."""
    path = tmp_path / "tsvc.toml"
    path.write_text(WRONG)
    (tmp_path / "flow.json").write_text('{"operations": {}}')
    found = tsvcd("-c", str(path), *options)
    assert (found.returncode, found.stdout) == (78, "")
    lines = found.stderr.splitlines()
    assert len(lines) == len(WRONG_PLACES), found.stderr
    for place in WRONG_PLACES:
        assert sum(f"{place}: " in line for line in lines) == 1, place


@pytest.mark.parametrize("options", [["--check"], []])
def test_flows_do_not_hide_gateways(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "tsvc.toml"
    right_keys = WRONG.replace('port = "x"', "port = 1").replace('"none.json", ', "")
    path.write_text(right_keys.replace('_file = "none"', ' = ""'))
    path.chmod(0o600)
    (tmp_path / "flow.json").write_text('{"operations": {}}')
    found = tsvcd("-c", str(path), *options)
    assert (found.returncode, found.stdout) == (78, "")
    lines = found.stderr.splitlines()
    for place in ("results.url", "flow.json", '"KIND".module', '"MEMBER".base_urii'):
        assert sum(f"{place}: " in line for line in lines) == 1, place


def test_check_and_print_config(tmp_path: Path) -> None:
    assert tsvcd("-c", "etc/tsvc.toml", "--check").returncode == 0
    path = tmp_path / "tsvc.toml"
    path.write_text('[rpc]\nport = 1234\n[application."A B"]\nmodule = "sigtran"\nopc = 7\n')
    found = tsvcd("-c", str(path), "--print-config")
    assert found.returncode == 0, found.stderr
    printed = tomllib.loads(found.stdout)
    assert printed["rpc"]["port"] == 1234
    assert printed["rpc"]["tls"] == {}
    assert printed["application"]["A B"] == {"module": "sigtran", "opc": 7}
    again = tmp_path / "again.toml"
    again.write_text(found.stdout)
    assert tsvcd("-c", str(again), "--print-config").stdout == found.stdout


def test_a_daemon_that_does_not_start_says_why() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(Unreachable, match="can't listen on 127"),
        PrivateDaemon(port=taken.getsockname()[1]),
    ):
        pytest.fail("it must not start")


def test_a_private_daemon_leaves_nothing_behind() -> None:
    with PrivateDaemon() as daemon:
        client = daemon.client()
        assert client.describe_service()["state"] == "up"
        folder = daemon.folder
        assert folder.is_dir()
    assert not folder.exists()
    with pytest.raises(Unreachable):
        client.describe_service()


def test_tsvc_scp_serves_until_sigterm() -> None:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tsvc.cli.main", "scp"),
            *("--flow", str(FLOW), "--listen", f"m3ua+tcp://127.0.0.1:{port}"),
        ],
        env=clean_environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: listens(port) or process.poll() is not None)
        assert process.poll() is None
    finally:
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=HANG_GUARD_S)
    assert process.returncode == 0, stderr
    assert stderr.splitlines()[0] == f"listens on m3ua+tcp://127.0.0.1:{port}"
    assert not listens(port)


def test_the_library_from_execute_to_result() -> None:
    with PrivateDaemon(flows=[FLOW]) as daemon, Client(f"127.0.0.1:{daemon.port}") as client:
        result = client.execute(
            {"operations": [{"type": "pass", "arguments": {"text": "x"}}]}, wait=True
        )
    assert (result.verdict, result.counts.passed) == ("pass", 1)
