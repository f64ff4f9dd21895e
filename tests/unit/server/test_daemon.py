"""The daemon as its own process, with a small service instead of the engine."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support.waiting import GUARD_S

import tsvc

SCRIPT = """
import os, sys, gevent, gevent.event
from pathlib import Path
from tsvc import log
from tsvc.config.load import load_config
from tsvc.engine.gateway_table import GatewayConfigError
from tsvc.errors import Problem
from tsvc.methods.method import Method
from tsvc.registry import Registry
from tsvc.schema.fields import Integer, Params
from tsvc.server.daemon import Daemon

class Name(Method):
    name = "Name"
    def call(self, service, params):
        service.called.set()
        return service.name

METHODS = Registry("method")
METHODS.register("Name", Name())

class Service:
    def __init__(self, config):
        self.name = config.service.name
        self.called = gevent.event.Event()
        self.behaviour = os.environ.get("BEHAVIOUR", "")
    def start(self):
        if self.behaviour == "start fails":
            raise RuntimeError("no gateway")
    def reload(self, config):
        if config.applications:
            raise GatewayConfigError([Problem('application."X".module', "no such kind")])
        self.name = config.service.name
    def describe(self):
        return {}
    def is_busy(self):
        return False
    def query_all(self):
        return {"tests": [{"run_id": "r1", "state": "running"}]}
    def drain(self, drain_s):
        print("draining", drain_s, flush=True)
        if self.behaviour == "drain fails":
            raise RuntimeError("archive lost")
        if self.behaviour == "drain hangs":
            gevent.sleep(1000)
        if self.behaviour == "drain waits":
            self.called.wait()
        print("drained", flush=True)
    def stop(self):
        print("stopped", flush=True)

def load():
    return load_config(Path(sys.argv[1]), os.environ)

