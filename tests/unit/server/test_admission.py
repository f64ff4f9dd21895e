import random

from tsvc.server.admission import RESERVE, Admission


class Waiter:
    def __init__(self):
        self.is_evicted = False

    def evict(self):
        self.is_evicted = True


def entered(admission, count, client="a"):
    waiters = [Waiter() for _ in range(count)]
    assert [admission.enter(waiter, client) for waiter in waiters] == [None] * count
    return waiters


def kind_of(denial):
    return None if denial is None else denial.kind


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
    assert kind_of(admission.enter(Waiter(), "a")) == "connections.too_many"
    assert len(admission.serving) == 2


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
    assert admission.request_is_complete(second) is None


def test_as_many_may_drain_as_there_are_places():
    admission = Admission(2)
    assert [admission.may_drain() for _ in range(3)] == [True, True, False]
    admission.has_drained()
    assert admission.may_drain()


class TestClients:
    def test_the_one_with_most_readers_makes_room(self):
        admission = Admission(4)
        (other,) = entered(admission, 1, "b")
        crowd = entered(admission, 3, "a")
        entered(admission, 1, "b")
        assert [one.is_evicted for one in (other, *crowd)] == [False, True, False, False]

    def test_over_its_limit_a_client_makes_room_for_itself(self):
        admission = Admission(10, client_places=2)
        first, second, _ = entered(admission, 3, "a")
        (other,) = entered(admission, 1, "b")
        assert [one.is_evicted for one in (first, second, other)] == [True, False, False]

    def test_or_is_refused(self):
        admission = Admission(10, client_places=2)
        for one in entered(admission, 2, "a"):
            admission.request_is_complete(one)
        assert kind_of(admission.enter(Waiter(), "a")) == "rpc.rate"
        entered(admission, 2, "b")


class TestWaiting:
    def waiting(self, admission, count, client="a"):
        found = entered(admission, count, client)
        for one in found:
            assert admission.request_is_complete(one) is None
        return [admission.may_wait(one) for one in found]

    def test_takes_no_place(self):
        admission = Admission(2, client_places=2, most_waiting=100)
        for _ in range(5):
            assert self.waiting(admission, 2) == [True, True]
        entered(admission, 2)
        assert (len(admission), len(admission.waiting)) == (12, 10)

    def test_has_a_bound_of_its_own(self):
        admission = Admission(10, most_waiting=4)
        assert self.waiting(admission, 3) == [True, True, False], "one client: half of it"
        assert self.waiting(admission, 3, "b") == [True, True, False]
        assert self.waiting(admission, 1, "c") == [False]
        assert "4 requests wait" in admission.problem()
        assert len(admission.serving) == 3, "who may not wait keeps its place"

    def test_waiting_twice_is_waiting_once(self):
        admission = Admission(1, most_waiting=2)
        (one,) = entered(admission, 1)
        admission.request_is_complete(one)
        assert admission.may_wait(one)
        assert admission.may_wait(one)
        admission.leave(one)
        assert len(admission) == len(admission.waiting) == 0


class TestReserve:
    def full(self, places=2):
        admission = Admission(places)
        for one in entered(admission, places):
            admission.request_is_complete(one)
        assert "busy" in admission.problem()
        return admission

    def test_who_finds_no_place_is_read_and_denied(self):
        admission = self.full()
        urgent = Waiter()
        assert kind_of(admission.enter(urgent, "b")) == "connections.too_many"
        assert urgent in admission
        assert kind_of(admission.request_is_complete(urgent)) == "connections.too_many"
        assert urgent in admission
        admission.leave(urgent)
        assert urgent not in admission

    def test_silence_does_not_fill_it(self):
        """A client that floods the table evicts its own connections, not those of others."""
        admission = self.full()
        urgent = Waiter()
        admission.enter(urgent, "honest")
        flood = [Waiter() for _ in range(10 * RESERVE)]
        for one in flood:
            admission.enter(one, "hostile")
        assert not urgent.is_evicted
        assert len(admission.reserve) == RESERVE
        assert sum(one.is_evicted for one in flood) == len(flood) - RESERVE + 1

    def test_a_place_that_is_free_by_then_is_taken(self):
        admission = Admission(1)
        (busy,) = entered(admission, 1)
        admission.request_is_complete(busy)
        late = Waiter()
        assert admission.enter(late, "b") is not None
        admission.leave(busy)
        assert admission.request_is_complete(late) is None
        assert len(admission.serving) == 1

    def test_it_is_bounded_in_what_it_serves(self):
        admission = self.full(3)
        urgent = [Waiter() for _ in range(4)]
        for one in urgent:
            admission.enter(one, "b")
            assert admission.request_is_complete(one) is not None
        assert [one in admission for one in urgent] == [True, True, True, False]


def test_whatever_happens_the_crowds_add_up():
    chance = random.Random(5)
    for _ in range(20):
        admission = Admission(chance.randint(1, 6), chance.choice((0, 2)), chance.randint(1, 5))
        alive = []
        for _ in range(300):
            alive = [one for one in alive if one in admission]
            step = chance.randrange(4)
            if step == 0 or not alive:
                one = Waiter()
                admission.enter(one, chance.choice("abc"))
                alive.append(one)
            elif step == 3:
                admission.leave(chance.choice(alive))
            else:
                one = chance.choice(alive)
                crowd, _ = admission._where[one]
                if crowd in (admission.reading, admission.reserve):
                    admission.request_is_complete(one)
                elif step == 2:
                    admission.may_wait(one)
            crowds = admission.reading, admission.serving, admission.waiting
            assert len(admission.reading) + len(admission.serving) <= admission.places
            assert len(admission.waiting) <= admission.most_waiting
            assert len(admission.reserve) <= RESERVE
            rest = admission.reserve, admission.urgent
            assert sum(map(len, (*crowds, *rest))) == len(admission)
