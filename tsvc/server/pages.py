"""The pages of the HTTP port: /metrics, /healthz, /readyz."""

import os
import resource
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from tsvc.clock import SYSTEM_CLOCK
from tsvc.engine.limits.memory import resident_octets
from tsvc.engine.load.counters import Traffic
from tsvc.engine.load.generator import cpu_seconds
from tsvc.server.http import Page
from tsvc.server.listener import Listener
from tsvc.server.loop_watch import LoopWatch
from tsvc.server.metrics import CONTENT_TYPE, Process, render


class ServiceOfPages(Protocol):
    """The part of the service that the pages use."""

    @property
    def traffic(self) -> Traffic:
        """The instances of all runs, and their times."""

    def describe(self) -> dict[str, Any]:
        """Return the result of DescribeService. Does not switch."""

    def list_workers(self) -> list[dict[str, Any]]:
        """Return the rows of ListWorkers. Does not switch."""


class Pages:
    """Makes each page on request."""

    def __init__(self, service: ServiceOfPages, listener: Listener, watch: LoopWatch) -> None:
        self.is_started = False
        self._service = service
        self._listener = listener
        self._watch = watch
        self._started_at = SYSTEM_CLOCK.wall()

    def by_path(self) -> Mapping[str, Callable[[], Page]]:
        """Return the function that makes the page, by path."""
        return {"/metrics": self.metrics, "/healthz": self.health, "/readyz": self.readiness}

    def metrics(self) -> Page:
        """Return the page of all metrics, for Prometheus."""
        process = Process(
            resident_octets=resident_octets(),
            cpu_s=cpu_seconds(),
            open_files=_open_files(),
            started_at_wall=self._started_at,
            lag_s=self._watch.lag_s,
            highest_lag_s=self._watch.highest_lag_s,
            stalls=self._watch.stalls,
        )
        text = render(
            self._service.describe(),
            self._service.traffic.service_times(),
            self._listener.counters,
            self._listener.open_connections,
            self._listener.waiting,
            self._listener.traffic,
            process,
            self._service.list_workers(),
        )
        return Page(text, content_type=CONTENT_TYPE)

    def health(self) -> Page:
        """Return 200: the process lives and its event loop runs. Nothing else is checked."""
        return Page("ok\n")

    def readiness(self) -> Page:
        """Return 200 if a run could start now, gateways aside; otherwise 503 with the reason."""
        problem = self._problem()
        return Page("ready\n") if problem is None else Page(f"{problem}\n", 503)

    def _problem(self) -> str | None:
        if not self.is_started:
            return "starting"
        if self._listener.problem is not None:
            return self._listener.problem
        return self._service.describe()["not_ready"] or None


def _open_files() -> int:
    try:
        return len(os.listdir("/proc/self/fd")) - 1  # less the one that lists them
    except OSError:  # no descriptor is left to list them
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
