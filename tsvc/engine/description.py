"""The description of a service, for DescribeService and the pages of the HTTP port."""

from collections.abc import Mapping, Sized
from typing import Any, Protocol

from tsvc import __version__
from tsvc.archive.archive import Archive
from tsvc.clock import Clock, sec_usec
from tsvc.config.tables import Config
from tsvc.engine.gateway_table import GatewayTable
from tsvc.engine.limits.locks import LockTable
from tsvc.engine.limits.memory import MemoryWatch, memory_problem
from tsvc.engine.load.counters import Traffic
from tsvc.engine.result.otlp import TraceExporter
from tsvc.engine.run_table import RunTable
from tsvc.ss7.scp_host import ScpHost

MOST_LOCKS = 100  # that are listed; there may be tens of thousands


class DescribedService(Protocol):
    """The attributes of a service that its description needs."""

    config: Config
    clock: Clock
    started_at: float
    is_draining: bool
    ceiling_mib: int
    archive: Archive
    traces: TraceExporter
    gateways: GatewayTable
    locks: LockTable
    memory: MemoryWatch
    scp: ScpHost
    table: RunTable
    traffic: Traffic

    @property
    def counters(self) -> Mapping[str, int]:
        """The numbers of runs that were started, refused and completed."""

    @property
    def runs(self) -> Sized:
        """The runs in progress, and those that are not yet collected."""


def describe(service: DescribedService) -> dict[str, Any]:
    """Return version, uptime, gateways, limits and counters. Does not switch."""
    held = service.locks.held()
    return {
        "name": service.config.service.name,
        "version": __version__,
        "time_now": sec_usec(service.clock.wall()),
        "uptime_s": round(service.clock.now() - service.started_at, 3),
        "state": "draining" if service.is_draining else "up",
        "not_ready": _not_ready(service),
        "gateways": service.gateways.status(),
        "scp": {
            "listening_on": service.scp.ports(),
            **service.scp.links(),
            **service.scp.counters(),
        },
        "limits": _limits(service),
        "counters": dict(service.counters),
        "instances": service.traffic.as_dict(),
        "lock_count": len(held),
        "locks": dict(list(held.items())[:MOST_LOCKS]),
        "memory": {"ceiling_mib": service.ceiling_mib, "runs_ended": service.memory.ended},
        "archive": service.archive.status(),
        "traces": dict(service.traces.counters),
        "runs": {
            "in_progress": len(service.table.in_progress()),
            "held": len(service.runs),
        },
    }


def _not_ready(service: DescribedService) -> str:
    """Return the reason why no run can start now, gateways aside; "" if one can."""
    if service.is_draining:
        return "draining"
    archive = service.archive.status()
    if archive["state"] != "up":
        return f"the archive fails: {archive['detail']}".removesuffix(": ")
    return memory_problem(service.ceiling_mib) or ""


def _limits(service: DescribedService) -> dict[str, Any]:
    """Return the bounds in force, by the names of their keys; 0 = none."""
    engine, rpc = service.config.engine, service.config.rpc
    return {
        "max_request_octets": rpc.max_request_octets,
        "max_connections": rpc.max_connections,
        "max_waiting": rpc.max_waiting,
        "client_connections": rpc.client_connections,
        "client_runs": rpc.client_runs,
        "client_instances": rpc.client_instances,
        "max_operations": engine.max_operations,
        "max_runs": engine.max_runs,
        "max_instances": engine.max_instances,
        "max_backlog": engine.max_backlog,
        "max_memory_mib": service.ceiling_mib,
    }
