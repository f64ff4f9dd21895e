"""What can be looked at live: a daemon, or one of its runs; one poller each, however many look.

    Topic ── greenlet, once a second ── daemon
      └─ put() ─► every viewer of it

A topic exists while somebody looks at it. It says what the daemon said, or that it said nothing:
no value is ever made up.
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
# Without what is heavy and told once the run is looked into: instances, failures, globals.
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
    """Asks a daemon each second and tells its viewers."""

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
        """Ask the daemon and return what is new. Errors: Unreachable, TsvcError."""

    @abstractmethod
    def whole(self) -> Json:
        """Return all that the last ask() told, and what those before it told and still holds."""

    @abstractmethod
    def forget(self) -> None:
        """Let the next ask() be for everything: the daemon was away, or refused."""

    @property
    def is_over(self) -> bool:
        """Whether there will be no more to tell."""
        return False

    def start(self) -> None:
        """Begin to ask, unless it does already."""
        if self._poller is None or self._poller.dead:
            self._poller = gevent.spawn(self._poll)

    def stop(self) -> None:
        """Ask no more."""
        if self._poller is not None:
            self._poller.kill(block=False)

    def snapshot(self) -> bytes | None:
        """Return the data of an event that says all that is known; None before an answer."""
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
            # What came late is not made up for.
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
    """A daemon: what DescribeService says every SERVICE_S, and its runs."""

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
        """Let it be described anew."""
        self._described_at = None


class RunTopic(Topic):
    """A run: what QueryTest says without collecting, of its buckets those that are new."""

    def __init__(self, key: Key, daemon: Daemon) -> None:
        super().__init__(key, daemon)
        self._run: Json = {}
        self._buckets: list[Json] = []

    @property
    def is_over(self) -> bool:
        """Whether the run is completed."""
        return self._trouble is None and self._run.get("completed") == 1

    def ask(self) -> Json:
        """Return {full, run}, and over with the last of them."""
        # The last bucket was not complete: it is asked for again.
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
        """Ask for all buckets, and for a run that may be another by then."""
        self._run, self._buckets = {}, []

    def _members(self, run: Json, *, is_full: bool) -> Json:
        over = {"over": True} if self.is_over else {}
        # Known to the archive only: the daemon that ran it is no more.
        lost = {"lost": True} if run.get("state") == "lost" else {}
        return {"full": is_full, "run": run, **over, **lost}

    def _query(self, since: float) -> Json:
        params = {"run_id": self.key[1], "collect": 0, "fields": FIELDS, "since": since}
        answer: Json = self.daemon.watcher.call("QueryTest", params)
        return answer

    def _goes_on(self, run: Json, since: float) -> bool:
        """Whether it is the run that is known, in stretches of the length that is known."""
        is_same = all(run.get(name) == self._run.get(name) for name in ("time_start", "bucket_s"))
        buckets = run.get("buckets", [])
        return is_same and bool(buckets) and bool(buckets[0]["t"] == since)
