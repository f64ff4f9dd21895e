"""Classes from outside that misbehave: a whole daemon continues, and each instance aborts.

An exception of a class, wherever it is raised, is the error of the instance that called. The same
is true for a kind that a package brings. Deadlines hold, whatever the class swallows.
"""

import json
import os
import textwrap
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, DaemonProcess, running
from support.waiting import until

pytestmark = pytest.mark.e2e

SITE = '''
import asyncio
import os
import subprocess
import sys
import time

import gevent

from tsvc.gateways.gateway import Gateway, GatewayState, GatewayStatus
from tsvc.gateways.pooled import PooledGateway
from tsvc.protocols.pi.codec import Reply, Status
from tsvc.schema.fields import String
from tsvc.schema.table import Table, member, table
from tsvc.transport.pool import Pool


class Own(BaseException):
    pass


def raised(name):
    if name == "exit":
        sys.exit("the class is done")
    if name == "exit-code":
        sys.exit(0)
    if name == "kill":
        raise gevent.GreenletExit
    if name == "timeout":
        raise gevent.Timeout(1)
    known = [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, Own]
    known += [SystemError, MemoryError, StopIteration, RecursionError]
    raise {one.__name__: one for one in known}[name]("x")


class Raises:
    """Raises in the call that the command names, or in the method that the table names."""

    kind = "pi"
    deaf = False

    def __init__(self, name, config):
        self.config = config
        self.at("init")

    def at(self, method):
        if self.config.get("where") == method:
            raised(self.config["what"])

    def start(self):
        self.at("start")

    def status(self):
        self.at("status")

    def stop(self):
        self.at("stop")

    def kill(self):
        self.at("kill")

    def request(self, command, parameters):
        word, _, what = command.partition(" ")
        if word == "RAISE":
            raised(what)
        if word == "LAZY":
            return Lazy(what)
        if word == "SWALLOW":  # until there is a file
            while not os.path.exists(what):
                try:
                    time.sleep(0.05)
                except BaseException:
                    pass
        if word == "BUSY":
            end = time.monotonic() + float(what)
            while time.monotonic() < end:
                pass
        if word == "SPIN":  # until there is a file
            while not os.path.exists(what):
                pass
        if word == "RUN":
            done = subprocess.run(["sh", "-c", what], capture_output=True, timeout=60)
            return {"status": "ACK", "info": f"{done.returncode} {done.stdout.decode()}"}
        if word == "HANG":  # in C, until somebody opens the other end of a pipe
            import ctypes

            ctypes.CDLL(None).open(what.encode(), os.O_RDONLY)
        return {"status": "ACK", "info": command}


class Lazy(dict):
    """A result that raises when it is read."""

    def __init__(self, what):
        self.what = what

    def get(self, name, default=None):
        raised(self.what)


@table
class WholeConfig(Table):
    what: str = member(String(default="", help="what start() raises"))


class Whole(Gateway):
    """A gateway of its own, as a package with a kind brings it: nothing stands between."""

    kind = "pi"
    Config = WholeConfig

    def start(self):
        pass

    def stop(self, grace_s):
        raised("SystemExit")

    def kill(self):
        pass

    def status(self):
        return GatewayStatus(self.name, "pi", GatewayState.UP)

    def request(self, command, parameters, tap=None, user=None):
        what = command.partition(" ")[2]
        if command.startswith("SPAWN"):
            gevent.spawn(raised, what).join()
            return Reply(Status.ACK, "", {}, "")
        raised(what)


class Kept(PooledGateway):
    """One over a pool, whose look raises."""

    kind = "pi"
    Config = WholeConfig
    config: WholeConfig

    @property
    def pool(self):
        if not hasattr(self, "_pool"):
            self._pool = Pool(lambda: raised("SystemExit"), 1, 1.0)
        return self._pool

    def counters(self):
        return {}

    def pause_s(self, failures, problem):
        return 0.1
'''
RAISED = [
    "SystemExit",
    "KeyboardInterrupt",
    "GeneratorExit",
    "CancelledError",
    "Own",
    "SystemError",
]
RAISED += [
    "exit",
    "exit-code",
    "kill",
    "timeout",
    "MemoryError",
    "StopIteration",
    "RecursionError",
]
TABLE = """
[application."{name}"]
module = "hostile_site:Raises"
blocking = {blocking}
call_timeout_s = {seconds}
reconnect_interval_s = 0.2
{more}
"""
HASTY = "{mode}-hasty"  # waits one second for a result
MODES = {"green": "false", "threads": "true"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: Any) -> Iterator[DaemonProcess]:
    """A daemon with a class in greenlets, one in threads, and some that raise in other methods."""
    folder: Path = tmp_path_factory.mktemp("hostile")
    (folder / "hostile_site.py").write_text(textwrap.dedent(SITE))
    local = ""
    for mode, blocking in MODES.items():
        given = {"blocking": blocking, "more": "objects = 2"}
        local += TABLE.format(name=mode, seconds=60, **given)
        local += TABLE.format(name=HASTY.format(mode=mode), seconds=1, **given)
        for where in ("init", "start", "status", "stop", "kill"):
            more = f'where = "{where}"\nwhat = "SystemExit"'
            given = {"blocking": blocking, "more": more}
            local += TABLE.format(name=f"{mode}-{where}", seconds=60, **given)
    for name in ("Whole", "Kept"):
        local += f'[application.{name.lower()}]\nmodule = "hostile_site:{name}"\n'
    with running(folder, local, PYTHONPATH=str(folder)) as daemon:
        yield daemon
        assert daemon.process.poll() is None, daemon.log


