"""The view of a run in progress on a terminal, for `tsvc run` and `tsvc watch`.

Imported only if there is a terminal: importing rich takes as long as the rest of a command.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tsvc.cli.terminal.report import asked_and_achieved, shown_rate
from tsvc.client import Latency, RunResult
from tsvc.results.html.curves import buckets_of

_SPARKS = "▁▂▃▄▅▆▇█"
_MOST_SPARKS = 40
_BAR_WIDTH = 40
_COUNTLESS = 10**12
_STATES = {"running": "cyan", "starting": "cyan", "cancelling": "yellow", "paused": "yellow"}
_COLOURS = {"failed": "red", "aborted": "magenta", "cancelled": "yellow", "late": "yellow"}


def live_view(title: str, result: RunResult, keys: str = "") -> RenderableType:
    """Return the view of a run: its progress, its rate, its failures and its lateness.

    `keys`: the line about keys, shown below.
    """
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, text in _lines(result):
        table.add_row(name, text)
    return Group(_heading(title, result), table, *([Text(keys, style="dim")] if keys else []))


def _heading(title: str, result: RunResult) -> Text:
    state = Text(result.state or "?", style=_STATES.get(result.state, "bold"))
    parts = [Text(title, style="bold"), Text("  "), state]
    started, now = result.time_start, result.time_now
    if started is not None and now is not None:
        parts.append(Text(f"  {_clock(now - started)}", style="dim"))
    return Text.assemble(*parts)


def _lines(result: RunResult) -> Iterator[tuple[str, RenderableType]]:
    yield "finished", _finished(result)
    yield "instances", _instances(result)
    rate = result.rate
    if rate.asked is not None:
        yield "rate", _rate(result)
        yield "lateness", _lateness(result)
    for name, latency in (("response", result.response), ("service", result.service)):
        if latency is not None and latency.count:
            yield name, _latency(latency)
    for worker in result.raw.get("workers") or ():
        yield worker["name"], _worker(worker)
    for halted in result.halted[:5]:
        left = "" if halted.seconds_left is None else f", {halted.seconds_left:.0f} s left"
        comment = f" {halted.comment}" if halted.comment else ""
        yield (
            "halted",
            Text(
                f"instance {halted.instance_id}{comment}{left}"
                f"  (tsvc resume {result.run_id} {halted.instance_id})",
                style="yellow",
            ),
        )


def _worker(worker: Mapping[str, Any]) -> Text:
    text = (
        f"{worker['state']}, {worker['started']:,} started, {worker['in_progress']:,} in progress,"
        f" late p99 {worker['lateness_p99_ms']:.2f} ms, {worker['cpu']:.0%} of a core"
    )
    return Text(text, style="red" if worker["state"] == "lost" else "")


def _finished(result: RunResult) -> RenderableType:
    counts = result.counts
    plan = result.raw.get("plan") or {}
    total, left_s = plan.get("total"), plan.get("seconds_left")
    planned = counts.planned or counts.started
    if total is None or total > _COUNTLESS:  # the run ends by time, or not at all
        total, text = planned, f"{counts.finished:,} of {planned:,} planned so far"
    else:
        text = f"{counts.finished:,} of {total:,}"
    left = "" if left_s is None else f", {_clock(left_s)} left"
    grid = Table.grid(padding=(0, 2))
    bar = ProgressBar(total=max(total, 1), completed=counts.finished, width=_BAR_WIDTH)
    grid.add_row(bar, Text(f"{text}{left}"))
    return grid


def _instances(result: RunResult) -> Text:
    counts = result.counts
    parts = [
        Text(f"{counts.in_progress:,} in progress, "),
        Text(f"{counts.passed:,} passed", style="green" if counts.passed else ""),
    ]
    for name in ("failed", "aborted", "cancelled"):
        number = getattr(counts, name)
        if number or name != "cancelled":
            parts += [Text(", "), Text(f"{number:,} {name}", _COLOURS[name] if number else "")]
    return Text.assemble(*parts)


def _rate(result: RunResult) -> Text:
    now = (result.raw.get("plan") or {}).get("current_cps")
    asked = "" if now is None else f"now {shown_rate(now)}; "
    return Text.assemble(
        f"{asked}{asked_and_achieved(result.rate)}  ",
        Text(sparkline(result), style="cyan"),
    )


def _lateness(result: RunResult) -> Text:
    rate = result.rate
    late = ", ".join(f"{name} {value:.2f}" for name, value in rate.lateness_ms.items())
    return Text.assemble(
        f"{late} ms, ",
        Text(f"{rate.late:,} late", _COLOURS["late"] if rate.late else ""),
        f", {rate.never_started:,} never started, limited by {rate.limited_by or 'nothing'}",
    )


def _latency(latency: Latency) -> Text:
    names = ("p50", "p90", "p99", "max")
    return Text(
        ", ".join(f"{name} {getattr(latency, f'{name}_ms'):.2f}" for name in names) + " ms"
    )


def sparkline(result: RunResult) -> str:
    """Return the calls started in each of the last whole buckets, as a line of blocks."""
    started = [bucket.started for bucket in buckets_of(result)[:-1]][-_MOST_SPARKS:]
    highest = max(started, default=0.0)
    if highest <= 0:
        return ""
    top = len(_SPARKS) - 1
    return "".join(_SPARKS[round(number / highest * top)] for number in started)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
