"""The declared members of the answer of DescribeService; description.py makes the answer."""

from typing import Any

from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.gateways.gateway import GatewayState

_STATES = tuple(state.value for state in GatewayState)


class GatewayMembers(AnswerMembers):
    """One of `gateways`."""

    name = member.text("name of the application")
    kind = member.text("its kind, `module` of its table")
    state = member.choice(_STATES, "whether it can be used")
    detail = member.text("why it is so, in words; may be empty")
    counters = member.named("what gateways of its kind count, by name")
    levels = member.texts("of these, what may fall: how many there are of something now")


class FlowMembers(AnswerMembers):
    """One of `scp.flows`: the counts of one flow."""

    calls = member.count("calls that it served")
    endings = member.named("calls by how they ended")
    operations = member.named("how often each operation was executed, by its id")
    exits = member.named("how often each exit was taken, by `operation id:exit index`")


class DialogueCounters(AnswerMembers):
    """`scp.dialogues`: of its TCAP endpoint, since it started."""

    begun = member.count("dialogues that it began")
    accepted = member.count("dialogues that a peer began")
    dropped = member.count("messages of no dialogue that were left unanswered")
    aborted_unknown = member.count("messages of no dialogue that were answered with P-ABORT")
    unreadable = member.count("messages that can't be read")
    refused = member.count("BEGINs refused: too many dialogues are open, or it ends")


class ScpMembers(AnswerMembers):
    """`scp`: the embedded SCP. Without a flow it has `listening_on` only."""

    listening_on = member.integers("ports that SSPs may connect to")
    links_active = member.count("associations that can carry data", is_optional=True)
    problems = member.texts(
        "what is wrong with its connections, in the words of their peers", is_optional=True
    )
    calls = member.count("InitialDPs that were read; each call ends once", is_optional=True)
    answered = member.count("calls that were answered", is_optional=True)
    connected = member.count("calls connected, what became of them unknown", is_optional=True)
    released = member.count(
        "calls released: by an operation, a null exit, the limit of steps", is_optional=True
    )
    abandoned = member.count("calls whose caller was gone", is_optional=True)
    failed = member.count("calls that an error ended", is_optional=True)
    no_trigger = member.count("calls that no flow serves", is_optional=True)
    dialogues = member.one(
        DialogueCounters, "TCAP dialogues by what became of them", is_optional=True
    )
    errors = member.named("what went wrong with calls, by kind", is_optional=True)
    messages = member.named(
        "what was refused, rejected or ignored on dialogues, by kind", is_optional=True
    )
    flows = member.by_name(FlowMembers, "counts of each flow, by its name", is_optional=True)


class Limits(AnswerMembers):
    """`limits`: the bounds in force, named like their keys of the configuration; 0 = none."""

    max_request_octets = member.count("of a request", "octets")
    max_connections = member.count("connections at once, but those whose request waits")
    max_waiting = member.count("requests that wait at once, half of them for one client")
    client_connections = member.count("connections of one client at once")
    client_runs = member.count("runs in progress of one client")
    client_instances = member.count("instances in progress of one client")
    max_operations = member.count("operations of a definition")
    max_runs = member.count("runs in progress")
    max_instances = member.count("instances in progress of all runs")
    max_backlog = member.count("instances in progress of one run")
    max_memory_mib = member.count("memory of the daemon", "MiB")


class RunCounters(AnswerMembers):
    """`counters`: since the daemon started."""

    runs_started = member.count("runs that were started")
    runs_refused = member.count(
        "runs refused with 2002 or 2003, members of the wrong shape not among them"
    )
    runs_completed = member.count("runs that are over")


class InstanceCounters(AnswerMembers):
    """`instances`: of all runs since the daemon started."""

    started = member.count("instances that were started")
    passed = member.count("instances that passed")
    failed = member.count("instances that failed")
    aborted = member.count("instances that were aborted")
    cancelled = member.count("instances that were cancelled")
    replayed = member.count("of the passed, those that were replayed on the fast path")
    fell_back = member.count("instances that fell back from the fast path to the ordinary one")
    in_progress = member.count("instances in progress now, halted ones included")
    halted = member.count("instances that are halted now")


