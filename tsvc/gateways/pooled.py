"""The life cycle of a gateway over a pool of connections: up while there is a connection."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import gevent

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import Gateway, GatewayContext, GatewayState, GatewayStatus
from tsvc.log import get_logger
from tsvc.transport.back_off import pause_s
from tsvc.transport.pool import Pool

log = get_logger("gateway")

_OF_THE_POOL = frozenset({"connections", "in_use", "waiting"})


class PooledConfig(Protocol):
    """The members that the tables of all pooled gateways have."""

    @property
    def reconnect_interval_s(self) -> float: ...


class PooledGateway(Gateway):
    """The common base of gateways over a pool of connections.

    A greenlet checks the state repeatedly. `reconnect_interval_s` of the configuration is the
    longest pause after a failed check.
    """

    config: PooledConfig
    look_s: ClassVar[float] = 0.5  # seconds between checks while all is well
    levels: ClassVar[frozenset[str]] = frozenset()  # names of counters() that may fall

    def __init__(self, name: str, config: PooledConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._keeper: gevent.Greenlet[..., None] | None = None
        self._state = GatewayState.DOWN
        self._detail = "not started"

    @property
    @abstractmethod
    def pool(self) -> Pool[Any]:
        """The connections."""

    @abstractmethod
    def counters(self) -> Mapping[str, int]:
        """Return the counters besides those of the pool."""

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        if self._keeper is not None:
            return
        self._state, self._detail = GatewayState.CONNECTING, ""
        self.pool.open()
        self._keeper = gevent.spawn(self._keep)

    def stop(self, grace_s: float) -> None:
        self.pool.refuse("the gateway is stopping")
        self._end_keeper()
        if self.pool.lent:
            self._state, self._detail = GatewayState.DRAINING, "stopping"
            self.pool.drain(grace_s)
        self.kill()

    def kill(self) -> None:
        self._end_keeper()
        self._state, self._detail = GatewayState.DOWN, "stopped"
        self.pool.close("the gateway is stopped")

    def status(self) -> GatewayStatus:
        pool = self.pool
        counters = {
            **self.counters(),
            "connections": pool.free + pool.lent,
            "in_use": pool.lent,
            "waiting": pool.waiting,
        }
        levels = _OF_THE_POOL | self.levels
        return GatewayStatus(self.name, self.kind, self._state, self._detail, counters, levels)

    def require_up(self) -> None:
        """Refuse a call that would wait for a connection in vain. Errors: GatewayError."""
        if self._state is not GatewayState.UP:
            raise GatewayError(f"{self.name} is {self._state.value}: {self._detail or 'wait'}")

    # -- up or not ---------------------------------------------------------------------------

    def look(self) -> None:
        """Make sure that there is a connection, and that all is well.

        Blocks: as a call does. Errors: GatewayError if something is wrong.
        """
        self.pool.warm()

    def state_for(self, problem: GatewayError) -> GatewayState:
        """Return the state that a problem leads to."""
        return GatewayState.CONNECTING

    def pause_s(self, failures: int, problem: GatewayError) -> float:
        """Return the seconds to wait after the n-th failure in a row."""
        return pause_s(failures, self.config.reconnect_interval_s, self.context.random)

    def note_state(self, state: GatewayState, detail: str) -> None:
        """Set the state; a change is logged."""
        if (state, detail) != (self._state, self._detail):
            if state is GatewayState.UP:
                log.info("connected", gateway=self.name)
            else:
                log.warning("not connected", gateway=self.name, reason=detail)
        self._state, self._detail = state, detail

    def _keep(self) -> None:
        """Update the state, until killed."""
        failures = 0
        while True:
            problem = self._looked()
            if gevent.getcurrent() is not self._keeper:
                return  # stopped meanwhile; the kill follows
            if problem is None:
                failures = 0
                self.note_state(GatewayState.UP, "")
                gevent.sleep(self.look_s)
            else:
                failures += 1
                self.note_state(self.state_for(problem), str(problem))
                gevent.sleep(self.pause_s(failures, problem))

    def _looked(self) -> GatewayError | None:
        try:
            self.look()
        except GatewayError as error:
            return error
        except gevent.GreenletExit:
            raise
        except BaseException as error:  # noqa: BLE001 - a fault must not end the checks
            log.failure("look failed", error, gateway=self.name)
            return GatewayError(f"internal failure: {error}")
        return None

    def _end_keeper(self) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.kill(block=False)
