"""A sigtran gateway that is stopped lets its dialogues end, and begins no new ones."""

import gevent
import pytest
from support.waiting import GUARD_S

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.sigtran.gateway import SigtranGateway


@pytest.fixture
def gateway():
    context = GatewayContext(SYSTEM_CLOCK, random=lambda: 0.5)
    made = SigtranGateway("LOOP", SigtranGateway.Config.load({}), context)
    made.start()
    yield made
    made.kill()


def test_open_dialogues_may_end(gateway):
    dialogue = gateway.open_dialogue(None)
    stopping = gevent.spawn(gateway.stop, GUARD_S)
    gevent.sleep(0)
    assert gateway.status().state is GatewayState.DRAINING
    with pytest.raises(GatewayError, match="is being stopped"):
        gateway.open_dialogue(None)
    assert not stopping.ready()
    gateway.endpoint.release(dialogue)
    stopping.get(timeout=GUARD_S)
    assert gateway.status().state is GatewayState.DOWN


def test_what_does_not_end_is_not_waited_for_longer_than_the_grace(gateway):
    gateway.open_dialogue(None)
    gateway.stop(0.05)
    assert gateway.status().state is GatewayState.DOWN


def test_kill_waits_for_nothing_and_it_starts_again(gateway):
    gateway.open_dialogue(None)
    stopping = gevent.spawn(gateway.stop, GUARD_S)
    gevent.sleep(0)
    gateway.kill()
    stopping.kill()
    gateway.start()
    assert gateway.status().state is GatewayState.UP
    gateway.open_dialogue(None)
