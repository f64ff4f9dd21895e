"""A wait for a peer must not end because this process could not run."""

import socket
import time
from collections.abc import Iterator

import gevent
import pytest
from gevent.socket import wait_read
from support.waiting import hang, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.deadline import LATE_S, READ_S, Deadline, overtime
from tsvc.operations.fast_path.waits import TimeoutQueue
from tsvc.transport.mailbox import Mailbox

WAIT_S = 0.05
STALL_S = 4 * WAIT_S


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def read_into(mailbox: Mailbox[bytes], ours: socket.socket) -> None:
    wait_read(ours.fileno())
    mailbox.put(ours.recv(10))


def send_and_stall(theirs: socket.socket) -> None:
    """Send an answer, and block the process until the wait is over."""
    theirs.send(b"answer")
    time.sleep(STALL_S)


def test_what_arrived_during_a_stall_is_returned(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = pair
    mailbox: Mailbox[bytes] = Mailbox()
    reader = gevent.spawn(read_into, mailbox, ours)
    gevent.sleep(0)  # the reader waits for the socket now
    gevent.spawn(send_and_stall, theirs)
    assert mailbox.get(WAIT_S) == b"answer"
    reader.join()


def test_a_deadline_lets_a_block_take_what_arrived_during_a_stall(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = pair
    gevent.spawn(send_and_stall, theirs)
    with Deadline(WAIT_S, TimeoutError):
        wait_read(ours.fileno())
        assert ours.recv(10) == b"answer"


def test_a_peer_that_is_asked_after_a_stall_has_its_time() -> None:
    mailbox: Mailbox[str] = Mailbox()

    def ask() -> None:
        time.sleep(STALL_S)
        gevent.spawn_later(WAIT_S / 2, mailbox.put, "answer")

    gevent.spawn(ask)
    assert mailbox.get(WAIT_S) == "answer"


class Replayed:
    """A replayed instance, as far as a TimeoutQueue needs it."""

    def __init__(self) -> None:
        self.fell_back = 0

    pending = None

    def time_out(self) -> None:
        self.fell_back += 1


def test_a_replayed_instance_has_the_time_for_which_the_process_stood_still() -> None:
    waits = TimeoutQueue(WAIT_S, SYSTEM_CLOCK)
    answered, silent = Replayed(), Replayed()

    def answer() -> None:
        del waits.until[answered]

    def stall() -> None:
        time.sleep(STALL_S)
        gevent.spawn_later(WAIT_S / 2, answer)

    waits.add(answered, SYSTEM_CLOCK.now())
    waits.add(silent, SYSTEM_CLOCK.now())
    gevent.spawn(stall)
    until(lambda: silent.fell_back)
    assert (answered.fell_back, silent.fell_back) == (0, 1)
    waits.end()


def test_silence_ends_the_wait() -> None:
    assert Mailbox[str]().get(WAIT_S) is None
    assert Mailbox[str]().get(0.0) is None
    with pytest.raises(TimeoutError), Deadline(WAIT_S, TimeoutError):
        hang()


class Times:
    """A clock that returns the given times, one after the other."""

    def __init__(self, *times: float) -> None:
        self._times = list(times)

    def __call__(self) -> float:
        return self._times.pop(0) if len(self._times) > 1 else self._times[0]


def steps(seconds: float, *times: float) -> list[float]:
    return [round(left, 6) for left in overtime(10.0, seconds, Times(*times))]


def test_a_timer_on_time_is_followed_by_a_look_at_the_sockets() -> None:
    assert steps(2.0, 10.0 + LATE_S / 2) == [READ_S]


def test_a_timer_that_fires_early_goes_on_for_what_is_missing() -> None:
    assert steps(2.0, 9.7, 9.7, 10.0) == [0.3, READ_S]


def test_a_timer_that_fires_late_goes_on_for_as_long_as_it_was_late() -> None:
    assert steps(2.0, 10.5, 10.5, 11.0) == [0.5, READ_S]


def test_a_wait_goes_on_for_at_most_as_long_as_it_was_to_last() -> None:
    assert steps(2.0, 3610.0, 3610.0, 3612.0) == [2.0, READ_S]


def test_a_wait_that_is_always_late_ends() -> None:
    times = [10.0 + 5 * number for number in range(1, 50)]
    found = steps(1.0, *times)
    assert len(found) == 11
    assert found[-1] == READ_S
