"""The series of runs over time as CSV: a row per bucket, with all runs in one table."""

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from tsvc.results.report import Reported

# Members of a bucket in the order of columns, if a service sends them; unknown members follow.
_MEMBERS = (
    "t",
    "num_calls_started",
    "num_calls_finished",
    "failed",
    "aborted",
    "in_progress",
    "p99_ms",
    "max_ms",
)


_HEADS = ("name", "run_id", "time", "bucket_s")


def buckets_csv(runs: Iterable[Reported]) -> str:
    """Return a table with a heading.

    `t` is in seconds from the start of a run, `bucket_s` in seconds, `time` the wall time in UTC.
    """
    rows = [row for run in runs for row in _rows(run)]
    found = {member for *_, bucket in rows for member in bucket}
    known = [member for member in _MEMBERS if member in found]
    members = known + sorted(found.difference(_MEMBERS))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*_HEADS, *(members or _MEMBERS)])
    for *heads, bucket in rows:
        table.writerow([*heads, *(bucket.get(member) for member in members)])
    return text.getvalue()


def _rows(run: Reported) -> list[tuple[str, str, str, Any, Mapping[str, Any]]]:
    if run.result is None:
        return []
    raw = run.result.raw
    buckets = raw.get("buckets")
    return [
        (
            run.name,
            run.result.run_id,
            _moment(run.result.time_start, bucket.get("t")),
            raw.get("bucket_s", 1.0),
            bucket,
        )
        for bucket in (buckets if isinstance(buckets, list) else ())
        if isinstance(bucket, dict)
    ]


def _moment(start: float | None, t: Any) -> str:
    """Return the wall time at which a bucket begins, as ISO 8601 in UTC."""
    if start is None or not isinstance(t, int | float):
        return ""
    moment = datetime.fromtimestamp(start + t, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
