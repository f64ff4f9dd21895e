"""Young objects are collected early, in short collections; all objects when nobody waits."""

import gc

import pytest

from tsvc.engine.limits import collector


@pytest.fixture
def looks():
    """The generations that the garbage collector has collected, in order."""
    found = []

    def note(phase, facts):
        if phase == "start":
            found.append(facts["generation"])

    gc.callbacks.append(note)
    was_enabled = gc.isenabled()
    gc.disable()  # automatic collections don't count
    yield found
    gc.callbacks.remove(note)
    if was_enabled:
        gc.enable()


def test_a_look_for_each_mebibyte(looks, monkeypatch):
    monkeypatch.setattr(collector, "_made", 0)
    monkeypatch.setattr(collector, "_looks", 0)
    for _ in range(16 * 8):
        collector.note_made((1 << 20) // 16)
    assert looks == [0, 0, 0, 1, 0, 0, 0, 1]


def test_little_is_left_to_the_collector(looks, monkeypatch):
    monkeypatch.setattr(collector, "_made", 0)
    for _ in range(100):
        collector.note_made(100)
    assert looks == []


def test_evaluations_are_counted(daemon, looks):
    """An evaluation that keeps large lists causes collections, so that each only sees a few."""
    daemon().run({"type": "eval", "expression": "$v->{l} = [map { [1 .. 1000] } 1 .. 100]"})
    assert looks.count(0) + looks.count(1) >= 1


class Moments:
    """A clock, and the memory of a process."""

    def __init__(self):
        self.now = 0.0
        self.octets = 100 << 20
        self.blocks = 400_000
        self.made = collector.FullCollections(
            lambda: self.octets, lambda: self.now, lambda: self.blocks
        )
        self.blocks += 2_000_000

    def after(self, seconds, *, is_busy):
        self.now += seconds
        return self.made.look(is_busy=is_busy)


@pytest.fixture
def moments(looks, monkeypatch):
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 50))
    return Moments()


def test_everything_is_looked_at_when_no_run_has_been_there_for_a_second(moments, looks):
    assert not moments.after(5, is_busy=True)
    assert not moments.after(0.5, is_busy=False)
    assert moments.after(0.5, is_busy=False)
    assert looks == [2]


def test_where_there_is_nothing_to_be_found_nobody_looks(moments, looks, monkeypatch):
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 3))
    assert not moments.after(100, is_busy=False)
    assert looks == []


def test_beside_runs_only_for_memory_that_has_grown_and_seldom(moments, looks):
    for _ in range(100):
        assert not moments.after(60, is_busy=True)
    moments.octets += 300 << 20
    assert moments.after(60, is_busy=True)
    moments.octets *= 3
    assert not moments.after(9, is_busy=True)
    assert moments.after(2, is_busy=True)
    assert not moments.after(1000, is_busy=True), "what is left is what runs need"
    assert looks == [2, 2]


def test_beside_runs_as_well_where_there_is_little_to_look_at(moments, looks):
    moments.blocks -= 1_900_000
    assert moments.after(11, is_busy=True)
    assert not moments.after(9, is_busy=True)
    assert moments.after(2, is_busy=True)
    moments.blocks += 1_000_000
    assert not moments.after(60, is_busy=True)
    assert looks == [2, 2]


def test_none_comes_by_itself(looks):
    thresholds = gc.get_threshold()
    try:
        collector.settle()
        gc.enable()
        looks.clear()
        kept = [[[]] for _ in range(300_000)]
        assert 2 not in looks
        assert looks.count(1) > 10
        assert len(kept) == 300_000
    finally:
        gc.set_threshold(*thresholds)
