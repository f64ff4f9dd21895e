"""The parts of the HTML report about the load: rates, charts, latency, thresholds."""

from collections.abc import Iterator
from html import escape

from tsvc.client.results import Json, Latency, Rate, RunResult
from tsvc.results.html.charts import measure_text, number_text
from tsvc.results.html.curves import charts_of
from tsvc.results.html.elements import badge, section, text
from tsvc.results.report import Threshold, thresholds_of

_LIMITS = {
    "generator": "the tester was too slow",
    "backlog": "the backlog was full",
    "sut": "the system under test held the calls",
}
_PERCENTILES = (("p50_ms", "p50"), ("p90_ms", "p90"), ("p99_ms", "p99"), ("p999_ms", "p99.9"))


def load_section(result: RunResult, definition: Json | None) -> str:
    """Return the section with asked and achieved rates and charts; empty for a single instance."""
    charts = charts_of(result, definition)
    if result.counts.started <= 1 and not charts:
        return ""
    body = _tiles(result) + _rate_truth(result.rate) + _warm_up(result) + _generator(result)
    if charts:
        body += f'<div class="charts">{"".join(charts)}</div>'
    return section("Load", body)


def _tiles(result: RunResult) -> str:
    counts, rate = result.counts, result.rate
    tiles = [
        ("passed", f"{counts.passed:,}", "pass" if counts.passed else ""),
        ("failed", f"{counts.failed:,}", "fail" if counts.failed else ""),
        ("aborted", f"{counts.aborted:,}", "abort" if counts.aborted else ""),
    ]
    if counts.cancelled:
        tiles.append(("cancelled", f"{counts.cancelled:,}", "cancelled"))
    if rate.achieved is not None:
        of = f" of {number_text(rate.asked)}" if rate.asked is not None else ""
        tiles.append((f"calls/s achieved{of}", number_text(rate.achieved), ""))
    if result.response is not None and result.response.count:
        tiles.append(("ms response p99", number_text(result.response.p99_ms), ""))
    cells = "".join(
        f'<div class="tile {style}"><b>{value}</b><span>{escape(name)}</span></div>'
        for name, value, style in tiles
    )
    return f'<div class="tiles">{cells}</div>'


def _rate_truth(rate: Rate) -> str:
    """Return the line that compares the planned starts with the actual ones."""
    if rate.asked is None or not rate.planned:
        return ""
    parts = (
        ("on time", rate.on_time, "pass"),
        ("late", rate.late, "cancelled"),
        ("never started", rate.never_started, "fail"),
        ("unknown", rate.unknown_starts, "fail"),
    )
    bar = "".join(
        f'<i class="{style}" style="flex-grow:{number}" title="{number:,} {name}"></i>'
        for name, number, style in parts
        if number
    )
    limit = _LIMITS.get(rate.limited_by or "", "")
    limited = f"limited by {rate.limited_by}" + (f": {limit}" if limit else "")
    unknown = f" + <b>{rate.unknown_starts:,}</b> unknown" if rate.unknown_starts else ""
    return (
        f'<div class="truth"><div class="stack">{bar}</div><p>'
        f"<b>{rate.planned:,}</b> planned = <b>{rate.started:,}</b> started"
        f" ({rate.on_time:,} on time, {rate.late:,} late)"
        f" + <b>{rate.never_started:,}</b> never started{unknown}"
        f'<span class="limit">{escape(limited if rate.limited_by else "limited by nothing")}'
        "</span></p></div>"
    )


def _warm_up(result: RunResult) -> str:
    """Return how many starts were not measured, if the run has a warm-up."""
    found = result.raw.get("warm_up")
    if not isinstance(found, dict):
        return ""
    seconds, started, planned = (found.get(name) for name in ("seconds", "started", "planned"))
    return (
        f'<p class="small">Warm-up of {number_text(seconds or 0)} s: {started or 0:,} of'
        f" {planned or 0:,} planned starts were made. Rates and latencies are those of the"
        " rest.</p>"
    )


def _generator(result: RunResult) -> str:
    """Return how busy the tester itself was, if the service reports it."""
    found = result.raw.get("generator")
    if not isinstance(found, dict):
        return ""
    cpu, lag = found.get("cpu"), found.get("loop_lag_ms")
    if not isinstance(cpu, int | float) or not isinstance(lag, int | float):
        return ""
    return (
        f'<p class="small">The tester used {cpu * 100:.0f} % of a processor core;'
        f" its event loop lagged by up to {number_text(lag)} ms.</p>"
    )


_WORKER = (
    ("started", "started", "{:,}"),
    ("late", "late", "{:,}"),
    ("late p99, ms", "lateness_p99_ms", "{:.2f}"),
    ("of a core", "cpu", "{:.0%}"),
    ("clock, ms", "clock_error_ms", "{:.2f}"),
)


