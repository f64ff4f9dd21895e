"""Runs that several workers play: who is ready, and what came of them."""

import json
import os
import re
from typing import Any

from unit.methods.declared import Answers

from support.daemons import DaemonProcess
from support.waiting import until
from tsvc.engine.outcome.member import AnswerMembers
from tsvc.engine.outcome.result_schema import RunResult
from tsvc.methods.list_workers import AllWorkers

Params = dict[str, Any]
# Calls a second of runs whose worth is how long they last, not how much they do.
CPS = int(os.environ.get("TSVC_SHARED_CPS", "80"))


def held(declared: type[AnswerMembers], answer: Params) -> None:
    """Hold an answer against what is declared."""
    answers = Answers()
    answers.members(declared(), answer, "answer")
    assert answers.problems == []


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
    """Hold a result against what is declared, and its counts against each other."""
    held(RunResult, result)
    counts = result["counts"]
    over = counts["passed"] + counts["failed"] + counts["aborted"] + counts["cancelled"]
    assert counts["finished"] == over
    assert counts["started"] == over + counts["in_progress"] + counts["lost"]
    assert counts["started"] == sum(row["started"] for row in result["workers"])
    assert counts["finished"] == result["latency"]["service"]["count"]
    assert counts["started"] == sum(bucket["num_calls_started"] for bucket in result["buckets"])
    assert counts["finished"] == sum(bucket["num_calls_finished"] for bucket in result["buckets"])


def in_progress(daemon: DaemonProcess, run_id: str, started: int) -> Params:
    """Return the result of a run once so many instances have started."""

    def is_there() -> bool:
        result = daemon.result("QueryTest", {"run_id": run_id})
        assert not result["completed"]
        return bool(result["counts"]["started"] >= started)

    until(is_there, what=run_id)
    return daemon.result("QueryTest", {"run_id": run_id})


def completed(daemon: DaemonProcess, run_id: str) -> Params:
    result: Params = daemon.result("QueryTest", {"run_id": run_id, "wait_s": 20})
    assert result["completed"]
    return result


def ids_of(daemon: DaemonProcess, result_id: int, idx: int) -> set[int]:
    """Return the top 11 bits of all transaction ids in the messages of an instance."""
    params = {"result_id": result_id, "instance": str(idx), "format": "json"}
    content = daemon.result("GetTrace", params)["content"]
    found = re.findall(r'"[od]tid": "([0-9a-f]{8})"', json.dumps(content))
    assert len(found) > 4, json.dumps(content)[:2000]
    return {int(tid, 16) >> 21 for tid in found}
