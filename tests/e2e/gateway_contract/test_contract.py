"""The contract: the requirements for every kind of gateway, whatever its peer does."""

import re
from itertools import pairwise

import gevent
import pytest
from e2e.gateway_contract.conftest import SHORT_S
from e2e.gateway_contract.proxy import Mode
from gevent.server import StreamServer
from support.waiting import stays, until

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayState

pytestmark = pytest.mark.e2e


def test_it_works(make):
    world = make()
    for token in ("1", "2", "3"):
        world.passes(token)


def test_what_may_fall_is_a_level(make):
    """A value that may fall is a level; the metrics page has the others as counters."""
    world = make()
    seen = [world.gateway.status()]
    for token in ("1", "2"):
        world.passes(token)
        seen.append(world.gateway.status())
    world.gateway.stop(SHORT_S)
    seen.append(world.gateway.status())
    assert seen[1].counters != seen[0].counters
    for before, after in pairwise(seen):
        for name in before.counters.keys() & after.counters.keys() - after.levels:
            assert after.counters[name] >= before.counters[name], name


def test_start_twice_changes_nothing(make):
    world = make()
    world.passes("1")  # the proxy has seen all of its connections then
    accepted = world.proxy.accepted
    world.gateway.start()
    assert world.state is GatewayState.UP
    world.passes("1")
    assert world.proxy.accepted == accepted


def test_stop_and_start_again(make):
    world = make()
    world.gateway.stop(SHORT_S)
    assert world.state is GatewayState.DOWN
    _, error = world.try_to_execute("1")
    assert error["data"]["kind"] == "gateway.down"
    world.gateway.stop(SHORT_S)
    world.gateway.start()
    world.until_up()
    world.passes("1")


@pytest.mark.parametrize("mode", [None, Mode.HOLD], ids=["refused", "silent"])
def test_stop_while_connecting(make, mode):
    world = make(is_started=False)
    if mode is None:
        world.proxy.stop()
    else:
        world.proxy.mode = mode
    world.service.start()
    if mode is None:
        gevent.sleep(0.05)
    else:  # a thread that is about to connect would connect once more after the stop
        until(lambda: world.proxy.accepted)
    world.gateway.stop(SHORT_S)
    assert world.state is GatewayState.DOWN
    world.proxy.drop()
    before = world.proxy.accepted
    if not world.peer.is_reversed:
        stays(lambda: world.proxy.accepted == before, 0.3, what=lambda: "it still connects")


def test_kill_after_a_failed_start(make):
    world = make(is_started=False)
    world.proxy.stop()
    world.gateway.kill()
    assert world.state is GatewayState.DOWN
    if world.peer.is_reversed:
        taken = StreamServer(("127.0.0.1", world.gateway.config.port), print)
        taken.start()
        with pytest.raises(GatewayError, match="can't listen"):
            world.gateway.start()
        taken.stop()
    else:
        world.gateway.start()
        gevent.sleep(0.05)
    for _ in range(2):
        world.gateway.kill()
        assert world.state is GatewayState.DOWN
    world.proxy.start()
    world.service.start()
    world.until_up()
    world.passes("1")


def test_a_peer_that_never_says_anything(make):
    """A run is refused, since the gateway is not up; over HTTP, without greeting, it times out."""
    world = make(SHORT_S, is_started=False)
    world.proxy.mode = Mode.HOLD
    world.service.start()
    gevent.sleep(0.1)
    run_id, error = world.try_to_execute("1")
    if error is not None:
        assert error["data"]["kind"] == "gateway.down"
    else:
        reason = world.finish(run_id)["first_call_summary"]["reason"]
        assert re.search(world.peer.texts.deadline, reason), reason
    world.proxy.drop()
    world.proxy.pass_on()
    world.until_up()


def test_deadline(make):
    """The late answer is ignored: the next request gets its own answer."""
    world = make(SHORT_S)
    world.proxy.mode = Mode.HOLD
    reason = world.reason("1")
    assert re.search(world.peer.texts.deadline, reason), reason
    world.proxy.pass_on()
    world.until_up()
    world.passes("2")


