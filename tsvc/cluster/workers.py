"""The worker processes of a daemon: started, watched, started anew when one has died.

The link brings their messages; each is handed to the run that it is about, by the run's number.
"""

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol

import gevent
from gevent.event import Event
from gevent.subprocess import PIPE, Popen

from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.curve import HubKeys, SpokeKeys, new_pair
from tsvc.cluster.lease import check_times
from tsvc.cluster.link import Hub
from tsvc.cluster.setup import Setup, frame
from tsvc.config import pools
from tsvc.config.tables import Config
from tsvc.deadline import at_most
from tsvc.log import get_logger

log = get_logger("cluster")

_JOIN_S = 10.0
_ANEW_S = 1.0  # after which one that died is started anew, twice as long each time …
_ANEW_MOST_S = 60.0  # … up to this
_END_S = 3.0


class Listener(Protocol):
    """A run that workers play."""

    def take(self, worker: str, kind: str, body: dict[str, Any]) -> None:
        """Take a message in; must not block."""

    def lose(self, worker: str, why: str) -> None:
        """A worker is gone; must not block."""


class _Process:
    """One worker: its process, and whether it has joined."""

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.index = index
        self.process: Popen[bytes] | None = None
        self.is_joined = False
        self.is_drained = False
        self.started = 0  # how often
        self.is_asked = False  # to end, by a reload
        self.key = ""  # the public one, of this process alone
        self.why = ""  # it is not there


