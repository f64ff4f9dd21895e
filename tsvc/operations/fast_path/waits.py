"""Schedules instances on the fast path: timeouts, the next round of the loop, the end."""

from collections.abc import Callable, Sequence
from typing import Any

import gevent

from tsvc.clock import Clock
from tsvc.deadline import LATE_S, MOST_TIMES, READ_S
from tsvc.log import get_logger

log = get_logger("fast_path")

_TIMER_S = 1e-6  # any timer, however short, fires after the readable sockets were served


class TimeoutQueue:
    """Instances that wait equally long: the instance that was added first times out first.

    If this process stood still, that time is added to all timeouts. The sockets are read once more
    before an instance falls back. Every wait for a peer does the same (tsvc/deadline.py).
    """

    def __init__(self, seconds: float, clock: Clock) -> None:
        self.seconds = seconds
        self.until: dict[Any, float] = {}
        self._clock = clock
        self._timer: Any = None
        self._delays = 0  # in a row
        self._has_read = False  # the sockets, since the first wait ran out

    def add(self, instance: Any, now: float) -> None:
        """Make an instance fall back in `seconds`, unless it is removed from `until` before."""
        self.until[instance] = now + self.seconds
        if self._timer is None:
            self._start(self.seconds)

    def _start(self, seconds: float) -> None:
        self._timer = gevent.get_hub().loop.timer(max(seconds, 0.0))
        self._timer.start(self._look)

    def _look(self) -> None:
        self.end()
        now = self._clock.now()
        if self.until and self._goes_on(now):
            return
        self._delays, self._has_read = 0, False
        while self.until:
            instance, until = next(iter(self.until.items()))
            if until > now:
                self._start(until - now)
                return
            del self.until[instance]
            act_all((instance,), _time_out, now)

    def _goes_on(self, now: float) -> bool:
        """Return True if the first wait has run out but is extended."""
        late = now - next(iter(self.until.values()))
        if late > LATE_S and self._delays < MOST_TIMES:
            self._delays += 1
            left = min(late, self.seconds)
            for instance in self.until:  # the first of them has `left` from now on
                self.until[instance] += late + left
        elif late >= 0 and not self._has_read:
            self._has_read = True
            left = READ_S
        else:
            return False
        self._start(left)
        return True

    def end(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.stop()
            self._timer.close()
            self._timer = None


class TimeoutQueues:
    """The timeout queues of a run, by their duration."""

    def __init__(self, clock: Clock) -> None:
        self._queues: dict[float, TimeoutQueue] = {}
        self._clock = clock

    def of(self, seconds: float) -> TimeoutQueue:
        """Return the queue for a timeout of `seconds`."""
        if seconds not in self._queues:
            self._queues[seconds] = TimeoutQueue(seconds, self._clock)
        return self._queues[seconds]

    def end(self) -> None:
        """Stop all timers."""
        for queue in self._queues.values():
            queue.end()


class NextRound:
    """Lets instances act in the next round of the loop, as greenlets of ordinary instances would.

    Messages that come until then are handled before the instances act. Flush functions are called
    after the instances, once.
    """

    def __init__(self, clock: Clock, act: Callable[[Any, float], None]) -> None:
        self._clock = clock
        self._act = act
        self._flushes: list[Callable[[], None]] = []
        self._due: list[Any] = []
        self._is_scheduled = False

    def add(self, instance: Any) -> None:
        """Schedule an instance to act in the next round."""
        self._due.append(instance)
        self._schedule()

    def flush(self, flush: Callable[[], None]) -> None:
        """Schedule a call of `flush` after the instances have acted."""
        self._flushes.append(flush)
        self._schedule()

    def end(self) -> None:
        """Flush for the last time. Break the reference cycle so that all is freed immediately."""
        self._flush()
        self._act = _nothing

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            gevent.get_hub().loop.run_callback(self._run)

    def _run(self) -> None:
        self._is_scheduled = False
        due, self._due = self._due, []
        act_all(due, self._act, self._clock.now())
        self._flush()

    def _flush(self) -> None:
        flushes, self._flushes = self._flushes, []
        for flush in flushes:
            flush()


class EndChecks:
    """Ends instances only after the sockets were read once more, as ordinary instances do.

    Each instance then knows the messages that have arrived; `end(instance, now)` is called.
    """

    def __init__(self, clock: Clock, end: Callable[[Any, float], None]) -> None:
        self._clock = clock
        self._end = end
        self._instances: list[Any] = []

    def add(self, instance: Any) -> None:
        """Schedule the end of an instance."""
        self._instances.append(instance)
        if len(self._instances) == 1:
            timer = gevent.get_hub().loop.timer(_TIMER_S)
            timer.start(self._are_read, timer)

    def end(self) -> None:
        """Do nothing more. Break the reference cycle so that all is freed immediately."""
        self._end = _nothing

    def _are_read(self, timer: Any) -> None:
        timer.stop()
        timer.close()
        instances, self._instances = self._instances, []
        gevent.get_hub().loop.run_callback(
            lambda: act_all(instances, self._end, self._clock.now())
        )


def act_all(instances: Sequence[Any], act: Callable[[Any, float], None], now: float) -> None:
    """Call `act(instance, now)` for each instance that has not fallen back."""
    for instance in instances:
        if instance.pending is not None:
            continue
        try:
            act(instance, now)
        except Exception as error:  # noqa: BLE001 - an error must not affect other instances
            log.failure("the fast path failed", error)
            try:
                instance.fall_back(why="an error of ours")
            except Exception as error:  # noqa: BLE001 - the same
                log.failure("an instance can't fall back", error)


def _time_out(instance: Any, _: float) -> None:
    instance.time_out()


def _nothing(*_: object) -> None:
    pass
