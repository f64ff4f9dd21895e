from typing import Any

import pytest

from tsvc.cli.run_definition import completed_line, first_call_lines
from tsvc.cli.terminal.lines import plain
from tsvc.cli.terminal.refusal import ExitStatus, refusal_lines
from tsvc.cli.terminal.report import progress_text, status_of, whole_report, worst_of
from tsvc.client import RunResult, Unreachable
from tsvc.client.results import read_run
from tsvc.errors import DefinitionError, ExpressionSyntaxError, Problem, StartError

CHECKS = [
    {
        "t": 0.001,
        "op": 1,
        "step": 2,
        "type": "inap.ssp_from_scp.Connect",
        "level": "pass",
        "text": "Received Connect",
    },
    {
        "t": 0.001,
        "op": 1,
        "step": 2,
        "type": "inap.ssp_from_scp.Connect",
        "level": "fail",
        "text": "destination",
        "expected": "4329100",
        "got": "4329101",
    },
]


def run(verdict: str, counts: dict[str, int] | None = None, **members: Any) -> RunResult:
    return read_run(
        {
            "run_id": "r",
            "completed": 1,
            "state": "completed",
            "verdict": verdict,
            "duration": 0.208,
            "counts": {"planned": 1, "started": 1, "finished": 1, **(counts or {})},
            **members,
        }
    )


def text_of(result: RunResult) -> str:
    return "\n".join(map(plain, whole_report(result)))


@pytest.mark.parametrize(
    ("verdict", "counts", "status"),
    [
        ("pass", {"passed": 1}, ExitStatus.PASSED),
        ("fail", {"failed": 1}, ExitStatus.FAILED),
        ("abort", {"aborted": 1, "failed": 1}, ExitStatus.ABORTED),
        ("cancelled", {"cancelled": 1}, ExitStatus.ABORTED),
        ("fail", {"passed": 1}, ExitStatus.THRESHOLD),
    ],
)
def test_exit_status(verdict: str, counts: dict[str, int], status: ExitStatus) -> None:
    assert status_of(run(verdict, counts)) is status


@pytest.mark.parametrize(
    ("verdict", "counts", "decided", "status"),
    [
        ("pass", {"passed": 9, "failed": 1}, ["failed"], ExitStatus.PASSED),
        ("fail", {"passed": 9, "failed": 1}, ["failed"], ExitStatus.THRESHOLD),
        ("fail", {"passed": 9, "failed": 1}, ["aborted"], ExitStatus.FAILED),
        ("pass", {"passed": 9, "aborted": 1}, ["aborted"], ExitStatus.PASSED),
        ("fail", {"passed": 9, "aborted": 1}, ["aborted", "failed"], ExitStatus.THRESHOLD),
        ("abort", {"passed": 9, "aborted": 1, "failed": 1}, ["failed"], ExitStatus.ABORTED),
        ("cancelled", {"passed": 9, "cancelled": 1}, ["aborted", "failed"], ExitStatus.ABORTED),
    ],
)
def test_exit_status_where_thresholds_decide(
    verdict: str, counts: dict[str, int], decided: list[str], status: ExitStatus
) -> None:
    assert status_of(run(verdict, counts, decided=decided)) is status


def test_a_run_that_was_lost_with_its_daemon_has_not_passed() -> None:
    lost = run("pass", {"passed": 1}, state="lost")
    assert status_of(lost) is ExitStatus.ABORTED
    assert "verdict    lost: 1 of 1 passed" in text_of(lost)


def test_the_worst_status_counts() -> None:
    statuses = [ExitStatus.PASSED, ExitStatus.THRESHOLD, ExitStatus.FAILED]
    assert worst_of(statuses) is ExitStatus.FAILED
    assert worst_of([*statuses, ExitStatus.REFUSED, ExitStatus.ABORTED]) is ExitStatus.REFUSED


def test_the_report_shows_checks_with_expected_and_got() -> None:
    first = {"instance_id": "0", "state": "failed", "check_log": CHECKS, "ladder": "SSP  SCP"}
    text = text_of(run("fail", {"failed": 1}, first_call_summary=first, seed=5))
    assert "operations[1] inap.ssp_from_scp.Connect\n" in text
    assert "PASS  Received Connect\n" in text
    assert "FAIL  destination\n" in text
    assert "expected 4329100\n" in text
    assert "got      4329101\n" in text
    assert "Ladder\n  SSP  SCP\n" in text
    assert "verdict    fail: 0 of 1 passed, 1 failed in 0.208 s" in text
    assert "run        r, seed 5" in text


