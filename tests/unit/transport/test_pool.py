"""The pool of connections: which caller gets which connection, and which are returned."""

from itertools import count

import gevent
import pytest
from gevent.event import Event
from support.waiting import GUARD_S, hang

from tsvc.errors import GatewayError
from tsvc.transport.pool import Pool


class Connection:
    serial = count(1)

    def __init__(self):
        self.number = next(self.serial)
        self.is_open = True

    def is_usable(self):
        return self.is_open

    def close(self):
        self.is_open = False


def make(size=2, backlog_timeout_s=GUARD_S, connect=Connection):
    pool = Pool(connect, size, backlog_timeout_s)
    pool.open()
    return pool


def test_the_one_used_last_is_lent_first():
    pool = make(size=3)
    with pool.lease() as first, pool.lease() as second:
        assert first is not second
        assert (pool.lent, pool.free) == (2, 0)
    assert pool.free == 2
    with pool.lease() as again:  # `second` was returned before `first`
        assert again is first


def test_no_more_than_its_size():
    pool = make(size=2)
    lent, most, done = [], [], []

    def work():
        for _ in range(5):
            with pool.lease() as connection:
                assert connection not in lent
                lent.append(connection)
                most.append(len(lent))
                gevent.sleep(0)
                lent.remove(connection)
        done.append(True)

    workers = [gevent.spawn(work) for _ in range(6)]
    gevent.joinall(workers, timeout=GUARD_S, raise_error=True)
    assert (len(done), max(most)) == (6, 2)
    assert (pool.lent, pool.free, pool.waiting) == (0, 2, 0)


def test_who_waits_too_long_is_told():
    pool = make(size=1, backlog_timeout_s=0.01)
    with pool.lease():
        text = r"no free connection within 0.01 s, all 1"
        with pytest.raises(GatewayError, match=text), pool.lease():
            pass
        assert pool.waiting == 0
    with pool.lease():  # the slot is not lost
        pass


@pytest.mark.parametrize("error", [GatewayError("x"), KeyError("bug"), gevent.GreenletExit()])
def test_what_failed_does_not_come_back(error):
    pool = make(size=1)
    with pytest.raises(type(error)), pool.lease() as broken:
        raise error
    assert not broken.is_open
    with pool.lease() as next_one:
        assert next_one is not broken


def test_a_killed_caller_leaves_no_connection_and_no_hole():
    pool = make(size=1)
    has_it = Event()
    held = []

    def hold():
        with pool.lease() as connection:
            held.append(connection)
            has_it.set()
            hang()

    holder = gevent.spawn(hold)
    has_it.wait(GUARD_S)
    waiter = gevent.spawn(hold)
    gevent.sleep(0)
    waiter.kill(timeout=GUARD_S)
    holder.kill(timeout=GUARD_S)
    assert not held[0].is_open
    assert (pool.lent, pool.waiting, len(held)) == (0, 0, 1)
    with pool.lease() as fresh:
        assert fresh.is_open


def test_a_connection_that_died_while_free_is_passed_over():
    pool = make()
    with pool.lease() as first:
        pass
    first.is_open = False
    with pool.lease() as second:
        assert second is not first
    second.is_open = False
    pool.prune()
    assert pool.free == 0


def test_a_slot_is_not_lost_when_nothing_can_be_made():
    def refuse():
        raise GatewayError("connection refused")

    pool = make(size=1, connect=refuse, backlog_timeout_s=0.01)
    for _ in range(3):
        with pytest.raises(GatewayError, match="connection refused"), pool.lease():
            pass
        with pytest.raises(GatewayError, match="connection refused"):
            pool.warm()


def test_warm_makes_one_only_if_there_is_none():
    pool = make()
    pool.warm()
    pool.warm()
    assert pool.free == 1
    with pool.lease():
        pool.warm()
        assert pool.free == 0


def test_not_before_it_is_open_and_not_after():
    pool = Pool(Connection, 1, 0.01)
    with pytest.raises(GatewayError, match="not started"), pool.lease():
        pass
    pool.open()
    pool.warm()
    pool.close("it is over")
    assert pool.free == 0
    with pytest.raises(GatewayError, match="it is over"), pool.lease():
        pass


def test_who_waits_while_it_closes_is_told():
    pool = make(size=1)
    told = []

    def ask():
        try:
            with pool.lease():
                pass
        except GatewayError as error:
            told.append(str(error))

    with pool.lease() as held:
        waiter = gevent.spawn(ask)
        gevent.sleep(0)
        assert pool.waiting == 1
        pool.close("it is over")
        assert not held.is_open
    waiter.join(GUARD_S)
    assert told == ["it is over"]


def test_draining_waits_for_those_that_are_lent():
    pool = make()
    order = []

    def work():
        with pool.lease():
            gevent.sleep(0.05)
            order.append("done")

    worker = gevent.spawn(work)
    gevent.sleep(0)
    pool.refuse("stopping")
    pool.drain(GUARD_S)
    order.append("drained")
    worker.join(GUARD_S)
    assert order == ["done", "drained"]
    assert pool.free == 0


def test_a_pool_whose_callers_all_connect_in_vain_says_why():
    is_refused = Event()

    def connect():
        if not is_refused.is_set():
            is_refused.set()
            raise GatewayError("no route")
        hang()

    pool = make(size=1, connect=connect)
    with pytest.raises(GatewayError, match="no route"), pool.lease():
        pass

    def ask():
        with pool.lease():
            pass

    caller = gevent.spawn(ask)
    gevent.sleep(0)
    with pytest.raises(GatewayError, match="no route"):
        pool.warm()  # warm() can't connect itself: the caller has the only slot
    caller.kill(timeout=GUARD_S)


def test_what_is_taken_is_free_at_once_or_not_at_all():
    pool = make(size=2)
    assert (pool.has_free, pool.take()) == (False, None)
    with pool.lease() as first, pool.lease() as second:
        assert pool.take() is None
    taken = pool.take()
    assert taken is first
    first.is_open = second.is_open = False
    assert (pool.take(), pool.free) == (None, 0)
    first.is_open = True
    pool.give_back(taken, is_well=True)
    assert (pool.lent, pool.free, pool.has_free) == (0, 1, True)
    pool.give_back(pool.take(), is_well=False)
    assert (first.is_open, pool.free) == (False, 0)
    with pool.lease(), pool.lease():  # no slot is lost
        pass
    pool.refuse("stopping")
    assert (pool.free, pool.has_free, pool.take()) == (2, False, None)


def test_who_waits_comes_before_who_takes():
    pool = make(size=1)
    waiting = pool.lease()
    with pool.lease() as only:
        waiter = gevent.spawn(waiting.__enter__)
        gevent.sleep(0)
    assert (pool.free, pool.take()) == (1, None)
    assert waiter.get(timeout=GUARD_S) is only
    waiting.__exit__(None, None, None)
    assert pool.take() is only


@pytest.mark.parametrize("is_well", [True, False])
def test_what_was_taken_is_lent_on(is_well):
    pool = make(size=1)
    pool.warm()
    taken = pool.take()
    pool.refuse("stopping")  # it goes on
    try:
        with pool.lease(taken) as lent:
            assert lent is taken
            if not is_well:
                raise GatewayError("x")
    except GatewayError:
        pass
    assert (pool.lent, pool.free, taken.is_open) == (0, 0, False)  # stopping: it is not kept
    pool.open()
    with pool.lease():
        pass
