"""A daemon for a test, in two forms: Daemon in this process, DaemonProcess as a separate process.

Both exchange the same messages as with a client. The client of DaemonProcess uses nothing of tsvc
except the interface.
"""

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest

from support.forked import Process, is_forking, start_forked
from support.ports import free_port
from support.waiting import GUARD_S, until
from tsvc.config.load import load_config
from tsvc.config.scp_tables import Scp
from tsvc.config.tables import Application, Config, Engine, Results, Rpc, Tester
from tsvc.config.tables import Service as ServiceConfig
from tsvc.engine.service import Service
from tsvc.numbers import text_exactly
from tsvc.server.dispatch import Dispatcher

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "etc" / "examples"
FLOW = EXAMPLES / "flows" / "extension_dialing.json"
HANG_GUARD_S = GUARD_S
LOOPBACK = """
[scp]
flows = ["{flow}"]
[application."SIGTRAN"]
module = "sigtran"
connections = [{{ name = "loopback", type = "loopback" }}]
"""

Params = dict[str, Any]
Applications = Mapping[str, tuple[str, Params]]


def example(name: str) -> Params:
    """Return a sample definition with its flow in place."""
    definition: Params = json.loads((EXAMPLES / f"{name}.json").read_text())
    if "flow" in definition:
        definition["flow"] = json.loads((EXAMPLES / definition["flow"]).read_text())
    return definition


def require_peer(path: str | None, install: str) -> str:
    """Return the path of a real peer's program; without it, skip with the install line, or fail in
    CI."""
    if path is not None:
        return path
    text = f"not installed: {install}"
    if os.environ.get("TSVC_REQUIRE_PEERS") == "1":
        pytest.fail(text)
    pytest.skip(text)


# -- in the process ------------------------------------------------------------------------------


class Daemon:
    """A Service and its Dispatcher, without the sockets of an interface."""

    defaults: ClassVar[Params] = {}
    """Members added to every definition that does not have them."""

    def __init__(
        self,
        folder: Path,
        applications: Applications | None = None,
        *,
        flows: tuple[Path, ...] = (),
        connect: tuple[str, ...] = (),
        rpc: Params | None = None,
        results: Params | None = None,
        tester: Params | None = None,
        config: Config | None = None,
        is_started: bool = True,
        **engine: Any,
    ) -> None:
        """Make a service whose state is in a folder.

        `applications`: {name: (kind, members)}, by default a SIGTRAN loopback called LOOP. The
        other arguments are members of their tables; `config` replaces all of them.
        """
        if applications is None:
            applications = {"LOOP": ("sigtran", {})}
        self.config = config or Config(
            service=ServiceConfig(state_dir=folder),
            rpc=Rpc(**(rpc or {})),
            engine=Engine(**engine),
            results=Results(**(results or {})),
            scp=Scp(flows=flows, connect=connect),
            tester=Tester(**(tester or {})),
            applications={
                name: Application(name, kind, members, "test")
                for name, (kind, members) in applications.items()
            },
        )
        self.service = Service(self.config)
        self.dispatcher = Dispatcher(self.service, self.config.rpc)
        self._ids = count(1)
        self.prepare()
        if is_started:
            self.service.start()

    @classmethod
    def of_toml(cls, folder: Path, text: str, **more: Any) -> "Daemon":
        """Make a daemon from the text of a configuration; relative paths are relative to the
        folder."""
        path = folder / "tsvc.toml"
        path.write_text(text)
        path.chmod(0o600)
        config = load_config(path, {"STATE_DIRECTORY": str(folder)})
        return cls(folder, config=config, **more)

    def prepare(self) -> None:
        """Prepare the daemon before the service starts; subclasses override this."""

    def stop(self) -> None:
        self.service.stop()

    def gateway_of(self, kind: str) -> Any:
        """Return the first gateway of a kind."""
        return self.service.gateways.of_kind(kind)[0]

    def until_up(self) -> None:
        """Wait until every gateway is up."""
        status = self.service.gateways.status
        until(lambda: all(one["state"] == "up" for one in status()), what=status)

    def ask(self, method: str, params: Params | None = None, **members: Any) -> Params:
        """Return the whole response; the params are a dict, or keyword arguments."""
        request = {"jsonrpc": "2.0", "id": 7, "method": method}
        if params is not None or members:
            request["params"] = {**(params or {}), **members}
        response = json.loads(self.dispatcher.dispatch(json.dumps(request).encode()))
        assert response["id"] == 7
        return dict(response)

    def call(self, method: str, **params: Any) -> Any:
        """Return the result; a refusal fails the test."""
        response = self.ask(method, params)
        assert "error" not in response, response["error"]
        return response["result"]

    def refusal(self, method: str, **params: Any) -> Params:
        """Return the error; a result fails the test."""
        response = self.ask(method, params)
        assert response["result"] is None
        return dict(response["error"])

    def execute(self, *operations: Params, **params: Any) -> str:
        """Start a run and return its run_id."""
        run_id = str(params.pop("run_id", None) or f"run {next(self._ids)}")
        params = {**self.defaults, "operations": list(operations), **params}
        assert self.call("ExecuteTest", run_id=run_id, **params) == "ok"
        return run_id

    def finish(self, run_id: str) -> Params:
        """Return the result of a run when it is completed."""
        result = self.call("QueryTest", run_id=run_id, wait_s=GUARD_S)
        assert result["completed"] == 1, "hangs"
        return dict(result)

    def resume(self, run_id: str) -> None:
        """Resume the only instance of a run that is halted, or will be soon."""
        halted = until(lambda: self.call("QueryTest", run_id=run_id)["halted"])
        (instance_id,) = (one["instance_id"] for one in halted)
        resumed = self.call("ResumeInstance", run_id=run_id, instance_id=instance_id)
        assert resumed == {"resumed": 1}

    def run(self, *operations: Params, **params: Any) -> Params:
        """Execute a run to its end and return the result."""
        return self.finish(self.execute(*operations, **params))

    def problems(self, *operations: Params, **params: Any) -> dict[str, str]:
        """Return {path: text} of the errors that ValidateTest reports."""
        found = self.call("ValidateTest", operations=list(operations), **params)["problems"]
        return {one["path"]: one["text"] for one in found if one["severity"] == "error"}

    def until(self, condition: Callable[[], object]) -> None:
        """Run other greenlets until a condition is true."""
        until(condition)


