"""The curves of a run's charts, made from its result."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import ceil, sqrt
from typing import Any

from tsvc.client.results import Json, RunResult
from tsvc.results.html.charts import Band, Series, bar_chart, number_text, time_chart
from tsvc.values import dataclass

_MOST_DRAWN = 200  # buckets in a chart, so that the pointer can hit each of them
_SAME = 0.02  # relative difference up to which two rates count as equal
_SHORT = 0.25  # of a bucket: the least length of the last one to have its own rate


@dataclass(frozen=True, slots=True)
class Bucket:
    """The counts and times from `start` to `end`, seconds since the run began."""

    start: float
    end: float
    started: float
    failed: float
    aborted: float
    in_progress: float
    finished: float
    highest_ms: float | None
    p99_ms: float | None


def buckets_of(result: RunResult) -> list[Bucket]:
    """Return the buckets; the last one ends where the run does."""
    raw = result.raw.get("buckets")
    found = [one for one in raw if isinstance(one, dict)] if isinstance(raw, list) else []
    bucket_s = _number(result.raw, "bucket_s") or 1.0
    over = result.duration if result.duration is not None else bucket_s * len(found)
    return [_bucket(one, bucket_s, over, is_last=one is found[-1]) for one in found]


def _bucket(one: Json, bucket_s: float, over: float, *, is_last: bool) -> Bucket:
    start = _number(one, "t") or 0.0
    end = start + bucket_s
    if is_last and start < over < end:
        end = over
    return Bucket(
        start,
        end,
        started=_number(one, "num_calls_started") or 0.0,
        failed=_number(one, "failed") or 0.0,
        aborted=_number(one, "aborted") or 0.0,
        in_progress=_number(one, "in_progress") or 0.0,
        finished=_number(one, "num_calls_finished") or 0.0,
        highest_ms=_number(one, "max_ms"),
        p99_ms=_number(one, "p99_ms"),
    )


def charts_of(result: RunResult, definition: Json | None) -> list[str]:
    """Return the charts of a run; none if it has fewer than two buckets."""
    found = buckets_of(result)
    if len(found) < 2:
        return []
    buckets = _drawable(found)
    end_s = buckets[-1].end
    return [
        _rate_chart(result, definition, buckets, end_s),
        _latency_chart(buckets, end_s, is_joined=len(buckets) < len(found)),
        _in_progress_chart(buckets, end_s),
        _lateness_chart(result),
    ]


def _rate_chart(
    result: RunResult, definition: Json | None, buckets: list[Bucket], end_s: float
) -> str:
    measured = _for_rates(buckets)
    series = [Series("started", "c-rate", _rates(measured, "started"), is_filled=True)]
    asked = asked_points(result, definition, end_s)
    if asked:
        series.append(Series("asked", "c-asked", points=asked))
    for name, style in (("failed", "c-fail"), ("aborted", "c-abort")):
        if any(getattr(bucket, name) for bucket in buckets):
            series.append(Series(name, style, _rates(measured, name)))
    return time_chart("Rate", "calls/s", series, end_s)


def _for_rates(buckets: list[Bucket]) -> list[Bucket]:
    """Return the buckets for rates; a very short last one is joined with the one before it."""
    *rest, before, last = buckets
    if last.end - last.start >= _SHORT * (before.end - before.start):
        return buckets
    return [*rest, _joined([before, last])]


def _joined(buckets: list[Bucket]) -> Bucket:
    """Return adjacent buckets as one: sums of counts, highest times, in progress at the end."""
    return Bucket(
        buckets[0].start,
        buckets[-1].end,
        sum(one.started for one in buckets),
        sum(one.failed for one in buckets),
        sum(one.aborted for one in buckets),
        buckets[-1].in_progress,
        sum(one.finished for one in buckets),
        _highest(one.highest_ms for one in buckets),
        _highest(one.p99_ms for one in buckets),
    )


def _highest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _drawable(buckets: list[Bucket]) -> list[Bucket]:
    """Return at most _MOST_DRAWN buckets, joining neighbours if there are more."""
    each = ceil(len(buckets) / _MOST_DRAWN)
    if each == 1:
        return buckets
    return [_joined(buckets[at : at + each]) for at in range(0, len(buckets), each)]


def _rates(buckets: list[Bucket], member: str) -> tuple[Band, ...]:
    return tuple(
        Band(one.start, one.end, getattr(one, member) / (one.end - one.start)) for one in buckets
    )


def _latency_chart(buckets: list[Bucket], end_s: float, *, is_joined: bool) -> str:
    # The p99 of joined buckets can't be computed from theirs, so the highest p99 is shown.
    p99 = "highest p99" if is_joined else "p99"
    series = []
    if any(bucket.highest_ms is not None for bucket in buckets):
        bands = tuple(_latency(one, one.highest_ms) for one in buckets)
        series.append(Series("slowest", "c-max", bands))
    if any(bucket.p99_ms is not None for bucket in buckets):
        bands = tuple(_latency(one, one.p99_ms) for one in buckets)
        series.append(Series(p99, "c-p99", bands, is_filled=True))
    return time_chart("Service time", "ms", series, end_s)


def _latency(bucket: Bucket, value: float | None) -> Band:
    return Band(bucket.start, bucket.end, value if bucket.finished else None)


def _in_progress_chart(buckets: list[Bucket], end_s: float) -> str:
    bands = tuple(Band(one.start, one.end, one.in_progress) for one in buckets)
    series = [Series("at the end of each stretch", "c-progress", bands, is_filled=True)]
    return time_chart("In progress", "calls", series, end_s, least_top=4)


def _lateness_chart(result: RunResult) -> str:
    """Return the chart of the lateness, which a service sends only for the whole run."""
    late = result.rate.lateness_ms
    bars = [(name, float(late[name]), f"{number_text(late[name])} ms") for name in late]
    note = (
        f"{result.rate.on_time:,} starts on time, {result.rate.late:,} late,"
        f" {result.rate.never_started:,} never made"
    )
    return bar_chart("Lateness of starts", "ms", bars, "c-late", note)


def asked_points(
    result: RunResult, definition: Json | None, end_s: float
) -> tuple[tuple[float, float], ...]:
    """Return the asked rate over time as (seconds, calls/s), empty if no rate was asked for.

    The curve follows the definition if it is known and has the asked mean. If the rate was changed
    while the run was in progress, only the mean is known.
    """
    asked = result.rate.asked
    if asked is None:
        return ()
    distribution = (definition or {}).get("distribution")
    cps = distribution.get("cps") if isinstance(distribution, Mapping) else None
    corners = _corners(cps) if isinstance(cps, Mapping) else []
    starts = result.rate.planned - 1
    before = _warm_up_starts(result)
    mean = _mean_of(corners, starts, before) if corners else None
    same = _SAME
    if isinstance(cps, Mapping) and cps.get("arrivals") == "poisson":
        # Random starts make a mean that is off by chance.
        same = max(same, 4 / sqrt(max(starts, 1)))
    if mean is None or abs(mean - asked) > same * asked:
        corners = [(0.0, asked)]
    return tuple(_until(corners, end_s))


def _warm_up_starts(result: RunResult) -> int:
    warm_up = result.raw.get("warm_up")
    return int(_number(warm_up, "planned") or 0) if isinstance(warm_up, dict) else 0


def _mean_of(corners: list[tuple[float, float]], starts: int, before: int) -> float | None:
    """Return the mean planned rate of `starts` starts that follow the first `before` starts.

    None if the corners plan fewer starts.
    """
    if starts <= 0:
        return corners[-1][1]
    begin = _time_of(corners, before) if before > 0 else 0.0
    end = _time_of(corners, before + starts)
    return None if begin is None or end is None or end <= begin else starts / (end - begin)


def _time_of(corners: list[tuple[float, float]], starts: int) -> float | None:
    """Return the time at which the corners have planned so many starts, None if never."""
    done = 0.0
    for (begin, first), (end, last) in pairwise(corners):
        more = (first + last) / 2 * (end - begin)
        if done + more >= starts:
            left, slope = starts - done, (last - first) / (end - begin)
            root = sqrt(max(first * first + 2 * slope * left, 0.0))
            return begin + 2 * left / (first + root) if first + root > 0 else None
        done += more
    at, rate = corners[-1]
    return at + (starts - done) / rate if rate > 0 else None


def _corners(cps: Mapping[str, Any]) -> list[tuple[float, float]]:
    stages = cps.get("stages")
    if isinstance(stages, list):
        return _stage_corners([one for one in stages if isinstance(one, dict)])
    target, ramp_s = _number(cps, "target"), _number(cps, "ramp_s")
    initial = _number(cps, "initial")
    if target is None:
        return []
    if not ramp_s or initial is None:
        return [(0.0, target)]
    return [(0.0, initial), (ramp_s, target)]


def _stage_corners(stages: list[dict[str, Any]]) -> list[tuple[float, float]]:
    at, before = 0.0, 0.0
    corners: list[tuple[float, float]] = []
    for stage in stages:
        target, seconds = _number(stage, "target"), _number(stage, "seconds")
        if target is None or seconds is None:
            return []
        ramp_s = _number(stage, "ramp_s") or 0.0
        if ramp_s > 0:
            # The last corner already has the rate before the ramp, if there is one.
            corners += [] if corners else [(at, before)]
        corners.append((at + ramp_s, target))
        if ramp_s < seconds:
            corners.append((at + seconds, target))
        at, before = at + seconds, target
    return corners


def _until(corners: list[tuple[float, float]], end_s: float) -> list[tuple[float, float]]:
    """Return a curve that is cut at end_s, or extended to it with its last value."""
    points: list[tuple[float, float]] = []
    for at, value in corners:
        if at > end_s:
            before, low = points[-1]
            points.append((end_s, low + (value - low) * (end_s - before) / (at - before)))
            return points
        points.append((at, value))
    return [*points, (end_s, points[-1][1])]


def _number(raw: Json, name: str) -> float | None:
    value = raw.get(name)
    return float(value) if isinstance(value, int | float) else None
