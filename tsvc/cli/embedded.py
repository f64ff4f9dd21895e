"""A private daemon: tsvcd as a child process on a free port, with a folder of its own.

The daemon chooses the port, and the port is read from its log, so no other process can take it.
TSVC_* variables are for the daemon that a site has configured; the private daemon ignores them.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from tsvc.client import Client, Unreachable

START_S = 90.0  # on a busy machine, a daemon with four workers took more than 30
STOP_S = 15.0
_POLL_S = 0.02


class PrivateDaemon:
    """A context manager: the daemon runs inside it; afterwards it is gone with all its files.

    SIGTERM and SIGHUP would end this process and leave the daemon running. So they end the process
    as sys.exit() does, unless they already have a handler.
    """

    def __init__(
        self,
        *,
        flows: Sequence[Path] = (),
        listen: Sequence[str] = (),
        port: int = 0,
        level: str = "info",
        workers: int = 0,
        config: Path | None = None,
    ) -> None:
        """`config`: a configuration file that replaces the other arguments. The daemon uses it,
        except for the addresses on which it listens and the files that it writes.
        """
        self._file = config
        self._config = config_text(
            flows=flows, listen=listen, port=port, level=level, workers=workers
        )
        self._folder = tempfile.TemporaryDirectory(prefix="tsvc-")
        self._log = Path(self._folder.name) / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._taken: list[signal.Signals] = []
        self._is_born = True  # False while the process starts and _process is not set yet
        self._ended_by = 0
        self.port = 0

    def __enter__(self) -> "PrivateDaemon":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, self._end)
                    self._taken.append(number)
        try:
            self._start()
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        for number in self._taken:
            signal.signal(number, signal.SIG_DFL)
        self._taken.clear()

    @property
    def folder(self) -> Path:
        """The folder that holds the files of the daemon while it runs."""
        return Path(self._folder.name)

    def client(self) -> Client:
        """Return a client of this daemon."""
        return Client("127.0.0.1", self.port)

    def log_lines(self) -> list[dict[str, Any]]:
        """Return the events that the daemon has logged. Blocks: on the file."""
        lines = self._log.read_text("utf-8", "replace").splitlines() if self._log.exists() else []
        return [_event(line) for line in lines]

    def stop(self) -> None:
        """Stop the daemon and remove its folder. Blocks: until it has ended, up to STOP_S."""
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._folder.cleanup()

    def _start(self) -> None:
        folder = Path(self._folder.name)
        (folder / "tsvc.toml").write_text(self._config, "utf-8")
        self._is_born = False
        environment = clean_environment()
        if self._file is not None:
            environment |= self._own_places()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                daemon_command(self._file or folder / "tsvc.toml"),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches only us; we stop the daemon ourselves
            )
        self._is_born = True
        if self._ended_by:
            self._end(self._ended_by, None)

    def _own_places(self) -> dict[str, str]:
        """Return variables that override the port and the files of the configuration `config`."""
        return {
            "TSVC_RPC_HOST": "127.0.0.1",
            "TSVC_RPC_PORT": "0",
            # They protect the daemon of a site; the private daemon serves one command.
            "TSVC_RPC_AUTH_TOKENS": "",
            "TSVC_RPC_ALLOW": "",
            "TSVC_RPC_TLS_CERT_FILE": "",
            "TSVC_RPC_TLS_KEY_FILE": "",
            "TSVC_RPC_TLS_CLIENT_CA_FILE": "",
            "TSVC_HTTP_LISTEN": "",  # no client would know its port
            "TSVC_SERVICE_FREE_PORTS": "true",  # as two of them on one machine need
            "TSVC_SERVICE_STATE_DIR": str(self.folder / "state"),
            "TSVC_LOG_LEVEL": "info",
            "TSVC_LOG_FORMAT": "json",
            "TSVC_LOG_FILE": str(self._log),
        }

    def _end(self, number: int, _: FrameType | None) -> None:
        self._ended_by = number
        if self._is_born:
            sys.exit(128 + number)  # the exit status that a shell reports after a signal

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            ended = self._process.poll()
            for event in self.log_lines():
                if event.get("event") == "listening":
                    self.port = int(event["port"])
                if event.get("event") == "ready":
                    return
            if ended is not None:
                raise Unreachable(f"the private daemon did not start:\n{self._last_words()}")
            time.sleep(_POLL_S)
        text = f"the private daemon is not ready after {START_S:g} s"
        raise Unreachable(f"{text}:\n{self._last_words()}")

    def _last_words(self) -> str:
        return "\n".join(f"  {_plain(event)}" for event in self.log_lines()[-20:])


def config_text(
    *,
    flows: Sequence[Path],
    listen: Sequence[str],
    connect: Sequence[str] = (),
    port: int,
    level: str,
    log: str = "json",
    workers: int = 0,
) -> str:
    """Return the configuration of a private daemon: loopback to its SCP, state beside the file."""
    return "\n".join(
        [
            "[service]",
            'state_dir = "state"',
            "drain_s = 1",
            "[rpc]",
            f"port = {port}",
            "[log]",
            f"level = {json.dumps(level)}",
            f"format = {json.dumps(log)}",
            "[cluster]",
            f"workers = {workers}",
            "[scp]",
            f"flows = {json.dumps([str(flow.absolute()) for flow in flows], ensure_ascii=False)}",
            f"listen = {json.dumps(list(listen))}",
            f"connect = {json.dumps(list(connect))}",
            '[application."SIGTRAN"]',
            'module = "sigtran"',
            "",
        ]
    )


def daemon_command(config: Path) -> list[str]:
    """Return the command line of tsvcd with a configuration file."""
    return [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(config)]


def clean_environment() -> dict[str, str]:
    """Return the environment without the variables that configure another daemon."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TSVC_")}


def _event(line: str) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    return event if isinstance(event, dict) else {"event": line}


def _plain(event: dict[str, Any]) -> str:
    return " ".join(
        str(value) for name, value in event.items() if name not in ("time", "level", "area")
    )
