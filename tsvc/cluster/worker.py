"""The life of a worker: gateways of its own, a link to the coordinator, parts of runs."""

import os
import random
import signal
import sys
from typing import Any

import gevent
from gevent.event import Event
from gevent.os import tp_read
from gevent.queue import SimpleQueue

from tsvc import log
from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.lease import Lease
from tsvc.cluster.link import Spoke, load
from tsvc.cluster.player import Player
from tsvc.cluster.setup import Setup, read_frame
from tsvc.engine.gateways import GatewayTable
from tsvc.engine.give_way import share_interpreter
from tsvc.engine.limits.collector import settle
from tsvc.engine.load.generator import sample_lag
from tsvc.engine.service import load_registries
from tsvc.gateways.gateway import GatewayContext
from tsvc.ss7.scp_host import ScpHost


class Worker:
    """A worker's life, once it knows its setup."""

    def __init__(self, setup: Setup) -> None:
        """Errors: GatewayConfigError, FlowProblems; the daemon has judged the same before."""
        self.config = setup.config
        self.clock = SYSTEM_CLOCK
        self.lease = Lease(setup.config.cluster.lease_s)
        self.scp = ScpHost(setup.config.scp, self.clock)
        self.gateways = GatewayTable(GatewayContext(self.clock, random.random, (self.scp,)))
        self.gateways.build(setup.config.applications)
        self._messages: SimpleQueue[tuple[str, Any] | None] = SimpleQueue()
        self.spoke = Spoke(
            setup.coordinator,
            setup.name,
            on_message=lambda kind, body: self._messages.put((kind, body)),
            on_lost=lambda why: self._messages.put(None),
            on_echo=lambda sent, theirs, received: self.lease.echoed(sent),
            facts={"pid": os.getpid()},
            keys=setup.keys,
        )
        self.player = Player(
            setup.config, self.gateways, self.clock, self.spoke.send, self._may_start
        )
        self._is_joined = False
        self._beat_s = setup.config.cluster.lease_s / 4  # of a lease that is needed

    def run(self) -> None:
        """Play until nobody coordinates any more. Blocks: that long. Errors: LinkError."""
        load_registries()
        settle()
        share_interpreter()
        self.scp.start()
        self.gateways.start()
        gevent.spawn(self._until_daemon_ends)
        gevent.spawn(sample_lag, self.clock, self.player.loads, Event())
        self.spoke.start()
        self._is_joined = True
        while (message := self._messages.get()) is not None:
            self.player.take(*message)
            # An idle one is heard less often: its lease may end meanwhile.
            self.spoke.pace(self._beat_s if self.player.is_busy() else None)
        self.player.abandon(self.config.engine.cancel_grace_s)
        self.spoke.stop()
        self.gateways.stop(1.0)
        self.scp.stop()

    def _may_start(self) -> bool:
        return self.lease.is_held(self.clock.now())

    def _until_daemon_ends(self) -> None:
        while tp_read(sys.stdin.fileno(), 1):
            pass
        if not self._is_joined:
            os._exit(0)  # there is nothing to end in order
        self._messages.put(None)


def command() -> None:
    """Read the setup and be the worker. Import only after gevent has patched."""
    setup = read_frame(os.fdopen(0, "rb", closefd=False))
    if setup is None:
        sys.exit("a worker is started by tsvcd")
    # A terminal's Ctrl-C is for the daemon, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settings = setup.config.log
    log.setup(settings.level, settings.format, settings.target, file=settings.file)
    load()
    Worker(setup).run()
