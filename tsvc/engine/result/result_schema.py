"""The declared members of a run's result, as QueryTest, CancelTest and GetResult answer it.

result.py makes the result. The reference of results is made from these declarations, and a test
compares the answers of real runs with them.
"""

from typing import ClassVar

from tsvc.archive.store import LOST
from tsvc.engine.load.counters import InstanceState
from tsvc.engine.result import member
from tsvc.engine.result.fast_path_schema import FastPathMembers
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.rate_schema import LIMITED_BY, Rate, WarmUp
from tsvc.engine.run import VERDICTS, RunState

RUN_STATES = (*(state.value for state in RunState), LOST)
INSTANCE_STATES = tuple(state.value for state in InstanceState)
ARCHIVED = (
    "1: the result is in the archive; 0: the run is in progress, or completed and the archive does"
    " not take its result yet: the daemon answers it from memory"
)


class ProblemMembers(AnswerMembers):
    """One of `problems`."""

    path = member.text(
        "what it is about, in the spelling of the request: `params.operations[3].type`"
    )
    text = member.text("what is wrong with it")
    severity = member.choice(("error", "warning"), "an error keeps a run from being created")


class PlacedProblem(ProblemMembers):
    """One of `problems` of something that was checked."""

    pointer = member.text(
        "the place in what was checked as a JSON pointer (RFC 6901): `/operations/3/type`; of "
        "what is missing, the place where it would be"
    )


class Counts(AnswerMembers):
    """`counts`: Test Instances. They add up at all times."""

    planned = member.count("starts that were due by now, or before starting ended")
    started = member.count("instances that made a first step: finished and in_progress together")
    finished = member.count("instances that are over: passed, failed, aborted, cancelled together")
    passed = member.count("instances that came to their end with every check passed")
    failed = member.count("instances that came to their end with a check failed")
    aborted = member.count("instances that stopped early")
    cancelled = member.count("instances that the end of the run cut off")
    halted = member.count("instances that are halted; they are in progress")
    in_progress = member.count("instances that are not over")
    failed_then_cancelled = member.count("of the cancelled, those with a check failed before")
    malformed = member.count(
        "components received whose argument, result or error is not of its ASN.1 type"
    )
    late_messages = member.count("messages that came when their instance was over")
    unchecked_refusals = member.count("refusals by a peer that nothing in the definition looks at")
    undefined_sent = member.count(
        "expressions in what was sent that had no value: left out, or sent as null",
        is_optional=True,
    )
    lost = member.count(
        "instances in progress of workers that were lost, neither finished nor in_progress; absent"
        " if the daemon plays the run",
        is_optional=True,
    )


class Summary(AnswerMembers):
    """A run in short, as lists of runs show it."""

    run_id = member.text("the run, as ExecuteTest named it")
    name = member.text("`name` of the definition, at most 256 characters", is_optional=True)
    client = member.text("who started it: an address, or a name for a token", is_optional=True)
    type = member.choice(
        ("single", "load", "linear"), "type of the distribution", is_optional=True
    )
    completed = member.flag("whether the run is over")
    state = member.choice(RUN_STATES, "where the run is; `lost`: the daemon ended before the run")
    verdict = member.choice(VERDICTS, "of the run so far; it only worsens, in this order")
    time_start = member.moment("wall time of the first planned start")
    counts = member.one(Counts, "Test Instances by what became of them")
    time_finish = member.moment("wall time of the end; once the run is over", is_optional=True)
    duration = member.number(
        "from the first planned start to the end; once the run is over", "s", is_optional=True
    )


class RunInTable(Summary):
    """A run in progress, or one that nobody has collected, in short."""

    progress = member.number(
        "how much is over, 0 to 1: of the instances, or of `max_seconds` if that is more"
    )


class ListedResult(Summary):
    """A run in the archive, in short."""

    result_id = member.count("its number in the archive, for GetResult and GetTrace")
    archived = member.flag(ARCHIVED)


class GeneratorMembers(AnswerMembers):
    """`generator`: how loaded the tester itself was."""

    cpu = member.number("share of one processor that the daemon used during the run, 0 to 1")
    loop_lag_ms = member.number(
        "the latest the event loop was; null: over before it was looked at", "ms", is_null=True
    )