def gateway(daemon: DaemonProcess, name: str) -> dict[str, Any]:
    found = daemon.result("DescribeService")["gateways"]
    return next(dict(one) for one in found if one["name"] == name)


def until_up(daemon: DaemonProcess, name: str) -> None:
    until(lambda: gateway(daemon, name)["state"] == "up", what=lambda: gateway(daemon, name))


def run(daemon: DaemonProcess, name: str, command: str, **params: Any) -> dict[str, Any]:
    until_up(daemon, name)
    operation = {"type": "ocncc.pi.Request", "arguments": {"command": command}}
    return daemon.run({"operations": [operation], "pi": name, **params})


def reason(result: dict[str, Any]) -> str:
    assert result["verdict"] == "abort", json.dumps(result)
    assert result["counts"]["aborted"] == 1
    return str(result["first_call_summary"]["reason"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", RAISED)
@pytest.mark.parametrize("word", ["RAISE", "LAZY"])
def test_what_a_call_raises_aborts_its_instance(
    daemon: DaemonProcess, mode: str, what: str, word: str
) -> None:
    assert reason(run(daemon, mode, f"{word} {what}"))
    assert run(daemon, mode, "QRY")["verdict"] == "pass"


@pytest.mark.parametrize("what", RAISED)
def test_what_a_gateway_of_a_package_raises_aborts_its_instance(
    daemon: DaemonProcess, what: str
) -> None:
    assert reason(run(daemon, "whole", f"RAISE {what}"))
    assert run(daemon, "whole", f"SPAWN {what}")["verdict"] == "pass"
    until(lambda: gateway(daemon, "kept")["detail"] == "internal failure: x")


@pytest.mark.parametrize("mode", MODES)
def test_what_the_class_said_is_the_reason(daemon: DaemonProcess, mode: str) -> None:
    assert reason(run(daemon, mode, "RAISE exit")) == f"{mode}: SystemExit the class is done"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("where", ["init", "start", "status"])
def test_a_gateway_that_can_not_begin_says_why(
    daemon: DaemonProcess, mode: str, where: str
) -> None:
    name = f"{mode}-{where}"
    until(lambda: gateway(daemon, name)["detail"] == "SystemExit x", what=lambda: daemon.log)
    assert gateway(daemon, name)["state"] == "connecting"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("where", ["stop", "kill"])
def test_an_end_that_raises_is_an_end(daemon: DaemonProcess, mode: str, where: str) -> None:
    name = f"{mode}-{where}"
    assert reason(run(daemon, name, "RAISE Own"))
    assert run(daemon, name, "QRY")["verdict"] == "pass"


def is_answered(daemon: DaemonProcess, name: str) -> bool:
    """Return True unless the answer took longer than the gateway waits."""
    result = run(daemon, name, "QRY")
    return result["verdict"] == "pass" or "no result within" not in reason(result)


@pytest.mark.parametrize("mode", MODES)
def test_an_interruption_that_is_swallowed_keeps_nobody(
    daemon: DaemonProcess, mode: str, tmp_path: Path
) -> None:
    name, goes_on = HASTY.format(mode=mode), tmp_path / "goes on"
    try:
        result = run(daemon, name, f"SWALLOW {goes_on}")
        assert reason(result) == f"{name}: no result within 1 s"
        until(lambda: is_answered(daemon, name))
    finally:
        goes_on.touch()


def test_a_busy_loop_is_named(daemon: DaemonProcess) -> None:
    text = reason(run(daemon, "green-hasty", "BUSY 1.3"))
    assert text.startswith(
        "green-hasty: no result within 1 s, Raises.request() let nothing else run for"
    )
    assert gateway(daemon, "green-hasty")["counters"]["stalls"] >= 1
    log = daemon.wait_for("let nothing else run")
    assert "call=Raises.request" in log

    def stalls() -> list[str]:
        """Return the log lines about a stalled loop; a busy machine may cause some, too."""
        return [one for one in daemon.log.splitlines() if "event loop stalled" in one]

    until(lambda: any("call=Raises.request" in one for one in stalls()), what=stalls)


def test_a_busy_loop_in_a_thread_keeps_only_its_instance(
    daemon: DaemonProcess, tmp_path: Path
) -> None:
    goes_on = tmp_path / "goes on"
    try:
        result = run(daemon, "threads-hasty", f"SPIN {goes_on}")
        assert reason(result) == "threads-hasty: no result within 1 s"
    finally:
        goes_on.touch()


@pytest.mark.parametrize("mode", MODES)
def test_processes_can_be_run(daemon: DaemonProcess, mode: str) -> None:
    """Both modes at once: waiting for a process must not take another process's status."""
    until_up(daemon, mode)
    codes = [{"type": "ocncc.pi.Request"} for _ in range(12)]
    for at, one in enumerate(codes):
        one["arguments"] = {"command": f"RUN echo hi; exit {at % 5}", "info": f"{at % 5} hi\n"}
    load = {"type": "load", "total": 4, "backlog": 2}
    other = "green" if mode == "threads" else "threads"
    beside = uuid.uuid4().hex
    params = {"operations": codes, "distribution": load}
    assert daemon.result("ExecuteTest", {"run_id": beside, "pi": other, **params}) == "ok"
    result = daemon.run({**params, "pi": mode})
    assert result["verdict"] == "pass", result["first_call_summary"]
    result = daemon.result("QueryTest", {"run_id": beside, "wait_s": 60})
    assert result["verdict"] == "pass", result["first_call_summary"]


@pytest.mark.parametrize(("mode", "word"), [("threads", "HANG"), ("green", "SWALLOW")])
def test_when_all_hang_the_gateway_is_down_until_one_is_free(
    daemon: DaemonProcess, mode: str, word: str, tmp_path: Path
) -> None:
    name, goes_on = HASTY.format(mode=mode), tmp_path / "goes on"
    if word == "HANG":
        os.mkfifo(goes_on)
    until_up(daemon, name)
    operation = {"type": "ocncc.pi.Request", "arguments": {"command": f"{word} {goes_on}"}}
    load = {"type": "load", "total": 6, "backlog": 2}
    params = {"operations": [operation], "pi": name, "distribution": load}
    try:
        assert daemon.run(params)["counts"]["aborted"] == 6
        found = gateway(daemon, name)
        assert found["state"] == "down", found
        assert "hang in calls that were given up" in found["detail"]
    finally:
        if word == "HANG":
            os.close(os.open(goes_on, os.O_RDWR))
        else:
            goes_on.touch()
    until(lambda: is_answered(daemon, name))  # it is waited for until it is up


def test_hung_threads_do_not_keep_the_daemon(tmp_path: Path) -> None:
    (tmp_path / "hostile_site.py").write_text(textwrap.dedent(SITE))
    local = TABLE.format(name="threads", blocking="true", seconds=1, more="objects = 2")
    os.mkfifo(tmp_path / "pipe")
    with running(tmp_path, local, PYTHONPATH=str(tmp_path)) as daemon:
        assert reason(run(daemon, "threads", f"HANG {tmp_path / 'pipe'}"))
        daemon.process.terminate()
        assert daemon.process.wait(HANG_GUARD_S) == 0, daemon.log
