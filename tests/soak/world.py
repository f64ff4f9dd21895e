"""Two daemons: a tester with a loopback and an M3UA link, and the SCP at the other end of it."""

import os
import re
import signal
import tempfile
import time
from pathlib import Path

from support.daemons import FLOW, Daemon, free_port
from support.restartable import configure, kill, launch

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


class World:
    """The processes of a soak. Methods may be called by one thread at a time."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tsvc-soak-")
        root = Path(self._folder.name)
        self._m3ua_port = free_port()
        self._scp_folder, self._tester_folder = root / "scp", root / "tester"
        text = _SCP.format(flow=FLOW, port=self._m3ua_port)
        self._scp_port = configure(self._scp_folder, text)
        self._tester_port = configure(self._tester_folder, self._tester_text())
        self.scp = launch(self._scp_folder, self._scp_port)
        self.tester = launch(self._tester_folder, self._tester_port)

    def _tester_text(self, quarantine_s: float = 5, level: str = "info") -> str:
        port = self._m3ua_port
        return _TESTER.format(flow=FLOW, port=port, quarantine_s=quarantine_s, level=level)

    def reload(self, *, quarantine_s: float | None = None, level: str = "info") -> None:
        """SIGHUP; another quarantine_s restarts the gateway LAB, and no other."""
        if quarantine_s is not None:
            text = self._tester_text(quarantine_s, level)
            configure(self._tester_folder, text, port=self._tester_port)
        self.tester.process.send_signal(signal.SIGHUP)

    def reload_broken(self) -> None:
        """SIGHUP with a file that can't be read: the configuration in force stays."""
        file = self._tester_folder / "tsvc.toml"
        kept = file.read_text()
        configure(self._tester_folder, self._tester_text() + "[[[", port=self._tester_port)
        before = self.log(self.tester).count(_NOT_RELOADED)
        self.tester.process.send_signal(signal.SIGHUP)
        for _ in range(600):
            if self.log(self.tester).count(_NOT_RELOADED) > before:
                file.write_text(kept)
                return
            time.sleep(0.05)
        raise TimeoutError("a broken configuration is not refused")

    def restart_scp(self) -> None:
        """Kill the peer at the other end of the M3UA link, and start it again."""
        kill(self.scp)
        self.scp = launch(self._scp_folder, self._scp_port)

    def log(self, daemon: Daemon) -> str:
        return (daemon.folder / "log").read_text(errors="replace")

    def greenlets(self) -> int:
        """Return how many greenlets the tester has: SIGUSR1 writes it to the log."""
        before = len(self.log(self.tester))
        self.tester.process.send_signal(signal.SIGUSR1)
        for _ in range(200):
            found = re.search(r"dump begins greenlets=(\d+)", self.log(self.tester)[before:])
            if found:
                return int(found[1])
            time.sleep(0.05)
        raise TimeoutError("SIGUSR1 wrote no dump")

    def close(self) -> list[int]:
        """Stop both in order; return their exit statuses."""
        try:
            return [self.tester.stop(), self.scp.stop()]
        finally:
            for daemon in (self.tester, self.scp):
                if daemon.process.poll() is None:
                    kill(daemon)
            self._folder.cleanup()


def open_files(daemon: Daemon) -> int:
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


def resident_mib(daemon: Daemon) -> float:
    pages = int(Path(f"/proc/{daemon.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
