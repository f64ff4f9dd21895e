"""Gateways whose work is done by a class from outside: synchronous code used unchanged.

The class is created with (name, config). Besides its calls it may have `start()`, `stop()`
or `stop(grace_s)`, `kill()` and `status()`. Each object gets one call at a time. An object that
raises, or whose call is given up, is never called again: a new object replaces it. Whatever it
raises is the error of the caller, sys.exit() included, because calls have a greenlet or a thread
of their own.
"""

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from typing import Any, ClassVar

import gevent
from gevent.event import Event

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.gateways.pooled import PooledGateway
from tsvc.log import get_logger
from tsvc.schema.fields import Boolean, Integer, Number
from tsvc.schema.table import Table, member, table
from tsvc.transport.pool import Pool
from tsvc.transport.threads import STALL_S, InOwnGreenlet, InThreads, OutOfTime
from tsvc.words import cut, is_secret_name, quoted

log = get_logger("gateway")

_STATUS_S = 5.0
_ENDING_S = 1.0  # longest wait of a new object for one that is being ended
_END_S = 5.0  # for kill() or stop() of an object that is given up


@table
class LegacyConfig(Table):
    """The members of the table that the adapter reads; the class gets all other members."""

    free_prefixes = ("",)
    others: Mapping[str, Any] = field(default_factory=dict)

    blocking: bool = member(
        Boolean(default=False, help="calls run in threads, one for each object; else in greenlets")
    )
    objects: int = member(Integer(1, 1000, default=1, help="most objects of the class at once"))
    call_timeout_s: float = member(Number(above=0, default=10.0, help="longest call"))
    backlog_timeout_s: float = member(
        Number(0, default=10.0, help="longest wait for a free object")
    )
    reconnect_interval_s: float = member(
        Number(above=0, default=30.0, help="longest pause between attempts to make an object")
    )


OWN_MEMBERS = frozenset(LegacyConfig.schema().fields)


