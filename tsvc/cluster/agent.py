"""The agent: a daemon whose workers play the runs of a coordinator on another machine.

It starts the workers of its machine and tells of them; each has its own link to the coordinator,
so what a run is made of does not go through here. The agent is the peer "MACHINE/". It says

    starting  {worker, key, weight}   a process with this public key will join as this worker
              -> admitted {worker, key, lease_s, number}; the process is started then
              -> ready {worker, key}, when it is
    ended     {worker, key, why}  that process has ended

and is told

    end       {worker, key}       that process is of no more use

`worker` is "MACHINE/w1" and so on. When its link is over it makes another one, and says `starting`
again of what runs.
"""

import socket
from typing import Any

import gevent
from gevent.event import Event

from tsvc import __version__
from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.curve import SpokeKeys, public_of
from tsvc.cluster.errors import ClusterUnavailable, LinkError
from tsvc.cluster.link import Spoke, load
from tsvc.cluster.processes import Processes, Terms
from tsvc.config import pools
from tsvc.config.load import read_key
from tsvc.config.tables import Config
from tsvc.engine.definition.judge import Judged
from tsvc.engine.gateways import GatewayTable
from tsvc.engine.run import Run
from tsvc.errors import RequestError, StartError
from tsvc.log import get_logger

log = get_logger("agent")

_AGAIN_S = 1.0  # after which it calls again, or says again what is not answered
_WANTED_S, _AGAIN_MOST_S = 5.0, 30.0  # one that ends it sooner is called ever more rarely
_MOST_NAME = 40  # characters
# What only the coordinator knows of a worker.
_OF_RUNS = ("started", "finished", "late", "losses", "in_progress", "cpu")


class _WorkerState:
    """A worker's process, as the coordinator has last spoken of it."""

    def __init__(self) -> None:
        self.key = ""
        self.started = 0
        self.is_ready = False
        self.why = ""
        self.terms: Terms | None = None  # None: not admitted yet
        self.changed = Event()

    def begin(self, key: str) -> None:
        """A new process is about to be started."""
        self.key, self.terms, self.is_ready = key, None, False
        self.started += 1


