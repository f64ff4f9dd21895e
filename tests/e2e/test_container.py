"""etc/Containerfile, step by step, in separate roots: the resulting image runs and answers.

No container engine is needed. Each stage is an overlay over the root of this machine, if this is a
Debian with the packages of the first step; nothing outside the overlay is written.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.daemons import EXAMPLES, ROOT, DaemonProcess
from support.ports import free_port
from support.waiting import until

FILE = ROOT / "etc/Containerfile"
KNOWN = {
    "FROM", "RUN", "WORKDIR", "COPY", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK",
    "ENTRYPOINT",
}  # fmt: skip
STEP_GUARD_S = 600.0


def steps() -> list[tuple[str, str]]:
    """Return the instructions, each with its arguments."""
    lines = [line for line in FILE.read_text("utf-8").splitlines() if line and line[0] != "#"]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def test_every_instruction_is_one_that_is_played_here() -> None:
    assert {instruction for instruction, _ in steps()} == KNOWN


def test_what_is_copied_is_there_and_ports_are_those_of_the_configuration() -> None:
    for instruction, rest in steps():
        if instruction == "COPY" and not rest.startswith("--from"):
            *sources, _ = rest.split()
            assert [name for name in sources if not (ROOT / name).exists()] == []
    settings = dict(rest.split("=", 1) for what, rest in steps() if what == "ENV")
    (ports,) = (rest.split() for what, rest in steps() if what == "EXPOSE")
    assert settings["TSVC_HTTP_LISTEN"].endswith(f":{ports[1]}")
    assert ports[0] == "9009"


# -- run --------------------------------------------------------------------------------------


@dataclass
class Stage:
    """One root; `upper` has the files that are written into it."""

    upper: Path
    mounted: Path
    folder: str = "/"
    user: str = "root"
    environ: dict[str, str] = field(default_factory=dict)
    health: str = ""
    entry: list[str] = field(default_factory=list)

    def command(self, script: str) -> list[str]:
        """Return the command that runs a script in this root, with mounts of its own."""
        work = self.mounted.with_name(f"{self.mounted.name}-work")
        work.mkdir(exist_ok=True)
        root, upper = shlex.quote(str(self.mounted)), shlex.quote(str(self.upper))
        words = f"lowerdir=/,upperdir={upper},workdir={shlex.quote(str(work))}"
        inside = f"cd {shlex.quote(self.folder)} && {script}"
        as_user = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups"]
        who = [] if self.user == "root" else as_user
        run = shlex.join([*who, "/bin/sh", "-c", inside])
        around = (
            f"mount -t overlay overlay -o {words} {root} && mount --bind /dev {root}/dev"
            f" && mount -t proc proc {root}/proc && exec chroot {root} {run}"
        )
        return ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", around]

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(script),
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", **self.environ},
            capture_output=True,
            text=True,
            timeout=STEP_GUARD_S,
        )

    def done(self, script: str) -> None:
        found = self.run(script)
        assert found.returncode == 0, f"{script}\n{found.stdout}{found.stderr}"


def is_here(install: str) -> bool:
    """Return True if this machine has the packages that an `apt-get install` names."""
    names = re.search(r"install ((?:--\S+ )*)([\w\- ]+)", install)
    assert names
    asked = ["dpkg-query", "-W", "-f", "${Status}\n", *names[2].split()]
    found = subprocess.run(asked, capture_output=True, text=True, timeout=60)
    states = found.stdout.split("\n")[:-1]
    return found.returncode == 0 and set(states) == {"install ok installed"}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The last stage, after all steps. Its files are in memory: no overlay can be on another."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("roots of their own need root")
    place = Path("/dev/shm") if Path("/dev/shm").is_dir() else tmp_path_factory.mktemp("stages")
    base = Path(subprocess.check_output(["mktemp", "-d", "-p", place], text=True).strip())
    stages: dict[str, Stage] = {}
    stage = None
    try:
        for instruction, rest in steps():
            if instruction == "FROM":
                name = rest.split(" AS ")[1] if " AS " in rest else f"stage {len(stages)}"
                stage = stages[name] = new_stage(base / f"s{len(stages)}")
            else:
                assert stage is not None
                play(stage, instruction, rest, stages)
        assert stage is not None
        yield stage
    finally:
        shutil.rmtree(base, ignore_errors=True)


def new_stage(folder: Path) -> Stage:
    (folder / "upper").mkdir(parents=True)
    (folder / "root").mkdir()
    folder.chmod(0o755)
    stage = Stage(folder / "upper", folder / "root")
    if stage.run("true").returncode != 0:
        pytest.skip("no overlay can be mounted here")
    # A service that ran on this machine may have left its state; an image has none.
    stage.done("rm -rf /var/lib/tsvc /etc/tsvc /var/log/tsvc")
    return stage


def play(stage: Stage, instruction: str, rest: str, stages: dict[str, Stage]) -> None:
    if instruction == "RUN":
        if rest.startswith("apt-get"):
            if not is_here(rest):
                pytest.skip(f"not a Debian that has it: {rest}")
            return
        stage.done(rest)
    elif instruction == "WORKDIR":
        stage.folder = rest
        (stage.upper / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
    elif instruction == "COPY" and rest.startswith("--from="):
        name, source, target = rest.removeprefix("--from=").split()
        copied(stages[name].upper / source.lstrip("/"), stage.upper / target.lstrip("/"))
    elif instruction == "COPY":
        *sources, target = rest.split()
        into = stage.upper / stage.folder.lstrip("/") / target
        for one in sources:
            found = ROOT / one
            copied(found, into if found.is_dir() else into / found.name)
    elif instruction == "ENV":
        name, _, value = rest.partition("=")
        stage.environ[name] = value
    elif instruction == "USER":
        stage.user = rest
    elif instruction == "HEALTHCHECK":
        stage.health = rest.partition(" CMD ")[2]
    elif instruction == "ENTRYPOINT":
        stage.entry = json.loads(rest)


def copied(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


@pytest.mark.e2e
@pytest.mark.slow
def test_what_is_built_runs_a_call(image: Stage) -> None:
    port, http = free_port(), free_port()
    assert image.user == "tsvc"
    environ = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        **image.environ,
        "TSVC_RPC_PORT": str(port),
        "TSVC_HTTP_LISTEN": f"127.0.0.1:{http}",
    }
    command = image.command(f"exec {shlex.join(image.entry)}")
    process = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: is_healthy(http) or process.poll() is not None)
        assert process.poll() is None, process.communicate()[1]
        # Run the health check of the image, inside the image.
        check = image.health.replace("9100", str(http))
        found = subprocess.run(
            image_beside(process, check), capture_output=True, text=True, timeout=STEP_GUARD_S
        )
        assert found.returncode == 0, found.stderr
        wrong = image_beside(process, image.health.replace("9100", str(free_port())))
        assert subprocess.run(wrong, capture_output=True, timeout=STEP_GUARD_S).returncode != 0
        owner = Path(f"/proc/{process.pid}").stat().st_uid
        assert owner != 0, "it is not root's"
        daemon = DaemonProcess(process, port, Path("/"))
        result = daemon.run(json.loads((EXAMPLES / "extension_dialing.json").read_text("utf-8")))
        assert result["verdict"] == "pass", result["first_call_summary"]
    finally:
        process.terminate()
        log = process.communicate(timeout=STEP_GUARD_S)[1]
    assert process.returncode == 0, log


def is_healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def image_beside(process: "subprocess.Popen[str]", script: str) -> list[str]:
    """Return the command that runs a script in the root of a process."""
    inside = ["env", "-i", "PATH=/usr/bin:/bin", "/bin/sh", "-c", f"cd / && {script}"]
    return ["nsenter", f"--target={process.pid}", "--mount", "--root", *inside]
