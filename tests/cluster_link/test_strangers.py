"""Peers that are not admitted, octets that are no message; other workers are not affected."""

import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import gevent
import msgpack
import pytest
import zmq.green as zmq
from gevent import socket as green_socket
from support.cluster_links import NotedHub, NotedSpoke
from support.waiting import GUARD_S, stays, until

from tsvc.cluster.curve import new_pair
from tsvc.cluster.errors import MAX_OCTETS
from tsvc.cluster.link import Hub, HubKeys, LinkError, Spoke, SpokeKeys

HELLO = [("client_ready", "2.47.0"), ("join", {"speaks": 1, "name": "raw", "facts": {}})]


class Keyed:
    """A coordinator with keys, and two pairs that it admits."""

    def __init__(self, make_hub: Callable[..., NotedHub]) -> None:
        self.public, secret = new_pair()
        self.first, self.second = new_pair(), new_pair()
        allowed = frozenset({self.first[0], self.second[0]})
        self.hub = make_hub(keys=HubKeys(self.public, secret, allowed))

    def keys(self, pair: tuple[str, str]) -> SpokeKeys:
        return SpokeKeys(*pair, self.public)


@pytest.fixture
def keyed(make_hub) -> Keyed:
    return Keyed(make_hub)


@contextmanager
def raw(endpoint: str, identity: bytes = b"raw", keys: SpokeKeys | None = None) -> Iterator[Any]:
    """A socket that connects like a worker's and sends what the test wants."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as one:
        one.linger = 0
        one.identity = identity
        if keys is not None:
            one.curve_serverkey = keys.server_public.encode()
            one.curve_publickey = keys.public.encode()
            one.curve_secretkey = keys.secret.encode()
        one.connect(f"tcp://{endpoint}")
        yield one


def say(one: Any, *messages: tuple[str, object]) -> None:
    for kind, data in messages:
        one.send(msgpack.packb((kind, data, "raw")))


def answered(one: Any) -> tuple[str, object]:
    """Return type and data of the next answer."""
    with gevent.Timeout(GUARD_S):
        kind, data, _ = msgpack.unpackb(one.recv())
    return kind, data


def undisturbed(hub: NotedHub, spoke: NotedSpoke, name: str = "w1") -> None:
    """Assert that a worker is there as before, and that messages go both ways."""
    before = len(hub.of(name, "still"))
    assert spoke.send("still", before)
    until(lambda: hub.of(name, "still") == list(range(before + 1)), what=lambda: hub.seen)
    assert hub.send(name, "still", before)
    until(lambda: spoke.of("still") == list(range(before + 1)), what=lambda: spoke.seen)
    assert hub.of(name, "lost") == spoke.of("lost") == []


def test_who_has_a_key_joins(keyed, join) -> None:
    first = join(keyed.hub.endpoint, "w1", keys=keyed.keys(keyed.first))
    second = join(keyed.hub.endpoint, "w2", keys=keyed.keys(keyed.second))
    undisturbed(keyed.hub, first)
    undisturbed(keyed.hub, second, "w2")
    assert keyed.hub.refused() == keyed.hub.dropped() == 0


def test_a_key_that_is_not_allowed(keyed, join) -> None:
    spoke = join(keyed.hub.endpoint, "w1", keys=keyed.keys(keyed.first))
    with pytest.raises(LinkError, match="this key is not allowed there"):
        join(keyed.hub.endpoint, "w2", keys=keyed.keys(new_pair()))
    assert keyed.hub.refused() >= 1
    undisturbed(keyed.hub, spoke)
    assert keyed.hub.peers() == ["w1"]


def refusal(endpoint: str, name: str, keys: SpokeKeys | None) -> str:
    """Return why a stranger does not join. It tries longer until the other side has refused."""
    for join_s in (0.5, 2, 8, 30, GUARD_S):
        stranger = Spoke(endpoint, name, on_message=print, on_lost=print, keys=keys)
        with pytest.raises(LinkError, match=f"no coordinator within {join_s:g} s: ") as caught:
            stranger.start(join_s=join_s)
        if "the other side " in str(caught.value):
            break
    return str(caught.value)


@pytest.mark.parametrize(
    "keys", [None, SpokeKeys(*new_pair(), new_pair()[0])], ids=["no", "other"]
)
def test_without_the_coordinators_key(keyed, join, keys: SpokeKeys | None) -> None:
    spoke = join(keyed.hub.endpoint, "w1", keys=keyed.keys(keyed.first))
    assert re.search(r"the other side .*keys\?$", refusal(keyed.hub.endpoint, "w2", keys))
    undisturbed(keyed.hub, spoke)
    assert keyed.hub.peers() == ["w1"]


def test_keys_at_one_side_only(hub) -> None:
    keys = SpokeKeys(*new_pair(), new_pair()[0])
    assert "the other side " in refusal(hub.endpoint, "w1", keys)
    assert hub.seen == []


def test_a_key_that_is_removed(keyed, join) -> None:
    first = join(keyed.hub.endpoint, "w1", keys=keyed.keys(keyed.first))
    second = join(keyed.hub.endpoint, "w2", keys=keyed.keys(keyed.second))
    assert keyed.hub.allow(frozenset({keyed.first[0]})) == ["w2"]
    assert keyed.hub.of("w2", "lost") == [], "the caller knows it"
    assert second.wait_for("lost") == "its key is no longer allowed"
    with pytest.raises(LinkError, match="this key is not allowed there"):
        join(keyed.hub.endpoint, "w2", keys=keyed.keys(keyed.second))
    undisturbed(keyed.hub, first)
    keyed.hub.allow(frozenset({keyed.first[0], keyed.second[0]}))
    join(keyed.hub.endpoint, "w2", keys=keyed.keys(keyed.second))


def test_what_a_removed_key_still_sends_is_dropped(keyed, join) -> None:
    """From a worker that does not disconnect, on its existing connection."""
    first = join(keyed.hub.endpoint, "w1", keys=keyed.keys(keyed.first))
    with raw(keyed.hub.endpoint, keys=keyed.keys(keyed.second)) as one:
        say(one, *HELLO, ("tsvc", ["n", 1]))
        assert keyed.hub.wait_for("raw", "n") == 1
        keyed.hub.allow(frozenset({keyed.first[0]}))
        say(one, ("tsvc", ["n", 2]), *HELLO, ("tsvc", ["n", 3]))
        until(lambda: keyed.hub.dropped() == 4, what=keyed.hub.dropped)
    assert keyed.hub.of("raw", "n") == [1]
    undisturbed(keyed.hub, first)


def test_nobody_speaks_for_another(keyed) -> None:
    """A connection that uses another one's name, with a key of its own."""
    with raw(keyed.hub.endpoint, keys=keyed.keys(keyed.first)) as one:
        say(one, *HELLO, ("tsvc", ["n", 1]))
        assert keyed.hub.wait_for("raw", "n") == 1
        with raw(keyed.hub.endpoint, keys=keyed.keys(keyed.second)) as other:
            say(other, ("tsvc", ["n", 2]), ("quit", None))
            until(lambda: keyed.hub.dropped() == 2, what=keyed.hub.dropped)
    assert keyed.hub.of("raw", "n") == [1]
    assert keyed.hub.peers() == ["raw"]


