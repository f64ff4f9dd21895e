"""make install, and the life of the installed service under init, as an unprivileged user."""

import gzip
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, require_peer
from support.ports import free_port
from support.waiting import until

pytestmark = [
    pytest.mark.slow,  # make install takes half a minute of processor time
    pytest.mark.e2e,
    pytest.mark.skipif(sys.platform != "linux", reason="init scripts and units are Linux's"),
]

NOBODY = 65534  # the user of the tests where root runs them
INSTALL_GUARD_S = 300.0
WORST_EXPOSURE = 2.5
HOLD = {"operations": [{"type": "wait", "arguments": {"seconds": 600}}], "run_id": "held"}


@dataclass
class Installed:
    """A tree that make installed in a staging folder and that was then moved to its final path."""

    root: Path
    variables: list[str]
    port: int

    @property
    def config(self) -> Path:
        return self.root / "etc/tsvc/tsvc.toml"

    @property
    def log(self) -> str:
        file = self.root / "var/log/tsvc.log"
        return file.read_text() if file.exists() else ""

    def init(self, action: str) -> subprocess.CompletedProcess[str]:
        """Run the init script as an unprivileged user."""
        is_root = os.geteuid() == 0
        return subprocess.run(
            [str(self.root / "etc/init.d/tsvc"), action],
            user=NOBODY if is_root else None,
            group=NOBODY if is_root else None,
            extra_groups=[] if is_root else None,
            env={"PATH": os.environ["PATH"]},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=INSTALL_GUARD_S,
        )

    def process(self) -> int:
        return int((self.root / "run/tsvc.pid").read_text())

    def configure(self, local: str) -> None:
        (self.root / "etc/tsvc/conf.d/local.toml").write_text(local)