class Latency(AnswerMembers):
    """A point that is measured."""

    name = member.text("the point: `instance`, or the type of the operation")
    count = member.count("durations measured")
    mean_ms = member.number("their mean", "ms")
    p50_ms = member.number("half took no longer", "ms")
    p90_ms = member.number("90 % took no longer", "ms")
    p99_ms = member.number("99 % took no longer", "ms")
    p999_ms = member.number("99.9 % took no longer", "ms")
    max_ms = member.number("the longest", "ms")


class Latencies(AnswerMembers):
    """`latency`: of whole instances, twice."""

    response = member.one(Latency, "from the planned start: what a waiting caller would see")
    service = member.one(Latency, "from the actual start")


class OperationLatency(Latency):
    """One of `operations`: how long it waited for a peer."""

    op = member.count("index of the operation in the definition")


class Halted(AnswerMembers):
    """One of `halted`."""

    instance_id = member.text("the instance, for ResumeInstance")
    idx = member.count("the same as a number: its place among the starts of the run")
    op = member.count("index of the operation that halts it")
    comment = member.text("what the operation says of it", is_null=True)
    seconds_left = member.number("until it goes on by itself", "s")


class Check(AnswerMembers):
    """One of `check_log`."""

    t = member.number("when, from the start of the instance", "s")
    op = member.count("index of the operation")
    step = member.count("how many operations the instance had executed by then, this one included")
    label = member.text("label of the operation", is_null=True)
    type = member.text("type of the operation")
    level = member.choice(
        ("pass", "fail", "abort", "info"),
        "what became of it; `abort` ended the instance, `info` is no check but to be known",
    )
    text = member.text("what was checked")
    expected = member.anything("what should have come; where there is a value", is_optional=True)
    got = member.anything("what came; where there is a value", is_optional=True)


class Trace(AnswerMembers):
    """One of `trace_log`."""

    t = member.number("when, from the start of the instance", "s")
    op = member.count("index of the operation")
    level = member.count("0: written by a `log` operation, 1 debug, 2 dump, 3 spam")
    text = member.text("what happened")
    detail = member.anything(
        "a value that belongs to it, such as a message as in `messages`; or null"
    )


class Component(AnswerMembers):
    """A component of a TCAP message."""

    component = member.choice(
        ("invoke", "result", "error", "reject", "malformed", "cancel"), "what it is"
    )
    operation = member.text("the operation it belongs to; null: not known", is_null=True)
    code = member.anything("its local code, or its global one as a text; null: not known")
    invoke_id = member.integer("the invocation it belongs to", is_null=True)
    linked_id = member.integer("the invocation that it is linked to", is_null=True)
    linked_operation = member.text(
        "the operation it is linked to; of an invoke that is", is_null=True, is_optional=True
    )
    arguments = member.anything("its parameter, decoded: an object, members in `_hex` undecoded")
    notes = member.texts("what deviates from the standard, with path and octet")
    is_last = member.truth("whether the result is complete; of a result", is_optional=True)


class Party(AnswerMembers):
    """An SCCP address; a member that it does not have is absent."""

    ri = member.count(
        "routing indicator: 0 by global title, 1 by subsystem number", is_optional=True
    )
    pc = member.count("point code", is_optional=True)
    ssn = member.count("subsystem number", is_optional=True)
    gt_digits = member.text("digits of the global title", is_optional=True)
    gt_tt = member.count("its translation type", is_optional=True)
    gt_np = member.count("its numbering plan", is_optional=True)
    gt_noa = member.count("its nature of address", is_optional=True)


class Connection(AnswerMembers):
    """Between whom a message went."""

    transport = member.text("`tcp`, `sctp`, `tls`; `db`: by a driver, `hex` is its account")
    host = member.text("our address")
    port = member.count("our port")
    peer_host = member.text("the peer's address")
    peer_port = member.count("the peer's port")


class Place(AnswerMembers):
    """One of `spans`: where a value stands in the octets of its message."""

    path = member.text("the value's, in the message: `components[0].arguments.serviceKey`")
    start = member.count("its first octet, from 0")
    length = member.count("how many octets")


class ArrowDetail(AnswerMembers):
    """One of `details`: a line below an arrow."""

    name = member.text("what it is about, such as an operation; may be empty")
    facts = member.texts("what is told of it")


class DrawnArrow(AnswerMembers):
    """`arrow`: what a ladder draws of a message."""

    class Meta(AnswerMembers.Meta):  # a name that Python keeps for itself
        include: ClassVar = {"from": member.text("lifeline where it starts")}

    to = member.text("lifeline where it ends")
    label = member.text("what stands on it")
    details = member.each(ArrowDetail, "the lines below it")
    is_failure = member.truth("whether it reports a failure")


