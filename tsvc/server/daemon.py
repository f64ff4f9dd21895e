"""The life of the daemon: start in order, serve, reload, drain, stop.

lock the state folder -> bind -> start the service -> accept -> READY
SIGHUP            reload the configuration; on any error the old one stays
SIGUSR1           write all greenlets and runs to the log
SIGTERM, SIGINT   STOPPING; the service drains while requests are still answered; exit 0
a second signal   cut everything off within a second, whatever hangs; exit 1
"""

import fcntl
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from types import TracebackType
from typing import Any

import gevent
from gevent.queue import SimpleQueue

from tsvc import log as logging
from tsvc.archive.state import open_private
from tsvc.archive.store import ArchiveError
from tsvc.clock import SYSTEM_CLOCK
from tsvc.config.load import ConfigError
from tsvc.config.tables import Config
from tsvc.deadline import at_most
from tsvc.engine.gateway_table import GatewayConfigError
from tsvc.engine.limits.collector import FullCollections, settle
from tsvc.engine.limits.memory import resident_octets
from tsvc.engine.service import Service
from tsvc.errors import GatewayError, reason
from tsvc.interpreter import share_interpreter
from tsvc.log import get_logger
from tsvc.methods.method import METHODS, Method
from tsvc.registry import Registry
from tsvc.server.dispatch import Dispatcher
from tsvc.server.dump import dump
from tsvc.server.http import HttpServer
from tsvc.server.listener import Listener
from tsvc.server.loop_watch import LoopWatch
from tsvc.server.notify import Notifier
from tsvc.server.pages import Pages
from tsvc.server.sockets import provide_descriptors
from tsvc.ss7.scp_host import FlowProblems

# One daemon per state folder: the kernel releases the lock with the process.


