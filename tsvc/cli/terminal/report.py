"""The result of a Test Run as lines of text, in a useful order for a reader."""

import json
from collections.abc import Iterable
from typing import Any

from tsvc.cli.terminal.lines import room, say, say_json, style
from tsvc.cli.terminal.refusal import ExitStatus, drawn, note_lines
from tsvc.client import Check, Instance, Latency, Note, Rate, RunResult
from tsvc.printable import printable
from tsvc.results.report import (
    BAD_LEVELS,
    Threshold,
    bad_checks,
    counts_line,
    ended_badly,
    has_values,
    leaks_of,
    thresholds_of,
    undecided,
    verdict_of,
)

_COLOURS = {"pass": "green", "fail": "red", "abort": "magenta", "cancelled": "yellow"}
_WORST_FIRST = (
    ExitStatus.REFUSED,
    ExitStatus.ABORTED,
    ExitStatus.FAILED,
    ExitStatus.THRESHOLD,
    ExitStatus.WORSE,
    ExitStatus.PASSED,
)
_LADDER_ROOM = 100  # columns of a ladder as the service draws it
_INDENT = 2
_SHORT = 300  # characters of a value beside a failed check


def status_of(result: RunResult) -> ExitStatus:
    """Return the exit status for one result."""
    counts = undecided(result)
    is_lost = result.state == "lost"  # with the daemon that ran it
    is_cut = is_lost or result.verdict in ("abort", "cancelled")
    if is_cut or "aborted" in counts or "cancelled" in counts:
        return ExitStatus.ABORTED
    if "failed" in counts:
        return ExitStatus.FAILED
    if result.verdict != "pass":
        return ExitStatus.THRESHOLD  # the instances passed, or may fail, but the run did not
    return ExitStatus.PASSED


def worst_of(statuses: Iterable[ExitStatus]) -> ExitStatus:
    """Return the exit status of several runs."""
    return min(statuses, key=_WORST_FIRST.index)


def whole_report(result: RunResult, *, shows_globals: bool = False) -> list[str]:
    """Return the whole report: first instance, failures, ladder, notes, summary."""
    lines: list[str] = []
    first = result.first_call
    if first is not None:
        lines += ["", style("First instance", "bold"), *check_lines(first)]
        lines += trace_lines(first)
    lines += failure_lines(result)
    if first is not None and first.ladder:
        lines += ["", style("Ladder", "bold"), *_indented(fitting_ladder(first, _INDENT))]
    if shows_globals:
        text = json.dumps(dict(result.globals), indent=2, ensure_ascii=False, default=str)
        lines += ["", style("Globals", "bold"), *_indented(text)]
    lines += ["", style("Summary", "bold"), *summary_lines(result)]
    return lines


def show(result: RunResult, *, is_json: bool) -> None:
    """Print a run: as JSON, as a report if it is over, or its progress."""
    if is_json:
        say_json(dict(result.raw))
    elif result.completed:
        say(*whole_report(result))
    else:
        say(f"{result.run_id} {result.state}: {progress_text(result)}")


def progress_text(result: RunResult) -> str:
    """Return the line about a run in progress."""
    counts, rate = result.counts, result.rate
    parts = [f"{counts.finished} finished"]
    if rate.achieved is not None:
        parts.append(f"{rate.achieved:.1f} calls/s")
    parts.append(f"{counts.in_progress} in progress")
    parts += [
        f"{number} {name}"
        for name, number in (
            ("failed", counts.failed),
            ("aborted", counts.aborted),
            ("late", rate.late),
        )
        if number or name == "failed"
    ]
    if result.halted:
        instances = ", ".join(one.instance_id for one in result.halted[:5])
        parts.append(f"halted: {instances} (tsvc resume {result.run_id} INSTANCE)")
    return ", ".join(parts)


def is_narrow(indent: int = 0) -> bool:
    """Return True if the terminal is too narrow for a ladder as the service draws it."""
    return room(_LADDER_ROOM + indent) < _LADDER_ROOM + indent


def fitting_ladder(instance: Instance, indent: int = 0) -> str:
    """Return the ladder of an instance, drawn again if the terminal is too narrow for it."""
    if not is_narrow(indent) or not instance.messages:
        return instance.ladder
    # This import, with the code of all kinds, takes longer than the rest of a command.
    from tsvc.results.ladder import ladder_text

    return ladder_text(map(dict, instance.messages), room(_LADDER_ROOM + indent) - indent)


