"""Gateways whose work is done by a class from outside: synchronous code, dropped in as it is.

The class is made with (name, config); what it may have beside its calls is `start()`, `stop()`
or `stop(grace_s)`, `kill()` and `status()`. Each object of it gets one call at a time. One that
raises, or whose call is given up, is never called again: a new one takes its place.
"""

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, ClassVar

import gevent
from marshmallow import INCLUDE, Schema, fields, validate

from tsvc.errors import GatewayError
from tsvc.gateways._back_off import pause_s
from tsvc.gateways._base import Gateway, GatewayContext, GatewayState, GatewayStatus
from tsvc.gateways._pool import Pool
from tsvc.gateways._threads import Caller, InGreenlet, InThreads, OutOfTime
from tsvc.log import get_logger

log = get_logger("legacy")

_LOOK_S = 0.5
_STATUS_S = 5.0
_END_S = 5.0  # for kill() or stop() of an object that is given up
_POSITIVE = validate.Range(0, min_inclusive=False)


class LegacyConfig(Schema):
    """What the adapter reads of the table; the class gets all other members."""

    class Meta:
        unknown = INCLUDE

    blocking = fields.Boolean(load_default=False)
    objects = fields.Integer(load_default=1, validate=validate.Range(1, 1000))
    call_timeout_s = fields.Float(load_default=10.0, validate=_POSITIVE)
    backlog_timeout_s = fields.Float(load_default=10.0, validate=validate.Range(0))
    reconnect_interval_s = fields.Float(load_default=30.0, validate=_POSITIVE)


OWN_MEMBERS = frozenset(LegacyConfig().fields)