def workers_section(result: RunResult) -> str:
    """Return a row for each worker of the run, and the losses of workers."""
    workers = result.raw.get("workers") or []
    if not workers:
        return ""
    heads = "".join(f"<th>{name}</th>" for name, _, _ in _WORKER)
    rows = ""
    for one in workers:
        cells = "".join(
            f'<td data-name="{name}">{"" if one[key] is None else form.format(one[key])}</td>'
            for name, key, form in _WORKER
        )
        limit = f", limited by {one['limited_by']}" if one["limited_by"] else ""
        rows += (
            f"<tr><td>{text(one['name'])}</td><td>{text(one['state'] + limit)}</td>{cells}</tr>"
        )
    lost = "".join(
        f"<p>{badge('lost')} {text(one['worker'])} at {one['since_s']:.0f} s:"
        f" {text(one['reason'])}; {one['in_progress']:,} in progress then,"
        f" {one['unknown_starts_max']:,} starts at most unknown</p>"
        for one in result.raw.get("lost") or []
    )
    return section(
        "Workers",
        f'<div class="wide"><table class="numbers"><thead><tr><th></th><th></th>{heads}</tr>'
        f"</thead><tbody>{rows}</tbody></table></div>{lost}",
    )


def latency_section(result: RunResult) -> str:
    """Return the percentiles of the instances, and of each operation that waited."""
    rows = list(_latency_rows(result))
    if not rows:
        return ""
    longest = max(latency.p99_ms for _, latency in rows[:2]) or 1.0
    heads = "".join(f"<th>{name}</th>" for name in ("p50", "p90", "p99", "p99.9", "max", "mean"))
    body = "".join(_latency_row(name, latency, longest) for name, latency in rows)
    note = (
        "Response time counts from the planned start, so waiting for a place is part of it;"
        " service time counts from the actual start. An operation's time is how long it waited."
    )
    return section(
        "Latency",
        '<div class="wide"><table class="numbers"><thead><tr><th>ms</th><th></th><th>count</th>'
        f'{heads}</tr></thead><tbody>{body}</tbody></table></div><p class="small">{note}</p>',
    )


def _latency_rows(result: RunResult) -> Iterator[tuple[str, Latency]]:
    for name, latency in (("response", result.response), ("service", result.service)):
        if latency is not None and latency.count > 1:
            yield f"<b>{name}</b>", latency
    if result.counts.started > 1:
        for latency in result.operations:
            index = latency.raw.get("op")
            yield f"<code>operations[{index}]</code> {text(latency.name)}", latency


def _latency_row(name: str, latency: Latency, longest: float) -> str:
    values = [(label, getattr(latency, member)) for member, label in _PERCENTILES]
    values += [("max", latency.max_ms), ("mean", latency.mean_ms)]
    # If there is no room for columns, the CSS shows each number with its name.
    cells = "".join(
        f'<td data-name="{label}">{measure_text(value)}</td>' for label, value in values
    )
    return (
        f"<tr><td>{name}</td><td>{_spread(latency, longest)}</td>"
        f'<td data-name="count">{latency.count:,}</td>{cells}</tr>'
    )


def _spread(latency: Latency, longest: float) -> str:
    """Return a bar from 0 to p50, p90, p99 on a scale that all rows share."""
    before, parts = 0.0, []
    for style, value in (
        ("q50", latency.p50_ms),
        ("q90", latency.p90_ms),
        ("q99", latency.p99_ms),
    ):
        share = min(value / longest, 1.0) * 100
        parts.append(f'<i class="{style}" style="width:{max(share - before, 0):.1f}%"></i>')
        before = max(before, share)
    return f'<div class="spread">{"".join(parts)}</div>'


_MOST_IN_HEAD = 6


def thresholds_line(result: RunResult) -> str:
    """Return the thresholds for the head of the report, the missed ones first."""
    found = sorted(thresholds_of(result), key=lambda one: one.is_met)
    shown = "".join(
        f"<li>{badge('pass' if one.is_met else 'fail')} <code>{text(one.rule)}</code>"
        f" {_measured(one)}</li>"
        for one in found[:_MOST_IN_HEAD]
    )
    rest = len(found) - _MOST_IN_HEAD
    more = f"<li>and {rest} more</li>" if rest > 0 else ""
    return f'<ul class="thresholds">{shown}{more}</ul>' if shown else ""


def _measured(one: Threshold) -> str:
    got = "nothing measured" if one.got is None else f"got {number_text(one.got)}"
    ended = one.ended_run_s
    return got if ended is None else f"{got}; ended the run after {number_text(ended)} s"


def thresholds_section(result: RunResult) -> str:
    """Return the thresholds with their measured values."""
    rows = "".join(
        f"<tr><td>{badge('pass' if one.is_met else 'fail')}</td><td><code>{text(one.rule)}</code>"
        f"</td><td>{_measured(one).removeprefix('got ')}</td></tr>"
        for one in thresholds_of(result)
    )
    if not rows:
        return ""
    head = "<thead><tr><th></th><th>threshold</th><th>got</th></tr></thead>"
    return section("Thresholds", f'<table class="list">{head}<tbody>{rows}</tbody></table>')
