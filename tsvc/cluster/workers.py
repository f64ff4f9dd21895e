"""The workers of a coordinator: processes of this machine, and those of agents on others.

The link brings their messages; each is handed to the run that it is about, by the run's number.
An agent is a peer called "MACHINE/"; what it says is in `agent`. It names its workers, with a key
for each process: who joins as one shows that key. Agents show one of `[cluster] allow`.
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

_JOIN_S = 30.0  # four processes that start on two busy cores take ten
_END_S = 2.0  # beyond the grace
_ROUND_TRIPS = 4  # in which what is said is surely heard, and more
_MOST_OF_AN_AGENT = 256
_MOST_WEIGHT = 16  # as [cluster] weight
_EVERYWHERE = {"*": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}


class Listener(Protocol):
    """A run that workers play."""

    def take(self, worker: str, kind: str, body: dict[str, Any]) -> None:
        """Take a message in; must not block."""

    def lose(self, worker: str, why: str, within_s: float, over_s: float) -> None:
        """A worker is gone, may start instances until `within_s` from now, and have some in
        progress until `over_s` from now; must not block. Said again when more is known."""

    def load_of(self, worker: str) -> tuple[int, float]:
        """Return its instances in progress, and how much of a core its process takes."""


class _Worker:
    """One worker, here or elsewhere."""

    def __init__(self, name: str, machine: str, number: int) -> None:
        self.name = name
        self.number = number  # among all of them, 1 and above: its own transaction ids follow
        self.machine = machine  # the peer that is its agent; "": this one
        self.key = ""  # the public one, of its process alone
        self.pid: int | None = None
        self.is_starting = False
        self.is_joined = False
        self.is_drained = False
        self.started = 0  # how often
        self.why = ""  # it is not there
        self.doom = ""  # why it is ended, from here
        self.weight = 1
        self.tally = Counter[str]()  # of all runs: instances started, finished, late; losses
        # How wrong its idea of our clock may be, and how long a message takes there and back.
        self.clock_error_s = math.inf
        self.round_trip_s = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether it is there, and has told how it reads our clock."""
        return self.is_joined and self.clock_error_s < math.inf

    def ended(self, why: str) -> None:
        """Note that it is there no more."""
        self.is_joined = self.is_starting = False
        self.pid, self.why = None, why
        self.clock_error_s = math.inf