class LegacyGateway(Gateway):
    """What the adapters of all kinds have in common. `outside`: the class that does the work."""

    Config = LegacyConfig
    outside: ClassVar[type[Any]]

    def __init__(self, name: str, config: Mapping[str, Any], context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._size: int = config["objects"]
        self._given = {key: value for key, value in config.items() if key not in OWN_MEMBERS}
        self._pool = Pool(self._make, self._size, config["backlog_timeout_s"])
        self._callers: set[InThreads] = set()
        self._keeper: gevent.Greenlet[..., None] | None = None
        self._state = GatewayState.DOWN
        self._detail = "not started"
        self._counters = {"calls": 0, "failures": 0, "objects_made": 0}

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        if self._keeper is not None:
            return
        self._state, self._detail = GatewayState.CONNECTING, ""
        self._pool.open()
        self._keeper = gevent.spawn(self._keep_up)

    def stop(self, grace_s: float) -> None:
        self._pool.refuse(f"{self.name} is stopping")
        self._end_keeper()
        if self._pool.lent:
            self._state, self._detail = GatewayState.DRAINING, "stopping"
            self._pool.drain(grace_s)
        self.kill()

    def kill(self) -> None:
        self._end_keeper()
        self._state, self._detail = GatewayState.DOWN, "stopped"
        self._pool.close(f"{self.name} is stopped")

    def status(self) -> GatewayStatus:
        pool = self._pool
        counters = {
            **self._counters,
            "objects": pool.free + pool.lent,
            "in_use": pool.lent,
            "waiting": pool.waiting,
        }
        if self.config["blocking"]:
            counters["threads"] = len(self._callers)
        return GatewayStatus(self.name, self.kind, self._state, self._detail, counters)

    # -- calls -------------------------------------------------------------------------------

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of one of the objects and return its result.

        Blocks: for an object up to backlog_timeout_s, in the call up to call_timeout_s.
        Errors: GatewayError with the words of whatever the object raises.
        """
        if self._state is not GatewayState.UP:
            raise GatewayError(f"{self.name} is {self._state.value}: {self._detail or 'wait'}")
        self._counters["calls"] += 1
        try:
            with self._pool.lease() as held:
                return held.ask(method, *arguments)
        except GatewayError as error:
            self._counters["failures"] += 1
            raise GatewayError(f"{self.name}: {error}") from None

    def unusable(self, method: str, result: Any, wanted: str) -> GatewayError:
        """Return the error for a result that the kind can't use."""
        return GatewayError(f"{self.name}: {method}() returned {result!r:.80}, not {wanted}")

    def _make(self) -> "Held":
        """Return a new object, started. Blocks; errors: GatewayError."""
        caller = self._caller()
        held = Held(caller, self.config["call_timeout_s"], lambda: self._release(caller))
        try:
            held.make(lambda: self.outside(self.name, dict(self._given)))
        except BaseException:
            held.close()
            raise
        self._counters["objects_made"] += 1
        return held

    def _caller(self) -> Caller:
        if not self.config["blocking"]:
            return InGreenlet()
        if len(self._callers) >= 2 * self._size:
            raise GatewayError(f"{self._size} threads hang in calls that were given up")
        # A thread for each object: much old code may only be used where it was made.
        caller = InThreads(1)
        self._callers.add(caller)
        return caller

    def _release(self, caller: Caller) -> None:
        caller.close()
        if isinstance(caller, InThreads):
            self._callers.discard(caller)

    # -- up or not ---------------------------------------------------------------------------

    def _keep_up(self) -> None:
        """See to it that there is an object, and that it is well."""
        failures, clock = 0, self.context.clock
        status_at = clock.now()
        while True:
            try:
                self._pool.warm()
                if clock.now() >= status_at and self._pool.free:
                    status_at = clock.now() + _STATUS_S
                    with self._pool.lease() as held:
                        held.check()
            except GatewayError as error:
                failures += 1
                self._on_state(str(error))
                longest = self.config["reconnect_interval_s"]
                gevent.sleep(pause_s(failures, longest, self.context.random))
            else:
                failures = 0
                self._on_state(None)
                gevent.sleep(_LOOK_S)

    def _on_state(self, problem: str | None) -> None:
        state = GatewayState.UP if problem is None else GatewayState.CONNECTING
        if (state, problem or "") != (self._state, self._detail):
            if problem is None:
                log.info("started", gateway=self.name)
            else:
                log.warning("not started", gateway=self.name, reason=problem)
        self._state, self._detail = state, problem or ""

    def _end_keeper(self) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.kill(block=False)


class Held:
    """One object of the class, and where its calls are made."""

    def __init__(self, caller: Caller, call_timeout_s: float, release: Callable[[], None]) -> None:
        self._caller = caller
        self._seconds = call_timeout_s
        self._release = release
        self._object: Any = None
        self._is_spoilt = False
        self._is_closed = False

    def make(self, construct: Callable[[], Any]) -> None:
        """Make and start the object. Blocks: up to call_timeout_s. Errors: GatewayError."""

        def begin() -> None:
            self._object = construct()
            start = getattr(self._object, "start", None)
            if start is not None:
                start()

        self._call(begin)

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method. Blocks: up to call_timeout_s. Errors: GatewayError."""
        call = getattr(self._object, method, None)
        if call is None:
            raise GatewayError(f"{type(self._object).__name__} has no method {method}()")
        return self._call(lambda: call(*arguments))

    def check(self) -> None:
        """Ask the object how it is, if it can say. Blocks. Errors: GatewayError: not well."""
        if getattr(self._object, "status", None) is None:
            return
        said = self.ask("status")
        state, detail = said, ""
        if isinstance(said, Mapping):
            state, detail = said.get("state", "up"), str(said.get("detail", ""))
        if state not in (None, True, "up"):
            raise GatewayError(detail or f"its status is {state!r:.80}")

    def _call(self, function: Callable[[], Any]) -> Any:
        try:
            return self._caller.call(function, self._seconds)
        except OutOfTime:
            self._is_spoilt = True
            raise GatewayError(f"no result within {self._seconds:g} s") from None
        except Exception as error:  # noqa: BLE001 - the class's own errors, whatever they are
            self._is_spoilt = True
            text = " ".join(str(error).split())
            raise GatewayError(text or type(error).__name__) from None
        except BaseException:
            self._is_spoilt = True
            raise

    # -- for the pool ------------------------------------------------------------------------

    def is_usable(self) -> bool:
        """Whether it may be called. Never switches."""
        return not (self._is_closed or self._is_spoilt)

    def close(self) -> None:
        """End the object, in a greenlet of its own; one in a thread, when its call returns."""
        if not self._is_closed:
            self._is_closed = True
            gevent.spawn(self._end_elsewhere)

    def _end_elsewhere(self) -> None:
        # A thread can't be interrupted: it ends the object when it gets to that.
        seconds = None if isinstance(self._caller, InThreads) else _END_S
        with suppress(Exception):
            self._caller.call(self._end, seconds)
        self._release()

    def _end(self) -> None:
        """Call kill() of an object that is spoilt, stop() of another; either if it has one."""
        made, self._object = self._object, None
        names = ("kill", "stop") if self._is_spoilt else ("stop", "kill")
        for name in names:
            end = getattr(made, name, None)
            if end is not None:
                with suppress(Exception):
                    end(*([0.0] if _takes_one(end) else []))
                return


def _takes_one(function: Callable[..., Any]) -> bool:
    """Whether a bound method wants an argument: stop(grace_s)."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:
        return False
    return False
