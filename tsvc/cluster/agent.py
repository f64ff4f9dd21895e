"""The agent: a daemon whose workers run parts of the runs of a coordinator on another machine.

It starts the workers of its machine and reports their state. Each worker has its own link to the
coordinator, so the messages of runs do not pass through the agent, the peer "MACHINE/". It sends

    starting  {worker, key, weight}   a process with this public key will join as this worker
              -> admitted {worker, key, lease_s, number}; the process is started then
              -> ready {worker, key}, when it is
    ended     {worker, key, why}  that process has ended

and receives

    end       {worker, key}       that process is no longer of use

`worker` is "MACHINE/w1" and so on. When its link is lost, the agent makes a new link, and sends
`starting` again for each process that runs.
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
from tsvc.engine.compiler.judge import Judged
from tsvc.engine.gateway_table import GatewayTable
from tsvc.engine.run import Run
from tsvc.errors import RequestError, StartError
from tsvc.log import get_logger

log = get_logger("agent")

_AGAIN_S = 1.0  # after which it connects again, or repeats a message without an answer
# If a link ends before _WANTED_S, the next wait is twice as long, up to _AGAIN_MOST_S.
_WANTED_S, _AGAIN_MOST_S = 5.0, 30.0
_MOST_NAME = 40  # characters
# Members of a worker's row that only the coordinator knows.
_OF_RUNS = ("started", "finished", "late", "losses", "in_progress", "cpu")


class _WorkerState:
    """A worker's process, and the last messages of the coordinator about it."""

    def __init__(self) -> None:
        self.key = ""
        self.started = 0
        self.is_ready = False
        self.why = ""
        self.terms: Terms | None = None  # None: not admitted yet
        self.changed = Event()

    def begin(self, key: str) -> None:
        """Reset the state for a new process that is about to be started."""
        self.key, self.terms, self.is_ready = key, None, False
        self.started += 1


class Agent:
    """The workers of this machine, for the runs of a daemon on another machine."""

    def __init__(self, config: Config) -> None:
        """`config` has a coordinator; the pool values are not yet put into its gateways."""
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
        """Connect to the coordinator in the background, and start workers when it answers.

        Errors: LinkError if the key file holds no key, ClusterUnavailable.
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
        """End the workers, and leave the coordinator. Blocks: some seconds at most."""
        self._is_stopping = True
        self._processes.stop()
        if self._keeper is not None:
            self._keeper.kill()
        if self._spoke is not None:
            self._spoke.stop()

    def reload(self, config: Config, gateways: GatewayTable) -> None:
        """Use a new configuration; restart the workers if it differs for them."""
        self._config = config
        self._processes.look_at(config, gateways)
        self._processes.reload(config)

    # -- the link ----------------------------------------------------------------------------

    def _keep_link(self, keys: SpokeKeys) -> None:
        """Join the coordinator as its agent, and again each time that the link is lost."""
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
        """Ask the coordinator to admit a process. Blocks: until the coordinator has done so."""
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
        """Handle a message. Errors: KeyError and others for a wrong one; the link logs them."""
        assert isinstance(body, dict)
        state = self._states[body["worker"]]
        if body["key"] != state.key:
            return  # about an earlier process
        if kind == "admitted":
            state.terms = Terms(float(body["lease_s"]), int(body["number"]))
            state.changed.set()
        elif kind == "ready":
            state.is_ready, state.why = True, ""
        elif kind == "end":
            log.warning("worker ended, as the coordinator has lost it", worker=body["worker"])
            self._processes.kill(body["worker"], body["key"])

    # -- for the service ---------------------------------------------------------------------

    def chosen(self, judged: Judged) -> list[str]:
        """Return no workers: this daemon runs its own runs alone. Errors: StartError."""
        assert judged.params is not None
        assert judged.compiled is not None
        if judged.params.get("workers") is not None and judged.compiled.plan.type != "single":
            text = f"its workers play the runs of {self.coordinator}: ask that for this one"
            raise StartError(text, kind="cluster.worker", ready=0)
        return []

    def make(self, names: list[str], *args: Any, **more: Any) -> Run:
        """Refuse to make a run, because chosen() never chooses workers. Errors: StartError."""
        raise StartError(f"no worker of it is {self.coordinator}'s", kind="cluster.worker")

    def describe(self) -> list[dict[str, Any]]:
        """Return a row for each worker; members that only the coordinator knows are None."""
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
        """Refuse, because only the coordinator can drain these workers. Errors: RequestError."""
        text = f"workers of this machine play the runs of {self.coordinator}: drain them there"
        raise RequestError(text, kind="worker.unknown")


def _state(state: _WorkerState, is_running: bool) -> str:
    if state.is_ready:
        return "ready"
    return "starting" if is_running or state.terms is None else "down"