def test_a_pair_that_is_none() -> None:
    public, secret = new_pair()
    keys = SpokeKeys(new_pair()[0], secret, public)
    spoke = Spoke("127.0.0.1:1", "w1", on_message=print, on_lost=print, keys=keys)
    with pytest.raises(LinkError, match="the worker's public key is not that of its secret key"):
        spoke.start()
    hub = Hub(
        "127.0.0.1:0",
        on_message=print,
        on_join=print,
        on_lost=print,
        keys=HubKeys(new_pair()[0], secret),
    )
    with pytest.raises(LinkError, match="the coordinator's public key is not that of its secret"):
        hub.start()


GREETING = b"\xff\0\0\0\0\0\0\0\1\x7f\3\1"  # of ZMTP 3.1, before the name of a mechanism
GARBAGE = [
    b"",
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    bytes(100_000),
    b"\xff" * 100_000,
    os.urandom(100_000),
    GREETING,
    GREETING + b"NULL".ljust(20, b"\0") + bytes(32) + b"\4\xff" + os.urandom(1000),
    GREETING + b"CURVE".ljust(20, b"\0") + bytes(32) + b"\4\xc8\5HELLO" + os.urandom(193),
    GREETING + b"PLAIN".ljust(20, b"\0") + bytes(32) + b"\4\x0e\5HELLO\1u\1p",
]


