from tsvc.server.admission import Admission


class Waiter:
    def __init__(self):
        self.is_evicted = False

    def evict(self):
        self.is_evicted = True


def entered(admission, count):
    waiters = [Waiter() for _ in range(count)]
    assert all(admission.enter(waiter) for waiter in waiters)
    return waiters


def test_free_places():
    admission = Admission(2)
    waiters = entered(admission, 2)
    assert len(admission) == 2
    assert not any(waiter.is_evicted for waiter in waiters)


def test_the_longest_waiter_makes_room():
    admission = Admission(2)
    first, second, third = entered(admission, 3)
    assert [waiter.is_evicted for waiter in (first, second, third)] == [True, False, False]
    assert len(admission) == 2


def test_complete_requests_stay():
    admission = Admission(2)
    first, second = entered(admission, 2)
    admission.request_is_complete(first)
    (third,) = entered(admission, 1)
    assert not first.is_evicted
    assert second.is_evicted
    admission.request_is_complete(third)
    assert not admission.enter(Waiter())
    assert len(admission) == 2


def test_places_come_back_once():
    admission = Admission(1)
    (first,) = entered(admission, 1)
    admission.request_is_complete(first)
    admission.leave(first)
    admission.leave(first)
    assert len(admission) == 0
    entered(admission, 1)


def test_an_evicted_connection_has_no_place_to_give_back():
    admission = Admission(1)
    first, second = entered(admission, 2)
    admission.leave(first)
    assert len(admission) == 1
    admission.request_is_complete(second)


def test_as_many_may_drain_as_there_are_places():
    admission = Admission(2)
    assert [admission.may_drain() for _ in range(3)] == [True, True, False]
    admission.has_drained()
    assert admission.may_drain()