class StateLock:
    """Holds the lock of a state folder from construction to release()."""

    def __init__(self, folder: Path) -> None:
        """Make the folder if need be, and lock it.

        Errors: OSError naming the folder and, if it is in use, the process that holds it.
        """
        folder.mkdir(mode=0o750, parents=True, exist_ok=True)
        path = folder / "lock"
        self._descriptor = open_private(path)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(self._descriptor, 32).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            text = f"state folder {folder} is in use by process {holder or '(unknown)'}"
            raise OSError(error.errno, text) from None
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Release the lock. The file stays, so that nobody holds a lock of a deleted file."""
        os.close(self._descriptor)


# Signals as a queue: a handler only puts the signal into it; the main greenlet acts.


HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)


class SignalQueue:
    """The received signals, in order; a context manager that removes its handlers at the end."""

    def __init__(self, handled: Sequence[signal.Signals] = HANDLED) -> None:
        self._handled = handled
        self._queue: SimpleQueue[signal.Signals | None] = SimpleQueue()
        self._watchers: list[Any] = []

    def __enter__(self) -> "SignalQueue":
        self._watchers = [
            gevent.signal_handler(number, self._queue.put, number) for number in self._handled
        ]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for watcher in self._watchers:
            watcher.cancel()

    def wait(self) -> signal.Signals | None:
        """Return the next signal, or None after wake(). Blocks: until there is one."""
        return self._queue.get()

    def wake(self) -> None:
        """Make wait() return None."""
        self._queue.put(None)


log = get_logger("daemon")

_ANSWER_GRACE_S = 2.0  # for requests still being answered when everything else is done
_CUT_S = 0.4  # to close everything properly when the daemon must end immediately
_CLOSING_S = 30.0  # longer than closing after a drain ever takes, without the archive
_ARCHIVE_CALLS = 6  # during closing; each may take its deadline
_NEED_RESTART = (
    ("service", "state_dir"),
    ("results", "url"),
    ("results", "deadline_s"),
    ("rpc", "host"),
    ("rpc", "port"),
    ("http", "listen"),
    ("telemetry", "traces"),
    ("telemetry", "token"),
    ("telemetry", "ca_file"),
    ("cluster", "workers"),
    ("cluster", "lease_s"),
    ("cluster", "lost_after_s"),
    ("cluster", "listen"),
    ("cluster", "coordinator"),
    ("cluster", "coordinator_key"),
    ("cluster", "key_file"),
    ("cluster", "machine"),
)


class ExitCode(IntEnum):
    """The result of run(); a wrong configuration (78) is found before there is a daemon."""

    OK = 0
    FAILED = 1


class Daemon:
    """One daemon; run() executes it from start to end."""

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
        self._collections = FullCollections(resident_octets)
        self._watch = LoopWatch(
            SYSTEM_CLOCK, self._notifier, config.service.max_lag_ms, self._collect_when_quiet
        )
        self.pages = Pages(self.service, self.listener, self._watch)
        listen = config.http.listen
        self.http = HttpServer(listen, self.pages.by_path()) if listen else None

    def run(self) -> int:
        """Start, serve until a signal stops it, and return the exit code. Blocks: that long."""
        with SignalQueue() as signals:
            try:
                lock = StateLock(self.config.service.state_dir)
            except OSError as error:
                log.error("not started", reason=reason(error), file=error.filename)
                return ExitCode.FAILED
            try:
                return self._run_locked(signals)
            finally:
                lock.release()

    def _collect_when_quiet(self) -> None:
        is_asked = self.listener.open_connections > 0
        self._collections.look(is_busy=is_asked or self.service.is_busy())

    def _run_locked(self, signals: SignalQueue) -> int:
        if not self._start():
            return ExitCode.FAILED
        self._serve(signals)
        code = self._end(signals)
        log.info("stopped")
        return code

    def _start(self) -> bool:
        settle()
        share_interpreter()
        rpc = self.config.rpc
        # As many answered connections may linger as there are places.
        provide_descriptors(2 * rpc.max_connections + rpc.max_waiting)
        try:
            # Bind first: a port in use must be found before all gateways start.
            self.listener.bind()
            if self.http is not None:
                self.http.bind()
                self.http.start()
            self._watch.start()
            self.service.start()
            self.listener.start()
        except OSError as error:
            log.error("not started", reason=reason(error))
        except GatewayError as error:  # a port that is taken, for one: the operator can mend it
            log.error("not started", reason=str(error))
        except ArchiveError as error:
            log.error("not started", reason=f"the archive fails: {error}")
        except Exception as error:  # noqa: BLE001 - the caller gets an exit code in any case
            log.failure("not started", error)
        else:
            self.pages.is_started = True
            self._notifier.ready()
            log.info("ready", name=self.config.service.name)
            return True
        self._close(0)
        return False

    def _close(self, grace_s: float) -> None:
        self.listener.stop(grace_s)
        self.service.stop()
        if self.http is not None:
            self.http.stop()
        self._watch.stop()

    def _serve(self, signals: SignalQueue) -> None:
        while (number := signals.wait()) in (signal.SIGHUP, signal.SIGUSR1):
            if number is signal.SIGHUP:
                self._reload()
            else:
                self._dump()
        log.info("stopping", signal=number.name if number else "")

    def _end(self, signals: SignalQueue) -> ExitCode:
        """Drain and close; a second signal interrupts both."""
        config = self.config
        longest_s = config.service.drain_s + config.engine.cancel_grace_s
        archive_s = _ARCHIVE_CALLS * config.results.deadline_s
        self._notifier.stopping(longest_s + archive_s + _CLOSING_S)
        ending = gevent.spawn(self._drain_and_close)
        ending.link(lambda _: signals.wake())
        while (number := signals.wait()) in (signal.SIGHUP, signal.SIGUSR1):
            if number is signal.SIGHUP:
                log.info("not reloaded while stopping")
            else:
                self._dump()
        if number is None:
            return ExitCode.FAILED if ending.value is None else ending.value
        log.warning("stopped at once", signal=number.name)
        ending.kill(block=False)
        with at_most(_CUT_S):
            self._close(0)
        return ExitCode.FAILED

    def _drain_and_close(self) -> ExitCode:
        code = ExitCode.OK
        try:
            self.service.drain(self.config.service.drain_s)
        except Exception as error:  # noqa: BLE001 - the daemon still ends in order
            log.failure("drain failed", error)
            code = ExitCode.FAILED
        self._close(_ANSWER_GRACE_S if code is ExitCode.OK else 0)
        return code

    def _reload(self) -> None:
        self._notifier.reloading(SYSTEM_CLOCK.now())
        try:
            if self._load is not None:
                self._apply(self._load())
        except (ConfigError, FlowProblems, GatewayConfigError) as error:
            problems = "; ".join(str(error).splitlines())
            log.error("configuration not reloaded, the old one stays", problems=problems)
        except OSError as error:
            log.error("configuration not reloaded, the old one stays", problems=error)
        except Exception as error:  # noqa: BLE001 - the old configuration stays, whatever it was
            log.failure("configuration not reloaded, the old one stays", error)
        finally:
            self._notifier.ready()

    def _apply(self, config: Config) -> None:
        """Apply a configuration: steps that may fail come before those that can't be undone."""
        apply_listener = self.listener.prepare(config.rpc)
        _set_up_log(config)
        try:
            self.service.reload(config)
        except BaseException:
            _set_up_log(self.config)
            raise
        apply_listener()
        self._watch.max_lag_ms = config.service.max_lag_ms
        for key in _needing_restart(self.config, config):
            log.warning("needs a restart to take effect", key=key)
        self.config = config
        log.info("configuration reloaded")

    def _dump(self) -> None:
        try:
            dump(log, self.service.query_all()["tests"])
        except Exception as error:  # noqa: BLE001 - a look at the daemon must not end it
            log.failure("dump failed", error)


def _set_up_log(config: Config) -> None:
    logging.setup(config.log.level, config.log.format, config.log.target, file=config.log.file)


def _needing_restart(old: Config, new: Config) -> Iterator[str]:
    for table, key in _NEED_RESTART:
        if getattr(getattr(old, table), key) != getattr(getattr(new, table), key):
            yield f"{table}.{key}"
    if (old.rpc.tls.cert_file is None) != (new.rpc.tls.cert_file is None):
        yield "rpc.tls.cert_file"