def check_lines(instance: Instance) -> list[str]:
    """Return the check log of an instance."""
    lines: list[str] = []
    operation: int | None = None
    for check in instance.checks:
        if check.op != operation:
            operation = check.op
            label = f' "{check.label}"' if check.label else ""
            lines.append(f"  operations[{check.op}] {check.type}{label}")
        lines += _check(check)
    if instance.state not in ("passed", ""):
        reason = f": {instance.reason}" if instance.reason else ""
        lines += note_lines(instance.state, "the first instance" + reason)
    return lines


def failed_check_lines(instance: Instance) -> list[str]:
    """Return the checks that failed or aborted an instance; without any, why it ended badly."""
    lines: list[str] = []
    for check in bad_checks(instance):
        lines += [f"  operations[{check.op}] {check.type}", *_check(check)]
    if not lines and ended_badly(instance):
        lines += note_lines(instance.state, instance.reason or "no reason is known")
    return lines


def trace_lines(instance: Instance) -> list[str]:
    """Return the trace of an instance; [] if no trace was kept."""
    if not instance.trace_log:
        return []
    lines = ["", style("Trace", "bold")]
    for entry in instance.trace_log:
        place = f"  {entry.get('t', 0):9.3f} operations[{entry.get('op')}]"
        lines += note_lines(place, str(entry.get("text", "")), indent="")
        if entry.get("detail") is not None:
            lines.append(f"              {_value(entry['detail'])}")
    return lines


def failure_lines(result: RunResult) -> list[str]:
    """Return the failures of instances other than the first, one instance of each cause."""
    first = result.first_call.instance_id if result.first_call else None
    others = [
        instance
        for instance in (*result.first_fails, *result.first_aborts)
        if instance.instance_id != first
    ]
    if not others:
        return []
    lines = ["", style("Failures, one instance of each cause", "bold")]
    for instance in others:
        cause = instance.cause or instance.reason
        lines += note_lines(f"instance {instance.instance_id} {instance.state}", cause)
        for check in bad_checks(instance):
            lines += [f"    operations[{check.op}] {check.type}", *_check(check)]
    return lines


def summary_lines(result: RunResult) -> list[str]:
    """Return verdict, rate, latency, thresholds, notes, and the data to repeat the run."""
    lines = [f"  verdict    {verdict_line(result)}"]
    if result.rate.asked is not None:
        lines += rate_lines(result.rate)
    lines += warm_up_lines(result)
    lines += worker_lines(result)
    for name, latency in (("response", result.response), ("service", result.service)):
        if latency is not None and latency.count > 1:
            lines.append(f"  {name:<10} {_latency(latency)}")
    lines += fast_path_lines(result)
    lines += _cause_lines(result)
    lines += [f"  threshold  {_threshold(one)}" for one in thresholds_of(result)]
    lines += [line for note in result.problems for line in _note(note)]
    lines += [f"  leak       {leak}" for leak in leaks_of(result)]
    if result.seed is not None:
        lines.append(f"  run        {result.run_id}, seed {result.seed}")
    return lines


_MOST_CAUSES = 10


def _cause_lines(result: RunResult) -> list[str]:
    """Return the number of failed instances for each cause, the most frequent cause first."""
    found = result.raw.get("failures")
    groups = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    if result.counts.started <= 1 or not groups:
        return []
    lines = []
    for one in groups[:_MOST_CAUSES]:
        place = "" if one.get("op") is None else f"operations[{one['op']}] "
        values = one.get("values") or []
        seen = f" (seen: {', '.join(map(_value, values))})" if values else ""
        text = printable(f"{place}{one.get('cause')}{seen}")
        lines.append(f"  cause      {one.get('count'):,} {one.get('state')}: {text}")
    rest = len(groups) - _MOST_CAUSES
    return lines + ([f"  cause      and {rest} causes more"] if rest > 0 else [])


def verdict_line(result: RunResult) -> str:
    """Return the verdict with the counts behind it."""
    seconds = f" in {result.duration:.3f} s" if result.duration is not None else ""
    word = verdict_of(result)
    return f"{style(word, _COLOURS.get(word))}: {counts_line(result)}{seconds}"


def worker_lines(result: RunResult) -> list[str]:
    """Return a line for each worker of the run, and for each worker that was lost."""
    lines = [
        f"  {worker['name']:<10} {worker['started']} started, {worker['late']} late"
        f" (p99 {worker['lateness_p99_ms']:.2f} ms), {worker['cpu']:.0%} of a core"
        f"{'' if worker['state'] != 'lost' else ', lost'}"
        for worker in result.raw.get("workers") or ()
    ]
    return lines + [
        f"  lost       {one['worker']} at {one['since_s']:.0f} s: {one['reason']};"
        f" {one['in_progress']} in progress then,"
        f" {one['unknown_starts_max']} starts at most unknown"
        for one in result.raw.get("lost") or ()
    ]