class Lifelines(AnswerMembers):
    """`lifelines`: of a ladder, from left to right."""

    roles = member.texts("what the tester plays")
    peers = member.texts("its peers")


class Message(AnswerMembers):
    """One of `messages`: of TCAP, of another protocol as its gateway exchanged it, or of a link.

    Of `m3ua` and `sua` there are those that show what a TCAP message does not: segments, returned
    messages, management.
    """

    protocol = member.text("`tcap`, the kind of the gateway, or `m3ua` and `sua` of links")
    t = member.number("when, from the start of the instance", "s")
    direction = member.choice(("sent", "received"), "as the tester sees it")
    hex = member.text("its octets, secrets masked")
    spans = member.each(
        Place, "which of its octets values are; from GetTrace, form `json`", is_optional=True
    )
    arrow = member.one(
        DrawnArrow, "what a ladder draws of it; from GetTrace, form `json`", is_optional=True
    )
    index = member.count("number of its record, from 0; in a portion", is_optional=True)
    operations = member.texts(
        "TCAP: for each component how the type of an operation ends that receives it, such as "
        "`PlayAnnouncementResult`; empty: not known; in a summary",
        is_optional=True,
    )
    dialogue = member.text("TCAP: name of the dialogue in the instance", is_optional=True)
    role = member.text("TCAP: what the tester plays, `ssp`, `srf` or `hlr`", is_optional=True)
    called = member.one(
        Party, "TCAP: called party; null: none known", is_null=True, is_optional=True
    )
    calling = member.one(
        Party, "TCAP: calling party; null: none known", is_null=True, is_optional=True
    )
    primitive = member.text("TCAP: `BEGIN`, `CONTINUE`, `END`, `U-ABORT` …", is_optional=True)
    otid = member.text("TCAP: originating transaction id, hex", is_null=True, is_optional=True)
    dtid = member.text("TCAP: destination transaction id, hex", is_null=True, is_optional=True)
    application_context = member.text(
        "TCAP: alias of the application context that it names", is_null=True, is_optional=True
    )
    dialogue_pdu = member.named(
        "TCAP: its dialogue portion, decoded: `pdu` and what that has",
        is_null=True,
        is_optional=True,
    )
    p_abort_cause = member.text("TCAP: cause of a P-ABORT", is_null=True, is_optional=True)
    components = member.each(Component, "TCAP: its components", is_optional=True)
    notes = member.texts("TCAP: what is wrong with the dialogue portion", is_optional=True)
    problem = member.text("TCAP: why its octets can't be read", is_optional=True)
    peer = member.text(
        "others: name of the gateway, of a link's connection; SMPP: system_id of the ESME",
        is_optional=True,
    )
    ends = member.one(
        Connection, "others: the connection that carried it, if it is known", is_optional=True
    )
    title = member.text("others: what it is, such as `CCR-Initial`", is_optional=True)
    facts = member.texts("others: the few things that tell what happened", is_optional=True)
    content = member.anything("others: all of it, decoded", is_optional=True)
    is_failure = member.truth("others: whether it reports a failure", is_optional=True)


class FlowStep(AnswerMembers):
    """One operation of a flow that a call came through."""

    operation = member.integer("id of the operation in the flow")
    type = member.text("its type")
    exit = member.integer("index of the exit taken; null: none was", is_null=True)
    exit_name = member.text("name of that exit", is_null=True)


class FlowPath(AnswerMembers):
    """One of `flow_paths`: the way of one call."""

    flow = member.text("name of the flow")
    path = member.each(FlowStep, "its operations, in order")


class Brief(AnswerMembers):
    """One of `slowest`: when an instance ran and what became of it."""

    idx = member.text("its place among the starts of the run, as a string")
    instance_id = member.text("the same")
    state = member.choice(INSTANCE_STATES, "where it is, or how it ended")
    reason = member.text("why it was aborted or cancelled, else empty")
    time_start = member.moment("wall time of its start")
    time_finish = member.moment("wall time of its end; once it is over", is_optional=True)
    duration = member.number("how long it ran; once it is over", "s", is_optional=True)


