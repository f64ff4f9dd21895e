"""Small results of runs in the form of QueryTest, for code that reads and shows results."""

from typing import Any

from tsvc.client.results import RunResult, read_run
from tsvc.results.report import Reported

PASS = {
    "t": 0.001,
    "op": 1,
    "step": 2,
    "label": None,
    "type": "inap.ssp_from_scp.Connect",
    "level": "pass",
    "text": "Received Connect",
}
FAIL = {
    **PASS,
    "t": 0.0015,
    "level": "fail",
    "text": "destination differs",
    "expected": "4329100",
    "got": {"digits": "4329101", "note": "<b>&"},
}
ABORT = {**PASS, "t": 0.25, "op": 2, "step": 3, "level": "abort", "text": "expected END, got none"}


def run(verdict: str, **members: Any) -> RunResult:
    """Return a completed run of one instance; the given members override the answer."""
    counts = {"planned": 1, "started": 1, "finished": 1, **members.pop("counts", {})}
    answer = {
        "run_id": "r-1",
        "completed": 1,
        "state": "completed",
        "verdict": verdict,
        "time_start": [1_700_000_000, 250_000],
        "duration": 0.208,
        "counts": counts,
        "seed": 5,
    }
    return read_run({**answer, **members})


def instance(*checks: dict[str, Any], state: str = "passed", **members: Any) -> dict[str, Any]:
    """Return the detail of an instance with these checks."""
    return {"instance_id": "0", "state": state, "check_log": list(checks), **members}


def passed(name: str = "good") -> Reported:
    """Return a reported definition that passed."""
    return Reported(name, run("pass", counts={"passed": 1}, first_call_summary=instance(PASS)))


def failed(name: str = "bad") -> Reported:
    """Return a reported definition of which one check of two failed."""
    first = instance(PASS, FAIL, state="failed")
    return Reported(
        name,
        run(
            "fail",
            counts={"failed": 1},
            first_call_summary=first,
            first_fails=[{**first, "cause": "destination differs"}],
        ),
    )


def refused(name: str = "wrong") -> Reported:
    """Return a reported definition that the service refused."""
    return Reported(name, None, "refused (2002 definition.invalid):\n  operations: missing")


def load(**members: Any) -> Reported:
    """Return a load of 300 calls over 3 s with two bad instances and thresholds."""
    answer = {
        "duration": 3.02,
        "counts": {"planned": 300, "started": 298, "finished": 298, "passed": 296}
        | {"failed": 1, "aborted": 1},
        "rate": {
            "asked": 100.0,
            "achieved": 99.3,
            "planned": 300,
            "started": 298,
            "on_time": 290,
            "late": 8,
            "never_started": 2,
            "lateness_ms": {"p50": 0.5, "p99": 7.25, "max": 12.0},
            "limited_by": "backlog",
        },
        "latency": {
            "response": {"name": "instance", "count": 298, "p50_ms": 2.0, "p99_ms": 9.5},
            "service": {"name": "instance", "count": 298, "p50_ms": 1.0, "p99_ms": 4.5},
        },
        "operations": [{"op": 1, "name": "Connect", "count": 298, "p99_ms": 3.25}],
        "first_call_summary": instance(PASS),
        "first_fails": [instance(FAIL, state="failed", instance_id="17", cause="destination")],
        "first_aborts": [instance(ABORT, state="aborted", instance_id="41", cause="no END")],
        "slowest": [
            {"instance_id": "41", "state": "aborted", "duration": 0.25, "reason": "no END"}
        ],
        "bucket_s": 1.0,
        "buckets": [
            bucket(0, 100, 99, max_ms=5.5),
            bucket(1, 100, 100, failed=1, max_ms=4.0),
            bucket(2, 98, 97, aborted=1, max_ms=250.0),
            bucket(3, 0, 2, max_ms=3.0),
        ],
        "thresholds": [
            {"metric": "service_p99_ms", "op": "<=", "value": 50.0, "got": 4.5, "is_met": True},
            {"metric": "late", "op": "<=", "value": 0, "got": 8, "is_met": False},
        ],
    }
    return Reported("load", run("abort", **{**answer, **members}))


def bucket(t: float, started: int, finished: int, **members: float) -> dict[str, float]:
    """Return one bucket."""
    counts = {"num_calls_started": started, "num_calls_finished": finished}
    return {"t": t, **counts, "failed": 0, "aborted": 0, "in_progress": 0, **members}
