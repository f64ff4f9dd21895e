"""The life of the daemon: start in order, serve, reload, drain, stop.

lock the state folder -> bind -> start the service -> accept -> READY
SIGHUP            reload the configuration; on any error the old one stays
SIGTERM, SIGINT   STOPPING; the service drains while requests are still answered; exit 0
a second one      cut everything off at once; exit 1
"""

import os
import signal
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Protocol

import gevent

from tsvc import log as logging
from tsvc.clock import SYSTEM_CLOCK
from tsvc.config import Config, ConfigError
from tsvc.log import get_logger
from tsvc.methods._base import METHODS, Method
from tsvc.registry import Registry
from tsvc.server.dispatch import Dispatcher
from tsvc.server.listener import Listener
from tsvc.server.notify import Notifier
from tsvc.server.signals import SignalQueue
from tsvc.server.state_lock import StateLock

log = get_logger("daemon")

_ANSWER_GRACE_S = 2.0  # for requests still being answered when everything else is done
_KILL_S = 0.5  # a drain that is cut off may clean up for that long
_NEED_RESTART = (
    ("service", "state_dir"),
    ("rpc", "host"),
    ("rpc", "port"),
    ("rpc", "tls"),
)


class ExitCode(IntEnum):
    """What run() returns; a wrong configuration (78) is found before there is a daemon."""

    OK = 0
    FAILED = 1


class Service(Protocol):
    """What the daemon asks of the service facade."""

    def start(self) -> None:
        """Start gateways, which connect in the background. Errors: anything ends the daemon."""

    def reload(self, config: Config) -> None:
        """Apply the difference to the old configuration, all of it or nothing."""

    def drain(self, drain_s: float) -> None:
        """Refuse new runs, let the others finish for that time, then cancel and archive them.

        Blocks: until that is done.
        """

    def stop(self) -> None:
        """Stop gateways and archive: after drain(), instead of the rest of it, or of start()."""


class Daemon:
    """One daemon; run() is its life."""

    def __init__(
        self,
        config: Config,
        service_factory: Callable[[Config], Service],
        *,
        load: Callable[[], Config] | None = None,
        environ: Mapping[str, str] = os.environ,
        methods: Registry[Method] = METHODS,
    ) -> None:
        """`load` reads the configuration again on SIGHUP; without it SIGHUP changes nothing."""
        self.config = config
        self.service = service_factory(config)
        self.listener = Listener(Dispatcher(self.service, config.rpc, methods))
        self._load = load
        self._notifier = Notifier(environ)

    def run(self) -> int:
        """Start, serve until told to stop, and return the exit code. Blocks: that long."""
        with SignalQueue() as signals:
            try:
                lock = StateLock(self.config.service.state_dir)
            except OSError as error:
                log.error("not started", reason=error.strerror, file=error.filename)
                return ExitCode.FAILED
            try:
                return self._run_locked(signals)
            finally:
                lock.release()

    def _run_locked(self, signals: SignalQueue) -> int:
        if not self._start():
            return ExitCode.FAILED
        watchdog = gevent.spawn(self._keep_watchdog_quiet)
        code = ExitCode.FAILED
        try:
            self._serve(signals)
            code = self._drain(signals)
            return code
        finally:
            self.listener.stop(_ANSWER_GRACE_S if code is ExitCode.OK else 0)
            self.service.stop()
            watchdog.kill()
            log.info("stopped")

    def _start(self) -> bool:
        try:
            # Bound first: a port that is taken must not cost a start of all gateways.
            self.listener.bind()
            self.service.start()
            self.listener.start()
        except OSError as error:
            log.error("not started", reason=error.strerror or error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets an exit code
            log.failure("not started", error)
        else:
            self._notifier.ready()
            log.info("ready", name=self.config.service.name)
            return True
        self.listener.stop(0)
        self.service.stop()
        return False

    def _serve(self, signals: SignalQueue) -> None:
        while (number := signals.wait()) is signal.SIGHUP:
            self._reload()
        log.info("stopping", signal=number.name if number else "")

    def _drain(self, signals: SignalQueue) -> ExitCode:
        self._notifier.stopping()
        drain = gevent.spawn(self._drain_service)
        drain.link(lambda _: signals.wake())
        while (number := signals.wait()) is signal.SIGHUP:
            log.info("not reloaded while stopping")
        if number is not None:
            log.warning("stopped at once", signal=number.name)
            drain.kill(timeout=_KILL_S)
            return ExitCode.FAILED
        return ExitCode.OK if drain.value else ExitCode.FAILED

    def _drain_service(self) -> bool:
        try:
            self.service.drain(self.config.service.drain_s)
        except Exception as error:  # noqa: BLE001 - the daemon still ends in order
            log.failure("drain failed", error)
            return False
        return True

    def _reload(self) -> None:
        self._notifier.reloading(SYSTEM_CLOCK.now())
        try:
            if self._load is not None:
                self._apply(self._load())
        except ConfigError as error:
            problems = "; ".join(map(str, error.problems))
            log.error("configuration not reloaded, the old one stays", problems=problems)
        except Exception as error:  # noqa: BLE001 - the old configuration stays, whatever it was
            log.failure("configuration not reloaded, the old one stays", error)
        finally:
            self._notifier.ready()

    def _apply(self, config: Config) -> None:
        self.service.reload(config)
        self.listener.reconfigure(config.rpc)
        logging.setup(config.log.level, config.log.format, config.log.target)
        for table, key in _NEED_RESTART:
            old, new = (getattr(getattr(one, table), key) for one in (self.config, config))
            if old != new:
                log.warning("needs a restart to take effect", key=f"{table}.{key}")
        self.config = config
        log.info("configuration reloaded")

    def _keep_watchdog_quiet(self) -> None:
        while self._notifier.watchdog_s is not None:
            self._notifier.watchdog()
            gevent.sleep(self._notifier.watchdog_s / 2)
