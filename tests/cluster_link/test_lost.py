"""Processes that die, stand still and come back, and who detects it."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import gevent
import msgpack
import zmq.green as zmq
from support.waiting import GUARD_S, stays, until

from tsvc.cluster.link import Spoke

LOST_AFTER_S = 2.0
NOT_HEARD = "nothing heard for 2 s"
UNANSWERED = "the coordinator has answered nothing for 2 s"


@contextmanager
def heard_all_the_time(endpoint: str, name: str) -> Iterator[None]:
    """Act as a worker without a lease, with heartbeats as long as this process runs.

    The hub does not count the time in which this process stands still, so it cannot lose the
    worker.
    """
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.linger = 0
        socket.identity = name.encode()
        socket.connect(f"tcp://{endpoint}")

        def beat() -> None:
            said = {"speaks": 1, "name": name, "facts": {}}
            for kind, data in (("client_ready", "2.47.0"), ("join", said)):
                socket.send(msgpack.packb((kind, data, "")))
            while True:
                socket.send(msgpack.packb(("heartbeat", 1.0, "")))
                gevent.sleep(0.02)

        beating = gevent.spawn(beat)
        try:
            yield
        finally:
            beating.kill()


def work_as_new(hub, process) -> bool:
    """Return True if a new worker w1 joins and answers; False if it was lost before."""
    losses = len(hub.of("w1", "lost"))
    process(hub.endpoint)
    hub.send("w1", "do", "new")
    until(lambda: hub.of("w1", "do") or len(hub.of("w1", "lost")) > losses, what=lambda: hub.seen)
    return hub.of("w1", "do") == ["new"]


def vanish(hub) -> None:
    """Close the connections without a message, like the end of a killed process."""
    runner, hub._runner = hub._runner, None
    runner.greenlet.kill()
    runner.server.close(0)


def test_a_killed_process_is_lost_and_its_name_is_free(make_hub, process) -> None:
    hub = make_hub(lost_after_s=LOST_AFTER_S)
    worker = process(hub.endpoint)
    with heard_all_the_time(hub.endpoint, "other"):
        hub.wait_for("other", "joined")
        worker.signal(signal.SIGKILL)
        assert hub.wait_for("w1", "lost") == NOT_HEARD
        assert hub.peers() == ["other"]
        until(lambda: work_as_new(hub, process))
        assert hub.of("other", "lost") == []


def test_a_process_that_stood_still_ends_and_a_new_one_joins(make_hub, process) -> None:
    hub = make_hub(lost_after_s=LOST_AFTER_S)
    worker = process(hub.endpoint)
    worker.signal(signal.SIGSTOP)
    for nth in range(5):
        hub.send("w1", "do", nth)  # waits in its socket
    assert hub.wait_for("w1", "lost") == NOT_HEARD
    worker.signal(signal.SIGCONT)
    # It executes no message that came before it was given up.
    assert worker.said() == ["lost", UNANSWERED]
    assert hub.of("w1", "do") == []
    until(lambda: work_as_new(hub, process))


def test_an_idle_worker_is_not_lost(make_hub, join) -> None:
    """It is idle three times as long as a silent one may be; again if this process stood still."""
    hub = make_hub(lost_after_s=0.6)
    names = count()

    def is_kept() -> bool:
        name = f"w{next(names)}"
        spoke = join(hub.endpoint, name)
        last, standstill_s = time.monotonic(), 0.0
        ends_at = last + 1.8
        while last < ends_at and spoke.seen == []:
            gevent.sleep(0.01)
            now = time.monotonic()
            last, standstill_s = now, max(standstill_s, now - last)
        if standstill_s > 0.15 and spoke.seen:  # its heartbeats, each 0.2 s, could not be in time
            return False
        assert (spoke.seen, hub.of(name, "lost")) == ([], [])
        return True

    until(is_kept)


def test_what_comes_after_a_worker_may_be_given_up_is_not_taken(join) -> None:
    """From a socket that welcomes the worker and then does not answer until it is too late."""
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
        socket.linger = 0
        port = socket.bind_to_random_port("tcp://127.0.0.1")

        def welcome() -> bytes:
            identity, _ = socket.recv_multipart()
            said = msgpack.packb(("welcome", {"lost_after_s": 1.0}, ""))
            socket.send_multipart([identity, said])
            return bytes(identity)

        serving = gevent.spawn(welcome)
        spoke = join(f"127.0.0.1:{port}")
        spoke.pace(300)  # so that only the message makes it check the time
        stays(lambda: True, 1.1)
        socket.send_multipart([serving.get(), msgpack.packb(("tsvc", ["do", 1], ""))])
        assert spoke.wait_for("lost") == "the coordinator has answered nothing for 1 s"
        assert spoke.of("do") == []


def test_a_short_standstill_loses_nothing(make_hub, process) -> None:
    hub = make_hub(lost_after_s=60)
    worker = process(hub.endpoint)
    worker.signal(signal.SIGSTOP)
    for nth in range(100):
        assert hub.send("w1", "do", nth)
    stays(lambda: hub.peers() == ["w1"], 0.5)
    worker.signal(signal.SIGCONT)
    until(lambda: len(hub.of("w1", "do")) == 100)
    assert hub.of("w1", "do") == list(range(100))
    assert hub.of("w1", "lost") == []


def test_nobody_is_lost_because_the_coordinator_stood_still(make_hub) -> None:
    """The worker runs all the time, with a socket of its own in another thread of libzmq."""
    hub = make_hub(lost_after_s=LOST_AFTER_S)
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.linger = 0
        socket.identity = b"raw"
        socket.connect(f"tcp://{hub.endpoint}")
        said = {"speaks": 1, "name": "w1", "facts": {}}
        for kind, data in (("client_ready", "2.47.0"), ("join", said), ("heartbeat", 1.0)):
            socket.send(msgpack.packb((kind, data, "")))
        assert hub.wait_for("w1", "joined") == {}
        socket.send(msgpack.packb(("heartbeat", 2.0, "")))
        time.sleep(1.5 * LOST_AFTER_S)
        socket.send(msgpack.packb(("heartbeat", 3.0, "")))
        # The echo shows that the hub has read the messages that came while it stood still.
        kind, data = "", None
        while (kind, data) != ("heartbeat", 3.0):
            with gevent.Timeout(GUARD_S):
                kind, told, _ = msgpack.unpackb(socket.recv())
            data = told[0] if kind == "heartbeat" else None
        assert hub.of("w1", "lost") == []
        assert hub.wait_for("w1", "lost") == NOT_HEARD, "it says nothing any more"


def test_workers_end_when_their_coordinator_is_gone(make_hub, process) -> None:
    hub = make_hub(lost_after_s=LOST_AFTER_S)
    worker = process(hub.endpoint)
    vanish(hub)
    assert worker.said() == ["lost", UNANSWERED]


def test_a_coordinator_that_is_new_knows_nobody(make_hub, join) -> None:
    first = make_hub(lost_after_s=300)
    spoke = join(first.endpoint)
    vanish(first)
    second = make_hub(listen=first.endpoint)
    spoke.pace(0.05)
    assert spoke.wait_for("lost") == "the coordinator does not know this worker any more"
    assert second.seen == []


def test_who_is_lost_may_block_and_join_again(make_hub, join) -> None:
    hub = make_hub()
    answers = []

    def again(why: str) -> None:
        second = Spoke(hub.endpoint, "w1", on_message=print, on_lost=answers.append)
        second.start()
        answers.append((why, second.send("back", 1)))
        second.stop()

    first = Spoke(hub.endpoint, "w1", on_message=print, on_lost=again)
    first.start()
    hub.cut("w1", "go")
    until(lambda: answers, what=lambda: hub.seen)
    assert answers == [("go", True)]
    assert hub.wait_for("w1", "back") == 1
    first.stop()


def cpu_s(pid: int) -> float:
    """Return the CPU time of all threads of a process."""
    files = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in files) / 1e9


def test_what_an_idle_worker_sends(process) -> None:
    """To a socket that answers like a coordinator: only heartbeats, two a second."""
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
        socket.linger = 0
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        kinds = []

        def serve() -> None:
            while True:
                identity, octets = socket.recv_multipart()
                kind, data, _ = msgpack.unpackb(octets)
                kinds.append(kind)
                answers = {
                    "client_ready": ("ack", {"index": -1}),
                    "join": ("welcome", {"lost_after_s": 1.5}),
                    "heartbeat": ("heartbeat", [data, data]),
                }
                socket.send_multipart([identity, msgpack.packb((*answers[kind], ""))])

        serving = gevent.spawn(serve)
        began = time.monotonic()
        worker = process(f"127.0.0.1:{port}")
        before_s = cpu_s(worker.pid)
        stays(lambda: True, 1.7)
        serving.kill()
        took_s = time.monotonic() - began
        print(f"an idle worker: {(cpu_s(worker.pid) - before_s) / took_s:.3%} of a core at most")
    # It sends its greeting again if the answer takes long.
    first = kinds.index("heartbeat")
    assert kinds[:2] == ["client_ready", "join"]
    assert set(kinds[:first]) == {"client_ready", "join"}
    assert set(kinds[first:]) == {"heartbeat"}
    assert len(kinds) - first <= 2 + took_s / 0.5
