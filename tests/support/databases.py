"""Real database servers, each in its own folder, that run while a block runs.

No server runs as root; all listen on 127.0.0.1. Each can be stopped and started again.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support.daemons import HANG_GUARD_S, require_peer
from support.ports import free_port, listens
from support.waiting import until


@dataclass
class Server:
    """A server that is started by a command and ended by its process id."""

    command: list[str]
    url: str
    port: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    _earlier: int = 0  # length of the log before the latest start

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self._earlier = len(self.log)
            self.process = subprocess.Popen(self.command, cwd="/", stdout=log, stderr=log)
        until(lambda: self._answers() or self._is_over(), what=lambda: self.log)
        assert not self._is_over(), self.log

    def _is_over(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def stop(self) -> None:
        """Kill the server: sessions are cut."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(HANG_GUARD_S)
            self.process = None

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")

    def _answers(self) -> bool:
        return listens(self.port)


class PostgresqlServer(Server):
    def hang(self) -> None:
        """Suspend all processes of the server: its sockets stay open, but nothing answers."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for one in (pid, *map(int, children)):
            os.kill(one, number)

    def stop(self) -> None:
        """Shut the server down immediately: children end too, and the port is free at once."""
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(HANG_GUARD_S)
            self.process = None

    def _answers(self) -> bool:
        log = self.log[self._earlier :]
        return "ready to accept connections" in log and listens(self.port)


def _find(program: str, pattern: str) -> str | None:
    versions = sorted(Path("/").glob(f"{pattern}/{program}"))
    return shutil.which(program) or (str(versions[-1]) if versions else None)


def _as_nobody(folder: Path) -> list[str]:
    """Return the prefix of a command that runs it as nobody: a database server refuses root."""
    if os.geteuid() != 0:
        return []
    setpriv = require_peer(shutil.which("setpriv"), "apt-get install util-linux")
    shutil.chown(folder, "nobody", "nogroup")
    return [setpriv, "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


@contextlib.contextmanager
def _folder(prefix: str) -> Iterator[Path]:
    # Not below pytest's folder, which only its own user can enter.
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        yield Path(name)


def _prepare(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd="/", capture_output=True, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr, folder)


@contextlib.contextmanager
def postgresql() -> Iterator[PostgresqlServer]:
    """Run a PostgreSQL whose user tsvc has the password "geheim"."""
    bins = "usr/lib/postgresql/*/bin"
    install = "apt-get install postgresql"
    initdb, postgres = (
        require_peer(_find(name, bins), install) for name in ("initdb", "postgres")
    )
    with _folder("tsvc-pg-") as folder:
        user, port = _as_nobody(folder), free_port()
        secret = folder / "password"
        secret.write_text("geheim")
        secret.chmod(0o644)
        data = str(folder / "data")
        options = ["-U", "tsvc", "-A", "scram-sha-256", "-E", "UTF8", "--no-sync"]
        _prepare([*user, initdb, "-D", data, *options, f"--pwfile={secret}"], folder)
        run = ["-h", "127.0.0.1", "-p", str(port), "-k", str(folder), "-c", "fsync=off"]
        server = PostgresqlServer(
            [*user, postgres, "-D", data, *run],
            f"postgresql://tsvc:geheim@127.0.0.1:{port}/postgres",
            port,
            folder,
        )
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextlib.contextmanager
def mariadb() -> Iterator[Server]:
    """Run a MariaDB whose user tsvc has the password "geheim" and the database tsvc."""
    install = "apt-get install mariadb-server"
    mariadbd = require_peer(_find("mariadbd", "usr/sbin"), install)
    maker = require_peer(_find("mariadb-install-db", "usr/bin"), install)
    with _folder("tsvc-my-") as folder:
        user, port = _as_nobody(folder), free_port()
        data = f"--datadir={folder / 'data'}"
        options = ["--auth-root-authentication-method=normal", "--skip-test-db"]
        _prepare([*user, maker, "--no-defaults", data, *options], folder)
        sql = folder / "init.sql"
        sql.write_text(
            "CREATE DATABASE IF NOT EXISTS tsvc;\n"
            "CREATE USER IF NOT EXISTS tsvc@'%' IDENTIFIED BY 'geheim';\n"
            "GRANT ALL ON tsvc.* TO tsvc@'%';\n"
            "CREATE ROLE IF NOT EXISTS walker;\n"
            "GRANT walker TO tsvc@'%';\n"
        )
        sql.chmod(0o644)
        command = [
            *user,
            mariadbd,
            "--no-defaults",
            data,
            f"--socket={folder / 's'}",
            f"--port={port}",
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            "--innodb-flush-log-at-trx-commit=2",  # written, not synced: a kill loses nothing
            "--innodb-buffer-pool-size=16M",
            f"--init-file={sql}",
        ]
        url = f"mariadb://tsvc:geheim@127.0.0.1:{port}/tsvc"
        server = Server(command, url, port, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