@pytest.mark.parametrize("has_keys", [False, True])
def test_garbage_on_the_port(hub, keyed, join, has_keys: bool) -> None:
    hub = keyed.hub if has_keys else hub
    spoke = join(hub.endpoint, keys=keyed.keys(keyed.first) if has_keys else None)
    host, _, port = hub.endpoint.rpartition(":")
    open_ones = []
    for octets in GARBAGE:
        one = green_socket.create_connection((host, int(port)), timeout=GUARD_S)
        open_ones.append(one)
        with suppress(OSError):  # the other side may close before all octets have come
            one.sendall(octets)
        undisturbed(hub, spoke)
    for one in open_ones:
        one.close()
    undisturbed(hub, spoke)
    assert hub.peers() == ["w1"]


WRONG = [
    b"",
    b"\xc1",
    b"garbage",
    os.urandom(1000),
    b"\x91" * 100_000,  # lists in lists
    b"\xdd\xff\xff\xff\xff",  # a list of 2^32 - 1
    b"\xdb\xff\xff\xff\xff",
    msgpack.packb(5),
    msgpack.packb(["tsvc", ["n", 1]]),
    msgpack.packb([5, ["n", 1], "raw"]),
    msgpack.packb(["tsvc", ["n", 1], "raw"]) + b"\0",
    msgpack.packb([b"tsvc", ["n", 1], "raw"]),
    b"\x93\xa4tsvc\x81\x90\x01\xa3raw",  # a list as a key
]
# Types of Locust itself, and data that does not match.
UNKNOWN: list[tuple[str, object]] = [
    ("spawn", {"timestamp": 1, "user_classes_count": {}}),
    ("spawning", None),
    ("spawning_complete", {}),
    ("locustfile", {"version": "2.47.0"}),
    ("client_stopped", None),
    ("exception", {"msg": "x", "traceback": "y"}),
    ("stats", {"stats": []}),
    ("logs", {"worker_id": "raw", "logs": []}),
    ("update_user_class", {}),
    ("ack", None),
    ("gone", "?"),
    ("welcome", {"lost_after_s": 0.0}),
    ("client_ready", None),
    ("client_ready", {"a": 1}),
    ("tsvc", None),
    ("tsvc", ["n"]),
    ("tsvc", [1, 2]),
    ("tsvc", {"n": 1}),
]


def test_messages_that_are_none(hub, join, capfd, caplog) -> None:
    """From a worker that has joined: invalid messages are dropped and counted, one by one."""
    spoke = join(hub.endpoint)
    with raw(hub.endpoint) as one:
        say(one, *HELLO)
        hub.wait_for("raw", "joined")
        for octets in WRONG:
            one.send(octets)
        one.send_multipart([msgpack.packb(["tsvc", ["n", 1], "raw"])] * 2)
        say(one, *UNKNOWN)
        say(one, ("tsvc", ["n", 2]))
        assert hub.wait_for("raw", "n") == 2
    assert hub.dropped() == len(WRONG) + 1 + len(UNKNOWN)
    undisturbed(hub, spoke)
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_messages_of_who_has_not_joined(hub, join) -> None:
    spoke = join(hub.endpoint)
    with raw(hub.endpoint) as one:
        say(one, ("tsvc", ["n", 1]), HELLO[1], *UNKNOWN, ("heartbeat", 1.0))
        assert answered(one) == ("gone", "the coordinator does not know this worker any more")
        say(one, HELLO[0], ("tsvc", ["n", 2]))
        until(lambda: hub.dropped() == 2 + len(UNKNOWN) + 1, what=hub.dropped)
    assert hub.of("raw", "n") == []
    undisturbed(hub, spoke)


