"""The result of a run as QueryTest answers it, built only on request."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import gevent

from tsvc import turns
from tsvc.clock import sec_usec
from tsvc.engine.give_way import slices
from tsvc.engine.instance import Instance
from tsvc.engine.load.counters import InstanceState
from tsvc.engine.load.starter import Stretch
from tsvc.engine.result.copies import shown_copy
from tsvc.engine.result.kept_instances import Cause
from tsvc.engine.result.logs import CheckBlock, CheckEntry, TraceEntry
from tsvc.engine.result.result_size import fit
from tsvc.engine.run import Run, RunState
from tsvc.errors import Problem
from tsvc.results.exchanges import decode_messages, read_messages
from tsvc.results.ladder import ladder_text
from tsvc.results.records import MessageRecord
from tsvc.values import dataclass

MOST_MESSAGES = 2000  # of an instance in a result; GetTrace has all of them
# A rate was limited if starts were lost, or if so many of them were late …
LATE_SHARE = 0.01
OFF_SHARE = 0.005  # … and the rate that was achieved is off the plan by more than this


def summary(run: Run) -> dict[str, Any]:
    """Return the short form that lists of runs show."""
    result: dict[str, Any] = {
        "run_id": run.run_id,
        "name": run.name,
        "client": run.client,
        "type": run.compiled.plan.type,
        "completed": int(run.state is RunState.COMPLETED),
        "state": run.state.value,
        "verdict": run.verdict,
        "time_start": sec_usec(run.wall_start),
        "counts": run.counters.as_dict(run.planned()),
    }
    if run.finished_at is not None and run.wall_finish is not None:
        result["time_finish"] = sec_usec(run.wall_finish)
        result["duration"] = round(run.finished_at - run.started_at, 6)
    return result


ALWAYS = frozenset(
    {"run_id", "completed", "state", "verdict", "result_id", "time_now", "archived"}
)


def progress(run: Run) -> float:
    """Return the progress of a run, 0 to 1: of its instances, or of its longest time."""
    if run.state is RunState.COMPLETED:
        return 1.0
    plan = run.compiled.plan
    share = run.counters.finished / max(plan.share().count, 1)
    if plan.max_seconds:
        share = max(share, (run.clock.now() - run.started_at) / plan.max_seconds)
    return round(min(max(share, 0.0), 1.0), 4)


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a result that a polling client wants. No names: all members."""

    names: frozenset[str] = frozenset()
    since_s: float = 0.0  # buckets from here on, in seconds of the run

    def wants(self, name: str) -> bool:
        return not self.names or name in self.names or name in ALWAYS

    def of(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return the members of a result that are wanted."""
        found = {name: value for name, value in result.items() if self.wants(name)}
        if self.since_s > 0 and found.get("buckets"):
            found["buckets"] = [one for one in found["buckets"] if one["t"] >= self.since_s]
        return found


WHOLE = Part()


def result_of(run: Run, part: Part = WHOLE) -> dict[str, Any]:
    """Return the result, or a part of it; of a completed run the one that was archived."""
    # Only when the archive has it: `completed` promises that.
    if run.final_result is not None and run.state is RunState.COMPLETED:
        whole = {**run.final_result, "time_now": sec_usec(run.wall_at(run.clock.now()))}
        return part.of(whole)
    return part.of(_result(run, part) | {"plan": _plan(run)})


def _plan(run: Run) -> dict[str, Any]:
    """Return the `plan` of a result: what remains of a run in progress."""
    plan, starter = run.compiled.plan, run.starter
    left_s = starter.left_s()
    return {
        "total": plan.share().count,  # may be above any len()
        "seconds_left": None if left_s is None else round(left_s, 3),
        "current_cps": None if starter.schedule is None else round(starter.current_cps(), 6),
    }


def final_result(run: Run) -> dict[str, Any]:
    """Make the result of a run that has just ended, and keep it."""
    run.final_result = {**_result(run), **COMPLETED}
    return run.final_result


COMPLETED = {"completed": 1, "state": RunState.COMPLETED.value}


def _result(run: Run, part: Part = WHOLE) -> dict[str, Any]:
    # First the parts that may switch: all others are of one moment, so that they add up.
    with turns.given(slices()):
        if part.wants("slowest"):
            _ = run.kept.slowest  # makes and keeps them now, because later nothing may switch
        details = {
            "first_call_summary": first_call(run) if part.wants("first_call_summary") else {},
            "first_fails": _failures(run, run.kept.fails) if part.wants("first_fails") else [],
            "first_aborts": _failures(run, run.kept.aborts) if part.wants("first_aborts") else [],
            "globals": shown_copy(run.globals) if part.wants("globals") else {},
        }
    result = summary(run)
    result["result_id"] = run.result_id
    result["time_now"] = sec_usec(run.wall_at(run.clock.now()))
    result |= {
        "rate": _rate(run, result["counts"]["planned"]),
        "generator": run.generator.as_dict(run.clock.now()),
        "fast_path": run.fast_path(),
        "latency": {
            "response": run.response.summary("instance"),
            "service": run.service.summary("instance"),
        },
        "operations": operations_of(run),
        "halted": run.halted_instances(),
        **details,
        "failures": run.failures.as_list(),
        "slowest": [brief(run, instance) for instance in run.kept.slowest],
        "bucket_s": run.counters.bucket_s,
        "buckets": run.counters.buckets(),
        "dialogues_closed": dict(run.closings),
        "leaks": list(run.leaks),
        "problems": _problems(run, result["counts"]),
        "thresholds": run.thresholds,
        "decided": sorted(run.decided),
        "seed": run.seed,
    }
    if run.compiled.plan.warm_up_s > 0:
        planned = result["counts"]["planned"]
        result["warm_up"] = {
            "seconds": run.compiled.plan.warm_up_s,
            "planned": run.warm_up_planned(planned),
            "started": run.warm_up_started,
        }
    if workers := run.workers():
        result |= {"workers": workers, "lost": list(run.lost), "degraded": int(bool(run.lost))}
    with turns.given(slices()):
        return fit(result, run.counters)


def _problems(run: Run, counts: Mapping[str, int]) -> list[dict[str, Any]]:
    problems = [*run.compiled.problems, *run.remarks]
    problems += [remark for part in run.compiled.parts for remark in part.remarks()]
    if late := counts["late_messages"]:
        text = f"{late} came after their instances had ended"
        problems.append(Problem("counts.late_messages", text, severity="warning"))
    return [problem.as_dict() for problem in problems]


def _failures(run: Run, kept: dict[Cause, Instance]) -> list[dict[str, Any]]:
    return [
        {"cause": cause, **detail(run, instance)} for (*_, cause), instance in list(kept.items())
    ]


def rate_of(run: Run) -> dict[str, Any]:
    """Return the `rate`: what was asked for, what was made, how late, and by whose fault."""
    return _rate(run, run.planned())


def _rate(run: Run, all_planned: int) -> dict[str, Any]:
    started = run.measured_started
    planned = all_planned - run.warm_up_planned(all_planned)
    asked, peak = run.starter.asked_cps, run.starter.asked_cps
    stretch = run.starter.stretch(all_planned)
    if stretch is not None and planned > 1:
        asked, peak = stretch.cps(planned), stretch.highest_cps
    p50, p99 = run.lateness.percentiles_us((0.5, 0.99))
    return {
        "asked": _rounded(asked),
        "asked_peak": _rounded(peak),
        "achieved": _rounded(_achieved(run, stretch)),
        "peak": _rounded(run.peak.cps) if run.peak.most and started > 1 else None,
        "planned": planned,
        "started": started,
        "on_time": started - run.late,
        "late": run.late,
        "never_started": planned - started - unknown_starts(run, planned),
        "unknown_starts": unknown_starts(run, planned),
        "lateness_ms": {
            "p50": round(p50 / 1000, 3),
            "p99": round(p99 / 1000, 3),
            "max": round(run.lateness.highest_us / 1000, 3),
        },
        "limited_by": limited_by(run),
        "paused": int(run.starter.is_paused),
    }


def _achieved(run: Run, stretch: Stretch | None) -> float | None:
    """Return the starts per second over the time of the plan, or to the last start if later."""
    started, first, last = run.measured_started, run.first_start, run.last_start
    if first is None or last is None:
        return None
    if stretch is not None:
        return stretch.cps(started, until=last)
    return (started - 1) / (last - first) if last > first else None


def _rounded(cps: float | None) -> float | None:
    return None if cps is None else round(cps, 3)


def limited_by(run: Run) -> str | None:
    """Return what limited the rate of a linear run: generator, backlog, sut; None for nothing.

    A limit is reported if starts were lost. It is also reported if at least LATE_SHARE of the
    starts were late and the achieved rate is off by more than OFF_SHARE. The cause is that of the
    larger part of lost and late starts: the generator for those that had a slot in the backlog.
    """
    started = run.measured_started
    if run.compiled.plan.grid is None or not started:
        return None
    planned = run.planned()
    measured = planned - run.warm_up_planned(planned)
    lost = measured - started - unknown_starts(run, measured)
    ours = run.late_with_place + run.lost_with_place(planned)
    is_at_peers = run.crowd_at_peers > run.crowd / 2
    is_off = _is_off(run, planned)
    return limit_of(started, lost, run.late, ours, is_at_peers=is_at_peers, is_off=is_off)


def _is_off(run: Run, planned: int) -> bool:
    stretch = run.starter.stretch(planned)
    measured = planned - run.warm_up_planned(planned)
    asked = None if stretch is None else stretch.cps(measured)
    achieved = _achieved(run, stretch)
    return not asked or achieved is None or abs(achieved - asked) > OFF_SHARE * asked


def limit_of(
    started: int, lost: int, late: int, ours: int, *, is_at_peers: bool, is_off: bool = True
) -> str | None:
    """Return the cause for given counts: `ours` are lost or late starts that had a slot."""
    if lost <= 0 and not (is_off and late >= LATE_SHARE * started and late):
        return None
    if ours > late + lost - ours:
        return "generator"
    return "sut" if is_at_peers else "backlog"


def unknown_starts(run: Run, planned: int) -> int:
    """Return how many planned starts may have been made, unnoticed, by workers that were lost."""
    return max(min(run.unknown_starts, planned - run.measured_started), 0)


def operations_of(run: Run) -> list[dict[str, Any]]:
    """Return the latency of each operation that waited for a peer."""
    return [
        {"op": position, **histogram.summary(name)}
        for (position, name), histogram in sorted(run.operations.items())
    ]


def brief(run: Run, instance: Instance) -> dict[str, Any]:
    """Return when an instance ran and how it ended."""
    result: dict[str, Any] = {
        "idx": str(instance.idx),
        "instance_id": str(instance.idx),
        "state": instance.state.value,
        "reason": instance.reason,
        "time_start": sec_usec(instance.wall_start),
    }
    if _is_over(instance):
        duration = instance.finished_at - instance.started_at
        result["time_finish"] = sec_usec(instance.wall_start + duration)
        result["duration"] = round(duration, 6)
    return result


def _is_over(instance: Instance) -> bool:
    return instance.state not in (InstanceState.RUNNING, InstanceState.HALTED)


def detail(run: Run, instance: Instance) -> dict[str, Any]:
    """Return everything recorded of an instance; it is cached once the instance is over."""
    if instance.detail is not None:
        return instance.detail
    was_over = _is_over(instance)
    result = _detail(run, instance)
    if not was_over and _is_over(instance):  # it ended while others ran
        was_over, result = True, _detail(run, instance)
    if was_over:
        instance.detail = result
        # Decoding takes a millisecond: let the instances of the run have the processor between.
        gevent.sleep(0)
    return result


def first_call(run: Run) -> dict[str, Any]:
    """Return the detail of the first instance, and its path through the embedded SCP's flow."""
    if run.first is None:
        return {}
    found = detail(run, run.first)
    # The kinds' parts may still change, so they are read each time.
    return {
        **found,
        **{name: one for part in run.compiled.parts for name, one in part.first_call().items()},
    }


def _detail(run: Run, instance: Instance) -> dict[str, Any]:
    result = logs_of(run, instance)
    if instance.messages is not None:
        shown = (one for one in read_messages(instance.recorded()) if one is not None)
        result["messages"] = decoded = list(islice(shown, MOST_MESSAGES))
        result["ladder"] = ladder_text(decoded)
    return result


def logs_of(run: Run, instance: Instance) -> dict[str, Any]:
    """Return detail() without the messages, which take long if there are many."""
    result = brief(run, instance)
    result["vars"] = shown_copy({k: v for k, v in instance.env.v.items() if k != "__INBOUND"})
    result["check_log"] = [
        _check(run, entry)
        for entry in _entries(instance.check_log.items if instance.check_log else [])
    ]
    result["trace_log"] = _trace(instance.trace_log.entries if instance.trace_log else [])
    return result


def _trace(log: list[TraceEntry]) -> list[dict[str, Any]]:
    """Return a trace log with its messages decoded, each with the help of those before it."""
    records = [value for *_, value in log if isinstance(value, MessageRecord)]
    decoded = iter(decode_messages(records))
    return [
        {
            "t": round(t, 6),
            "op": position,
            "level": level,
            "text": text,
            "detail": next(decoded) if isinstance(value, MessageRecord) else value,
        }
        for t, position, level, text, value in log
    ]


def _entries(log: list[CheckEntry | CheckBlock]) -> Iterator[CheckEntry]:
    """Yield the entries of a log one by one; a comparison is a single item of the log."""
    for item in log:
        if len(item) == 4:
            t, position, step, outcome = item
            for ok, text, expected, got in outcome.kept or ():
                yield t, position, step, ok, text, expected, got, False
        else:
            yield item


def _check(run: Run, entry: CheckEntry) -> dict[str, Any]:
    t, position, step, ok, text, expected, got, is_abort = entry
    turns.walked()
    operation = run.compiled.steps[position]
    level = "info" if ok is None else "pass" if ok else "abort" if is_abort else "fail"
    shown: dict[str, Any] = {
        "t": round(t, 6),
        "op": position,
        "step": step,
        "label": operation.label,
        "type": operation.type,
        "level": level,
        "text": text,
    }
    if expected is not None or got is not None:
        shown["expected"] = expected
        shown["got"] = got
    return shown
