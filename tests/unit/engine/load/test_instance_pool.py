"""The pool: its bound, and that no state of a job reaches the next job in its greenlet."""

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from random import Random
from typing import Any

import gevent
import pytest
from gevent.event import Event
from gevent.local import local
from gevent.lock import Semaphore
from gevent.pool import Pool, PoolFull
from greenlet import settrace
from support.each import each
from support.waiting import GUARD_S, until

from tsvc.engine.load.instance_pool import InstancePool

VARIABLE: ContextVar[str] = ContextVar("VARIABLE", default="none")


class Unwanted(BaseException):
    """Thrown into a job's greenlet, where another job may run by then."""


def all_over(pool: InstancePool) -> None:
    with gevent.Timeout(GUARD_S):
        pool.join()


def spawned(pool: InstancePool, job: Callable[..., object], *arguments: object) -> None:
    while pool.full():
        pool.wait_available(1.0)
    pool.spawn(job, *arguments)


def ways_to_wait() -> Iterator[Callable[[], object]]:
    """Yield a function for each kind of switch point that an instance has."""
    yield lambda: gevent.sleep(0)
    yield lambda: gevent.sleep(0.0001)
    yield lambda: Event().wait(0.0001)
    yield lambda: Semaphore(0).acquire(timeout=0.0001)
    yield gevent.idle
    yield lambda: gevent.spawn(gevent.sleep, 0).join()

    def told() -> None:
        event = Event()
        gevent.spawn(event.set)
        event.wait()

    yield told


def steps(seen: list[str]) -> None:
    for wait in ways_to_wait():
        wait()
    seen.append("over")


def test_one_greenlet_plays_many_jobs() -> None:
    pool = InstancePool(1)
    seen: list[Any] = []

    def job(number: int) -> None:
        gevent.sleep(0)
        seen.append(number)

    for number in range(50):
        spawned(pool, job, number)
    all_over(pool)
    assert seen == list(range(50))
    assert pool.births == 1
    assert len(pool) == 0


def test_a_job_begins_in_the_next_round() -> None:
    pool = InstancePool(2)
    seen: list[Any] = []
    for word in ("first", "second"):
        spawned(pool, seen.append, word)
        assert seen == []
        all_over(pool)
        seen.clear()


def test_no_more_jobs_than_slots() -> None:
    pool, doors = InstancePool(2), [Event() for _ in range(4)]
    for door in doors[:2]:
        pool.spawn(door.wait)
    assert pool.full()
    with pytest.raises(PoolFull):
        pool.spawn(doors[2].wait)
    gevent.sleep(0)
    pool.wait_available(0.01)
    assert pool.full()
    gevent.spawn(doors[0].set)
    pool.wait_available(60)
    assert len(pool) == 1
    pool.widen(3)
    for door in doors[2:]:
        pool.spawn(door.wait)
    assert pool.full()
    pool.widen(1)
    assert pool.size == 3
    for door in doors:
        door.set()
    all_over(pool)


def test_one_that_waits_is_woken_by_more_slots() -> None:
    pool, door = InstancePool(1), Event()
    pool.spawn(door.wait)
    waiting = gevent.spawn(pool.wait_available, 60)
    gevent.sleep(0)
    pool.widen(2)
    with gevent.Timeout(GUARD_S):
        waiting.join()
    door.set()
    all_over(pool)


def test_a_job_that_raises_frees_its_slot(capsys: pytest.CaptureFixture[str]) -> None:
    pool = InstancePool(1)
    seen: list[Any] = []

    def raises() -> None:
        raise LookupError("of the job")

    spawned(pool, raises)
    spawned(pool, steps, seen)
    all_over(pool)
    assert seen == ["over"]
    assert "LookupError: of the job" in capsys.readouterr().err


def test_workers_end_with_the_last_job() -> None:
    pool = InstancePool(3)
    workers: list[Any] = []
    for _ in range(3):
        pool.spawn(lambda: workers.append(gevent.getcurrent()))
    all_over(pool)
    until(lambda: all(worker.dead for worker in workers))


# -- exceptions that arrive late -------------------------------------------------------------


@contextmanager
def at_switch(number: int, act: Callable[[], None]) -> Iterator[None]:
    """Call `act` at the switch between greenlets with this number, counted from 0."""
    numbers = count()

    def look(event: str, greenlets: Any) -> None:
        if next(numbers) == number:
            act()

    before = settrace(look)
    try:
        yield
    finally:
        settrace(before)


@pytest.mark.parametrize("how", ["kill", "throw later", "cancel as a run does"])
@each("number", range(70))
def test_what_is_thrown_at_a_job_never_meets_the_next(how: str, number: int) -> None:
    """An exception is thrown into the first job, at each switch of that job and of later ones."""
    pool = InstancePool(1)
    seen: list[Any] = []
    instance: dict[str, Any] = {}
    met: list[str] = []

    def first() -> None:
        instance["greenlet"] = gevent.getcurrent()
        try:
            steps(met)
        except Unwanted:
            met.append("thrown")
        finally:
            if how == "cancel as a run does":
                instance["greenlet"] = None

    def act() -> None:
        greenlet: Any = instance.get("greenlet")
        if greenlet is None:
            return
        if how == "throw later":
            gevent.get_hub().loop.run_callback(greenlet.throw, Unwanted)
        else:
            greenlet.kill(Unwanted, block=False)
        instance["greenlet"] = None

    with at_switch(number, act):
        spawned(pool, first)
        for _ in range(4):
            spawned(pool, steps, seen)
        all_over(pool)
    assert seen == ["over"] * 4
    assert met in (["over"], ["thrown"])


