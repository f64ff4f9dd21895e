"""The db gateway on SQLite: deadlines, and the sessions of its pool."""

import contextlib
import gc
import os
import sqlite3
import subprocess
import sys
import threading
from itertools import count

import gevent
import pytest
from kinds.db import testbed
from kinds.db.testbed import ENDLESS, answered, counters, query
from support.waiting import GUARD_S, stays, until

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayState
from tsvc.kinds.db.dialects import Sqlite

path, make = testbed.path, testbed.make


def test_a_deadline_ends_the_statement_too(make):
    gateway = make(query_timeout_s=0.1, pool=1)
    with pytest.raises(GatewayError, match=r"DB: Query: no answer within 0\.1 s"):
        query(gateway, ENDLESS)
    until(lambda: counters(gateway)["threads"] == 0)
    assert answered(gateway, "SELECT 1 AS a").rows == [{"a": 1}]


def test_a_killed_greenlet_leaves_the_next_its_own_answer(make):
    gateway = make(pool=1)
    slow = gevent.spawn(query, gateway, ENDLESS)
    until(lambda: counters(gateway)["in_use"])
    slow.kill()
    for number in range(5):
        assert query(gateway, "SELECT :n AS n", n=number).rows == [{"n": number}]
    until(lambda: counters(gateway)["threads"] == 0)


def test_a_statement_that_begins_when_its_session_is_closed_is_ended(make, monkeypatch):
    """The thread is on its way to the statement: there is nothing yet to interrupt."""
    gateway = make(pool=1)
    begins, goes_on = threading.Event(), threading.Event()
    fetch = Sqlite.fetch

    def late(database, connection, prepared, *rest):
        if "RECURSIVE" in prepared.sql:
            begins.set()
            goes_on.wait(GUARD_S)
        return fetch(database, connection, prepared, *rest)

    monkeypatch.setattr(Sqlite, "fetch", late)
    slow = gevent.spawn(query, gateway, ENDLESS)
    until(begins.is_set)
    slow.kill()
    goes_on.set()
    until(lambda: counters(gateway)["threads"] == 0)


def test_an_exhausted_pool(make):
    gateway = make(backlog_timeout_s=0.05, pool=2)
    slow = [gevent.spawn(query, gateway, ENDLESS) for _ in range(2)]
    until(lambda: counters(gateway)["in_use"] == 2)
    with pytest.raises(GatewayError, match=r"no free connection within 0\.05 s, all 2 are in use"):
        query(gateway, "SELECT 1 AS a")
    gevent.killall(slow)
    until(lambda: not counters(gateway)["in_use"])
    assert answered(gateway, "SELECT 1 AS a").count == 1


def test_more_callers_than_sessions(make):
    gateway = make(pool=3)
    serial = count()
    callers = [
        gevent.spawn(query, gateway, "SELECT :n AS n", "value", n=next(serial)) for _ in range(100)
    ]
    gevent.joinall(callers, timeout=GUARD_S)
    assert [one.get().tree()["value"] for one in callers] == list(range(100))
    assert counters(gateway)["connects"] <= 3


def test_the_loop_goes_on_while_sqlite_works(make):
    gateway = make()
    slow = gevent.spawn(query, gateway, ENDLESS)
    until(lambda: counters(gateway)["in_use"])
    stays(lambda: not slow.ready(), 0.01)
    slow.kill()


def test_an_idle_session_is_asked_for_a_sign_of_life(make):
    gateway = make(ping_interval_s=0.2)
    # Long enough for a ping, and for closing a session that is not asked.
    stays(lambda: gateway.status().state is GatewayState.UP, 1.5)
    assert query(gateway, "SELECT 1 AS a").count == 1


def test_a_busy_database_stays_up(make):
    gateway = make(pool=1, ping_interval_s=0.05, backlog_timeout_s=0.02, query_timeout_s=2.0)
    asked = gevent.spawn(query, gateway, ENDLESS)
    # For half a second, pings find no session free. At the end the query is given up, which the
    # state shows for a moment.
    stays(lambda: gateway.status().state is GatewayState.UP or asked.ready(), 0.5)
    with pytest.raises(GatewayError, match="no answer within 2 s"):
        asked.get()


def test_a_session_that_never_got_a_thread_is_closed(make):
    gateway = make(query_timeout_s=0.2, pool=1)
    session = gateway._connect()
    caller = gateway._caller
    while caller._places.acquire(blocking=False):
        pass  # all threads are in use, as by calls that were given up
    with pytest.raises(GatewayError, match="no answer within"):
        session.ping()
    session.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        session._connection.execute("SELECT 1")


def opened(path):
    """Return how many descriptors of this process are open on a file."""
    found = 0
    for number in os.listdir("/proc/self/fd"):
        try:
            found += os.path.realpath(f"/proc/self/fd/{number}") == str(path)
        except FileNotFoundError:
            continue
    return found


LOCK = """
import sqlite3, sys
holder = sqlite3.connect(sys.argv[1], isolation_level=None)
holder.execute("BEGIN EXCLUSIVE")
print(flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def locked(path):
    """Lock the file in another process: beside a lock of this process, SQLite closes no file."""
    command = [sys.executable, "-c", LOCK, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield
        process.stdin.close()


@pytest.mark.parametrize(
    ("sql", "is_locked"),
    [
        (ENDLESS, False),
        ("SELECT name FROM acct", True),
        ("BEGIN", False),  # gives no rows
        ("SELECT id FROM acct UNION SELECT 19", False),  # more than two
        ("SELECT 1 AS a, 2 AS a", False),
        ("SELECT abs(-9223372036854775808)", False),  # an error in mid-statement
    ],
)
def test_a_session_that_fails_leaves_no_open_file(make, path, sql, is_locked):
    """Closing a file needs no full garbage collection, which is rare in a daemon: errors hold no
    cursor."""
    gateway = make(query_timeout_s=0.2, pool=2, max_rows=2, reconnect_interval_s=0.01)
    gc.collect()
    gc.disable()
    errors = []  # kept, as a run keeps the errors of its instances
    try:
        with locked(path) if is_locked else contextlib.nullcontext():
            for _ in range(4):
                try:
                    query(gateway, sql)
                except GatewayError as error:
                    errors.append(error)
            gateway.kill()
            until(lambda: counters(gateway)["threads"] == 0)
            until(lambda: opened(path) == 0)
    finally:
        gc.enable()
    assert errors or "abs" in sql  # a refusal by the database raises no error