class MemoryMembers(AnswerMembers):
    """`memory`."""

    ceiling_mib = member.count("from 90 % of it on no run starts; 0: no ceiling", "MiB")
    runs_ended = member.count("runs that were ended because memory was short")


class TraceCounters(AnswerMembers):
    """`traces`: of runs, sent to the receiver of `telemetry.traces` since the daemon started."""

    sent = member.count("runs whose traces were sent")
    lost = member.count("runs whose traces could not be sent; the log says why")


class ArchiveMembers(AnswerMembers):
    """`archive`."""

    state = member.choice(("up", "failing"), "whether results can be kept")
    detail = member.text("why not; else empty")
    waiting = member.count("results of completed runs that are not written yet")


class RunsMembers(AnswerMembers):
    """`runs`."""

    in_progress = member.count("runs that are not over")
    held = member.count("these, and those whose result nobody has collected")


class Description(AnswerMembers):
    """A service, as it is now."""

    name = member.text("`service.name` of the configuration")
    version = member.text("version of tsvc")
    time_now = member.moment("wall time of the answer")
    uptime_s = member.number("since the service was made", "s")
    state = member.choice(("up", "draining"), "`draining`: it ends, and starts no more runs")
    not_ready = member.text("why no run can start now, gateways aside; else empty")
    gateways = member.each(GatewayMembers, "the applications of the configuration")
    scp = member.one(ScpMembers, "the embedded SCP")
    limits = member.one(Limits, "the bounds in force; 0 = none")
    counters = member.one(RunCounters, "runs since the daemon started")
    instances = member.one(InstanceCounters, "instances of all runs since the daemon started")
    lock_count = member.count("keys of locks that are held")
    locks = member.named("the first 100 of them: run_id by key")
    memory = member.one(MemoryMembers, "what memory the daemon may use")
    archive = member.one(ArchiveMembers, "how the archive is")
    traces = member.one(TraceCounters, "what was sent of runs by OpenTelemetry")
    runs = member.one(RunsMembers, "runs now")


EXAMPLE: dict[str, Any] = {
    "name": "tsvc",
    "version": "1.4.0",
    "time_now": [1767225612, 40112],
    "uptime_s": 86400.125,
    "state": "up",
    "not_ready": "",
    "gateways": [
        {
            "name": "LOOP",
            "kind": "sigtran",
            "state": "up",
            "detail": "loopback",
            "counters": {"dialogues": 12, "dialogues_begun": 4811, "messages_dropped": 0},
            "levels": ["dialogues"],
        }
    ],
    "scp": {"listening_on": [2905]},
    "limits": {
        "max_request_octets": 1048576,
        "max_connections": 256,
        "max_waiting": 2048,
        "client_connections": 64,
        "client_runs": 0,
        "client_instances": 0,
        "max_operations": 10000,
        "max_runs": 100,
        "max_instances": 200000,
        "max_backlog": 100000,
        "max_memory_mib": 6144,
    },
    "counters": {"runs_started": 42, "runs_refused": 3, "runs_completed": 41},
    "instances": {
        "started": 4811,
        "passed": 4790,
        "failed": 7,
        "aborted": 2,
        "cancelled": 0,
        "replayed": 4402,
        "fell_back": 3,
        "in_progress": 12,
        "halted": 0,
    },
    "lock_count": 1,
    "locks": {"subscriber 61491570156": "nightly 7"},
    "memory": {"ceiling_mib": 6144, "runs_ended": 0},
    "archive": {"state": "up", "detail": "", "waiting": 0},
    "traces": {"sent": 0, "lost": 0},
    "runs": {"in_progress": 1, "held": 2},
}