def rate_lines(rate: Rate) -> list[str]:
    """Return the requested and the achieved rate, the limit, the starts and the lateness."""
    late = rate.lateness_ms
    percentiles = ", ".join(f"{name} {late[name]:.2f}" for name in late)
    not_made = f"{rate.never_started} never started"
    if rate.unknown_starts:
        not_made += f" + {rate.unknown_starts} unknown"
    return [
        f"  rate       {asked_and_achieved(rate)}, limited by {rate.limited_by or 'nothing'}",
        f"  starts     {rate.planned} planned = {rate.started} started"
        f" ({rate.on_time} on time, {rate.late} late) + {not_made}",
        f"  lateness   {percentiles} ms",
    ]


def fast_path_lines(result: RunResult) -> list[str]:
    """Return the number of replayed instances of a load, or the reason why there were none."""
    told = result.raw.get("fast_path")
    if not told or result.counts.started <= 1:
        return []
    if told["not_eligible"]:
        first = told["not_eligible"][0]
        place = "" if first["operation"] is None else f"operations[{first['operation']}]: "
        return [f"  fast path  none: {place}{first['why']}"]
    line = f"  fast path  {told['instances']} replayed, {told['fell_back']} fell back"
    if told["guards"]:
        guard = told["guards"][0]
        line += f" (most: operations[{guard['operation']}], {guard['why']})"
    return [line]


def warm_up_lines(result: RunResult) -> list[str]:
    """Return the number of starts that were not measured; [] without a warm-up."""
    warm_up = result.raw.get("warm_up")
    if not isinstance(warm_up, dict):
        return []
    started, planned = warm_up.get("started"), warm_up.get("planned")
    return [
        f"  warm-up    {warm_up.get('seconds'):g} s: {started} of {planned} planned starts were"
        " made, and not measured"
    ]


_NOTEWORTHY = 1.1  # a peak is reported if it exceeds the rate by this factor


def asked_and_achieved(rate: Rate) -> str:
    """Return both rates, as means of the run; with the peaks if they are much higher."""
    asked, most = rate.asked or 0.0, rate.asked_peak or 0.0
    asked_most = f" (up to {shown_rate(most)})" if most > _NOTEWORTHY * asked else ""
    # The peak is of a window of 100 ms, where two starts more are 20/s: these are no burst.
    is_burst = rate.peak is not None and rate.peak - 20 > _NOTEWORTHY * most > 0
    burst = f" (up to {shown_rate(rate.peak)})" if is_burst else ""
    achieved = f"achieved {shown_rate(rate.achieved)}{burst}"
    return f"asked {shown_rate(rate.asked)}{asked_most}, {achieved}"


def shown_rate(cps: float | None) -> str:
    """Return calls per second in the form that is shown."""
    return "unknown" if cps is None else f"{cps:.2f}/s"


def _check(check: Check) -> list[str]:
    level = style(f"{check.level.upper():<5}", _COLOURS.get(check.level))
    first, *rest = drawn(check.text)
    if check.level == "pass" and isinstance(check.got, str | int | float):
        first += f" = {_value(check.got)}"
    lines = [f"    {check.t:9.3f} {level} {first}"]
    lines += [f"                    {line}" for line in rest]
    if check.level in BAD_LEVELS and has_values(check):
        lines += [
            f"                      expected {_value(check.expected)}",
            f"                      got      {_value(check.got)}",
        ]
    return lines


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}… ({len(text)} characters)"


def _latency(latency: Latency) -> str:
    names = ("mean", "p50", "p90", "p99", "max")
    shown = ", ".join(f"{name} {getattr(latency, f'{name}_ms'):.2f}" for name in names)
    return f"{shown} ms ({latency.count} instances)"


def _threshold(one: Threshold) -> str:
    word = style("met", "green") if one.is_met else style("missed", "red")
    got = "nothing measured" if one.got is None else f"got {one.got:g}"
    ended = "" if one.ended_run_s is None else f", ended the run after {one.ended_run_s:.1f} s"
    return f"{one.rule} {word}, {got}{ended}"


def _note(note: Note) -> list[str]:
    return note_lines(f"{note.severity:<10} {note.path}", note.text)


def _indented(text: str) -> list[str]:
    return [f"{' ' * _INDENT}{line}".rstrip() for line in text.splitlines()]
