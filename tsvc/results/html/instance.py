"""The parts of the HTML report about single instances: failures, the slowest, the first."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from tsvc.client.results import Check, Instance, Json, RunResult, read_instance
from tsvc.results.exchanges import arrows_of
from tsvc.results.html.elements import (
    badge,
    details,
    details_html,
    json_block,
    seconds_text,
    section,
    text,
    value_text,
)
from tsvc.results.ladder import ladder_svg
from tsvc.results.report import BAD_LEVELS, bad_checks, failures_of, has_values
from tsvc.results.text import message_text


def first_section(result: RunResult, *, is_open: bool = True) -> str:
    """Return the section of the first instance; its parts are open or folded."""
    first = result.first_call
    if first is None:
        return ""
    body = [
        _reason(first),
        details("Checks", check_table(first.checks), is_open=is_open) if first.checks else "",
        _flow_paths(first.raw.get("flow_paths")),
        ladder(first, is_open=is_open),
        messages(first),
        _trace(first),
    ]
    if first.raw.get("vars"):
        body.append(details("Vars at the end", json_block(first.raw["vars"])))
    title = "The instance" if result.counts.started == 1 else "First instance"
    bad, count = len(bad_checks(first)), len(first.checks)
    parts = [f"{count} check{'' if count == 1 else 's'}", f"{bad} not passed" if bad else ""]
    if first.duration is not None:
        parts.append(seconds_text(first.duration))
    return section(title, "\n".join(filter(None, body)), ", ".join(filter(None, parts)))


def _reason(instance: Instance) -> str:
    if instance.state in ("passed", "") or not instance.reason:
        return ""
    return f'<p class="reason">{badge(instance.state)} {text(instance.reason)}</p>'


def check_table(checks: Sequence[Check]) -> str:
    """Return a table of a check log, with a heading for each operation."""
    if not checks:
        return ""
    rows = "".join(
        _operation_row(found[0]) + "".join(map(_check_row, found))
        for _, group in groupby(checks, key=lambda check: (check.step, check.op))
        for found in [list(group)]
    )
    return f'<table class="checks"><tbody>{rows}</tbody></table>'


def _operation_row(check: Check) -> str:
    label = f" <q>{text(check.label)}</q>" if check.label else ""
    return (
        f'<tr class="operation"><th colspan="3"><code>operations[{check.op}]</code>'
        f" {text(check.type)}{label}</th></tr>"
    )


def _check_row(check: Check) -> str:
    is_bad = check.level in BAD_LEVELS
    got = f' <span class="got">= {value_text(check.got)}</span>' if _shows_got(check) else ""
    values = ""
    if is_bad and has_values(check):
        values = (
            f'<dl class="differs"><dt>expected</dt><dd class="expected">'
            f"{value_text(check.expected)}</dd><dt>got</dt>"
            f'<dd class="wrong">{value_text(check.got)}</dd></dl>'
        )
    return (
        f'<tr class="{text(check.level)}"><td class="t">{check.t:.4f} s</td>'
        f'<td>{badge(check.level)}</td><td><span class="what">{text(check.text)}</span>'
        f"{got}{values}</td></tr>"
    )


def _shows_got(check: Check) -> bool:
    return check.level == "pass" and isinstance(check.got, str | int | float)


def ladder(instance: Instance, *, is_open: bool = True) -> str:
    """Return the ladder as SVG; empty if no messages were kept."""
    if not instance.messages:
        return ""
    drawn = f'<div class="ladder">{ladder_svg(_decoded(instance))}</div>'
    return details("Ladder", drawn, is_open=is_open)


def messages(instance: Instance) -> str:
    """Return all decoded messages, each as a part that opens and closes."""
    if not instance.messages:
        return ""
    decoded = _decoded(instance)
    shown = "".join(
        details_html(
            f'<span class="t">{arrow.t:.4f} s</span> {text(arrow.source)} →'
            f" {text(arrow.target)} <b>{text(arrow.label)}</b>",
            f"<pre>{text(message_text(message))}</pre>",
            style="message",
        )
        for arrow, message in zip(arrows_of(decoded), decoded, strict=True)
    )
    return details(f"Messages ({len(decoded)})", shown, is_long=True)


def _decoded(instance: Instance) -> list[dict[str, Any]]:
    return [dict(message) for message in instance.messages]


def _trace(instance: Instance) -> str:
    if not instance.trace_log:
        return ""
    lines = "\n".join(line for entry in instance.trace_log for line in _trace_lines(entry))
    return details("Trace", f"<pre>{lines}</pre>", is_long=True)


def _trace_lines(entry: Json) -> Iterator[str]:
    yield text(f"{entry.get('t', 0):9.4f} operations[{entry.get('op')}] {entry.get('text', '')}")
    if entry.get("detail") is not None:
        shown = json.dumps(entry["detail"], ensure_ascii=False, default=str)
        yield text(f"          {shown}")


def _flow_paths(paths: object) -> str:
    """Return the paths of calls through flows of the embedded SCP, if there are any."""
    if not isinstance(paths, list):
        return ""
    return "".join(
        f'<p class="path"><span>{text(str(one.get("flow", "flow")))}</span>'
        f"{' → '.join(_node(node) for node in one['path'] if isinstance(node, dict))}</p>"
        for one in paths
        if isinstance(one, dict) and isinstance(one.get("path"), list)
    )


def _node(node: Json) -> str:
    exit_name = node.get("exit_name")
    named = f" <i>{text(str(exit_name))}</i>" if exit_name else ""
    return f"<b>{text(str(node.get('type')))}</b>{named}"


def failures_section(result: RunResult) -> str:
    """Return one instance of each cause; the first instance also has its own section below."""
    first = result.first_call.instance_id if result.first_call is not None else None
    found = list(failures_of(result))
    cards = "".join(
        _cause(cause, instance, is_first=instance.instance_id == first)
        for cause, instance in found
    )
    if not cards:
        return ""
    note = f"{len(found)} cause{'' if len(found) == 1 else 's'}, one instance of each"
    return section("Failures", cards, note)


def _cause(cause: str, instance: Instance, *, is_first: bool) -> str:
    title = (
        f"{badge(instance.state)} <b>{text(cause)}</b>"
        f' <span class="note">instance {text(instance.instance_id)}</span>'
    )
    body = check_table(bad_checks(instance))
    if not is_first:
        body += ladder(instance, is_open=False) + messages(instance)
    return details_html(title, body, is_open=True, style="cause")


def slowest_section(result: RunResult) -> str:
    """Return the slowest instances with their durations."""
    raw = result.raw.get("slowest")
    entries = [one for one in raw if isinstance(one, dict)] if isinstance(raw, list) else []
    found = [read_instance(one) for one in entries]
    timed = [(one, one.duration) for one in found if one.duration is not None]
    if result.counts.started <= 1 or not timed:
        return ""
    longest = max(duration for _, duration in timed) or 1.0
    rows = "".join(
        f"<tr><td>{badge(one.state)}</td><td>instance {text(one.instance_id)}</td>"
        f"<td>{_started(one, result)}</td><td>{seconds_text(duration)}</td>"
        f'<td><div class="spread"><i class="q50" style="width:{duration / longest * 100:.1f}%">'
        f"</i></div></td><td>{text(one.reason)}</td></tr>"
        for one, duration in timed
    )
    head = (
        "<thead><tr><th></th><th></th><th>started at</th><th>took</th><th></th><th></th></tr>"
        "</thead>"
    )
    return section("Slowest", f'<table class="list">{head}<tbody>{rows}</tbody></table>')


def _started(instance: Instance, result: RunResult) -> str:
    match instance.raw.get("time_start"):
        case [int(seconds), int(microseconds)] if result.time_start is not None:
            return f"{seconds + microseconds / 1e6 - result.time_start:.3f} s"
    return ""
