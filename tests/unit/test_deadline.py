"""Deadlines of blocks: whose timeout it is, that none is swallowed, and nothing stays behind."""

import gc
import weakref
from contextlib import suppress

import gevent
import pytest
from gevent.event import Event
from support.waiting import GUARD_S

from tsvc.deadline import Deadline, at_most


class Late(Exception):
    pass


def test_it_is_raised_where_the_block_is():
    with pytest.raises(Late), Deadline(0.01, Late):
        Event().wait(GUARD_S)


def test_what_is_done_in_time_is_done():
    with Deadline(10, Late):
        pass
    with Deadline(None, Late):
        pass


def test_no_except_inside_can_eat_it():
    with pytest.raises(Late), Deadline(0.01, Late), suppress(Exception):
        Event().wait(GUARD_S)


def test_the_outer_one_passes_through_the_inner_one():
    with pytest.raises(Late), Deadline(0.01, Late), Deadline(10, ValueError), at_most(10):
        Event().wait(GUARD_S)


def test_another_timeout_passes_through():
    with pytest.raises(gevent.Timeout), gevent.Timeout(0.01), Deadline(10, Late):
        Event().wait(GUARD_S)


def test_an_error_of_the_block_is_its_own():
    with pytest.raises(KeyError), Deadline(10, Late), at_most(10):
        raise KeyError


def test_at_most_is_silent():
    with at_most(0.01):
        Event().wait(GUARD_S)


@pytest.mark.parametrize("is_silent", [False, True])
def test_nothing_is_left_to_be_found_by_a_collection(is_silent):
    class Held:
        """An object in the frame of the block."""

    def leave():
        held = Held()
        try:
            with at_most(0.01) if is_silent else Deadline(0.01, Late):
                Event().wait(GUARD_S)
        except Late:
            pass
        return weakref.ref(held)

    gc.disable()
    try:
        left = [leave() for _ in range(2)]
        assert [one() for one in left] == [None, None]
    finally:
        gc.enable()