# -- a separate process --------------------------------------------------------------------------


def read_exactly(sock: socket.socket, count: int) -> bytes:
    octets = b""
    while len(octets) < count:
        part = sock.recv(count - len(octets))
        if not part:
            raise EOFError(f"closed after {len(octets)} of {count} octets")
        octets += part
    return octets


def read_response(sock: socket.socket) -> Params:
    (length,) = struct.unpack("!I", read_exactly(sock, 4))
    response = json.loads(read_exactly(sock, length))
    assert isinstance(response, dict)
    return response


@dataclass
class DaemonProcess:
    """A tsvcd that answers on `port`, in a folder: tsvc.toml, conf.d/local.toml, log, state."""

    process: Process
    port: int
    folder: Path

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def connect(self) -> socket.socket:
        """Return a connection, whose timeout is longer than any request takes."""
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=HANG_GUARD_S)
        sock.settimeout(2 * HANG_GUARD_S)
        return sock

    def request(self, octets: bytes) -> Params:
        """Send one frame whole and return the response."""
        with self.connect() as sock:
            sock.sendall(struct.pack("!I", len(octets)) + octets)
            return read_response(sock)

    def call(self, method: str, params: Any = None) -> Params:
        """Return the response object to a request."""
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        if params is None:
            del request["params"]
        return self.request(text_exactly(request, json.dumps).encode())

    def result(self, method: str, params: Any = None) -> Any:
        """Return the result of a request that must succeed."""
        response = self.call(method, params)
        assert response.get("error") is None, response["error"]
        return response["result"]

    def run(self, definition: Params, **more: Any) -> Params:
        """Execute a definition and return the result of the completed run."""
        params = {**definition, **more}
        params.setdefault("run_id", uuid.uuid4().hex)
        assert self.result("ExecuteTest", params) == "ok"
        return self.completed(params["run_id"])

    def completed(self, run_id: str) -> Params:
        """Wait until a run is completed and return its result; fail when its counts stand still.

        A busy machine may need minutes for a load: only a minute without a change is a fault.
        """
        before = None
        while True:
            result = self.result("QueryTest", {"run_id": run_id, "wait_s": HANG_GUARD_S})
            assert isinstance(result, dict)
            if result["completed"]:
                return result
            assert result["counts"] != before, f"no progress for {HANG_GUARD_S} s: {before}"
            before = result["counts"]

    def gateways(self) -> dict[str, Params]:
        """Return the status of each gateway by name."""
        found = self.result("DescribeService")["gateways"]
        return {gateway["name"]: gateway for gateway in found}

    def until_up(self, names: Sequence[str] = ()) -> None:
        """Wait until these gateways are up; without names, all gateways."""

        def late() -> list[Params]:
            found = self.gateways()
            return [found[name] for name in names or found if found[name]["state"] != "up"]

        until(lambda: not late(), what=late)

    def configure(self, text: str) -> None:
        """Write the part of the configuration that a test changes."""
        _write(self.folder / "conf.d/local.toml", text)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait_for(self, text: str, times: int = 1) -> str:
        """Return the log once it contains a text so many `times`."""

        def is_there() -> bool:
            if self.log.count(text) >= times:
                return True
            assert self.process.poll() is None, self.log
            return False

        until(is_there, what=lambda: f"no {text!r} in:\n{self.log}")
        return self.log

    def stop(self) -> int:
        """End the daemon in an orderly way and return its exit status."""
        self.process.terminate()
        return self.process.wait(HANG_GUARD_S)

    def kill(self) -> None:
        """Kill the daemon as a crash would: with SIGKILL it can't clean up."""
        self.process.kill()
        self.process.wait(HANG_GUARD_S)


