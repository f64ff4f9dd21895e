"""Runs shared by several workers: readiness, results and checks."""

import json
import os
import re
from collections.abc import Callable
from typing import Any

from unit.methods.declared import Answers

from support.daemons import DaemonProcess
from support.waiting import GUARD_S, until
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_schema import RunResult
from tsvc.methods.list_workers import AllWorkers

Params = dict[str, Any]
# Calls per second of runs that need a long duration, not a high load.
CPS = int(os.environ.get("TSVC_SHARED_CPS", "80"))
# Members of [cluster] with which no worker is lost because of a busy machine.
PATIENT = "lost_after_s = 60\nlease_s = 50\n"
# Reasons in the result for workers that were lost because the machine gave them no time.
STARVED = (
    "it heard of a change after its moment",
    "nothing heard for ",
    "its process ended with status 0",  # the worker found that its lease had expired
)
_ATTEMPTS = 6
_HELD = (3, 11)  # instances that keep a run open; each worker has some; without the very first


def held(declared: type[AnswerMembers], answer: Params) -> None:
    """Check an answer against its declaration."""
    answers = Answers()
    answers.members(declared(), answer, "answer")
    assert answers.problems == [], answers.problems


def ready(daemon: DaemonProcess) -> list[Params]:
    """Return the rows of the workers once all are ready."""

    def rows() -> list[Params]:
        answer = daemon.result("ListWorkers")
        held(AllWorkers, answer)
        found: list[Params] = answer["workers"]
        return found if all(row["state"] == "ready" for row in found) else []

    until(lambda: bool(rows()), what=lambda: daemon.result("ListWorkers"))
    return rows()


def linear(total: int, cps: float, backlog: int = 300) -> Params:
    return {"type": "linear", "total": total, "backlog": backlog, "cps": cps}


def balanced(result: Params) -> None:
    """Check a result against its declaration, and its counts against each other."""
    held(RunResult, result)
    counts = result["counts"]
    over = counts["passed"] + counts["failed"] + counts["aborted"] + counts["cancelled"]
    assert counts["finished"] == over
    assert counts["started"] == over + counts["in_progress"] + counts["lost"]
    assert counts["started"] == sum(row["started"] for row in result["workers"])
    if "warm_up" not in result:
        assert counts["finished"] == result["latency"]["service"]["count"]
    assert counts["started"] == sum(bucket["num_calls_started"] for bucket in result["buckets"])
    assert counts["finished"] == sum(bucket["num_calls_finished"] for bucket in result["buckets"])


def kept_open(*operations: Params) -> list[Params]:
    """Return operations whose first instances halt at the end, until completed() resumes them.

    Until then the run is in progress, however late the test acts on it.
    """
    first, end = _HELD
    others = f"$r->{{idx}} < {first} || $r->{{idx}} >= {end}"
    return [
        *operations,
        {"type": "branch", "expression": others, "on_true": "end"},
        {"type": "halt", "arguments": {"seconds": 600}},
        {"type": "pass", "label": "end"},
    ]


def undisturbed(play: Callable[[int], Params], victim: str = "") -> Params:
    """Return the result of the first run, of a few, that lost no worker except the victim.

    `play` executes a run with a number and returns the result. A worker to which a busy machine
    gives no time for seconds is lost: such a run can't show what is tested.
    """
    for number in range(_ATTEMPTS):
        result = play(number)
        others = [one["reason"] for one in result["lost"] if one["worker"] != victim]
        if not any(reason.startswith(STARVED) for reason in others):
            return result
    raise AssertionError(f"{_ATTEMPTS} runs lost others: {others}")


def in_progress(daemon: DaemonProcess, run_id: str, started: int) -> Params:
    """Return the result of a run once `started` instances have started."""

    def is_there() -> bool:
        result = daemon.result("QueryTest", {"run_id": run_id})
        assert not result["completed"]
        return bool(result["counts"]["started"] >= started)

    until(is_there, what=run_id)
    return daemon.result("QueryTest", {"run_id": run_id})


def completed(daemon: DaemonProcess, run_id: str) -> Params:
    """Return the result of a run when it is completed; its halted instances are resumed."""

    def result() -> Params | None:
        found: Params = daemon.result("QueryTest", {"run_id": run_id, "wait_s": 1})
        if found["completed"]:
            return found
        for one in found["halted"]:  # meanwhile the instance may have been resumed, or be lost
            resume = {"run_id": run_id, "instance_id": one["instance_id"]}
            daemon.call("ResumeInstance", resume)
        return None

    found = until(result, 4 * GUARD_S, what=lambda: f"{run_id} is in progress")
    assert found is not None
    return found


def ids_of(daemon: DaemonProcess, result_id: int, idx: int) -> set[int]:
    """Return the top 11 bits of all transaction ids in the messages of an instance."""
    params = {"result_id": result_id, "instance": str(idx), "format": "json"}
    content = daemon.result("GetTrace", params)["content"]
    found = re.findall(r'"[od]tid": "([0-9a-f]{8})"', json.dumps(content))
    assert len(found) > 4, json.dumps(content)[:2000]
    return {int(tid, 16) >> 21 for tid in found}
