"""Tests in a separate Linux: user-mode-linux on the file system of this machine.

It provides features that the kernel of this machine does not have. run_pytest() boots, runs pytest
in the guest on the same files with the same Python, and returns the output. The state of tests is
on a tmpfs of the guest. Run as a program, this file is the guest's init.
"""

import ctypes
import fcntl
import json
import os
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNEL = "linux.uml"
PACKAGE = "user-mode-linux"
MODULES = Path("/usr/lib/uml/modules")
# In the order of their dependencies.
GUEST_MODULES = ("crc-ccitt", "ipv6", "udp_tunnel", "ip6_udp_tunnel", "sctp", "veth")
MEMORY = "512M"

_FINIT_MODULE = 313  # system call of x86-64, the only machine that user-mode-linux has
_POWER_OFF = 0x4321FEDC
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


@dataclass(frozen=True)
class Outcome:
    """The outcome of pytest in the guest. `text`: its output. `code` None: pytest never ended."""

    code: int | None
    text: str
    console: str


def has_sctp() -> bool:
    """Return True if the running kernel has SCTP."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132).close()
    except OSError:
        return False
    return True


def why_not() -> str | None:
    """Return what is missing to boot; None if nothing is missing."""
    if shutil.which(KERNEL) is None or not any(MODULES.glob("*/kernel/net/sctp/sctp.ko")):
        return f"{PACKAGE} is not installed: apt-get install {PACKAGE}"
    if shutil.which("cc") is None:
        return f"{PACKAGE} needs a C compiler: apt-get install build-essential"
    if os.geteuid() != 0:
        return f"{PACKAGE} needs root to load modules in the guest"
    return None


def run_pytest(folder: Path, arguments: list[str], limit_s: float) -> Outcome:
    """Boot, run pytest with these arguments in the project's folder, power off."""
    result = folder / "result.json"
    task = folder / "task.json"
    task.write_text(
        json.dumps(
            {
                "command": [
                    sys.executable,
                    *("-m", "pytest", "-p", "no:cacheprovider", "--basetemp=/run/pytest"),
                    *arguments,
                ],
                "folder": str(ROOT),
                "output": str(folder / "output"),
                "result": str(result),
            }
        )
    )
    init = folder / "init"
    init.write_text(f"#!/bin/sh\nexec {shlex.join([sys.executable, __file__, str(task)])}\n")
    init.chmod(0o700)
    console = folder / "console"
    with console.open("wb") as log:
        guest = subprocess.Popen(
            [
                *(KERNEL, f"mem={MEMORY}", "root=none", "rootfstype=hostfs", "rootflags=/", "rw"),
                *(f"init={init}", f"uml_dir={folder}", "con=null", "con0=null,fd:1"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env={**os.environ, "LD_PRELOAD": str(_wide_registers(folder))},
        )
        try:
            guest.wait(limit_s)
        except subprocess.TimeoutExpired:
            pass  # then there is no result
        finally:
            if guest.poll() is None:
                os.killpg(guest.pid, signal.SIGKILL)  # the processes of the guest, too
                guest.wait()
    code = json.loads(result.read_text())["code"] if result.exists() else None
    output = folder / "output"
    text = output.read_text(errors="replace") if output.exists() else ""
    return Outcome(code, text, console.read_text(errors="replace"))


def _wide_registers(folder: Path) -> Path:
    """Return the library that lets the kernel run on processors with AMX."""
    made = folder / "wide_registers.so"
    source = Path(__file__).with_name("wide_registers.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", made, source, "-ldl"], check=True)
    return made


def _guest(task: Path) -> None:
    """Act as init: file systems, modules, loopback, the command, power off."""
    try:
        _prepare()
        asked = json.loads(task.read_text())
        environ = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/run",
            "TMPDIR": "/run",
            "PYTHONDONTWRITEBYTECODE": "1",
            "TSVC_GUEST": "1",  # in the guest nothing can be built or fetched
        }
        with open(asked["output"], "wb") as output:
            done = subprocess.run(
                asked["command"],
                cwd=asked["folder"],
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        Path(asked["result"]).write_text(json.dumps({"code": done.returncode}))
    finally:
        os.sync()
        ctypes.CDLL(None).reboot(_POWER_OFF)


def _prepare() -> None:
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    for kind, place in (("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run")):
        subprocess.run(["mount", "-t", kind, kind, place], check=True)
    libc = ctypes.CDLL(None, use_errno=True)
    for name in GUEST_MODULES:
        (file,) = MODULES.glob(f"*/kernel/**/{name}.ko")
        with file.open("rb") as module:
            if libc.syscall(_FINIT_MODULE, module.fileno(), b"", 0) != 0:
                print(name, os.strerror(ctypes.get_errno()))
    # The guest has no HMAC for SCTP cookies, without which listen() fails.
    Path("/proc/sys/net/sctp/cookie_hmac_alg").write_text("none")
    with socket.socket() as sock:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(sock, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


if __name__ == "__main__":
    _guest(Path(sys.argv[1]))
