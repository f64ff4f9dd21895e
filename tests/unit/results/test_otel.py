"""Results as spans: times, ids, failures."""

import copy
from typing import Any

from tsvc.results.otel import MOST_EVENTS, spans_of

FAILED = {
    "t": 0.002,
    "op": 3,
    "type": "inap.ssp_from_scp.Connect",
    "level": "fail",
    "text": "destination differs",
    "expected": "1",
    "got": "2",
}
INSTANCE: dict[str, Any] = {
    "idx": "7",
    "state": "failed",
    "reason": "destination differs",
    "time_start": [1_700_000_000, 500_000],
    "time_finish": [1_700_000_001, 0],
    "duration": 0.5,
    "check_log": [{**FAILED, "level": "pass"}, FAILED],
    "messages": [],
}
RESULT: dict[str, Any] = {
    "run_id": "busy-1",
    "name": "busy",
    "type": "load",
    "client": "127.0.0.1",
    "seed": 5,
    "verdict": "fail",
    "time_start": [1_700_000_000, 250_000],
    "time_finish": [1_700_000_010, 0],
    "counts": {"started": 8, "failed": 1},
    "rate": {"asked": 2.5, "achieved": 2.0, "limited_by": None},
    "failures": [{"cause": "destination differs", "count": 1}],
    "first_call_summary": {**INSTANCE, "idx": "0", "state": "passed", "check_log": []},
    "first_fails": [{"cause": "destination differs", **INSTANCE}],
    "first_aborts": [],
    "slowest": [{name: INSTANCE[name] for name in ("idx", "state", "time_start", "time_finish",
                                                   "duration")}],
}  # fmt: skip


def test_a_run_and_its_instances() -> None:
    run, first, failed = spans_of(RESULT)
    assert (run.name, run.parent_id, len(run.trace_id), len(run.span_id)) == ("busy", b"", 16, 8)
    assert (run.start_ns, run.end_ns) == (1_700_000_000_250_000_000, 1_700_000_010_000_000_000)
    assert run.problem == "fail; destination differs"
    assert run.attributes["tsvc.counts.started"] == 8
    assert run.attributes["tsvc.rate.achieved"] == 2.0
    assert "tsvc.rate.limited_by" not in run.attributes
    assert {first.parent_id, failed.parent_id} == {run.span_id}
    assert {first.trace_id, failed.trace_id} == {run.trace_id}
    assert (first.problem, failed.problem) == (None, "destination differs")
    assert (failed.start_ns, failed.end_ns - failed.start_ns) == (
        1_700_000_000_500_000_000,
        500_000_000,
    )


def test_a_failed_check_is_an_event_at_its_moment() -> None:
    *_, failed = spans_of(RESULT)
    (event,) = failed.events
    assert event.at_ns == 1_700_000_000_502_000_000
    assert event.attributes == {
        "tsvc.text": "destination differs",
        "tsvc.operation": 3,
        "tsvc.operation.type": "inap.ssp_from_scp.Connect",
        "tsvc.expected": "1",
        "tsvc.got": "2",
    }


def test_the_same_result_is_the_same_trace_and_another_run_another() -> None:
    ids = [span.span_id for span in spans_of(RESULT)]
    assert len(set(ids)) == 3
    assert [span.span_id for span in spans_of(RESULT)] == ids
    others = spans_of({**RESULT, "run_id": "busy-2"})
    assert set(ids).isdisjoint(span.span_id for span in others)
    assert others[0].trace_id != spans_of(RESULT)[0].trace_id


def test_events_are_bounded_and_those_left_out_are_counted() -> None:
    result = copy.deepcopy(RESULT)
    result["first_fails"][0]["check_log"] *= MOST_EVENTS + 5
    *_, failed = spans_of(result)
    assert (len(failed.events), failed.left_out) == (MOST_EVENTS, 5)


def test_what_a_result_had_no_room_for_has_no_span() -> None:
    cut = {**RESULT, "first_call_summary": {}, "first_fails": [{"cause": "x"}], "slowest": []}
    assert len(spans_of(cut)) == 1