def make(*arguments: str) -> None:
    found = subprocess.run(
        ["make", "-s", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=INSTALL_GUARD_S,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def files_with(folder: Path, text: str) -> list[Path]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return [path for path in files if text.encode() in path.read_bytes()]


@pytest.fixture(scope="module")
def installed() -> Iterator[Installed]:
    # Not pytest's folder, which only the user who runs the tests can read.
    folder = Path(tempfile.mkdtemp(prefix="tsvc-install-"))
    folder.chmod(0o755)
    root = folder / "root"
    variables = [
        f"PREFIX={root}/usr",
        f"SYSCONFDIR={root}/etc",
        f"LOCALSTATEDIR={root}/var",
        f"RUNDIR={root}/run",
    ]
    stage = folder / "stage"
    make("install", f"DESTDIR={stage}", *variables)
    assert not files_with(stage, str(stage)), "DESTDIR is in none of the files"
    assert not files_with(stage, str(ROOT)), "nor is the clone"
    shutil.move(f"{stage}{root}", root)
    one = Installed(root, variables, free_port())
    assert (root / "etc/tsvc").stat().st_mode & 0o7777 == 0o750, "it may hold secrets"
    for name in ("run", "var/log", "var/lib/tsvc", "etc/default", "etc/tsvc"):
        (root / name).mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(root / name, NOBODY, NOBODY)
    (root / "etc/default/tsvc").write_text(
        f"export TSVC_RPC_PORT={one.port}\nSTOP_S=120\nSTART_S=240\n"
    )
    yield one
    one.configure("")
    one.init("stop")
    make("uninstall", *variables)
    rest = {str(path.relative_to(root)) for path in (root / "usr").rglob("*") if path.is_file()}
    assert not rest
    assert one.config.is_file(), "the configuration stays"
    assert not (root / "etc/init.d/tsvc").exists()
    shutil.rmtree(folder)


def test_packages_can_be_added_as_the_hint_says(installed: Installed, tmp_path: Path) -> None:
    """Definitions in YAML need a package that the service does not bring along."""
    definition = tmp_path / "a.yaml"
    definition.write_text("operations:\n- type: pass\n")
    command = [str(installed.root / "usr/bin/tsvc"), "validate", str(definition), "--embedded"]
    environ = {"PATH": os.environ["PATH"]}
    before = subprocess.run(command, env=environ, capture_output=True, text=True, cwd=tmp_path)
    assert before.returncode == 1
    (hint,) = re.findall(r"YAML needs PyYAML: (.*)$", before.stdout, re.MULTILINE)
    added = subprocess.run(
        hint, shell=True, env=os.environ, capture_output=True, text=True, timeout=INSTALL_GUARD_S
    )
    require_peer("pip" if added.returncode == 0 else None, f"an index: {added.stderr[-200:]}")
    after = subprocess.run(command, env=environ, capture_output=True, text=True, cwd=tmp_path)
    assert after.returncode == 0, after.stdout + after.stderr
    assert "a.yaml: valid" in after.stdout


@pytest.fixture
def service(installed: Installed) -> Iterator[Installed]:
    """The installed service, not running, with nothing configured."""
    require_peer(shutil.which("start-stop-daemon"), "apt-get install dpkg")
    installed.configure("")
    yield installed
    installed.configure("")
    assert installed.init("stop").returncode == 0


def daemon_of(service: Installed) -> DaemonProcess:
    process = subprocess.Popen(["true"])  # a placeholder: no test uses its process
    process.wait()
    return DaemonProcess(process, service.port, service.root)


@pytest.mark.slow
def test_what_is_installed_runs(installed: Installed) -> None:
    command = [str(installed.root / "usr/bin/tsvcd"), "-c", str(installed.config), "--check"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=HANG_GUARD_S)
    assert (found.returncode, found.stderr) == (0, "the configuration is valid\n")


def test_a_configuration_that_is_there_stays(tmp_path: Path) -> None:
    """It is installed twice; the init files are new each time."""
    make("install-files", f"DESTDIR={tmp_path}")
    config, script = tmp_path / "etc/tsvc/tsvc.toml", tmp_path / "etc/init.d/tsvc"
    assert config.read_text() == (ROOT / "etc/tsvc.toml").read_text()
    assert script.read_text() == (ROOT / "etc/init.d/tsvc").read_text()
    config.write_text("# mine\n")
    script.write_text("")
    make("install-files", f"DESTDIR={tmp_path}")
    assert config.read_text() == "# mine\n"
    assert script.read_text()


def test_anybody_may_read_the_samples(tmp_path: Path) -> None:
    """They were in /etc/tsvc, which only the service may enter; an old folder is replaced."""
    old = tmp_path / "etc/tsvc/examples"
    old.mkdir(parents=True)
    make("install-files", f"DESTDIR={tmp_path}")
    samples = tmp_path / "usr/local/share/doc/tsvc/examples"
    assert old.resolve() == samples.resolve()
    assert sorted(path.name for path in (samples / "flows").iterdir()) == sorted(
        path.name for path in (ROOT / "etc/examples/flows").glob("*.json")
    )
    for path in (samples, *samples.rglob("*")):
        assert path.stat().st_mode & 0o044 == 0o044, path
    make("uninstall", f"DESTDIR={tmp_path}")
    assert not old.is_symlink()
    assert not samples.exists()


def test_life_cycle(service: Installed) -> None:
    assert service.init("status").returncode == 3
    assert service.init("reload").returncode == 7
    assert service.init("stop").returncode == 0, "nothing to stop is a success"
    assert service.init("try-restart").returncode == 0
    assert service.init("status").returncode == 3

    started = service.init("start")
    assert started.returncode == 0, started.stderr + service.log
    first = service.process()
    daemon = daemon_of(service)
    assert daemon.result("DescribeService")["state"] == "up", "start waits until it is ready"
    status = service.init("status")
    assert (status.returncode, status.stdout) == (0, f"tsvc is running, process {first}\n")
    if os.geteuid() == 0:
        assert Path(f"/proc/{first}").stat().st_uid == NOBODY
    assert service.init("start").returncode == 0, "it runs already"
    assert service.process() == first

    service.configure('[service]\nname = "renamed"\n')
    assert service.init("reload").returncode == 0
    until(lambda: daemon.result("DescribeService")["name"] == "renamed")
    assert service.process() == first

    assert service.init("restart").returncode == 0
    assert service.process() != first
    assert daemon.result("DescribeService")["name"] == "renamed"
    second = service.process()
    assert service.init("try-restart").returncode == 0
    assert service.process() != second

    assert service.init("stop").returncode == 0
    assert service.init("status").returncode == 3
    assert not (service.root / "run/tsvc.pid").exists()
    with pytest.raises(OSError, match="refused"):
        daemon.connect()


def test_the_log_is_opened_anew_when_it_has_been_rotated(service: Installed) -> None:
    snippet = service.root / "etc/logrotate.d/tsvc"
    log = service.root / "var/log/tsvc.log"
    assert f"{log} {{" in snippet.read_text()
    assert service.init("start").returncode == 0
    old = log.rename(log.with_suffix(".log.1"))
    before = old.read_text()
    assert service.init("reload").returncode == 0
    until(lambda: "configuration reloaded" in service.log)
    assert old.read_text() == before


def test_logrotate_rotates_it(service: Installed, tmp_path: Path) -> None:
    """The installed snippet, except for its user, which is the user of this test."""
    logrotate = require_peer(shutil.which("logrotate"), "apt-get install logrotate")
    if os.geteuid() != 0:
        pytest.skip("logrotate creates files of another user as root only")
    snippet = (service.root / "etc/logrotate.d/tsvc").read_text()
    assert snippet.count("create 0640 tsvc adm\n") == 1
    mine = tmp_path / "tsvc"
    mine.write_text(snippet.replace("0640 tsvc adm", f"0640 {user_of(NOBODY)} adm"))
    mine.chmod(0o644)
    log = service.root / "var/log/tsvc.log"

    def rotate() -> None:
        command = [logrotate, "--force", "--state", str(tmp_path / "state"), str(mine)]
        found = subprocess.run(command, capture_output=True, text=True, timeout=HANG_GUARD_S)
        assert found.returncode == 0, found.stdout + found.stderr
        assert "error" not in found.stderr

    assert service.init("start").returncode == 0
    until(lambda: "daemon ready" in service.log)
    rotate()
    old = log.with_name("tsvc.log.1")
    before = old.read_text()
    assert "daemon ready" in before
    assert (log.stat().st_uid, log.stat().st_mode & 0o777, service.log) == (NOBODY, 0o640, "")
    assert service.init("reload").returncode == 0
    until(lambda: "configuration reloaded" in service.log)
    assert old.read_text() == before
    rotate()
    assert "configuration reloaded" in old.read_text()
    with gzip.open(log.with_name("tsvc.log.2.gz"), "rt") as compressed:
        assert compressed.read() == before, "one rotation later, when nobody writes it"


def user_of(uid: int) -> str:
    return pwd.getpwuid(uid).pw_name


def test_stop_drains(service: Installed) -> None:
    service.configure("[service]\ndrain_s = 1.5\n")
    assert service.init("start").returncode == 0
    daemon = daemon_of(service)
    assert daemon.result("ExecuteTest", HOLD) == "ok"
    began = time.monotonic()
    assert service.init("stop").returncode == 0
    assert time.monotonic() - began > 1.4, "the run had its time"
    # Cancelled in order, and stored in the archive, where the next daemon finds it.
    assert service.init("start").returncode == 0
    result = daemon.result("QueryTest", {"run_id": "held"})
    assert (result["state"], result["verdict"]) == ("completed", "cancelled")


def test_a_dead_daemon(service: Installed) -> None:
    assert service.init("start").returncode == 0
    process = service.process()
    os.kill(process, signal.SIGKILL)
    until(lambda: service.init("status").returncode == 1)
    assert service.init("reload").returncode == 7
    assert service.init("start").returncode == 0
    assert service.process() != process


def test_what_is_not_configured_does_not_start(service: Installed) -> None:
    service.configure("[rpc]\nprot = 1\n")
    refused = service.init("start")
    assert refused.returncode == 6
    assert "rpc.prot: unknown key" in refused.stderr
    assert service.init("status").returncode == 3
    service.configure("")
    assert service.init("start").returncode == 0
    first = service.process()
    service.configure("[rpc]\nprot = 1\n")
    for action in ("reload", "restart", "force-reload", "try-restart"):
        assert service.init(action).returncode == 6
    assert service.process() == first, "a restart that can't succeed stops nothing"


def test_what_can_not_start_is_a_failure(service: Installed) -> None:
    service.configure('[http]\nlisten = "192.0.2.1:9"\n')  # no address of this host
    refused = service.init("start")
    assert refused.returncode == 1
    assert "can't listen on 192.0.2.1 port 9" in service.log
    assert service.init("status").returncode == 3


def test_usage(service: Installed) -> None:
    found = service.init("fly")
    assert found.returncode == 2
    assert "usage:" in found.stderr


def test_the_unit_is_valid_and_confined(installed: Installed) -> None:
    analyze = require_peer(shutil.which("systemd-analyze"), "apt-get install systemd")
    unit = str(installed.root / "usr/lib/systemd/system/tsvc.service")
    found = subprocess.run(
        [analyze, "verify", unit], capture_output=True, text=True, timeout=HANG_GUARD_S
    )
    assert (found.returncode, found.stdout + found.stderr) == (0, "")
    found = subprocess.run(
        [analyze, "security", "--offline=yes", "--no-pager", unit],
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
    )
    exposure = float(found.stdout.rpartition("tsvc.service: ")[2].split()[0])
    assert exposure <= WORST_EXPOSURE


def test_users_and_folders(installed: Installed, tmp_path: Path) -> None:
    """systemd's own tools create them below a folder."""
    tool = require_peer(shutil.which("systemd-sysusers"), "apt-get install systemd")
    tmpfiles = require_peer(shutil.which("systemd-tmpfiles"), "apt-get install systemd")
    (tmp_path / "etc").mkdir()
    for command in (
        [tool, f"--root={tmp_path}", str(ROOT / "etc/tsvc.sysusers")],
        [tmpfiles, f"--root={tmp_path}", "--create", str(ROOT / "etc/tsvc.tmpfiles")],
    ):
        if os.geteuid() != 0:
            pytest.skip("users and folders of others are made by root")
        found = subprocess.run(command, capture_output=True, text=True, timeout=HANG_GUARD_S)
        assert found.returncode == 0, found.stderr
    user = next(
        line.split(":")
        for line in (tmp_path / "etc/passwd").read_text().splitlines()
        if line.startswith("tsvc:")
    )
    assert user[5:] == ["/var/lib/tsvc", "/usr/sbin/nologin"]
    state = (tmp_path / "var/lib/tsvc").stat()
    assert (state.st_uid, state.st_mode & 0o7777) == (int(user[2]), 0o750)
