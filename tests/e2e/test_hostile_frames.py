"""Hostile clients: each gets one clear error, and a normal client is served meanwhile."""

import gevent
import pytest
from gevent.pool import Group

pytestmark = pytest.mark.e2e

LARGEST = 1 << 20


def envelope(params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","method":"Echo","id":1,"params":' + params + b"}"


JSON_CASES = {
    "garbage": (bytes(range(256)) * 4096, "json.encoding", "octet 128"),
    "ascii garbage": (b'}]x"\\{[' * 149_796, "json.syntax", "line 1 column 1"),
    "empty text": (b"    ", "json.syntax", "line 1 column 5"),
    "100,000 brackets": (b"[" * 100_000, "json.depth", "line 1 column 65"),
    "1 MiB of brackets": (b"[" * LARGEST, "json.depth", "line 1 column 65"),
    "deep params": (envelope(b'{"x_":' + b"[" * 63 + b"]" * 63 + b"}"), "json.depth", "nesting"),
    "duplicate member": (envelope(b'{"text":"a","text":"b"}'), "json.value", "params.text"),
    "duplicate deep": (envelope(b'{"x_":[0,{"a":1,"a":1}]}'), "json.value", "params.x_[1].a"),
    "NaN": (envelope(b'{"count":NaN}'), "json.value", "params.count: NaN"),
    "-Infinity": (envelope(b'{"x_":[-Infinity]}'), "json.value", "params.x_[0]: -Infinity"),
    "1e999": (envelope(b'{"count":1e999}'), "json.value", "params.count"),
    "leading zero": (envelope(b'{"count":012}'), "json.syntax", "line 1 column"),
    "lone surrogate": (envelope(b'{"text":"\\ud800"}'), "json.surrogate", "params.text"),
    "trailing data": (envelope(b"{}") + b"{}", "json.syntax", "extra data"),
    "an array": (b"[]", "json.not_object", "an array"),
    "a string": (b'"x"', "json.not_object", "a string"),
    "many digits": (envelope(b'{"count":' + b"9" * 1_000_000 + b"}"), "json.number", "4300"),
}


@pytest.mark.parametrize("name", JSON_CASES)
def test_json(server, name):
    body, kind, place = JSON_CASES[name]
    answer = server.send(server.frame(body[:LARGEST]))
    assert answer["id"] is None
    assert answer["result"] is None
    assert answer["error"]["code"] == 1000
    assert answer["error"]["data"]["kind"] == kind
    assert place in answer["error"]["message"]
    assert server.works()


@pytest.mark.parametrize("length", [LARGEST + 1, 2**31, 2**32 - 1])
def test_a_large_length_is_refused_from_the_header_alone(server, length):
    # Only the header is sent: the answer does not wait for any octet of the body.
    answer = server.send(length.to_bytes(4, "big"))
    assert answer["error"]["code"] == 1000
    assert answer["error"]["data"] == {"kind": "frame.too_long", "limit": LARGEST}
    assert str(length) in answer["error"]["message"]
    assert server.listener.counters.refused_frames == 1


def test_a_flood_behind_a_large_length_is_dropped(server):
    with server.connect() as sock:
        sock.sendall(b"\xff\xff\xff\xff" + b"x" * 4_000_000)
        assert server.read_response(sock)["error"]["data"]["kind"] == "frame.too_long"


def test_length_0(server):
    answer = server.send(b"\0\0\0\0")
    assert answer["error"]["data"]["kind"] == "frame.empty"
    assert answer["id"] is None


def test_half_a_header_keeps_nobody_out(server):
    with server.connect() as sock:
        sock.sendall(b"\0\0")
        assert server.works()


def test_half_a_header_then_silence(start):
    server = start(request_timeout_s=0.3)
    with server.connect() as sock:
        sock.sendall(b"\0\0")
        answer = server.read_response(sock)
    assert answer["error"]["code"] == 1000
    assert answer["error"]["data"]["kind"] == "request.timeout"
    assert "2 of 4 octets of the length" in answer["error"]["message"]