class Agent:
    """The workers of this machine, for the runs of another one's daemon."""

    def __init__(self, config: Config) -> None:
        """`config` has a coordinator, as it was read: its gateways may ask for pools."""
        self._config = config
        settings = config.cluster
        self.coordinator = settings.coordinator
        self._peer = f"{settings.machine or socket.gethostname()[:_MOST_NAME]}/"
        count = pools.worker_count(settings.workers)
        names = [f"{self._peer}w{index + 1}" for index in range(count)]
        self._states = {name: _WorkerState() for name in names}
        self._processes = Processes(
            config, names, admit=self._admit, on_ended=self._ended, is_far=True
        )
        self._spoke: Spoke | None = None
        self._over = Event()
        self._keeper: gevent.Greenlet[[SpokeKeys], None] | None = None
        self._is_stopping = False

    def start(self, gateways: GatewayTable) -> None:
        """Call the coordinator, in the background, and start workers when it answers.

        Errors: LinkError for a key file that holds no key, ClusterUnavailable.
        """
        load()
        self._processes.look_at(self._config, gateways)
        settings = self._config.cluster
        assert settings.key_file is not None
        try:
            secret = read_key(settings.key_file)
        except ValueError as error:
            raise LinkError(f"{settings.key_file}: {error}") from None
        keys = SpokeKeys(public_of(secret), secret, settings.coordinator_key)
        self._keeper = gevent.spawn(self._keep_link, keys)
        self._processes.start(self.coordinator, settings.coordinator_key)

    def stop(self) -> None:
        """End the workers, and leave. Blocks: some seconds at most."""
        self._is_stopping = True
        self._processes.stop()
        if self._keeper is not None:
            self._keeper.kill()
        if self._spoke is not None:
            self._spoke.stop()

    def reload(self, config: Config, gateways: GatewayTable) -> None:
        """Take a new configuration; workers start anew where it is another for them."""
        self._config = config
        self._processes.look_at(config, gateways)
        self._processes.reload(config)

    # -- the link ----------------------------------------------------------------------------

    def _keep_link(self, keys: SpokeKeys) -> None:
        """Be the coordinator's agent; call again whenever that is over."""
        trouble, wait_s = "", _AGAIN_S
        while True:
            self._over.clear()
            spoke = Spoke(
                self.coordinator,
                self._peer,
                on_message=self._take,
                on_lost=self._lose,
                facts={"version": __version__},
                keys=keys,
            )
            try:
                spoke.start()
            except (LinkError, ClusterUnavailable) as error:
                if str(error) != trouble:
                    log.error("coordinator not reached", reason=error)
                trouble = str(error)
                gevent.sleep(_AGAIN_S)
                continue
            self._spoke, trouble = spoke, ""
            log.info("coordinator joined", coordinator=self.coordinator, agent=self._peer)
            for name, (key, _) in self._processes.running().items():
                self._say_starting(name, key)
            joined_at = SYSTEM_CLOCK.now()
            self._over.wait()
            self._spoke = None
            is_wanted = SYSTEM_CLOCK.now() - joined_at > _WANTED_S
            wait_s = _AGAIN_S if is_wanted else min(2 * wait_s, _AGAIN_MOST_S)
            gevent.sleep(wait_s)

    def _lose(self, why: str) -> None:
        log.error("coordinator lost", reason=why)
        self._over.set()

    def _say(self, kind: str, worker: str, key: str, **more: object) -> None:
        if self._spoke is not None:
            self._spoke.send(kind, {"worker": worker, "key": key, **more})

    def _say_starting(self, name: str, key: str) -> None:
        self._say("starting", name, key, weight=self._config.cluster.weight)

    def _admit(self, name: str, key: str) -> Terms:
        """Have a process be let in. Blocks: until the coordinator is there and has done it."""
        state = self._states[name]
        state.begin(key)
        while state.terms is None:
            state.changed.clear()
            self._say_starting(name, key)
            state.changed.wait(_AGAIN_S)
        return state.terms

    def _ended(self, name: str, key: str, why: str) -> None:
        state = self._states[name]
        state.is_ready, state.why = False, why
        self._say("ended", name, key, why=why)

    def _take(self, kind: str, body: object) -> None:
        """Errors: KeyError and others for what no coordinator says; the link logs it."""
        assert isinstance(body, dict)
        state = self._states[body["worker"]]
        if body["key"] != state.key:
            return  # of a process that was here before
        if kind == "admitted":
            state.terms = Terms(float(body["lease_s"]), int(body["number"]))
            state.changed.set()
        elif kind == "ready":
            state.is_ready, state.why = True, ""
        elif kind == "end":
            log.warning("worker ended, as the coordinator has lost it", worker=body["worker"])
            self._processes.kill(body["worker"], body["key"])

    # -- what a service asks -----------------------------------------------------------------

    def chosen(self, judged: Judged) -> list[str]:
        """Return no workers: what this daemon is asked for it plays alone. Errors: StartError."""
        assert judged.params is not None
        assert judged.compiled is not None
        if judged.params.get("workers") is not None and judged.compiled.plan.type != "single":
            text = f"its workers play the runs of {self.coordinator}: ask that for this one"
            raise StartError(text, kind="cluster.worker", ready=0)
        return []

    def make(self, names: list[str], *args: Any, **more: Any) -> Run:
        """Make no run: chosen() chooses nobody. Errors: StartError."""
        raise StartError(f"no worker of it is {self.coordinator}'s", kind="cluster.worker")

    def describe(self) -> list[dict[str, Any]]:
        """Return a row for each worker, as far as it is known here."""
        running = self._processes.running()
        return [
            {
                "name": name,
                "state": _state(state, name in running),
                "pid": running[name][1] if name in running else None,
                "starts": state.started,
                "clock_error_ms": None,
                "reason": "" if state.is_ready else state.why,
                **dict.fromkeys(_OF_RUNS),
            }
            for name, state in self._states.items()
        ]

    def drain(self, name: str) -> None:
        """Refuse it: that is the coordinator's. Errors: RequestError."""
        text = f"workers of this machine play the runs of {self.coordinator}: drain them there"
        raise RequestError(text, kind="worker.unknown")


def _state(state: _WorkerState, is_running: bool) -> str:
    if state.is_ready:
        return "ready"
    return "starting" if is_running or state.terms is None else "down"