class Workers:
    """All workers whose coordinator this daemon is."""

    def __init__(self, config: Config) -> None:
        """Errors: ValueError for a lease that is not shorter than what a loss takes."""
        self.config = config
        settings = config.cluster
        check_times(settings.lease_s, settings.lost_after_s)
        self._lease_s = settings.lease_s  # a reload changes neither
        # When who is cut off at its last start is over with its instances, whatever happens: it
        # gives up after lost_after_s, and has its grace then.
        self._over_s = config.engine.cancel_grace_s + _END_S
        names = [f"w{index + 1}" for index in range(pools.worker_count(settings.workers))]
        self._workers = {name: _Worker(name, "", at + 1) for at, name in enumerate(names)}
        for one in self._workers.values():
            one.weight = settings.weight
        self.processes = Processes(config, names, admit=self._admit, on_ended=self._ended)
        self._agents: dict[str, str] = {}  # their keys, by the name of the peer
        self._hub: Hub | None = None
        self._runs: dict[int, Listener] = {}
        # From anywhere: a worker may come back with what it has of a coordinator that was killed.
        self._next_run = random.getrandbits(48)
        self._changed = Event()
        self._is_stopping = False

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start all of this machine; they join later. Errors: LinkError, ClusterUnavailable."""
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
        """Return whether all of this machine are ready. Blocks: up to `seconds` for that."""
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
        """End all of this machine. Blocks: some seconds at most, for their grace."""
        self._is_stopping = True
        self.processes.stop()
        if self._hub is not None:
            self._hub.stop()

    def reload(self, config: Config) -> None:
        """Take a new configuration: workers of this machine start anew with it, which ends their
        runs, and keys that are no longer allowed lose theirs.
        """
        self.config = config
        self.processes.reload(config)
        self._allow()

    def _allow(self) -> None:
        """Tell the link who may be there."""
        agents = set(self.config.cluster.allow)
        trusted = {name for name, key in self._agents.items() if key in agents} | {""}
        workers = {one.key for one in self._workers.values() if one.machine in trusted}
        if self._hub is None:
            return
        why = "its key is no longer allowed"
        for peer in self._hub.allow(frozenset(agents | workers - {""}), why):
            # It may not hear that it is cut off, and starts instances until its lease is over.
            self._lose(peer, why, within_s=self._lease_s)

    def _admit(self, name: str, key: str) -> Terms:
        """Let a process in, from now on the only one of its name; return with what.

        What a run may rely on is the coordinator's: its lost_after_s is above that.
        """
        one = self._workers[name]
        if one.key != key:  # else it is said twice
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
        """Return those that can play a run now."""
        found = self._workers.values()
        return [one.name for one in found if one.is_ready and not one.is_drained]

    def names(self) -> list[str]:
        """Return all names."""
        return list(self._workers)

    def clock_error_ms(self, name: str) -> float:
        """Return how far off our clock a worker may be; inf if nobody knows."""
        return self._workers[name].clock_error_s * 1000

    def tally(self, name: str, counts: Mapping[str, int]) -> None:
        """Add what a worker has done since it told of it last."""
        self._workers[name].tally.update(counts)

    def weight(self, name: str) -> int:
        """Return how much a worker plays beside one of weight 1."""
        return self._workers[name].weight

    def lead_s(self, names: list[str]) -> float:
        """Return how long what is said to these takes at most, until it is heard and known."""
        found = (self._workers[name].round_trip_s for name in names)
        return _ROUND_TRIPS * max(found, default=0.0)

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
        log.error("worker ended", worker=name, reason=why)
        self._workers[name].doom = why
        self._kill(self._workers[name])

    def _kill(self, one: _Worker) -> None:
        if not one.machine:
            self.processes.kill(one.name, one.key)
        else:
            self._tell_agent(one, "end")

    def drain(self, name: str) -> bool:
        """Give a worker, or all of an agent's machine, no more runs; False if there is none."""
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

    # -- what the link tells -----------------------------------------------------------------

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
        """Errors: ValueError for what no agent says, KeyError; the link logs it."""
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
                number = len(self._workers) + 1  # none is ever forgotten
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
        if facts.get("is_back"):  # it was lost, and tells what it knows, to be ended then
            log.info("worker back", worker=peer)
            return
        pid = facts.get("pid")
        one.is_joined, one.why, one.pid = True, "", pid if isinstance(pid, int) else None
        log.info("worker joined", worker=peer, pid=pid)

    def _join_agent(self, agent: str, key: str, facts: Mapping[str, object]) -> None:
        assert self._hub is not None
        if key not in self.config.cluster.allow:  # the key of a worker
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
            # Its workers are told of by themselves: they end with it, or have their own links.
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
            self._kill(lost)  # silent, or cut off: it is of no more use
        over_s = self._over_s + (self.config.cluster.lost_after_s if within_s else 0.0)
        self._tell_lost(peer, why, within_s, over_s)

    def _tell_lost(self, worker: str, why: str, within_s: float, over_s: float) -> None:
        for run in list(self._runs.values()):
            try:
                run.lose(worker, why, within_s, over_s)
            except Exception as error:  # noqa: BLE001 - the others must hear of it, too
                log.failure("loss not taken", error)


def _state(one: _Worker) -> str:
    if one.is_drained:
        return "drained"
    if one.is_ready:
        return "ready"
    return "starting" if one.is_joined or one.is_starting else "down"
