import csv
import io

from support.run_results import bucket, load, passed, refused, run

from tsvc.results.csv_buckets import buckets_csv
from tsvc.results.report import Reported


def table(*runs: Reported) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(buckets_csv(runs))))


def test_a_row_for_each_bucket_of_each_run() -> None:
    other = Reported("a, b", run("pass", bucket_s=2.0, buckets=[bucket(0, 7, 7, p99_ms=1.5)]))
    rows = table(load(), refused(), other)
    assert [row["name"] for row in rows] == ["load"] * 4 + ["a, b"]
    assert rows[2] == {
        "name": "load",
        "run_id": "r-1",
        "time": "2023-11-14T22:13:22.250Z",
        "bucket_s": "1.0",
        "t": "2",
        "num_calls_started": "98",
        "num_calls_finished": "97",
        "failed": "0",
        "aborted": "1",
        "in_progress": "0",
        "p99_ms": "",
        "max_ms": "250.0",
    }
    assert (rows[4]["bucket_s"], rows[4]["p99_ms"], rows[4]["max_ms"]) == ("2.0", "1.5", "")


def test_members_that_are_new_to_us_are_kept() -> None:
    found = Reported("a", run("pass", buckets=[{**bucket(0, 1, 1), "zebra": 4, "apple": 3}]))
    heading = buckets_csv([found]).splitlines()[0]
    assert heading.endswith(",in_progress,apple,zebra")


def test_without_buckets_there_is_a_heading() -> None:
    text = buckets_csv([refused(), passed()])
    assert text.startswith("name,run_id,time,bucket_s,t,num_calls_started,")
    assert text.count("\n") == 1
