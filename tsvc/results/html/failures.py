"""The parts of the HTML report about what went wrong, and about the slowest instances."""

from tsvc.client.results import Instance, RunResult, read_instance
from tsvc.results.html.elements import badge, details_html, seconds_text, section, text
from tsvc.results.html.instance import check_table, ladder, messages
from tsvc.results.report import bad_checks, failures_of


def failures_section(result: RunResult) -> str:
    """Return one instance of each cause; the first instance has a section of its own below."""
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
    """Return the slowest instances with the time each took."""
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
