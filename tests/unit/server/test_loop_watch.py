import io
import time

import gevent
from support.waiting import until

from tsvc import log
from tsvc.clock import SYSTEM_CLOCK
from tsvc.server.loop_watch import LoopWatch
from tsvc.server.notify import Notifier


def watch(max_lag_ms=100.0):
    return LoopWatch(SYSTEM_CLOCK, Notifier({}), max_lag_ms)


def test_samples():
    stream = io.StringIO()
    log.setup("info", "text", stream=stream)
    one = watch()
    for lag_s in (0.01, 0.3, 0.02):
        one.note(lag_s)
    assert (one.lag_s, one.highest_lag_s, one.stalls) == (0.02, 0.3, 1)
    (line,) = stream.getvalue().splitlines()
    assert "event loop stalled lag_ms=300 bound=100" in line


def test_no_bound():
    one = watch(0)
    one.note(1000.0)
    assert (one.highest_lag_s, one.stalls) == (1000.0, 0)


def test_a_loop_that_is_held_up_is_seen():
    one = watch()
    one.start()
    gevent.sleep(0)
    time.sleep(0.6)  # blocks the loop, because nothing is patched here
    until(lambda: one.stalls)
    one.stop()
    assert one.highest_lag_s > 0.2


def test_the_watchdog_is_fed_by_the_loop_only():
    class Fed(Notifier):
        count = 0

        def watchdog(self):
            self.count += 1

    notifier = Fed({"WATCHDOG_USEC": "40000"})
    one = LoopWatch(SYSTEM_CLOCK, notifier, 0)
    one.start()
    until(lambda: notifier.count >= 3)
    time.sleep(0.05)
    before = notifier.count
    time.sleep(0.2)
    assert notifier.count == before
    until(lambda: notifier.count > before)
    one.stop()
