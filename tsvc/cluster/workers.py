"""The workers of a coordinator: processes of this machine, and those of agents on others.

The link delivers their messages; each is given to its run, by the run's number. An agent is a
peer named "MACHINE/"; `agent` lists its messages. It names its workers, with a key for each
process. A worker must join with that key, and an agent with one of `[cluster] allow`.
"""

import math
import random
from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol

from gevent.event import Event

from tsvc import __version__
from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.curve import HubKeys, new_pair, public_of
from tsvc.cluster.errors import LinkError
from tsvc.cluster.lease import check_times
from tsvc.cluster.link import Hub
from tsvc.cluster.processes import Processes, Terms
from tsvc.config import pools
from tsvc.config.link_key import checked_key
from tsvc.config.load import read_key
from tsvc.config.tables import Config
from tsvc.log import get_logger
from tsvc.protocols.tcap.ids import PROCESSES
from tsvc.words import quoted

log = get_logger("cluster")

_JOIN_S = 30.0  # four processes that start on two busy cores take ten seconds
_END_S = 2.0  # in addition to the grace
_ROUND_TRIPS = 4  # in which a message is surely received, with a margin
_MOST_OF_AN_AGENT = 256
_MOST_WEIGHT = 16  # as [cluster] weight
_EVERYWHERE = {"*": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}


class Listener(Protocol):
    """A run that workers share."""

    def take(self, worker: str, kind: str, body: dict[str, Any]) -> None:
        """Handle a message of a worker; must not block."""

    def lose(self, worker: str, why: str, within_s: float, over_s: float) -> None:
        """Handle the loss of a worker, which may start instances until `within_s` from now, and
        have some in progress until `over_s` from now; must not block. It is called again when
        more is known."""

    def load_of(self, worker: str) -> tuple[int, float]:
        """Return a worker's instances in progress, and how much of a core its process uses."""


class _Worker:
    """One worker, here or on another machine."""

    def __init__(self, name: str, machine: str, number: int) -> None:
        self.name = name
        self.number = number  # among all workers, 1 and above; it determines its transaction ids
        self.machine = machine  # the peer that is its agent; "": this machine
        self.key = ""  # the public key, of its process alone
        self.pid: int | None = None
        self.is_starting = False
        self.is_joined = False
        self.is_drained = False
        self.started = 0  # how often
        self.why = ""  # why it is not there
        self.doom = ""  # why the coordinator ends it
        self.weight = 1
        self.tally = Counter[str]()  # of all runs: instances started, finished, late; losses
        # The largest error of our clock's time there, and the time of a message and its answer.
        self.clock_error_s = math.inf
        self.round_trip_s = 0.0

    @property
    def is_ready(self) -> bool:
        """True if it has joined and reported its clock error."""
        return self.is_joined and self.clock_error_s < math.inf

    def ended(self, why: str) -> None:
        """Note that the worker is gone."""
        self.is_joined = self.is_starting = False
        self.pid, self.why = None, why
        self.clock_error_s = math.inf