class InstanceDetail(Brief):
    """An instance in detail."""

    vars = member.named("its variables `$v`, as they were at its end")
    check_log = member.each(Check, "what was checked, in order")
    trace_log = member.each(Trace, "of the first instance: its trace up to `trace_level`")
    messages = member.each(
        Message,
        "what was sent and received, the first 2,000 where it is not from GetTrace; if "
        "`trace_messages` is on",
        is_optional=True,
    )
    ladder = member.text("the messages as a drawing in text; with `messages`", is_optional=True)
    lifelines = member.one(
        Lifelines, "of a ladder; from GetTrace, form `json`, with `messages`", is_optional=True
    )


class FirstInstance(InstanceDetail):
    """`first_call_summary`."""

    flow_paths = member.each(FlowPath, "the ways of its calls through the embedded SCP")


class FailedInstance(InstanceDetail):
    """One of `first_fails` and `first_aborts`."""

    cause = member.text("what it has in common with all that are counted with it")


class Failures(AnswerMembers):
    """One of `failures`: all instances that failed at one operation for one cause."""

    state = member.choice(
        ("failed", "aborted", "cancelled"), "what became of them; cancelled: after a failed check"
    )
    op = member.integer("index of the operation; null: causes beyond the hundredth", is_null=True)
    cause = member.text("what was compared and how it differs, or the reason; without values")
    count = member.count("how many instances")
    first_s = member.number("the end of the first, from the start of the run", "s")
    last_s = member.number("the end of the last", "s")
    instance_id = member.text("the first one; in detail in `first_fails` or `first_aborts`")
    values = member.anything("an array of up to five values that came in place of those expected")


class TracePortion(AnswerMembers):
    """`portion`: which of the records the messages are from."""

    class Meta(AnswerMembers.Meta):  # a name that Python keeps for itself
        include: ClassVar = {"from": member.count("number of the first record, from 0")}

    next = member.count("number of the record after the last: where the next portion begins")
    total = member.count("how many records there are; links have some that no ladder shows")


class TracedInstance(InstanceDetail):
    """An instance as GetTrace answers it in the form `json`."""

    portion = member.one(
        TracePortion,
        "which messages these are; if `from`, `count` or `summary` was given",
        is_optional=True,
    )

    cause = member.text("as in `first_fails`; if it stands there", is_optional=True)
    flow_paths = member.each(
        FlowPath, "as in `first_call_summary`; of the first instance", is_optional=True
    )


class WorkerOfRun(AnswerMembers):
    """One of `workers`: what one of several processes has played, by its last snapshot."""

    name = member.text("its name")
    state = member.choice(("preparing", "playing", "done", "lost"), "where it is with the run")
    stripes = member.count("stripes of the run that it plays: of 256, or of 4096")
    planned = member.count("starts that were due in them")
    started = member.count("instances that made a first step")
    finished = member.count("instances that are over")
    in_progress = member.count("instances that are not over; of a lost one nobody knows the end")
    late = member.count("starts that were late")
    lateness_p99_ms = member.number("99 % of its starts were not later", "ms")
    cpu = member.number("its share of one processor during the run")
    loop_lag_ms = member.number(
        "how late its event loop was at most; null before the first look", "ms", is_null=True
    )
    clock_error_ms = member.number(
        "how far off the daemon's clock its moments may have been at most; null: it is lost",
        "ms",
        is_null=True,
    )
    limited_by = member.choice(LIMITED_BY, "as in `rate`, of its own starts", is_null=True)
    snapshot_age_s = member.number(
        "how old its last snapshot is; null before the first, and when done", "s", is_null=True
    )


class LostWorker(AnswerMembers):
    """One of `lost`."""

    worker = member.text("its name")
    reason = member.text("how that was seen")
    last_n = member.integer("number of its last snapshot, from 0; -1: there was none")
    since_s = member.number("moment of that snapshot: from then on nothing is known", "s")
    in_progress = member.count("instances that were in progress then: they are `counts.lost`")
    unknown_starts_max = member.count("starts that it may have made after that, at most")
    taken_over_s = member.number("others make its starts from then on", "s", is_null=True)


class Bucket(AnswerMembers):
    """One of `buckets`: a stretch of the run."""

    t = member.number("its beginning, from the start of the run", "s")
    num_calls_started = member.count("instances started in it")
    num_calls_finished = member.count("instances that ended in it")
    failed = member.count("of these, failed")
    aborted = member.count("of these, aborted")
    in_progress = member.count("instances in progress at its end")
    max_ms = member.number("the longest duration of those that ended in it", "ms")
    p99_ms = member.number("99 % of those that ended in it took no longer", "ms")


