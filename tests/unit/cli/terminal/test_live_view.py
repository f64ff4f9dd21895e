import io
from typing import Any

from rich.console import Console

from tsvc.cli.terminal.live_view import live_view, sparkline
from tsvc.client.results import read_run


def text_of(**members: Any) -> str:
    console = Console(file=io.StringIO(), width=120)
    answer = {"run_id": "r", "completed": 0, "state": "running", **members}
    console.print(live_view("[bold]a[/].json", read_run(answer)))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def buckets(*started: int) -> list[dict[str, int]]:
    return [{"t": at, "num_calls_started": number} for at, number in enumerate(started)]


def test_a_load_shows_how_far_it_is_and_whether_its_rate_is_kept() -> None:
    rate = {
        "asked": 150.0,
        "achieved": 149.25,
        "late": 3,
        "never_started": 1,
        "lateness_ms": {"p50": 0.5, "p99": 7.0},
        "limited_by": "sut",
    }
    counts = {"planned": 1200, "started": 1199, "finished": 1190, "passed": 1189, "failed": 1}
    text = text_of(
        time_start=[100, 0],
        time_now=[175, 500_000],
        counts={**counts, "in_progress": 9},
        rate=rate,
        latency={"service": {"count": 1190, "p50_ms": 1.5, "p99_ms": 4.0}},
        buckets=buckets(0, 50, 100, 3),
    )
    assert text.startswith("[bold]a[/].json  running  1:15")
    assert "1,190 of 1,200 planned so far" in text
    assert "9 in progress, 1,189 passed, 1 failed, 0 aborted" in text
    assert "asked 150.00/s, achieved 149.25/s  ▁▅█" in text
    assert "p50 0.50, p99 7.00 ms, 3 late, 1 never started, limited by sut" in text
    assert "p50 1.50, p90 0.00, p99 4.00, max 0.00 ms" in text


def test_a_single_call_has_no_rate() -> None:
    text = text_of(counts={"planned": 1, "started": 1, "in_progress": 1})
    assert "0 of 1 planned" in text
    assert "rate" not in text


def test_halted_instances_say_how_to_go_on() -> None:
    halted = {"instance_id": "41", "comment": "look at it", "seconds_left": 12.4}
    text = text_of(halted=[halted])
    assert "instance 41 look at it, 12 s left  (tsvc resume r 41)" in text


def test_the_sparkline_shows_whole_buckets_only() -> None:
    assert sparkline(read_run({"buckets": buckets(7, 0, 3)})) == "█▁"
    assert sparkline(read_run({"buckets": buckets(0, 0, 0)})) == ""
    assert sparkline(read_run({})) == ""
    assert len(sparkline(read_run({"buckets": buckets(*range(100))}))) == 40