class Workers:
    """All workers whose coordinator this daemon is."""

    def __init__(self, config: Config) -> None:
        """Errors: ValueError if lease_s is not below lost_after_s."""
        self.config = config
        settings = config.cluster
        check_times(settings.lease_s, settings.lost_after_s)
        self._lease_s = settings.lease_s  # a reload changes neither
        # The time after which the instances of a worker that was cut off are surely over: it gives
        # up after lost_after_s, and then has its grace.
        self._over_s = config.engine.cancel_grace_s + _END_S
        names = [f"w{index + 1}" for index in range(pools.worker_count(settings.workers))]
        self._workers = {name: _Worker(name, "", at + 1) for at, name in enumerate(names)}
        for one in self._workers.values():
            one.weight = settings.weight
        self.processes = Processes(config, names, admit=self._admit, on_ended=self._ended)
        self._agents: dict[str, str] = {}  # the key of each agent, by the name of the peer
        self._hub: Hub | None = None
        self._runs: dict[int, Listener] = {}
        # Random, because a worker may come back with runs of a coordinator that was killed.
        self._next_run = random.getrandbits(48)
        self._changed = Event()
        self._is_stopping = False

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the workers of this machine, which join later.

        Errors: LinkError, ClusterUnavailable.
        """
        settings = self.config.cluster
        if settings.listen:
            assert settings.key_file is not None
            try:
                secret = read_key(settings.key_file)
            except ValueError as error:
                raise LinkError(f"{settings.key_file}: {error}") from None
            public = public_of(secret)
        else:
            public, secret = new_pair()
        self._hub = Hub(
            settings.listen or "127.0.0.1:0",
            on_message=self._take,
            on_join=self._join,
            on_lost=self._lose,
            lost_after_s=settings.lost_after_s,
            keys=HubKeys(public, secret, frozenset(settings.allow)),
        )
        self._hub.start()
        host, _, port = self._hub.endpoint.rpartition(":")
        if settings.listen:
            log.info("agents may join", address=self._hub.endpoint, key=public)
        self.processes.start(f"{_EVERYWHERE.get(host, host)}:{port}", public)

    def wait_joined(self, seconds: float = _JOIN_S) -> bool:
        """Wait for the workers of this machine, and return True if all are ready.

        Blocks: up to `seconds`.
        """
        until = SYSTEM_CLOCK.now() + seconds
        own = [one for one in self._workers.values() if not one.machine]
        while not all(one.is_ready for one in own):
            self._changed.wait(max(until - SYSTEM_CLOCK.now(), 0.0))
            self._changed.clear()
            if SYSTEM_CLOCK.now() >= until:
                log.warning("workers have not joined yet", ready=", ".join(self.ready()))
                return False
        return True

    def stop(self) -> None:
        """End the workers of this machine. Blocks: some seconds at most, for their grace."""
        self._is_stopping = True
        self.processes.stop()
        if self._hub is not None:
            self._hub.stop()

    def reload(self, config: Config) -> None:
        """Use a new configuration.

        Workers of this machine restart if it differs for them, which ends their runs. Agents and
        workers whose keys are no longer allowed are cut off.
        """
        self.config = config
        self.processes.reload(config)
        self._allow()

    def _allow(self) -> None:
        """Set the keys that the link admits."""
        agents = set(self.config.cluster.allow)
        trusted = {name for name, key in self._agents.items() if key in agents} | {""}
        workers = {one.key for one in self._workers.values() if one.machine in trusted}
        if self._hub is None:
            return
        why = "its key is no longer allowed"
        for peer in self._hub.allow(frozenset(agents | workers - {""}), why):
            # The message may get lost; then it starts instances until its lease is over.
            self._lose(peer, why, within_s=self._lease_s)

    def _admit(self, name: str, key: str) -> Terms:
        """Admit a process, from now on the only one of its name, and return its terms.

        The lease is the coordinator's: runs rely on it being below the coordinator's lost_after_s.
        """
        one = self._workers[name]
        if one.key != key:  # otherwise the message was repeated
            if one.is_joined:
                self._gone(one, "its agent has started it anew")
            one.key, one.doom, one.is_starting = key, "", True
            one.started += 1
            self._allow()
        return Terms(self._lease_s, one.number)

    def _ended(self, name: str, key: str, why: str) -> None:
        """Note that a process has ended."""
        one = self._workers[name]
        if one.key == key:
            self._gone(one, one.doom or why)

    def _gone(self, one: _Worker, why: str) -> None:
        one.ended(why)
        if self._hub is not None:
            self._hub.cut(one.name, why)
        self._tell_lost(one.name, why, 0.0, 0.0)

    # -- runs --------------------------------------------------------------------------------

    def ready(self) -> list[str]:
        """Return the names of the workers that can take part in a run now."""
        found = self._workers.values()
        return [one.name for one in found if one.is_ready and not one.is_drained]

    def names(self) -> list[str]:
        """Return all names."""
        return list(self._workers)

    def clock_error_ms(self, name: str) -> float:
        """Return a worker's largest clock error in milliseconds; inf if it is unknown."""
        return self._workers[name].clock_error_s * 1000

    def tally(self, name: str, counts: Mapping[str, int]) -> None:
        """Add the counts of a worker since its last report."""
        self._workers[name].tally.update(counts)

    def weight(self, name: str) -> int:
        """Return the share of a worker, relative to a worker of weight 1."""
        return self._workers[name].weight

    def lead_s(self, names: list[str]) -> float:
        """Return the longest time, in seconds, until these workers acknowledge a message."""
        found = (self._workers[name].round_trip_s for name in names)
        return _ROUND_TRIPS * max(found, default=0.0)

    def enter(self, run: Listener) -> int:
        """Register a run, which gets its messages from now on, and return its number."""
        self._next_run += 1
        self._runs[self._next_run] = run
        return self._next_run

    def leave(self, number: int) -> None:
        """Remove a run."""
        self._runs.pop(number, None)

    def send(self, worker: str, kind: str, body: dict[str, Any]) -> bool:
        """Send a message. Return False if the worker is not there."""
        return self._hub is not None and self._hub.send(worker, kind, body)

    def end(self, name: str, why: str) -> None:
        """End a worker that is no longer of use; it is restarted."""
        log.error("worker ended", worker=name, reason=why)
        self._workers[name].doom = why
        self._kill(self._workers[name])

    def _kill(self, one: _Worker) -> None:
        if not one.machine:
            self.processes.kill(one.name, one.key)
        else:
            self._tell_agent(one, "end")

    def drain(self, name: str) -> bool:
        """Give a worker, or all workers of an agent's machine, no more runs.

        Return False if there is none of that name.
        """
        named = [one for one in self._workers.values() if name in (one.name, one.machine[:-1])]
        for one in named:
            one.is_drained = True
        return bool(named)

    def describe(self) -> list[dict[str, Any]]:
        """Return a row for each worker."""
        return [
            {
                "name": one.name,
                "state": _state(one),
                "pid": one.pid,
                "starts": one.started,
                "clock_error_ms": round(one.clock_error_s * 1000, 3) if one.is_ready else None,
                "reason": "" if one.is_joined else one.why,
                **{what: one.tally[what] for what in ("started", "finished", "late", "losses")},
                **self._load_of(one),
            }
            for one in self._workers.values()
        ]

    def _load_of(self, one: _Worker) -> dict[str, Any]:
        loads = [run.load_of(one.name) for run in self._runs.values()]
        return {
            "in_progress": sum(in_progress for in_progress, _ in loads),
            "cpu": max((cpu for _, cpu in loads), default=0.0),
        }

    # -- callbacks of the link ---------------------------------------------------------------

    def _take(self, peer: str, kind: str, body: object) -> None:
        if not isinstance(body, dict):
            return
        if peer.endswith("/"):
            self._take_of_agent(peer, kind, body)
        elif kind == "clock":
            self._take_clock(self._workers[peer], body)
        elif (run := self._runs.get(body.get("run", 0))) is not None:
            run.take(peer, kind, body)
        elif kind == "snapshot":
            self.send(peer, "forget", {"run": body.get("run", 0)})

    def _take_of_agent(self, agent: str, kind: str, body: dict[str, Any]) -> None:
        """Handle a message of an agent.

        Errors: ValueError and KeyError for a wrong message; the link logs them.
        """
        name, key = str(body["worker"]), checked_key(body["key"], "its key")
        if not name.startswith(agent) or name == agent:
            raise ValueError(f"{agent} speaks of {quoted(name)}")
        if kind == "starting":
            weight = int(body["weight"])
            if not 1 <= weight <= _MOST_WEIGHT:
                raise ValueError(f"a weight is 1 to {_MOST_WEIGHT}")
            if name not in self._workers:
                of_agent = [one for one in self._workers.values() if one.machine == agent]
                if len(of_agent) >= _MOST_OF_AN_AGENT:
                    raise ValueError(f"{agent} has {len(of_agent)} workers already")
                number = len(self._workers) + 1  # workers are never removed
                if number >= PROCESSES:
                    raise ValueError(f"{number - 1} workers have all transaction ids")
                self._workers[name] = _Worker(name, agent, number)
            self._workers[name].weight = weight
            terms = self._admit(name, key)
            admission = {"lease_s": terms.lease_s, "number": terms.number}
            self._tell_agent(self._workers[name], "admitted", **admission)
        elif kind == "ended":
            why = str(body["why"])
            log.error("worker ended", worker=name, reason=why)
            self._ended(name, key, why)

    def _tell_agent(self, one: _Worker, kind: str, **more: object) -> None:
        if one.machine and self._hub is not None:
            self._hub.send(one.machine, kind, {"worker": one.name, "key": one.key, **more})

    def _take_clock(self, one: _Worker, body: dict[str, Any]) -> None:
        was_ready = one.is_ready
        one.clock_error_s, one.round_trip_s = float(body["error_s"]), float(body["round_trip_s"])
        if one.is_ready and not was_ready:
            self._changed.set()
            log.info("worker ready", worker=one.name, clock_error_ms=self.clock_error_ms(one.name))
            self._tell_agent(one, "ready")

    def _join(self, peer: str, facts: Mapping[str, object]) -> None:
        assert self._hub is not None
        key = self._hub.key_of(peer)
        if peer.endswith("/"):
            self._join_agent(peer, key, facts)
            return
        one = self._workers.get(peer)
        if one is None or one.key != key:
            self._hub.cut(peer, "no worker of that name has this key")
            return
        if facts.get("is_back"):  # it was lost, reports its results, and is ended then
            log.info("worker back", worker=peer)
            return
        pid = facts.get("pid")
        one.is_joined, one.why, one.pid = True, "", pid if isinstance(pid, int) else None
        log.info("worker joined", worker=peer, pid=pid)

    def _join_agent(self, agent: str, key: str, facts: Mapping[str, object]) -> None:
        assert self._hub is not None
        if key not in self.config.cluster.allow:  # a worker's key is not enough
            self._hub.cut(agent, "this key is not allowed there")
        elif facts.get("version") != __version__:
            why = f"it is tsvc {facts.get('version')}, the coordinator {__version__}"
            log.error("agent not admitted", agent=agent, reason=why)
            self._hub.cut(agent, why)
        else:
            self._agents[agent] = key
            log.info("agent joined", agent=agent)

    def _lose(self, peer: str, why: str, within_s: float = 0.0) -> None:
        if peer.endswith("/"):
            # The loss of its workers is noticed separately: they end too, or have their own links.
            log.error("agent lost", agent=peer, reason=why)
            for one in self._workers.values():
                if one.machine == peer and not one.is_joined:
                    one.ended(f"its agent is gone: {why}")
            return
        lost = self._workers.get(peer)
        if lost is None or not lost.is_joined:
            return
        lost.ended(why)
        log.error("worker lost", worker=peer, reason=why)
        if not self._is_stopping:
            self._kill(lost)  # silent, or cut off: it is no longer of use
        over_s = self._over_s + (self.config.cluster.lost_after_s if within_s else 0.0)
        self._tell_lost(peer, why, within_s, over_s)

    def _tell_lost(self, worker: str, why: str, within_s: float, over_s: float) -> None:
        for run in list(self._runs.values()):
            try:
                run.lose(worker, why, within_s, over_s)
            except Exception as error:  # noqa: BLE001 - the other runs must be informed too
                log.failure("loss not taken", error)


def _state(one: _Worker) -> str:
    if one.is_drained:
        return "drained"
    if one.is_ready:
        return "ready"
    return "starting" if one.is_joined or one.is_starting else "down"
