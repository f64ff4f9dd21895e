"""Watches the lag of the event loop; systemd's watchdog is fed only while the loop runs."""

from collections.abc import Callable

import gevent

from tsvc.clock import Clock
from tsvc.log import get_logger
from tsvc.server.notify import Notifier
from tsvc.transport.threads import stalled_by

log = get_logger("daemon")

SAMPLE_S = 0.25


class LoopWatch:
    """Samples the lag of the event loop: how late a greenlet runs that was due.

    `lag_s` is the last sample, `highest_lag_s` the highest one since the start, `stalls` how many
    were over the bound (0 = no bound). `at_each` is called before each sample.
    """

    def __init__(
        self,
        clock: Clock,
        notifier: Notifier,
        max_lag_ms: float,
        at_each: Callable[[], object] = lambda: None,
    ) -> None:
        self.lag_s = 0.0
        self.highest_lag_s = 0.0
        self.stalls = 0
        self.max_lag_ms = max_lag_ms
        self._clock = clock
        self._notifier = notifier
        self._at_each = at_each
        self._greenlet: gevent.Greenlet[..., None] | None = None

    def start(self) -> None:
        """Start to watch."""
        self._greenlet = gevent.spawn(self._watch)

    def stop(self) -> None:
        """Stop watching."""
        if self._greenlet is not None:
            self._greenlet.kill()

    def note(self, lag_s: float) -> None:
        """Note one sample."""
        self.lag_s = lag_s
        self.highest_lag_s = max(self.highest_lag_s, lag_s)
        if self.max_lag_ms and lag_s * 1000 > self.max_lag_ms:
            self.stalls += 1
            by = {"call": call} if (call := stalled_by(lag_s)) else {}
            log.warning(
                "event loop stalled", lag_ms=round(lag_s * 1000), bound=self.max_lag_ms, **by
            )

    def _watch(self) -> None:
        watchdog_s = self._notifier.watchdog_s
        every_s = SAMPLE_S if watchdog_s is None else min(SAMPLE_S, watchdog_s / 4)
        fed_until = self._clock.now()
        while True:
            self._at_each()
            now = self._clock.now()
            # At half the allowed time, so that one late message does no harm.
            if watchdog_s is not None and now >= fed_until:
                self._notifier.watchdog()
                fed_until = now + watchdog_s / 2 - every_s
            gevent.sleep(every_s)
            self.note(max(self._clock.now() - now - every_s, 0.0))