def test_failures_of_other_instances_are_shown_once() -> None:
    first = {"instance_id": "0", "state": "failed", "check_log": CHECKS}
    other = {"instance_id": "17", "state": "failed", "cause": "destination", "check_log": CHECKS}
    text = text_of(run("fail", first_call_summary=first, first_fails=[first, other]))
    assert text.count("instance 17 failed: destination") == 1
    assert text.count("expected 4329100") == 2
    assert "instance 0 " not in text


def test_the_rate_truth_is_told() -> None:
    rate = {
        "asked": 50.0,
        "achieved": 49.2,
        "planned": 500,
        "started": 490,
        "on_time": 480,
        "late": 10,
        "never_started": 10,
        "lateness_ms": {"p50": 0.2, "p99": 7, "max": 9.25},
        "limited_by": "backlog",
    }
    text = text_of(run("pass", rate=rate))
    assert "asked 50.00/s, achieved 49.20/s, limited by backlog" in text
    assert "500 planned = 490 started (480 on time, 10 late) + 10 never started" in text
    assert "lateness   p50 0.20, p99 7.00, max 9.25 ms" in text


def test_a_warm_up_is_told() -> None:
    text = text_of(run("pass", warm_up={"seconds": 10.0, "planned": 500, "started": 498}))
    assert "warm-up    10 s: 498 of 500 planned starts were made, and not measured" in text
    assert "warm-up" not in text_of(run("pass"))


def test_thresholds_and_notes() -> None:
    missed = {"metric": "late", "op": "<=", "value": 0, "got": 3, "is_met": False}
    note = {"path": "distribution.cps", "text": "is not used", "severity": "warning"}
    text = text_of(run("fail", thresholds=[missed], problems=[note]))
    assert "late <= 0 missed, got 3" in text
    assert "warning    distribution.cps: is not used" in text


def test_what_a_run_left_behind_is_told() -> None:
    assert "leak       lock 'a' is held" in text_of(run("fail", leaks=["lock 'a' is held"]))


def test_a_refusal_keeps_the_caret_under_its_column() -> None:
    problem = str(ExpressionSyntaxError("unexpected end", "$v->{a} ||", 10))
    error = DefinitionError.of([Problem("operations[1].expression", problem)])
    lines = refusal_lines(error)
    assert lines is not None
    assert lines[0] == "refused (2002 definition.invalid):"
    source, caret = lines[2], lines[3]
    assert source.index("$v->{a} ||") + 10 == caret.index("^")


def test_fields_are_named_as_in_a_file() -> None:
    error = DefinitionError.of([Problem("params.operations[0].type", "is missing")])
    assert (refusal_lines(error) or [])[1] == "  operations[0].type: is missing"


def test_problems_come_as_a_reader_of_the_file_meets_them() -> None:
    places = {"vars": "t.json", "operations[9].type": "t.json:99:7", "name": "t.json:100:3"}
    error = DefinitionError.of([Problem(path, "is wrong") for path in reversed(places)])
    lines = [line.split(": ")[0] for line in refusal_lines(error, places.__getitem__) or []]
    assert lines[1:] == ["  t.json", "  t.json:99:7", "  t.json:100:3"]


def test_refusals_without_fields() -> None:
    error = StartError("lock 'a' is held", kind="lock.taken", key="a", holder="r")
    assert refusal_lines(error) == [
        "refused (2003 lock.taken): lock 'a' is held",
        "  key: a",
        "  holder: r",
    ]
    assert refusal_lines(Unreachable("nobody")) == ["unreachable: nobody"]
    assert refusal_lines(KeyError("a bug of ours")) is None


def test_progress_names_halted_instances() -> None:
    result = read_run(
        {
            "run_id": "r",
            "counts": {"finished": 5, "in_progress": 2, "aborted": 1},
            "rate": {"achieved": 12.34, "late": 3},
            "halted": [{"instance_id": "41"}],
        }
    )
    assert progress_text(result) == (
        "5 finished, 12.3 calls/s, 2 in progress, 0 failed, 1 aborted, 3 late,"
        " halted: 41 (tsvc resume r INSTANCE)"
    )


def test_run_test_prints_the_published_shape() -> None:
    result = run("fail", {"failed": 1}, first_call_summary={"check_log": CHECKS})
    assert completed_line(result) == (
        "[COMPLETED 1(1) of 1 instances in 0.208 seconds."
        " Aborted = 0, Failed = 1, Cancelled = 0, Rate = 4.808/sec]"
    )
    assert result.first_call is not None
    lines = list(first_call_lines(result.first_call, False))
    assert lines[0] == ">>> FIRST CALL CHECKS"
    assert lines[1].endswith("[S=01/O=01] [PASS] Received Connect")
    assert lines[2].endswith("[S=01/O=01] [FAIL] destination")
    only = list(first_call_lines(result.first_call, True))
    assert [line for line in only if "PASS" in line] == []
