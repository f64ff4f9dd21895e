"""The worker processes of this machine: starts and watches them, and restarts any that has died.

They belong to `workers` on the coordinator's machine, and to `agent` on another one.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

import gevent
from gevent.subprocess import PIPE, Popen

from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.curve import SpokeKeys, new_pair
from tsvc.cluster.setup import Setup, frame
from tsvc.config import pools
from tsvc.config.tables import Config
from tsvc.deadline import at_most
from tsvc.engine.gateway_table import GatewayTable
from tsvc.log import get_logger
from tsvc.values import dataclass

log = get_logger("cluster")

_ANEW_S = 1.0  # the wait before a restart after a failure; it doubles each time …
_ANEW_MOST_S = 60.0  # … up to this
_END_S = 3.0


@dataclass(frozen=True, slots=True)
class Terms:
    """The values that the coordinator gives to a worker when it admits it."""

    lease_s: float
    number: int  # of the worker among all workers of a coordinator, 1 and above


class _Process:
    """One worker's process."""

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.index = index
        self.process: Popen[bytes] | None = None
        self.is_asked = False  # True if a reload has told the process to end
        self.key = ""  # the public key, of this process alone


class Processes:
    """All worker processes of this machine.

    `admit(name, key)`: asks the coordinator to admit a worker with this key, and returns the
    terms; may block until then.
    `on_ended(name, key, why)`: a process has ended, or could not be started; must not block.
    """

    def __init__(
        self,
        config: Config,
        names: Iterable[str],
        *,
        admit: Callable[[str, str], Terms],
        on_ended: Callable[[str, str, str], None],
        is_far: bool = False,
    ) -> None:
        """`is_far`: the coordinator's clock is not that of these processes."""
        self.config = config
        self._admit, self._on_ended, self._is_far = admit, on_ended, is_far
        self._all = {name: _Process(name, index) for index, name in enumerate(names)}
        self._keepers: list[gevent.Greenlet[..., None]] = []
        self._coordinator = ""
        self._public = ""
        self._is_stopping = False

    alone: Mapping[str, str] = MappingProxyType({})
    """Gateways that no worker can have, with the reason of each."""
    _relays: Mapping[str, str] = MappingProxyType({})
    """Gateways that workers use through the daemon's gateway, with the folder of each."""

    def look_at(self, config: Config, gateways: GatewayTable) -> None:
        """Find out which of the started gateways workers can have or use through the daemon."""
        self.alone = alone_in(config, gateways)
        folders = ((one.name, one.relay()) for one in gateways.all())
        self._relays = {name: folder for name, folder in folders if folder is not None}

    def start(self, coordinator: str, public: str) -> None:
        """Start all processes. `coordinator`: its HOST:PORT; `public`: its public key."""
        self._coordinator, self._public = coordinator, public
        self._keepers = [gevent.spawn(self._keep, one) for one in self._all.values()]

    def stop(self) -> None:
        """End all processes. Blocks: some seconds at most, for their grace."""
        self._is_stopping = True
        processes = [one.process for one in self._all.values() if one.process is not None]
        for one in self._all.values():
            _end(one)
        with at_most(self.config.engine.cancel_grace_s + _END_S):
            for process in processes:
                process.wait()
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        gevent.killall(self._keepers)

    def reload(self, config: Config) -> None:
        """Use a new configuration; restart all processes if it differs for workers."""
        if _of_workers(config) == _of_workers(self.config):
            return
        # The number of processes does not change, so the pools may have too few values for them.
        wanted = config.cluster.pools.values()
        if any(len(pools.values(text)) <= len(self._all) for text in wanted):
            log.error("workers keep the old configuration", reason="a pool has too few values")
            return
        self.config = config
        for one in self._all.values():
            one.is_asked = True
            _end(one)

    def kill(self, name: str, key: str) -> None:
        """End the process with this key, if it still runs; it is restarted."""
        one = self._all.get(name)
        if one is not None and one.key == key and one.process is not None:
            one.process.kill()

    def running(self) -> dict[str, tuple[str, int]]:
        """Return the key and process id of each process that runs, by name."""
        return {
            one.name: (one.key, one.process.pid)
            for one in self._all.values()
            if one.process is not None
        }

    def names(self) -> list[str]:
        """Return all names."""
        return list(self._all)

    def _keep(self, one: _Process) -> None:
        """Keep a worker running: restart it each time that it ends."""
        wait_s = _ANEW_S
        while not self._stops():
            began = SYSTEM_CLOCK.now()
            one.is_asked = False
            try:
                code = self._live(one)
            except (OSError, ValueError) as error:  # no process, or its pipe is closed
                log.warning("worker not started", worker=one.name, reason=error)
                code = None
            one.process = None
            why = "it was not started" if code is None else f"its process ended with status {code}"
            self._on_ended(one.name, one.key, why)
            if self._stops():
                return
            if one.is_asked or SYSTEM_CLOCK.now() - began > _ANEW_MOST_S:
                wait_s = _ANEW_S
            if not one.is_asked:
                log.error("worker ended", worker=one.name, reason=why)
                gevent.sleep(wait_s)
                wait_s = min(2 * wait_s, _ANEW_MOST_S)

    def _stops(self) -> bool:
        return self._is_stopping

    def _live(self, one: _Process) -> int:
        """Start a worker, and return its exit status. Blocks: until it ends."""
        one.key, secret = new_pair()  # the secret key goes through the pipe, to this worker only
        terms = self._admit(one.name, one.key)
        config = self.config
        keys = SpokeKeys(one.key, secret, self._public)
        own = self._config_of(one, terms.lease_s)
        number = terms.number
        setup = Setup(
            one.name,
            self._coordinator,
            keys,
            own,
            number,
            relays=self._relays,
            is_far=self._is_far,
        )
        one.process = Popen([sys.executable, "-m", "tsvc.cluster.process"], stdin=PIPE)
        assert one.process.stdin is not None
        one.process.stdin.write(frame(setup))
        one.process.stdin.flush()
        if self._is_stopping or config is not self.config:  # changed while it was being started
            one.is_asked = True
            _end(one)
        return int(one.process.wait())

    def _config_of(self, one: _Process, lease_s: float) -> Config:
        """Return the configuration of a worker; none of its parts listens."""
        config = pools.of_process(self.config, one.index + 1)
        daemons = pools.of_process(self.config, 0).applications
        applications = {
            name: daemons[name] if name in self._relays else application
            for name, application in config.applications.items()
            if name not in self.alone
        }
        return replace(
            config,
            applications=MappingProxyType(applications),
            scp=replace(config.scp, listen=(), connect=()),
            cluster=replace(config.cluster, lease_s=lease_s),
        )


def alone_in(config: Config, gateways: GatewayTable) -> dict[str, str]:
    """Return the gateways that no worker can have, with the reason of each."""
    found: dict[str, str] = {}
    for gateway in gateways.all():
        why = gateway.alone()
        application = config.applications.get(gateway.name)
        is_pooled = application is not None and pools.names_in(
            application.members, config.cluster.pools
        )
        if why is not None and (gateway.listens() or not is_pooled):
            found[gateway.name] = why
    return found


def _of_workers(config: Config) -> tuple[object, ...]:
    """Return the parts of a configuration that a worker depends on."""
    return config.applications, config.scp, config.engine, config.cluster.pools, config.tester


def _end(one: _Process) -> None:
    if one.process is not None and one.process.stdin is not None:
        with suppress(OSError, ValueError):
            one.process.stdin.close()