def test_closed_in_the_middle_of_an_answer(make):
    world = make()
    world.passes("1")
    world.proxy.mode = Mode.CUT
    reason = world.reason("2")
    assert re.search(world.peer.texts.cut, reason), reason
    world.until_up()
    world.passes("3")


def test_garbage_for_an_answer(make):
    world = make()
    world.passes("1")
    world.proxy.mode = Mode.GARBAGE
    reason = world.complaint("2")
    assert re.search(world.peer.texts.garbage, reason), reason
    assert "internal failure" not in reason
    world.until_up()
    world.passes("3")


def test_a_lost_connection_aborts_who_waits_and_later_ones_pass(make):
    world = make()
    world.proxy.mode = Mode.HOLD
    before = world.proxy.held
    run_id = world.execute("1", distribution={"type": "load", "total": 2, "backlog": 2})
    world.until(lambda: world.proxy.held > before)

    def is_over():
        """Drop all connections: the second request may be sent only now, on its own connection."""
        world.proxy.drop()
        return world.call("QueryTest", run_id=run_id, collect=0)["completed"]

    until(is_over)
    world.proxy.mode = Mode.PASS
    result = world.finish(run_id)
    assert result["counts"]["aborted"] == 2, result["counts"]
    reason = result["first_call_summary"]["reason"]
    assert re.search(world.peer.texts.lost, reason), reason
    world.until_up()
    world.passes("2")


def test_reconnect(make):
    world = make()
    world.proxy.stop()
    world.until(lambda: world.state is not GatewayState.UP)
    _, error = world.try_to_execute("1")
    assert error["data"]["kind"] == "gateway.down", error
    world.proxy.start()
    world.until_up()
    world.passes("1")


def test_more_at_once_than_there_are_connections(make):
    world = make(SHORT_S)
    if not world.peer.texts.exhausted:
        pytest.skip("no pool: one connection carries any number of calls")
    world.proxy.mode = Mode.HOLD
    result = world.run("1", distribution={"type": "load", "total": 5, "backlog": 5})
    assert result["counts"]["aborted"] == 5, result["counts"]
    causes = " ".join(one["cause"] for one in result["first_aborts"])
    assert re.search(world.peer.texts.exhausted, causes), causes
    world.proxy.pass_on()
    world.until_up()
    world.passes("2")


def test_many_share_few_connections(make):
    world = make()
    result = world.run("1", distribution={"type": "load", "total": 50, "backlog": 20})
    assert result["counts"]["passed"] == 50, result["counts"]


def test_killed_in_the_middle_of_a_call(make):
    """The next call gets its own answer, although the answer of the killed call comes first."""
    world = make()
    world.proxy.mode = Mode.HOLD
    before = world.proxy.held
    killed = world.execute("1")
    world.until(lambda: world.proxy.held > before)
    world.ask("CancelTest", run_id=killed)
    assert world.finish(killed)["verdict"] != "pass"
    asked, held = world.proxy.requests, world.proxy.held
    following = world.execute("2")
    # The request was sent, or the greeting of a new connection has come.
    world.until(lambda: world.proxy.requests > asked or world.proxy.held > held)
    world.proxy.pass_on()
    result = world.finish(following)
    summary = result["first_call_summary"]
    assert result["verdict"] == "pass", (summary["reason"], summary["check_log"])
    world.passes("3")


@pytest.mark.parametrize("is_killed", [False, True], ids=["stop", "kill"])
def test_stop_in_the_middle_of_a_call(make, is_killed):
    """A waiting instance gets the error when the grace is over or at once, before its deadline."""
    world = make()
    world.proxy.mode = Mode.HOLD
    before = world.proxy.held
    run_id = world.execute("1")
    world.until(lambda: world.proxy.held > before)
    if is_killed:
        world.gateway.kill()
    else:
        world.gateway.stop(SHORT_S)
    result = world.finish(run_id)
    assert result["verdict"] == "abort", result["first_call_summary"]
    assert world.state is GatewayState.DOWN
