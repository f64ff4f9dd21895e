"""The metrics of the daemon in Prometheus' text format, version 0.0.4. Pure.

Nothing is counted here: a scrape shows the counters of DescribeService, of the interface and of
the event loop.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from tsvc.engine.load.histogram import Histogram
from tsvc.server.admission import Counters
from tsvc.server.dispatch import Traffic
from tsvc.values import dataclass

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_GATEWAY_STATES = ("down", "connecting", "up", "draining")
_INSTANCE_ENDS = ("passed", "failed", "aborted", "cancelled")
# In seconds: from a call over the loopback to one that a person has to answer.
_SERVICE_TIMES = (
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
)  # fmt: skip
_WORKER_STATES = ("starting", "ready", "drained", "down")
_WORKER_COUNTS = (
    ("started", "worker_instances_started_total", "Test Instances that a worker has started."),
    ("finished", "worker_instances_finished_total", "Test Instances of a worker that are over."),
    ("late", "worker_starts_late_total", "Test Instances that a worker has started late."),
    ("losses", "worker_losses_total", "Times that a run has lost a worker."),
    ("starts", "worker_processes_total", "Times that a process of a worker was started."),
)
_CONNECTION_ENDS = tuple(item.name for item in fields(Counters))
_SCP_ENDINGS = ("answered", "connected", "released", "abandoned", "failed", "no_trigger")
_SCP_KEYS = ("errors", "messages")


@dataclass(frozen=True, slots=True)
class Process:
    """Values of the process from the system and the event loop. Seconds and octets."""

    resident_octets: int | None
    cpu_s: float
    open_files: int
    started_at_wall: float
    lag_s: float
    highest_lag_s: float
    stalls: int


def render(
    service: Mapping[str, Any],
    service_times: Histogram,
    connections: Counters,
    connections_open: int,
    waiting: int,
    requests: Traffic,
    process: Process,
    workers: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return the page. `service`: the result of DescribeService; `service_times`: times of
    instances from start to end; `workers`: the rows of ListWorkers."""
    lines: list[str] = []
    for family in (
        *_service(service),
        _times(service_times),
        *_gateways(service["gateways"]),
        *_scp(service["scp"]),
        *_rpc(connections, connections_open, waiting, requests),
        *_process(process),
        *_workers(workers),
    ):
        lines += family
    return "\n".join(lines) + "\n"


def _service(service: Mapping[str, Any]) -> Iterator[list[str]]:
    about = {"name": service["name"], "version": service["version"]}
    yield _family("build_info", "gauge", "Always 1; the labels say what runs.", [(about, 1)])
    yield _one("uptime_seconds", "gauge", "Since the service was made.", service["uptime_s"])
    is_up = int(service["state"] == "up")
    yield _one("accepts_runs", "gauge", "1, or 0 while the daemon drains.", is_up)
    for name, help in (
        ("started", "Test Runs started."),
        ("refused", "Test Runs refused with 2002 or 2003."),
        ("completed", "Test Runs completed."),
    ):
        yield _one(f"runs_{name}_total", "counter", help, service["counters"][f"runs_{name}"])
    runs, instances = service["runs"], service["instances"]
    yield _one("runs_in_progress", "gauge", "Test Runs in progress.", runs["in_progress"])
    yield _one("runs_held", "gauge", "Runs in progress or not yet collected.", runs["held"])
    yield _one("locks_held", "gauge", "Lock keys held by runs.", service["lock_count"])
    help = "Test Instances started."
    yield _one("instances_started_total", "counter", help, instances["started"])
    ends = [({"state": state}, instances[state]) for state in _INSTANCE_ENDS]
    yield _family("instances_finished_total", "counter", "Test Instances by how they ended.", ends)
    help = "Test Instances that were replayed on the fast path to their end."
    yield _one("instances_replayed_total", "counter", help, instances["replayed"])
    help = "Test Instances that fell back from the fast path to the ordinary one."
    yield _one("instances_fell_back_total", "counter", help, instances["fell_back"])
    help = "Test Instances in progress, halted ones included."
    yield _one("instances_in_progress", "gauge", help, instances["in_progress"])
    yield _one("instances_halted", "gauge", "Test Instances halted.", instances["halted"])
    memory = service["memory"]
    help = "Memory from 90 % of which no run starts; 0 = no ceiling."
    yield _one("memory_ceiling_bytes", "gauge", help, memory["ceiling_mib"] << 20)
    help = "Test Runs ended because memory was short."
    yield _one("runs_ended_for_memory_total", "counter", help, memory["runs_ended"])
    archive = service["archive"]
    yield _one("archive_up", "gauge", "1 if results can be kept.", int(archive["state"] == "up"))
    help = "Results of completed runs that are not written yet."
    yield _one("archive_waiting", "gauge", help, archive["waiting"])
    sent, lost = service["traces"]["sent"], service["traces"]["lost"]
    yield _one("traces_sent_total", "counter", "Test Runs whose traces were sent.", sent)
    yield _one("traces_lost_total", "counter", "Test Runs whose traces could not be sent.", lost)


def _times(times: Histogram) -> list[str]:
    """Return the histogram, whose `le` is a label like any other."""
    base = "instance_service_seconds"
    name = f"tsvc_{base}"
    counts = times.counts_up_to(tuple(round(bound * 1_000_000) for bound in _SERVICE_TIMES))
    return [
        f"# HELP {name} Time of Test Instances from their start to their end, however they ended.",
        f"# TYPE {name} histogram",
        *(
            f'{name}_bucket{{le="{bound!r}"}} {count}'
            for bound, count in zip(_SERVICE_TIMES, counts, strict=True)
        ),
        f'{name}_bucket{{le="+Inf"}} {times.count}',
        f"{name}_sum {times.sum_us / 1_000_000!r}",
        f"{name}_count {times.count}",
    ]


