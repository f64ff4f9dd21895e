import pytest

from tsvc.server import admission
from tsvc.server.admission import ClientRates, client_of


@pytest.mark.parametrize(
    ("host", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("::1", "::"),
    ],
)
def test_whom_an_address_counts_for(host, client):
    assert client_of(host) == client


def test_a_burst_then_the_rate():
    limits = ClientRates(rate=10, burst=3)
    assert [limits.take("a", 100.0) for _ in range(4)] == [True, True, True, False]
    assert not limits.take("a", 100.09)
    assert [limits.take("a", 100.1) for _ in range(2)] == [True, False]
    assert [limits.take("a", 200.0) for _ in range(4)] == [True, True, True, False]


def test_what_is_refused_costs_nothing():
    limits = ClientRates(rate=1, burst=1)
    assert limits.take("a", 0.0)
    for moment in range(1, 10):
        assert not limits.take("a", moment / 10)
    assert limits.take("a", 1.0)


def test_long_rate_is_exact():
    limits = ClientRates(rate=7, burst=5)
    taken = sum(limits.take("a", tick / 100) for tick in range(100 * 100))
    assert taken == 5 + 7 * 100 - 1  # the last tick is 10 ms before the end


def test_clients_do_not_disturb_each_other():
    limits = ClientRates(rate=1, burst=2)
    assert [limits.take("a", 0.0) for _ in range(3)] == [True, True, False]
    assert limits.take("b", 0.0)


def test_no_limit_remembers_nobody():
    limits = ClientRates(rate=0, burst=1)
    assert all(limits.take(str(number), 0.0) for number in range(1000))
    assert len(limits) == 0


def test_full_buckets_are_forgotten():
    limits = ClientRates(rate=10, burst=5)
    for number in range(100):
        assert limits.take(str(number), 0.0)
    assert len(limits) == 100
    for number in range(100):
        assert limits.take("one", 10.0 + number)
    assert len(limits) == 1


def test_memory_is_bounded_whatever_comes(monkeypatch):
    monkeypatch.setattr(admission, "_MOST_CLIENTS", 50)
    limits = ClientRates(rate=0.001, burst=1)
    for number in range(500):
        assert limits.take(str(number), number / 1000)
        assert len(limits) <= 50
