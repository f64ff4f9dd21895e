"""The series of a run over time as CSV: a row per bucket, of all runs in one table."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from tsvc.results.report import Reported

# Of a bucket, in this order where a service sends them; members that are new to us follow.
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


def buckets_csv(runs: Iterable[Reported]) -> str:
    """Return a table with a heading; `t` and `bucket_s` in seconds from the start of a run."""
    rows = [row for run in runs for row in _rows(run)]
    found = {member for _, _, _, bucket in rows for member in bucket}
    known = [member for member in _MEMBERS if member in found]
    members = known + sorted(found.difference(_MEMBERS))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["name", "run_id", "bucket_s", *(members or _MEMBERS)])
    for name, run_id, bucket_s, bucket in rows:
        table.writerow([name, run_id, bucket_s, *(bucket.get(member) for member in members)])
    return text.getvalue()


def _rows(run: Reported) -> list[tuple[str, str, Any, Mapping[str, Any]]]:
    if run.result is None:
        return []
    raw = run.result.raw
    buckets = raw.get("buckets")
    return [
        (run.name, run.result.run_id, raw.get("bucket_s", 1.0), bucket)
        for bucket in (buckets if isinstance(buckets, list) else ())
        if isinstance(bucket, dict)
    ]
