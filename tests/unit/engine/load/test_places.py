"""Places: greenlets play one job after the other, and nothing of one job reaches the next."""

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any

import gevent
import pytest
from gevent.event import Event
from gevent.local import local
from gevent.lock import Semaphore
from greenlet import settrace
from support.each import each
from support.waiting import GUARD_S, until

from tsvc.engine.load.places import Places

VARIABLE: ContextVar[str] = ContextVar("VARIABLE", default="none")


class Unwanted(BaseException):
    """Thrown at a job that is over, or wherever somebody is by then."""


def all_over(places: Places) -> None:
    with gevent.Timeout(GUARD_S):
        places.join()


def spawned(places: Places, job: Callable[..., object], *arguments: object) -> None:
    while places.full():
        places.wait_available(1.0)
    places.spawn(job, *arguments)


def ways_to_wait() -> Iterator[Callable[[], object]]:
    """All kinds of switch points that an instance has."""
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
    places = Places(1)
    seen: list[Any] = []

    def job(number: int) -> None:
        gevent.sleep(0)
        seen.append(number)

    for number in range(50):
        spawned(places, job, number)
    all_over(places)
    assert seen == list(range(50))
    assert places.births == 1
    assert len(places) == 0


def test_a_job_begins_in_the_next_round() -> None:
    places = Places(2)
    seen: list[Any] = []
    for word in ("first", "second"):
        spawned(places, seen.append, word)
        assert seen == []
        all_over(places)
        seen.clear()


def test_no_more_jobs_than_places() -> None:
    places, doors = Places(2), [Event() for _ in range(4)]
    for door in doors[:2]:
        places.spawn(door.wait)
    assert places.full()
    with pytest.raises(AssertionError):
        places.spawn(doors[2].wait)
    gevent.sleep(0)
    places.wait_available(0.01)
    assert places.full()
    gevent.spawn(doors[0].set)
    places.wait_available(60)
    assert len(places) == 1
    places.widen(3)
    for door in doors[2:]:
        places.spawn(door.wait)
    assert places.full()
    places.widen(1)
    assert places.size == 3
    for door in doors:
        door.set()
    all_over(places)


def test_one_that_waits_hears_of_more_places() -> None:
    places, door = Places(1), Event()
    places.spawn(door.wait)
    waiting = gevent.spawn(places.wait_available, 60)
    gevent.sleep(0)
    places.widen(2)
    with gevent.Timeout(GUARD_S):
        waiting.join()
    door.set()
    all_over(places)


def test_a_job_that_raises_frees_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    places = Places(1)
    seen: list[Any] = []

    def raises() -> None:
        raise LookupError("of the job")

    spawned(places, raises)
    spawned(places, steps, seen)
    all_over(places)
    assert seen == ["over"]
    assert "LookupError: of the job" in capsys.readouterr().err


def test_bearers_end_with_the_last_job() -> None:
    places = Places(3)
    bearers: list[Any] = []
    for _ in range(3):
        places.spawn(lambda: bearers.append(gevent.getcurrent()))
    all_over(places)
    until(lambda: all(bearer.dead for bearer in bearers))


# -- what is on its way ----------------------------------------------------------------------


@contextmanager
def at_switch(number: int, act: Callable[[], None]) -> Iterator[None]:
    """Act at the so-manieth switch between greenlets from here on."""
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
    """At every switch point of a job, and of those after it, somebody throws at the first."""
    places = Places(1)
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
        spawned(places, first)
        for _ in range(4):
            spawned(places, steps, seen)
        all_over(places)
    assert seen == ["over"] * 4
    assert met in (["over"], ["thrown"])


def test_all_switch_points_are_tried() -> None:
    """The test before this one goes beyond the first job's last switch."""
    places, numbers = Places(1), count()
    before = settrace(lambda event, greenlets: next(numbers))
    try:
        spawned(places, steps, [])
        all_over(places)
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
    places = Places(1)
    seen: list[Any] = []
    for _ in range(20):
        spawned(places, mischief)
        spawned(places, steps, seen)
    all_over(places)
    assert seen == ["over"] * 20


def test_a_kill_of_a_bearer_that_waits_is_for_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    places = Places(1)
    seen: list[str] = []
    greenlets: list[Any] = []
    spawned(places, lambda: greenlets.append(gevent.getcurrent()))
    until(lambda: not len(places))
    greenlets.pop().kill(Unwanted, block=False)
    gevent.sleep(0)
    gevent.sleep(0)
    spawned(places, steps, seen)
    all_over(places)
    assert seen == ["over"]
    assert places.births == 2
    assert capsys.readouterr().err == ""


# -- what is kept by greenlet ----------------------------------------------------------------


def test_locals_of_a_job_are_not_those_of_the_next() -> None:
    places = Places(1)
    seen: list[str] = []
    data = local()

    def job() -> None:
        seen.append(getattr(data, "word", "none"))
        data.word = "mine"

    def other() -> None:
        seen.append("other")

    for one in (job, job, other, other):
        spawned(places, one)
    all_over(places)
    assert seen == ["none", "none", "other", "other"]


def test_context_variables_of_a_job_are_not_those_of_the_next() -> None:
    places = Places(1)
    seen: list[Any] = []

    def job(word: str) -> None:
        seen.append(VARIABLE.get())
        VARIABLE.set(word)
        gevent.sleep(0)
        seen.append(VARIABLE.get())

    for word in ("a", "b"):
        spawned(places, job, word)
    all_over(places)
    assert seen == ["none", "a", "none", "b"]
    assert places.births == 1


def test_a_greenlet_that_somebody_keeps_is_not_used_again() -> None:
    places = Places(1)
    kept: list[Any] = []
    for _ in range(3):
        spawned(places, lambda: kept.append(gevent.getcurrent()))
    all_over(places)
    assert len(set(map(id, kept))) == 3


def test_what_a_job_was_given_goes_with_it() -> None:
    class Big:
        pass

    places = Places(1)
    seen: list[Any] = []
    big = Big()
    spawned(places, lambda given: None, big)
    until(lambda: not len(places))
    gone = weakref.ref(big)
    del big
    gevent.sleep(0)
    assert gone() is None
    spawned(places, steps, seen)
    all_over(places)


def test_a_place_without_a_bearer_is_handed_over() -> None:
    places = Places(2)
    places.take()
    places.take()
    assert places.full()
    places.free()
    seen: list[str] = []
    places.hand_over(seen.append, "played")
    all_over(places)
    assert seen == ["played"]
    assert len(places) == 0