class Workers:
    """All workers of this daemon."""

    def __init__(self, config: Config) -> None:
        """Errors: ValueError for a lease that is not shorter than what a loss takes."""
        self.config = config
        settings = config.cluster
        check_times(settings.lease_s, settings.lost_after_s)
        self._processes = {
            f"w{index + 1}": _Process(f"w{index + 1}", index)
            for index in range(pools.worker_count(settings.workers))
        }
        self._hub: Hub | None = None
        self._public = ""
        self._runs: dict[int, Listener] = {}
        self._next_run = 0
        self._changed = Event()
        self._is_stopping = False

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start all; they join later. Errors: LinkError, ClusterUnavailable."""
        self._public, secret = new_pair()
        self._hub = Hub(
            "127.0.0.1:0",
            on_message=self._take,
            on_join=self._join,
            on_lost=self._lose,
            lost_after_s=self.config.cluster.lost_after_s,
            keys=HubKeys(self._public, secret),
        )
        self._hub.start()
        for process in self._processes.values():
            gevent.spawn(self._keep, process)

    def wait_joined(self, seconds: float = _JOIN_S) -> bool:
        """Return whether all have joined. Blocks: up to `seconds` for that."""
        until = SYSTEM_CLOCK.now() + seconds
        while not all(process.is_joined for process in self._processes.values()):
            self._changed.wait(max(until - SYSTEM_CLOCK.now(), 0.0))
            self._changed.clear()
            if SYSTEM_CLOCK.now() >= until:
                log.warning("workers have not joined yet", ready=", ".join(self.names()))
                return False
        return True

    def stop(self) -> None:
        """End all of them. Blocks: some seconds at most, for their grace."""
        self._is_stopping = True
        processes = [one.process for one in self._processes.values() if one.process is not None]
        for one in self._processes.values():
            _end(one)
        with at_most(self.config.engine.cancel_grace_s + _END_S):
            for process in processes:
                process.wait()
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        if self._hub is not None:
            self._hub.stop()

    def reload(self, config: Config) -> None:
        """Take a new configuration: each worker is started anew with it, which ends its runs."""
        if _of_workers(config) == _of_workers(self.config):
            return
        # How many there are does not change, so the pools may have too few values for them.
        wanted = config.cluster.pools.values()
        if any(len(pools.values(text)) <= len(self._processes) for text in wanted):
            log.error("workers keep the old configuration", reason="a pool has too few values")
            return
        self.config = config
        for process in self._processes.values():
            process.is_asked = True
            _end(process)

    def _keep(self, one: _Process) -> None:
        """Keep a worker running."""
        wait_s = _ANEW_S
        while not self._stops():
            began = SYSTEM_CLOCK.now()
            one.is_asked = False
            try:
                code = self._live(one)
            except (OSError, ValueError) as error:  # no process, or its pipe is closed
                log.warning("worker not started", worker=one.name, reason=error)
                code = None
            one.is_joined, one.process = False, None
            one.why = "it was not started" if code is None else _ended(code)
            if self._hub is not None:
                self._hub.cut(one.name)
            self._tell_lost(one.name, one.why)
            if self._stops():
                return
            if one.is_asked or SYSTEM_CLOCK.now() - began > _ANEW_MOST_S:
                wait_s = _ANEW_S
            if not one.is_asked:
                log.error("worker ended", worker=one.name, reason=one.why)
                gevent.sleep(wait_s)
                wait_s = min(2 * wait_s, _ANEW_MOST_S)

    def _stops(self) -> bool:
        return self._is_stopping

    def _live(self, one: _Process) -> int:
        """Start a worker, and return its exit status. Blocks: until it ends."""
        assert self._hub is not None
        config = self.config
        one.started += 1
        one.key, secret = new_pair()  # it has it from us through a pipe, and nobody else has
        self._hub.allow(frozenset(other.key for other in self._processes.values()))
        keys = SpokeKeys(one.key, secret, self._public)
        setup = Setup(one.name, self._hub.endpoint, keys, self._config_of(one))
        one.process = Popen([sys.executable, "-m", "tsvc.cluster.process"], stdin=PIPE)
        assert one.process.stdin is not None
        one.process.stdin.write(frame(setup))
        one.process.stdin.flush()
        if self._is_stopping or config is not self.config:  # that came while it was born
            one.is_asked = True
            _end(one)
        return int(one.process.wait())

    def _config_of(self, one: _Process) -> Config:
        """Return what a worker is configured as: nothing of it listens."""
        config = pools.of_process(self.config, one.index + 1)
        applications = {
            name: application
            for name, application in config.applications.items()
            if name not in self.alone
        }
        return replace(
            config,
            applications=MappingProxyType(applications),
            scp=replace(config.scp, listen=(), connect=()),
        )

    alone: Mapping[str, str] = MappingProxyType({})
    """Gateways that no worker can have, and why."""

    # -- runs --------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Return those that can play a run now."""
        found = self._processes.values()
        return [process.name for process in found if process.is_joined and not process.is_drained]

    def known(self) -> list[str]:
        """Return all names."""
        return list(self._processes)

    def enter(self, run: Listener) -> int:
        """Return a number for a run, whose messages it gets from now on."""
        self._next_run += 1
        self._runs[self._next_run] = run
        return self._next_run

    def leave(self, number: int) -> None:
        """Forget a run."""
        self._runs.pop(number, None)

    def send(self, worker: str, kind: str, body: dict[str, Any]) -> bool:
        """Send; False if the worker is not there."""
        return self._hub is not None and self._hub.send(worker, kind, body)

    def end(self, name: str, why: str) -> None:
        """End a worker that is of no more use; it is started anew."""
        one = self._processes[name]
        if one.process is not None:
            log.error("worker ended", worker=name, reason=why)
            one.process.kill()

    def drain(self, name: str) -> None:
        """Give a worker no more runs. Errors: KeyError."""
        self._processes[name].is_drained = True

    def describe(self) -> list[dict[str, Any]]:
        """Return a row for each worker."""
        return [
            {
                "name": one.name,
                "state": _state(one),
                "pid": None if one.process is None else one.process.pid,
                "starts": one.started,
                "reason": "" if one.is_joined else one.why,
            }
            for one in self._processes.values()
        ]

    # -- what the link tells -----------------------------------------------------------------

    def _take(self, worker: str, kind: str, body: object) -> None:
        if not isinstance(body, dict):
            return
        run = self._runs.get(body.get("run", 0))
        if run is not None:
            run.take(worker, kind, body)

    def _join(self, worker: str, facts: Mapping[str, object]) -> None:
        one = self._processes.get(worker)
        if one is None or one.process is None or facts.get("pid") != one.process.pid:
            if self._hub is not None:
                self._hub.cut(worker)  # not ours: of a daemon that was here before, or nobody's
            return
        one.is_joined, one.why = True, ""
        self._changed.set()
        log.info("worker joined", worker=worker, pid=one.process.pid)

    def _lose(self, worker: str, why: str) -> None:
        one = self._processes.get(worker)
        if one is None or not one.is_joined:
            return
        one.is_joined, one.why = False, why
        log.error("worker lost", worker=worker, reason=why)
        if one.process is not None and not self._is_stopping:
            one.process.kill()  # silent, or cut off: it is of no more use
        self._tell_lost(worker, why)

    def _tell_lost(self, worker: str, why: str) -> None:
        for run in list(self._runs.values()):
            try:
                run.lose(worker, why)
            except Exception as error:  # noqa: BLE001 - the others must hear of it, too
                log.failure("loss not taken", error)


def _of_workers(config: Config) -> tuple[object, ...]:
    """Return what of a configuration a worker is made by."""
    return config.applications, config.scp, config.engine, config.cluster.pools, config.tester


def _end(one: _Process) -> None:
    if one.process is not None and one.process.stdin is not None:
        with suppress(OSError, ValueError):
            one.process.stdin.close()


def _ended(code: int) -> str:
    return f"its process ended with status {code}"


def _state(one: _Process) -> str:
    if one.is_drained:
        return "drained"
    if one.is_joined:
        return "ready"
    return "starting" if one.process is not None else "down"