def _gateways(gateways: Iterable[Mapping[str, Any]]) -> Iterator[list[str]]:
    states: list[_Sample] = []
    counts: list[_Sample] = []
    levels: list[_Sample] = []
    for gateway in gateways:
        place = {"gateway": gateway["name"], "kind": gateway["kind"]}
        states += [
            ({**place, "state": state}, int(gateway["state"] == state))
            for state in _GATEWAY_STATES
        ]
        for what, number in gateway["counters"].items():
            kept = levels if what in gateway["levels"] else counts
            kept.append(({**place, "what": what}, number))
    yield _family("gateway_state", "gauge", "1 for the state a gateway is in.", states)
    help = "What a gateway counts, by its name in DescribeService."
    yield _family("gateway_events_total", "counter", help, counts)
    help = "How many there are now: connections, open dialogues, waiting requests."
    yield _family("gateway_level", "gauge", help, levels)


def _scp(scp: Mapping[str, Any]) -> Iterator[list[str]]:
    if "calls" not in scp:
        return  # no flows, no SCP
    yield _one("scp_calls_total", "counter", "InitialDPs that were read.", scp["calls"])
    ends = [({"ending": ending}, scp[ending]) for ending in _SCP_ENDINGS]
    yield _family("scp_calls_ended_total", "counter", "Calls by how they ended.", ends)
    for key in _SCP_KEYS:
        found = [({"kind": kind}, count) for kind, count in scp[key].items()]
        yield _family(f"scp_{key}_total", "counter", f"What the SCP counts as {key}.", found)
    flows = [({"flow": name}, counts["calls"]) for name, counts in scp["flows"].items()]
    yield _family("scp_flow_calls_total", "counter", "Calls by flow.", flows)


def _rpc(
    connections: Counters, is_open: int, waiting: int, requests: Traffic
) -> Iterator[list[str]]:
    counted = [
        ({"method": method, "code": str(code)}, count)
        for (method, code), count in sorted(requests.requests.items())
    ]
    yield _family(
        "rpc_requests_total", "counter", "Requests by method and code; 0 is success.", counted
    )
    seconds = [({"method": method}, spent) for method, spent in sorted(requests.seconds.items())]
    yield _family("rpc_seconds_total", "counter", "Time to answer requests, by method.", seconds)
    help = "Requests being answered."
    yield _one("rpc_requests_in_progress", "gauge", help, requests.in_progress)
    what = [({"what": name}, getattr(connections, name)) for name in _CONNECTION_ENDS]
    yield _family("rpc_connections_total", "counter", "What happened to connections.", what[:-1])
    help = "Octets after a request: ignored."
    yield _one("rpc_surplus_octets_total", "counter", help, connections.surplus_octets)
    help = "Connections that are not answered yet."
    yield _one("rpc_connections_open", "gauge", help, is_open)
    help = "Of these, requests that wait and take no place."
    yield _one("rpc_requests_waiting", "gauge", help, waiting)


def _workers(workers: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Yield the families of workers; values that an agent does not know have no samples."""

    def of_each(member: str, factor: float = 1) -> list[_Sample]:
        known = [one for one in workers if one[member] is not None]
        return [({"worker": one["name"]}, one[member] * factor) for one in known]

    states = [
        ({"worker": one["name"], "state": state}, int(one["state"] == state))
        for one in workers
        for state in _WORKER_STATES
    ]
    yield _family("worker_state", "gauge", "1 for the state a worker is in.", states)
    for member, name, help in _WORKER_COUNTS:
        yield _family(name, "counter", help, of_each(member))
    help = "Test Instances of a worker in progress."
    yield _family("worker_instances_in_progress", "gauge", help, of_each("in_progress"))
    help = "How much of a core a worker takes; 0 while no run is in progress."
    yield _family("worker_cpu_cores", "gauge", help, of_each("cpu"))
    help = "How far off a worker's idea of the coordinator's clock may be."
    errors = of_each("clock_error_ms", 0.001)
    yield _family("worker_clock_error_seconds", "gauge", help, errors)


def _process(process: Process) -> Iterator[list[str]]:
    yield _one("loop_lag_seconds", "gauge", "How late the event loop was last.", process.lag_s)
    help = "How late the event loop was at most, since the start."
    yield _one("loop_lag_highest_seconds", "gauge", help, process.highest_lag_s)
    help = "Times the event loop was later than service.max_lag_ms."
    yield _one("loop_stalls_total", "counter", help, process.stalls)
    # The names that every client library uses, so that existing dashboards show them.
    if process.resident_octets is not None:
        help = "Resident memory in octets."
        yield _one("process_resident_memory_bytes", "gauge", help, process.resident_octets, "")
    help = "Processor time used."
    yield _one("process_cpu_seconds_total", "counter", help, round(process.cpu_s, 6), "")
    yield _one("process_open_fds", "gauge", "Open file descriptors.", process.open_files, "")
    help = "Start of the process, seconds since the epoch."
    yield _one("process_start_time_seconds", "gauge", help, process.started_at_wall, "")


_Sample = tuple[Mapping[str, str], float]


def _one(name: str, kind: str, help: str, value: float, prefix: str = "tsvc_") -> list[str]:
    return _family(name, kind, help, [({}, value)], prefix)


def _family(
    name: str, kind: str, help: str, samples: Iterable[_Sample], prefix: str = "tsvc_"
) -> list[str]:
    full = f"{prefix}{name}"
    lines = [f"# HELP {full} {help}", f"# TYPE {full} {kind}"]
    for labels, value in samples:
        inner = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        place = f"{{{inner}}}" if inner else ""
        lines.append(f"{full}{place} {value!r}")
    return lines


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
