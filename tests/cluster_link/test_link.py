"""Joining, sending and leaving."""

import gc
import logging
import os
import re
from itertools import pairwise

import gevent
import pytest
from support.waiting import GUARD_S, stays, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.errors import MAX_OCTETS
from tsvc.cluster.link import Hub, LinkError, Spoke

BODIES = [
    None,
    True,
    -(2**63),
    2**64 - 1,
    1.5,
    float("inf"),
    "",
    "ключ \0 \U0001f4de",
    b"\x00\xff" * 7000,
    [1, [2, [3, {}]]],
    {"n": 1, 7: "int", b"k": b"v", "nested": {"a": [None]}},
    {"__datetime__": True, "as_str": "not one"},  # Locust would take it for a datetime
    {"__ObjectId__": True, "as_str": "neither"},
]


def test_joining_with_facts(hub, join) -> None:
    join(hub.endpoint, "w1", facts={"pid": 17, "host": "h", "cores": [1, 2]})
    join(hub.endpoint, "w2")
    assert hub.peers() == ["w1", "w2"]
    assert hub.seen == [
        ("w1", "joined", {"pid": 17, "host": "h", "cores": [1, 2]}),
        ("w2", "joined", {}),
    ]


def test_bodies_arrive_equal_and_in_order_both_ways(hub, process) -> None:
    worker = process(hub.endpoint)
    for nth in range(20):
        for body in BODIES[:8]:
            assert hub.send("w1", f"k{nth}", body)
    sent = [(f"k{nth}", body) for nth in range(20) for body in BODIES[:8]]
    until(lambda: len(hub.seen) == 1 + len(sent), what=lambda: hub.seen)
    assert [(kind, body) for _, kind, body in hub.seen[1:]] == sent
    assert [tuple(worker.said()) for _ in sent] == sent


@pytest.mark.parametrize("body", BODIES, ids=repr)
def test_a_body_arrives_as_it_was(hub, join, body: object) -> None:
    spoke = join(hub.endpoint)
    assert hub.send("w1", "there", body)
    assert spoke.send("back", body)
    got = [spoke.wait_for("there"), hub.wait_for("w1", "back")]
    assert got == [body, body]
    assert [type(one) for one in got] == [type(body)] * 2


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (object(), "can't be sent: can not serialize 'object' object"),
        ({1, 2}, "can't be sent: can not serialize 'set' object"),
        (2**64, "can't be sent: Integer value out of range"),
        ("\ud800", "can't be sent: 'utf-8' codec can't encode"),
        (bytes(MAX_OCTETS), f"octets are more than the {MAX_OCTETS} of a message"),
    ],
    ids=["object", "set", "integer", "surrogate", "long"],
)
def test_what_can_not_be_sent_is_told_and_harms_nothing(hub, join, body, why: str) -> None:
    spoke = join(hub.endpoint)
    for send in (spoke.send, lambda kind, body: hub.send("w1", kind, body)):
        with pytest.raises(LinkError, match=why):
            send("bad", body)
        assert send("good", 1)
    assert (hub.wait_for("w1", "good"), spoke.wait_for("good")) == (1, 1)
    assert hub.of("w1", "bad") == spoke.of("bad") == []


def test_the_longest_message_arrives(hub, join) -> None:
    spoke = join(hub.endpoint)
    body = bytes(MAX_OCTETS - 100)
    assert spoke.send("long", body)
    assert hub.wait_for("w1", "long") == body


@pytest.mark.usefixtures("patient_close")
def test_sending_to_nobody(hub, join) -> None:
    assert not hub.send("w1", "kind", 1)
    spoke = join(hub.endpoint)
    spoke.stop()
    assert hub.wait_for("w1", "lost") == "it has left"
    assert not hub.send("w1", "kind", 1)
    assert not spoke.send("kind", 1)
    assert hub.peers() == []
    hub.stop()
    assert not hub.send("w1", "kind", 1)


