"""BEAT: when it is sent, and when the peer counts as lost."""

from tsvc.protocols.m3ua.heartbeat import Heartbeat


def test_without_a_period_nothing_happens():
    heartbeat = Heartbeat(None)
    heartbeat.start(0.0)
    assert heartbeat.next_timer() is None
    assert heartbeat.handle_timer(99.0) is None
    assert not heartbeat.is_lost(99.0)


def test_one_beat_a_period_with_new_data():
    heartbeat = Heartbeat(30.0)
    heartbeat.start(0.0)
    assert heartbeat.next_timer() == 30.0
    assert heartbeat.handle_timer(29.0) is None
    first = heartbeat.handle_timer(30.0)
    assert heartbeat.acknowledge(first)
    assert not heartbeat.acknowledge(first)
    second = heartbeat.handle_timer(60.0)
    assert second not in (None, first)
    assert not heartbeat.is_lost(119.0)
    assert heartbeat.is_lost(120.0)


def test_a_later_ack_covers_an_older_beat():
    heartbeat = Heartbeat(10.0)
    heartbeat.start(0.0)
    heartbeat.handle_timer(10.0)
    second = heartbeat.handle_timer(20.0)
    assert heartbeat.acknowledge(second)
    assert not heartbeat.is_lost(30.0)


def test_foreign_data_is_no_ack():
    heartbeat = Heartbeat(10.0)
    heartbeat.start(0.0)
    heartbeat.handle_timer(10.0)
    assert not heartbeat.acknowledge(b"other")
    assert heartbeat.is_lost(30.0)


def test_stop_forgets():
    heartbeat = Heartbeat(10.0)
    heartbeat.start(0.0)
    heartbeat.handle_timer(10.0)
    heartbeat.stop()
    assert heartbeat.next_timer() is None
    assert not heartbeat.is_lost(100.0)
