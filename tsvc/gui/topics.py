"""The topics of the live feed: a daemon, or one of its runs; one poller each for all its viewers.

    Topic ── greenlet, once a second ── daemon
      └─ put() ─► every viewer of it

A topic exists while it has viewers. It sends the daemon's answers, or reports that there is none:
no value is ever invented.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import gevent
from gevent import Greenlet

from tsvc.client import TsvcError, Unreachable
from tsvc.gui.asked import json_octets
from tsvc.gui.daemons import Daemon
from tsvc.gui.viewer import Key, Viewer

PERIOD_S = 1.0
SERVICE_S = 5.0
UNKNOWN = "run_id.unknown"
# Without the large members that are queried when a run is opened: instances, failures, globals.
FIELDS = [
    "name",
    "client",
    "type",
    "time_start",
    "time_finish",
    "duration",
    "counts",
    "rate",
    "generator",
    "latency",
    "operations",
    "plan",
    "halted",
    "thresholds",
    "problems",
    "seed",
    "bucket_s",
    "buckets",
]

Json = Mapping[str, Any]


class Topic(ABC):
    """Polls a daemon each second, and sends the answers to its viewers."""

    def __init__(self, key: Key, daemon: Daemon) -> None:
        self.key = key
        self.daemon = daemon
        self.viewers: set[Viewer] = set()
        self._asked_at: float | None = None
        self._answered_at: float | None = None
        self._trouble: Json | None = None
        self._poller: Greenlet[[], None] | None = None

    @abstractmethod
    def ask(self) -> Json:
        """Poll the daemon and return the new members. Errors: Unreachable, TsvcError."""

    @abstractmethod
    def whole(self) -> Json:
        """Return all members that are known from the last ask() and from those before it."""

    @abstractmethod
    def forget(self) -> None:
        """Make the next ask() request everything, because the daemon was away or refused."""

    @property
    def is_over(self) -> bool:
        """True if there will be no more events."""
        return False

    def start(self) -> None:
        """Start to poll, unless it has started already."""
        if self._poller is None or self._poller.dead:
            self._poller = gevent.spawn(self._poll)

    def stop(self) -> None:
        """Stop polling."""
        if self._poller is not None:
            self._poller.kill(block=False)

    def snapshot(self) -> bytes | None:
        """Return the data of an event with all that is known; None before the first answer."""
        if self._asked_at is None:
            return None
        return self._data(self._trouble or {"up": True, **self.whole()})

    def _poll(self) -> None:
        due = time.monotonic()
        while True:
            members = self._asked()
            self._asked_at = time.time()
            octets = self._data(members)
            for viewer in list(self.viewers):
                viewer.put(self, octets)
            if self.is_over:
                return
            # If a poll was late, the next one is not made earlier.
            due = max(due + PERIOD_S, time.monotonic())
            gevent.sleep(due - time.monotonic())

    def _asked(self) -> Json:
        self._trouble = None
        try:
            members = self.ask()
            self._answered_at = time.time()
        except Unreachable as error:
            self._trouble = {"up": False, "since": self._answered_at, "problem": str(error)}
        except TsvcError as error:
            self._answered_at = time.time()
            is_lost = error.kind == UNKNOWN
            self._trouble = {"up": True, "problem": error.message}
            if is_lost:
                self._trouble = {**self._trouble, "lost": True}
        if self._trouble is None:
            return {"up": True, **members}
        self.forget()
        return self._trouble

    def _data(self, members: Json) -> bytes:
        daemon, run_id = self.key
        topic = {"daemon": daemon} if run_id is None else {"daemon": daemon, "run": run_id}
        return json_octets({"topic": topic, "at": self._asked_at, **members})


class DaemonTopic(Topic):
    """A daemon: its answer to DescribeService, every SERVICE_S, and its runs."""

    def __init__(self, key: Key, daemon: Daemon) -> None:
        super().__init__(key, daemon)
        self._service: Json = {}
        self._described_at: float | None = None
        self._tests: list[Json] = []

    def ask(self) -> Json:
        """Return {service, tests}."""
        now = time.monotonic()
        if self._described_at is None or now - self._described_at >= SERVICE_S:
            self._service = self.daemon.watcher.describe_service()
            self._described_at = now
        self._tests = self.daemon.watcher.call("QueryAllTests")["tests"]
        return self.whole()

    def whole(self) -> Json:
        """Return {service, tests}."""
        return {"service": self._service, "tests": self._tests}

    def forget(self) -> None:
        """Make the next ask() call DescribeService again."""
        self._described_at = None


class RunTopic(Topic):
    """A run: the answers to QueryTest without collecting, with only the new buckets."""

    def __init__(self, key: Key, daemon: Daemon) -> None:
        super().__init__(key, daemon)
        self._run: Json = {}
        self._buckets: list[Json] = []

    @property
    def is_over(self) -> bool:
        """True if the run is completed."""
        return self._trouble is None and self._run.get("completed") == 1

    def ask(self) -> Json:
        """Return {full, run}; the last answer has `over` too."""
        # The last bucket was not complete, so it is requested again.
        since = self._buckets[-1]["t"] if self._buckets else 0.0
        run = self._query(since)
        if since and not self._goes_on(run, since):
            since = 0.0
            run = self._query(since)
        found = run.get("buckets", [])
        self._buckets = [*self._buckets[:-1], *found] if since else found
        self._run = run
        return self._members(run, is_full=not since)

    def whole(self) -> Json:
        """Return {full, run} with all buckets."""
        return self._members({**self._run, "buckets": self._buckets}, is_full=True)

    def forget(self) -> None:
        """Make the next ask() request all buckets; the run may then be another one."""
        self._run, self._buckets = {}, []

    def _members(self, run: Json, *, is_full: bool) -> Json:
        over = {"over": True} if self.is_over else {}
        # Only the archive knows the run: the daemon that ran it has ended.
        lost = {"lost": True} if run.get("state") == "lost" else {}
        return {"full": is_full, "run": run, **over, **lost}

    def _query(self, since: float) -> Json:
        params = {"run_id": self.key[1], "collect": 0, "fields": FIELDS, "since": since}
        answer: Json = self.daemon.watcher.call("QueryTest", params)
        return answer

    def _goes_on(self, run: Json, since: float) -> bool:
        """Return True if it is still the known run, with buckets of the same length."""
        is_same = all(run.get(name) == self._run.get(name) for name in ("time_start", "bucket_s"))
        buckets = run.get("buckets", [])
        return is_same and bool(buckets) and bool(buckets[0]["t"] == since)
