"""The worker process: its own gateways, a link to the coordinator, parts of runs."""

import os
import random
import signal
import sys
from contextlib import suppress
from typing import Any

import gevent
from gevent.event import Event
from gevent.os import tp_read
from gevent.queue import Empty, SimpleQueue

from tsvc import log
from tsvc.clock import SYSTEM_CLOCK, Clock
from tsvc.cluster.lease import Lease
from tsvc.cluster.link import LinkError, Spoke, load
from tsvc.cluster.moments import ClockWatch, Offset
from tsvc.cluster.player import SNAPSHOT_S, Player
from tsvc.cluster.setup import Setup, read_frame
from tsvc.cluster.snapshot import KEPT
from tsvc.engine.gateway_table import GatewayTable
from tsvc.engine.limits.collector import settle
from tsvc.engine.load.generator import sample_lag
from tsvc.engine.service import load_registries
from tsvc.gateways.gateway import GatewayContext
from tsvc.interpreter import share_interpreter
from tsvc.protocols.tcap.ids import IdRange
from tsvc.ss7.relay import Relayed
from tsvc.ss7.scp_host import ScpHost

_BACK_S = 2.0  # in which a coordinator answers
_SETTLING_S = 0.02  # between the first exchanges with another machine's clock


class CoordinatorClock(Clock):
    """Monotonic seconds of the coordinator; the time of day is that of this machine."""

    def __init__(self, offset: Offset) -> None:
        self._offset = offset

    def now(self) -> float:
        """Return the coordinator's monotonic seconds. Errors: ValueError before an exchange."""
        return self._offset.to_coordinator(SYSTEM_CLOCK.now())


class Worker:
    """A worker, made from its setup."""

    def __init__(self, setup: Setup) -> None:
        self.config = setup.config
        self.is_far = setup.is_far
        self.ids = IdRange.of_process(setup.number)
        self.lease = Lease(setup.config.cluster.lease_s)
        self.watch = ClockWatch(self._tell_clock, is_same=not setup.is_far)
        self._messages: SimpleQueue[tuple[str, Any] | None] = SimpleQueue()
        self._setup = setup
        self.spoke = self._new_spoke()
        self._player: Player | None = None
        self._is_joined = False
        self._settled = Event()
        self._is_alone = Event()  # its daemon has ended
        self._beat_s = setup.config.cluster.lease_s / 4  # while a lease is needed

    def _new_spoke(self, **facts: object) -> Spoke:
        return Spoke(
            self._setup.coordinator,
            self._setup.name,
            on_message=lambda kind, body: self._messages.put((kind, body)),
            on_lost=lambda why: self._end(),
            on_echo=self._echoed,
            facts={"pid": os.getpid(), **facts},
            keys=self._setup.keys,
        )

    def run(self) -> None:
        """Work until the coordinator or this machine's daemon is gone. Blocks: until then.

        Errors: LinkError; GatewayConfigError, FlowProblems, which the daemon has checked before.
        """
        load_registries(self.config)
        settle()
        share_interpreter()
        gevent.spawn(self._until_daemon_ends)
        if not self.is_far:
            self._play(SYSTEM_CLOCK)
            return
        # All code that reads the time must use the clock by which runs are planned.
        self._join()
        self.spoke.pace(_SETTLING_S)
        self._settled.wait()
        if self.watch.is_settled:
            self._play(CoordinatorClock(self.watch.offset))

    def _join(self) -> None:
        self.spoke.start()
        self._is_joined = True

    def _play(self, clock: Clock) -> None:
        scp = ScpHost(self.config.scp, clock, self.ids)
        relayed = Relayed(self._setup.relays, self._setup.number)
        services = scp, self.ids, relayed
        is_any = self.config.service.free_ports
        gateways = GatewayTable(GatewayContext(clock, random.random, services, is_any))
        gateways.build(self.config.applications)
        scp.start()
        gateways.start()
        player = Player(self.config, gateways, clock, self._send, self._may_start)
        gevent.spawn(sample_lag, clock, player.loads, Event())
        self._player = player
        if not self._is_joined:
            self._join()
        self.spoke.pace()  # its echo makes this worker report that it is ready
        while (message := self._messages.get()) is not None:
            player.take(*message)
            # An idle worker sends fewer heartbeats, although its lease may end meanwhile.
            self.spoke.pace(self._beat_s if player.is_busy() else None)
        player.abandon(self.config.engine.cancel_grace_s)
        self.spoke.stop()
        if self.is_far:
            self._tell_rest(player)
        gateways.stop(1.0)
        scp.stop()

    def _tell_rest(self, player: Player) -> None:
        """Report the results of runs in which this worker was lost.

        Blocks: until the coordinator can be reached and has them, or no longer needs them.
        """
        until = SYSTEM_CLOCK.now() + KEPT * SNAPSHOT_S
        while player.tell_last() and SYSTEM_CLOCK.now() < until and not self._is_alone.is_set():
            self.spoke = self._new_spoke(is_back=True)
            with suppress(LinkError):
                self.spoke.start(_BACK_S)
                while player.tell_last() and (message := self._next()) is not None:
                    player.take(*message)
            self.spoke.stop()
            self._is_alone.wait(_BACK_S)

    def _next(self) -> tuple[str, Any] | None:
        """Return a message, or None if none comes. Blocks: for some seconds."""
        try:
            return self._messages.get(timeout=_BACK_S)
        except Empty:
            return None

    def _send(self, kind: str, body: dict[str, Any]) -> object:
        return self.spoke.send(kind, body)

    def _may_start(self) -> bool:
        return self.lease.is_held(SYSTEM_CLOCK.now())

    def _echoed(self, sent: float, theirs: float, received: float) -> None:
        self.lease.echoed(sent)
        self.watch.echoed(sent, theirs, received)
        if self.watch.is_settled:
            self._settled.set()
        if self._player is not None:
            self.watch.look(received, is_busy=self._player.is_busy())

    def _tell_clock(self, error_s: float, round_trip_s: float) -> None:
        self.spoke.send("clock", {"error_s": error_s, "round_trip_s": round_trip_s})

    def _end(self) -> None:
        self._messages.put(None)
        self._settled.set()

    def _until_daemon_ends(self) -> None:
        while tp_read(sys.stdin.fileno(), 1):
            pass
        self._is_alone.set()
        if not self._is_joined:
            os._exit(0)  # nothing has started yet that must be ended properly
        self._end()


def command() -> None:
    """Read the setup and run the worker. Import this module only after gevent has patched."""
    setup = read_frame(os.fdopen(0, "rb", closefd=False))
    if setup is None:
        sys.exit("a worker is started by tsvcd")
    # A terminal's Ctrl-C is for the daemon, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settings = setup.config.log
    log.setup(settings.level, settings.format, settings.target, file=settings.file)
    load()
    Worker(setup).run()