def test_all_switch_points_are_tried() -> None:
    """The numbers of the test above go beyond the last switch of the first job."""
    pool, numbers = InstancePool(1), count()
    before = settrace(lambda event, greenlets: next(numbers))
    try:
        spawned(pool, steps, [])
        all_over(pool)
    finally:
        settrace(before)
    assert 15 < next(numbers) < 60


def leaves_a_timeout() -> None:
    gevent.Timeout.start_new(0.001, Unwanted)


def leaves_a_switch() -> None:
    gevent.get_hub().loop.run_callback(gevent.getcurrent().switch, "unwanted")


def leaves_a_timer() -> None:
    gevent.get_hub().loop.timer(0.001).start(gevent.getcurrent().switch)


@pytest.mark.parametrize("mischief", [leaves_a_timeout, leaves_a_switch, leaves_a_timer])
def test_what_a_job_leaves_behind_never_meets_the_next(mischief: Callable[[], None]) -> None:
    pool = InstancePool(1)
    seen: list[Any] = []
    for _ in range(20):
        spawned(pool, mischief)
        spawned(pool, steps, seen)
    all_over(pool)
    assert seen == ["over"] * 20


def test_a_kill_of_a_worker_that_waits_is_for_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    pool = InstancePool(1)
    seen: list[str] = []
    greenlets: list[Any] = []
    spawned(pool, lambda: greenlets.append(gevent.getcurrent()))
    until(lambda: not len(pool))
    greenlets.pop().kill(Unwanted, block=False)
    gevent.sleep(0)
    gevent.sleep(0)
    spawned(pool, steps, seen)
    all_over(pool)
    assert seen == ["over"]
    assert pool.births == 2
    assert capsys.readouterr().err == ""


# -- greenlet-local values -------------------------------------------------------------------


def test_locals_of_a_job_are_not_those_of_the_next() -> None:
    pool = InstancePool(1)
    seen: list[str] = []
    data = local()

    def job() -> None:
        seen.append(getattr(data, "word", "none"))
        data.word = "mine"

    def other() -> None:
        seen.append("other")

    for one in (job, job, other, other):
        spawned(pool, one)
    all_over(pool)
    assert seen == ["none", "none", "other", "other"]


def test_context_variables_of_a_job_are_not_those_of_the_next() -> None:
    pool = InstancePool(1)
    seen: list[Any] = []

    def job(word: str) -> None:
        seen.append(VARIABLE.get())
        VARIABLE.set(word)
        gevent.sleep(0)
        seen.append(VARIABLE.get())

    for word in ("a", "b"):
        spawned(pool, job, word)
    all_over(pool)
    assert seen == ["none", "a", "none", "b"]
    assert pool.births == 1


def test_a_greenlet_that_somebody_keeps_is_not_used_again() -> None:
    pool = InstancePool(1)
    kept: list[Any] = []
    for _ in range(3):
        spawned(pool, lambda: kept.append(gevent.getcurrent()))
    all_over(pool)
    assert len(set(map(id, kept))) == 3


def test_what_a_job_was_given_goes_with_it() -> None:
    class Big:
        pass

    pool = InstancePool(1)
    seen: list[Any] = []
    big = Big()
    spawned(pool, lambda given: None, big)
    until(lambda: not len(pool))
    gone = weakref.ref(big)
    del big
    gevent.sleep(0)
    assert gone() is None
    spawned(pool, steps, seen)
    all_over(pool)


def test_an_instance_without_a_greenlet_holds_a_slot() -> None:
    pool = InstancePool(2)
    assert isinstance(pool, Pool)
    first, second, third = (Exception(text) for text in "abc")
    pool.hold(first)
    pool.hold(second)
    assert pool.full()
    with pytest.raises(PoolFull):
        pool.hold(third)
    with pytest.raises(PoolFull):
        pool.spawn(print)
    pool.release(first)
    seen: list[str] = []
    pool.hand_over(second, seen.append, "run")
    assert len(pool) == 1
    all_over(pool)
    assert seen == ["run"]
    assert (len(pool), pool.free_count()) == (0, 2)


def test_a_worker_that_is_killed_while_it_runs_frees_one_slot() -> None:
    pool, door = InstancePool(2), Event()
    greenlets: list[Any] = []

    def job() -> None:
        greenlets.append(gevent.getcurrent())
        door.wait()

    for _ in range(2):
        pool.spawn(job)
    until(lambda: len(greenlets) == 2)
    greenlets.pop().kill(Unwanted, block=False)
    until(lambda: len(pool) == 1)
    assert pool.free_count() == 1
    pool.spawn(job)
    with pytest.raises(PoolFull):
        pool.spawn(job)
    door.set()
    greenlets.clear()
    all_over(pool)


@pytest.mark.parametrize("seed", range(5))
def test_never_more_in_progress_than_the_backlog(seed: int) -> None:
    """Instances with and without greenlets: spawned, held, released and handed over at random."""
    chance, pool = Random(seed), InstancePool(4)
    held: list[object] = []
    running: set[object] = set()
    most = 0

    def job() -> None:
        nonlocal most
        running.add(gevent.getcurrent())
        most = max(most, len(running) + len(held))
        try:
            gevent.sleep(0)
        finally:
            running.discard(gevent.getcurrent())

    for _ in range(500):
        match chance.randrange(6):
            case 0 | 1 if not pool.full():
                pool.spawn(job)
            case 2 if not pool.full():
                held.append(object())
                pool.hold(held[-1])
            case 3 if held:
                pool.release(held.pop())
            case 4 if held:
                pool.hand_over(held.pop(), job)
            case _:
                gevent.sleep(0)
        assert len(pool) <= pool.size
        assert most <= pool.size
    for one in held:
        pool.release(one)
    all_over(pool)
    assert (len(pool), pool.free_count()) == (0, 4)
