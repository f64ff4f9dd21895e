import os
import signal

import gevent

from tsvc.server.daemon import SignalQueue


def test_signals_come_in_order():
    with SignalQueue((signal.SIGHUP, signal.SIGUSR1)) as signals, gevent.Timeout(20):
        os.kill(os.getpid(), signal.SIGHUP)
        assert signals.wait() is signal.SIGHUP
        os.kill(os.getpid(), signal.SIGUSR1)
        assert signals.wait() is signal.SIGUSR1
        signals.wake()
        assert signals.wait() is None