config = load()
log.setup(config.log.level, "json")
sys.exit(Daemon(config, Service, load=load, methods=METHODS).run())
"""


class Process:
    def __init__(self, folder: Path, **environ: str) -> None:
        self.config = folder / "tsvc.toml"
        self.configure("one")
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(folder / "notify"))
        self.manager.settimeout(GUARD_S)
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(self.config)],
            cwd=Path(tsvc.__file__).parent.parent,
            env={**os.environ, "NOTIFY_SOCKET": str(folder / "notify"), **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.log = []

    def configure(self, name: str, more: str = "") -> None:
        self.config.write_text(
            f'[service]\nname = "{name}"\nstate_dir = "state"\ndrain_s = 7\n'
            f"[rpc]\nport = 0\n{more}\n"
        )

    def notified(self) -> str:
        return self.manager.recv(200).decode().partition("\n")[0]

    def event(self, event: str) -> dict:
        """Read the log up to an event and return its line."""
        for line in self.process.stderr:
            self.log.append(json.loads(line))
            if self.log[-1]["event"] == event:
                return self.log[-1]
        raise AssertionError(f"no {event!r} in {self.log}")

    def call(self, port: int) -> object:
        body = b'{"jsonrpc":"2.0","method":"Name","id":1}'
        with socket.create_connection(("127.0.0.1", port), GUARD_S) as sock:
            sock.sendall(len(body).to_bytes(4, "big") + body)
            octets = b""
            while portion := sock.recv(4096):
                octets += portion
        return json.loads(octets[4:])["result"]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> tuple[int, list[str]]:
        output, _ = self.process.communicate(timeout=GUARD_S)
        return self.process.returncode, output.split("\n")[:-1]


@pytest.fixture
def start(tmp_path):
    started = []

    def start_process(folder: Path = tmp_path, **environ: str) -> Process:
        started.append(Process(folder, **environ))
        return started[-1]

    yield start_process
    for one in started:
        one.process.kill()
        one.process.communicate()
        one.manager.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_start_serve_drain_exit(start, number):
    daemon = start()
    port = daemon.event("listening")["port"]
    assert daemon.notified() == "READY=1"
    assert daemon.call(port) == "one"
    daemon.signal(number)
    assert daemon.notified() == "STOPPING=1"
    assert daemon.end() == (0, ["draining 7.0", "drained", "stopped"])


def test_requests_are_answered_while_draining(start):
    daemon = start(BEHAVIOUR="drain waits")
    port = daemon.event("listening")["port"]
    daemon.event("ready")
    daemon.signal(signal.SIGTERM)
    daemon.event("stopping")
    assert daemon.call(port) == "one"
    assert daemon.end()[0] == 0


def test_a_second_signal_stops_at_once(start):
    daemon = start(BEHAVIOUR="drain hangs")
    daemon.event("ready")
    daemon.signal(signal.SIGTERM)
    daemon.event("stopping")
    daemon.signal(signal.SIGTERM)
    assert daemon.end() == (1, ["draining 7.0", "stopped"])


def test_a_failing_drain_is_an_exit_code(start):
    daemon = start(BEHAVIOUR="drain fails")
    daemon.event("ready")
    daemon.signal(signal.SIGTERM)
    assert "archive lost" in daemon.event("drain failed")["traceback"]
    assert daemon.end()[0] == 1


def test_a_failing_start_is_an_exit_code(start):
    daemon = start(BEHAVIOUR="start fails")
    assert "no gateway" in daemon.event("not started")["traceback"]
    assert daemon.end() == (1, ["stopped"])


def test_one_daemon_per_state_folder(start, tmp_path):
    first = start()
    first.event("ready")
    other = tmp_path / "other"
    other.mkdir()
    second = start(other, TSVC_SERVICE_STATE_DIR=str(tmp_path / "state"))
    assert f"in use by process {first.process.pid}" in second.event("not started")["reason"]
    assert second.end() == (1, [])


def test_a_port_in_use(start, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        daemon = start(TSVC_RPC_PORT=str(port))
        assert daemon.event("not started")["reason"].startswith(
            f"can't listen on 127.0.0.1 port {port}: "
        )
        assert daemon.end()[0] == 1


def test_reload(start):
    daemon = start()
    port = daemon.event("listening")["port"]
    assert daemon.notified() == "READY=1"
    daemon.configure("two", 'host = "localhost"\n[log]\nformat = "json"')
    daemon.signal(signal.SIGHUP)
    assert [daemon.notified(), daemon.notified()] == ["RELOADING=1", "READY=1"]
    assert daemon.event("needs a restart to take effect")["key"] == "rpc.host"
    assert daemon.call(port) == "two"
    daemon.configure("three", "prot = 1")
    daemon.signal(signal.SIGHUP)
    assert [daemon.notified(), daemon.notified()] == ["RELOADING=1", "READY=1"]
    problems = daemon.event("configuration not reloaded, the old one stays")["problems"]
    assert 'rpc.prot: unknown key; did you mean "port"?' in problems
    assert daemon.call(port) == "two"
    daemon.configure("four", '[log]\nlevel = "error"\n[application.X]\nmodule = "x"')
    daemon.signal(signal.SIGHUP)
    refused = daemon.event("configuration not reloaded, the old one stays")
    assert refused["problems"] == 'application."X".module: no such kind'
    assert "traceback" not in refused
    assert daemon.call(port) == "two"
    daemon.signal(signal.SIGTERM)
    daemon.event("stopping")  # the level is unchanged
    assert daemon.end()[0] == 0


def test_reload_of_the_log_level(start):
    daemon = start()
    daemon.event("ready")
    daemon.configure("two", '[log]\nlevel = "error"')
    daemon.signal(signal.SIGHUP)
    assert [daemon.notified() for _ in range(3)] == ["READY=1", "RELOADING=1", "READY=1"]
    daemon.signal(signal.SIGTERM)
    assert daemon.process.wait(GUARD_S) == 0
    assert "stopping" not in daemon.process.stderr.read()


def test_dump(start):
    daemon = start()
    daemon.event("ready")
    daemon.signal(signal.SIGUSR1)
    assert daemon.event("dump begins")["greenlets"] > 1
    assert daemon.event("run")["run_id"] == "r1"
    daemon.event("dump ends")
    daemon.signal(signal.SIGTERM)
    assert daemon.end()[0] == 0


def test_watchdog(start):
    daemon = start(WATCHDOG_USEC="20000")
    assert daemon.notified() == "READY=1"
    assert [daemon.notified() for _ in range(3)] == ["WATCHDOG=1"] * 3