class ThresholdResult(AnswerMembers):
    """One of `thresholds`: as the definition has it, and what came of it."""

    metric = member.text("the metric, as the definition names it")
    op = member.text("the comparison")
    value = member.number("the limit")
    abort_after_s = member.number(
        "for how long the run could miss it; if the definition has it", "s", is_optional=True
    )
    ended_run_s = member.number(
        "when it ended the run, in seconds of that; if it did", "s", is_optional=True
    )
    got = member.number("the value at the end; null: there is none", is_null=True)
    is_met = member.truth("whether the run kept to it; else its verdict is `fail` or worse")


class RunningPlan(AnswerMembers):
    """`plan`: what is still to come of a run in progress."""

    total = member.count("instances that this service starts in all, unless `max_seconds` is over")
    seconds_left = member.number(
        "to the last planned start; null where nobody can know", "s", is_null=True
    )
    current_cps = member.number(
        "the rate that is asked for now; null without a rate", "1/s", is_null=True
    )


class RunResult(Summary):
    """The result of a run.

    Of a run that was lost there are the members of a summary only. A result takes 2 MiB at most:
    what goes first where it would be larger is named in `problems`, with the path `result`.
    """

    result_id = member.count("its number in the archive, for GetResult and GetTrace")
    archived = member.flag(ARCHIVED)
    time_now = member.moment("wall time of the answer")
    plan = member.one(
        RunningPlan, "what is still to come; while the run is in progress", is_optional=True
    )
    rate = member.one(Rate, "what was asked for, what was made, and by whose fault")
    warm_up = member.one(
        WarmUp,
        "the starts that are judged and counted, but in neither `rate` nor latencies; absent"
        " without a warm-up",
        is_optional=True,
    )
    generator = member.one(GeneratorMembers, "how loaded the tester itself was")
    fast_path = member.one(
        FastPathMembers, "how many instances were replayed, and why others were not"
    )
    latency = member.one(Latencies, "how long instances took")
    operations = member.each(OperationLatency, "how long operations waited for peers")
    halted = member.each(Halted, "instances that are halted, for ResumeInstance")
    globals = member.named("the variables of the run, `$g`")
    first_call_summary = member.possibly(
        FirstInstance, "the first instance in detail; `{}` before it started"
    )
    first_fails = member.each(
        FailedInstance, "the first instance failed of each cause, at most 20 causes"
    )
    first_aborts = member.each(
        FailedInstance, "the first instance aborted of each cause, at most 20 causes"
    )
    failures = member.each(
        Failures,
        "all that failed or was aborted, by operation and cause, the largest group first; the"
        " counts add up to `counts.failed` + `counts.aborted` + `counts.failed_then_cancelled`",
    )
    slowest = member.each(Brief, "the ten slowest instances of a load, slowest first")
    bucket_s = member.number("how long a bucket is; it doubles as the run goes on", "s")
    buckets = member.each(Bucket, "the run over time, from its start")
    dialogues_closed = member.named(
        "dialogues that the end of an instance had to close: how many, by the message it took"
    )
    leaks = member.texts("what the run left behind when it ended; each is a failure of the run")
    problems = member.each(ProblemMembers, "warnings of the definition, and what was left out")
    thresholds = member.each(ThresholdResult, "once the run is over: its thresholds, compared")
    decided = member.texts(
        "counts about which thresholds decided, `failed` or `aborted`: such instances did not"
        " worsen the verdict by themselves",
        is_optional=True,
    )
    seed = member.integer("of all chance: the same seed gives the same values")
    workers = member.each(
        WorkerOfRun, "those that play the run; absent if the daemon does", is_optional=True
    )
    lost = member.each(
        LostWorker, "those that were lost; absent if the daemon plays the run", is_optional=True
    )
    degraded = member.flag(
        "1: a worker was lost; absent if the daemon plays the run", is_optional=True
    )


class CancelledResult(RunResult):
    """The answer of CancelTest."""

    cancelled = member.flag("1: this call ended the run; 0: it was over before")


class ArchivedResult(RunResult):
    """The answer of GetResult."""

    definition = member.named(
        "params of ExecuteTest as they were checked, defaults included; if asked for",
        is_optional=True,
    )
