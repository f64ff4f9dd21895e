"""Requests that are begun and reported later, for callers without a greenlet."""

import gevent
import pytest
from gevent.event import Event
from support.waiting import GUARD_S, until
from unit.transport.http_servers import RawServer, answering, ok

from tsvc.errors import GatewayError
from tsvc.transport.http.client import HttpClient
from tsvc.transport.http.failures import ConnectionLost, TimedOut
from tsvc.transport.http.message import Request
from tsvc.transport.http.settings import HttpConfig

POST = Request("POST", "/x", (("Host", "h"), ("Content-Length", "3")), b"abc")


class Heard(list):
    """A list of all reports; each entry is the list of one call."""

    def __call__(self, came):
        self.append([*came])


@pytest.fixture
def client_of(request):
    def make(handle, **members):
        server = RawServer(handle)
        request.addfinalizer(server.stop)
        given = {"remote_host": "127.0.0.1", "remote_port": server.port, **members}
        client = HttpClient(HttpConfig.load(given))
        client.pool.open()
        client.pool.warm()
        client.server_ = server
        request.addfinalizer(lambda: client.close("the test is over"))
        return client

    return make


def counts(client):
    return [client.counters[name] for name in ("requests", "responses", "failures", "connects")]


def test_one_after_the_other(client_of):
    client = client_of(answering(ok(b"1"), ok(b"2"), ok(b"3")))
    for number in (b"1", b"2"):
        heard = Heard()
        connection = client.begin(POST.octets(), heard)
        assert connection.hears
        assert (client.pool.lent, client.begin(b"", heard)) == (1, None)
        until(lambda heard=heard: heard)
        assert heard == [[ok(number)]]
        client.finish(connection)
        assert (client.pool.lent, client.pool.free) == (0, 1)
    assert client.send(POST).body == b"3"  # like any other request
    assert client.server_.requests == [POST.octets()] * 3
    assert counts(client) == [3, 3, 0, 1]


def test_a_connection_that_has_served_may_be_stale(client_of):
    client = client_of(answering(ok(b"1"), None, ok(b"3")))
    heard = Heard()
    connection = client.begin(POST.octets(), heard)
    until(lambda: heard)
    client.finish(connection)
    assert client.send(Request("GET", "/", (("Host", "h"),))).body == b"3"
    assert client.counters["resent"] == 1


def halves(server, sock, _):
    while server.read(sock) is not None:
        sock.sendall(ok(b"abcd")[:-2])
        server.go_on.wait(GUARD_S)
        sock.sendall(b"cd")


def test_who_hears_something_goes_on_by_asking(client_of):
    client = client_of(halves)
    client.server_.go_on = Event()
    heard = Heard()
    connection = client.begin(POST.octets(), heard)
    until(lambda: heard)
    connection.hand_over(lambda: 0.0)
    assert not connection.hears
    asking = gevent.spawn(client.ask, POST, None, connection)
    gevent.sleep(0)
    client.server_.go_on.set()
    assert asking.get(timeout=GUARD_S).body == b"abcd"
    assert len(heard) == 1
    assert client.server_.requests == [POST.octets()]
    assert (client.pool.lent, client.pool.free) == (0, 1)
    assert counts(client) == [1, 1, 0, 1]


def test_the_time_that_has_passed_is_part_of_the_deadline(client_of):
    client = client_of(answering(b""), server_timeout_s=600)
    connection = client.begin(POST.octets(), Heard())
    connection.hand_over(lambda: 600.0)
    with pytest.raises(TimedOut, match="no response within 600 s"):
        client.ask(POST, None, connection)
    assert (client.pool.lent, client.pool.free) == (0, 0)
    assert counts(client) == [1, 0, 1, 1]


def test_what_ends_it_before_it_asks_closes_the_connection(client_of):
    client = client_of(answering(ok()))
    connection = client.begin(POST.octets(), Heard())

    def live():
        raise KeyError("cancelled")

    connection.hand_over(live)
    with pytest.raises(KeyError, match="cancelled"):
        client.ask(POST, None, connection)
    assert (client.pool.lent, client.pool.free) == (0, 0)
    again = client.pool.lease()
    with again as other:
        assert other is not connection


def test_a_long_request_that_does_not_go_in_one(client_of):
    client = client_of(answering(ok()))
    body = b"x" * (16 << 20)
    long = Request("PUT", "/x", (("Host", "h"), ("Content-Length", str(len(body)))), body)
    connection = client.begin(long.octets(), Heard())
    assert not connection.hears
    connection.hand_over(lambda: 0.0)
    assert client.ask(long, None, connection).body == b"{}"
    assert client.server_.requests == [long.octets()]


@pytest.mark.parametrize("is_asking", [False, True])
def test_close_ends_it(client_of, is_asking):
    client = client_of(answering(b""))
    heard = Heard()
    connection = client.begin(POST.octets(), heard)
    if is_asking:
        connection.hand_over(lambda: 0.0)
    client.close("stopped")
    if not is_asking:
        ((error,),) = heard
        assert isinstance(error, OSError)
        connection.hand_over(lambda: 0.0)
    with pytest.raises(ConnectionLost, match="closed in another greenlet"):
        client.ask(POST, None, connection)
    assert client.pool.lent == 0


def test_a_server_that_ends_it(client_of):
    client = client_of(answering(ok(), None))
    client.send(POST)
    heard = Heard()
    connection = client.begin(POST.octets(), heard)
    until(lambda: heard)
    assert heard[0] == [b""]
    connection.hand_over(lambda: 0.0)
    with pytest.raises(GatewayError, match="the server closed the connection without an answer"):
        client.ask(POST, None, connection)


def test_given_up(client_of):
    client = client_of(answering(b""))
    connection = client.begin(POST.octets(), Heard())
    client.give_up(connection)
    assert (client.pool.lent, client.pool.free, client.pool.has_free) == (0, 0, False)
    assert client.begin(POST.octets(), Heard()) is None
    assert counts(client) == [1, 0, 0, 1]