def test_the_timeout_is_over_the_whole_request(start):
    """Slow single octets do not keep a connection alive."""
    server = start(request_timeout_s=1.0)
    with server.connect() as sock:

        def trickle():
            for octet in server.request(params={"x_": "y" * 100_000}):
                sock.sendall(bytes([octet]))
                gevent.sleep(0.01)

        sender = gevent.spawn(trickle)
        answer = server.read_response(sock)
        sender.kill()
    assert answer["error"]["data"]["kind"] == "request.timeout"
    assert "octets of the request came" in answer["error"]["message"]


def test_300_idle_connections(start):
    server = start(client_connections=0)
    idle = [server.connect() for _ in range(300)]
    assert server.works()
    counters = server.listener.counters
    # 256 slots: 44 idle connections made room for other idle ones, one for the normal client.
    assert counters.evicted == 45
    for sock in idle[:45]:
        answer = server.read_response(sock)
        assert answer["error"]["code"] == 1000
        assert answer["error"]["data"]["kind"] == "connections.evicted"
    # A remaining connection can still send its request, however long it waited.
    idle[-1].sendall(server.request(params={"text": "at last"}))
    assert server.read_response(idle[-1])["result"] == {"echo": {"text": "at last"}}
    for sock in idle:
        sock.close()


def test_idle_connections_are_all_answered_in_the_end(start):
    server = start(request_timeout_s=0.3)
    idle = [server.connect() for _ in range(50)]
    kinds = {server.read_response(sock)["error"]["data"]["kind"] for sock in idle}
    assert kinds == {"request.timeout"}
    assert server.settles(lambda: len(server.listener._admission) == 0)


def test_complete_requests_are_not_turned_out(start):
    server = start(max_connections=3)
    holders = [server.connect() for _ in range(3)]
    for sock in holders:
        sock.sendall(server.request("Hold"))
    assert server.settles(lambda: server.service.held == 3)
    for _ in range(2):
        with server.connect() as sock:
            error = server.read_response(sock)["error"]
        assert error["code"] == 1000
        assert error["data"]["kind"] == "connections.too_many"
        assert "too many connections" in error["message"]
    server.service.release.set()
    assert [server.read_response(sock)["result"] for sock in holders] == ["held"] * 3
    assert server.works()


def test_the_longest_waiter_goes_and_the_holder_stays(start):
    server = start(max_connections=2)
    waiter, holder = server.connect(), server.connect()
    assert server.settles(lambda: len(server.listener._admission) == 2)
    holder.sendall(server.request("Hold"))
    assert server.settles(lambda: server.service.held == 1)
    assert server.works()
    assert server.read_response(waiter)["error"]["data"]["kind"] == "connections.evicted"
    server.service.release.set()
    assert server.read_response(holder)["result"] == "held"


def test_eviction_at_the_moment_the_request_arrives(start):
    """Whichever side wins the race, every client is answered and no slot is lost."""
    server = start(max_connections=1)
    kinds = []
    clients = Group()

    def client():
        answer = server.call(params={"text": "race"})
        kinds.append(answer["error"]["data"]["kind"] if "error" in answer else "served")

    for _ in range(300):
        clients.spawn(client)
    clients.join()
    assert len(kinds) == 300
    assert set(kinds) <= {"served", "connections.evicted", "connections.too_many"}
    assert "served" in kinds
    assert len(server.listener._admission) == 0
    assert server.works()


def test_networks_that_may_not_connect(start):
    server = start(allow=("192.0.2.0/24",))
    with server.connect() as sock:
        answer = server.read_response(sock)  # before a single octet was sent
    assert answer["error"]["data"]["kind"] == "access.denied"
    assert "127.0.0.1" in answer["error"]["message"]
    assert server.listener.counters.denied == 1


def test_networks_that_may_connect(start):
    assert start(allow=("192.0.2.0/24", "127.0.0.0/8")).works()
