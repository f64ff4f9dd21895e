"""One heap for the timers of all calls."""

from tsvc.scp.timers import NEVER, Timers


class Timed:
    """An object with one deadline."""

    def __init__(self, deadline):
        self.deadline = deadline
        self.scheduled_at = NEVER
        self.is_over = False

    def next_deadline(self):
        return self.deadline

    def handle_timer(self, now):
        raise AssertionError("the heap handles nothing itself")


def make(*deadlines):
    timers, made = Timers(), [Timed(deadline) for deadline in deadlines]
    for one in made:
        timers.schedule(one)
    return timers, made


def test_nothing_runs():
    timers, _ = make(NEVER)
    assert timers.next() is None
    assert timers.due(1e9) == []


def test_due_in_order_of_time():
    timers, (late, early, later) = make(5.0, 2.0, 9.0)
    assert timers.next() == 2.0
    assert timers.due(1.9) == []
    assert timers.due(6.0) == [early, late]
    assert timers.next() == 9.0
    assert timers.due(9.0) == [later]
    assert timers.next() is None


def test_deadline_that_moved_away_is_not_due():
    timers, (one,) = make(2.0)
    one.deadline = 7.0
    timers.schedule(one)
    assert timers.due(2.0) == []
    assert timers.next() == 7.0
    assert timers.due(7.0) == [one]


def test_deadline_that_moved_nearer_is_due_once():
    timers, (one,) = make(7.0)
    one.deadline = 3.0
    timers.schedule(one)
    assert timers.next() == 3.0
    assert timers.due(8.0) == [one]
    assert timers.next() is None


def test_what_is_over_is_forgotten():
    timers, (one, other) = make(2.0, 3.0)
    one.is_over = True
    assert timers.next() == 3.0
    other.is_over = True
    assert timers.due(10.0) == []
    assert timers.next() is None


def test_many_that_are_over_do_not_pile_up():
    timers = Timers()
    for number in range(10_000):
        one = Timed(1000.0 + number)
        timers.schedule(one)
        one.is_over = True
    assert len(timers._heap) <= 1025


def test_reschedule_after_due():
    timers, (one,) = make(2.0)
    assert timers.due(2.0) == [one]
    one.deadline = 4.0
    timers.schedule(one)
    assert timers.due(4.0) == [one]
