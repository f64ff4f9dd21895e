"""A service stops all its parts in parallel and completely."""

import gevent
from support.daemons import Daemon

from tsvc.clock import SYSTEM_CLOCK
from tsvc.engine.gateway_table import GatewayTable
from tsvc.gateways.gateway import Gateway, GatewayContext


class Slow(Gateway):
    """A gateway that stops only when all others are stopping; "B" also fails."""

    kind = "slow"

    def __init__(self, name, all_of_them):
        super().__init__(name, {}, None)
        self.all_of_them = all_of_them
        self.is_stopping = self.saw_others_stop = self.is_killed = False

    def stop(self, grace_s):
        self.is_stopping = True
        with gevent.Timeout(60):
            while not all(one.is_stopping for one in self.all_of_them):
                gevent.sleep(0.001)
        self.saw_others_stop = True
        if self.name == "B":
            raise OSError("its peer is gone")

    def kill(self):
        self.is_killed = True


def test_gateways_stop_beside_one_another():
    table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
    slow = []
    slow += [Slow(name, slow) for name in "ABC"]
    table._gateways = {one.name: one for one in slow}
    table.stop(1.0)
    assert [one.saw_others_stop for one in slow] == [True] * 3
    assert [one.is_killed for one in slow] == [False, True, False]


def test_a_stopped_service_watches_nothing(tmp_path):
    tsvc = Daemon(tmp_path)
    watch = tsvc.service.memory._greenlet
    tsvc.service.memory.start()
    assert tsvc.service.memory._greenlet is watch, "starting twice changes nothing"
    run_id = tsvc.execute({"type": "halt", "arguments": {"seconds": 600}})
    run = tsvc.service.runs[run_id]
    tsvc.stop()
    assert run.completed.is_set()
    assert watch.dead