def test_an_identity_that_is_no_text(hub, join) -> None:
    spoke = join(hub.endpoint)
    with raw(hub.endpoint, identity=b"\xff\xfe") as one:
        say(one, *HELLO)
        until(lambda: hub.dropped() == 2)
    undisturbed(hub, spoke)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (None, "it speaks version None of the link, the coordinator 1"),
        ({"speaks": 2, "name": "raw", "facts": {}}, "it speaks version 2 of the link"),
        ({"speaks": 1, "facts": {}}, "a name has 1 to 64 printable characters"),
        ({"speaks": 1, "name": 5, "facts": {}}, "a name has 1 to 64 printable characters"),
        ({"speaks": 1, "name": "raw"}, "facts are an object"),
    ],
)
def test_joining_with_what_does_not_fit(hub, said: object, why: str) -> None:
    with raw(hub.endpoint) as one:
        say(one, HELLO[0], ("join", said))
        assert answered(one)[0] == "ack"
        kind, reason = answered(one)
        assert (kind, str(reason).startswith(why)) == ("gone", True), reason
    assert hub.seen == []


@pytest.mark.parametrize("has_keys", [False, True])
def test_a_message_that_is_too_long_ends_its_connection(hub, keyed, join, has_keys: bool) -> None:
    hub = keyed.hub if has_keys else hub
    spoke = join(hub.endpoint, keys=keyed.keys(keyed.first) if has_keys else None)
    with raw(hub.endpoint, keys=keyed.keys(keyed.second) if has_keys else None) as one:
        say(one, *HELLO)
        hub.wait_for("raw", "joined")
        one.send(bytes(10_000_000))
        one.send(bytes(MAX_OCTETS + 100_000))
        undisturbed(hub, spoke)
        say(one, ("tsvc", ["n", 1]))
        stays(lambda: hub.dropped() == 0, 0.1)
    undisturbed(hub, spoke)


def test_a_worker_drops_what_is_no_message(process) -> None:
    """Whatever the other end sends: no users are started, nothing is read, it continues."""
    with zmq.Context() as context, context.socket(zmq.ROUTER) as one:
        one.linger = 0
        port = one.bind_to_random_port("tcp://127.0.0.1")

        def welcome() -> bytes:
            identity, _ = one.recv_multipart()
            for kind, data in (("ack", {"index": 3}), ("welcome", {"lost_after_s": 300.0})):
                one.send_multipart([identity, msgpack.packb([kind, data, ""])])
            return bytes(identity)

        serving = gevent.spawn(welcome)
        worker = process(f"127.0.0.1:{port}")
        identity = serving.get()
        own = [("quit", None), ("stop", None), ("reconnect", None), ("heartbeat", None)]
        fitting = [*own, *(pair for pair in UNKNOWN if pair[0] not in ("ack", "gone"))]
        for octets in [*WRONG, *(msgpack.packb([*pair, ""]) for pair in fitting)]:
            one.send_multipart([identity, octets])
        one.send_multipart([identity, msgpack.packb(["tsvc", ["n", 7], ""])])
        assert worker.said() == ["n", 7]


def test_many_connections_that_say_nothing(hub, join) -> None:
    host, _, port = hub.endpoint.rpartition(":")
    silent = [socket.create_connection((host, int(port))) for _ in range(200)]
    spoke = join(hub.endpoint)
    undisturbed(hub, spoke)
    for one in silent:
        one.close()
