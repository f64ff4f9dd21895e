"""A tester with a gateway of each kind, the SCP at the end of its M3UA link, the other peers."""

import contextlib
import os
import re
import signal
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from support.daemons import FLOW, DaemonProcess, configure, launch
from support.ports import free_port

from soak.kind import Peer, soak_kinds
from soak.peers import start_peers

_NOT_RELOADED = "configuration not reloaded, the old one stays"
_SCP = '[scp]\nflows = ["{flow}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n'
_TESTER = """
[engine]
tcap_timeout_s = 2
[scp]
flows = ["{flow}"]
[log]
level = "{level}"
[application.LOOP]
module = "sigtran"
[application.LAB]
module = "sigtran"
opc = 1
default_scp = {{ dpc = 2, dssn = 146 }}
quarantine_s = {quarantine_s}
connections = [{{ name = "scp", type = "m3ua", role = "asp", remote_port = {port} }}]
"""
KINDS = {name: kind for name, kind in soak_kinds().items() if kind.start is not None}
NAMES = ("LOOP", "LAB", *KINDS)


class World:
    """The processes of a soak."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tsvc-soak-")
        root = Path(self._folder.name)
        self._life = contextlib.ExitStack()
        # One reload at a time: a reload owns the file until the signal is sent.
        self._reloading = threading.Lock()
        self._changes = dict.fromkeys(KINDS, 0)
        self._left_out: set[str] = set()
        self._quarantine_s, self._level = 5.0, "info"
        try:
            self.peers: dict[str, Peer] = start_peers(root, self._life)
            self._m3ua_port = free_port()
            self._scp_folder, self._tester_folder = root / "scp", root / "tester"
            text = _SCP.format(flow=FLOW, port=self._m3ua_port)
            self._scp_port = configure(self._scp_folder, text, port=free_port())
            self._tester_port = configure(
                self._tester_folder, self._tester_text(), port=free_port()
            )
            self.scp = launch(self._scp_folder, self._scp_port)
            self.tester = launch(self._tester_folder, self._tester_port)
        except BaseException:
            self._life.close()
            raise

    def _tester_text(self) -> str:
        text = _TESTER.format(
            flow=FLOW,
            port=self._m3ua_port,
            quarantine_s=self._quarantine_s,
            level=self._level,
        )
        return text + "".join(self._table(kind) for kind in KINDS if kind not in self._left_out)

    def _table(self, kind: str) -> str:
        where = self.peers[kind].where
        table = KINDS[kind].table.format(**where, change=self._changes[kind])
        return f'[application.{kind}]\nmodule = "{kind}"{table}'

    def reload(self, *, quarantine_s: float | None = None, level: str | None = None) -> None:
        """Send SIGHUP; another quarantine_s restarts only the gateway LAB."""
        with self._reloading:
            self._quarantine_s = quarantine_s or self._quarantine_s
            self._level = level or self._level
            self._write_and_signal()

    def change(self, kind: str) -> None:
        """Send SIGHUP with a difference that restarts the gateway of a kind."""
        with self._reloading:
            self._changes[kind] = (self._changes[kind] + 1) % 10
            self._write_and_signal()

    def leave_out(self, kind: str, seconds: float) -> None:
        """Take the gateway of a kind out of the configuration for a while."""
        with self._reloading:
            self._left_out.add(kind)
            self._write_and_signal()
        time.sleep(seconds)
        with self._reloading:
            self._left_out.discard(kind)
            self._write_and_signal()

    def _write_and_signal(self) -> None:
        configure(self._tester_folder, self._tester_text(), port=self._tester_port)
        self.tester.process.send_signal(signal.SIGHUP)

    def reload_broken(self) -> None:
        """Send SIGHUP with a file that can't be read: the current configuration stays."""
        with self._reloading:
            configure(self._tester_folder, self._tester_text() + "[[[", port=self._tester_port)
            before = self.log(self.tester).count(_NOT_RELOADED)
            self.tester.process.send_signal(signal.SIGHUP)
            try:
                self._wait_for_log(_NOT_RELOADED, before + 1)
            finally:
                configure(self._tester_folder, self._tester_text(), port=self._tester_port)

    def _wait_for_log(self, text: str, times: int) -> None:
        for _ in range(1200):
            if self.log(self.tester).count(text) >= times:
                return
            time.sleep(0.05)
        raise TimeoutError("a broken configuration is not refused")

    def restart_scp(self) -> None:
        """Kill the peer at the other end of the M3UA link, and start it again."""
        self.scp.kill()
        self.scp = launch(self._scp_folder, self._scp_port)

    def lock_archive(self, seconds: float) -> None:
        """Lock the tester's archive as another process: no write to it succeeds."""
        path = self._tester_folder / "state" / "archive.sqlite"
        with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            time.sleep(seconds)

    def gateways(self) -> dict[str, dict[str, Any]]:
        """Return the status of the tester's gateways by name."""
        found = self.tester.result("DescribeService")["gateways"]
        return {gateway["name"]: gateway for gateway in found}

    def log(self, daemon: DaemonProcess) -> str:
        return (daemon.folder / "log").read_text(errors="replace")

    def greenlets_and_blocks(self) -> tuple[int, int]:
        """Return the numbers of greenlets and blocks of memory in the tester: SIGUSR1 writes them.

        Two greenlets for each thread are left out, because pools keep any number of threads.
        """
        before = len(self.log(self.tester))
        self.tester.process.send_signal(signal.SIGUSR1)
        for _ in range(1200):
            text = self.log(self.tester)[before:]
            found = re.search(r"dump begins greenlets=(\d+) .*memory_blocks=(\d+)", text)
            if found and "dump ends" in text:
                workers = re.findall(r"count=(\d+) stack=\"_WorkerGreenlet\._begin", text)
                return int(found[1]) - 2 * sum(map(int, workers)), int(found[2])
            time.sleep(0.05)
        raise TimeoutError("SIGUSR1 wrote no dump")

    def close(self) -> list[int]:
        """Stop both daemons in order; return their exit statuses."""
        try:
            return [self.tester.stop(), self.scp.stop()]
        finally:
            for daemon in (self.tester, self.scp):
                if daemon.process.poll() is None:
                    daemon.kill()
            self._life.close()
            self._folder.cleanup()


def open_files(daemon: DaemonProcess) -> Counter[str]:
    """Return open files with their number: a path, or a TCP connection's state and ports."""
    process = Path(f"/proc/{daemon.process.pid}")
    sockets = {}
    for line in (process / "net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, *_, inode = line.split()[:10]
        ports = [int(place.rpartition(":")[2], 16) for place in (local, remote)]
        is_listening = state == "0A"
        sockets[f"socket:[{inode}]"] = (
            f"listens on {ports[0]}" if is_listening else f"tcp to {ports[1]}, state {state}"
        )
    found: Counter[str] = Counter()
    for descriptor in os.listdir(process / "fd"):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            target = os.readlink(process / "fd" / descriptor)
            found[sockets.get(target, target)] += 1
    return found


def threads(daemon: DaemonProcess) -> int:
    return len(os.listdir(f"/proc/{daemon.process.pid}/task"))


def resident_mib(daemon: DaemonProcess) -> float:
    pages = int(Path(f"/proc/{daemon.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
