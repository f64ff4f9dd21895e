"""A run and its result, as the reference shows them: one instance that waits and passes."""

from typing import Any

RUN_ID = "nightly 7"
RESULT_ID = 1042
NOW = [1767225612, 40112]

DEFINITION: dict[str, Any] = {
    "operations": [
        {"type": "wait", "arguments": {"seconds": 0.01}},
        {"type": "pass", "label": "end", "arguments": {"text": "came to the end"}},
    ],
    "vars": {"number": "61491570156"},
    "thresholds": [{"metric": "response_p99_ms", "op": "<=", "value": 250}],
    "seed": 7,
}

_COUNTS = {
    "planned": 1,
    "started": 1,
    "finished": 1,
    "passed": 1,
    "failed": 0,
    "aborted": 0,
    "cancelled": 0,
    "halted": 0,
    "in_progress": 0,
    "failed_then_cancelled": 0,
    "malformed": 0,
    "late_messages": 0,
    "unchecked_refusals": 0,
    "undefined_sent": 0,
}

SUMMARY: dict[str, Any] = {
    "run_id": RUN_ID,
    "name": "a call",
    "client": "127.0.0.1",
    "type": "single",
    "completed": 1,
    "state": "completed",
    "verdict": "pass",
    "time_start": [1767225600, 12345],
    "counts": _COUNTS,
    "time_finish": [1767225600, 24170],
    "duration": 0.011825,
}


def _latency(ms: float) -> dict[str, Any]:
    names = ("mean_ms", "p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms")
    return {"name": "instance", "count": 1, **dict.fromkeys(names, ms)}


RESULT: dict[str, Any] = {
    **SUMMARY,
    "result_id": RESULT_ID,
    "archived": 1,
    "time_now": NOW,
    "rate": {
        "asked": None,
        "asked_peak": None,
        "achieved": None,
        "peak": None,
        "planned": 1,
        "started": 1,
        "on_time": 1,
        "late": 0,
        "never_started": 0,
        "unknown_starts": 0,
        "lateness_ms": {"p50": 0.0, "p99": 0.0, "max": 0.0},
        "limited_by": None,
        "paused": 0,
    },
    "generator": {"cpu": 0.031, "loop_lag_ms": None},
    "fast_path": {
        "instances": 0,
        "fell_back": 0,
        "branches": 0,
        "not_eligible": [{"operation": None, "why": "it is one instance"}],
        "guards": [],
    },
    "latency": {"response": _latency(10.432), "service": _latency(10.318)},
    "operations": [],
    "halted": [],
    "globals": {},
    "first_call_summary": {
        "idx": "0",
        "instance_id": "0",
        "state": "passed",
        "reason": "",
        "time_start": [1767225600, 12459],
        "time_finish": [1767225600, 22777],
        "duration": 0.010318,
        "vars": {"number": "61491570156"},
        "check_log": [
            {
                "t": 0.010291,
                "op": 1,
                "step": 2,
                "label": "end",
                "type": "pass",
                "level": "pass",
                "text": "came to the end",
            }
        ],
        "trace_log": [],
        "messages": [],
        "ladder": "",
        "flow_paths": [],
    },
    "first_fails": [],
    "first_aborts": [],
    "failures": [],
    "slowest": [],
    "bucket_s": 1.0,
    "buckets": [
        {
            "t": 0.0,
            "num_calls_started": 1,
            "num_calls_finished": 1,
            "failed": 0,
            "aborted": 0,
            "in_progress": 0,
            "max_ms": 10.318,
            "p99_ms": 10.318,
        }
    ],
    "dialogues_closed": {},
    "leaks": [],
    "problems": [],
    "thresholds": [
        {"metric": "response_p99_ms", "op": "<=", "value": 250.0, "got": 10.432, "is_met": True}
    ],
    "seed": 7,
}