def test_a_name_is_one_worker(hub, join) -> None:
    first = join(hub.endpoint, "w1")
    with pytest.raises(LinkError, match="not admitted: there is a worker 'w1' already"):
        join(hub.endpoint, "w1")
    assert hub.send("w1", "still", 1)
    assert first.wait_for("still") == 1
    assert hub.of("w1", "lost") == []


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb", "\x1b[2J"])
def test_what_is_no_name(hub, join, name: str) -> None:
    with pytest.raises(LinkError, match="a name has 1 to 64 printable characters"):
        join(hub.endpoint, name)
    assert hub.seen == []


def test_who_is_cut_is_told_and_may_join_anew(hub, join) -> None:
    spoke = join(hub.endpoint)
    hub.cut("w1", "its clock is off")
    hub.cut("nobody")
    assert hub.peers() == []
    assert spoke.wait_for("lost") == "its clock is off"
    assert not spoke.send("late", 1)
    join(hub.endpoint).send("again", 1)
    assert hub.wait_for("w1", "again") == 1
    assert hub.of("w1", "lost") == []  # the side that cuts knows it


def test_what_a_cut_worker_has_sent_meanwhile_is_dropped(hub, join) -> None:
    spoke = join(hub.endpoint)
    assert spoke.send("late", 1)
    hub.cut("w1")
    spoke.wait_for("lost")
    until(hub.dropped)
    assert hub.of("w1", "late") == []


@pytest.mark.usefixtures("patient_close")
def test_a_coordinator_that_stops_says_so(make_hub, join) -> None:
    hub = make_hub()
    spokes = [join(hub.endpoint, name) for name in ("w1", "w2")]
    hub.stop("the service stops")
    assert [spoke.wait_for("lost") for spoke in spokes] == ["the service stops"] * 2
    stays(lambda: [len(spoke.of("lost")) for spoke in spokes] == [1, 1], 0.1)


def test_an_error_of_who_is_called_back_is_logged_and_ends_nothing(hub, caplog) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("of the callback")

    answers: list[object] = []
    failing = Hub("127.0.0.1:0", on_message=fail, on_join=fail, on_lost=fail)
    failing.start()
    spoke = Spoke(failing.endpoint, "w1", on_message=fail, on_lost=answers.append)
    try:
        with caplog.at_level(logging.ERROR, logger="tsvc"):
            spoke.start()
            for nth in range(3):
                spoke.send("n", nth)
                failing.send("w1", "n", nth)
            until(lambda: len(caplog.records) == 7, what=lambda: caplog.records)
        assert failing.peers() == ["w1"]
        failing.cut("w1", "enough")
        until(lambda: answers == ["enough"])
    finally:
        spoke.stop()
        failing.stop()


def test_others_have_their_turn_while_much_is_read(hub, join) -> None:
    spoke = join(hub.endpoint)
    turns = []

    def count() -> None:
        while True:
            turns.append(len(hub.seen))
            gevent.sleep(0)

    for nth in range(800):  # fewer than a socket keeps, so that all of them wait there
        assert spoke.send("n", nth)
    counting = gevent.spawn(count)
    until(lambda: len(hub.of("w1", "n")) == 800)
    counting.kill()
    assert hub.of("w1", "n") == list(range(800))
    steps = [after - before for before, after in pairwise(turns)]
    assert max(steps) <= 32


def test_echoes_have_the_moments_of_both(hub, join) -> None:
    """Both sides read the same clock here, so its moments are in order."""
    spoke = join(hub.endpoint)
    spoke.pace(0.02)
    until(lambda: len(spoke.echoes) > 5)
    assert spoke.echoes == sorted(spoke.echoes)
    for sent, theirs, received in spoke.echoes:
        assert sent <= theirs <= received


def test_the_pace_of_heartbeats(make_hub, join) -> None:
    spoke = join(make_hub(lost_after_s=300).endpoint)
    until(lambda: len(spoke.echoes) == 1)
    stays(lambda: len(spoke.echoes) == 1, 0.2)
    spoke.pace(0.01)
    until(lambda: len(spoke.echoes) > 10)
    paced_at = SYSTEM_CLOCK.now()
    spoke.pace()

    def sent_since() -> int:
        return sum(sent >= paced_at for sent, *_ in spoke.echoes)

    # pace() itself sends one heartbeat; the next heartbeat is due after 100 s.
    until(sent_since)
    stays(lambda: sent_since() == 1, 0.2)


def test_nothing_is_left_of_a_link(make_hub, join) -> None:
    def held() -> tuple[int, int, int]:
        """Return the numbers of threads, descriptors and greenlets.

        The threads of the loop's pool are left out: the pool keeps as many as were once busy.
        """
        gc.collect()
        greenlets = [one for one in gc.get_objects() if isinstance(one, gevent.Greenlet)]
        alive = sum(not one.dead for one in greenlets)
        threads = len(os.listdir("/proc/self/task")) - gevent.get_hub().threadpool.size
        return threads, len(os.listdir("/proc/self/fd")), alive

    def once() -> None:
        hub = make_hub()
        spoke, other = join(hub.endpoint, "w1"), join(hub.endpoint, "w2")
        spoke.stop()
        hub.cut("w2")
        other.wait_for("lost")
        with pytest.raises(LinkError):
            join(hub.endpoint, "")
        with pytest.raises(LinkError):
            make_hub(listen=hub.endpoint)
        hub.stop()

    once()  # creates what is made once and stays, such as the loop's pool
    before = held()
    for _ in range(5):
        once()
    # Objects left by other tests may have become fewer.
    until(
        lambda: all(now <= then for now, then in zip(held(), before, strict=True)),
        what=lambda: (before, held()),
    )


def test_where_nobody_listens(join) -> None:
    spoke = Spoke("127.0.0.1:1", "w1", on_message=print, on_lost=print)
    with pytest.raises(LinkError, match=r"127\.0\.0\.1:1: no coordinator within 0\.3 s: nobody l"):
        spoke.start(join_s=0.3)
    assert not spoke.send("kind", 1)
    spoke.stop()


def test_a_worker_that_is_there_before_its_coordinator(make_hub, join) -> None:
    first = make_hub()
    endpoint = first.endpoint
    first.stop()
    joining = gevent.spawn(join, endpoint)
    gevent.idle()
    second = make_hub(listen=endpoint)
    assert second.wait_for("w1", "joined") == {}
    joining.get(timeout=GUARD_S)
    assert second.endpoint == endpoint


@pytest.mark.parametrize("where", ["0.0.0.0:0", "*:0", "192.0.2.1:0", "[::]:0"])
def test_without_keys_only_the_loopback(where: str) -> None:
    hub = Hub(where, on_message=print, on_join=print, on_lost=print)
    spoke = Spoke(where, "w1", on_message=print, on_lost=print)
    for one in (hub, spoke):
        with pytest.raises(LinkError, match="other machines are reached with keys only"):
            one.start()


@pytest.mark.parametrize(
    "where", ["", "127.0.0.1", "127.0.0.1:", ":5557", "h:65536", "h:x", "h:²"]
)
def test_what_is_no_address(where: str) -> None:
    with pytest.raises(LinkError, match="is not HOST:PORT"):
        Hub(where, on_message=print, on_join=print, on_lost=print).start()


def test_a_name_that_nobody_knows() -> None:
    with pytest.raises(LinkError, match=r"no\.such\.host\.invalid:1: "):
        Spoke("no.such.host.invalid:1", "w1", on_message=print, on_lost=print).start()


def test_a_port_that_is_taken(hub) -> None:
    second = Hub(hub.endpoint, on_message=print, on_join=print, on_lost=print)
    with pytest.raises(LinkError, match=rf"{re.escape(hub.endpoint)}: Address already in use"):
        second.start()
    second.stop()


@pytest.mark.parametrize("listen", ["localhost:0", "[::1]:0"])
def test_names_and_version_6(make_hub, join, listen: str) -> None:
    hub = make_hub(listen=listen)
    join(hub.endpoint).send("n", 1)
    assert hub.wait_for("w1", "n") == 1