class LegacyGateway(PooledGateway):
    """The common base of the adapters. `outside`: the class that does the work."""

    Config = LegacyConfig
    config: LegacyConfig
    outside: ClassVar[type[Any]]

    def __init__(self, name: str, config: LegacyConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._size: int = config.objects
        self._given = dict(config.others)
        self._pool = Pool(self._make, self._size, config.backlog_timeout_s)
        self._callers: set[InThreads | InOwnGreenlet] = set()
        self._room = Event()
        self._status_at = 0.0
        self._counters = {"calls": 0, "failures": 0, "objects_made": 0, "stalls": 0}

    # -- life --------------------------------------------------------------------------------

    @property
    def pool(self) -> Pool[Any]:
        return self._pool

    levels = frozenset({"threads"})

    def counters(self) -> Mapping[str, int]:
        if not self.config.blocking:
            return self._counters
        return {**self._counters, "threads": len(self._callers)}

    def look(self) -> None:
        """Make sure that there is an object, and from time to time that its status is good."""
        self._pool.warm()
        now = self.context.clock.now()
        if now >= self._status_at and self._pool.free:
            self._status_at = now + _STATUS_S
            with self._pool.lease() as held:
                held.check()

    # -- calls -------------------------------------------------------------------------------

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of one of the objects and return its result.

        Blocks: for an object up to backlog_timeout_s, in the call up to call_timeout_s.
        Errors: GatewayError with the message of the object's error.
        """
        self.require_up()
        self._counters["calls"] += 1
        try:
            with self._pool.lease() as held:
                return held.ask(method, *arguments)
        except GatewayError as error:
            self._counters["failures"] += 1
            if isinstance(error, _AllHang):
                self.note_state(GatewayState.DOWN, str(error))
            raise GatewayError(f"{self.name}: {error}") from None

    def state_for(self, problem: GatewayError) -> GatewayState:
        is_down = isinstance(problem, _AllHang)
        return GatewayState.DOWN if is_down else super().state_for(problem)

    def pause_s(self, failures: int, problem: GatewayError) -> float:
        # It is up again as soon as one of the calls is over.
        is_down = isinstance(problem, _AllHang)
        return self.look_s if is_down else super().pause_s(failures, problem)

    def unusable(self, method: str, result: Any, wanted: str) -> GatewayError:
        """Return the error for a result that the kind can't use."""
        given = cut(quoted(result), 80)
        return GatewayError(f"{self.name}: {method}() returned {given}, not {wanted}")

    def _make(self) -> "HeldObject":
        """Return a new object that is started. Blocks; errors: GatewayError."""
        caller = self._caller()
        held = HeldObject(
            caller,
            self.config.call_timeout_s,
            lambda: self._release(caller),
            self._shown,
            self.outside.__name__,
        )
        try:
            held.make(lambda: self.outside(self.name, dict(self._given)))
        except BaseException:
            held.close()
            raise
        self._counters["objects_made"] += 1
        return held

    def _shown(self, text: str) -> str:
        """Return a text without the secrets of the table: the class may repeat its settings."""
        for name, value in self._given.items():
            if is_secret_name(name) and isinstance(value, str) and value:
                text = text.replace(value, "***")
        return text

    def _caller(self) -> InThreads | InOwnGreenlet:
        if len(self._callers) >= 2 * self._size:
            # Objects that have just failed are being ended, which takes a moment.
            self._room.clear()
            self._room.wait(min(_ENDING_S, self.config.call_timeout_s))
        if len(self._callers) >= 2 * self._size:
            what = "threads" if self.config.blocking else "greenlets"
            hung = len(self._callers) - self._pool.free - self._pool.lent
            raise _AllHang(f"{hung} {what} hang in calls that were given up")
        # One thread for each object: much old code may only be used in the thread that created it.
        caller = InThreads(1) if self.config.blocking else InOwnGreenlet(self._note_stall)
        self._callers.add(caller)
        return caller

    def _release(self, caller: InThreads | InOwnGreenlet) -> None:
        caller.close()
        self._callers.discard(caller)
        self._room.set()

    def _note_stall(self, call: str, seconds: float) -> None:
        self._counters["stalls"] += 1
        log.warning(
            "a class from outside let nothing else run",
            gateway=self.name,
            call=call,
            ms=round(seconds * 1000),
            help="blocking = true gives it a thread",
        )


class _AllHang(GatewayError):
    """No more calls are possible: too many calls that were given up still run."""


class HeldObject:
    """One object of the class, and its caller. `shown`: returns a text without the secrets."""

    def __init__(
        self,
        caller: InThreads | InOwnGreenlet,
        call_timeout_s: float,
        release: Callable[[], None],
        shown: Callable[[str], str],
        class_name: str,
    ) -> None:
        self._class_name = class_name
        self._caller = caller
        self._seconds = call_timeout_s
        self._release = release
        self._shown = shown
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

        self._call(begin, "start")

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method. Blocks: up to call_timeout_s. Errors: GatewayError."""

        def ask() -> Any:
            call = getattr(self._object, method, None)
            if call is None:
                raise GatewayError(f"{self._class_name} has no method {method}()")
            return call(*arguments)

        return self._call(ask, method)

    def check(self) -> None:
        """Check the object's status, if it has one. Blocks. Errors: GatewayError if not well."""

        def check() -> str:
            status = getattr(self._object, "status", None)
            answer = None if status is None else status()
            state, detail = answer, ""
            if isinstance(answer, Mapping):
                state, detail = answer.get("state", "up"), str(answer.get("detail", ""))
            is_well = state in (None, True, "up")
            return "" if is_well else detail or f"its status is {cut(quoted(state), 80)}"

        problem = self._call(check, "status")
        if problem:
            raise GatewayError(self._shown(problem))

    def _call(self, function: Callable[[], Any], method: str) -> Any:
        name = f"{self._class_name}.{method}"
        try:
            return self._caller.call(function, self._seconds, name)
        except OutOfTime as late:
            self._is_spoilt = True
            why = ""
            if late.stalled_s > STALL_S:
                why = f", {name}() let nothing else run for {late.stalled_s:.1f} s"
            raise GatewayError(f"no result within {self._seconds:g} s{why}") from None
        except Exception as error:  # noqa: BLE001 - the class may raise anything
            self._is_spoilt = True
            text = " ".join(str(error).split())
            raise GatewayError(self._shown(text) or type(error).__name__) from None
        except BaseException:
            self._is_spoilt = True
            raise

    # -- for the pool ------------------------------------------------------------------------

    def is_usable(self) -> bool:
        """Return True if the object may be called. Never switches."""
        return not (self._is_closed or self._is_spoilt)

    def close(self) -> None:
        """End the object in a greenlet of its own; in a thread, as soon as its call returns."""
        if not self._is_closed:
            self._is_closed = True
            gevent.spawn(self._end_elsewhere)

    def _end_elsewhere(self) -> None:
        # A thread can't be interrupted, and a greenlet may ignore it. So the object is ended when
        # its call is over.
        seconds = None if isinstance(self._caller, InThreads) else _END_S
        with suppress(Exception):
            self._caller.call(self._end, seconds, f"{self._class_name}.stop")
        if isinstance(self._caller, InOwnGreenlet):
            self._caller.join()
        self._release()

    def _end(self) -> None:
        """Call kill() on a failed object, stop() on another; or the one that it has."""
        object_, self._object = self._object, None
        names = ("kill", "stop") if self._is_spoilt else ("stop", "kill")
        for name in names:
            end = getattr(object_, name, None)
            if end is not None:
                with suppress(Exception):
                    end(*([0.0] if _takes_one(end) else []))
                return


def _takes_one(function: Callable[..., Any]) -> bool:
    """Return True if a bound method requires an argument: stop(grace_s)."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:
        return False
    return False