StartDaemon = Callable[..., DaemonProcess]


def configure(folder: Path, text: str = "", *, port: int = 0) -> int:
    """Write tsvc.toml into a folder; return the port of the interface."""
    port = port or free_port()
    folder.mkdir(parents=True, exist_ok=True)
    head = f'[service]\nstate_dir = "{folder / "state"}"\n[rpc]\nport = {port}\n'
    _write(folder / "tsvc.toml", head + text)
    return port


def prepare(folder: Path, local: str = "", main: str = "", port: int = 0) -> Path:
    """Write a configuration in two files, and return the path of the main file.

    `local` is the part that a test may change. The other file has the loopback unless `main` is
    given.
    """
    configure(folder, main or LOOPBACK.format(flow=FLOW), port=port)
    _write(folder / "conf.d/local.toml", local)
    return folder / "tsvc.toml"


def launch(
    folder: Path, port: int, *, prefix: Sequence[str] = (), answers: bool = True, **environ: str
) -> DaemonProcess:
    """Start a configured daemon and return when it answers.

    `answers` False: it answers only over TLS or from another address, so its log shows when it is
    ready.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TSVC_")}
    environ = {**kept, **environ}
    command = "tsvc.cli.tsvcd", "-c", str(folder / "tsvc.toml")
    process: Process
    if is_forking() and not prefix and environ.get("PYTHONPATH") == kept.get("PYTHONPATH"):
        process = start_forked(f"{command[0]}:main", command[1:], folder / "log", environ, ROOT)
    else:
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [*prefix, sys.executable, "-m", *command],
                cwd=ROOT,
                env=environ,
                stdout=log,
                stderr=log,
            )
    daemon = DaemonProcess(process, port, folder)
    try:
        if answers:
            wait_until_ready(daemon)
        else:
            daemon.wait_for("daemon ready")
    except BaseException:
        daemon.kill()
        raise
    return daemon


@contextlib.contextmanager
def running(
    folder: Path, local: str = "", main: str = "", *, answers: bool = True, **environ: str
) -> Iterator[DaemonProcess]:
    """Run a daemon, configured by prepare(), while a block runs."""
    port = free_port()
    prepare(folder, local, main, port)
    daemon = launch(folder, port, answers=answers, **environ)
    try:
        yield daemon
    finally:
        daemon.kill()


def wait_until_ready(daemon: DaemonProcess) -> None:
    """Wait until a daemon answers a request; any answer counts.

    It accepts connections earlier, before its HTTP server and its gateways are started.
    """

    def is_ready() -> bool:
        assert daemon.process.poll() is None, daemon.log
        try:
            daemon.call("DescribeService")
        except (OSError, EOFError):
            return False
        return True

    until(is_ready, what=lambda: daemon.log)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)
