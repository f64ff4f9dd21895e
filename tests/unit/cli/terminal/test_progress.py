import pytest

from tsvc.cli.terminal.progress import LIVE_INTERVAL_S, PLAIN_INTERVAL_S, progress
from tsvc.client.results import read_run

HALF_WAY = read_run({"run_id": "r", "counts": {"finished": 5, "in_progress": 2}})


def test_without_a_terminal_there_are_plain_lines(capfd: pytest.CaptureFixture[str]) -> None:
    with progress("a.json", is_live=False) as (show, interval_s):
        show(HALF_WAY)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "a.json: 5 finished, 2 in progress, 0 failed\n")
    assert interval_s == PLAIN_INTERVAL_S


def test_live_progress_takes_any_title_and_leaves_stdout_alone(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with progress("[bold]a[/].json", is_live=True) as (show, interval_s):
        show(HALF_WAY)
    assert capfd.readouterr().out == ""
    assert interval_s == LIVE_INTERVAL_S
